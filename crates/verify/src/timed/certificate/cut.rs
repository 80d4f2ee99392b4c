//! A cut and a receiver: what the receiver wants from a set of routers must leave it. A channel that
//! leaves the set carries these bytes only after the first of them can have reached it, and early
//! enough for the rest of the way to the receiver. Bytes that need long to reach the border of the set
//! may give a higher bound on their own.

use super::latency::UNREACHED;
use super::window::{Window, least_time};
use super::{BoundCase, TimeBoundError};
use crate::cost::{Cost, Limits, Size, sorting};
use crate::throughput::View;
use pavane_model::{Fraction, ProcessorId, RouterId};

/// Bytes that start at a router and must leave the set.
struct Source {
    router: RouterId,
    bytes: u128,
}

pub(super) fn derive(
    case: &BoundCase<'_>,
    routers: &[RouterId],
    receiver: ProcessorId,
    limits: Limits,
) -> Result<Fraction, TimeBoundError> {
    // The data of an all-reduce flows forwards, as in its second phase.
    let &view = case.views.last().expect("a schedule has a phase");
    let problem = &view.phase.problem;
    let network = problem.network();
    let Some(home) = network.home(receiver) else {
        return Err(TimeBoundError::Wrong(format!("there is no processor {receiver}")));
    };
    let mut inside = vec![false; network.router_count()];
    for &router in routers {
        match inside.get_mut(router.index()) {
            None => return Err(TimeBoundError::Wrong(format!("there is no router {router}"))),
            Some(is_inside) => *is_inside = true,
        }
    }
    if view.is_backward() {
        // Everything is read forwards: the sums leave the other side.
        inside.iter_mut().for_each(|is_inside| *is_inside = !*is_inside);
    }
    if inside[home.index()] {
        return Err(TimeBoundError::Wrong(format!(
            "processor {receiver} is on the side that the data leaves"
        )));
    }
    let sources = sources(case, view, receiver, &inside)?;
    let size = Size::of(problem);
    let search = size.routers.saturating_add(sorting(size.channels));
    let searches = (sources.len() as u64).saturating_add(1);
    let sweeps = sources.len() as u64 * size.channels;
    limits.check(Cost::of(searches.saturating_mul(search).saturating_add(sweeps)))?;
    if case.views.len() > 1 {
        return all_reduce(case, view, &sources, home, &inside);
    }
    bound(case, view, sources, home, &inside)
}

/// The routers of the set from which the receiver wants bytes, with their bytes.
fn sources(
    case: &BoundCase<'_>,
    view: View<'_>,
    receiver: ProcessorId,
    inside: &[bool],
) -> Result<Vec<Source>, TimeBoundError> {
    let problem = &view.phase.problem;
    let messages = problem.messages();
    let mut bytes = vec![0u128; inside.len()];
    let is_all_reduce = case.views.len() > 1;
    let mut total = 0u128;
    for message in messages.ids() {
        let origin = view.root(message);
        let is_wanted = messages.destinations(message).contains(&receiver);
        let size = u128::from(view.phase.size(message));
        total += size;
        if is_wanted && inside[origin.index()] {
            bytes[origin.index()] += size;
        }
    }
    if is_all_reduce {
        // Every participant contributes to every byte.
        let group = problem.collective().receivers.iter();
        bytes.fill(0);
        for &processor in group {
            let home = problem.home(processor);
            if inside[home.index()] {
                bytes[home.index()] = total;
            }
        }
    }
    let sources: Vec<Source> = (bytes.iter().enumerate())
        .filter(|(_, bytes)| **bytes > 0)
        .map(|(router, &bytes)| Source { router: RouterId(router as u32), bytes })
        .collect();
    if sources.is_empty() {
        return Err(TimeBoundError::Wrong("the receiver wants nothing from the set".to_owned()));
    }
    Ok(sources)
}

/// The bytes of an all-reduce: each contributor alone must get all of them out of the set.
fn all_reduce(
    case: &BoundCase<'_>,
    view: View<'_>,
    sources: &[Source],
    home: RouterId,
    inside: &[bool],
) -> Result<Fraction, TimeBoundError> {
    let mut best = Fraction::ZERO;
    for source in sources {
        let alone = vec![Source { router: source.router, bytes: source.bytes }];
        best = best.max(bound(case, view, alone, home, inside)?);
    }
    Ok(best)
}

/// The best bound over the sources that need at least some time to reach the border of the set.
fn bound(
    case: &BoundCase<'_>,
    view: View<'_>,
    sources: Vec<Source>,
    home: RouterId,
    inside: &[bool],
) -> Result<Fraction, TimeBoundError> {
    let network = view.phase.problem.network();
    let remaining = case.latencies.to(view, home);
    // The channels that leave the set towards the receiver, with their remaining latency.
    let mut border = Vec::new();
    for channel in (0..network.channel_count() as u32).map(pavane_model::ChannelId) {
        let (from, to) = view.ends(channel);
        let rest = remaining[to.index()];
        if inside[from.index()] && !inside[to.index()] && rest != UNREACHED {
            border.push((channel, from, rest + case.latencies.of(channel)));
        }
    }
    // How long each source needs to reach every border channel, and the nearest one.
    let mut reach: Vec<(u128, u128, Vec<u128>)> = Vec::new();
    for source in &sources {
        let least = case.latencies.from(view, source.router, Some(inside));
        let to_border: Vec<u128> = border.iter().map(|&(_, tail, _)| least[tail.index()]).collect();
        let nearest = to_border.iter().copied().min().unwrap_or(UNREACHED);
        if nearest == UNREACHED {
            return Err(TimeBoundError::Wrong("the receiver cannot be reached".to_owned()));
        }
        reach.push((nearest, source.bytes, to_border));
    }
    reach.sort_by_key(|source| std::cmp::Reverse(source.0));
    let mut opens = vec![UNREACHED; border.len()];
    let (mut bytes, mut best) = (0u128, Fraction::ZERO);
    for (at, (nearest, more, to_border)) in reach.iter().enumerate() {
        bytes = bytes.checked_add(*more).ok_or(TimeBoundError::Arithmetic)?;
        for (open, &time) in opens.iter_mut().zip(to_border) {
            *open = (*open).min(time);
        }
        // Sources at the same distance belong together.
        if reach.get(at + 1).is_some_and(|next| next.0 == *nearest) {
            continue;
        }
        let windows = (border.iter().zip(&opens)).filter(|(_, open)| **open != UNREACHED).map(
            |(&(channel, _, rest), &open)| Window {
                idle: open + rest,
                rate: case.bandwidths[channel.index()],
            },
        );
        let needed = Fraction::new(bytes, 1).ok_or(TimeBoundError::Arithmetic)?;
        best = best.max(least_time(windows.collect(), needed, case.latencies.ticks_per_ns)?);
    }
    Ok(best)
}
