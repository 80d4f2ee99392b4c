//! Chooses the loose steps of the pattern: those whose messages a search may move. The pattern has few
//! free ports, and none of its steps has them at all routers, so other messages rarely fit beside its
//! own. A search that may move all messages of the steps with the most free ports uses nearly all of
//! these.

use super::super::super::layout::Layout;
use super::super::greedy::Placed;
use crate::budget::{Budget, Interrupt};
use pavane_model::MessageId;

/// Which steps of a pattern are loose.
pub(super) struct LooseSteps {
    is_loose: Vec<bool>,
}

impl LooseSteps {
    /// No loose steps.
    pub fn none(steps: u32) -> Self {
        Self { is_loose: vec![false; steps as usize] }
    }

    /// Chooses loose steps for a schedule that has `more` steps than the pattern, such that the ports
    /// suffice for the messages of these steps and the `open` ones, with the largest possible share
    /// of free ports. `None` if they never suffice, or on interrupt.
    pub fn choose(
        layout: &Layout<'_>,
        (placed, open): (&[Placed], &[u32]),
        steps: u32,
        more: u32,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let ports = Ports::new(layout);
        let spare = ports.spare(layout, placed, steps);
        let mut lack = ports.lack(layout, open, more);
        let mut pace = Budget::unlimited(interrupt);
        let mut gained = vec![0_u32; ports.counts.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut best: Option<(f64, usize)> = None;
        loop {
            if lack.iter().all(|&lack| lack <= 0) {
                let share =
                    -lack.iter().sum::<i64>() as f64 / (order.len() as f64 + f64::from(more));
                if best.is_none_or(|(most, _)| share > most) {
                    best = Some((share, order.len()));
                }
            }
            // Free ports of routers that have few in the steps before count more.
            let worth = |step: &usize| -> f64 {
                let all = spare[*step].iter();
                all.map(|&port| 1.0 / f64::from((1 + gained[port as usize]).pow(2))).sum()
            };
            let open =
                (0..spare.len()).filter(|step| !order.contains(step) && !spare[*step].is_empty());
            let Some(next) = open.max_by(|one, other| worth(one).total_cmp(&worth(other))) else {
                break;
            };
            order.push(next);
            for &port in &spare[next] {
                gained[port as usize] += 1;
                lack[port as usize] -= 1;
            }
            if !pace.spend(spare.len() as u64) {
                return None;
            }
        }
        let (_, count) = best?;
        let mut chosen = Self::none(steps);
        order[..count].iter().for_each(|&step| chosen.is_loose[step] = true);
        Some(chosen)
    }

    /// Number of loose steps.
    pub fn count(&self) -> u32 {
        self.is_loose.iter().filter(|&&is_loose| is_loose).count() as u32
    }

    /// Divides the messages of the pattern into those of fixed steps and those of loose steps. The
    /// steps of each part are numbered from zero.
    pub fn split(&self, placed: Vec<Placed>) -> (Vec<Placed>, Vec<Placed>) {
        let mut next = [0, 0];
        let numbers = self.is_loose.iter().map(|&is_loose| {
            let next = &mut next[usize::from(is_loose)];
            *next += 1;
            *next - 1
        });
        let numbers: Vec<u32> = numbers.collect();
        let (mut fixed, mut loose) = (Vec::new(), Vec::new());
        for placed in placed {
            let step = placed.step as usize;
            let part = if self.is_loose[step] { &mut loose } else { &mut fixed };
            part.push(Placed { step: numbers[step], ..placed });
        }
        (fixed, loose)
    }
}

/// The limited ports: those of every router for sending, then those for receiving.
struct Ports {
    routers: usize,
    counts: Vec<u32>,
}

impl Ports {
    fn new(layout: &Layout<'_>) -> Self {
        let network = layout.problem.network();
        let routers = network.processor_count();
        let mut counts = vec![0; 2 * routers];
        for processor in network.living_processors() {
            counts[processor.index()] = layout.send_rows(processor).len() as u32;
            counts[routers + processor.index()] = layout.receive_rows(processor).len() as u32;
        }
        Self { routers, counts }
    }

    /// The indices of the ports that a message takes.
    fn of(&self, layout: &Layout<'_>, message: u32) -> [usize; 2] {
        let (from, to) = layout.ends(MessageId(message));
        [from.index(), self.routers + to.index()]
    }

    /// Per step, its free ports.
    fn spare(&self, layout: &Layout<'_>, placed: &[Placed], steps: u32) -> Vec<Vec<u32>> {
        let mut used = vec![0_u32; steps as usize * self.counts.len()];
        for placed in placed {
            let first = placed.step as usize * self.counts.len();
            self.of(layout, placed.message).into_iter().for_each(|port| used[first + port] += 1);
        }
        let of_step = used.chunks(self.counts.len()).map(|used| {
            let ports = (0..).zip(used.iter().zip(&self.counts));
            ports.flat_map(|(port, (&used, &count))| (used..count).map(move |_| port)).collect()
        });
        of_step.collect()
    }

    /// Per port, the open messages that do not fit into so many more steps.
    fn lack(&self, layout: &Layout<'_>, open: &[u32], more: u32) -> Vec<i64> {
        let mut lack: Vec<i64> =
            self.counts.iter().map(|&count| -i64::from(count) * i64::from(more)).collect();
        let limited = open.iter().flat_map(|&message| self.of(layout, message));
        limited.filter(|&port| self.counts[port] > 0).for_each(|port| lack[port] += 1);
        lack
    }
}
