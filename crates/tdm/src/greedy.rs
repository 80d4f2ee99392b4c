//! A first schedule in little time and memory: every word has one route, chosen so that the channels
//! are evenly loaded, and takes the first start at which its route is free. Long routes come first, and
//! before them words that must start in a window.

mod sparse;

use self::sparse::SparseStarts;
use crate::reach::set_range;
use crate::windows::StartWindows;
use pavane_model::tdm::{TdmMessage, Word};
use pavane_model::{ChannelId, Network, ProcessorId, RouterId, TdmProblem};
use pavane_search::{Interrupt, Rng};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Blocks of 64 slots in all rows above which a period is not tried.
const MOST_BLOCKS: usize = 1 << 26;
/// Parts of the messages of a processor between which the loads are looked at.
const PARTS: usize = 8;
/// How often all routes are chosen again after the first time, with the loads of all others known.
const PASSES: usize = 3;
/// If no route has more hops and there are more words, their order does not depend on their hops.
const NEAR: u32 = 2;
const MANY: usize = 50_000;
/// Words between two polls of the interrupt.
const POLL: usize = 256;

/// The words of a problem with one route each.
#[derive(Debug)]
pub(crate) struct GreedyWords<'a> {
    problem: &'a TdmProblem,
    /// The words in the order of the messages.
    words: Vec<GreedyWord>,
    /// The order in which they are placed.
    order: Vec<u32>,
    /// The channels of all routes, one route after the other.
    channels: Vec<ChannelId>,
    /// The most routes over one channel.
    pub busiest: u32,
}

/// A word of a message and its route.
#[derive(Debug, Clone, Copy)]
struct GreedyWord {
    message: u32,
    /// Which word of the message it is.
    number: u32,
    first: u32,
    hops: u32,
}

/// What came of a period.
#[derive(Debug)]
pub(crate) enum GreedyResult {
    /// All words have a start.
    Found(Vec<Word>),
    /// A word has no free start.
    Tight,
    /// No start of a word meets its demanded latency, or the table of slots is too large.
    Unsuitable,
    /// The interrupt was raised.
    Stopped,
}

impl<'a> GreedyWords<'a> {
    /// Chooses the routes. `None` if the interrupt is raised or there are too many hops.
    pub fn new(problem: &'a TdmProblem, rng: &mut Rng, interrupt: &Interrupt) -> Option<Self> {
        let network = problem.network();
        let mut loads = vec![0u32; network.channel_count()];
        let (mut words, mut channels) = (Vec::new(), Vec::new());
        let messages = problem.messages();
        let mut number = 0;
        let mut has_choice = false;
        for group in messages.chunk_by(|one, other| one.from == other.from) {
            let tree = DistanceTree::new(network, network.home(group[0].from)?);
            has_choice |= tree.has_choice;
            for part in group.chunks(group.len().div_ceil(tree.parts())) {
                if interrupt.is_raised() {
                    return None;
                }
                let last = tree.cheapest(network, &loads);
                for message in part {
                    let target = network.home(message.to)?;
                    for word in 0..message.weight {
                        let first = u32::try_from(channels.len()).ok()?;
                        trace(network, &last, target, &mut loads, &mut channels);
                        let hops = channels.len() as u32 - first;
                        words.push(GreedyWord { message: number, number: word, first, hops });
                    }
                    number += 1;
                }
            }
        }
        for _ in 0..if has_choice { PASSES } else { 0 } {
            balance(problem, &words, &mut channels, &mut loads, interrupt)?;
        }
        let busiest = loads.into_iter().max().unwrap_or(0);
        let mut order: Vec<u32> = (0..u32::try_from(words.len()).ok()?).collect();
        rng.shuffle(&mut order);
        // In a large star, the words of the centre are short and would find no slots after all others, so that
        // every word would have to be placed again.
        let is_near = words.len() > MANY && words.iter().all(|word| word.hops <= NEAR);
        let key = |number: u32| {
            let word = &words[number as usize];
            let is_urgent = messages[word.message as usize].max_latency.is_some();
            (!is_urgent, Reverse(if is_near { 0 } else { word.hops }))
        };
        order.sort_by_cached_key(|&number| key(number));
        Some(Self { problem, words, order, channels, busiest })
    }

