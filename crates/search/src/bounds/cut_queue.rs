//! Cut-queue bound: messages queue at the channels into a set of routers. No message can enter
//! before it can have reached the set, and the last to enter must still spread inside.

use super::finding::Finding;
use super::queue::{Queue, Worst};
use super::{halves, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, ChannelId, Duplex, Network, Problem, RouterId, Switching};

/// Work limit in routers, channels and deliveries visited, and the largest number of deliveries for
/// which the bound is tried.
const LOOKS: u64 = 20_000_000;
const MOST_DELIVERIES: u64 = 300_000;

/// Largest number of routers around which balls are tried.
const MOST_BALLS: usize = 64;

/// Finds the set of routers that takes the most steps to fill.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let (network, messages) = (problem.network(), problem.messages());
    let is_by_hops = problem.model().switching == Switching::StoreAndForward;
    let deliveries: u64 = messages.ids().map(|m| messages.destinations(m).len() as u64).sum();
    // Under wormhole switching personalised messages only load the channels, which the cut bound
    // already counts.
    if !is_by_hops && deliveries == messages.len() as u64 {
        return Finding::NotApplicable;
    }
    if deliveries > MOST_DELIVERIES {
        let why = format!("{deliveries} deliveries exceed the limit of {MOST_DELIVERIES}");
        return Finding::Skipped { reason: "cut-queue", why };
    }
    let mut search = CutQueueSearch { problem, is_by_hops, best: None };
    let size = (network.router_count() + network.channel_count()) as u64 + deliveries;
    let sets = (LOOKS / size).max(2);
    let mut left = sets;
    let looks = 3 * size * sets / 4;
    halves::for_each(network, looks, interrupt, |near| {
        let far: Vec<bool> = near.iter().map(|inside| !inside).collect();
        for set in [near, &far[..]] {
            if left > 0 {
                left -= 1;
                search.attempt(set);
            }
        }
    });
    let stride = network.router_count().div_ceil(MOST_BALLS);
    for centre in network.routers().step_by(stride) {
        let hops = network.distances_from(centre);
        let furthest = hops.iter().filter(|hops| **hops != u32::MAX).max().map_or(0, |most| *most);
        for radius in 0..furthest {
            if left < 2 || interrupt.is_raised() {
                break;
            }
            left -= 2;
            let near: Vec<bool> = hops.iter().map(|&hops| hops <= radius).collect();
            search.attempt(&near);
            search.attempt(&near.iter().map(|inside| !inside).collect::<Vec<_>>());
        }
    }
    let Some(BestCut { worst: Worst { steps, before, count, after }, room, routers }) = search.best
    else {
        return Finding::without_result("cut-queue", "some of the sets", interrupt);
    };
    let both = if problem.model().duplex == Duplex::Half { " or leave" } else { "" };
    let explanation = format!(
        "{} must enter{both} {}, at most {room} per step{}, so at least {}",
        words::counted(count, "message"),
        words::routers(network, &routers),
        words::queue_ends(" and", before, after),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::CutQueue { routers }, explanation)
}

struct BestCut {
    worst: Worst,
    room: u64,
    routers: Vec<RouterId>,
}

struct CutQueueSearch<'a> {
    problem: &'a Problem,
    is_by_hops: bool,
    best: Option<BestCut>,
}

