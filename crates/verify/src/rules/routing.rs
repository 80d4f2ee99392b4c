//! V4: under minimal routing every path is a shortest path in the network as it stands, and under
//! store-and-forward the hops of a message for one destination together are one. Non-minimal
//! routing allows so many channels more, or any simple path.

use super::nearness::Nearness;
use crate::case::{Case, Report};
use crate::group::Groups;
use crate::violation::Violation;
use fixedbitset::FixedBitSet;
use pavane_model::{MessageId, RouterId, Routing, Switching};

/// A journey that is allowed only if its ends are at least `least` hops apart.
struct Journey {
    target: RouterId,
    hops: u32,
    least: u32,
    last_transfer: usize,
}

/// Reports every path, and every chain of hops of a private message, that is longer than allowed
/// or visits a router twice. `broken` are the transfers without a proper path.
pub(super) fn check(
    case: &Case<'_>,
    by_message: &Groups,
    broken: &FixedBitSet,
    report: &mut Report,
) {
    check_paths(case, broken, report);
    if case.problem.model().switching == Switching::StoreAndForward {
        check_chains(case, by_message, broken, report);
    }
}

/// The least distance at which a journey of so many hops is allowed.
fn least_distance(case: &Case<'_>, hops: usize) -> u32 {
    match case.problem.model().routing {
        Routing::Any => 0,
        Routing::Minimal => hops as u32,
        Routing::Detour(extra) => (hops as u32).saturating_sub(extra),
    }
}

/// Checks the path of every transfer, grouped by where it starts.
fn check_paths(case: &Case<'_>, broken: &FixedBitSet, report: &mut Report) {
    let schedule = case.schedule;
    let by_source = Groups::new(case.network().router_count(), schedule.transfer_count(), |n| {
        let transfer = schedule.transfer(n as usize);
        // Different routers are at least one hop apart.
        let is_in_doubt = least_distance(case, transfer.path.len()) > 1;
        let is_judged = is_in_doubt && !broken.contains(n as usize);
        is_judged.then(|| case.problem.home(transfer.from).index())
    });
    let mut nearness = Nearness::new(case.network());
    let mut journeys = Vec::new();
    for (source, transfers) in by_source.iter() {
        journeys.clear();
        for &number in transfers {
            let transfer = schedule.transfer(number as usize);
            journeys.push(Journey {
                target: case.problem.home(transfer.to),
                hops: transfer.path.len() as u32,
                least: least_distance(case, transfer.path.len()),
                last_transfer: number as usize,
            });
        }
        check_journeys(case, source, false, &journeys, &mut nearness, report);
    }
}

/// Checks the hops of every private message together, grouped by where it starts.
fn check_chains(case: &Case<'_>, by_message: &Groups, broken: &FixedBitSet, report: &mut Report) {
    let messages = case.problem.messages();
    let by_source = Groups::new(case.network().router_count(), messages.len(), |message| {
        let message = MessageId(message);
        let home = case.problem.home(messages.origin(message)).index();
        messages.is_private(message).then_some(home)
    });
    let mut last_visit = vec![0; case.network().router_count()];
    let mut nearness = Nearness::new(case.network());
    let mut journeys = Vec::new();
    for (source, members) in by_source.iter() {
        journeys.clear();
        for &message in members {
            let transfers = by_message.members(message as usize);
            let message = MessageId(message);
            if !is_chain(case, message, transfers, broken) {
                continue;
            }
            let last_transfer = transfers[transfers.len() - 1] as usize;
            let (hops, twice) = follow(case, message, transfers, &mut last_visit);
            if let Some(router) = twice {
                let at = case.transfer_name(last_transfer);
                report.add(Violation::ChainVisitsTwice { at, router });
            } else if least_distance(case, hops) > 1 {
                let target = case.problem.home(messages.destinations(message)[0]);
                let least = least_distance(case, hops);
                journeys.push(Journey { target, hops: hops as u32, least, last_transfer });
            }
        }
        check_journeys(case, source, true, &journeys, &mut nearness, report);
    }
}

/// Whether the transfers lead, one after the other, from the origin to the destination. If not,
/// the rules on possession and delivery say so.
fn is_chain(case: &Case<'_>, message: MessageId, transfers: &[u32], broken: &FixedBitSet) -> bool {
    let mut at = case.problem.messages().origin(message);
    for &number in transfers {
        let transfer = case.schedule.transfer(number as usize);
        if transfer.from != at || broken.contains(number as usize) {
            return false;
        }
        at = transfer.to;
    }
    at == case.problem.messages().destinations(message)[0]
}

/// How many channels a chain takes, and a router that it visits twice. `last_visit` is which
/// message was the last to visit a router, plus one.
fn follow(
    case: &Case<'_>,
    message: MessageId,
    transfers: &[u32],
    last_visit: &mut [u32],
) -> (usize, Option<RouterId>) {
    let visit = message.0 + 1;
    let (mut hops, mut twice) = (0, None);
    last_visit[case.problem.home(case.problem.messages().origin(message)).index()] = visit;
    for &number in transfers {
        for &channel in case.schedule.transfer(number as usize).path {
            let router = case.network().channel(channel).head;
            if std::mem::replace(&mut last_visit[router.index()], visit) == visit {
                twice = twice.or(Some(router));
            }
            hops += 1;
        }
    }
    (hops, twice)
}

/// Reports the journeys from one source whose target is nearer than it would have to be.
fn check_journeys(
    case: &Case<'_>,
    source: usize,
    is_chain: bool,
    journeys: &[Journey],
    nearness: &mut Nearness<'_>,
    report: &mut Report,
) {
    let Some(farthest) = journeys.iter().map(|journey| journey.least).max() else { return };
    nearness.explore(RouterId(source as u32), farthest - 1);
    for journey in journeys {
        let Some(shortest) = nearness.hops_to(journey.target) else { continue };
        if shortest < journey.least {
            report.add(Violation::TooLong {
                at: case.transfer_name(journey.last_transfer),
                is_chain,
                hops: journey.hops,
                shortest,
                most: shortest + (journey.hops - journey.least),
            });
        }
    }
}