    /// Places all words within a period.
    pub fn at(&self, period: u32, interrupt: &Interrupt) -> GreedyResult {
        if let Some(rows) = FreeStarts::new(self.problem, period) {
            return self.place(rows, period, interrupt);
        }
        let uses = self.channels.len() as u64 + 2 * self.words.len() as u64;
        match SparseStarts::new(self.problem, period, uses, self.busiest_row()) {
            Some(rows) => self.place(rows, period, interrupt),
            None => GreedyResult::Unsuitable,
        }
    }

    /// The most words over one channel or port.
    fn busiest_row(&self) -> u64 {
        let processors = self.problem.network().processor_count();
        let mut ports = vec![0u64; 2 * processors];
        for message in self.problem.messages() {
            ports[message.from.index()] += u64::from(message.weight);
            ports[processors + message.to.index()] += u64::from(message.weight);
        }
        ports.into_iter().max().unwrap_or(0).max(self.busiest.into())
    }

    fn place(&self, mut rows: impl Starts, period: u32, interrupt: &Interrupt) -> GreedyResult {
        let mut starts = vec![0; self.words.len()];
        // Where the last word of a message on the same route found a free start: slots do not become free
        // again.
        let mut blocks: HashMap<(u32, &[ChannelId]), usize> = HashMap::new();
        for (at, &number) in self.order.iter().enumerate() {
            let word = &self.words[number as usize];
            if at % POLL == 0 && interrupt.is_raised() {
                return GreedyResult::Stopped;
            }
            let message = &self.problem.messages()[word.message as usize];
            let windows = StartWindows::new(self.problem.rules(), message, period, word.hops);
            let window = windows.and_then(|windows| windows.window(word.number));
            let Some((first, count)) = window else { return GreedyResult::Unsuitable };
            rows.look_at(self.problem, message, self.path(word));
            let is_repeated = message.weight > 1 && message.max_latency.is_none();
            let key = (word.message, self.path(word));
            let from = if is_repeated { blocks.get(&key).copied().unwrap_or(0) } else { 0 };
            let Some(start) = rows.first_free(first, count, from) else {
                return GreedyResult::Tight;
            };
            if is_repeated {
                blocks.insert(key, start as usize / 64);
            }
            rows.occupy(start);
            starts[number as usize] = start;
        }
        let placed = |(word, &start): (&GreedyWord, &u32)| {
            let message = &self.problem.messages()[word.message as usize];
            let path = self.path(word).to_vec();
            Word { from: message.from, to: message.to, start, path }
        };
        let mut words: Vec<Word> = self.words.iter().zip(&starts).map(placed).collect();
        for message in words.chunk_by_mut(|one, other| (one.from, one.to) == (other.from, other.to))
        {
            message.sort_by_key(|word| word.start);
        }
        GreedyResult::Found(words)
    }

    fn path(&self, word: &GreedyWord) -> &[ChannelId] {
        &self.channels[word.first as usize..][..word.hops as usize]
    }
}

/// Chooses all routes again, one part of the messages of a processor after the other. The words are in the
/// order of the messages.
fn balance(
    problem: &TdmProblem,
    words: &[GreedyWord],
    channels: &mut [ChannelId],
    loads: &mut [u32],
    interrupt: &Interrupt,
) -> Option<()> {
    let (network, messages) = (problem.network(), problem.messages());
    let mut route = Vec::new();
    for group in words.chunk_by(|one, other| {
        messages[one.message as usize].from == messages[other.message as usize].from
    }) {
        let source = messages[group[0].message as usize].from;
        let tree = DistanceTree::new(network, network.home(source)?);
        if !tree.has_choice {
            continue;
        }
        for part in group.chunks(group.len().div_ceil(tree.parts())) {
            if interrupt.is_raised() {
                return None;
            }
            for word in part {
                for channel in &channels[word.first as usize..][..word.hops as usize] {
                    loads[channel.index()] -= 1;
                }
            }
            let last = tree.cheapest(network, loads);
            for word in part {
                let target = network.home(messages[word.message as usize].to)?;
                route.clear();
                trace(network, &last, target, loads, &mut route);
                channels[word.first as usize..][..word.hops as usize].copy_from_slice(&route);
            }
        }
    }
    Some(())
}

