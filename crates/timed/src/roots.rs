//! Roots of an all-reduce: each sum may be completed at any processor, so one root in the middle of the
//! network is as valid as one for every processor, and has fewer latencies to wait for.

use crate::bound::latencies;
use crate::case::TimedCase;
use crate::solve::{TimedRequest, TimedSearchError};
use pavane_model::timed::BufferSize;
use pavane_model::{Collective, Problem, ProcessorId, RouterId};

/// The most sets of roots besides the given one.
const MOST_SETS: usize = 8;

/// An all-reduce with certain roots, whole and by phase.
pub(crate) struct RootsCase {
    pub problems: Vec<Problem>,
    pub whole: TimedCase,
    pub parts: [TimedCase; 2],
}

impl RootsCase {
    fn new(problems: Vec<Problem>, request: &TimedRequest<'_>) -> Result<Self, TimedSearchError> {
        let part = |at: usize| TimedCase::new(&problems[at..=at], request.size, request.duplex);
        let parts = [part(0)?, part(1)?];
        let whole = TimedCase::new(&problems, request.size, request.duplex)?;
        Ok(Self { problems, whole, parts })
    }
}

/// The all-reduce with the given roots, then with other ones, the most promising first.
pub(crate) fn cases(
    problems: &[Problem],
    request: &TimedRequest<'_>,
) -> Result<Vec<RootsCase>, TimedSearchError> {
    let mut cases = vec![RootsCase::new(problems.to_vec(), request)?];
    // Sizes of single messages belong to the given roots.
    if matches!(request.size, BufferSize::Bytes(_)) {
        for roots in other_roots(&cases[0]) {
            if let Some(problems) = with_roots(problems, &roots) {
                cases.push(RootsCase::new(problems, request)?);
            }
        }
    }
    Ok(cases)
}

/// Sets of roots other than the given one.
fn other_roots(given: &RootsCase) -> Vec<Vec<ProcessorId>> {
    let ranked = by_distance(given);
    let group: Vec<ProcessorId> = ranked.iter().map(|&(_, root)| root).collect();
    let first = |count: usize| group[..count.min(group.len())].to_vec();
    let central = ranked.partition_point(|it| it.0 == ranked[0].0);
    let mut sets = vec![first(1), first(2), first(central)];
    sets.extend((1..3).filter_map(|at| group.get(at).map(|&root| vec![root])));
    sets.extend([4, 8, group.len()].map(first));
    let sorted = |mut set: Vec<ProcessorId>| {
        set.sort_unstable();
        set
    };
    let mut known = vec![sorted(given.problems[0].collective().receivers.clone())];
    let mut others = Vec::new();
    for set in sets.into_iter().map(sorted) {
        if !known.contains(&set) {
            known.push(set.clone());
            others.push(set);
        }
    }
    others.truncate(MOST_SETS);
    others
}

/// One processor of every router with participants, those first that a small part of the sum reaches
/// soonest and that spread it soonest.
fn by_distance(given: &RootsCase) -> Vec<(u64, ProcessorId)> {
    let problem = &given.problems[0];
    let mut group = problem.collective().senders.clone();
    group.sort_unstable();
    let mut homes: Vec<RouterId> = Vec::new();
    group.retain(|&processor| {
        let home = problem.home(processor);
        let is_new = !homes.contains(&home);
        homes.push(home);
        is_new
    });
    homes.sort_unstable();
    homes.dedup();
    let bytes = given.whole.phases[0].sizes.iter().sum::<u64>() / 8;
    let times = &given.whole.times;
    let farthest = |root: ProcessorId| {
        let phases = given.whole.phases.iter();
        let length = |channel| times.latency(channel) + times.occupied(channel, bytes.max(1));
        let most = phases.map(|phase| {
            let far = latencies(phase, problem.home(root), None, &length);
            homes.iter().map(|home| far[home.index()]).max().unwrap_or(0)
        });
        most.fold(0, u64::saturating_add)
    };
    let mut ranked: Vec<(u64, ProcessorId)> =
        group.into_iter().map(|root| (farthest(root), root)).collect();
    ranked.sort_unstable();
    ranked
}

/// The same all-reduce with other roots.
fn with_roots(problems: &[Problem], roots: &[ProcessorId]) -> Option<Vec<Problem>> {
    let [reduce, broadcast] = problems else { return None };
    let (sums, copies) = (reduce.collective(), broadcast.collective());
    let is_plain =
        |collective: &Collective| collective.list.is_empty() && collective.chunks.is_none();
    if !is_plain(sums) || !is_plain(copies) {
        return None;
    }
    let roots = roots.to_vec();
    let reduced = Collective::between(sums.kind, "reduce", sums.senders.clone(), roots.clone());
    let spread = Collective::between(copies.kind, "broadcast", roots, copies.receivers.clone());
    let build = |old: &Problem, collective| {
        Problem::with_limit(old.network().clone(), collective, old.model(), u64::MAX).ok()
    };
    Some(vec![build(reduce, reduced)?, build(broadcast, spread)?])
}
