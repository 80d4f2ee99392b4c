//! Lower bounds on an all-reduce as a whole, whose phases may overlap. The judge checks each of them.

use super::cut_queue::Border;
use super::queue::{Queue, Worst};
use super::refused::RefusedBound;
use super::{halves, words};
use crate::budget::Interrupt;
use pavane_model::whole::{WholeBound, WholeCertificate, WholeKind};
use pavane_model::{Duplex, Network, Problem, RouterId, Switching};
use pavane_verify::{Limits, check_whole_bound};
use rustc_hash::FxHashMap;

/// Work limit in routers, channels and deliveries visited by the sets that are tried.
const LOOKS: u64 = 20_000_000;

/// Largest number of routers around which balls are tried.
const MOST_CENTRES: usize = 64;

/// The largest bound on an all-reduce with these phases, whose own bounds are `proved`. After an interrupt
/// only the quick arguments are made.
pub fn of_whole(
    phases: [&Problem; 2],
    proved: [u32; 2],
    interrupt: &Interrupt,
) -> Result<WholeBound, RefusedBound> {
    let [reduce, broadcast] = phases
        .map(|problem| if problem.is_backward() { problem.forward() } else { problem.clone() });
    let phases_forward = [&reduce, &broadcast];
    let mut best = receives(phases_forward);
    let mut keep = |bound: WholeBound| {
        if bound.steps > best.steps {
            best = bound;
        }
    };
    keep(entries(phases_forward));
    if !interrupt.is_raised() {
        let parts = WholeParts::new(phases_forward);
        keep(parts.phase(proved));
        parts.queue(interrupt).into_iter().for_each(keep);
    }
    let limits = Limits::of(broadcast_of(phases));
    match check_whole_bound(phases, proved, &best, limits) {
        Ok(_) => Ok(best),
        // A bound that would take too long to check is replaced by one that needs no search.
        Err(error) if error.over_limit().is_some() => Ok(receives(phases_forward)),
        Err(error) => {
            let reason = format!("{} of the whole", best.certificate.kind.name());
            Err(RefusedBound { reason, error })
        }
    }
}

fn broadcast_of([_, broadcast]: [&Problem; 2]) -> &Problem {
    broadcast
}

/// The entries into routers, over all channels.
fn entries(phases: [&Problem; 2]) -> WholeBound {
    let mut count = 0u64;
    let mut mark = vec![u32::MAX; phases[0].network().router_count()];
    for problem in phases {
        mark.fill(u32::MAX);
        let messages = problem.messages();
        for message in messages.ids() {
            mark[problem.home(messages.origin(message)).index()] = message.0;
            for &to in messages.destinations(message) {
                let mark = &mut mark[problem.home(to).index()];
                count += u64::from(*mark != message.0);
                *mark = message.0;
            }
        }
    }
    let (network, duplex) = (phases[1].network(), phases[1].model().duplex);
    let is_home = |router: RouterId| !network.residents(router).is_empty();
    let mut room = 0u64;
    for (number, ends) in (0..).zip(network.channels()) {
        let opposite = network.opposite(pavane_model::ChannelId(number));
        let is_second = opposite.is_some_and(|other| other.0 < number);
        let is_counted = is_home(ends.tail) || is_home(ends.head);
        room += u64::from(is_counted && !(duplex == Duplex::Half && is_second));
    }
    let steps = if room == 0 { 0 } else { count.div_ceil(room) };
    let over = if duplex == Duplex::Half { "links" } else { "channels" };
    let explanation = format!(
        "contributions and sums enter routers {count} times over {room} {over}, so at least {}",
        words::steps(steps)
    );
    bound(steps, WholeKind::Entries, Vec::new(), explanation)
}

/// The transfers, over all ports.
fn receives(phases: [&Problem; 2]) -> WholeBound {
    let count: u64 = phases.iter().map(|problem| problem.messages().delivery_count() as u64).sum();
    let problem = phases[1];
    let (mut sends, mut receives) = (0u64, 0u64);
    for processor in problem.network().living_processors() {
        sends += u64::from(problem.send_ports(processor));
        receives += u64::from(problem.receive_ports(processor));
    }
    let room = sends.min(receives);
    let steps = if room == 0 { 0 } else { count.div_ceil(room) };
    let explanation = format!(
        "contributions and sums are received {count} times over {room} ports, so at least {}",
        words::steps(steps)
    );
    bound(steps, WholeKind::Receives, Vec::new(), explanation)
}

