//! All-gather on a half-duplex mesh under store-and-forward. Some messages go along their row first
//! and then along all columns, the others along their column first and then along all rows, in the
//! ratio that loads rows and columns alike: on a square mesh one half each, after which every link
//! carries exactly as many messages as the distance bound has steps.
//!
//! Each step chooses a message for every link. The direction that lags behind its share comes
//! first, so that the links at the border always have something to carry; of its messages the one
//! with the longest way to go. Near the end the longest way comes before the share. A link without
//! a planned message takes any that one of its ends misses.

use super::bits;
use super::builder::Builder;
use super::demand;
use super::log::Log;
use super::possession::Possession;
use super::rotation;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, Duplex, Network, Ports, Problem, RouterId, Switching};

/// Largest number of routers: every message has a plan for every router.
const MOST_ROUTERS: usize = 1024;

/// A mesh whose routers are numbered row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mesh {
    rows: usize,
    columns: usize,
}

impl Mesh {
    /// The mesh of a problem that this method is for.
    pub(super) fn of(problem: &Problem) -> Option<Self> {
        let (network, model) = (problem.network(), problem.model());
        let is_meant = network.router_count() <= MOST_ROUTERS
            && model.duplex == Duplex::Half
            && model.ports == Ports::All
            && model.switching == Switching::StoreAndForward
            && network.routers().all(|router| network.residents(router).len() == 1)
            && problem.messages().len() == network.router_count()
            && rotation::message_of(problem).is_some();
        if is_meant { Self::find(network) } else { None }
    }

    fn find(network: &Network) -> Option<Self> {
        let routers = network.router_count();
        let is_divisor = |columns: &usize| routers.is_multiple_of(*columns);
        let sizes = (2..=routers / 2).filter(is_divisor);
        let mut meshes = sizes.map(|columns| Self { rows: routers / columns, columns });
        meshes.find(|mesh| mesh.is(network))
    }

    fn is(self, network: &Network) -> bool {
        let Self { rows, columns } = self;
        let links = rows * (columns - 1) + columns * (rows - 1);
        network.channel_count() == 2 * links
            && (0..network.channel_count() as u32).all(|channel| {
                let ends = network.channel(ChannelId(channel));
                let (low, high) =
                    (ends.tail.min(ends.head).index(), ends.tail.max(ends.head).index());
                let is_across = high == low + 1 && !high.is_multiple_of(columns);
                // Each pair of neighbours has one link, so that the number of links is right only
                // if all pairs have one.
                (is_across || high == low + columns)
                    && network.opposite(ChannelId(channel)).is_some()
                    && network.channels_between(ends.tail, ends.head).count() == 1
            })
    }

    fn place(self, router: usize) -> (usize, usize) {
        (router / self.columns, router % self.columns)
    }

    /// Whether the message of a router goes along its row first.
    fn is_along_row_first(self, router: usize) -> bool {
        let Self { rows, columns } = self;
        let share = rows * columns - rows;
        let whole = 2 * rows * columns - rows - columns;
        let (row, column) = self.place(router);
        let diagonal = row + column;
        (diagonal + 1) * share / whole > diagonal * share / whole
    }

    /// For a message that starts at `origin`: the router from which another one receives it as
    /// planned, and how many hops it still has to go from there.
    fn plan(self, origin: usize, is_row_first: bool, to: usize) -> (usize, usize) {
        let ((row, column), (own_row, own_column)) = (self.place(to), self.place(origin));
        let (columns, last_row, last_column) = (self.columns, self.rows - 1, self.columns - 1);
        let (above, left) = (row > own_row, column > own_column);
        let along_column = (
            if above { to.wrapping_sub(columns) } else { to + columns },
            if above { last_row - row } else { row },
        );
        let along_row = (
            if left { to.wrapping_sub(1) } else { to + 1 },
            if left { last_column - column } else { column },
        );
        if is_row_first && row == own_row {
            (along_row.0, along_row.1 + own_row.max(last_row - own_row))
        } else if !is_row_first && column == own_column {
            (along_column.0, along_column.1 + own_column.max(last_column - own_column))
        } else if is_row_first {
            along_column
        } else {
            along_row
        }
    }
}

/// A transfer over a link.
#[derive(Debug, Clone, Copy)]
struct LinkUse {
    message: usize,
    channel: ChannelId,
    is_planned: bool,
}

/// A run of this method.
#[derive(Debug)]
pub(super) struct CrossingRun<'a> {
    problem: &'a Problem,
    /// One channel of every link.
    links: Vec<ChannelId>,
    /// By message and router: the router before it, and the hops to go from there.
    plan: Vec<Vec<(u32, u32)>>,
    /// By channel: how many messages use it as planned, and how many have used it.
    planned: Vec<u32>,
    sent: Vec<u32>,
    possession: Possession,
    log: Log,
    /// The step after which the longest way comes first.
    late: usize,
    /// Random hops added to the way of a message.
    noise: usize,
}

