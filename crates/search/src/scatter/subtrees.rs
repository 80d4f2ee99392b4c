//! Personalised messages of one sender: a tree of shortest paths whose branches at the root carry
//! nearly equal numbers of messages. Branches share no router, so sending one message per branch
//! and step never causes a conflict, under wormhole or store-and-forward.

use super::plans;
use super::weights::is_personalised;
use crate::attempt::{Attempt, Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{
    ChannelId, MessageId, Network, Problem, ProcessorId, RouterId, Schedule, Switching, Transfer,
};

/// Average number of moves per router in one search.
const SWEEPS: usize = 60;

/// Probability of accepting a move of weight 1 that makes the branches less even.
const UPHILL: f64 = 0.02;

/// One tree with balanced branches for the messages of one sender.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subtrees;

impl Suitability for Subtrees {
    fn takes(&self, problem: &Problem) -> bool {
        let messages = problem.messages();
        let first = messages.origin(MessageId(0));
        let is_far = |message| {
            problem.home(messages.destinations(message)[0]) != problem.home(first)
                && messages.origin(message) == first
        };
        is_personalised(problem) && messages.ids().all(is_far)
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        plans::first_quota(problem, steps)
    }
}

impl Engine for Subtrees {
    fn describe(&self) -> Traits {
        Traits {
            name: "subtrees",
            purpose: "a tree of shortest paths with balanced branches; personalised messages of one sender",
            aims_at_bound: true,
            wants_prices: false,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        if budget.is_stopped() {
            return None;
        }
        let mut tree = BalancedTree::new(context.problem(), rng);
        tree.balance(0, 1, budget, rng).then(|| tree.schedule(context.problem()))
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let sweep = plans::sweep(context.problem(), steps).max(1);
        while budget.spend(sweep) {
            let mut tree = BalancedTree::new(context.problem(), rng);
            tree.balance(steps, u64::from(steps), budget, rng);
            let schedule = tree.schedule(context.problem());
            if schedule.step_count() <= steps {
                return Attempt::Found(schedule);
            }
        }
        Attempt::OutOfBudget
    }
}

/// A tree of shortest paths from the home of the sender.
struct BalancedTree<'a> {
    network: &'a Network,
    root: RouterId,
    /// The reachable routers except the root, nearest first.
    order: Vec<RouterId>,
    distance: Vec<u32>,
    /// Per router, the number of messages to its processors.
    weight: Vec<u32>,
    /// Per router: the channel from its parent, its branch, and its children.
    parent: Vec<ChannelId>,
    branch: Vec<u32>,
    children: Vec<Vec<RouterId>>,
    /// Per branch, its number of messages. Branches are numbered by the rank of their channel among
    /// those that leave the root.
    load: Vec<u32>,
    /// A load that needs no further balancing: the steps that the sender's ports require anyway.
    fair: u32,
}

impl<'a> BalancedTree<'a> {
    /// Adds the routers, nearest first, each to the branch with the fewest messages so far.
    fn new(problem: &'a Problem, rng: &mut Rng) -> Self {
        let (network, messages) = (problem.network(), problem.messages());
        let root = problem.home(messages.origin(MessageId(0)));
        let distance = network.distances_from(root);
        let mut order: Vec<RouterId> =
            network.routers().filter(|&r| r != root && distance[r.index()] != u32::MAX).collect();
        rng.shuffle(&mut order);
        order.sort_by_key(|router| distance[router.index()]);
        let mut weight = vec![0; network.router_count()];
        for message in messages.ids() {
            weight[problem.home(messages.destinations(message)[0]).index()] += 1;
        }
        let mut tree = Self {
            network,
            root,
            distance,
            weight,
            parent: vec![ChannelId(0); network.router_count()],
            branch: vec![0; network.router_count()],
            children: vec![Vec::new(); network.router_count()],
            load: vec![0; network.out_channels(root).len()],
            fair: 0,
            order: Vec::new(),
        };
        for &router in &order {
            let load = |&channel: &ChannelId| tree.load[tree.branch_by(channel) as usize];
            let best = tree.entries(router).min_by_key(load);
            let best = best.expect("a reachable router has an entry");
            tree.attach(router, best);
            let branch = tree.branch_by(best);
            tree.branch[router.index()] = branch;
            tree.load[branch as usize] += tree.weight[router.index()];
        }
        tree.order = order;
        let ports = problem.send_ports(messages.origin(MessageId(0)));
        tree.fair = (messages.len() as u32).div_ceil(ports.min(tree.load.len() as u32).max(1));
        tree
    }

    /// The channels on which shortest paths enter a router.
    fn entries(&self, router: RouterId) -> impl Iterator<Item = ChannelId> {
        let channels = self.network.in_channels(router).iter().copied();
        channels.filter(move |&channel| {
            let before = self.distance[self.network.channel(channel).tail.index()];
            before != u32::MAX && before + 1 == self.distance[router.index()]
        })
    }

    /// The branch of a router that is attached by this channel.
    fn branch_by(&self, channel: ChannelId) -> u32 {
        let tail = self.network.channel(channel).tail;
        if tail == self.root {
            let leaving = self.network.out_channels(self.root);
            leaving.iter().take_while(|&&other| other != channel).count() as u32
        } else {
            self.branch[tail.index()]
        }
    }

    fn attach(&mut self, router: RouterId, channel: ChannelId) {
        self.parent[router.index()] = channel;
        self.children[self.network.channel(channel).tail.index()].push(router);
    }

    /// Moves random routers with their subtrees between branches until no branch has more than
    /// `enough` messages, or than its fair share. Returns false if the budget runs out.
    fn balance(&mut self, enough: u32, work: u64, budget: &mut Budget, rng: &mut Rng) -> bool {
        let enough = enough.max(self.fair);
        let mut moved = Vec::new();
        for _ in 0..SWEEPS * self.order.len() {
            if self.load.iter().all(|&load| load <= enough) {
                return true;
            }
            if !budget.spend(work) {
                return false;
            }
            let router = self.order[rng.below(self.order.len())];
            let entries: Vec<ChannelId> = self.entries(router).collect();
            let entry = entries[rng.below(entries.len())];
            if entry != self.parent[router.index()] {
                self.try_to_move(router, entry, &mut moved, rng);
            }
        }
        true
    }

    fn try_to_move(
        &mut self,
        router: RouterId,
        entry: ChannelId,
        moved: &mut Vec<RouterId>,
        rng: &mut Rng,
    ) {
        let (from, to) = (self.branch[router.index()], self.branch_by(entry));
        moved.clear();
        moved.push(router);
        let mut at = 0;
        let mut weight = 0;
        while at < moved.len() {
            weight += self.weight[moved[at].index()];
            moved.extend_from_slice(&self.children[moved[at].index()]);
            at += 1;
        }
        let is_better = from == to
            || self.load[to as usize] + weight <= self.load[from as usize]
            || rng.chance(UPHILL / f64::from(weight.max(1)));
        if !is_better {
            return;
        }
        let old = self.network.channel(self.parent[router.index()]).tail;
        self.children[old.index()].retain(|&child| child != router);
        self.attach(router, entry);
        self.load[from as usize] -= weight;
        self.load[to as usize] += weight;
        moved.iter().for_each(|router| self.branch[router.index()] = to);
    }

    /// In every step, one message leaves on each of the branches with the most messages left, up to
    /// the number of send ports. Within a branch, the farthest destination comes first.
    fn schedule(&self, problem: &Problem) -> Schedule {
        let messages = problem.messages();
        let home = |message: MessageId| problem.home(messages.destinations(message)[0]);
        let mut waiting: Vec<Vec<MessageId>> = vec![Vec::new(); self.load.len()];
        for message in messages.ids() {
            waiting[self.branch[home(message).index()] as usize].push(message);
        }
        waiting.retain(|branch| !branch.is_empty());
        for branch in &mut waiting {
            branch.sort_by_key(|&message| self.distance[home(message).index()]);
        }
        let ports = problem.send_ports(messages.origin(MessageId(0))).max(1) as usize;
        let is_store_and_forward = problem.model().switching == Switching::StoreAndForward;
        let mut schedule = Schedule::new();
        let mut sent: Vec<(u32, MessageId, Vec<ChannelId>)> = Vec::new();
        for step in 0.. {
            waiting.sort_by_key(|branch| std::cmp::Reverse(branch.len()));
            let mut leaving: Vec<MessageId> =
                waiting.iter_mut().take(ports).filter_map(Vec::pop).collect();
            if leaving.is_empty() {
                break;
            }
            leaving.sort_unstable();
            if is_store_and_forward {
                sent.extend(leaving.into_iter().map(|m| (step, m, self.path(home(m)))));
                continue;
            }
            // Paths are most of a schedule, so they are built one at a time.
            schedule.start_step();
            for message in leaving {
                let (from, to) = (messages.origin(message), messages.destinations(message)[0]);
                schedule.push(Transfer { message, from, to, path: &self.path(home(message)) });
            }
        }
        if is_store_and_forward { store_and_forward(problem, &sent) } else { schedule }
    }

    fn path(&self, mut to: RouterId) -> Vec<ChannelId> {
        let mut path = Vec::with_capacity(self.distance[to.index()] as usize);
        while to != self.root {
            path.push(self.parent[to.index()]);
            to = self.network.channel(self.parent[to.index()]).tail;
        }
        path.reverse();
        path
    }
}

/// Builds the store-and-forward schedule of messages given by their departure step and path.
fn store_and_forward(problem: &Problem, sent: &[(u32, MessageId, Vec<ChannelId>)]) -> Schedule {
    let messages = problem.messages();
    let mut transfers: Vec<(u32, Transfer<'_>)> = Vec::new();
    for (step, message, path) in sent {
        let (message, to) = (*message, messages.destinations(*message)[0]);
        let mut from = messages.origin(message);
        for (hop, channel) in path.iter().enumerate() {
            let head = problem.network().channel(*channel).head;
            let stop = if hop + 1 == path.len() { to } else { relay(problem, head) };
            let path = std::slice::from_ref(channel);
            transfers.push((step + hop as u32, Transfer { message, from, to: stop, path }));
            from = stop;
        }
    }
    transfers.sort_by_key(|(step, transfer)| (*step, transfer.message));
    let steps = transfers.last().map_or(0, |(step, _)| step + 1);
    Schedule::from_transfers(steps, &transfers)
}

/// The processor of a router that forwards messages.
fn relay(problem: &Problem, router: RouterId) -> ProcessorId {
    problem.network().residents(router)[0]
}
