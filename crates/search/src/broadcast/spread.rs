//! Chooses processors far from one another, each the best of a few random ones: the holders of the
//! message should be spread out.

use super::one_message::OneMessage;
use crate::rng::Rng;
use pavane_model::{ProcessorId, RouterId};

/// Hops to every router from the nearest chosen one.
#[derive(Debug)]
pub(super) struct HolderSpread<'a> {
    task: &'a OneMessage<'a>,
    nearest: Vec<u32>,
    queue: Vec<RouterId>,
}

impl<'a> HolderSpread<'a> {
    pub fn new(task: &'a OneMessage<'a>) -> Self {
        let nearest = vec![u32::MAX; task.network.router_count()];
        Self { task, nearest, queue: Vec::new() }
    }

    /// Chooses `size` processors: the origin first, the others from `pool`, which does not contain
    /// it.
    pub fn choose(
        &mut self,
        pool: &[ProcessorId],
        size: usize,
        samples: usize,
        rng: &mut Rng,
    ) -> Vec<ProcessorId> {
        self.nearest.fill(u32::MAX);
        self.add(self.task.origin);
        let mut chosen = vec![self.task.origin];
        let mut left = pool.to_vec();
        while chosen.len() < size && !left.is_empty() {
            let picks = (0..samples).map(|_| rng.below(left.len()));
            let best = picks.max_by(|&a, &b| self.worth(left[a]).total_cmp(&self.worth(left[b])));
            let best = left.swap_remove(best.unwrap_or(0));
            self.add(best);
            chosen.push(best);
        }
        chosen
    }

    /// Favours processors far from the chosen ones and with many ports.
    fn worth(&self, processor: ProcessorId) -> f64 {
        let distance = self.nearest[self.task.home(processor).index()];
        (f64::from(distance) + 0.5) * f64::from(self.task.ports[processor.index()])
    }

    fn add(&mut self, processor: ProcessorId) {
        let network = self.task.network;
        let home = self.task.home(processor);
        if self.nearest[home.index()] == 0 {
            return;
        }
        self.nearest[home.index()] = 0;
        self.queue.clear();
        self.queue.push(home);
        let mut at = 0;
        while at < self.queue.len() {
            let router = self.queue[at];
            at += 1;
            let distance = self.nearest[router.index()] + 1;
            for &channel in network.out_channels(router) {
                let head = network.channel(channel).head;
                if self.nearest[head.index()] > distance {
                    self.nearest[head.index()] = distance;
                    self.queue.push(head);
                }
            }
        }
    }
}