impl<'a> CrossingRun<'a> {
    pub(super) fn new(problem: &'a Problem, mesh: Mesh) -> Self {
        let (network, messages) = (problem.network(), problem.messages());
        let channels = (0..network.channel_count() as u32).map(ChannelId);
        let is_first = |&channel: &ChannelId| network.opposite(channel).is_none_or(|o| channel < o);
        let mut planned = vec![0; network.channel_count()];
        let mut plan = Vec::new();
        for message in messages.ids() {
            let origin = problem.home(messages.origin(message)).index();
            let is_row_first = mesh.is_along_row_first(origin);
            let mut rows = vec![(u32::MAX, 0); network.router_count()];
            for to in (0..network.router_count()).filter(|&to| to != origin) {
                let (from, hops) = mesh.plan(origin, is_row_first, to);
                rows[to] = (from as u32, hops as u32);
                let ends = (RouterId(from as u32), RouterId(to as u32));
                for channel in network.channels_between(ends.0, ends.1) {
                    planned[channel.index()] += 1;
                }
            }
            plan.push(rows);
        }
        Self {
            problem,
            links: channels.filter(is_first).collect(),
            plan,
            sent: vec![0; planned.len()],
            planned,
            possession: Possession::new(problem),
            log: Log::default(),
            late: 0,
            noise: 1,
        }
    }

    fn ends(&self, channel: ChannelId) -> (usize, usize) {
        let network = self.problem.network();
        let ends = network.channel(channel);
        let processor = |router| network.residents(router)[0].index();
        (processor(ends.tail), processor(ends.head))
    }

    fn is_planned(&self, message: usize, channel: ChannelId) -> bool {
        let ends = self.problem.network().channel(channel);
        self.plan[message][ends.head.index()].0 == ends.tail.0
    }

    /// The best message for a link, in either direction.
    fn choose(&self, link: ChannelId, only_planned: bool, rng: &mut Rng) -> Option<LinkUse> {
        let network = self.problem.network();
        let is_late = self.log.step_count() > self.late;
        let mut best: Option<((f32, f32), LinkUse)> = None;
        for channel in std::iter::once(link).chain(network.opposite(link)) {
            let (from, to) = self.ends(channel);
            let head = network.channel(channel).head.index();
            let at = channel.index();
            let behind = -(self.sent[at] as f32) / self.planned[at].max(1) as f32;
            let sets = self.possession.held.row(from).iter().zip(self.possession.missing.row(to));
            for (word, (held, missing)) in sets.enumerate() {
                for bit in bits::ones(&[held & missing]) {
                    let message = 64 * word + bit;
                    let is_planned = self.is_planned(message, channel);
                    if only_planned && !is_planned {
                        continue;
                    }
                    let hops =
                        self.plan[message][head].1 as f32 + self.noise as f32 * rng.unit() as f32;
                    let is_by_share = only_planned && !is_late;
                    let key = if is_by_share { (behind, hops) } else { (hops, behind) };
                    if best.is_none_or(|(other, _)| key > other) {
                        best = Some((key, LinkUse { message, channel, is_planned }));
                    }
                }
            }
        }
        best.map(|(_, choice)| choice)
    }

    fn take(&mut self, LinkUse { message, channel, is_planned }: LinkUse) {
        let (from, to) = self.ends(channel);
        self.log.push(message, from, to, &[channel]);
        self.possession.expect(to, message);
        self.sent[channel.index()] += u32::from(is_planned);
    }
}

impl Builder for CrossingRun<'_> {
    fn begin(&mut self, number: u32, rng: &mut Rng) {
        self.possession.set_demand(demand::demanded(self.problem, number, rng));
        self.sent.fill(0);
        self.log.clear();
        // The steps that full links take, without some at the end.
        let least = self.possession.total().div_ceil(self.links.len());
        let side = self.problem.network().router_count().isqrt();
        self.late = least.saturating_sub(side * (number % 3) as usize);
        self.noise = if number.is_multiple_of(2) { 1 } else { 3 };
    }

    fn rewind(&mut self, log: &Log, steps: usize) {
        self.possession.rewind(log, steps);
        self.log.copy(log, steps);
        self.sent.fill(0);
        for transfer in (0..steps).flat_map(|step| log.step(step)) {
            let channel = transfer.path[0];
            let is_planned = self.is_planned(transfer.message.index(), channel);
            self.sent[channel.index()] += u32::from(is_planned);
        }
    }

    fn advance(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> usize {
        let mut order = self.links.clone();
        while self.possession.total() > 0 && self.log.step_count() < steps as usize {
            let before = self.possession.total();
            self.log.start_step();
            rng.shuffle(&mut order);
            let mut idle = Vec::new();
            for &link in &order {
                match self.choose(link, true, rng) {
                    Some(choice) => self.take(choice),
                    None => idle.push(link),
                }
            }
            for link in idle {
                if let Some(choice) = self.choose(link, false, rng) {
                    self.take(choice);
                }
            }
            for transfer in self.log.step(self.log.step_count() - 1) {
                self.possession.held.set(transfer.to.index(), transfer.message.index());
            }
            if !budget.spend((before - self.possession.total()).max(1) as u64) {
                break;
            }
        }
        self.possession.total()
    }

    fn log(&self) -> &Log {
        &self.log
    }
}
