//! What all individuals of a store-and-forward problem share: the paths of every delivery, the
//! processor that passes each message on at each router, and the counting of channel use.

use crate::chromosome::path_table::PathTable;
use crate::chromosome::rows::{Grid, Rows};
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, RouterId};
use std::ops::Range;

/// How the steps of a path are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEncoding {
    /// A step for every channel, within the window that the rest of the path leaves. If `at_once`,
    /// the first channel is always used in the first step, where ports allow that.
    Window {
        /// Whether every path starts in the first step.
        at_once: bool,
    },
    /// Only a start step; the channels follow without waiting. The older encoding.
    Start,
}

/// A hop of a path and its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub hop: u32,
    pub step: u32,
}

/// Memory limit for the counts of one individual, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// Whether the counts of an individual of a store-and-forward problem fit into memory, for an
/// estimate of the number of steps.
pub fn can_count_hops(problem: &Problem) -> bool {
    let (messages, network) = (problem.messages(), problem.network());
    let several = messages.ids().filter(|&message| !messages.is_personalised(message)).count();
    let hops = network.channel_count() + network.processor_count();
    let steps = 16 + 4 * messages.delivery_count() / network.channel_count().max(1);
    let counts = several.saturating_mul(hops).saturating_mul(steps);
    let most = messages.ids().map(|message| messages.destinations(message).len()).max();
    counts.saturating_mul(size_of::<u16>()) <= MOST_BYTES && most <= Some(u16::MAX.into())
}

/// No entry.
const NONE: u32 = u32::MAX;

/// What all individuals of a problem share.
#[derive(Debug)]
pub struct StoreAndForwardGenome<'a> {
    pub(super) problem: &'a Problem,
    pub(super) paths: &'a PathTable,
    pub(super) steps: u32,
    pub(super) timing: StepEncoding,
    pub(super) rows: Rows,
    pub(super) deliveries: Vec<Delivery>,
    /// By gene: the index of its first component; and the end of the last.
    pub(super) firsts: Vec<u32>,
    /// Places of the longest path.
    pub(super) width: usize,
    /// How many hops longer than the shortest path a path may become by joining others.
    stretch: u32,
    /// By message: its row in the tables below if it has several destinations, else `NONE`.
    several: Vec<u32>,
    /// By multi-destination message and router: the processor that takes the message there and
    /// passes it on.
    posts: Vec<ProcessorId>,
    /// By multi-destination message and router: the gene that delivers to that processor, if it
    /// wants the message.
    post_genes: Vec<u32>,
    has_ports: bool,
    /// Number of different hops of a message: channels, and transfers between residents of a
    /// router.
    hop_count: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Delivery {
    pub message: MessageId,
    pub to: ProcessorId,
    pub first_path: u32,
    pub path_count: u32,
    /// Whether it ends with a hop between two residents of the last router.
    pub is_local: bool,
    /// Hops of its shortest path.
    pub shortest: u32,
    /// Hops of its longest path that fits into the steps.
    pub longest: u32,
    /// Whether its first channel has to be used in the first step.
    pub is_at_once: bool,
}

impl<'a> StoreAndForwardGenome<'a> {
    /// For a store-and-forward problem, or a wormhole problem scheduled that way. Returns `None` if
    /// some delivery has no path that fits into the steps, or if the counts would need too much
    /// memory.
    pub fn new(
        problem: &'a Problem,
        steps: u32,
        paths: &'a PathTable,
        timing: StepEncoding,
    ) -> Option<Self> {
        let network = problem.network();
        let is_fat = network.routers().any(|r| network.residents(r).len() > 1);
        let locals = if is_fat { network.processor_count() } else { 0 };
        let rows = Rows::new(problem);
        let mut genome = Self {
            problem,
            paths,
            steps,
            timing,
            has_ports: network.living_processors().any(|p| rows.is_watched(p)),
            rows,
            deliveries: Vec::new(),
            firsts: vec![0],
            width: 0,
            stretch: 0,
            several: Vec::new(),
            posts: Vec::new(),
            post_genes: Vec::new(),
            hop_count: network.channel_count() + locals,
        };
        genome.choose_posts();
        if genome.use_count() * size_of::<u16>() > MOST_BYTES {
            return None;
        }
        let messages = problem.messages();
        for message in messages.ids() {
            for &to in messages.destinations(message) {
                let delivery = genome.delivery(message, to)?;
                genome.add_delivery(delivery);
            }
        }
        Some(genome)
    }

