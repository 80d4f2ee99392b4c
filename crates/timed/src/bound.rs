//! Lower bounds on the time of all schedules, each with a certificate.
//!
//! A cut: what a receiver wants from a set of routers must leave the set, over channels that are of
//! use only between the first arrival of such a byte and the last moment from which it still reaches
//! the receiver. Prices do the same for all messages together. In an all-reduce every byte goes to a
//! participant that sums and back to all. The throughput limit ignores latencies.

use crate::case::{PhaseCase, TimedCase};
use pavane_model::throughput::LimitCertificate;
use pavane_model::timed::TimeCertificate;
use pavane_model::{ChannelId, Fraction, MessageId, ProcessorId, RouterId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// A time that no path takes.
const NEVER: u64 = u64::MAX;

/// The most pairs of a set and a receiver that are tried.
const MOST_TRIES: usize = 20_000;

/// The most sets whose borders are tried as prices.
const MOST_PRICED: usize = 32;

/// The most channels that the shortest paths of all tried prices pass.
const MOST_PASSED: usize = 5_000_000;

/// A channel that leaves a set, its tail, and the latency from its start to the receiver.
type Border = (ChannelId, RouterId, u64);

/// The latencies from a router to the tails of border channels.
type Reach<'a> = dyn FnMut(RouterId, &[Border]) -> Vec<u64> + 'a;

/// A bound in units, with its certificate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounded {
    pub time: Fraction,
    pub certificate: TimeCertificate,
}

/// The best bound. `limit` is the certificate of the throughput limit, with the limit in nanoseconds
/// for messages of the smallest size.
pub(crate) fn bound(
    case: &TimedCase,
    limit: Option<(Fraction, LimitCertificate)>,
) -> Option<Bounded> {
    let mut best: Option<Bounded> = None;
    let mut keep = |found: Option<Bounded>| {
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found.time > best.time)
        {
            best = Some(found);
        }
    };
    let mut sets = Vec::new();
    if let Some((ns, certificate)) = limit {
        let time = ns.checked_div(case.times.unit_ns);
        let phase = &case.phases[0];
        match &certificate {
            LimitCertificate::Cut { routers } if case.phases.len() == 1 => {
                sets.push(inside(phase, routers));
            }
            LimitCertificate::Prices { prices } if case.phases.len() == 1 => {
                keep(priced(case, phase, prices));
            }
            _ => {}
        }
        let certificate = TimeCertificate::Throughput { limit: certificate };
        keep(time.map(|time| Bounded { time, certificate }));
    }
    if let [phase] = &case.phases[..] {
        for prices in offered_prices(case, phase) {
            keep(priced(case, phase, &prices));
        }
    }
    keep(best_cut(case, sets));
    keep(roots(case));
    best
}

/// Prices that often give good bounds: of 1 for the channels that leave routers that copy, if messages
/// have several destinations; of 1 for all, of the time of a byte, and of 1 for the channels that
/// leave a box, the home of a sender, or all routers but the home of a receiver. Under half duplex also
/// for both directions of these.
fn offered_prices(case: &TimedCase, phase: &PhaseCase) -> Vec<Vec<u64>> {
    let channels = (0..phase.problem.network().channel_count() as u32).map(ChannelId);
    let is_half = case.resource.iter().zip(channels.clone()).any(|(&link, own)| link != own.0);
    let mut offered = Vec::new();
    if !phase.is_personalised() {
        // How fast the holders of a message can grow in number.
        let leaves_holder = |channel| u64::from(phase.copying[phase.ends(channel).0.index()]);
        offered.push(channels.clone().map(leaves_holder).collect());
    }
    if is_half || phase.is_personalised() {
        offered.push(vec![1; channels.len()]);
        offered.push(channels.map(|channel| case.times.per_byte(channel)).collect());
        let mut sets = fast_parts(case, phase);
        sets.truncate(MOST_PRICED);
        sets.extend(homes(case, phase));
        let most = MOST_PASSED / (phase.routers() * case.resource.len()).max(1);
        for set in sets.iter().take(most.clamp(4, 2 * MOST_PRICED)) {
            let one = border_prices(phase, set);
            if is_half {
                let outside: Vec<bool> = set.iter().map(|inside| !inside).collect();
                let other = border_prices(phase, &outside);
                offered.push(one.iter().zip(other).map(|(one, other)| one + other).collect());
            }
            offered.push(one);
        }
    }
    offered
}

