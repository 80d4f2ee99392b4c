//! Cuts: the words that must leave a set of routers over the channels that leave it. Candidates are the
//! beginnings of several orders of the routers (by number, by distance from a router, by the difference
//! of the distances from two routers), improved by moving single routers.

use super::period_of_load;
use pavane_model::tdm::{TdmBound, TdmCertificate};
use pavane_model::{Network, RouterId, TdmProblem};
use pavane_search::Interrupt;

/// The work of all candidates together.
const MOST_WORK: usize = 40_000_000;

pub(super) fn bound(problem: &TdmProblem, interrupt: &Interrupt) -> Option<TdmBound> {
    let network = problem.network();
    let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    if routers.len() < 2 || network.channel_count() == 0 {
        return None;
    }
    let traffic = Traffic::new(problem);
    let mut sweep = Sweep { traffic: &traffic, network, best: None };
    sweep.try_order(&routers);
    let cost = routers.len() + network.channel_count() + problem.messages().len();
    let mut orders = (MOST_WORK / cost).clamp(2, 4 * routers.len());
    for (at, &one) in routers.iter().enumerate() {
        if orders < 2 || interrupt.is_raised() {
            break;
        }
        let near = network.distances_from(one);
        let mut order = routers.clone();
        order.sort_by_key(|router| near[router.index()]);
        sweep.try_order(&order);
        // Sorted by how much nearer a router is to `one` than to another, possibly opposite, router.
        for other in [order[order.len() - 1], routers[(at + routers.len() / 2) % routers.len()]] {
            let far = network.distances_from(other);
            let mut order = routers.clone();
            let key =
                |router: RouterId| i64::from(near[router.index()]) - i64::from(far[router.index()]);
            order.sort_by_key(|&router| key(router));
            sweep.try_order(&order);
        }
        orders -= 3.min(orders);
    }
    sweep.improve(&routers, interrupt);
    let (words, channels, inside) = sweep.best?;
    let period = period_of_load(problem, words, channels)?;
    let chosen = network.routers().filter(|router| inside[router.index()]).collect();
    Some(TdmBound { period, certificate: TdmCertificate::Cut { routers: chosen } })
}

/// Words between routers.
struct Traffic {
    /// Per router, the routers that it sends to and receives from, with words.
    sends: Vec<Vec<(u32, u64)>>,
    receives: Vec<Vec<(u32, u64)>>,
}

impl Traffic {
    fn new(problem: &TdmProblem) -> Self {
        let network = problem.network();
        let routers = network.router_count();
        let (mut sends, mut receives) = (vec![Vec::new(); routers], vec![Vec::new(); routers]);
        for message in problem.messages() {
            let (Some(from), Some(to)) = (network.home(message.from), network.home(message.to))
            else {
                continue;
            };
            if from != to {
                sends[from.index()].push((to.0, u64::from(message.weight)));
                receives[to.index()].push((from.0, u64::from(message.weight)));
            }
        }
        Self { sends, receives }
    }
}

struct Sweep<'a> {
    traffic: &'a Traffic,
    network: &'a Network,
    /// Words that leave the best set, channels that leave it, and the set.
    best: Option<(u128, u128, Vec<bool>)>,
}

/// A set of routers with what crosses its border in both directions.
#[derive(Clone)]
struct Border {
    inside: Vec<bool>,
    leaving: [i128; 2],
    channels: [i128; 2],
}

impl Sweep<'_> {
    fn empty(&self) -> Border {
        let inside = vec![false; self.network.router_count()];
        Border { inside, leaving: [0; 2], channels: [0; 2] }
    }

    /// Moves a router to the other side.
    fn flip(&self, border: &mut Border, router: RouterId) {
        let was_inside = border.inside[router.index()];
        // Before it enters, links to the inside cross the border; afterwards those to the outside.
        let sign = |is_other_inside: bool| if is_other_inside == was_inside { 1 } else { -1 };
        let direction = |is_out: bool, is_other_inside: bool| {
            // Index 0 counts what leaves the set, index 1 what enters it.
            let leaves = is_out != is_other_inside;
            usize::from(!leaves)
        };
        for &(to, words) in &self.traffic.sends[router.index()] {
            let other = border.inside[to as usize];
            border.leaving[direction(true, other)] += sign(other) * i128::from(words);
        }
        for &(from, words) in &self.traffic.receives[router.index()] {
            let other = border.inside[from as usize];
            border.leaving[direction(false, other)] += sign(other) * i128::from(words);
        }
        for head in self.network.successors(router) {
            let other = border.inside[head.index()];
            border.channels[direction(true, other)] += sign(other);
        }
        for tail in self.network.predecessors(router) {
            let other = border.inside[tail.index()];
            border.channels[direction(false, other)] += sign(other);
        }
        border.inside[router.index()] = !was_inside;
    }

    /// Keeps the set, or its complement, if it is the best so far.
    fn offer(&mut self, border: &Border) -> bool {
        let mut is_better = false;
        for side in 0..2 {
            let [words, channels] =
                [border.leaving[side], border.channels[side]].map(i128::unsigned_abs);
            let is_best = channels > 0
                && self.best.as_ref().is_none_or(|(w, c, _)| words * c > *w * channels);
            if is_best {
                let inside = border.inside.iter().map(|&is_inside| is_inside == (side == 0));
                self.best = Some((words, channels, inside.collect()));
                is_better = true;
            }
        }
        is_better
    }

    fn try_order(&mut self, order: &[RouterId]) {
        let mut border = self.empty();
        for &router in &order[..order.len() - 1] {
            self.flip(&mut border, router);
            self.offer(&border);
        }
    }

    /// Moves single routers while that helps.
    fn improve(&mut self, routers: &[RouterId], interrupt: &Interrupt) {
        let Some((_, _, inside)) = self.best.clone() else { return };
        let mut border = self.empty();
        for &router in routers.iter().filter(|router| inside[router.index()]) {
            self.flip(&mut border, router);
        }
        let mut is_better = true;
        while is_better && !interrupt.is_raised() {
            is_better = false;
            for &router in routers {
                self.flip(&mut border, router);
                if self.offer(&border) {
                    is_better = true;
                } else {
                    self.flip(&mut border, router);
                }
            }
        }
    }
}