    /// The same, but paths may become up to `stretch` hops longer than the shortest when they join
    /// others. Routing rules permit this, because every hop is a path of its own. Such a path is
    /// not in the path table; it is read as the table entry next to it.
    pub fn stretching(mut self, stretch: u32) -> Self {
        self.stretch = stretch;
        let lengths = (0..self.deliveries.len()).map(|gene| self.most_hops(gene));
        self.width = lengths.max().unwrap_or(0) as usize;
        self
    }

    /// Maximum hops of a gene's path.
    pub(super) fn most_hops(&self, gene: usize) -> u32 {
        let delivery = &self.deliveries[gene];
        let stretch = if self.is_for_several(delivery.message) { self.stretch } else { 0 };
        delivery.longest.max(delivery.shortest.saturating_add(stretch).min(self.steps))
    }

    /// On every router, chooses one resident that takes the message and passes it to the others
    /// there, preferably one that wants it.
    fn choose_posts(&mut self) {
        let (network, messages) = (self.problem.network(), self.problem.messages());
        let mut rows = 0;
        for message in messages.ids() {
            if messages.is_personalised(message) {
                self.several.push(NONE);
                continue;
            }
            self.several.push(rows);
            rows += 1;
            let mut posts: Vec<ProcessorId> = network
                .routers()
                .map(|router| {
                    let residents = network.residents(router);
                    // Rotation spreads the work over the residents.
                    let turn = message.index() % residents.len().max(1);
                    residents.get(turn).copied().unwrap_or(ProcessorId(NONE))
                })
                .collect();
            let mut is_wanted = vec![false; network.processor_count()];
            for &to in messages.destinations(message) {
                is_wanted[to.index()] = true;
            }
            for &to in messages.destinations(message) {
                let post = &mut posts[self.problem.home(to).index()];
                if !is_wanted[post.index()] {
                    *post = to;
                }
            }
            let origin = messages.origin(message);
            posts[self.problem.home(origin).index()] = origin;
            self.posts.extend(posts);
        }
        self.post_genes = vec![NONE; self.posts.len()];
    }

    /// The processor that takes a message at a router.
    pub(super) fn post(&self, message: MessageId, router: RouterId) -> ProcessorId {
        let network = self.problem.network();
        match self.several[message.index()] {
            NONE => {
                let messages = self.problem.messages();
                let ends = [messages.origin(message), messages.destinations(message)[0]];
                let residents = network.residents(router);
                let turn = residents[message.index() % residents.len()];
                *ends.iter().find(|&&end| self.problem.home(end) == router).unwrap_or(&turn)
            }
            row => self.posts[row as usize * network.router_count() + router.index()],
        }
    }

    /// The gene that delivers a multi-destination message to the processor that takes it at a
    /// router.
    pub(super) fn post_gene(&self, message: MessageId, router: RouterId) -> Option<usize> {
        let row = self.several[message.index()] as usize;
        let routers = self.problem.network().router_count();
        let gene = *self.post_genes.get(row * routers + router.index())?;
        (gene != NONE).then_some(gene as usize)
    }

    /// Whether a message has several destinations, so that its paths may share channels.
    pub(super) fn is_for_several(&self, message: MessageId) -> bool {
        self.several[message.index()] != NONE
    }

    fn delivery(&self, message: MessageId, to: ProcessorId) -> Option<Delivery> {
        let problem = self.problem;
        let origin = problem.messages().origin(message);
        let home = problem.home(to);
        let numbers = self.paths.between(problem.home(origin), home);
        let is_local = self.post(message, home) != to;
        let local = u32::from(is_local);
        let lengths = numbers.clone().map(|number| self.paths.path(number).len() as u32 + local);
        let shortest = lengths.clone().min()?;
        let longest = lengths.filter(|&length| length <= self.steps).max()?;
        let is_slim = problem.network().residents(problem.home(origin)).len() == 1;
        let has_all_ports = problem.send_ports(origin) as usize
            >= problem.network().out_channels(problem.home(origin)).len();
        let is_at_once = matches!(self.timing, StepEncoding::Window { at_once: true })
            && self.is_for_several(message)
            && is_slim
            && has_all_ports;
        Some(Delivery {
            message,
            to,
            first_path: numbers.start,
            path_count: numbers.len() as u32,
            is_local,
            shortest,
            longest,
            is_at_once,
        })
    }

