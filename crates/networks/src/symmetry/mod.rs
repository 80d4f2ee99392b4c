//! Automorphisms of a network: renumberings of its routers that preserve its structure. Partition
//! refinement and backtracking, after McKay, Practical Graph Isomorphism, 1981. The order of the
//! group is the product of the orbit sizes of a base, after Schreier and Sims.

mod graph;
mod isomorphism;
mod partition;

pub use isomorphism::{IsomorphismError, Kept, Marked, isomorphism};

use crate::parts::Parts;
use graph::{Colour, Graph};
use partition::{Limit, Partition, Refiner, Trace};
use pavane_model::{Network, Problem, ProcessorId, Renumbering, RouterId};

/// The maximum work of a search: about a second.
const MOST_WORK: u64 = 100_000_000;
/// The maximum number of routers, channels and deliveries, and of entries in all partitions along
/// the base.
const MOST_MEMORY: usize = 4_000_000;

/// The automorphisms of a network: renumberings of its routers that preserve the channels between
/// any two routers, whether they belong to links, and the number of processors on each router. Lost
/// routers are fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetries {
    /// Generators of the group; entry `r` is the image of router `r`.
    pub generators: Vec<Vec<RouterId>>,
    /// For each router, the lowest router in its orbit.
    pub orbits: Vec<RouterId>,
    /// The number of automorphisms, in decimal.
    pub order: String,
}

/// Finds all automorphisms of a network. `None` if the search takes longer than about a second.
pub fn symmetries(network: &Network) -> Option<Symmetries> {
    symmetries_keeping(network, &vec![0; network.router_count()])
}

/// As [`symmetries`], limited to automorphisms that map every router to one with the same mark.
pub fn symmetries_keeping(network: &Network, marks: &[u64]) -> Option<Symmetries> {
    symmetries_keeping_unless(network, marks, &|| false)
}

/// As [`symmetries_keeping`], but also returns `None` if `is_over` interrupts the search.
pub fn symmetries_keeping_unless(
    network: &Network,
    marks: &[u64],
    is_over: &dyn Fn() -> bool,
) -> Option<Symmetries> {
    symmetries_within(network, marks, Limit::new(MOST_WORK, is_over))
}

fn symmetries_within(network: &Network, marks: &[u64], limit: Limit<'_>) -> Option<Symmetries> {
    if network.router_count() + network.channel_count() > MOST_MEMORY {
        return None;
    }
    let graph = Graph::new(network);
    let mut search = AutomorphismSearch::new(&graph, &graph.colours(network, marks), limit)?;
    let order = search.find_all()?;
    let routers = network.router_count() as u32;
    let mut first = vec![u32::MAX; routers as usize];
    let orbits = (0..routers).map(|router| {
        let root = search.orbits.find(router) as usize;
        first[root] = first[root].min(router);
        RouterId(first[root])
    });
    let orbits = orbits.collect();
    let named = |generator: Vec<u32>| generator.into_iter().map(RouterId).collect();
    let generators = search.generators.into_iter().map(named).collect();
    Some(Symmetries { generators, orbits, order: decimal(&order) })
}

/// Generators of the automorphisms that also preserve the origins and destinations of all messages,
/// in each of these phases on one network. `None` if the search takes longer than about a second.
pub fn symmetries_of_messages(phases: &[Problem]) -> Option<Vec<Renumbering>> {
    renumberings(phases, Graph::new)
}

/// As [`symmetries_of_messages`], limited to automorphisms that also preserve the bandwidths of the
/// channels between any two routers, in their order. The caller must check the bandwidths: different
/// ones are told apart by hashes.
pub fn symmetries_of_messages_and_bandwidths(phases: &[Problem]) -> Option<Vec<Renumbering>> {
    renumberings(phases, Graph::with_bandwidths)
}

fn renumberings(phases: &[Problem], graph: fn(&Network) -> Graph) -> Option<Vec<Renumbering>> {
    let network = phases[0].network();
    let sizes = phases.iter().map(|phase| phase.messages().delivery_count());
    if network.router_count() + network.channel_count() + sizes.sum::<usize>() > MOST_MEMORY {
        return None;
    }
    let (graph, colours) = Graph::with_messages(graph(network), phases);
    let mut search = AutomorphismSearch::new(&graph, &colours, Limit::new(MOST_WORK, &|| false))?;
    search.find_all()?;
    let (routers, processors) = (network.router_count(), network.processor_count());
    let named = |generator: &Vec<u32>| Renumbering {
        routers: generator[..routers].iter().map(|&image| RouterId(image)).collect(),
        processors: generator[routers..routers + processors]
            .iter()
            .map(|&image| ProcessorId(image - routers as u32))
            .collect(),
    };
    let moves = |renumbering: &Renumbering| !renumbering.is_identity();
    Some(search.generators.iter().map(named).filter(moves).collect())
}

/// A point of the base, the partition and its cell before the point was individualised, and the
/// trace of the refinement that followed.
struct Level {
    before: Partition,
    cell: u32,
    point: u32,
    trace: Vec<u64>,
}

/// Points that distinguish all points once they are individualised one after the other.
struct Base {
    /// The trace of the first refinement, before any point.
    trace: Vec<u64>,
    levels: Vec<Level>,
    /// The discrete partition at the end.
    last: Partition,
}

