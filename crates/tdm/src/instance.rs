//! A TDM problem with a period, modulo a symmetry. Channels and ports become *rows* of slots, one per
//! orbit. Each message orbit has a graph of its allowed routes; every edge uses a row at a fixed
//! distance from the start of the word.

use crate::phases::Phases;
use crate::symmetry::Symmetry;
use crate::windows::StartWindows;
use pavane_model::tdm::{TdmMessage, TdmRules, Word};
use pavane_model::{ChannelId, Network, ProcessorId, RouterId, Routing, TdmProblem};
use pavane_search::Interrupt;
use rustc_hash::FxHashMap;

/// Detours that a search uses if any route is allowed.
const MOST_DETOUR: u32 = 4;
/// Blocks of the slot table above which a period is not searched.
const MOST_BLOCKS: usize = 1 << 22;
/// Edges of all route graphs above which detours are not used, and above which there is no instance.
const MANY_EDGES: usize = 20_000_000;
const MOST_EDGES: usize = 60_000_000;
/// Messages between two polls of the interrupt.
const POLL: usize = 1024;

/// The use of a row by a word, in eight bytes because searches read little else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// Block of the slot table that a word which starts in slot 0 uses.
    pub block: u32,
    /// The bit in the block, and the node before the edge.
    bit_and_from: u32,
}

/// Bits for the bit in a block.
const BIT_SIZE: u32 = 6;

impl Edge {
    fn new(from: u32, block: u32, bit: u32) -> Self {
        Self { block, bit_and_from: from << BIT_SIZE | bit }
    }

    #[inline]
    pub fn from(self) -> usize {
        (self.bit_and_from >> BIT_SIZE) as usize
    }

    #[inline]
    pub fn bit(self) -> u32 {
        self.bit_and_from % (1 << BIT_SIZE)
    }
}

/// A router after a number of hops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The router; `None` for the start and the end.
    pub router: Option<RouterId>,
    pub hops: u32,
}

/// The routes of one message orbit. Node 0 is the start, the last node the end; edges lead to higher
/// nodes.
#[derive(Debug, Clone)]
pub(crate) struct Routes {
    /// The edges sorted by the node they enter.
    pub edges: Vec<Edge>,
    /// The channels of the edges; `None` for a port.
    pub channels: Vec<Option<ChannelId>>,
    /// The edges that enter node `v` are those from `ends[v - 1]` to `ends[v]`.
    pub ends: Vec<u32>,
    pub nodes: Vec<Node>,
    /// The fewest hops.
    pub hops: u32,
}

/// One word to place: an orbit of words of the problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    /// Index of its routes.
    pub routes: u32,
    /// The first start that is allowed, and how many are, modulo the period.
    pub first: u32,
    pub count: u32,
    /// Whether the starts hold for shortest routes only, because a latency is demanded.
    pub is_urgent: bool,
    /// Whether the word stands for its reverse too.
    pub is_mirrored: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Instance {
    /// The period and the length of a word, in units.
    pub period: u32,
    pub phits: u32,
    pub rules: TdmRules,
    /// How many slots are a unit, and where words start in one.
    pub phases: Phases,
    /// Blocks of 64 slots in a period.
    pub blocks: usize,
    /// Blocks of a row in the slot table.
    pub stride: usize,
    /// The slots of a row repeat after this many.
    pub moduli: Vec<u32>,
    pub routes: Vec<Routes>,
    /// The sender and the receiver of each of `routes`.
    pub pairs: Vec<(ProcessorId, ProcessorId)>,
    pub items: Vec<Item>,
    /// How reversed words use the rows, if the symmetry reverses time.
    pub mirror: Option<Mirror>,
    /// Whether a word may conflict with itself or its own images.
    pub has_self_conflicts: bool,
    /// Whether walks in the route graphs may visit a router twice.
    pub has_detours: bool,
}

/// A placed word: the slot of its start, and its route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    pub start: u32,
    pub path: Vec<ChannelId>,
}

