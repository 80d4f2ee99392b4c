//! How many processors can, and how many must, hold the message after each step, by ports alone.

use super::task::Task;

/// For each number of steps done, from 0, the least and the most holders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// By how many holders there are: how many they can be one step later, the origin and the
    /// processors with the most ports among them.
    growth: Vec<usize>,
    most: Vec<usize>,
}

impl Sizes {
    /// `None` if that many steps are too few, whoever holds the message.
    pub fn new(task: &Task<'_>, steps: u32) -> Option<Self> {
        let ports_of = |p: &pavane_model::ProcessorId| task.ports[p.index()] as usize;
        let mut ports: Vec<usize> = task.candidates.iter().map(ports_of).collect();
        ports.sort_unstable_by(|a, b| b.cmp(a));
        let all = task.candidates.len() + 1;
        let mut growth = vec![0, (1 + ports_of(&task.origin)).min(all)];
        for (others, ports) in ports.iter().enumerate() {
            let sent = growth[others + 1] + ports + 1;
            growth.push(sent.min(all));
        }
        let mut most = vec![1];
        for _ in 0..steps {
            most.push(growth[*most.last().expect("it starts with one entry")]);
        }
        let sizes = Self { growth, most };
        let wanted = task.destinations.len() + 1;
        (sizes.most[steps as usize] >= wanted).then_some(sizes)
    }

    /// The most holders there can be after `step` steps.
    pub fn most(&self, step: u32) -> usize {
        self.most[step as usize]
    }

    /// The fewest holders that can become `wanted` in one step.
    pub fn least_before(&self, wanted: usize) -> usize {
        self.growth.partition_point(|&grown| grown < wanted)
    }
}
