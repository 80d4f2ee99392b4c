//! The cost model of the papers: a step takes `ts + hops*tr + size*t1`, where `hops` is the length of its longest
//! path (1 under store-and-forward).

use crate::rules::Switching;
use crate::schedule::Schedule;

/// The constants of the cost model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostModel {
    /// Start-up time of a step.
    pub ts: f64,
    /// Time per hop of the longest path of a step.
    pub tr: f64,
    /// Time per unit of message length.
    pub t1: f64,
    /// Message length.
    pub size: f64,
}

impl Default for CostModel {
    fn default() -> Self {
        Self { ts: 0.0, tr: 0.0, t1: 0.0, size: 1.0 }
    }
}

impl CostModel {
    /// The time of `steps` steps. The schedules may overlap; each comes with the number of steps before it.
    pub fn time<'a>(
        &self,
        switching: Switching,
        steps: u32,
        schedules: impl IntoIterator<Item = (u32, &'a Schedule)>,
    ) -> f64 {
        let mut longest = vec![0; steps as usize];
        for (before, schedule) in schedules {
            for step in 0..schedule.step_count() {
                let most = schedule.step(step).map(|transfer| transfer.path.len()).max();
                let longest = &mut longest[(before + step) as usize];
                *longest = (*longest).max(most.unwrap_or(0));
            }
        }
        let of_step = |longest: usize| {
            let hops = match switching {
                Switching::Wormhole => longest as f64,
                Switching::StoreAndForward => 1.0,
            };
            self.ts + hops * self.tr + self.size * self.t1
        };
        longest.into_iter().map(of_step).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::CostModel;
    use crate::ids::{ChannelId, MessageId, ProcessorId};
    use crate::rules::Switching;
    use crate::schedule::{Schedule, Transfer};

    #[test]
    fn a_step_takes_as_long_as_its_longest_path() {
        let path: Vec<ChannelId> = (0..3).map(ChannelId).collect();
        let (message, from, to) = (MessageId(0), ProcessorId(0), ProcessorId(1));
        let transfer = |length: usize| Transfer { message, from, to, path: &path[..length] };
        let transfers = [(0, transfer(1)), (0, transfer(3)), (1, transfer(2))];
        let schedule = Schedule::from_transfers(2, &transfers);
        let model = CostModel { ts: 100.0, tr: 10.0, t1: 1.0, size: 5.0 };
        let time = |switching| model.time(switching, 2, [(0, &schedule)]);
        assert_eq!(time(Switching::Wormhole), 2.0 * 105.0 + 50.0);
        assert_eq!(time(Switching::StoreAndForward), 2.0 * 115.0);
        // Two schedules that overlap in one step.
        let both = model.time(Switching::Wormhole, 3, [(0, &schedule), (1, &schedule)]);
        assert_eq!(both, 3.0 * 105.0 + 10.0 * (3.0 + 3.0 + 2.0));
    }
}
