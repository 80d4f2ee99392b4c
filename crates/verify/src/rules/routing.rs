//! V4: under minimal routing, every path is a shortest path in the network without its faults, and
//! under store-and-forward the hops of a personalised message together form one. Non-minimal
//! routing allows a given number of additional channels, or any simple path.

use super::nearness::{Nearness, WIDTH};
use crate::case::{Case, Report};
use crate::group::Groups;
use crate::violation::Violation;
use fixedbitset::FixedBitSet;
use pavane_model::{MessageId, RouterId, Routing, Switching};

/// Reports every path, and every chain of hops of a personalised message, that is longer than
/// allowed or visits a router twice. `broken` contains the transfers without a proper path.
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

/// The minimum distance between two routers for which `hops` hops are allowed.
fn least_distance(case: &Case<'_>, hops: usize) -> u32 {
    match case.problem.model().routing {
        Routing::Any => 0,
        Routing::Minimal => hops as u32,
        Routing::Detour(extra) => (hops as u32).saturating_sub(extra),
    }
}

/// Checks the path of every transfer, grouped by source router.
fn check_paths(case: &Case<'_>, broken: &FixedBitSet, report: &mut Report) {
    let schedule = case.schedule;
    let by_source = Groups::new(case.network().router_count(), schedule.transfer_count(), |n| {
        let transfer = schedule.transfer(n as usize);
        // Different routers are at least one hop apart, so a limit of 1 always holds.
        let is_in_doubt = least_distance(case, transfer.path.len()) > 1;
        let is_judged = is_in_doubt && !broken.contains(n as usize);
        is_judged.then(|| case.problem.home(transfer.from).index())
    });
    let mut batch = Batch::new(case, false);
    for (source, transfers) in by_source.iter().filter(|(_, transfers)| !transfers.is_empty()) {
        if case.must_stop(0) {
            return;
        }
        batch.add_source(RouterId(source as u32), report);
        for &number in transfers {
            let transfer = schedule.transfer(number as usize);
            batch.add(case.problem.home(transfer.to), transfer.path.len(), number);
        }
    }
    batch.finish(report);
}

/// Checks the hops of every personalised message together, grouped by source router.
fn check_chains(case: &Case<'_>, by_message: &Groups, broken: &FixedBitSet, report: &mut Report) {
    let messages = case.problem.messages();
    let by_source = Groups::new(case.network().router_count(), messages.len(), |message| {
        let message = MessageId(message);
        let home = case.problem.home(messages.origin(message)).index();
        messages.is_personalised(message).then_some(home)
    });
    let mut last_visit = vec![0; case.network().router_count()];
    let mut batch = Batch::new(case, true);
    for (source, members) in by_source.iter().filter(|(_, members)| !members.is_empty()) {
        if case.must_stop(0) {
            return;
        }
        batch.add_source(RouterId(source as u32), report);
        for &message in members {
            let transfers = by_message.members(message as usize);
            let message = MessageId(message);
            if !is_chain(case, message, transfers, broken) {
                continue;
            }
            let last_transfer = transfers[transfers.len() - 1];
            let (hops, twice) = follow(case, message, transfers, &mut last_visit);
            if let Some(router) = twice {
                let at = case.transfer_name(last_transfer as usize);
                report.add(Violation::ChainVisitsTwice { at, router });
            } else if least_distance(case, hops) > 1 {
                let target = case.problem.home(messages.destinations(message)[0]);
                batch.add(target, hops, last_transfer);
            }
        }
    }
    batch.finish(report);
}

/// Whether the transfers form a chain from the origin to the destination. If not, the rules on
/// possession and delivery report it.
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

/// Length of a chain in channels, and a router that it visits twice, if any. `last_visit` is the
/// number of the last message that visited each router, plus one.
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

/// A path or chain that is allowed only if its ends are at least `least` hops apart.
struct LongPath {
    search: u32,
    target: RouterId,
    hops: u32,
    least: u32,
    last_transfer: u32,
}

/// Paths or chains from up to [`WIDTH`] sources, which are searched in parallel.
struct Batch<'a> {
    case: &'a Case<'a>,
    /// Whether these are chains of hops, rather than single paths.
    is_chain: bool,
    sources: Vec<RouterId>,
    journeys: Vec<LongPath>,
    nearness: Nearness,
}

impl<'a> Batch<'a> {
    fn new(case: &'a Case<'a>, is_chain: bool) -> Self {
        let nearness = Nearness::new(case.network());
        Self { case, is_chain, sources: Vec::new(), journeys: Vec::new(), nearness }
    }

    /// Starts a new source for the following calls of `add`. Checks the current batch first if it
    /// is full.
    fn add_source(&mut self, source: RouterId, report: &mut Report) {
        if self.sources.len() == WIDTH {
            self.finish(report);
        }
        self.sources.push(source);
    }

    fn add(&mut self, target: RouterId, hops: usize, last_transfer: u32) {
        let search = self.sources.len() as u32 - 1;
        let least = least_distance(self.case, hops);
        self.journeys.push(LongPath { search, target, hops: hops as u32, least, last_transfer });
    }

    /// Reports all paths or chains whose target is closer than `least`, and clears the batch.
    fn finish(&mut self, report: &mut Report) {
        self.nearness.start(&self.sources);
        for hops in 0.. {
            self.journeys.retain(|journey| {
                if journey.least <= hops {
                    return false;
                }
                let is_too_near =
                    self.nearness.has_reached(journey.search as usize, journey.target);
                if is_too_near {
                    report.add(Violation::TooLong {
                        at: self.case.transfer_name(journey.last_transfer as usize),
                        is_chain: self.is_chain,
                        hops: journey.hops,
                        shortest: hops,
                        most: hops + (journey.hops - journey.least),
                    });
                }
                !is_too_near
            });
            if self.journeys.is_empty() {
                break;
            }
            self.nearness.grow();
        }
        self.sources.clear();
    }
}