/// The routers one by one, and all but one: those first whose channels need longest for what they send
/// or receive.
fn homes(case: &TimedCase, phase: &PhaseCase) -> Vec<Vec<bool>> {
    let (mut sent, mut received) = (vec![0u64; phase.routers()], vec![0u64; phase.routers()]);
    for (message, &bytes) in phase.sizes.iter().enumerate() {
        let to = phase.wanted_at(message);
        to.iter().for_each(|to| received[to.index()] += bytes);
        sent[phase.origin(message).index()] += if to.is_empty() { 0 } else { bytes };
    }
    let rate = |channels: &[ChannelId]| -> f64 {
        channels.iter().map(|&channel| 1.0 / case.times.per_byte(channel) as f64).sum()
    };
    let mut ranked: Vec<(f64, usize, bool)> = Vec::new();
    for router in (0..phase.routers() as u32).map(RouterId) {
        let at = router.index();
        ranked.push((sent[at] as f64 / rate(phase.outgoing(router)), at, true));
        ranked.push((received[at] as f64 / rate(phase.incoming(router)), at, false));
    }
    ranked.retain(|&(time, ..)| time.is_finite() && time > 0.0);
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let set = |(_, at, is_alone)| (0..phase.routers()).map(|it| (it == at) == is_alone).collect();
    ranked.into_iter().take(MOST_PRICED).map(set).collect()
}

/// A price of 1 for every channel that leaves a set.
fn border_prices(phase: &PhaseCase, inside: &[bool]) -> Vec<u64> {
    let channels = (0..phase.problem.network().channel_count() as u32).map(ChannelId);
    let leaves = |channel| {
        let (from, to) = phase.ends(channel);
        u64::from(inside[from.index()] && !inside[to.index()])
    };
    channels.map(leaves).collect()
}

/// The set in the forward problem: in a backward phase the routers of a certificate are those that
/// the sums leave.
fn inside(phase: &PhaseCase, routers: &[RouterId]) -> Vec<bool> {
    let mut inside = vec![phase.is_backward; phase.routers()];
    routers.iter().for_each(|router| inside[router.index()] = !phase.is_backward);
    inside
}

/// Latencies between all routers, and cuts of the last phase, whose data flows forwards in an
/// all-reduce.
struct Cuts<'a> {
    case: &'a TimedCase,
    phase: &'a PhaseCase,
    /// `between[a][b]` is the smallest latency from router a to router b.
    between: Vec<Vec<u64>>,
    /// By processor: where the messages start that it wants, and their bytes.
    wanted: Vec<Vec<(RouterId, u64)>>,
    is_all_reduce: bool,
    total: u64,
}

