//! The rows of the grid: a numbering of everything that the transfers of a step compete for. The
//! channels come first (under half duplex, both channels of a link share a row), then the ports,
//! one row each.

mod folded;

use crate::budget::Interrupt;
use pavane_model::{
    Channel, ChannelId, Duplex, MessageId, Problem, ProcessorId, RouterId, Routing, Switching,
};
use std::ops::Range;

/// Memory limit for the table of distances, in bytes. Above it, rows are computed when needed.
const DISTANCE_BYTES: usize = 256 << 20;

/// Price of a port. Messages cannot choose their ports, so it only adds to their weights.
const PORT_PRICE: f32 = 0.5;

/// Detours are only useful if one in this many channel uses is to spare.
const DETOUR_SHARE: u64 = 50;

/// Channel prices count as even if the highest is at most this many times the lowest.
const EVEN: f32 = 1.1;

/// The rows of the grid and the distances for one problem of personalised messages.
pub(super) struct Layout<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Number of rows.
    pub rows: usize,
    /// Price of each row, per use.
    pub price: Vec<f32>,
    row_of_channel: Vec<u32>,
    send_rows: Vec<Range<u32>>,
    receive_rows: Vec<Range<u32>>,
    distances: Distances,
    /// The processors of the messages that take only ports.
    inner: Vec<ProcessorId>,
}

impl<'a> Layout<'a> {
    /// Numbers the rows; `price` has one entry per channel. On interrupt, distances are not stored.
    pub fn new(problem: &'a Problem, price: &[f64], interrupt: &Interrupt) -> Self {
        let network = problem.network();
        let channels = network.channel_count();
        let half = problem.model().duplex == Duplex::Half;
        let row_of_channel = (0..channels as u32)
            .map(|channel| match network.opposite(ChannelId(channel)) {
                Some(other) if half => channel.min(other.0),
                _ => channel,
            })
            .collect();
        let mut layout = Self {
            problem,
            rows: channels,
            price: price.iter().map(|&price| price as f32).collect(),
            row_of_channel,
            send_rows: Vec::new(),
            receive_rows: Vec::new(),
            distances: Distances::new(problem, interrupt),
            inner: Vec::new(),
        };
        layout.number_ports();
        layout
    }

    /// Adds messages from the given processors to themselves, numbered after those of the problem.
    /// They take a port at each end and no channel: if a processor stands for all those of a router,
    /// they are the messages between them.
    pub fn with_inner(self, inner: Vec<ProcessorId>) -> Self {
        Self { inner, ..self }
    }

    /// Number of messages, those that take only ports included.
    pub fn message_count(&self) -> usize {
        self.problem.messages().len() + self.inner.len()
    }

    /// Whether a message takes only ports.
    pub fn is_inner(&self, message: u32) -> bool {
        message as usize >= self.problem.messages().len()
    }

    /// Whether a channel is unusable in a folded layout because the images of a transfer on it
    /// would collide.
    pub fn is_blocked(&self, channel: u32) -> bool {
        let row = self.row_of_channel.get(channel as usize);
        row.is_some_and(|&row| self.price[row as usize].is_infinite())
    }

    /// Gives rows to ports only where the channels around the processor do not already limit it.
    fn number_ports(&mut self) {
        let problem = self.problem;
        let processors = problem.network().processor_count();
        let mut traffic = vec![Traffic::default(); processors];
        for message in problem.messages().ids() {
            let (from, to) = self.ends(message);
            let is_local = problem.home(from) == problem.home(to);
            traffic[from.index()].sent += 1;
            traffic[to.index()].received += 1;
            traffic[from.index()].has_local |= is_local;
            traffic[to.index()].has_local |= is_local;
        }
        for (p, traffic) in traffic.iter().enumerate() {
            let processor = ProcessorId(p as u32);
            let Some(home) = problem.network().home(processor) else {
                self.send_rows.push(0..0);
                self.receive_rows.push(0..0);
                continue;
            };
            let out_degree = problem.network().out_channels(home).len() as u32;
            let in_degree = problem.network().in_channels(home).len() as u32;
            let send = self.port_rows(
                traffic.sent,
                out_degree,
                problem.send_ports(processor),
                traffic.has_local,
            );
            let receive = self.port_rows(
                traffic.received,
                in_degree,
                problem.receive_ports(processor),
                traffic.has_local,
            );
            self.send_rows.push(send);
            self.receive_rows.push(receive);
        }
        self.price.resize(self.rows, PORT_PRICE);
    }

    fn port_rows(&mut self, messages: u32, degree: u32, ports: u32, has_local: bool) -> Range<u32> {
        // Under store-and-forward, a processor also forwards messages of others.
        let messages = match self.problem.model().switching {
            Switching::Wormhole => messages,
            Switching::StoreAndForward => self.problem.messages().delivery_count() as u32,
        };
        // A processor never uses more ports at once than it has messages.
        let needed =
            if has_local || ports < degree.min(messages) { ports.min(messages) } else { 0 };
        let first = self.rows as u32;
        self.rows += needed as usize;
        first..first + needed
    }

    /// Origin and destination of a message.
    pub fn ends(&self, message: MessageId) -> (ProcessorId, ProcessorId) {
        let messages = self.problem.messages();
        match message.index().checked_sub(messages.len()) {
            None => (messages.origin(message), messages.destinations(message)[0]),
            Some(at) => (self.inner[at], self.inner[at]),
        }
    }

