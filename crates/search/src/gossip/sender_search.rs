//! Finds a sender for a message that a processor misses: searches backward from its home over
//! channels that are free in this step, or that another transfer could give up.

use super::bits::{self, BitRows};
use super::board::StepBoard;
use crate::rng::Rng;
use pavane_model::{ChannelId, Network, Problem, ProcessorId, RouterId, Routing, Switching};

const UNSEEN: u32 = u32::MAX;

/// A sender and the channels from its home to the receiver's.
#[derive(Debug, Clone, Default)]
pub(super) struct Way {
    /// The sender.
    pub from: usize,
    /// The channels in order.
    pub path: Vec<ChannelId>,
    /// The transfer that must be removed first.
    pub victim: Option<usize>,
}

/// What to search for.
#[derive(Debug, Clone, Copy)]
pub(super) struct SenderGoal<'b> {
    /// The receiver.
    pub to: usize,
    /// What every processor holds.
    pub held: &'b BitRows,
    /// The messages that the receiver would accept.
    pub missing: &'b [u64],
    /// The sending load of every processor; the sender with the highest load is chosen.
    pub load: &'b [u64],
    /// Whether to prefer the farthest sender to the nearest.
    pub is_far: bool,
}

impl SenderGoal<'_> {
    fn is_met_by(&self, from: usize) -> bool {
        from != self.to && bits::meet(self.held.row(from), self.missing)
    }
}

/// The best sender so far; ties are broken uniformly at random.
struct BestSender<T> {
    load: u64,
    seen: usize,
    found: Option<T>,
}

impl<T> BestSender<T> {
    fn none() -> Self {
        Self { load: 0, seen: 0, found: None }
    }

    fn offer(&mut self, load: u64, sender: T, rng: &mut Rng) {
        if load > self.load {
            self.seen = 0;
        }
        if load >= self.load {
            self.seen += 1;
            self.load = load;
            if rng.below(self.seen) == 0 {
                self.found = Some(sender);
            }
        }
    }
}

/// The limits of searches, and their reusable memory.
#[derive(Debug)]
pub(super) struct SenderSearch<'a> {
    network: &'a Network,
    longest: u32,
    detour: u32,
    depth: Vec<u32>,
    distance: Vec<u32>,
    next_hop: Vec<Option<ChannelId>>,
    victim: Vec<Option<usize>>,
    layers: Vec<RouterId>,
    shortest_layers: Vec<RouterId>,
}