/// The best cut over the given sets and those around origins and receivers.
fn best_cut(case: &TimedCase, mut sets: Vec<Vec<bool>>) -> Option<Bounded> {
    let phase = case.phases.last()?;
    let latency = |channel: ChannelId| case.times.latency(channel);
    let between: Vec<Vec<u64>> = (0..phase.routers() as u32)
        .map(|router| latencies(phase, RouterId(router), None, &latency))
        .collect();
    let cuts = Cuts {
        case,
        phase,
        between,
        wanted: wanted(phase),
        is_all_reduce: case.phases.len() > 1,
        total: phase.sizes.iter().sum(),
    };
    sets.extend(fast_parts(case, phase));
    for router in 0..phase.routers() {
        let mut alone = vec![false; phase.routers()];
        alone[router] = true;
        sets.push(alone.iter().map(|inside| !inside).collect());
        sets.push(alone);
    }
    let receivers = cuts.receivers();
    let mut found: Vec<(f64, usize, ProcessorId)> = Vec::new();
    let tries = sets.len().saturating_mul(receivers.len().max(1));
    let stride = tries.div_ceil(MOST_TRIES).max(1);
    let pairs = (0..sets.len()).flat_map(|set| receivers.iter().map(move |&to| (set, to)));
    for (set, to) in pairs.step_by(stride) {
        if let Some(time) = cuts.estimate(&sets[set], to) {
            found.push((time, set, to));
        }
    }
    // Everything farther than some latency from a receiver.
    for &to in receivers.iter().take(MOST_TRIES / phase.routers().max(1)) {
        let home = phase.problem.home(to);
        let mut steps: Vec<u64> =
            (0..phase.routers()).map(|r| cuts.between[r][home.index()]).collect();
        steps.sort_unstable();
        steps.dedup();
        for &step in steps.iter().filter(|&&step| step != NEVER) {
            let far = (0..phase.routers()).map(|r| cuts.between[r][home.index()] > step);
            let far: Vec<bool> = far.collect();
            if let Some(time) = cuts.estimate(&far, to) {
                found.push((time, sets.len(), to));
                sets.push(far);
            }
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut best: Option<Bounded> = None;
    for &(_, set, to) in found.iter().take(8) {
        let Some(time) = cuts.exact(&sets[set], to) else { continue };
        if best.as_ref().is_none_or(|best| time > best.time) {
            let is_listed = |router: &RouterId| sets[set][router.index()] != phase.is_backward;
            let all = (0..phase.routers() as u32).map(RouterId);
            let routers = all.filter(is_listed).collect();
            best =
                Some(Bounded { time, certificate: TimeCertificate::Cut { routers, receiver: to } });
        }
    }
    best
}

/// The parts of the network that fast channels connect, for every bandwidth.
fn fast_parts(case: &TimedCase, phase: &PhaseCase) -> Vec<Vec<bool>> {
    let network = phase.problem.network();
    let channels = (0..network.channel_count() as u32).map(ChannelId);
    let mut speeds: Vec<u64> =
        channels.clone().map(|channel| case.times.per_byte(channel)).collect();
    speeds.sort_unstable();
    speeds.dedup();
    let mut sets = Vec::new();
    for &slowest in speeds.iter().take(8) {
        let mut part: Vec<usize> = (0..phase.routers()).collect();
        fn find(part: &mut [usize], mut at: usize) -> usize {
            while part[at] != at {
                part[at] = part[part[at]];
                at = part[at];
            }
            at
        }
        for channel in channels.clone().filter(|&channel| case.times.per_byte(channel) <= slowest) {
            let (from, to) = phase.ends(channel);
            let (one, other) = (find(&mut part, from.index()), find(&mut part, to.index()));
            part[one] = other;
        }
        let roots: Vec<usize> = (0..part.len()).map(|at| find(&mut part, at)).collect();
        let mut known = roots.clone();
        known.sort_unstable();
        known.dedup();
        if known.len() == 1 || known.len() > 64 {
            continue;
        }
        for root in known {
            let set: Vec<bool> = roots.iter().map(|&other| other == root).collect();
            sets.push(set.iter().map(|inside| !inside).collect());
            sets.push(set);
        }
    }
    sets
}

/// By processor: where the messages start that it wants, and their bytes.
fn wanted(phase: &PhaseCase) -> Vec<Vec<(RouterId, u64)>> {
    let messages = phase.problem.messages();
    let mut wanted = vec![Vec::new(); phase.problem.network().processor_count()];
    for message in messages.ids() {
        let source = (phase.origin(message.index()), phase.sizes[message.index()]);
        for to in messages.destinations(message) {
            wanted[to.index()].push(source);
        }
    }
    wanted
}

impl Cuts<'_> {
    /// The processors that want something.
    fn receivers(&self) -> Vec<ProcessorId> {
        let processors = (0..self.wanted.len() as u32).map(ProcessorId);
        let wants = |to: &ProcessorId| self.wanted[to.index()].iter().any(|(_, bytes)| *bytes > 0);
        processors.filter(wants).collect()
    }

    /// What must leave a set for a receiver: the bytes that start at each router. In an all-reduce
    /// each of them stands alone.
    fn sources(&self, inside: &[bool], to: ProcessorId) -> Vec<(RouterId, u64)> {
        if self.is_all_reduce {
            let group = self.phase.problem.collective().receivers.iter();
            let mut homes: Vec<RouterId> = group.map(|&p| self.phase.problem.home(p)).collect();
            homes.retain(|home| inside[home.index()]);
            homes.sort_unstable();
            homes.dedup();
            return homes.into_iter().map(|home| (home, self.total)).collect();
        }
        let mut bytes = vec![0; inside.len()];
        for &(origin, size) in self.wanted[to.index()].iter().filter(|it| inside[it.0.index()]) {
            bytes[origin.index()] += size;
        }
        let sources = bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
        sources.map(|(router, &bytes)| (RouterId(router as u32), bytes)).collect()
    }

    /// The channels that leave a set, with the latency from their start to the receiver.
    fn border(&self, inside: &[bool], home: RouterId) -> Vec<Border> {
        let network = self.phase.problem.network();
        let mut border = Vec::new();
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            let (from, to) = self.phase.ends(channel);
            let rest = self.between[to.index()][home.index()];
            if inside[from.index()] && !inside[to.index()] && rest != NEVER {
                border.push((channel, from, rest + self.case.times.latency(channel)));
            }
        }
        border
    }

    /// A bound, computed quickly, with latencies that may leave the set.
    fn estimate(&self, inside: &[bool], to: ProcessorId) -> Option<f64> {
        let reach = |source: RouterId, tail: RouterId| self.between[source.index()][tail.index()];
        self.value(inside, to, &mut |source, border| {
            border.iter().map(|&(_, tail, _)| reach(source, tail)).collect()
        })
        .map(Fraction::to_f64)
    }

    /// The bound that the judge derives.
    fn exact(&self, inside: &[bool], to: ProcessorId) -> Option<Fraction> {
        let latency = |channel: ChannelId| self.case.times.latency(channel);
        self.value(inside, to, &mut |source, border| {
            let least = latencies(self.phase, source, Some(inside), &latency);
            border.iter().map(|&(_, tail, _)| least[tail.index()]).collect()
        })
    }

    fn value(&self, inside: &[bool], to: ProcessorId, reach: &mut Reach<'_>) -> Option<Fraction> {
        let home = self.phase.problem.home(to);
        if inside[home.index()] {
            return None;
        }
        let border = self.border(inside, home);
        let mut sources: Vec<(u64, u64, Vec<u64>)> = Vec::new();
        for (source, bytes) in self.sources(inside, to) {
            let opens = reach(source, &border);
            let nearest = opens.iter().copied().min().filter(|&time| time != NEVER)?;
            sources.push((nearest, bytes, opens));
        }
        sources.sort_by_key(|source| Reverse(source.0));
        let mut opens = vec![NEVER; border.len()];
        let (mut bytes, mut best) = (0u64, None::<Fraction>);
        for (at, (nearest, more, own)) in sources.iter().enumerate() {
            if self.is_all_reduce {
                opens.fill(NEVER);
                bytes = 0;
            }
            bytes += more;
            opens.iter_mut().zip(own).for_each(|(open, &time)| *open = (*open).min(time));
            let is_same = sources.get(at + 1).is_some_and(|next| next.0 == *nearest);
            if is_same && !self.is_all_reduce {
                continue;
            }
            let windows = border.iter().zip(&opens).filter(|(_, open)| **open != NEVER);
            let windows = windows.map(|(&(channel, _, rest), &open)| {
                (open + rest, Fraction::new(1, self.case.times.per_byte(channel).into()))
            });
            let time = least_time(windows.collect(), Fraction::from(bytes))?;
            best = Some(best.map_or(time, |best| best.max(time)));
        }
        best
    }
}

