//! The graph whose automorphisms are searched. The weight between two routers counts the channels
//! that belong to links and those that do not, and may also depend on their bandwidths. Processors and messages are additional points.

use pavane_model::{Channel, ChannelId, Network, Problem, RouterId};
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The weight of a channel that belongs to a link; any other channel has weight 1.
const LINKED: u64 = 1 << 32;

/// Added to the number of processors in the colour of a switch that copies.
const MULTICAST: u64 = 1 << 40;

/// A property of a point that every automorphism preserves.
pub type Colour = (u64, u64);

/// Points, routers first, and the weights between them by rows.
#[derive(Debug)]
pub struct Graph {
    leaving: Vec<Vec<(u32, u64)>>,
    entering: Vec<Vec<(u32, u64)>>,
}

impl Graph {
    /// The graph of a network.
    pub fn new(network: &Network) -> Self {
        let weight = |channel| if network.opposite(channel).is_some() { LINKED } else { 1 };
        Self::weighted(network, &weight)
    }

    /// The graph of a network, in which weights depend on bandwidths: those of parallel channels in
    /// their order.
    pub fn with_bandwidths(network: &Network) -> Self {
        let mut counts: FxHashMap<(RouterId, RouterId), u32> = FxHashMap::default();
        let mut rank = |ends: &Channel| {
            let count = counts.entry((ends.tail, ends.head)).or_default();
            *count += 1;
            *count
        };
        let ranks: Vec<u32> = network.channels().iter().map(&mut rank).collect();
        let bandwidth = |channel| network.timing(channel).bandwidth_gbytes.map(f64::to_bits);
        let weight = |channel| {
            let opposite = network.opposite(channel).map(bandwidth);
            let mut hash = DefaultHasher::new();
            (ranks[channel.index()], bandwidth(channel), opposite).hash(&mut hash);
            // Few enough bits that the weights of parallel channels can be added up.
            (hash.finish() >> 24) + 1
        };
        Self::weighted(network, &weight)
    }

    fn weighted(network: &Network, weight: &dyn Fn(ChannelId) -> u64) -> Self {
        let row = |ends: Vec<(u32, u64)>| {
            let mut row: Vec<(u32, u64)> = Vec::with_capacity(ends.len());
            for (end, weight) in ends {
                match row.last_mut() {
                    Some(last) if last.0 == end => last.1 += weight,
                    _ => row.push((end, weight)),
                }
            }
            row
        };
        let rows = |ends_of: &dyn Fn(pavane_model::RouterId) -> Vec<(u32, u64)>| {
            let sorted = |router| {
                let mut ends = ends_of(router);
                ends.sort_unstable();
                row(ends)
            };
            network.routers().map(sorted).collect()
        };
        Self {
            leaving: rows(&|router| {
                let channels = network.out_channels(router).iter();
                channels.map(|&c| (network.channel(c).head.0, weight(c))).collect()
            }),
            entering: rows(&|router| {
                let channels = network.in_channels(router).iter();
                channels.map(|&c| (network.channel(c).tail.0, weight(c))).collect()
            }),
        }
    }

    /// The graph of some points with these weights from point to point, in any order. Weights between the
    /// same two points are added.
    pub fn of_weights(points: usize, weights: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        let mut graph = Self { leaving: Vec::new(), entering: Vec::new() };
        graph.grow(points);
        for (from, to, weight) in weights {
            graph.leaving[from as usize].push((to, weight));
            graph.entering[to as usize].push((from, weight));
        }
        for row in graph.leaving.iter_mut().chain(&mut graph.entering) {
            row.sort_unstable();
            *row = row
                .chunk_by(|one, other| one.0 == other.0)
                .map(|same| {
                    let sum = same.iter().fold(0, |sum: u64, entry| sum.wrapping_add(entry.1));
                    (same[0].0, sum)
                })
                .collect();
        }
        graph
    }