impl Base {
    fn find(refiner: &mut Refiner<'_>, colours: &[Colour]) -> Option<Self> {
        let mut partition = Partition::by_colour(colours);
        let mut first = Trace::Record(Vec::new());
        refiner.refine_all(&mut partition, &mut first)?;
        let mut levels: Vec<Level> = Vec::new();
        while let Some(cell) = partition.smallest_cell() {
            if (levels.len() + 1) * partition.len() > MOST_MEMORY {
                return None;
            }
            let before = partition.clone();
            let point = partition.cell(cell)[0];
            let mut trace = Trace::Record(Vec::new());
            refiner.set_apart(&mut partition, point, &mut trace)?;
            levels.push(Level { before, cell, point, trace: trace.into_events() });
        }
        Some(Self { trace: first.into_events(), levels, last: partition })
    }
}

struct AutomorphismSearch<'a> {
    graph: &'a Graph,
    refiner: Refiner<'a>,
    levels: Vec<Level>,
    /// The discrete partition at the end of the base.
    last: Partition,
    generators: Vec<Vec<u32>>,
    orbits: Orbits,
}

impl<'a> AutomorphismSearch<'a> {
    /// Finds a base.
    fn new(graph: &'a Graph, colours: &[Colour], limit: Limit<'a>) -> Option<Self> {
        let mut refiner = Refiner::new(graph, limit);
        let Base { levels, last, .. } = Base::find(&mut refiner, colours)?;
        let orbits = Orbits::new(last.len());
        Some(Self { graph, refiner, levels, last, generators: Vec::new(), orbits })
    }

    /// Finds generators of all automorphisms, and the order of the group.
    fn find_all(&mut self) -> Option<Vec<u32>> {
        let mut order = vec![1];
        for level in (0..self.levels.len()).rev() {
            multiply(&mut order, self.orbit_of_base(level)?);
        }
        Some(order)
    }

    /// The size of the orbit of the base point at `level` under the automorphisms that fix all
    /// earlier base points. Finds these automorphisms; those of later levels must already be known.
    fn orbit_of_base(&mut self, level: usize) -> Option<u32> {
        let Level { before, cell, point, .. } = &self.levels[level];
        let (point, candidates) = (*point, before.cell(*cell).to_vec());
        self.orbits.is_hopeless.fill(false);
        for &candidate in &candidates {
            let root = self.orbits.find(candidate);
            if root == self.orbits.find(point) || self.orbits.is_hopeless[root as usize] {
                continue;
            }
            match self.automorphism(level, candidate)? {
                Some(automorphism) => {
                    for (from, to) in (0..).zip(&automorphism) {
                        self.orbits.join(from, *to);
                    }
                    self.generators.push(automorphism);
                }
                None => self.orbits.is_hopeless[root as usize] = true,
            }
        }
        let home = self.orbits.find(point);
        Some(candidates.iter().filter(|&&c| self.orbits.find(c) == home).count() as u32)
    }

    /// Finds an automorphism that fixes the base points before `level` and maps the one at `level`
    /// to `image`.
    fn automorphism(&mut self, level: usize, image: u32) -> Option<Option<Vec<u32>>> {
        let point = self.levels[level].point;
        if self.graph.is_kept_by_swap(point, image) {
            let mut swap: Vec<u32> = (0..self.last.len() as u32).collect();
            swap.swap(point as usize, image as usize);
            return Some(Some(swap));
        }
        let before = self.levels[level].before.clone();
        self.follow(level, before, image)
    }

    /// Individualises `image` in `partition`, which corresponds to the partition at `level`, and
    /// continues down the base.
    fn follow(
        &mut self,
        level: usize,
        mut partition: Partition,
        image: u32,
    ) -> Option<Option<Vec<u32>>> {
        self.refiner.charge(partition.len() as u64 / 4)?;
        let mut trace = Trace::Compare(&self.levels[level].trace, 0);
        self.refiner.set_apart(&mut partition, image, &mut trace)?;
        if !trace.is_matched() {
            return Some(None);
        }
        let Some(next) = self.levels.get(level + 1) else {
            let automorphism = self.last.mapping_to(&partition);
            self.refiner.charge(self.graph.size() as u64)?;
            return Some(self.graph.is_kept_by(&automorphism).then_some(automorphism));
        };
        let mut candidates = partition.cell(next.cell).to_vec();
        // Trying fixed points first gives automorphisms that move few points.
        if let Some(at) = candidates.iter().position(|&candidate| candidate == next.point) {
            candidates.swap(0, at);
        }
        for candidate in candidates {
            if let Some(found) = self.follow(level + 1, partition.clone(), candidate)? {
                return Some(Some(found));
            }
        }
        Some(None)
    }
}

/// The orbits known so far.
struct Orbits {
    parts: Parts,
    /// For the representative of an orbit, whether no point of the orbit is an image of the current
    /// base point.
    is_hopeless: Vec<bool>,
}

impl Orbits {
    fn new(points: usize) -> Self {
        Self { parts: Parts::new(points as u32), is_hopeless: vec![false; points] }
    }

    fn find(&mut self, point: u32) -> u32 {
        self.parts.find(point)
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parts.join(a, b);
        self.is_hopeless[b as usize] |= self.is_hopeless[a as usize];
    }
}

/// Multiplies a number stored in words of nine decimal digits, lowest first.
fn multiply(number: &mut Vec<u32>, factor: u32) {
    let mut carry = 0;
    for word in number.iter_mut() {
        let product = u64::from(*word) * u64::from(factor) + carry;
        *word = (product % 1_000_000_000) as u32;
        carry = product / 1_000_000_000;
    }
    if carry > 0 {
        number.push(carry as u32);
    }
}

fn decimal(number: &[u32]) -> String {
    let mut words = number.iter().rev();
    let first = words.next().map(u32::to_string).unwrap_or_default();
    words.fold(first, |text, word| format!("{text}{word:09}"))
}

#[cfg(test)]
mod tests;
