//! One mission with everything that can be said about it: its log, completion times, bounds and optimum.

use crate::error::TrafficError;
use crate::links::Links;
use crate::log::Log;
use crate::mission::Mission;
use crate::optimal::{Effort, MissionBounds, Optimum, OptimumProblem, optimum};
use crate::policy::Policy;
use crate::simulator::{Memory, Simulator};
use crate::switching::SwitchingMethod;
use crate::ticks;

/// A run with its log.
#[derive(Debug, Clone)]
pub struct ObservedRun {
    /// Which message held which channel, by message.
    pub log: Log,
    /// When every message was complete; `u64::MAX` if it was not delivered.
    pub completions: Vec<u64>,
    /// `None` if it deadlocked.
    pub makespan: Option<u64>,
    /// Bounds on the makespan with the same paths, if the paths are fixed and no message waits for others.
    pub bounds: Option<MissionBounds>,
    /// The shortest makespan that was found with the same paths, if it was requested and the switching
    /// method has one.
    pub best: Option<Optimum>,
}

impl ObservedRun {
    /// Messages that were never delivered.
    pub fn stuck(&self) -> Vec<u32> {
        let ends = self.completions.iter().zip(0..);
        ends.filter(|(end, _)| **end == u64::MAX).map(|(_, number)| number).collect()
    }

    /// How long each link carried messages, in ticks. Under wormhole switching messages also hold links
    /// while they wait, several at a time with virtual channels; that time does not count.
    pub fn loads(&self, links: &Links, mission: &Mission, switching: SwitchingMethod) -> Vec<u64> {
        let carried = |length: u64| match switching {
            SwitchingMethod::Wormhole(_) => Some(length),
            // A link carries one flit in a cycle.
            SwitchingMethod::Flits(_) => Some(length.next_multiple_of(ticks::UNIT)),
            _ => None,
        };
        let mut loads = vec![0; links.count()];
        for hold in &self.log.holds {
            let length = mission.messages()[hold.message as usize].length;
            loads[links.of(hold.channel) as usize] +=
                carried(length).unwrap_or(hold.end - hold.start);
        }
        loads
    }

    /// Waiting time of each message: from the time at which it could be sent to its delivery, minus
    /// its time in an idle network. `None` if it was never delivered.
    pub fn waits(&self, mission: &Mission, switching: SwitchingMethod) -> Vec<Option<u64>> {
        let mut hops = vec![0u64; mission.len()];
        for hold in &self.log.holds {
            hops[hold.message as usize] += 1;
        }
        let messages = mission.messages().iter().zip(self.ready(mission));
        let ends = self.completions.iter().zip(hops);
        messages
            .zip(ends)
            .map(|((message, ready), (&end, hops))| {
                let alone = match switching {
                    SwitchingMethod::StoreAndForward => hops * message.length,
                    // From the processor to its router, every hop, and to the processor, with one
                    // cycle for each flit; it starts with a whole cycle.
                    SwitchingMethod::Flits(_) => {
                        let flits = message.length.div_ceil(ticks::UNIT);
                        ready.next_multiple_of(ticks::UNIT) - ready
                            + (hops + 1 + flits) * ticks::UNIT
                    }
                    _ => hops.min(1) * message.length,
                };
                (end != u64::MAX).then(|| end.saturating_sub(ready + alone))
            })
            .collect()
    }

    /// The earliest time at which each message could be sent.
    fn ready(&self, mission: &Mission) -> Vec<u64> {
        let mut ready: Vec<u64> = mission.messages().iter().map(|m| m.arrival).collect();
        for earlier in 0..mission.len() as u32 {
            for &later in mission.followers(earlier) {
                let end = self.completions[earlier as usize];
                ready[later as usize] = ready[later as usize].max(end);
            }
        }
        ready
    }
}

impl Simulator {
    /// Runs a mission with a log. `is_optimal` also searches for the shortest makespan.
    pub fn observe(
        &self,
        mission: &Mission,
        switching: SwitchingMethod,
        policy: Policy,
        seed: u64,
        is_optimal: bool,
    ) -> Result<ObservedRun, TrafficError> {
        let (mut memory, mut log) = (Memory::default(), Log::default());
        let is_fixed = self.route(mission, seed, &mut memory.routes)?;
        let run = self.run(mission, switching, policy, &mut memory, &mut log)?;
        log.by_message();
        let completions = std::mem::take(&mut memory.state.completions);
        let task = OptimumProblem {
            mission,
            links: self.links(),
            routes: &memory.routes,
            order: self.order(),
            switching,
        };
        let can_bound = is_fixed && !mission.has_waits();
        let bounds = can_bound.then(|| MissionBounds::of(&task));
        let is_asked = is_optimal && can_bound && switching.has_optimum();
        let best = is_asked.then(|| optimum(&task, Effort::default(), seed, &mut memory.state));
        let is_done = !completions.contains(&u64::MAX);
        let makespan = is_done.then(|| run.end.saturating_sub(mission.start()));
        Ok(ObservedRun { log, completions, makespan, bounds, best })
    }
}
