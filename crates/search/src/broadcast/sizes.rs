//! How many processors can hold the message after each step, and how many must, counting ports
//! only.

use super::one_message::OneMessage;

/// The largest possible numbers of holders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// By number of holders: how many there can be one step later, if the holders are the origin
    /// and the processors with the most ports.
    growth: Vec<usize>,
    most: Vec<usize>,
}

impl Sizes {
    /// Returns `None` if the ports do not allow so few steps.
    pub fn new(task: &OneMessage<'_>, steps: u32) -> Option<Self> {
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

    /// The most holders possible after `step` steps.
    pub fn most(&self, step: u32) -> usize {
        self.most[step as usize]
    }

    /// The fewest holders that can grow to `wanted` in one step.
    pub fn least_before(&self, wanted: usize) -> usize {
        self.growth.partition_point(|&grown| grown < wanted)
    }
}
