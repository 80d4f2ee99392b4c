//! Nested growth: for nested sets of routers, a message enters each set over its channels and
//! spreads inside from holder to holder. Counting backwards from the end gives how many processors
//! of each set must hold it by each step; counting forwards from the start gives how many can. Both
//! must agree.

use super::{Argument, Claim, Refusal, channels_into, check_message};
use crate::cost::{Cost, Size, sorting};
use crate::distance::{UNREACHABLE, distances_from};
use pavane_model::{Certificate, MessageId, NestedSet, Problem, ProcessorId, RouterId, Switching};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::NestedGrowth { message, sets } = claim.certificate else { return None };
    Some(Box::new(NestedGrowth { message: *message, sets, claimed: claim.steps }))
}

struct NestedGrowth<'a> {
    message: MessageId,
    sets: &'a [NestedSet],
    /// Number of steps claimed; the derivation stops there.
    claimed: u32,
}

impl Argument for NestedGrowth<'_> {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        let regions = self.sets.len() as u64 + 1;
        let listed: u64 = self.sets.iter().map(|set| set.routers.len() as u64).sum();
        let scan = size.search() + 4 * size.processors + 2 * sorting(size.processors);
        let scans = regions.saturating_mul(scan).saturating_add(listed + size.neighbours());
        let living = problem.network().living_processors();
        let mut ports: Vec<u32> = living.map(|p| problem.send_ports(p)).collect();
        ports.sort_unstable();
        ports.dedup();
        // Every step adds a holder in some set, once the distances no longer stall the growth.
        let most = regions.saturating_mul(size.processors).saturating_add(size.routers);
        let steps = most.min(u64::from(self.claimed)).saturating_add(1);
        let cells = steps.saturating_mul(regions);
        let growth = cells.saturating_mul(8 + 2 * ports.len() as u64);
        let depth = match problem.model().switching {
            Switching::Wormhole => 0,
            Switching::StoreAndForward => size.routers,
        };
        let region = 200 + 16 * ports.len() as u64 + 8 * depth;
        let bytes = regions.saturating_mul(region).saturating_add(cells.saturating_mul(8));
        Cost::of(scans.saturating_add(growth)).with_bytes(bytes)
    }

    /// The fewest steps that no set rules out.
    ///
    /// The number of processors that can hold the message grows from step to step. The number that
    /// must hold it shrinks as more steps remain. So for every number of remaining steps there is a
    /// first step at which enough processors can hold it, and more remaining steps never make that
    /// step later.
    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_message(problem, self.message)?;
        let regions = regions(problem, self.message, self.sets)?;
        let claimed = u64::from(self.claimed);
        let covers = |most: &[u64], needed: &[u64]| {
            most.iter().zip(needed).all(|(most, needed)| most >= needed)
        };
        let mut needed: Vec<u64> = regions.iter().map(|region| region.wanted).collect();
        let mut most: Vec<Vec<u64>> =
            vec![regions.iter().map(|region| u64::from(region.has_origin)).collect()];
        let mut at = 0;
        while !covers(&most[at], &needed) {
            if at as u64 >= claimed {
                return Ok(claimed);
            }
            let later = most_after(&regions, &most[at], at + 1);
            let is_reached = regions.iter().all(|region| region.within.len() <= at + 1);
            if later == most[at] && is_reached {
                return Err(NEVER.into());
            }
            most.push(later);
            at += 1;
        }
        let mut steps = at as u64;
        let mut left = 0;
        while at > 0 && steps < claimed {
            left += 1;
            let earlier = needed_before(&regions, &needed);
            if earlier == needed {
                return Err(NEVER.into());
            }
            while at > 0 && covers(&most[at - 1], &earlier) {
                at -= 1;
            }
            needed = earlier;
            if at > 0 {
                steps = steps.max(at as u64 + left);
            }
        }
        Ok(steps)
    }
}

const NEVER: &str = "the message can never fill the sets";

/// A set with its counts.
struct Region {
    parent: Option<usize>,
    has_origin: bool,
    /// Destinations inside, plus 1 if the origin is inside.
    wanted: u64,
    /// Number of processors inside (`residents`), and of those in no smaller set (`own`).
    residents: u64,
    own: u64,
    /// Number of channels into the set.
    entering: u64,
    /// Send ports of the processors inside, as (ports, number of processors): first the origin on
    /// its own, then the others by decreasing number of ports.
    ports: Vec<(u64, u64)>,
    /// Under store-and-forward, number of processors inside within 0, 1, 2, … hops of the origin.
    within: Vec<u64>,
}

