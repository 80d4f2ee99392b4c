//! The board of receptions: which processor receives which message in which step, and from which processor. A
//! removed reception leaves those that depend on it in place; it must return to a step before
//! theirs.

use super::table::{NONE, UseTable};
use super::ways::{Ways, Weights};
use crate::rng::Rng;
use crate::scatter::guided_search::Board;
use pavane_model::{ChannelId, MessageId, Problem, ProcessorId, Schedule, Switching, Transfer};

/// Number of steps that can be forbidden to a reception at the same time.
const FORBIDDEN: usize = 4;

/// Least noise, so that ties are broken at random even if the blur is zero.
const TIES: f32 = 1e-3;

/// A processor that has to receive a message, and where it does.
#[derive(Debug, Clone)]
pub(super) struct Reception {
    pub message: u32,
    pub to: u32,
    /// The step, or [`NONE`].
    pub step: u32,
    pub from: u32,
    pub path: Vec<ChannelId>,
    weight: f32,
    forbidden: [(u32, u32); FORBIDDEN],
}

/// A partial schedule.
pub(super) struct Receptions<'a> {
    pub problem: &'a Problem,
    pub all: Vec<Reception>,
    /// By message and processor, the reception, or [`NONE`].
    of: Vec<u32>,
    /// By message, its receptions.
    of_message: Vec<Vec<u32>>,
    ways: Ways<'a>,
    table: UseTable,
    plan: ReceptionPlan,
    evicted: Vec<u32>,
    costs: Vec<f32>,
}

#[derive(Default)]
struct ReceptionPlan {
    step: u32,
    from: u32,
    path: Vec<ChannelId>,
}