impl CutQueueSearch<'_> {
    /// Keeps a set if it is the best so far.
    fn attempt(&mut self, is_inside: &[bool]) {
        let network = self.problem.network();
        let (mut queue, inward) = self.queue(is_inside);
        let mut found = (queue.worst(inward.room), inward.room);
        if self.problem.model().duplex == Duplex::Half {
            let outside: Vec<bool> = is_inside.iter().map(|inside| !inside).collect();
            let (others, outward) = self.queue(&outside);
            queue.append(&others);
            let room = inward.channels + outward.without_link;
            let both = queue.worst(room);
            if both.steps > found.0.steps {
                found = (both, room);
            }
        }
        let (worst, room) = found;
        if worst.steps > self.best.as_ref().map_or(0, |best| best.worst.steps) {
            let is_living = |r: &RouterId| is_inside[r.index()] && !network.is_lost(*r);
            let routers = network.routers().filter(is_living).collect();
            self.best = Some(BestCut { worst, room, routers });
        }
    }

    /// For every message that must enter a set, the fewest steps before and after it enters; and
    /// the border of the set.
    fn queue(&self, is_inside: &[bool]) -> (Queue, Border) {
        let (problem, messages) = (self.problem, self.problem.messages());
        let border = Border::new(problem, is_inside, self.is_by_hops);
        let residents = problem.network().routers().filter(|router| is_inside[router.index()]);
        let processors = residents.flat_map(|router| problem.network().residents(router));
        let mut ports: Vec<u64> = processors.map(|&p| problem.send_ports(p).into()).collect();
        ports.sort_unstable_by(|one, other| other.cmp(one));
        let mut growths: Vec<Option<u32>> = vec![None; ports.len() + 1];
        let mut queue = Queue::default();
        for message in messages.ids() {
            let origin = problem.home(messages.origin(message));
            if is_inside[origin.index()] {
                continue;
            }
            let (mut wanted, mut furthest) = (0, 0);
            for &to in messages.destinations(message) {
                let home = problem.home(to);
                if is_inside[home.index()] {
                    wanted += 1;
                    furthest = furthest.max(border.hops_after[home.index()]);
                }
            }
            if wanted == 0 {
                continue;
            }
            let growth = || grown(wanted as u64, border.channels, &ports);
            let mut after = *growths[wanted].get_or_insert_with(growth) - 1;
            let mut before = 0;
            if self.is_by_hops {
                after = after.max(furthest);
                before = border.hops_before[origin.index()];
            }
            queue.push(before, after);
        }
        (queue, border)
    }
}

/// Steps until `wanted` processors of a set can hold a message that enters over `entering`
/// channels. `ports` are the send ports inside, in descending order.
fn grown(wanted: u64, entering: u64, ports: &[u64]) -> u32 {
    let (mut holders, mut offers, mut steps) = (0u64, entering, 0);
    while holders < wanted && offers > 0 {
        let next = (holders + offers).min(ports.len() as u64);
        offers = entering + ports[..next as usize].iter().sum::<u64>();
        holders = next;
        steps += 1;
    }
    steps.max(1)
}

/// The channels into a set.
pub(super) struct Border {
    pub channels: u64,
    pub without_link: u64,
    /// How many messages can enter in one step.
    pub room: u64,
    /// Hops to the nearest channel into the set, and hops from the nearest such channel.
    pub hops_before: Vec<u32>,
    pub hops_after: Vec<u32>,
}

impl Border {
    pub fn new(problem: &Problem, is_inside: &[bool], is_by_hops: bool) -> Self {
        let network = problem.network();
        let (mut tails, mut heads) = (vec![0; is_inside.len()], vec![0; is_inside.len()]);
        let (mut channels, mut without_link) = (0, 0);
        for (number, ends) in (0..).zip(network.channels()) {
            if !is_inside[ends.tail.index()] && is_inside[ends.head.index()] {
                channels += 1;
                without_link += u64::from(network.opposite(ChannelId(number)).is_none());
                tails[ends.tail.index()] += 1;
                heads[ends.head.index()] += 1;
            }
        }
        let mut room = channels;
        let (mut hops_before, mut hops_after) = (Vec::new(), vec![0; is_inside.len()]);
        if is_by_hops {
            let through = |counts: &[u64], ports: &dyn Fn(RouterId) -> u64| -> u64 {
                network.routers().map(|router| counts[router.index()].min(ports(router))).sum()
            };
            let sends = |router: RouterId| {
                network.residents(router).iter().map(|&p| u64::from(problem.send_ports(p))).sum()
            };
            let receives = |router: RouterId| {
                network.residents(router).iter().map(|&p| u64::from(problem.receive_ports(p))).sum()
            };
            room = room.min(through(&tails, &sends)).min(through(&heads, &receives));
            hops_before = hops(network, &tails, Network::predecessors);
            hops_after = hops(network, &heads, Network::successors);
        }
        Self { channels, without_link, room, hops_before, hops_after }
    }
}

/// Hops to the nearest router with a positive count; `neighbours` selects the direction.
fn hops(
    network: &Network,
    counts: &[u64],
    neighbours: for<'n> fn(&'n Network, RouterId) -> &'n [RouterId],
) -> Vec<u32> {
    let mut hops = vec![u32::MAX; counts.len()];
    let mut reached: Vec<RouterId> =
        network.routers().filter(|router| counts[router.index()] > 0).collect();
    reached.iter().for_each(|router| hops[router.index()] = 0);
    let mut at = 0;
    while let Some(&router) = reached.get(at) {
        at += 1;
        for &next in neighbours(network, router) {
            if hops[next.index()] == u32::MAX {
                hops[next.index()] = hops[router.index()] + 1;
                reached.push(next);
            }
        }
    }
    hops
}