    /// The graph of a network with messages, and the colours of all points. The processors follow
    /// the routers, and the messages of all phases follow the processors. Each message is joined to
    /// its origin and its destinations. `graph` is that of the network.
    pub fn with_messages(mut graph: Self, phases: &[Problem]) -> (Self, Vec<Colour>) {
        let network = phases[0].network();
        let mut colours = graph.colours(network, &vec![0; network.router_count()]);
        let first = network.router_count() as u32;
        let lost = |processor| (LINKED, processor);
        colours.extend((0..network.processor_count() as u64).map(lost));
        graph.grow(colours.len());
        for router in network.routers() {
            for processor in network.residents(router) {
                colours[(first + processor.0) as usize] = (LINKED + 1, 0);
                graph.join(first + processor.0, router.0);
            }
        }
        let living = network.living_processors().count();
        for (phase, problem) in (2..).zip(phases) {
            let messages = problem.messages();
            for message in messages.ids() {
                let (point, to) = (colours.len() as u32, messages.destinations(message));
                let is_for_all = to.len() + 1 == living;
                colours.push((LINKED + phase, u64::from(is_for_all)));
                graph.grow(colours.len());
                graph.join(first + messages.origin(message).0, point);
                if !is_for_all {
                    to.iter().for_each(|processor| graph.join(point, first + processor.0));
                }
            }
        }
        graph.leaving.iter_mut().chain(&mut graph.entering).for_each(|row| row.sort_unstable());
        (graph, colours)
    }

    fn grow(&mut self, points: usize) {
        self.leaving.resize_with(points, Vec::new);
        self.entering.resize_with(points, Vec::new);
    }

    fn join(&mut self, from: u32, to: u32) {
        self.leaving[from as usize].push((to, 1));
        self.entering[to as usize].push((from, 1));
    }

    /// The colour of each router: its mark, and its number of processors or whether it copies.
    /// Every lost router has a colour of its own.
    pub fn colours(&self, network: &Network, marks: &[u64]) -> Vec<Colour> {
        let colour = |router: RouterId| {
            if network.is_lost(router) {
                u64::MAX - u64::from(router.0)
            } else if network.is_multicast(router) {
                MULTICAST
            } else {
                network.residents(router).len() as u64
            }
        };
        network.routers().map(|router| (colour(router), marks[router.index()])).collect()
    }

    /// The number of points and of weighted pairs.
    pub fn size(&self) -> usize {
        self.leaving.len() + self.leaving.iter().map(Vec::len).sum::<usize>()
    }

    /// The points that a point has weights to.
    pub fn leaving(&self, point: u32) -> &[(u32, u64)] {
        &self.leaving[point as usize]
    }

    /// The points that have weights to a point.
    pub fn entering(&self, point: u32) -> &[(u32, u64)] {
        &self.entering[point as usize]
    }

    /// The number of points.
    pub fn point_count(&self) -> usize {
        self.leaving.len()
    }

    /// Whether a renumbering of the points preserves all weights.
    pub fn is_kept_by(&self, image: &[u32]) -> bool {
        self.is_mapped_to(self, image)
    }

    /// Whether a map of the points to those of another graph preserves all weights.
    pub fn is_mapped_to(&self, other: &Self, image: &[u32]) -> bool {
        let mut mapped: Vec<(u32, u64)> = Vec::new();
        self.leaving.iter().zip(image).all(|(row, &to)| {
            mapped.clear();
            mapped.extend(row.iter().map(|&(end, weight)| (image[end as usize], weight)));
            mapped.sort_unstable();
            mapped == other.leaving[to as usize]
        })
    }

    /// Whether swapping two points of the same colour preserves all weights.
    pub fn is_kept_by_swap(&self, a: u32, b: u32) -> bool {
        let is_alike = |one: &[(u32, u64)], other: &[(u32, u64)]| {
            let weight_of = |row: &[(u32, u64)], end: u32| {
                row.binary_search_by_key(&end, |entry| entry.0).map(|at| row[at].1).ok()
            };
            one.len() == other.len()
                && weight_of(one, b) == weight_of(other, a)
                && one.iter().filter(|entry| entry.0 != b).eq(other.iter().filter(|e| e.0 != a))
        };
        is_alike(self.leaving(a), self.leaving(b)) && is_alike(self.entering(a), self.entering(b))
    }
}