impl<'a> Receptions<'a> {
    /// For these pairs of message and receiver: none placed, and no steps yet.
    pub fn new(
        problem: &'a Problem,
        wanted: impl Iterator<Item = (MessageId, ProcessorId)>,
    ) -> Self {
        let processors = problem.network().processor_count();
        let messages = problem.messages().len();
        let mut of = vec![NONE; messages * processors];
        let mut of_message = vec![Vec::new(); messages];
        let mut all = Vec::new();
        for (message, to) in wanted {
            let place = &mut of[message.index() * processors + to.index()];
            if *place != NONE || problem.messages().origin(message) == to {
                continue;
            }
            *place = all.len() as u32;
            of_message[message.index()].push(all.len() as u32);
            all.push(Reception {
                message: message.0,
                to: to.0,
                step: NONE,
                from: NONE,
                path: Vec::new(),
                weight: 1.0,
                forbidden: [(0, 0); FORBIDDEN],
            });
        }
        Self {
            problem,
            all,
            of,
            of_message,
            ways: Ways::new(problem),
            table: UseTable::new(problem),
            plan: ReceptionPlan::default(),
            evicted: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Makes room for this many steps.
    pub fn grow(&mut self, steps: u32) {
        self.table.grow(steps);
    }

    /// The number of steps that there is room for.
    pub fn steps(&self) -> u32 {
        self.table.steps()
    }

    /// The reception of a message by a processor, if it is on the board.
    pub fn find(&self, message: u32, processor: u32) -> Option<u32> {
        let at = message as usize * self.table.processors + processor as usize;
        Some(self.of[at]).filter(|&found| found != NONE)
    }

    /// The number of steps after which a processor has a message, or [`NONE`].
    pub fn arrival(&self, message: u32, processor: u32) -> u32 {
        if self.problem.messages().origin(MessageId(message)).0 == processor {
            return 0;
        }
        match self.find(message, processor).map(|found| self.all[found as usize].step) {
            None | Some(NONE) => NONE,
            Some(step) => step + 1,
        }
    }

    /// The receptions of a message.
    pub fn of_message(&self, message: u32) -> &[u32] {
        &self.of_message[message as usize]
    }

    /// The receptions that this one's receiver sends.
    fn children(&self, number: u32) -> impl Iterator<Item = u32> + '_ {
        let Reception { message, to, .. } = self.all[number as usize];
        let rows = self.of_message[message as usize].iter().copied();
        rows.filter(move |&other| {
            let other = &self.all[other as usize];
            other.step != NONE && other.from == to
        })
    }

    /// The first step in which this one's receiver sends the message on.
    pub fn deadline(&self, number: u32) -> u32 {
        self.children(number).map(|child| self.all[child as usize].step).min().unwrap_or(NONE)
    }

    /// The receptions that this one's receiver sends in this step or before.
    pub fn early_children(&self, number: u32, step: u32) -> Vec<u32> {
        self.children(number).filter(|&child| self.all[child as usize].step <= step).collect()
    }

    /// Whether a reception is needed: its receiver wants the message or passes it on. Under
    /// store-and-forward all are, because others may be reachable only through them.
    pub fn is_wanted(&self, number: u32) -> bool {
        let Reception { message, to, .. } = self.all[number as usize];
        let messages = self.problem.messages();
        messages.destinations(MessageId(message)).contains(&ProcessorId(to))
            || self.problem.model().switching == Switching::StoreAndForward
            || self.children(number).next().is_some()
    }

    /// Whether the ports and channels of a transfer are free in a step.
    pub fn is_free(&self, step: u32, from: u32, to: u32, path: &[ChannelId]) -> bool {
        let table = &self.table;
        (table.sent(step, from).len() as u32) < table.send_ports[from as usize]
            && (table.received(step, to).len() as u32) < table.receive_ports[to as usize]
            && path.iter().all(|&channel| table.occupant(step, channel) == NONE)
    }

    /// Places a reception; its ports and channels must be free.
    pub fn place(&mut self, number: u32, step: u32, from: u32, path: &[ChannelId]) {
        let to = self.all[number as usize].to;
        debug_assert!(
            self.is_free(step, from, to, path),
            "reception {number} conflicts with another"
        );
        for &channel in path {
            let cell = self.table.channel(step, channel);
            self.table.occupant[cell] = number;
        }
        let row = step as usize * self.table.processors;
        self.table.sent[row + from as usize].push(number);
        self.table.received[row + to as usize].push(number);
        let reception = &mut self.all[number as usize];
        (reception.step, reception.from) = (step, from);
        reception.path.clear();
        reception.path.extend_from_slice(path);
    }

    /// Removes a reception from its step.
    pub fn remove(&mut self, number: u32) {
        let reception = &mut self.all[number as usize];
        let (step, from, to) = (reception.step, reception.from, reception.to);
        reception.step = NONE;
        let path = std::mem::take(&mut reception.path);
        for &channel in &path {
            let cell = self.table.channel(step, channel);
            self.table.occupant[cell] = NONE;
        }
        let row = step as usize * self.table.processors;
        self.table.sent[row + from as usize].retain(|&other| other != number);
        self.table.received[row + to as usize].retain(|&other| other != number);
    }

    /// The first of some steps in which the reception can be placed without a conflict, with its
    /// sender and path. Considers only senders for which `may_send` is true.
    pub fn first_free(
        &mut self,
        number: u32,
        steps: std::ops::Range<u32>,
        may_send: impl Fn(&Self, u32) -> bool,
    ) -> Option<(u32, u32, Vec<ChannelId>)> {
        let Reception { message, to, .. } = self.all[number as usize];
        let senders = self.senders(message, to);
        let senders: Vec<u32> = senders.into_iter().filter(|&p| may_send(self, p)).collect();
        let origin = self.problem.messages().origin(MessageId(message)).0;
        let Self { ways, table, all, of, .. } = self;
        // Shortest paths in any of the steps come first: a detour takes channels from other receptions.
        let again = steps.clone().filter(|_| ways.has_detours()).map(|step| (false, step));
        let passes: Vec<(bool, u32)> = steps.map(|step| (true, step)).chain(again).collect();
        for (is_shortest, step) in passes {
            if table.received(step, to).len() as u32 >= table.receive_ports[to as usize] {
                continue;
            }
            let channel = |channel| match table.occupant(step, channel) {
                NONE => 0.0,
                _ => f32::INFINITY,
            };
            let sender = |from: u32| {
                let at = message as usize * table.processors + from as usize;
                let has_it = from == origin || has_before(all, of[at], step);
                let sent = table.sent(step, from).len() as u32;
                if has_it && sent < table.send_ports[from as usize] { 0.0 } else { f32::INFINITY }
            };
            let weights = Weights { channel: &channel, sender: &sender, senders: &senders };
            let found = if is_shortest {
                ways.cheapest_shortest(to, &weights)
            } else {
                ways.cheapest(to, &weights)
            };
            if let Some((_, from)) = found {
                let mut path = Vec::new();
                ways.path(from, to, &mut path);
                return Some((step, from, path));
            }
        }
        None
    }

    /// The possible senders of a message to a processor: only its origin if it is personalised.
    fn senders(&self, message: u32, to: u32) -> Vec<u32> {
        let messages = self.problem.messages();
        let origin = messages.origin(MessageId(message)).0;
        let mut senders = vec![origin];
        if !messages.is_personalised(MessageId(message)) {
            let rows = self.of_message[message as usize].iter();
            senders.extend(rows.map(|&other| self.all[other as usize].to));
        }
        senders.retain(|&processor| processor != to);
        senders
    }

    /// The cost of the cheapest path in a step, including the weights of evicted receptions, and
    /// its sender.
    fn price(&mut self, number: u32, step: u32, senders: &[u32]) -> Option<(f32, u32)> {
        let Self { ways, table, all, problem, of, .. } = self;
        let Reception { message, to, .. } = all[number as usize];
        let weight_of = |other: u32| all[other as usize].weight;
        let least = |list: &[u32], ports: u32| {
            if (list.len() as u32) < ports {
                0.0
            } else {
                list.iter().map(|&other| weight_of(other)).fold(f32::INFINITY, f32::min)
            }
        };
        let receive = least(table.received(step, to), table.receive_ports[to as usize]);
        let channel = |channel| match table.occupant(step, channel) {
            NONE => 0.0,
            other => weight_of(other),
        };
        let origin = problem.messages().origin(MessageId(message)).0;
        let sender = |from: u32| {
            let at = message as usize * table.processors + from as usize;
            let has_it = from == origin || has_before(all, of[at], step);
            if has_it {
                least(table.sent(step, from), table.send_ports[from as usize])
            } else {
                f32::INFINITY
            }
        };
        let weights = Weights { channel: &channel, sender: &sender, senders };
        let (cost, from) = ways.cheapest(to, &weights)?;
        let total = cost + receive;
        total.is_finite().then_some((total, from))
    }

    /// Finds all receptions that the plan evicts: those on its channels, one for each missing port,
    /// and those that the receiver would send too early.
    fn find_evicted(&mut self, number: u32) {
        let mut evicted: Vec<u32> = Vec::new();
        let ReceptionPlan { step, from, path } = &self.plan;
        let to = self.all[number as usize].to;
        for &channel in path {
            let occupant = self.table.occupant(*step, channel);
            if occupant != NONE && !evicted.contains(&occupant) {
                evicted.push(occupant);
            }
        }
        for child in self.early_children(number, *step) {
            if !evicted.contains(&child) {
                evicted.push(child);
            }
        }
        let table = &self.table;
        let ports = [
            (table.sent(*step, *from), table.send_ports[*from as usize]),
            (table.received(*step, to), table.receive_ports[to as usize]),
        ];
        for (list, ports) in ports {
            let stays = |other: &&u32| !evicted.contains(other);
            if list.iter().filter(stays).count() as u32 >= ports {
                let weight = |other: &&u32| self.all[**other as usize].weight;
                let victim =
                    list.iter().filter(stays).min_by(|a, b| weight(a).total_cmp(&weight(b)));
                evicted.extend(victim.copied());
            }
        }
        self.evicted = evicted;
    }

    /// The schedule of all placed receptions, without those that are not needed.
    pub fn schedule(&self) -> Schedule {
        let messages = self.problem.messages();
        let mut is_needed = vec![false; self.all.len()];
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        order.retain(|&number| self.all[number as usize].step != NONE);
        order.sort_by_key(|&number| std::cmp::Reverse(self.all[number as usize].step));
        for &number in &order {
            let Reception { message, to, from, .. } = self.all[number as usize];
            let is_wanted = messages.destinations(MessageId(message)).contains(&ProcessorId(to));
            is_needed[number as usize] |= is_wanted;
            if is_needed[number as usize]
                && let Some(parent) = self.find(message, from)
            {
                is_needed[parent as usize] = true;
            }
        }
        let mut transfers = Vec::new();
        for number in order.into_iter().rev().filter(|&number| is_needed[number as usize]) {
            let Reception { message, to, from, step, path, .. } = &self.all[number as usize];
            let (from, to) = (ProcessorId(*from), ProcessorId(*to));
            transfers.push((*step, Transfer { message: MessageId(*message), from, to, path }));
        }
        let steps = transfers.last().map_or(0, |(step, _)| step + 1);
        Schedule::from_transfers(steps, &transfers)
    }
}

/// Whether a reception exists and is placed before a step.
fn has_before(all: &[Reception], number: u32, step: u32) -> bool {
    number != NONE && all[number as usize].step < step
}

impl Board for Receptions<'_> {
    fn plan(&mut self, number: u32, now: u32, blur: f32, rng: &mut Rng) -> bool {
        let Reception { message, to, forbidden, .. } = self.all[number as usize];
        let senders = self.senders(message, to);
        let mut costs = std::mem::take(&mut self.costs);
        costs.clear();
        costs.resize(self.steps() as usize, 0.0);
        for child in self.children(number) {
            let Reception { step, weight, .. } = self.all[child as usize];
            costs[step as usize..].iter_mut().for_each(|cost| *cost += weight);
        }
        let mut best = (f32::INFINITY, NONE);
        for (step, cost) in (0..).zip(&costs) {
            if forbidden.iter().any(|&(at, until)| at == step && until > now) {
                continue;
            }
            let noise = -(1.0 - rng.unit()).ln() as f32 * blur.max(TIES);
            if cost + noise >= best.0 {
                continue;
            }
            if let Some((price, _)) = self.price(number, step, &senders)
                && cost + noise + price < best.0
            {
                best = (cost + noise + price, step);
            }
        }
        self.costs = costs;
        if best.1 == NONE {
            return false;
        }
        let Some((_, from)) = self.price(number, best.1, &senders) else { return false };
        let mut path = std::mem::take(&mut self.plan.path);
        self.ways.path(from, to, &mut path);
        self.plan = ReceptionPlan { step: best.1, from, path };
        self.find_evicted(number);
        true
    }

    fn evicted(&self) -> &[u32] {
        &self.evicted
    }

    fn evict(&mut self, number: u32, until: u32) {
        let step = self.all[number as usize].step;
        self.remove(number);
        let entries = &mut self.all[number as usize].forbidden;
        if let Some(oldest) = entries.iter_mut().min_by_key(|entry| entry.1) {
            *oldest = (step, until);
        }
    }

    fn carry_out(&mut self, number: u32, weight: f32) {
        self.all[number as usize].weight = weight;
        let path = std::mem::take(&mut self.plan.path);
        self.place(number, self.plan.step, self.plan.from, &path);
        self.plan.path = path;
    }

    fn reweigh(&mut self, number: u32, weight: f32) {
        self.all[number as usize].weight = weight;
    }
}
