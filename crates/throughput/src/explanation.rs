//! Why a throughput limit holds and whether the plan attains it, in words.

use crate::answer::{Answer, Priced, Reason, WeightedCuts};
use crate::division::has_relays;
use crate::forward::Forward;
use crate::rates::figure;
use crate::reached::Bottleneck;
use pavane_model::collective::Kind;
use pavane_model::words::{counted, listed, printable};
use pavane_model::{Fraction, Network, Problem, ProcessorId, RouterId};
use std::collections::BTreeSet;

/// The most routers that are named.
const NAMED: usize = 8;

/// The argument for the limit in words. With messages of different sizes, `unit` is the number of
/// bytes of a message of size 1, if it is known.
pub fn explanation(problems: &[Problem], found: &Answer, unit: Option<u64>) -> String {
    let Some(first) = problems.first() else { return String::new() };
    let network = first.network();
    let is_sized = found.plan.phases.iter().any(|phase| !phase.sizes.is_empty());
    let unit = unit.filter(|_| is_sized);
    let argument = match &found.reason {
        None => return "no message needs a channel".to_owned(),
        Some(Reason::Cut(cut)) if is_sized => {
            let things = match unit {
                Some(unit) => format!("{} bytes", u128::from(cut.messages) * u128::from(unit)),
                None => counted(cut.messages, "unit"),
            };
            crossing(network, cut, &things)
        }
        Some(Reason::Cut(cut)) => crossing(network, cut, &things(problems, cut.messages)),
        Some(Reason::Phase { phase, cut }) => {
            let phase = &problems[*phase..=*phase];
            crossing(network, cut, &things(phase, cut.messages))
        }
        Some(Reason::Each { routers, messages, bandwidth }) => format!(
            "{} must send their parts of the sums and receive the shards of all others, together \
             {messages} shards over channels with {} GB/s",
            set(network, routers),
            decimal(*bandwidth)
        ),
        Some(Reason::Cuts(cuts)) => weighted(problems, cuts),
        Some(Reason::Prices(priced)) => weighted_congestion(network, priced, unit.unwrap_or(1)),
    };
    match unit {
        Some(unit) => {
            let microseconds = found.limit.to_f64() * unit as f64 / 1000.0;
            format!("{argument}, so at least {} µs", figure(microseconds))
        }
        None if is_sized => {
            format!("{argument}, so at least {} ns per byte of a unit", found.limit)
        }
        None => format!("{argument}, so at least {} ns per byte", found.limit),
    }
}

/// Whether the plan attains the limit, in words. `trees` is the most trees per root, if that was
/// limited.
pub fn status(found: &Answer, trees: Option<u32>) -> String {
    if found.reason.is_none() {
        return "nothing to do".to_owned();
    }
    if found.is_optimal() {
        return "attains the limit: throughput-optimal".to_owned();
    }
    let above = format!("takes {} % longer than the limit", figure(found.excess_percent()));
    let (has_paths, is_stopped) = (found.has_paths(), found.is_stopped);
    match trees {
        _ if is_stopped && has_paths => {
            format!("{above}; the search was stopped, and more time may also prove a higher limit")
        }
        _ if is_stopped && has_final_limit(found) => {
            format!("{above}; a simple plan, because the search was stopped")
        }
        _ if is_stopped => format!(
            "{above}; a simple plan, because the search was stopped: more time may find a faster one"
        ),
        _ if has_paths => format!("{above}; whether a faster plan exists is open"),
        Some(most) => {
            format!("{above}, with at most {} per root", counted(u64::from(most), "tree"))
        }
        None => format!("{above}; whether a faster plan exists is open"),
    }
}

/// Whether the cuts prove the highest limit: one phase of trees, where all routers that copy receive, and
/// switches that do not copy can send no more than they get.
fn has_final_limit(found: &Answer) -> bool {
    let [phase] = &found.plan.phases[..] else { return false };
    Forward::new(&phase.problem)
        .is_ok_and(|forward| !forward.has_greedy_switch() && !has_relays(&forward.broadcasts()))
}

/// `weighted congestion on 48 channels, most of all on gpu0 → gpu1: 64 units are needed and the
/// channels provide 25 per ns`.
fn weighted_congestion(network: &Network, priced: &Priced, unit: u64) -> String {
    let Priced { prices, units, per_ns } = priced;
    let needed = match units.checked_mul(Fraction::from(unit)) {
        Some(needed) => needed.to_string(),
        None => format!("{:.3e}", units.to_f64() * unit as f64),
    };
    let count = prices.iter().filter(|&&price| price > 0).count();
    let most = prices.iter().copied().max().unwrap_or(0);
    let dearest: Vec<usize> = (0..prices.len()).filter(|&at| prices[at] == most).collect();
    let named = if dearest.len() == count {
        String::new()
    } else {
        let name = |router| printable(&network.router_name(router)).into_owned();
        let channel = |&at: &usize| {
            let ends = network.channels()[at];
            format!("{} → {}", name(ends.tail), name(ends.head))
        };
        let names: Vec<String> = dearest.iter().take(NAMED).map(channel).collect();
        let others = if dearest.len() > NAMED { ", …" } else { "" };
        format!(", most of all on {}{others}", names.join(", "))
    };
    format!(
        "weighted congestion on {}{named}: {needed} units are needed and the channels provide {} per ns",
        counted(count as u64, "channel"),
        decimal(*per_ns)
    )
}

