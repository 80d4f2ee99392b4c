//! Cut-growth bound: a message enters a set of routers over the channels into it. In one step the
//! holders inside grow at most by the number of these channels plus the send ports of the holders
//! inside.

use super::finding::Finding;
use super::{halves, words};
use crate::budget::{Budget, Interrupt};
use crate::flow::Flow;
use pavane_model::{Certificate, MessageId, Problem, RouterId};

/// Routers up to which all sets are tried.
const MOST_ROUTERS: usize = 16;

/// Work limit for each family of sets in a larger network, in routers and channels visited.
const LOOKS: u64 = 5_000_000;

/// Estimated work of a flow, as a multiple of the size of the network.
const ROUNDS: u64 = 20;

/// Largest number of messages with several destinations that are tried.
const MOST_MESSAGES: usize = 16;

/// Finds the set of routers that takes a message the most steps to fill.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let spreads = spreads(problem);
    if spreads.is_empty() {
        return Finding::NotApplicable;
    }
    let network = problem.network();
    let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let mut search = CutGrowthSearch::new(problem, spreads, interrupt);
    if routers.len() <= MOST_ROUTERS {
        search.try_all(&routers)
    } else {
        search.try_promising()
    }
    let Some(BestSet { steps, message, routers, entering, wanted }) = search.best else {
        return Finding::without_result("cut-growth", "some of the sets", interrupt);
    };
    let explanation = format!(
        "the message of {} enters {} over {} and needs at least {} to reach {} there",
        words::processor(network, problem.messages().origin(message)),
        words::routers(network, &routers),
        words::counted(entering, "channel"),
        words::steps(steps),
        words::counted(wanted, "destination"),
    );
    Finding::proved(steps, Certificate::CutGrowth { message, routers }, explanation)
}

/// The origin of a message with several destinations, and the number of its destinations on each
/// router.
struct Spread {
    message: MessageId,
    origin: RouterId,
    wanted: Vec<u64>,
}

/// The messages with the most destinations, at most one per origin router.
fn spreads(problem: &Problem) -> Vec<Spread> {
    let messages = problem.messages();
    let size = |message: MessageId| messages.destinations(message).len();
    let mut shared: Vec<MessageId> = messages.ids().filter(|&m| size(m) > 1).collect();
    shared.sort_by_key(|&message| std::cmp::Reverse(size(message)));
    let mut spreads: Vec<Spread> = Vec::new();
    for message in shared {
        let origin = problem.home(messages.origin(message));
        if spreads.iter().all(|spread| spread.origin != origin) {
            let mut wanted = vec![0; problem.network().router_count()];
            for &to in messages.destinations(message) {
                wanted[problem.home(to).index()] += 1;
            }
            spreads.push(Spread { message, origin, wanted });
        }
        if spreads.len() == MOST_MESSAGES {
            break;
        }
    }
    spreads
}

/// A set of routers that changes by one router at a time, and the best set so far.
struct CutGrowthSearch<'a> {
    problem: &'a Problem,
    interrupt: &'a Interrupt,
    spreads: Vec<Spread>,
    is_inside: Vec<bool>,
    entering: u64,
    // For every message, the number of its destinations inside.
    wanted: Vec<u64>,
    fewest_ports: u64,
    best: Option<BestSet>,
}

/// The best bound so far, with its set.
struct BestSet {
    steps: u64,
    message: MessageId,
    routers: Vec<RouterId>,
    entering: u64,
    wanted: u64,
}

impl<'a> CutGrowthSearch<'a> {
    fn new(problem: &'a Problem, spreads: Vec<Spread>, interrupt: &'a Interrupt) -> Self {
        let network = problem.network();
        let ports = network.living_processors().map(|p| u64::from(problem.send_ports(p)));
        Self {
            problem,
            interrupt,
            is_inside: vec![false; network.router_count()],
            entering: 0,
            wanted: vec![0; spreads.len()],
            spreads,
            fewest_ports: ports.min().unwrap_or(0),
            best: None,
        }
    }

    fn toggle(&mut self, router: RouterId) {
        let network = self.problem.network();
        let is_going = self.is_inside[router.index()];
        for &channel in network.in_channels(router) {
            let is_from_inside = self.is_inside[network.channel(channel).tail.index()];
            match (is_from_inside, is_going) {
                (true, _) => {}
                (false, true) => self.entering -= 1,
                (false, false) => self.entering += 1,
            }
        }
        for &channel in network.out_channels(router) {
            let is_to_inside = self.is_inside[network.channel(channel).head.index()];
            match (is_to_inside, is_going) {
                (false, _) => {}
                (true, true) => self.entering += 1,
                (true, false) => self.entering -= 1,
            }
        }
        for (wanted, spread) in self.wanted.iter_mut().zip(&self.spreads) {
            if is_going {
                *wanted -= spread.wanted[router.index()]
            } else {
                *wanted += spread.wanted[router.index()]
            }
        }
        self.is_inside[router.index()] = !is_going;
    }

