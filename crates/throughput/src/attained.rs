//! What the trees of all phases attain together.

use crate::integer::gcd;
use crate::network::ScaleError;
use crate::reached::{Reached, ThroughputError};
use pavane_model::throughput::{PlanPhase, Route};
use pavane_model::{ChannelId, Fraction, MessageId, Problem};

/// Plans of all phases, with the time that they take if they use the channels at the same time.
pub(crate) struct Attained {
    /// The phases.
    pub phases: Vec<Reached>,
    /// Their trees, with weights in units of 1/`scale`.
    pub routes: Vec<PlanPhase>,
    /// The sum of the weights of a message.
    pub scale: u64,
    /// Nanoseconds per byte of a message: the largest ratio of load to bandwidth.
    pub time: Fraction,
}

impl Attained {
    /// Adds up the loads of the phases.
    pub fn new(problems: &[Problem], phases: Vec<Reached>) -> Result<Self, ThroughputError> {
        let scale = phases.iter().try_fold(1u128, |scale, phase| {
            (scale / gcd(scale, phase.plan.scale)).checked_mul(phase.plan.scale)
        });
        let scale = scale.ok_or(ThroughputError::TooFine)?;
        let routes: Vec<PlanPhase> = problems
            .iter()
            .zip(&phases)
            .map(|(problem, reached)| plan_phase(problem, reached, scale))
            .collect::<Result<_, _>>()?;
        let time = time(&routes, scale)?;
        let scale = scale.try_into().map_err(|_| ThroughputError::TooFine)?;
        Ok(Self { phases, routes, scale, time })
    }
}

/// The trees of a phase, with weights in units of 1/`scale`.
fn plan_phase(
    problem: &Problem,
    reached: &Reached,
    scale: u128,
) -> Result<PlanPhase, ThroughputError> {
    let factor = scale / reached.plan.scale;
    let mut routes = Vec::new();
    for tree in &reached.plan.trees {
        let weight = tree.weight.checked_mul(factor).and_then(|weight| weight.try_into().ok());
        let mut channels: Vec<ChannelId> = tree.channels.iter().copied().map(ChannelId).collect();
        if problem.is_backward() {
            channels.reverse();
        }
        let weight = weight.ok_or(ThroughputError::TooFine)?;
        routes.push(Route { message: MessageId(tree.sender), weight, channels });
    }
    Ok(PlanPhase { problem: problem.clone(), sizes: Vec::new(), routes })
}

/// The largest ratio of load to bandwidth.
fn time(phases: &[PlanPhase], scale: u128) -> Result<Fraction, ThroughputError> {
    let Some(first) = phases.first() else { return Ok(Fraction::ZERO) };
    let bandwidths = first.problem.network().bandwidths();
    let bandwidths = bandwidths.map_err(ScaleError::from)?;
    let mut loads = vec![0u128; bandwidths.len()];
    for route in phases.iter().flat_map(|phase| &phase.routes) {
        for channel in &route.channels {
            loads[channel.index()] += u128::from(route.weight);
        }
    }
    let mut largest = Fraction::ZERO;
    for (load, bandwidth) in loads.into_iter().zip(bandwidths) {
        let share = Fraction::new(load, scale).and_then(|load| load.checked_div(bandwidth));
        largest = largest.max(share.ok_or(ThroughputError::TooFine)?);
    }
    Ok(largest)
}
