//! A throughput plan that the judge has accepted.

use super::certificate::LimitError;
use super::verdict::{PlanJudgeError, judge_plan_within};
use super::violation::PlanViolation;
use pavane_model::throughput::{LimitCertificate, ThroughputPlan};
use pavane_model::{Fraction, Network};

/// A plan that breaks no rule and whose limit, if it has one, is proved. Only the judge makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedPlan {
    plan: ThroughputPlan,
    time: Fraction,
    proved: Option<Fraction>,
}

/// Why a plan is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanRejection {
    /// It cannot be judged.
    #[error(transparent)]
    Unjudged(#[from] PlanJudgeError),
    /// It breaks a rule.
    #[error("{0}")]
    Violation(Box<PlanViolation>),
    /// Its limit is false.
    #[error("its limit is false: {0}")]
    Limit(Box<LimitError>),
}

/// Judges a plan and accepts it if it breaks no rule and its limit is not false. If judging the
/// limit exceeds the cost limits, the plan is accepted without a limit.
pub fn check_plan(plan: ThroughputPlan) -> Result<CheckedPlan, PlanRejection> {
    let verdict = judge_plan_within(&plan, None)?;
    let is_over_limit = verdict.over_limit().is_some();
    if let Some(violation) = verdict.violations.into_iter().next() {
        return Err(PlanRejection::Violation(Box::new(violation)));
    }
    match verdict.limit_error {
        Some(error) if !is_over_limit => Err(PlanRejection::Limit(Box::new(error))),
        _ => Ok(CheckedPlan { plan, time: verdict.time, proved: verdict.proved }),
    }
}

impl CheckedPlan {
    /// The plan.
    pub fn plan(&self) -> &ThroughputPlan {
        &self.plan
    }

    /// The network of all phases.
    pub fn network(&self) -> &Network {
        self.plan.phases[0].problem.network()
    }

    /// The time per byte of the plan in nanoseconds.
    pub fn time(&self) -> Fraction {
        self.time
    }

    /// The limit that its certificate proves, with the certificate.
    pub fn proved(&self) -> Option<(Fraction, &LimitCertificate)> {
        Some((self.proved?, &self.plan.limit.as_ref()?.certificate))
    }

    /// Whether it takes exactly the proved limit.
    pub fn is_optimal(&self) -> bool {
        self.proved == Some(self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::throughput;

    fn pair(weight: u64, limit: &str) -> ThroughputPlan {
        let file = format!(
            r#"{{"format": "pavane/throughput/1",
              "network": {{"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1],
                           "bandwidth_gbytes": [25, 25]}},
              "collective": {{"kind": "broadcast", "senders": [0], "receivers": [1]}},
              "scale": 1, "trees": [{{"message": [0], "weight": {weight}, "channels": [0]}}],
              "limit": {{"ns_per_byte": "{limit}",
                         "certificate": {{"kind": "cut", "routers": [0]}}}}}}"#
        );
        throughput::read(file.as_bytes(), "pair.json", 1000).unwrap()
    }

    #[test]
    fn only_valid_plans_with_true_limits_are_accepted() {
        let checked = check_plan(pair(1, "1/25")).unwrap();
        assert!(checked.is_optimal());
        assert_eq!(checked.proved().map(|(proved, _)| proved), Some(checked.time()));
        let violation = check_plan(pair(2, "1/25")).unwrap_err();
        assert!(matches!(violation, PlanRejection::Violation(_)), "{violation}");
        let limit = check_plan(pair(1, "1")).unwrap_err();
        assert!(matches!(limit, PlanRejection::Limit(_)), "{limit}");
    }
}