impl<'a> SenderSearch<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let network = problem.network();
        let routers = network.router_count();
        let model = problem.model();
        Self {
            network,
            longest: match model.switching {
                Switching::StoreAndForward => 1,
                Switching::Wormhole => u32::MAX,
            },
            detour: match model.routing {
                Routing::Minimal => 0,
                Routing::Detour(hops) => hops,
                Routing::Any => u32::MAX,
            },
            depth: vec![UNSEEN; routers],
            distance: vec![UNSEEN; routers],
            next_hop: vec![None; routers],
            victim: vec![None; routers],
            layers: Vec::new(),
            shortest_layers: Vec::new(),
        }
    }

    /// Finds the nearest processor (with `is_far`, the farthest) that holds a message the receiver
    /// misses and can send it now over free channels.
    pub(super) fn free_way(
        &mut self,
        board: &StepBoard,
        goal: SenderGoal<'_>,
        rng: &mut Rng,
    ) -> Option<Way> {
        self.start(goal.to);
        let (mut begin, mut shortest_begin, mut depth) = (0, 0, 0);
        let mut found = None;
        loop {
            let end = self.layers.len();
            let mut best = BestSender::none();
            for &router in &self.layers[begin..end] {
                for from in self.network.residents(router).iter().map(|p| p.index()) {
                    if board.can_send(from) && goal.is_met_by(from) {
                        best.offer(goal.load[from], (from, router), rng);
                    }
                }
            }
            found = best.found.or(found);
            if begin == end || depth == self.longest || (found.is_some() && !goal.is_far) {
                break;
            }
            depth += 1;
            if self.detour != u32::MAX {
                shortest_begin = self.advance_shortest(shortest_begin, depth);
            }
            for at in begin..end {
                self.expand_free(board, self.layers[at], depth, rng);
            }
            begin = end;
        }
        let way = found.map(|(from, router)| self.way(from, router, None));
        self.finish();
        way
    }

    fn expand_free(&mut self, board: &StepBoard, router: RouterId, depth: u32, rng: &mut Rng) {
        for channel in rotated(self.network.in_channels(router), rng) {
            let tail = self.network.channel(channel).tail;
            let at = tail.index();
            if self.depth[at] != UNSEEN || board.blocker(channel).is_some() {
                continue;
            }
            if self.detour != u32::MAX && depth - self.distance[at] > self.detour {
                continue;
            }
            self.depth[at] = depth;
            self.next_hop[at] = Some(channel);
            self.layers.push(tail);
        }
    }

    /// Computes the next layer of true distances, which detours are measured against.
    fn advance_shortest(&mut self, begin: usize, depth: u32) -> usize {
        let end = self.shortest_layers.len();
        for at in begin..end {
            for &channel in self.network.in_channels(self.shortest_layers[at]) {
                let tail = self.network.channel(channel).tail;
                if self.distance[tail.index()] == UNSEEN {
                    self.distance[tail.index()] = depth;
                    self.shortest_layers.push(tail);
                }
            }
        }
        end
    }

    /// Finds a shortest path from a processor that holds a message the receiver misses, such that
    /// exactly one transfer of this step must be removed. `may_evict` says which transfers may be.
    pub(super) fn way_with_victim(
        &mut self,
        board: &StepBoard,
        goal: SenderGoal<'_>,
        may_evict: impl Fn(usize) -> bool,
        rng: &mut Rng,
    ) -> Option<Way> {
        self.start(goal.to);
        let (mut begin, mut shortest_begin, mut depth) = (0, 0, 0);
        let mut best = BestSender::none();
        loop {
            let end = self.layers.len();
            for &router in &self.layers[begin..end] {
                for from in self.network.residents(router).iter().map(|p| p.index()) {
                    if !goal.is_met_by(from) {
                        continue;
                    }
                    let on_path = self.victim[router.index()];
                    let Some(victim) = self.sender_victim(board, from, on_path, &may_evict, rng)
                    else {
                        continue;
                    };
                    best.offer(goal.load[from], (from, router, victim), rng);
                }
            }
            if begin == end || depth == self.longest || best.found.is_some() {
                break;
            }
            depth += 1;
            shortest_begin = self.advance_shortest(shortest_begin, depth);
            for at in begin..end {
                self.expand_evicting(board, self.layers[at], depth, &may_evict, rng);
            }
            begin = end;
        }
        let way = best.found.map(|(from, router, victim)| self.way(from, router, Some(victim)));
        self.finish();
        way
    }

    /// The transfer that must be removed so that `from` can send: the one already on the path, if
    /// that frees a port or no port is needed; or one of its own transfers if the path is free.
    fn sender_victim(
        &self,
        board: &StepBoard,
        from: usize,
        on_path: Option<usize>,
        may_evict: impl Fn(usize) -> bool,
        rng: &mut Rng,
    ) -> Option<usize> {
        match (board.can_send(from), on_path) {
            (true, victim) => victim,
            (false, Some(victim)) => (board.placed(victim).from == from).then_some(victim),
            (false, None) => {
                let mut seen = 0;
                let mut chosen = None;
                for number in board.sent_by(from).filter(|&number| may_evict(number)) {
                    seen += 1;
                    if rng.below(seen) == 0 {
                        chosen = Some(number);
                    }
                }
                chosen
            }
        }
    }

    /// Expands one layer of shortest paths that meet at most one other transfer.
    fn expand_evicting(
        &mut self,
        board: &StepBoard,
        router: RouterId,
        depth: u32,
        may_evict: impl Fn(usize) -> bool,
        rng: &mut Rng,
    ) {
        let so_far = self.victim[router.index()];
        for channel in rotated(self.network.in_channels(router), rng) {
            let tail = self.network.channel(channel).tail;
            let victim = match (board.blocker(channel), so_far) {
                (None, victim) => victim,
                (Some(blocker), None) if may_evict(blocker) => Some(blocker),
                (Some(blocker), Some(victim)) if blocker == victim => Some(victim),
                _ => continue,
            };
            let at = tail.index();
            if self.distance[at] != depth {
                continue;
            }
            if self.depth[at] == UNSEEN {
                self.depth[at] = depth;
                self.layers.push(tail);
            } else if self.victim[at].is_none() || victim.is_some() {
                continue;
            }
            self.next_hop[at] = Some(channel);
            self.victim[at] = victim;
        }
    }

    fn start(&mut self, to: usize) {
        let home = self.network.home(ProcessorId(to as u32)).expect("receivers are alive");
        self.depth[home.index()] = 0;
        self.victim[home.index()] = None;
        self.layers.push(home);
        self.distance[home.index()] = 0;
        self.shortest_layers.push(home);
    }

    fn finish(&mut self) {
        for router in self.layers.drain(..) {
            self.depth[router.index()] = UNSEEN;
        }
        for router in self.shortest_layers.drain(..) {
            self.distance[router.index()] = UNSEEN;
        }
    }

    fn way(&self, from: usize, router: RouterId, victim: Option<usize>) -> Way {
        let mut path = Vec::with_capacity(self.depth[router.index()] as usize);
        let mut at = router;
        while self.depth[at.index()] > 0 {
            let channel = self.next_hop[at.index()].expect("every router but the first has one");
            path.push(channel);
            at = self.network.channel(channel).head;
        }
        Way { from, path, victim }
    }
}

/// The channels in cyclic order from a random start.
fn rotated(channels: &[ChannelId], rng: &mut Rng) -> impl Iterator<Item = ChannelId> {
    let start = if channels.len() > 1 { rng.below(channels.len()) } else { 0 };
    channels[start..].iter().chain(&channels[..start]).copied()
}
