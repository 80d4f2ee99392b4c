//! A plan from a file, with the limit that its certificate proves and the reason for it.

use crate::answer::{Answer, Priced, Reason, WeightedCuts};
use crate::reached::{Bottleneck, ThroughputError};
use crate::reason::{each, leaving_messages};
use pavane_model::throughput::{LimitCertificate, PhaseCut, PlanPhase, ThroughputPlan};
use pavane_model::{Fraction, Problem, RouterId};

impl Answer {
    /// A plan that the judge has accepted, with the time that it takes and the limit that its certificate
    /// proves. Without a proved limit, the limit is 0 and there is no reason.
    pub fn of_plan(
        plan: ThroughputPlan,
        time: Fraction,
        proved: Option<Fraction>,
    ) -> Result<Self, ThroughputError> {
        let reason = match (&plan.limit, proved) {
            (Some(limit), Some(proved)) => Some(reason(&plan, &limit.certificate, proved)?),
            _ => None,
        };
        let limit = proved.unwrap_or(Fraction::ZERO);
        Ok(Self { phases: Vec::new(), limit, reason, time, plan, is_stopped: false })
    }
}

/// The argument of a certificate.
fn reason(
    plan: &ThroughputPlan,
    certificate: &LimitCertificate,
    limit: Fraction,
) -> Result<Reason, ThroughputError> {
    let network = plan.phases[0].problem.network();
    let (cuts, switches) = match certificate {
        LimitCertificate::Prices { prices } => {
            return Ok(Reason::Prices(Priced::new(network, prices.clone(), limit)?));
        }
        LimitCertificate::Cut { routers } => {
            let routers = ascending(routers);
            let sizes = plan.phases.iter().map(|phase| leaving_size(phase, &routers));
            let messages = sizes.fold(0u64, u64::saturating_add);
            return Ok(Reason::Cut(Bottleneck::new(network, routers, messages)?));
        }
        LimitCertificate::Cuts { cuts, switches } => (cuts, switches),
    };
    let sorted = |cut: &PhaseCut| PhaseCut { routers: ascending(&cut.routers), ..cut.clone() };
    let cuts: Vec<PhaseCut> = cuts.iter().map(sorted).collect();
    if let ([PhaseCut { phase, routers, .. }], []) = (&cuts[..], &switches[..]) {
        let phase = *phase as usize;
        let messages = leaving_size(&plan.phases[phase], routers);
        let cut = Bottleneck::new(network, routers.clone(), messages)?;
        return Ok(Reason::Phase { phase, cut });
    }
    let problems: Vec<Problem> = plan.phases.iter().map(|phase| phase.problem.clone()).collect();
    if problems.len() == 2
        && let Some((Some(same), around)) = each(&problems)?
        && same == limit
        && around.certificate(&problems) == *certificate
    {
        return Ok(around);
    }
    Ok(Reason::Cuts(WeightedCuts::of(&problems, cuts, switches.clone())?))
}

fn ascending(routers: &[RouterId]) -> Vec<RouterId> {
    let mut routers = routers.to_vec();
    routers.sort_unstable();
    routers.dedup();
    routers
}

/// The sizes of the messages that must leave a set of routers, added up.
fn leaving_size(phase: &PlanPhase, routers: &[RouterId]) -> u64 {
    let sizes = leaving_messages(&phase.problem, routers).map(|message| phase.size(message));
    sizes.fold(0, u64::saturating_add)
}