/// The row of a channel or port and how much earlier its orbit representative is used.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: u32,
    back: u32,
}

impl Instance {
    /// With the length of a word as the unit of time, if the period and the symmetry suit that. `None` if the
    /// period does not suit the symmetry, a message cannot meet its latency, the instance is too large or the
    /// interrupt is raised.
    pub fn new(
        problem: &TdmProblem,
        symmetry: &Symmetry,
        period: u32,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let phases = Phases::of(problem).filter(|phases| phases.suit(problem, symmetry, period));
        let phases = phases.unwrap_or_else(Phases::single);
        Self::with_phases(problem, symmetry, period, phases, interrupt)
    }

    /// The same with single slots as units, so that words may start in any of them.
    pub fn in_slots(
        problem: &TdmProblem,
        symmetry: &Symmetry,
        period: u32,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        Self::with_phases(problem, symmetry, period, Phases::single(), interrupt)
    }

    fn with_phases(
        problem: &TdmProblem,
        symmetry: &Symmetry,
        slots: u32,
        phases: Phases,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        if !slots.is_multiple_of(symmetry.parts) {
            return None;
        }
        let rules = problem.rules();
        let unit = phases.unit;
        let (period, phits) = (slots / unit, rules.phits / unit);
        let mut rows = Rows { symmetry, period, phits, moduli: Vec::new() };
        let network = problem.network();
        let channels = rows.places(network.channel_count(), |member, at| {
            symmetry.members[member].channels[at].index()
        })?;
        let image = |member: usize, at: usize| symmetry.members[member].processors[at].index();
        let injection = rows.places(network.processor_count(), image)?;
        let ejection = rows.places(network.processor_count(), image)?;
        let moduli = rows.moduli;
        let mirror = match symmetry.opposites.as_deref() {
            None => None,
            Some(opposites) => {
                let last = period.checked_sub(phits)?;
                let mut mirror = Mirror::new(&moduli, last);
                for (&place, opposite) in channels.iter().zip(opposites) {
                    mirror.join(place, channels[opposite.index()])?;
                }
                for (&one, &other) in injection.iter().zip(&ejection) {
                    mirror.join(one, other)?;
                    mirror.join(other, one)?;
                }
                Some(mirror)
            }
        };
        let blocks = (period as usize).div_ceil(64);
        // Every row is stored more than twice, so that a view from any offset is a shifted copy.
        let stride = (period as usize + 64 * blocks).div_ceil(64) + 1;
        if moduli.len().saturating_mul(stride) > MOST_BLOCKS {
            return None;
        }
        let mut builder =
            RouteBuilder::new(problem, &phases, (period, stride), channels, injection, ejection);
        let (mut routes, mut pairs, mut items) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_seen = vec![false; problem.messages().len()];
        let index = |from: ProcessorId, to: ProcessorId| {
            problem.messages().binary_search_by_key(&(from, to), |m| (m.from, m.to)).ok()
        };
        for (at, message) in problem.messages().iter().enumerate() {
            if at % POLL == 0 && interrupt.is_raised() {
                return None;
            }
            if is_seen[at] {
                continue;
            }
            let mut images = 0;
            for member in &symmetry.members {
                let from = member.processors[message.from.index()];
                let to = member.processors[message.to.index()];
                let image = index(from, to)?;
                images += usize::from(!std::mem::replace(&mut is_seen[image], true));
            }
            if images != symmetry.order() {
                return None;
            }
            // The reverse of a message may be one of its images: then nothing is mirrored.
            let mut is_mirrored = false;
            if mirror.is_some() {
                for member in &symmetry.members {
                    let from = member.processors[message.from.index()];
                    let to = member.processors[message.to.index()];
                    let image = index(to, from)?;
                    is_mirrored |= !std::mem::replace(&mut is_seen[image], true);
                }
            }
            let of_message = builder.routes(message.from, message.to)?;
            let number = routes.len() as u32;
            let first = items.len();
            let phase = phases.at(network.home(message.from)?);
            let windows = StartWindows::new(rules, message, slots, of_message.hops)?;
            add_items(message, windows, (phase, unit), number, &mut items)?;
            items[first..].iter_mut().for_each(|item| item.is_mirrored = is_mirrored);
            routes.push(of_message);
            pairs.push((message.from, message.to));
        }
        let longest = routes.iter().map(|routes| routes.ends.len() as u64).max().unwrap_or(0);
        // Without shifts, the uses of a word in one row are at least one hop apart.
        let is_shifted = symmetry.members.iter().any(|member| member.shift > 0);
        let has_self_conflicts = mirror.is_some()
            || symmetry.order() > 1 && (is_shifted || unit == 1 && rules.phits > rules.depth)
            || u64::from(rules.depth) * longest + u64::from(rules.phits) > u64::from(slots);
        Some(Self {
            period,
            phits,
            rules,
            phases,
            blocks,
            stride,
            moduli,
            routes,
            pairs,
            items,
            mirror,
            has_self_conflicts,
            has_detours: rules.routing != Routing::Minimal,
        })
    }

