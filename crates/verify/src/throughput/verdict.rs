//! The verdict on a throughput plan.

use super::certificate::{self, LimitError};
use super::report::PlanViolations;
use super::view::View;
use super::violation::{PlanRule, PlanViolation};
use super::{loads, paths, trees, weights};
use crate::cost::{Limits, OverLimit};
use pavane_model::network::TimingError;
use pavane_model::{ChannelId, Fraction, ThroughputPlan};

/// The judge's verdict on a throughput plan and its claimed limit.
#[derive(Debug, Clone, PartialEq)]
pub struct ThroughputVerdict {
    /// What is wrong with the plan.
    pub violations: Vec<PlanViolation>,
    /// The time per byte of the plan in nanoseconds: the largest ratio of load to bandwidth.
    pub time: Fraction,
    /// The first channel with this ratio; `None` if nothing crosses a channel.
    pub busiest: Option<ChannelId>,
    /// The limit that the certificate proves; `None` if none is claimed or the certificate is wrong.
    pub proved: Option<Fraction>,
    /// Why the claimed limit is false or could not be judged.
    pub limit_error: Option<LimitError>,
}

impl ThroughputVerdict {
    /// Whether the plan breaks no rule.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Number of violations, listed or only counted.
    pub fn violation_count(&self) -> u64 {
        self.violations.iter().map(PlanViolation::count).sum()
    }

    /// Whether the plan is valid and the claimed limit, if any, is proved.
    pub fn is_fine(&self) -> bool {
        self.is_valid() && self.limit_error.is_none()
    }

    /// If the plan is valid but its limit cannot be judged within the limits on cost: why.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match &self.limit_error {
            Some(LimitError::OverLimit(over)) if self.is_valid() => Some(over),
            _ => None,
        }
    }

    /// Whether the plan is valid and takes exactly the proved limit.
    pub fn is_optimal(&self) -> bool {
        self.is_fine() && self.proved == Some(self.time)
    }
}

/// Why a plan cannot be judged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanJudgeError {
    /// Bandwidths are missing or out of range.
    #[error(transparent)]
    Bandwidths(#[from] TimingError),
    /// A plan without phases, with a scale of 0, or with phases on different networks.
    #[error("the plan {0}")]
    Malformed(&'static str),
    /// Exact numbers with more than 128 bits.
    #[error("its weights and bandwidths need fractions of more than 128 bits")]
    Arithmetic,
}

/// Judges a plan with the default limits on cost.
pub fn judge_plan(plan: &ThroughputPlan) -> Result<ThroughputVerdict, PlanJudgeError> {
    judge_plan_within(plan, None)
}

/// Judges a plan. `operations` overrides the limit on the operations to check the certificate. The
/// trees and paths take time and memory in proportion to the plan and to the deliveries.
pub fn judge_plan_within(
    plan: &ThroughputPlan,
    operations: Option<u64>,
) -> Result<ThroughputVerdict, PlanJudgeError> {
    let Some(first) = plan.phases.first() else {
        return Err(PlanJudgeError::Malformed("has no phase"));
    };
    if plan.scale == 0 {
        return Err(PlanJudgeError::Malformed("has a scale of 0"));
    }
    let network = first.problem.network();
    let bandwidths = network.bandwidths()?;
    for other in &plan.phases[1..] {
        let other = other.problem.network();
        if !network.has_same_channels_as(other) || other.bandwidths()? != bandwidths {
            return Err(PlanJudgeError::Malformed("has phases on different networks"));
        }
    }
    let is_several = plan.phases.len() > 1;
    let views: Vec<View<'_>> = (plan.phases.iter().enumerate())
        .map(|(number, phase)| View { phase, number: is_several.then_some(number) })
        .collect();
    let mut report = PlanViolations::default();
    let mut sums = vec![0; network.channel_count()];
    for &view in &views {
        let routes = known(view, &mut report);
        weights::check(view, plan.scale, &routes, &mut report);
        if view.phase.has_paths() {
            paths::check(view, &routes, &mut report)
        } else {
            trees::check(view, &routes, &mut report)
        }
        loads::add(view, &routes, &mut sums);
    }
    let (time, busiest) = loads::time(&sums, plan.scale, &bandwidths)?;
    if let Some(claimed) = plan.ns_per_byte.filter(|&claimed| claimed != time) {
        report.add(PlanRule::Time, || PlanViolation::OtherTime { claimed, time });
    }
    let limits = Limits::of(&first.problem).with_operations(operations);
    let derived = plan.limit.as_ref().map(|limit| {
        let proved = certificate::derive(&limit.certificate, &views, &bandwidths, limits)?;
        if proved < limit.ns_per_byte {
            Err(LimitError::ProvesLess { claimed: limit.ns_per_byte, proved })
        } else {
            Ok(proved)
        }
    });
    let (proved, limit_error) = match derived.transpose() {
        Ok(proved) => (proved, None),
        Err(error) => (None, Some(error)),
    };
    let violations = report.into_violations();
    Ok(ThroughputVerdict { violations, time, busiest, proved, limit_error })
}

/// The routes whose message and channels exist; the others are reported. The reader of files refuses
/// those, but a plan may also come from elsewhere.
fn known(view: View<'_>, report: &mut PlanViolations) -> Vec<usize> {
    let problem = &view.phase.problem;
    let messages = problem.messages().len();
    let sizes = view.phase.sizes.len();
    if sizes != 0 && sizes != messages {
        report.add(PlanRule::Names, || PlanViolation::Sizes { sizes, messages });
    }
    let channels = problem.network().channel_count();
    let mut routes = Vec::with_capacity(view.phase.routes.len());
    for (number, route) in view.phase.routes.iter().enumerate() {
        let bad = route.channels.iter().copied().find(|channel| channel.index() >= channels);
        let name = || view.name(number);
        if route.message.index() >= messages {
            report.add(PlanRule::Names, || PlanViolation::NoSuchMessage { route: name() });
        } else if let Some(channel) = bad {
            report.add(PlanRule::Names, || PlanViolation::NoSuchChannel { route: name(), channel });
        } else {
            routes.push(number);
        }
    }
    routes
}