    /// Tries all sets in Gray-code order, so that consecutive sets differ by one router.
    fn try_all(&mut self, routers: &[RouterId]) {
        let mut pace = Budget::unlimited(self.interrupt);
        for set in 1u32..1 << routers.len() {
            if !pace.spend(1) {
                return;
            }
            self.toggle(routers[set.trailing_zeros() as usize]);
            self.note();
        }
    }

    /// Tries both sides of the cuts at each channel, the routers beyond each distance from an
    /// origin, and minimum cuts between an origin and other routers.
    fn try_promising(&mut self) {
        let network = self.problem.network();
        halves::for_each(network, LOOKS, self.interrupt, |is_inside| {
            self.try_set(|router| is_inside[router]);
            self.try_set(|router| !is_inside[router]);
        });
        let size = (network.router_count() + network.channel_count()) as u64;
        let sets = (LOOKS / size / self.spreads.len() as u64).max(1);
        let arcs: Vec<_> = network.channels().iter().map(|c| (c.tail.0, c.head.0, 1)).collect();
        let mut flow = Flow::new(network.router_count(), &arcs);
        let origins: Vec<RouterId> = self.spreads.iter().map(|spread| spread.origin).collect();
        for origin in origins {
            let distance = network.distances_from(origin);
            let furthest = distance.iter().filter(|d| **d != u32::MAX).max().map_or(0, |d| *d);
            for radius in 0..furthest.min(u32::try_from(sets).unwrap_or(u32::MAX)) {
                if self.interrupt.is_raised() {
                    return;
                }
                self.try_set(|router| distance[router] > radius);
            }
            let stride = network.router_count().div_ceil((sets / ROUNDS).max(1) as usize);
            for other in network.routers().step_by(stride).filter(|&other| other != origin) {
                if self.interrupt.is_raised() {
                    return;
                }
                flow.clear();
                flow.push(origin.index(), other.index(), u64::MAX);
                let side = flow.side_of(origin.index());
                self.try_set(|router| !side[router]);
            }
        }
    }

    fn try_set(&mut self, is_inside: impl Fn(usize) -> bool) {
        for router in self.problem.network().routers() {
            if self.is_inside[router.index()] != is_inside(router.index()) {
                self.toggle(router);
            }
        }
        self.note();
    }

    /// Keeps the set if it is the best so far.
    fn note(&mut self) {
        let beaten = self.best.as_ref().map_or(0, |best| best.steps);
        let entering = self.entering;
        for (at, spread) in self.spreads.iter().enumerate() {
            let wanted = self.wanted[at];
            // Quick check: most sets are filled within `beaten` steps even if every processor has
            // only the fewest send ports of any.
            if self.is_inside[spread.origin.index()]
                || !is_unfilled_after(beaten, entering, wanted, |_, new| self.fewest_ports * new)
            {
                continue;
            }
            let ports = self.ports_inside();
            let of_most = |holders: u64, new: u64| {
                ports[holders as usize..(holders + new) as usize].iter().sum::<u64>()
            };
            let mut steps = beaten;
            while is_unfilled_after(steps, entering, wanted, of_most) {
                steps += 1;
            }
            if steps > beaten {
                let (message, routers) = (spread.message, self.routers_inside());
                self.best = Some(BestSet { steps, message, routers, entering, wanted });
                return;
            }
        }
    }

    fn routers_inside(&self) -> Vec<RouterId> {
        let network = self.problem.network();
        let is_inside = |r: &RouterId| self.is_inside[r.index()] && !network.is_lost(*r);
        network.routers().filter(is_inside).collect()
    }

    /// The send ports of the processors inside, in descending order.
    fn ports_inside(&self) -> Vec<u64> {
        let network = self.problem.network();
        let routers = self.routers_inside().into_iter();
        let residents = routers.flat_map(|router| network.residents(router));
        let mut ports: Vec<u64> = residents.map(|&p| self.problem.send_ports(p).into()).collect();
        ports.sort_unstable_by(|a, b| b.cmp(a));
        ports
    }
}

/// Whether, after `steps` steps, fewer than `wanted` processors of a set can hold a message that
/// enters over `entering` channels. `ports(h, n)` are the send ports of the n holders after the
/// first h.
fn is_unfilled_after(
    steps: u64,
    entering: u64,
    wanted: u64,
    ports: impl Fn(u64, u64) -> u64,
) -> bool {
    let (mut holders, mut offers) = (0, 0);
    for _ in 0..steps {
        let new = (entering + offers).min(wanted - holders);
        offers += ports(holders, new);
        holders += new;
        if holders == wanted {
            return false;
        }
    }
    holders < wanted
}
