//! A checked schedule as a mission: every transfer is a message on its path in the schedule, sent
//! as soon as its sender has what it carries rather than in its step.

use pavane_model::{MessageId, ProcessorId};
use pavane_traffic::mission::common_length;
use pavane_traffic::routing::Routes;
use pavane_traffic::{Message, Mission, SwitchingMethod, TrafficError};
use pavane_verify::CheckedSchedule;

/// A schedule without its steps.
#[derive(Debug, Clone)]
pub struct FreeSchedule {
    /// Its transfers, in the order of steps.
    pub mission: Mission,
    /// Their paths.
    pub routes: Routes,
    /// Pairs of a transfer and one that must be complete before it, as in the mission.
    pub waits: Vec<(u32, u32)>,
    /// Hops of the longest path of every step.
    pub hops_of_steps: Vec<usize>,
}

impl FreeSchedule {
    /// Duration of the schedule if run in steps, each as long as its longest path requires, in ticks.
    pub fn in_steps(&self, switching: SwitchingMethod) -> u64 {
        let length = self.mission.messages().first().map_or(0, |message| message.length);
        let hops = self.hops_of_steps.iter().map(|&hops| match switching {
            SwitchingMethod::StoreAndForward => hops as u64,
            _ => hops.min(1) as u64,
        });
        hops.sum::<u64>() * length
    }
}

/// Converts the transfers of a schedule, all of the same length in units. A transfer waits for
/// those that deliver its message to its sender; in a reduce, for all contributions that the sender
/// must add.
pub fn from_schedule(checked: &CheckedSchedule, length: f64) -> Result<FreeSchedule, TrafficError> {
    let (problem, schedule) = (checked.problem(), checked.schedule());
    let length = common_length(length)?;
    let mut messages = Vec::with_capacity(schedule.transfer_count());
    let mut paths = Vec::with_capacity(schedule.transfer_count());
    let mut ends: Vec<(MessageId, ProcessorId, ProcessorId)> = Vec::new();
    let mut hops_of_steps = Vec::new();
    for step in 0..schedule.step_count() {
        let hops = schedule.step(step).map(|transfer| transfer.path.len());
        hops_of_steps.push(hops.max().unwrap_or(0));
        for transfer in schedule.step(step) {
            messages.push(Message {
                arrival: 0,
                length,
                source: transfer.from,
                destination: transfer.to,
            });
            paths.push(transfer.path);
            ends.push((transfer.message, transfer.from, transfer.to));
        }
    }
    let mut arriving: Vec<(MessageId, ProcessorId, u32)> =
        ends.iter().zip(0..).map(|(&(message, _, to), number)| (message, to, number)).collect();
    arriving.sort_unstable();
    let mut waits = Vec::new();
    for (number, &(message, from, _)) in (0..).zip(&ends) {
        let start = arriving.partition_point(|&(m, to, _)| (m, to) < (message, from));
        let before = arriving[start..].iter().take_while(|&&(m, to, _)| (m, to) == (message, from));
        waits.extend(before.filter(|entry| entry.2 < number).map(|entry| (number, entry.2)));
    }
    let mission = Mission::new(problem.network(), messages)?.with_waits(&waits);
    Ok(FreeSchedule { mission, routes: Routes::new(paths.into_iter()), waits, hops_of_steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::format::read_file;
    use pavane_verify::verify;
    use std::path::Path;

    fn free(name: &str) -> FreeSchedule {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/valid");
        let phase = read_file(&folder.join(name), 1000).unwrap().remove(0);
        from_schedule(&verify(phase.problem, phase.schedule).unwrap(), 1.0).unwrap()
    }

    #[test]
    fn a_transfer_waits_for_what_it_carries() {
        // Two transfers from the root, then one from a processor that was just informed.
        let broadcast = free("broadcast-ring4.json");
        assert_eq!(broadcast.mission.len(), 3);
        assert_eq!(broadcast.waits.len(), 1);
        assert_eq!(broadcast.waits[0].0, 2);
        // Personalised messages under wormhole switching wait for nothing.
        assert_eq!(free("octagon-aas-table4.json").waits, []);
        // Under store-and-forward, a message waits for its previous hop.
        let scatter = free("scatter-sf-path4-hop-by-hop.json");
        assert!(!scatter.waits.is_empty());
        assert!(scatter.waits.iter().all(|(later, earlier)| earlier < later));
    }
}