/// The smallest time in which channels carry this much, if each is idle for some time.
fn least_time(mut windows: Vec<(u64, Option<Fraction>)>, needed: Fraction) -> Option<Fraction> {
    if needed.is_zero() {
        return None;
    }
    windows.sort_by_key(|window| window.0);
    let (mut rate, mut lost) = (Fraction::ZERO, Fraction::ZERO);
    for (at, &(idle, own)) in windows.iter().enumerate() {
        rate = rate.checked_add(own?)?;
        lost = lost.checked_add(Fraction::from(idle).checked_mul(own?)?)?;
        let time = needed.checked_add(lost)?.checked_div(rate)?;
        if windows.get(at + 1).is_none_or(|next| time <= Fraction::from(next.0)) {
            return Some(time);
        }
    }
    None
}

/// The bound of prices.
fn priced(case: &TimedCase, phase: &PhaseCase, prices: &[u64]) -> Option<Bounded> {
    let messages = phase.problem.messages();
    let latency = |channel: ChannelId| case.times.latency(channel);
    let price = |channel: ChannelId| prices[channel.index()];
    let (mut paid, mut entered) = (0u128, 0u128);
    let from_copy = from_copying(phase, prices);
    let cheapest = |router: RouterId| {
        let way = |&it: &ChannelId| from_copy[phase.ends(it).0.index()].saturating_add(price(it));
        phase.incoming(router).iter().map(way).min().filter(|&way| way != NEVER)
    };
    let mut opens = vec![NEVER; phase.routers()];
    let mut rests = vec![NEVER; phase.routers()];
    let mut by_origin: Vec<Vec<MessageId>> = vec![Vec::new(); phase.routers()];
    let mut is_end = vec![false; phase.routers()];
    for message in messages.ids().filter(|message| phase.sizes[message.index()] > 0) {
        by_origin[phase.origin(message.index()).index()].push(message);
        for &to in messages.destinations(message) {
            is_end[phase.problem.home(to).index()] = true;
        }
    }
    for (origin, group) in by_origin.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
        let origin = RouterId(origin as u32);
        let costs = latencies(phase, origin, None, &price);
        for &message in group {
            let homes = messages.destinations(message).iter().map(|&to| phase.problem.home(to));
            let dearest = homes.map(|home| costs[home.index()]).max()?;
            let bytes = u128::from(phase.sizes[message.index()]);
            paid += u128::from(dearest) * bytes;
            for home in phase.wanted_at(message.index()) {
                entered += u128::from(cheapest(home).unwrap_or(0)) * bytes;
            }
        }
        let least = latencies(phase, origin, None, &latency);
        opens.iter_mut().zip(least).for_each(|(open, time)| *open = (*open).min(time));
    }
    // Latencies to the nearest end, by relaxation against the direction of the channels.
    let mut queue: BinaryHeap<Reverse<(u64, RouterId)>> = BinaryHeap::new();
    for end in (0..phase.routers() as u32).map(RouterId).filter(|end| is_end[end.index()]) {
        rests[end.index()] = 0;
        queue.push(Reverse((0, end)));
    }
    while let Some(Reverse((time, router))) = queue.pop() {
        if time > rests[router.index()] {
            continue;
        }
        for &channel in phase.incoming(router) {
            let (from, _) = phase.ends(channel);
            let time = time + latency(channel);
            if time < rests[from.index()] {
                rests[from.index()] = time;
                queue.push(Reverse((time, from)));
            }
        }
    }
    // By channel or half-duplex link: when it opens, the rest of the way, and its rate.
    let mut uses: BTreeMap<u32, (u64, u64, Fraction)> = BTreeMap::new();
    for (number, &price) in prices.iter().enumerate().filter(|(_, price)| **price > 0) {
        let channel = ChannelId(number as u32);
        let (from, to) = phase.ends(channel);
        let (open, rest) = (opens[from.index()], rests[to.index()]);
        if open != NEVER && rest != NEVER {
            let rate = Fraction::new(price.into(), case.times.per_byte(channel).into())?;
            let (open, rest) = (open, rest + latency(channel));
            let all = uses.entry(case.resource[number]).or_insert((open, rest, rate));
            *all = (all.0.min(open), all.1.min(rest), all.2.max(rate));
        }
    }
    let windows = uses.into_values().map(|(open, rest, rate)| (open + rest, Some(rate)));
    let time = least_time(windows.collect(), Fraction::new(paid.max(entered), 1)?)?;
    Some(Bounded { time, certificate: TimeCertificate::Prices { prices: prices.to_vec() } })
}