/// A sum: the router of its root, and its number among the sums there.
type Sum = (RouterId, u32);

/// An all-reduce read in both directions of time, with the least steps of every sum.
struct WholeParts<'a> {
    /// The reduce, read as a broadcast on the reversed network, and the broadcast.
    phases: [&'a Problem; 2],
    /// For each message of each phase, its sum and the least steps that the message needs.
    sums: [Vec<(Sum, u32)>; 2],
}

impl<'a> WholeParts<'a> {
    fn new(phases: [&'a Problem; 2]) -> Self {
        Self { phases, sums: phases.map(sums) }
    }

    fn first(&self, phase: usize) -> u32 {
        self.sums[phase].iter().map(|(_, least)| *least).min().unwrap_or(0)
    }

    /// No sum is complete before the first reduce can be.
    fn phase(&self, proved: [u32; 2]) -> WholeBound {
        let [reduce, broadcast] = proved;
        let (after, before) = (self.first(0) + broadcast, self.first(1) + reduce);
        let explanation = if after >= before {
            format!(
                "no sum is complete in less than {}, and the broadcast takes {}",
                words::steps(self.first(0)),
                words::steps(broadcast)
            )
        } else {
            format!(
                "the reduce takes {}, and every broadcast another {}",
                words::steps(reduce),
                words::steps(self.first(1))
            )
        };
        bound(after.max(before).into(), WholeKind::Phase, Vec::new(), explanation)
    }

    /// The set of routers that takes the most steps to enter, in either direction of time.
    fn queue(&self, interrupt: &Interrupt) -> Option<WholeBound> {
        let network = self.phases[1].network();
        let deliveries = self.phases[1].messages().delivery_count() as u64;
        let size = (network.router_count() + network.channel_count()) as u64 + 2 * deliveries;
        let mut left = LOOKS / (2 * size);
        let mut best: Option<(Worst, Vec<RouterId>)> = None;
        let mut attempt = |is_inside: &[bool]| {
            if left == 0 {
                return;
            }
            left -= 1;
            for backwards in [false, true] {
                let worst = self.worst(is_inside, backwards);
                if worst.steps > best.as_ref().map_or(0, |(best, _)| best.steps) {
                    let is_living = |r: &RouterId| is_inside[r.index()] && !network.is_lost(*r);
                    best = Some((worst, network.routers().filter(is_living).collect()));
                }
            }
        };
        let stride = network.router_count().div_ceil(MOST_CENTRES);
        for centre in network.routers().filter(|&router| !network.is_lost(router)).step_by(stride) {
            if interrupt.is_raised() {
                break;
            }
            attempt(&network.routers().map(|router| router == centre).collect::<Vec<_>>());
        }
        halves::for_each(network, LOOKS / 4, interrupt, |near| {
            attempt(near);
            attempt(&near.iter().map(|inside| !inside).collect::<Vec<_>>());
        });
        for centre in network.routers().filter(|&router| !network.is_lost(router)).step_by(stride) {
            let hops = network.distances_from(centre);
            let furthest =
                hops.iter().filter(|&&hops| hops != u32::MAX).max().map_or(0, |most| *most);
            for radius in 1..furthest {
                if interrupt.is_raised() {
                    break;
                }
                attempt(&hops.iter().map(|&hops| hops <= radius).collect::<Vec<_>>());
                attempt(&hops.iter().map(|&hops| hops > radius).collect::<Vec<_>>());
            }
        }
        let (Worst { steps, before, count, after }, routers) = best?;
        let explanation = format!(
            "{} must enter {}{}, so at least {}",
            words::counted(count, "transfer"),
            words::routers(network, &routers),
            words::queue_ends(",", before, after),
            words::steps(steps),
        );
        Some(bound(steps, WholeKind::Queue, routers, explanation))
    }

    fn worst(&self, is_inside: &[bool], backwards: bool) -> Worst {
        let problem = self.phases[usize::from(!backwards)];
        let (mut queue, inward) = self.entering(is_inside, backwards);
        let mut found = queue.worst(inward.room.max(1));
        if problem.model().duplex == Duplex::Half {
            let outside: Vec<bool> = is_inside.iter().map(|inside| !inside).collect();
            let (others, outward) = self.entering(&outside, backwards);
            queue.append(&others);
            let both = queue.worst((inward.channels + outward.without_link).max(1));
            if both.steps > found.steps {
                found = both;
            }
        }
        found
    }

    /// What must enter a set: the sums of roots outside, and the furthest contribution for each root
    /// inside.
    fn entering(&self, is_inside: &[bool], backwards: bool) -> (Queue, Border) {
        let (before, after) = if backwards { (1, 0) } else { (0, 1) };
        let (reduce, broadcast) = (self.phases[before], self.phases[after]);
        let is_by_hops = broadcast.model().switching == Switching::StoreAndForward;
        let border = Border::new(broadcast, is_inside, is_by_hops);
        let hops_before = |r: RouterId| if is_by_hops { border.hops_before[r.index()] } else { 0 };
        let hops_after = |r: RouterId| if is_by_hops { border.hops_after[r.index()] } else { 0 };
        let mut queue = Queue::default();
        let least =
            |phase: usize| -> FxHashMap<Sum, u32> { self.sums[phase].iter().copied().collect() };
        let (least_before, least_after) = (least(before), least(after));
        let messages = broadcast.messages();
        for (message, (sum, _)) in messages.ids().zip(&self.sums[after]) {
            if is_inside[sum.0.index()] {
                continue;
            }
            let homes = messages.destinations(message).iter().map(|&to| broadcast.home(to));
            let inside = homes.filter(|home| is_inside[home.index()]).map(hops_after).max();
            if let (Some(furthest), Some(complete)) = (inside, least_before.get(sum)) {
                queue.push(complete + hops_before(sum.0), furthest);
            }
        }
        let messages = reduce.messages();
        for (message, (sum, _)) in messages.ids().zip(&self.sums[before]) {
            if !is_inside[sum.0.index()] {
                continue;
            }
            let homes = messages.destinations(message).iter().map(|&to| reduce.home(to));
            let outside = homes.filter(|home| !is_inside[home.index()]).map(hops_before).max();
            if let (Some(furthest), Some(spread)) = (outside, least_after.get(sum)) {
                queue.push(furthest, hops_after(sum.0) + spread);
            }
        }
        (queue, border)
    }
}

/// For each message, its sum and the least steps that it needs alone.
fn sums(problem: &Problem) -> Vec<(Sum, u32)> {
    let (network, messages) = (problem.network(), problem.messages());
    let is_by_hops = problem.model().switching == Switching::StoreAndForward;
    let ports = network.living_processors().map(|p| problem.send_ports(p)).max().unwrap_or(0);
    let mut counts: FxHashMap<RouterId, u32> = FxHashMap::default();
    let mut known: FxHashMap<RouterId, Vec<u32>> = FxHashMap::default();
    let of = |message| {
        let origin = problem.home(messages.origin(message));
        let count = counts.entry(origin).or_default();
        *count += 1;
        let sum = (origin, *count - 1);
        let destinations = messages.destinations(message);
        let mut least = grown(destinations.len() as u64, ports.into());
        if is_by_hops {
            let hops =
                known.entry(origin).or_insert_with(|| Network::distances_from(network, origin));
            let furthest = destinations.iter().map(|&to| hops[problem.home(to).index()]).max();
            least = least.max(furthest.unwrap_or(0));
        }
        (sum, least)
    };
    messages.ids().map(of).collect()
}

/// Steps until `wanted` processors besides the origin can hold a message.
fn grown(wanted: u64, ports: u64) -> u32 {
    let (mut holders, mut steps) = (1u64, 0);
    while holders <= wanted && ports > 0 {
        holders = holders.saturating_mul(1 + ports);
        steps += 1;
    }
    steps
}

fn bound(steps: u64, kind: WholeKind, routers: Vec<RouterId>, explanation: String) -> WholeBound {
    let steps = u32::try_from(steps).unwrap_or(u32::MAX);
    WholeBound { steps, explanation, certificate: WholeCertificate { kind, routers } }
}