/// Adds the route to `target` along the last channels of the cheapest routes.
fn trace(
    network: &Network,
    last: &[Option<ChannelId>],
    target: RouterId,
    loads: &mut [u32],
    channels: &mut Vec<ChannelId>,
) {
    let first = channels.len();
    let mut at = target;
    while let Some(channel) = last[at.index()] {
        loads[channel.index()] += 1;
        channels.push(channel);
        at = network.channel(channel).tail;
    }
    channels[first..].reverse();
}

/// The shortest routes from a source.
struct DistanceTree {
    /// The routers by distance, from the source on.
    order: Vec<RouterId>,
    /// The hops of shortest routes, in the order of the routers that they leave.
    hops: Vec<ChannelId>,
    /// Whether a router has several shortest routes.
    has_choice: bool,
}

impl DistanceTree {
    fn new(network: &Network, source: RouterId) -> Self {
        let distances = network.distances_from(source);
        let is_reached = |router: &RouterId| distances[router.index()] != u32::MAX;
        let mut order: Vec<RouterId> = network.routers().filter(is_reached).collect();
        order.sort_by_key(|router| distances[router.index()]);
        let farthest = order.last().map_or(0, |router| distances[router.index()]);
        let mut hops = Vec::new();
        for &router in &order {
            let next = distances[router.index()] + 1;
            if next > farthest {
                break;
            }
            let heads = network.out_channels(router).iter().zip(network.successors(router));
            let leads_on = |(_, head): &(&ChannelId, &RouterId)| distances[head.index()] == next;
            hops.extend(heads.filter(leads_on).map(|(&channel, _)| channel));
        }
        let has_choice = hops.len() >= order.len();
        Self { order, hops, has_choice }
    }

    /// Parts of the messages of the source between which the loads are looked at.
    fn parts(&self) -> usize {
        if self.has_choice { PARTS } else { 1 }
    }

    /// The last channel to every router on the shortest route whose channels are least busy: the sum of
    /// the squares of their loads is least.
    fn cheapest(&self, network: &Network, loads: &[u32]) -> Vec<Option<ChannelId>> {
        let mut prices = vec![u128::MAX; network.router_count()];
        let mut last = vec![None; network.router_count()];
        prices[self.order[0].index()] = 0;
        for &channel in &self.hops {
            let (tail, head) =
                (network.channel(channel).tail, network.channel(channel).head.index());
            let load = u128::from(loads[channel.index()]) + 1;
            let price = prices[tail.index()] + load * load;
            if price < prices[head] {
                (prices[head], last[head]) = (price, Some(channel));
            }
        }
        last
    }
}

/// What first fit asks about the words that are placed.
trait Starts {
    /// Makes a word the current one.
    fn look_at(&mut self, problem: &TdmProblem, message: &TdmMessage, path: &[ChannelId]);

    /// The first free start of the current word within `count` slots from `first`, modulo the period, and
    /// not before a block of 64 slots.
    fn first_free(&self, first: u32, count: u32, from: usize) -> Option<u32>;

    /// Marks the slots of the current word.
    fn occupy(&mut self, start: u32);
}

/// The rows that a word uses, in order.
fn rows_of(
    problem: &TdmProblem,
    message: &TdmMessage,
    path: &[ChannelId],
) -> impl Iterator<Item = usize> {
    let channels = problem.network().channel_count();
    let port = move |processor: ProcessorId, side: usize| channels + 2 * processor.index() + side;
    let hops = path.iter().map(|channel| channel.index());
    [port(message.from, 0)].into_iter().chain(hops).chain([port(message.to, 1)])
}

/// For every channel and port, the starts of a use that would overlap another one. A row is stored more
/// than twice, so that a view from any offset is a shifted copy.
struct FreeStarts {
    period: u32,
    phits: u32,
    depth: u32,
    blocks: usize,
    stride: usize,
    bits: Vec<u64>,
    /// The rows of the current word and the slots from its start until it uses them.
    uses: Vec<(usize, u32)>,
}