    /// The slots of a period.
    pub fn slots(&self) -> u32 {
        self.period * self.phases.unit
    }

    /// The slot in which a word starts that starts in a unit.
    pub fn slot(&self, item: u32, unit: u32) -> u32 {
        unit * self.phases.unit + self.phase(item)
    }

    /// The unit in which a word starts that starts in a slot; `None` if it is not in phase.
    pub fn unit(&self, item: u32, slot: u32) -> Option<u32> {
        let after = slot.checked_sub(self.phase(item))?;
        after.is_multiple_of(self.phases.unit).then_some(after / self.phases.unit)
    }

    fn phase(&self, item: u32) -> u32 {
        let routes = &self.routes[self.items[item as usize].routes as usize];
        routes.nodes[1].router.map_or(0, |router| self.phases.at(router))
    }

    /// The words of the whole problem.
    pub fn expand(&self, symmetry: &Symmetry, placements: &[Placement]) -> Vec<Word> {
        let mut words = Vec::with_capacity(placements.len() * symmetry.order());
        let period = self.slots();
        for (item, placement) in self.items.iter().zip(placements) {
            let (from, to) = self.pairs[item.routes as usize];
            for member in &symmetry.members {
                let shift = symmetry.shift(member, period);
                let start = (u64::from(placement.start) + u64::from(shift)) % u64::from(period);
                words.push(Word {
                    from: member.processors[from.index()],
                    to: member.processors[to.index()],
                    start: start as u32,
                    path: placement.path.iter().map(|c| member.channels[c.index()]).collect(),
                });
                if let (true, Some(opposites)) = (item.is_mirrored, &symmetry.opposites) {
                    words.push(self.reversed(&words[words.len() - 1], opposites));
                }
            }
        }
        words.sort_by_key(|word| (word.from, word.to, word.start));
        words
    }
}

impl Instance {
    /// The word that takes the same way back, in reversed time.
    fn reversed(&self, word: &Word, opposites: &[ChannelId]) -> Word {
        let (period, rules) = (u64::from(self.period), self.rules);
        let end = u64::from(word.start) + u64::from(rules.depth) * (word.path.len() as u64 + 1);
        let start = (2 * period - u64::from(rules.phits) - end % period) % period;
        Word {
            from: word.to,
            to: word.from,
            start: start as u32,
            path: word.path.iter().rev().map(|channel| opposites[channel.index()]).collect(),
        }
    }
}

/// The rows and slots of reversed words: a use of a row becomes a use of another one, and the sum of both
/// slots is the same for all slots of a row.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    last: u32,
    moduli: Vec<u32>,
    /// Per row, the other row and the sum.
    rows: Vec<Option<(u32, u32)>>,
}

impl Mirror {
    fn new(moduli: &[u32], last: u32) -> Self {
        Self { last, moduli: moduli.to_vec(), rows: vec![None; moduli.len()] }
    }