    /// The row of a channel or port, given its resource number.
    pub fn row(&self, resource: u32) -> u32 {
        self.row_of_channel.get(resource as usize).copied().unwrap_or(resource)
    }

    /// Whether a resource number in a path is a channel, not a port.
    pub fn is_channel(&self, resource: u32) -> bool {
        (resource as usize) < self.row_of_channel.len()
    }

    /// The ends of a channel.
    pub fn channel(&self, channel: u32) -> Channel {
        self.problem.network().channel(ChannelId(channel))
    }

    /// Rows of a processor's send ports; empty if its channels already limit it.
    pub fn send_rows(&self, processor: ProcessorId) -> Range<u32> {
        self.send_rows[processor.index()].clone()
    }

    /// Rows of a processor's receive ports; empty if its channels already limit it.
    pub fn receive_rows(&self, processor: ProcessorId) -> Range<u32> {
        self.receive_rows[processor.index()].clone()
    }

    /// Whether all channels have about the same price.
    pub fn is_even(&self) -> bool {
        let channels = &self.price[..self.row_of_channel.len()];
        let least = channels.iter().copied().fold(f32::INFINITY, f32::min);
        channels.iter().all(|&price| price <= EVEN * least)
    }

    /// Price of the ports of a message at both ends.
    pub fn port_price(&self, from: ProcessorId, to: ProcessorId) -> f32 {
        let watched = [self.send_rows(from), self.receive_rows(to)];
        PORT_PRICE * watched.iter().filter(|rows| !rows.is_empty()).count() as f32
    }

    /// Distances from every router to the home of `to`; `spare` holds the result if there is no
    /// table.
    pub fn distances_to<'b>(&'b self, to: ProcessorId, spare: &'b mut Spare) -> &'b [u32] {
        let router = self.problem.home(to);
        match &self.distances.table {
            Some(table) => {
                let row = self.distances.row_of_router[router.index()] as usize;
                let routers = self.problem.network().router_count();
                &table[row * routers..(row + 1) * routers]
            }
            None => {
                if spare.router != router.0 {
                    spare.router = router.0;
                    spare.row = distances_to(self.problem, router.0);
                }
                &spare.row
            }
        }
    }

    /// Length of a shortest path of the message, in channels.
    pub fn distance(&self, message: MessageId, spare: &mut Spare) -> u32 {
        let (from, to) = self.ends(message);
        let home = self.problem.home(from);
        self.distances_to(to, spare)[home.index()]
    }

    /// The longest detour that the routing allows.
    pub fn most_detour(&self) -> u32 {
        most_detour(self.problem.model().routing)
    }

    /// The longest detour that may help in a schedule of so many steps: none if shortest paths
    /// already need nearly all channels. Not computed without a table of distances.
    pub fn useful_detour(&self, steps: u32) -> u32 {
        let most = self.most_detour();
        if most == 0 || self.distances.table.is_none() {
            return most;
        }
        let mut spare = Spare::default();
        let distance = |message| u64::from(self.distance(message, &mut spare));
        let hops: u64 = self.problem.messages().ids().map(distance).sum();
        let own_rows = (0..).zip(&self.row_of_channel).filter(|(channel, row)| channel == *row);
        let room = own_rows.count() as u64 * u64::from(steps);
        if hops + hops / DETOUR_SHARE > room { 0 } else { most }
    }
}

/// The longest detour that a routing allows.
pub(super) fn most_detour(routing: Routing) -> u32 {
    match routing {
        Routing::Minimal => 0,
        Routing::Detour(hops) => hops,
        Routing::Any => u32::MAX,
    }
}

#[derive(Clone, Default)]
struct Traffic {
    sent: u32,
    received: u32,
    has_local: bool,
}

/// Distances from every router to the home of every destination, if the table fits in memory.
struct Distances {
    table: Option<Vec<u32>>,
    row_of_router: Vec<u32>,
}

/// The most recently computed row of distances.
pub(super) struct Spare {
    router: u32,
    row: Vec<u32>,
}

impl Default for Spare {
    fn default() -> Self {
        Self { router: u32::MAX, row: Vec::new() }
    }
}

impl Distances {
    fn new(problem: &Problem, interrupt: &Interrupt) -> Self {
        let routers = problem.network().router_count();
        let mut is_target = vec![false; routers];
        for message in problem.messages().ids() {
            is_target[problem.home(problem.messages().destinations(message)[0]).index()] = true;
        }
        let targets: Vec<u32> =
            (0..routers as u32).filter(|&router| is_target[router as usize]).collect();
        if targets.len() * routers * size_of::<u32>() > DISTANCE_BYTES {
            return Self::unknown();
        }
        let mut row_of_router = vec![u32::MAX; routers];
        let mut table = Vec::with_capacity(targets.len() * routers);
        for (row, &router) in targets.iter().enumerate() {
            if interrupt.is_raised() {
                return Self::unknown();
            }
            row_of_router[router as usize] = row as u32;
            table.extend(distances_to(problem, router));
        }
        Self { table: Some(table), row_of_router }
    }

    fn unknown() -> Self {
        Self { table: None, row_of_router: Vec::new() }
    }
}

fn distances_to(problem: &Problem, router: u32) -> Vec<u32> {
    problem.network().distances_to(RouterId(router))
}