impl FreeStarts {
    fn new(problem: &TdmProblem, period: u32) -> Option<Self> {
        let (network, rules) = (problem.network(), problem.rules());
        let rows = network.channel_count() + 2 * network.processor_count();
        let blocks = (period as usize).div_ceil(64);
        let stride = (period as usize + 64 * blocks).div_ceil(64) + 1;
        let is_small = rows.saturating_mul(stride) <= MOST_BLOCKS && rules.phits <= period;
        is_small.then(|| Self {
            period,
            phits: rules.phits,
            depth: rules.depth,
            blocks,
            stride,
            bits: vec![0; rows * stride],
            uses: Vec::new(),
        })
    }
}

impl Starts for FreeStarts {
    fn look_at(&mut self, problem: &TdmProblem, message: &TdmMessage, path: &[ChannelId]) {
        self.uses.clear();
        for (at, row) in rows_of(problem, message, path).enumerate() {
            let slots = u64::from(self.depth) * at as u64 % u64::from(self.period);
            self.uses.push((row, slots as u32));
        }
    }

    fn first_free(&self, first: u32, count: u32, from: usize) -> Option<u32> {
        let end = u64::from(first) + u64::from(count);
        let wrapped = end.saturating_sub(self.period.into());
        let is_allowed = |start: u32| {
            let start = u64::from(start);
            start >= u64::from(first) && start < end || start < wrapped
        };
        for block in from..self.blocks {
            let mut free = u64::MAX;
            for &(row, offset) in &self.uses {
                let (at, bit) = (row * self.stride + offset as usize / 64 + block, offset % 64);
                free &= !(self.bits[at] >> bit | self.bits[at + 1] << 1 << (63 - bit));
                if free == 0 {
                    break;
                }
            }
            while free != 0 {
                let start = (64 * block) as u32 + free.trailing_zeros();
                if start >= self.period {
                    break;
                }
                if is_allowed(start) {
                    return Some(start);
                }
                free &= free - 1;
            }
        }
        None
    }

    fn occupy(&mut self, start: u32) {
        let period = self.period as usize;
        let width = (2 * self.phits as usize - 1).min(period);
        for &(row, offset) in &self.uses {
            let slot = (start as usize + offset as usize) % period;
            let first = (slot + period - (self.phits as usize - 1)) % period;
            let row = &mut self.bits[row * self.stride..][..self.stride];
            // All copies, and the one that begins before the row does.
            if first + width > period {
                set_range(row, 0, first + width - period);
            }
            let last = period + 64 * self.blocks;
            for copy in (first..last).step_by(period) {
                set_range(row, copy, (copy + width).min(last));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use pavane_model::tdm::{TdmDemand, TdmRules};

    #[test]
    fn lists_of_uses_give_the_same_starts_as_tables_of_slots() {
        for (spec, phits, period) in [("ring:6", 3, 40), ("mesh:3x3", 1, 16), ("torus:3x4", 5, 200)]
        {
            let network = pavane_networks::topology::build(spec).unwrap();
            for wraps in [true, false] {
                let rules = TdmRules { phits, wraps, depth: 2, ..TdmRules::default() };
                let demand = TdmDemand::AllToAll;
                let problem = TdmProblem::new(network.clone(), demand, rules, 1000).unwrap();
                let words = GreedyWords::new(&problem, &mut Rng::stream(1, 1), &Interrupt::never());
                let (words, never) = (words.unwrap(), Interrupt::never());
                for period in period..period + 30 {
                    let dense = FreeStarts::new(&problem, period).unwrap();
                    let sparse = SparseStarts::new(&problem, period, 1, 1).unwrap();
                    let [one, other] =
                        [words.place(dense, period, &never), words.place(sparse, period, &never)]
                            .map(|result| match result {
                                GreedyResult::Found(words) => Some(words),
                                _ => None,
                            });
                    assert_eq!(one, other, "{spec} {period}");
                }
            }
        }
    }

    #[test]
    fn the_routes_of_first_fit_are_balanced() {
        // The second number is the least possible load of the busiest channel, by a cut or the mean.
        for (spec, least) in [("mesh:8x8", 128), ("torus:8x8", 64), ("hypercube:5", 16)] {
            let network = pavane_networks::topology::build(spec).unwrap();
            let rules = TdmRules::default();
            let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 10_000).unwrap();
            let mut rng = Rng::stream(1, 1);
            let words = GreedyWords::new(&problem, &mut rng, &Interrupt::never()).unwrap();
            assert!((least..=least + least / 8).contains(&words.busiest), "{spec} {words:?}");
        }
    }
}