    /// The uses of one place are mirrored at another one. Fails if the rows do not agree on that.
    fn join(&mut self, one: Place, other: Place) -> Option<()> {
        let modulus = self.moduli[one.row as usize];
        let sum = u64::from(self.last) + u64::from(one.back) + u64::from(other.back);
        let entry = (other.row, (sum % u64::from(modulus)) as u32);
        let is_equal = modulus == self.moduli[other.row as usize];
        (is_equal && *self.rows[one.row as usize].get_or_insert(entry) == entry).then_some(())
    }

    /// The mirrored use.
    pub fn image(&self, (row, slot): (u32, u32)) -> (u32, u32) {
        let (other, sum) = self.rows[row as usize].unwrap_or((row, 0));
        let modulus = self.moduli[row as usize];
        (other, (sum + modulus - slot) % modulus)
    }
}

/// Adds the words of a message with the units in which they may start.
fn add_items(
    message: &TdmMessage,
    windows: StartWindows,
    (phase, unit): (u32, u32),
    routes: u32,
    items: &mut Vec<Item>,
) -> Option<()> {
    for word in 0..message.weight {
        let (first, count) = windows.window(word)?;
        // Only windows without demanded latencies, which begin with the first slot, have longer units.
        let count = count.checked_sub(phase)?.div_ceil(unit);
        let is_urgent = message.max_latency.is_some();
        items.push(Item { routes, first, count, is_urgent, is_mirrored: false });
    }
    (message.weight == 0 || items.last()?.count > 0).then_some(())
}

/// Assigns rows to orbits.
struct Rows<'a> {
    symmetry: &'a Symmetry,
    period: u32,
    phits: u32,
    moduli: Vec<u32>,
}

impl Rows<'_> {
    /// The places of things numbered from 0, moved by `image(member, thing)`. `None` if a thing would
    /// be used by two images of a word at the same time.
    fn places(
        &mut self,
        count: usize,
        image: impl Fn(usize, usize) -> usize,
    ) -> Option<Vec<Place>> {
        let mut places: Vec<Option<Place>> = vec![None; count];
        for thing in 0..count {
            if places[thing].is_some() {
                continue;
            }
            let row = self.moduli.len() as u32;
            let mut stabiliser = 0;
            for (number, member) in self.symmetry.members.iter().enumerate() {
                let shift = self.symmetry.shift(member, self.period);
                let moved = image(number, thing);
                stabiliser += u32::from(moved == thing);
                // The row is in the time of `thing`; its image is used later by the shift.
                let place = Place { row, back: (self.period - shift) % self.period };
                places[moved].get_or_insert(place);
            }
            let modulus = self.period / stabiliser;
            let is_free = self.symmetry.members.iter().enumerate().all(|(number, member)| {
                let shift = self.symmetry.shift(member, self.period);
                number == 0
                    || image(number, thing) != thing
                    || shift > 0 && shift.is_multiple_of(modulus)
            });
            if !is_free || modulus < self.phits {
                return None;
            }
            self.moduli.push(modulus);
        }
        places.into_iter().collect()
    }
}

/// Builds the graphs of allowed routes.
struct RouteBuilder<'a> {
    problem: &'a TdmProblem,
    network: &'a Network,
    phases: &'a Phases,
    period: u32,
    stride: usize,
    channels: Vec<Place>,
    injection: Vec<Place>,
    ejection: Vec<Place>,
    distances: FxHashMap<RouterId, Vec<u32>>,
    edges: usize,
}

impl<'a> RouteBuilder<'a> {
    fn new(
        problem: &'a TdmProblem,
        phases: &'a Phases,
        (period, stride): (u32, usize),
        channels: Vec<Place>,
        injection: Vec<Place>,
        ejection: Vec<Place>,
    ) -> Self {
        let distances = FxHashMap::default();
        let network = problem.network();
        let edges = 0;
        Self {
            problem,
            network,
            phases,
            period,
            stride,
            channels,
            injection,
            ejection,
            distances,
            edges,
        }
    }

