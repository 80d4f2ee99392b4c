//! Lower bounds on the time of all schedules, each with a certificate.
//!
//! Cuts look at what one receiver wants, prices at all messages together. In an all-reduce every byte
//! goes to a participant that sums and back to all. The throughput limit ignores latencies.

mod cuts;
mod prices;

use crate::case::{PhaseCase, TimedCase};
use cuts::best_cut;
use pavane_model::throughput::LimitCertificate;
use pavane_model::timed::TimeCertificate;
use pavane_model::{ChannelId, Fraction, RouterId};
use prices::{offered_prices, priced};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A time that no path takes.
const NEVER: u64 = u64::MAX;

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

/// The set in the forward problem: in a backward phase the routers of a certificate are those that
/// the sums leave.
fn inside(phase: &PhaseCase, routers: &[RouterId]) -> Vec<bool> {
    let mut inside = vec![phase.is_backward; phase.routers()];
    routers.iter().for_each(|router| inside[router.index()] = !phase.is_backward);
    inside
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