/// `weighted cuts around single routers (8 of the reduce-scatter and 8 of the all-gather): 112 units
/// must cross, and the channels carry 2400 per ns`.
fn weighted(problems: &[Problem], weighted: &WeightedCuts) -> String {
    let network = problems[0].network();
    let smaller = |routers: &[RouterId]| -> Vec<RouterId> {
        let is_inside = |router: &RouterId| routers.binary_search(router).is_ok();
        let outside: Vec<RouterId> = network.routers().filter(|it| !is_inside(it)).collect();
        if routers.len() <= outside.len() { routers.to_vec() } else { outside }
    };
    let sets: BTreeSet<Vec<RouterId>> =
        weighted.cuts.iter().map(|cut| smaller(&cut.routers)).collect();
    let around = match sets.first() {
        Some(only) if sets.len() == 1 => format!(" around {}", set(network, only)),
        Some(_) if sets.iter().all(|set| set.len() == 1) => {
            let routers: Vec<RouterId> = sets.iter().flatten().copied().collect();
            format!(" around each of {}", set(network, &routers))
        }
        Some(first) => format!(", such as that around {}", set(network, first)),
        None => String::new(),
    };
    let count = |is_backward: bool| {
        let cuts = weighted.cuts.iter();
        cuts.filter(|cut| problems[cut.phase as usize].is_backward() == is_backward).count()
    };
    let switches =
        if weighted.switches.is_empty() { "" } else { ", with switches that do not copy" };
    let phases = match problems {
        [_] => weighted.cuts.len().to_string(),
        _ => {
            format!("{} of the reduce-scatter and {} of the all-gather", count(true), count(false))
        }
    };
    format!(
        "weighted cuts{around} ({phases}{switches}): {} units must cross, and the channels carry {} per ns",
        weighted.messages,
        decimal(weighted.bandwidth)
    )
}

/// What crosses: `12 shards`, `the message`, `sums of 12 shards`.
fn things(problems: &[Problem], count: u64) -> String {
    match problems {
        [only] if matches!(only.collective().kind, Kind::Scatter | Kind::Gather) => {
            counted(count, "block")
        }
        [only] if only.collective().kind == Kind::Messages => counted(count, "message"),
        [only] => match (only.messages().len(), only.is_backward()) {
            (1, true) => "the sum".to_owned(),
            (1, false) => "the message".to_owned(),
            (_, true) => format!("parts of {}", counted(count, "sum")),
            (_, false) => counted(count, "shard"),
        },
        _ => format!("{}, as parts of sums or after the reduction,", counted(count, "shard")),
    }
}

/// `12 shards must leave routers … over 4 channels with 100 GB/s`, or the same seen from the other
/// side if that has fewer routers.
fn crossing(network: &Network, cut: &Bottleneck, things: &str) -> String {
    let is_inside = |router: &RouterId| cut.routers.binary_search(router).is_ok();
    let living = |router: &RouterId| !network.is_lost(*router);
    let inside: Vec<RouterId> = cut.routers.iter().copied().filter(living).collect();
    let outside: Vec<RouterId> =
        network.routers().filter(|router| living(router) && !is_inside(router)).collect();
    let (verb, routers) =
        if inside.len() <= outside.len() { ("leave", inside) } else { ("enter", outside) };
    format!(
        "{things} must {verb} {} over {} with {} GB/s",
        set(network, &routers),
        counted(cut.channels.len() as u64, "channel"),
        decimal(cut.bandwidth)
    )
}

/// `router gpu3 (processor 3)`, `routers gpu0, gpu1, … (12 in all; processors 0-7)`.
fn set(network: &Network, routers: &[RouterId]) -> String {
    let is_many = routers.len() > NAMED;
    let some = routers.iter().take(NAMED).map(|&router| network.router_name(router));
    let names: Vec<String> = some.chain(is_many.then(|| "…".to_owned())).collect();
    let names = printable(&listed(&names)).into_owned();
    let residents = routers.iter().flat_map(|&router| network.residents(router).iter().copied());
    let mut processors: Vec<ProcessorId> = residents.collect();
    processors.sort_unstable();
    let mut notes = Vec::new();
    if is_many {
        notes.push(format!("{} in all", routers.len()));
    }
    let is_plain = !network.has_router_names()
        && routers.iter().all(|&router| network.residents(router) == [ProcessorId(router.0)]);
    match processors.len() {
        _ if is_plain => {}
        0 => notes.push("no processor".to_owned()),
        1 => notes.push(format!("processor {}", processors[0])),
        _ => notes.push(format!("processors {}", ranges(&processors))),
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    format!("router{} {names}{notes}", if routers.len() == 1 { "" } else { "s" })
}

/// `0-7, 12`.
fn ranges(processors: &[ProcessorId]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for processor in processors {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == processor.0 => *last = processor.0,
            _ => runs.push((processor.0, processor.0)),
        }
    }
    let text = |&(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let shown: Vec<String> = runs.iter().take(NAMED).map(text).collect();
    let more = if runs.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// A bandwidth as a decimal, or as a fraction if it has no finite decimal form.
fn decimal(value: Fraction) -> String {
    value.as_decimal().map_or_else(|| value.to_string(), |decimal| decimal.to_string())
}
