//! Shortest paths, or paths with a bounded detour, within one step: every processor searches for the
//! cheapest path back to a holder, layer by layer, and may evict other processors from their
//! channels.

use super::one_message::{OneMessage, Send};
use super::step_router::StepRouter;
use super::way_back::{Blocks, WayBack};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, Duplex, ProcessorId, RouterId};

/// Marks a channel that is not in use.
const FREE: u32 = u32::MAX;

/// One step: a path for every served processor, without conflicts.
pub(super) struct EvictingRouter<'a> {
    task: &'a OneMessage<'a>,
    way_back: WayBack<'a>,
    is_holder: Vec<bool>,
    is_wanted: Vec<bool>,
    /// By channel: the processor served over it; under half duplex, over its link.
    occupant: Vec<u32>,
    /// By processor: the sender that serves it, and the path; meaningless for processors in the
    /// pool.
    from: Vec<ProcessorId>,
    path: Vec<Vec<ChannelId>>,
    /// By processor: the processors it serves.
    serves: Vec<Vec<ProcessorId>>,
    /// By processor: eviction cost; grows each time serving it evicts others.
    weight: Vec<f32>,
    /// The processors that are not served.
    pool: Vec<ProcessorId>,
}

impl<'a> EvictingRouter<'a> {
    pub fn new(task: &'a OneMessage<'a>) -> Self {
        let processors = task.network.processor_count();
        Self {
            task,
            way_back: WayBack::new(task),
            is_holder: vec![false; processors],
            is_wanted: vec![false; processors],
            occupant: vec![FREE; task.network.channel_count()],
            from: vec![task.origin; processors],
            path: vec![Vec::new(); processors],
            serves: vec![Vec::new(); processors],
            weight: vec![1.0; processors],
            pool: Vec::new(),
        }
    }

    fn mark(&mut self, channel: ChannelId, occupant: u32) {
        self.occupant[channel.index()] = occupant;
        if self.task.problem.model().duplex == Duplex::Half
            && let Some(other) = self.task.network.opposite(channel)
        {
            self.occupant[other.index()] = occupant;
        }
    }

    /// Removes the path of a served processor and puts the processor into the pool.
    fn evict(&mut self, processor: ProcessorId) {
        let path = std::mem::take(&mut self.path[processor.index()]);
        for &channel in &path {
            self.mark(channel, FREE);
        }
        let serves = &mut self.serves[self.from[processor.index()].index()];
        let at = serves.iter().position(|&p| p == processor).expect("its sender serves it");
        serves.swap_remove(at);
        self.pool.push(processor);
    }

    /// Serves one processor and evicts others where necessary.
    fn insert(&mut self, processor: ProcessorId, rng: &mut Rng) {
        let blocks = Blocks {
            is_holder: &self.is_holder,
            serves: &self.serves,
            occupant: &self.occupant,
            weight: &self.weight,
        };
        let Some((start, path)) = self.way_back.find(processor, &blocks, rng) else {
            self.pool.push(processor);
            return;
        };
        let mut has_pushed = false;
        for &channel in &path {
            let occupant = self.occupant[channel.index()];
            if occupant != FREE {
                self.evict(ProcessorId(occupant));
                has_pushed = true;
            }
        }
        let from = self.holder_on(start);
        if self.serves[from.index()].len() as u32 >= self.task.ports[from.index()] {
            let victim = self.serves[from.index()][rng.below(self.serves[from.index()].len())];
            self.evict(victim);
            has_pushed = true;
        }
        if has_pushed {
            self.weight[processor.index()] += WEIGHT_STEP;
        }
        for &channel in &path {
            self.mark(channel, processor.0);
        }
        self.serves[from.index()].push(processor);
        self.from[processor.index()] = from;
        self.path[processor.index()] = path;
    }

    /// The holder on this router with the most free ports.
    fn holder_on(&self, router: RouterId) -> ProcessorId {
        let holders = self.task.network.residents(router).iter().copied();
        let load = |p: &ProcessorId| {
            self.serves[p.index()].len() as i64 - i64::from(self.task.ports[p.index()])
        };
        let holders = holders.filter(|p| self.is_holder[p.index()]);
        holders.min_by_key(load).expect("every way back ends at a holder")
    }
}

/// Weight that a processor gains when it evicts others.
const WEIGHT_STEP: f32 = 0.05;

impl StepRouter for EvictingRouter<'_> {
    fn clear(&mut self) {
        self.is_holder.fill(false);
        self.is_wanted.fill(false);
        self.occupant.fill(FREE);
        self.weight.fill(1.0);
        self.serves.iter_mut().for_each(Vec::clear);
        self.path.iter_mut().for_each(Vec::clear);
        self.pool.clear();
    }

    fn add_holder(&mut self, processor: ProcessorId) {
        self.is_holder[processor.index()] = true;
    }

    fn remove_holder(&mut self, processor: ProcessorId) {
        self.is_holder[processor.index()] = false;
        while let Some(&served) = self.serves[processor.index()].last() {
            self.evict(served);
        }
    }

    fn add_wanted(&mut self, processor: ProcessorId) {
        self.is_wanted[processor.index()] = true;
        self.pool.push(processor);
    }

    fn remove_wanted(&mut self, processor: ProcessorId) {
        self.is_wanted[processor.index()] = false;
        if self.pool.iter().all(|&p| p != processor) {
            self.evict(processor);
        }
        self.pool.retain(|&p| p != processor);
    }

    fn serve(&mut self, budget: &mut Budget, rng: &mut Rng) {
        rng.shuffle(&mut self.pool);
        let mut fewest = self.pool.len();
        let patience = 20 + 4 * self.pool.len();
        let mut idle = 0;
        while !self.pool.is_empty() && idle < patience && budget.spend(1) {
            let at = rng.below(self.pool.len());
            let processor = self.pool.swap_remove(at);
            self.insert(processor, rng);
            idle += 1;
            if self.pool.len() < fewest {
                fewest = self.pool.len();
                idle = 0;
            }
        }
    }

    fn unserved(&self) -> Vec<ProcessorId> {
        self.pool.clone()
    }

    fn load(&self, holder: ProcessorId) -> u32 {
        self.serves[holder.index()].len() as u32
    }

    fn sends(&mut self) -> Vec<Send> {
        let all = (0..self.is_wanted.len() as u32).map(ProcessorId);
        all.filter(|p| self.is_wanted[p.index()])
            .map(|to| {
                let (from, path) = (self.from[to.index()], self.path[to.index()].clone());
                Send { from, to, path }
            })
            .collect()
    }
}