    fn add_delivery(&mut self, delivery: Delivery) {
        let gene = self.deliveries.len() as u32;
        let Delivery { message, to, longest, .. } = delivery;
        if !delivery.is_local && self.is_for_several(message) {
            let routers = self.problem.network().router_count();
            let row = self.several[message.index()] as usize;
            self.post_genes[row * routers + self.problem.home(to).index()] = gene;
        }
        let steps = match self.timing {
            StepEncoding::Window { .. } => longest,
            StepEncoding::Start => 1,
        };
        self.firsts.push(self.firsts[gene as usize] + 1 + steps);
        self.width = self.width.max(longest as usize);
        self.deliveries.push(delivery);
    }

    /// The indices of a gene's components.
    pub(super) fn components(&self, gene: usize) -> Range<usize> {
        self.firsts[gene] as usize..self.firsts[gene + 1] as usize
    }

    /// The hops of a gene's path with this number, or of the next one that fits into the steps.
    pub(super) fn hops(&self, gene: usize, path: u32, hops: &mut Vec<u32>) {
        let delivery = &self.deliveries[gene];
        let local = usize::from(delivery.is_local);
        for more in 0..delivery.path_count {
            let number = (path + more) % delivery.path_count;
            let channels = self.paths.path(delivery.first_path + number);
            if channels.len() + local <= self.steps as usize {
                hops.clear();
                hops.extend(channels.iter().map(|channel| channel.0));
                if delivery.is_local {
                    hops.push(self.local_hop(delivery.to));
                }
                return;
            }
        }
    }

    /// The hop to a resident from the processor that takes the message at its home.
    fn local_hop(&self, to: ProcessorId) -> u32 {
        self.problem.network().channel_count() as u32 + to.0
    }

    /// The channel of a hop; `None` for a hop within a router.
    pub(super) fn channel(&self, hop: u32) -> Option<ChannelId> {
        let is_channel = (hop as usize) < self.problem.network().channel_count();
        is_channel.then_some(ChannelId(hop))
    }

    /// The sender and the receiver of a hop of a message.
    pub(super) fn ends(&self, message: MessageId, hop: u32) -> (ProcessorId, ProcessorId) {
        match self.channel(hop) {
            Some(channel) => {
                let channel = self.problem.network().channel(channel);
                (self.post(message, channel.tail), self.post(message, channel.head))
            }
            None => {
                let to = ProcessorId(hop - self.problem.network().channel_count() as u32);
                (self.post(message, self.problem.home(to)), to)
            }
        }
    }

    /// The number of use counters.
    pub(super) fn use_count(&self) -> usize {
        let several = self.several.iter().filter(|&&row| row != NONE).count();
        several.saturating_mul(self.hop_count).saturating_mul(self.steps as usize)
    }

    /// The counter for the uses of a hop in a step by a multi-destination message.
    pub(super) fn use_slot(&self, message: MessageId, place: Place) -> Option<usize> {
        let row = self.several[message.index()];
        let hop = row as usize * self.hop_count + place.hop as usize;
        (row != NONE).then(|| hop * self.steps as usize + place.step as usize)
    }

    /// Adds a hop of a message to the counts, or removes it.
    pub(super) fn count(&self, grid: &mut Grid, message: MessageId, place: Place, is_in: bool) {
        let mut count =
            |row| if is_in { grid.add(place.step, row) } else { grid.remove(place.step, row) };
        if let Some(channel) = self.channel(place.hop) {
            count(self.rows.channel(channel));
        }
        if self.has_ports {
            let (from, to) = self.ends(message, place.hop);
            count(self.rows.send(from));
            count(self.rows.receive(to));
        }
    }
}