    /// The use of a place after a number of hops by a word that starts in a phase.
    fn edge(&self, from: u32, phase: u32, hops: u32, place: Place) -> Edge {
        let slots = u64::from(phase) + u64::from(self.problem.rules().depth) * u64::from(hops);
        let units = slots / u64::from(self.phases.unit);
        let offset = ((units + u64::from(place.back)) % u64::from(self.period)) as u32;
        Edge::new(from, place.row * self.stride as u32 + offset / 64, offset % 64)
    }

    /// The routes between two processors; nodes are routers at a number of hops.
    fn routes(&mut self, from: ProcessorId, to: ProcessorId) -> Option<Routes> {
        let (source, target) = (self.network.home(from)?, self.network.home(to)?);
        let network = self.network;
        let distances =
            self.distances.entry(target).or_insert_with(|| network.distances_to(target));
        let hops = distances[source.index()];
        let detour = match self.problem.rules().routing {
            Routing::Minimal => 0,
            Routing::Any => MOST_DETOUR,
            Routing::Detour(most) => most.min(MOST_DETOUR),
        };
        let detour = if self.edges > MANY_EDGES { 0 } else { detour };
        if self.edges > MOST_EDGES {
            return None;
        }
        let distances = &self.distances[&target];
        let injection = self.injection[from.index()];
        let phase = self.phases.at(source);
        let first = self.edge(0, phase, 0, injection);
        let (mut edges, mut channels, mut ends) = (vec![first], vec![None], vec![0, 1]);
        let mut last_edges = Vec::new();
        let mut layer: Vec<(RouterId, u32)> = vec![(source, 1)];
        let mut nodes =
            vec![Node { router: None, hops: 0 }, Node { router: Some(source), hops: 0 }];
        for hop in 0..=hops + detour {
            let mut next: Vec<(RouterId, ChannelId, Edge)> = Vec::new();
            for &(router, node) in &layer {
                if router == target {
                    let place = self.ejection[to.index()];
                    last_edges.push(self.edge(node, phase, hop + 1, place));
                    continue;
                }
                for &channel in network.out_channels(router) {
                    let head = network.channel(channel).head;
                    let rest = distances[head.index()];
                    if rest == u32::MAX || hop + 1 + rest > hops + detour || head == source {
                        continue;
                    }
                    let place = self.channels[channel.index()];
                    next.push((head, channel, self.edge(node, phase, hop + 1, place)));
                }
            }
            next.sort_by_key(|(head, channel, edge)| (*head, edge.from(), *channel));
            layer.clear();
            for group in next.chunk_by(|one, other| one.0 == other.0) {
                edges.extend(group.iter().map(|(_, _, edge)| *edge));
                channels.extend(group.iter().map(|(_, channel, _)| Some(*channel)));
                ends.push(edges.len() as u32);
                layer.push((group[0].0, nodes.len() as u32));
                nodes.push(Node { router: Some(group[0].0), hops: hop + 1 });
            }
        }
        edges.extend(last_edges);
        channels.resize(edges.len(), None);
        ends.push(edges.len() as u32);
        nodes.push(Node { router: None, hops });
        self.edges += edges.len();
        Some(Routes { edges, channels, ends, nodes, hops })
    }
}

/// The edges of a path in a route graph.
pub(crate) fn edges_of(routes: &Routes, path: &[ChannelId]) -> Option<Vec<u32>> {
    // Backwards from the last node: a node and a channel into it name one edge.
    let mut node = routes.ends.len() - 1;
    let mut found: Vec<u32> = Vec::new();
    let channels = path.iter().rev().map(|&channel| Some(channel));
    for channel in std::iter::once(None).chain(channels).chain([None]) {
        let mut edges = routes.ends[node.checked_sub(1)?]..routes.ends[node];
        let edge = edges.find(|&number| {
            let depth = routes.nodes[routes.edges[number as usize].from()].hops as usize;
            let is_last = found.is_empty();
            routes.channels[number as usize] == channel && (!is_last || depth == path.len())
        })?;
        found.push(edge);
        node = routes.edges[edge as usize].from();
    }
    found.reverse();
    (node == 0).then_some(found)
}
