//! Repair of a throughput plan after faults. Trees and paths that no fault touches can stay. Two plans
//! are made: one that keeps all of them and re-routes only what was lost, and the best plan of the
//! network with the faults, which may keep little.

mod carried;
mod changes;
mod fill;
mod mended;
mod search;
mod trimmed;

pub use changes::RouteChanges;

use crate::answer::{Answer, Request, answer};
use crate::automorphisms::generators;
use crate::explanation::status;
use crate::rates::figure;
use crate::reached::ThroughputError;
use carried::Carried;
use pavane_model::aftermath::AftermathError;
use pavane_model::throughput::ThroughputPlan;
use pavane_model::{Fault, FaultError, Fraction, Problem, ProcessorId};

/// A plan after faults, and what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairedPlan {
    /// The plan, with the limit of the network with the faults.
    pub chosen: Mended,
    /// The other plan, if it is faster or keeps more.
    pub other: Option<Mended>,
    /// The limit of the network with the faults, its reason, and the best plan, which may be one of the
    /// two.
    pub best: Answer,
    /// The problems on the network with the faults, one for each phase.
    pub problems: Vec<Problem>,
    /// The participating processors that were lost.
    pub missing: Vec<ProcessorId>,
}

/// One of the plans after faults.
#[derive(Debug, Clone, PartialEq)]
pub struct Mended {
    /// The plan.
    pub plan: ThroughputPlan,
    /// Nanoseconds per byte of a message that it takes.
    pub time: Fraction,
    /// How its routes differ from those before.
    pub changes: RouteChanges,
}

impl RepairedPlan {
    /// The limit with the chosen plan. The phases are those of the best plan.
    pub fn answer(&self) -> Answer {
        let Mended { plan, time, .. } = self.chosen.clone();
        Answer { plan, time, ..self.best.clone() }
    }

    /// By how many per cent the chosen plan exceeds the limit.
    pub fn excess_percent(&self) -> f64 {
        self.answer().excess_percent()
    }

    /// Whether the chosen plan attains the limit, in words.
    pub fn status(&self) -> String {
        match &self.other {
            Some(other) if other.time < self.chosen.time => {
                let excess = figure(self.excess_percent());
                format!("takes {excess} % longer than the limit, to keep more routes")
            }
            _ => status(&self.answer(), None),
        }
    }
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanRepairError {
    /// A fault names something that the network does not have.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The remaining problem is empty, or some processors can no longer reach each other.
    #[error(transparent)]
    Aftermath(#[from] AftermathError),
    /// All senders or all receivers are lost.
    #[error("the faults remove all senders or all receivers, so no message remains")]
    NoParticipants {
        /// The participating processors that were lost.
        missing: Vec<ProcessorId>,
    },
    /// There is no limit or no plan.
    #[error(transparent)]
    Throughput(#[from] ThroughputError),
    /// No plan keeps the required share.
    #[error(
        "no plan was found that keeps {:.1} % of the weight of the routes that are still valid; the \
         best keeps {:.1} %; keep less",
        100.0 * asked, 100.0 * kept
    )]
    KeepsTooLittle {
        /// The required share.
        asked: f64,
        /// The largest share found.
        kept: f64,
    },
}

/// Repairs a plan that the judge has accepted. Returns the faster one of the two plans among those
/// that keep at least the share `keep` of the weight that is still valid. If they are equally fast, it
/// returns the one that keeps more. `stop` is asked now and then whether to end the search for the best
/// plan.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Fault, Model, Problem};
/// use pavane_networks::topology;
/// use pavane_throughput::answer::{Request, answer};
/// use pavane_throughput::repair::repair;
///
/// let network = topology::build("torus:3x3")?;
/// let fault = Fault::parse(&network, "0,0-0,1")?;
/// let phases = collective::build("all-gather", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let request = Request { trees: None, sizes: &[], generators: &[], stop: &|| false };
/// let before = answer("all-gather", &[problem], &request)?;
/// let repaired = repair(&before.plan, &[fault], 0.0, &|| false)?;
/// assert!(repaired.chosen.time >= repaired.best.limit);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn repair(
    before: &ThroughputPlan,
    faults: &[Fault],
    keep: f64,
    stop: &dyn Fn() -> bool,
) -> Result<RepairedPlan, PlanRepairError> {
    let carried = Carried::new(before, faults)?;
    let problems = carried.problems();
    let sizes = carried.phases.first().map_or(&[][..], |phase| &phase.sizes);
    let generators = generators(&problems, stop);
    let request = Request { trees: None, sizes, generators: &generators, stop };
    let best = answer(&before.name, &problems, &request)?;
    let kept = mended::keep_valid(&carried, &best, stop);
    let mut plans = Vec::new();
    if let Some((plan, time)) = kept {
        plans.push(carried.compared(plan, time)?);
    }
    plans.push(carried.compared(best.plan.clone(), best.time)?);
    let most = plans.iter().map(|plan| plan.changes.kept_share()).fold(0.0, f64::max);
    let fits = |plan: &&Mended| plan.changes.kept_share() >= keep;
    // Of equally fast plans the first is taken.
    let Some(chosen) = plans.iter().filter(fits).min_by_key(|plan| plan.time).cloned() else {
        return Err(PlanRepairError::KeepsTooLittle { asked: keep, kept: most });
    };
    let is_better = |other: &Mended| {
        other.time < chosen.time || other.changes.kept_share() > chosen.changes.kept_share()
    };
    let other = plans.into_iter().find(is_better);
    Ok(RepairedPlan { chosen, other, best, problems, missing: carried.missing })
}