/// By router: the price of the cheapest way from a router that copies. A switch that does not copy
/// sends on every copy once.
fn from_copying(phase: &PhaseCase, prices: &[u64]) -> Vec<u64> {
    let mut least: Vec<u64> =
        phase.copying.iter().map(|&copies| if copies { 0 } else { NEVER }).collect();
    let all = (0..phase.routers() as u32).map(RouterId);
    let mut changed: VecDeque<RouterId> = all.filter(|r| phase.copying[r.index()]).collect();
    while let Some(router) = changed.pop_front() {
        for &channel in phase.outgoing(router) {
            let (from, to) = phase.ends(channel);
            let price = least[from.index()].saturating_add(prices[channel.index()]);
            if price < least[to.index()] {
                least[to.index()] = price;
                changed.push_back(to);
            }
        }
    }
    least
}

/// Every byte of an all-reduce is summed at a participant: the time from the farthest one to it and
/// from it to the farthest one.
fn roots(case: &TimedCase) -> Option<Bounded> {
    let [_, phase] = &case.phases[..] else { return None };
    let group = phase.problem.collective().receivers.iter();
    let mut homes: Vec<RouterId> = group.map(|&p| phase.problem.home(p)).collect();
    homes.sort_unstable();
    homes.dedup();
    let latency = |channel: ChannelId| case.times.latency(channel);
    let mut into = vec![0; homes.len()];
    let mut out = Vec::new();
    for &from in &homes {
        let least = latencies(phase, from, None, &latency);
        let reached: Vec<u64> = homes.iter().map(|home| least[home.index()]).collect();
        into.iter_mut()
            .zip(&reached)
            .for_each(|(most, &time): (&mut u64, _)| *most = time.max(*most));
        out.push(reached.into_iter().max()?);
    }
    let sums = into.iter().zip(out).map(|(&into, out)| into.saturating_add(out));
    let least = sums.min().filter(|&sum| sum != NEVER && sum > 0)?;
    Some(Bounded { time: Fraction::from(least), certificate: TimeCertificate::Roots })
}

/// The smallest sum of lengths from a router to every router, through routers of a set only.
pub(crate) fn latencies(
    phase: &PhaseCase,
    from: RouterId,
    set: Option<&[bool]>,
    length: &dyn Fn(ChannelId) -> u64,
) -> Vec<u64> {
    let mut least = vec![NEVER; phase.routers()];
    least[from.index()] = 0;
    let mut queue = BinaryHeap::from([Reverse((0u64, from))]);
    while let Some(Reverse((time, router))) = queue.pop() {
        if time > least[router.index()] {
            continue;
        }
        for &channel in phase.outgoing(router) {
            let (_, to) = phase.ends(channel);
            let next = time + length(channel);
            if set.is_none_or(|set| set[to.index()]) && next < least[to.index()] {
                least[to.index()] = next;
                queue.push(Reverse((next, to)));
            }
        }
    }
    least
}
