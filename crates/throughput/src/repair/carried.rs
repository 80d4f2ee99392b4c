//! What the faults leave of a plan: the problems on the network with the faults, and of every route the
//! part that still exists.

use super::changes::{RouteChanges, RouteWeights};
use super::trimmed::{Side, Trimmed};
use super::{Mended, PlanRepairError};
use crate::reached::ThroughputError;
use pavane_model::aftermath::{self, AftermathError};
use pavane_model::throughput::{PlanPhase, ThroughputPlan};
use pavane_model::{ChannelId, Fault, Fraction, MessageId, Network, Problem, ProcessorId};

/// A plan on the network with the faults, with incomplete routes.
pub(super) struct Carried {
    /// The phases.
    pub phases: Vec<CarriedPhase>,
    /// The scale of the plan before.
    pub scale: u64,
    /// The number of routes before.
    pub before: usize,
    /// The number of routes of messages that no longer exist.
    pub dropped: usize,
    /// The participating processors that were lost.
    pub missing: Vec<ProcessorId>,
}

/// A phase on the network with the faults.
pub(super) struct CarriedPhase {
    /// The problem.
    pub problem: Problem,
    /// The relative size of every message; empty if all have size 1.
    pub sizes: Vec<u64>,
    /// The routes of the messages that still exist, in their order before.
    pub routes: Vec<Trimmed>,
}

impl Carried {
    /// Applies faults to a plan.
    pub fn new(before: &ThroughputPlan, faults: &[Fault]) -> Result<Self, PlanRepairError> {
        let collectives: Vec<_> =
            before.phases.iter().map(|phase| phase.problem.collective().clone()).collect();
        let mut carried = Self {
            phases: Vec::new(),
            scale: before.scale,
            before: before.phases.iter().map(|phase| phase.routes.len()).sum(),
            dropped: 0,
            missing: Vec::new(),
        };
        let Some(first) = before.phases.first() else { return Ok(carried) };
        let healthy = first.problem.network();
        let network = healthy.without(faults)?;
        let channels = healthy.channels_after(faults)?;
        carried.missing = aftermath::missing(&collectives, &network);
        for phase in &before.phases {
            carried.add(phase, &network, &channels)?;
        }
        Ok(carried)
    }

    fn add(
        &mut self,
        phase: &PlanPhase,
        network: &Network,
        channels: &[Option<ChannelId>],
    ) -> Result<(), PlanRepairError> {
        let missing = &self.missing;
        let old = &phase.problem;
        let collective = old.collective().left_in(network);
        let problem = aftermath::problem(network, collective, old.model(), u64::MAX, missing);
        let problem = problem.map_err(|error| match error {
            AftermathError::Separated(_) => error.into(),
            _ if missing.is_empty() => error.into(),
            // The problem was valid before processors were lost.
            _ => PlanRepairError::NoParticipants { missing: missing.clone() },
        })?;
        let numbers = renumbering(old, &problem);
        let left = numbers.iter().zip(&phase.sizes).filter(|(number, _)| number.is_some());
        let sizes = left.map(|(_, &size)| size).collect();
        let side = Side::new(&problem);
        let mut routes = Vec::new();
        for route in &phase.routes {
            if let Some(message) = numbers[route.message.index()] {
                let left = route.channels.iter().map(|channel| channels[channel.index()]);
                routes.push(side.trim(message, route.weight, left));
            } else {
                self.dropped += 1;
            }
        }
        self.phases.push(CarriedPhase { problem, sizes, routes });
        Ok(())
    }

    /// The problems of all phases.
    pub fn problems(&self) -> Vec<Problem> {
        self.phases.iter().map(|phase| phase.problem.clone()).collect()
    }

    /// A plan with what it changes.
    pub fn compared(
        &self,
        plan: ThroughputPlan,
        time: Fraction,
    ) -> Result<Mended, ThroughputError> {
        let mut weights = RouteWeights::new(&plan);
        let mut changes =
            RouteChanges { before: self.before, dropped: self.dropped, ..RouteChanges::default() };
        for (number, phase) in self.phases.iter().enumerate() {
            for route in phase.routes.iter().filter(|route| route.is_valid()) {
                changes.valid += 1;
                let (was, kept) =
                    weights.take(number, route, self.scale).ok_or(ThroughputError::TooFine)?;
                changes.kept += usize::from(kept > 0);
                changes.valid_weight =
                    changes.valid_weight.checked_add(was).ok_or(ThroughputError::TooFine)?;
                changes.kept_weight += kept;
            }
        }
        changes.rerouted = changes.before - changes.dropped - changes.kept;
        changes.new = weights.untouched();
        Ok(Mended { plan, time, changes })
    }
}

/// By old message, its new number. Messages keep their order; one remains if its origin and at least
/// one destination do.
fn renumbering(old: &Problem, new: &Problem) -> Vec<Option<MessageId>> {
    let messages = old.messages();
    let is_left = |processor: &ProcessorId| new.network().home(*processor).is_some();
    let mut next = (0..).map(MessageId);
    let number = |message: MessageId| {
        let has_ends = is_left(&messages.origin(message))
            && messages.destinations(message).iter().any(is_left);
        if has_ends { next.next() } else { None }
    };
    messages.ids().map(number).collect()
}
