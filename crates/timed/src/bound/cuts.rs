//! Cuts: what a receiver wants from a set of routers must leave the set, over channels that are of use
//! only between the first arrival of such a byte and the last moment from which it still reaches the
//! receiver.

use super::{Bounded, NEVER, fast_parts, latencies, least_time};
use crate::case::{PhaseCase, TimedCase};
use pavane_model::timed::TimeCertificate;
use pavane_model::{ChannelId, Fraction, ProcessorId, RouterId};
use std::cmp::Reverse;

/// The most pairs of a set and a receiver that are tried.
const MOST_TRIES: usize = 20_000;

/// A channel that leaves a set, its tail, and the latency from its start to the receiver.
type Border = (ChannelId, RouterId, u64);

/// The latencies from a router to the tails of border channels.
type Reach<'a> = dyn FnMut(RouterId, &[Border]) -> Vec<u64> + 'a;

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
pub(super) fn best_cut(case: &TimedCase, mut sets: Vec<Vec<bool>>) -> Option<Bounded> {
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
