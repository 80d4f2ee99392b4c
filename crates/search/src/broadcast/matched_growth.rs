//! Grows the set of processors that hold the message as fast as possible, under store-and-forward.
//! In every step a matching of holders with neighbours chooses the receivers; those that have many
//! processors without the message around them come first.

use super::one_message::OneMessage;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, ProcessorId};

/// Longest augmenting path of a matching.
const LONGEST_PATH: u32 = 64;

/// Greatest distance up to which processors without the message are counted.
const FARTHEST: usize = 4;

/// A processor that receives the message.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrowthPlace {
    pub processor: ProcessorId,
    pub parent: ProcessorId,
    /// `None` if the parent has the same home.
    pub channel: Option<ChannelId>,
    pub step: u32,
}

/// The processors from which each processor can receive, and the other way round.
pub(super) struct Neighbours {
    sources: Vec<Vec<(ProcessorId, Option<ChannelId>)>>,
    targets: Vec<Vec<ProcessorId>>,
}

impl Neighbours {
    pub fn new(task: &OneMessage<'_>) -> Self {
        let network = task.network;
        let mut sources = vec![Vec::new(); network.processor_count()];
        let mut targets = vec![Vec::new(); network.processor_count()];
        for &processor in &task.candidates {
            let home = task.home(processor);
            let channels = network.in_channels(home).iter().copied().map(Some).chain([None]);
            for channel in channels {
                let from = channel.map_or(home, |channel| network.channel(channel).tail);
                for &parent in network.residents(from) {
                    if parent != processor && task.ports[parent.index()] > 0 {
                        sources[processor.index()].push((parent, channel));
                        targets[parent.index()].push(processor);
                    }
                }
            }
        }
        Self { sources, targets }
    }

    /// The processors that receive the message in at most `steps` steps, earliest first.
    pub fn grow(
        &self,
        task: &OneMessage<'_>,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Vec<GrowthPlace> {
        let mut growth = Growth {
            neighbours: self,
            task,
            is_holder: vec![false; self.sources.len()],
            seen: vec![0; self.sources.len()],
            stamp: 0,
            children: vec![Vec::new(); self.sources.len()],
        };
        growth.is_holder[task.origin.index()] = true;
        // The farther processors count, the less the nearest matter.
        let (farthest, decay) = (1 + rng.below(FARTHEST), 0.3 + 0.7 * rng.unit());
        let noise = 0.5 + 1.5 * rng.unit();
        let mut all = Vec::new();
        for step in 1..=steps {
            let open = task.candidates.iter().copied().filter(|&p| growth.is_reachable(p));
            let open: Vec<ProcessorId> = open.collect();
            if open.is_empty() || !budget.spend(open.len() as u64) {
                break;
            }
            let mut order: Vec<(f64, ProcessorId)> = Vec::with_capacity(open.len());
            for processor in open {
                let weight = growth.open_around(processor, farthest, decay);
                order.push((weight + noise * rng.unit(), processor));
            }
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            growth.match_with_holders(&order, step, &mut all);
        }
        all
    }
}

struct Growth<'a> {
    neighbours: &'a Neighbours,
    task: &'a OneMessage<'a>,
    is_holder: Vec<bool>,
    /// The last search that saw each processor.
    seen: Vec<u32>,
    stamp: u32,
    /// By holder: the receivers of this step that it is matched with.
    children: Vec<Vec<(ProcessorId, Option<ChannelId>)>>,
}

impl Growth<'_> {
    /// Whether a processor without the message has a neighbour with it.
    fn is_reachable(&self, processor: ProcessorId) -> bool {
        let sources = &self.neighbours.sources[processor.index()];
        !self.is_holder[processor.index()]
            && sources.iter().any(|(parent, _)| self.is_holder[parent.index()])
    }

    /// The processors without the message around a processor, weighted by their distance.
    fn open_around(&mut self, processor: ProcessorId, farthest: usize, decay: f64) -> f64 {
        self.stamp += 1;
        self.seen[processor.index()] = self.stamp;
        let (mut front, mut next) = (vec![processor], Vec::new());
        let (mut total, mut factor) = (0.0, 1.0);
        for _ in 0..farthest {
            for at in front.drain(..) {
                for &to in &self.neighbours.targets[at.index()] {
                    let is_new = !self.is_holder[to.index()] && self.seen[to.index()] != self.stamp;
                    if is_new {
                        self.seen[to.index()] = self.stamp;
                        next.push(to);
                    }
                }
            }
            total += factor * next.len() as f64;
            factor *= decay;
            std::mem::swap(&mut front, &mut next);
        }
        total
    }

    /// Matches processors with holders, in this order; a processor that is matched once stays so.
    fn match_with_holders(
        &mut self,
        order: &[(f64, ProcessorId)],
        step: u32,
        all: &mut Vec<GrowthPlace>,
    ) {
        let mut used = Vec::new();
        for &(_, processor) in order {
            self.stamp += 1;
            self.find_parent(processor, LONGEST_PATH, &mut used);
        }
        for parent in used {
            for (processor, channel) in std::mem::take(&mut self.children[parent.index()]) {
                self.is_holder[processor.index()] = true;
                all.push(GrowthPlace { processor, parent, channel, step });
            }
        }
    }

    /// Finds an augmenting path from a processor; `used` collects holders that have receivers.
    fn find_parent(
        &mut self,
        processor: ProcessorId,
        length: u32,
        used: &mut Vec<ProcessorId>,
    ) -> bool {
        let neighbours = self.neighbours;
        for &(parent, channel) in &neighbours.sources[processor.index()] {
            let is_open = self.is_holder[parent.index()] && self.seen[parent.index()] != self.stamp;
            if !is_open {
                continue;
            }
            self.seen[parent.index()] = self.stamp;
            let matched = self.children[parent.index()].len();
            if matched < self.task.ports[parent.index()] as usize {
                if matched == 0 {
                    used.push(parent);
                }
                self.children[parent.index()].push((processor, channel));
                return true;
            }
            for at in 0..matched {
                let (child, _) = self.children[parent.index()][at];
                if length > 0 && self.find_parent(child, length - 1, used) {
                    self.children[parent.index()][at] = (processor, channel);
                    return true;
                }
            }
        }
        false
    }
}