/// The sets of the certificate, followed by the set of all routers.
fn regions(
    problem: &Problem,
    message: MessageId,
    sets: &[NestedSet],
) -> Result<Vec<Region>, String> {
    let network = problem.network();
    let parents = parents(sets)?;
    let home = home_sets(problem, sets)?;
    let origin = problem.messages().origin(message);
    let hops = distances_from(network, problem.home(origin));
    let mut regions = Vec::new();
    // The largest set so far that contains each router.
    let mut outermost: Vec<Option<usize>> = vec![None; home.len()];
    for set in 0..=sets.len() {
        let mut is_inside = vec![false; home.len()];
        for router in 0..home.len() {
            let is_in_child = outermost[router].is_some_and(|child| parents[child] == Some(set));
            if home[router] == set || is_in_child {
                is_inside[router] = true;
                outermost[router] = Some(set);
            }
        }
        let lives_inside = |&p: &ProcessorId| is_inside[problem.home(p).index()];
        let inside: Vec<ProcessorId> = network.living_processors().filter(lives_inside).collect();
        let destinations = problem.messages().destinations(message);
        let has_origin = lives_inside(&origin);
        let wanted = destinations.iter().filter(|p| lives_inside(p)).count() as u64;
        let within = match problem.model().switching {
            Switching::Wormhole => Vec::new(),
            Switching::StoreAndForward => counts_within(problem, &inside, &hops),
        };
        regions.push(Region {
            parent: parents[set],
            has_origin,
            wanted: wanted + u64::from(has_origin),
            residents: inside.len() as u64,
            own: inside.iter().filter(|&&p| home[problem.home(p).index()] == set).count() as u64,
            entering: channels_into(problem, &is_inside),
            ports: ports(problem, origin, &inside),
            within,
        });
    }
    Ok(regions)
}

/// The parent of each set. The last set, of all routers, is the parent of sets that name none.
fn parents(sets: &[NestedSet]) -> Result<Vec<Option<usize>>, String> {
    let mut parents = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        match set.within.map(|within| within as usize) {
            None => parents.push(Some(sets.len())),
            Some(within) if within > number && within < sets.len() => parents.push(Some(within)),
            Some(within) => return Err(format!("set {number} cannot be within set {within}")),
        }
    }
    parents.push(None);
    Ok(parents)
}

/// The smallest set that contains each router.
fn home_sets(problem: &Problem, sets: &[NestedSet]) -> Result<Vec<usize>, String> {
    let mut home = vec![sets.len(); problem.network().router_count()];
    for (number, set) in sets.iter().enumerate() {
        for router in &set.routers {
            match home.get_mut(router.index()) {
                None => return Err(format!("there is no router {router}")),
                Some(home) if *home == sets.len() => *home = number,
                Some(_) => return Err(format!("router {router} is listed in two sets")),
            }
        }
    }
    Ok(home)
}

fn ports(problem: &Problem, origin: ProcessorId, inside: &[ProcessorId]) -> Vec<(u64, u64)> {
    let sends = |&p: &ProcessorId| u64::from(problem.send_ports(p));
    let mut others: Vec<u64> = inside.iter().filter(|&&p| p != origin).map(sends).collect();
    others.sort_unstable_by(|a, b| b.cmp(a));
    let first = inside.iter().filter(|&&p| p == origin).map(|p| (sends(p), 1));
    let runs = others.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
    first.chain(runs).collect()
}

fn counts_within(problem: &Problem, inside: &[ProcessorId], hops: &[u32]) -> Vec<u64> {
    let routers: Vec<RouterId> = inside.iter().map(|&p| problem.home(p)).collect();
    let hops_of = |router: &RouterId| hops[router.index()];
    let furthest = routers.iter().map(hops_of).filter(|&h| h != UNREACHABLE).max().unwrap_or(0);
    let mut within = vec![0u64; furthest as usize + 1];
    for router in &routers {
        if let Some(count) = within.get_mut(hops_of(router) as usize) {
            *count += 1;
        }
    }
    for hops in 1..within.len() {
        within[hops] += within[hops - 1];
    }
    within
}

/// How many processors must hold the message one step earlier. The new holders receive it over the
/// channels into the set or from the ports of holders inside; each such holder also counts itself.
fn needed_before(regions: &[Region], needed: &[u64]) -> Vec<u64> {
    let mut before = vec![0; regions.len()];
    for (number, region) in regions.iter().enumerate() {
        let mut missing = needed[number].saturating_sub(region.entering);
        let mut holders = 0;
        for &(ports, count) in &region.ports {
            let helpers = missing.div_ceil(ports + 1).min(count);
            holders += helpers;
            missing = missing.saturating_sub(helpers * (ports + 1));
        }
        before[number] = holders.max(before[number]);
        if let Some(parent) = region.parent {
            before[parent] += before[number];
        }
    }
    before
}

/// How many processors can hold the message one step later, at step `at`.
fn most_after(regions: &[Region], most: &[u64], at: usize) -> Vec<u64> {
    let mut of_children = vec![0; regions.len()];
    let mut after = Vec::new();
    for (number, region) in regions.iter().enumerate() {
        let mut left = most[number];
        let mut sends = 0;
        for &(ports, count) in &region.ports {
            sends += ports * left.min(count);
            left -= left.min(count);
        }
        let grown = most[number] + region.entering + sends;
        let reached = match region.within.get(at) {
            Some(&within) => within,
            None => region.residents,
        };
        let limit = reached.min(region.own + of_children[number]);
        after.push(grown.min(limit));
        if let Some(parent) = region.parent {
            of_children[parent] += after[number];
        }
    }
    after
}
