//! Nested growth: in sets of routers that lie one inside the other, a message enters each over its
//! channels and is passed on inside by those who hold it. Backwards from the end this says how many
//! must hold it in a set by when, forwards from the start how many can; both have to fit.

use super::{check_message, marked};
use pavane_model::{ChannelId, MessageId, NestedSet, Problem, ProcessorId, RouterId, Switching};

/// Sets times routers and channels that are looked at.
const MOST_LOOKS: usize = 1_000_000_000;

/// The fewest steps that no set rules out.
pub(super) fn derive(
    problem: &Problem,
    message: MessageId,
    sets: &[NestedSet],
) -> Result<u64, String> {
    check_message(problem, message)?;
    let regions = regions(problem, message, sets)?;
    let mut needed = vec![regions.iter().map(|region| region.wanted).collect::<Vec<u64>>()];
    let mut most = vec![regions.iter().map(|r| u64::from(r.has_origin)).collect::<Vec<u64>>()];
    loop {
        let steps = most.len() - 1;
        // So many steps before the end as are left, so many must hold it.
        let fits = |at: usize| {
            most[at].iter().zip(&needed[steps - at]).all(|(most, needed)| most >= needed)
        };
        if (0..=steps).all(fits) {
            return Ok(steps as u64);
        }
        let (last_needed, last_most) = (&needed[steps], &most[steps]);
        let earlier = needed_before(&regions, last_needed);
        let later = most_after(&regions, last_most, steps + 1);
        let is_reached = regions.iter().all(|r| r.within.len() <= steps + 1);
        if earlier == *last_needed && later == *last_most && is_reached {
            return Err("the message can never fill the sets".to_owned());
        }
        needed.push(earlier);
        most.push(later);
    }
}

/// A set with what is counted of it.
struct Region {
    parent: Option<usize>,
    has_origin: bool,
    /// Destinations inside, and the origin if it is.
    wanted: u64,
    /// Processors inside, and those of them in no smaller set.
    residents: u64,
    own: u64,
    /// Channels that lead into the set.
    entering: u64,
    /// The send ports of the processors inside: the origin by itself, then by how many have how
    /// many, the most first.
    ports: Vec<(u64, u64)>,
    /// Under store-and-forward, the processors inside that are within 0, 1, 2, … hops.
    within: Vec<u64>,
}

/// The sets of the certificate and last the set of all routers.
fn regions(
    problem: &Problem,
    message: MessageId,
    sets: &[NestedSet],
) -> Result<Vec<Region>, String> {
    let network = problem.network();
    let size = network.router_count() + network.channel_count();
    if sets.len().saturating_mul(size) > MOST_LOOKS {
        return Err(format!("{} sets are too many to be looked at", sets.len()));
    }
    let parents = parents(sets)?;
    let home = home_sets(problem, sets)?;
    let origin = problem.messages().origin(message);
    let hops = network.distances_from(problem.home(origin));
    let mut regions = Vec::new();
    // The largest set so far that each router is in.
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
            entering: entering(problem, &is_inside),
            ports: ports(problem, origin, &inside),
            within,
        });
    }
    Ok(regions)
}

/// The set around each one; that of all routers, the last, is around those that name none.
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

/// The smallest set that each router is in.
fn home_sets(problem: &Problem, sets: &[NestedSet]) -> Result<Vec<usize>, String> {
    let mut home = vec![sets.len(); problem.network().router_count()];
    for (number, set) in sets.iter().enumerate() {
        marked(problem, &set.routers)?;
        for router in &set.routers {
            if home[router.index()] != sets.len() {
                return Err(format!("router {router} is listed in two sets"));
            }
            home[router.index()] = number;
        }
    }
    Ok(home)
}

fn entering(problem: &Problem, is_inside: &[bool]) -> u64 {
    let network = problem.network();
    let channels = (0..network.channel_count() as u32).map(|c| network.channel(ChannelId(c)));
    channels.filter(|c| !is_inside[c.tail.index()] && is_inside[c.head.index()]).count() as u64
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
    let furthest = routers.iter().map(hops_of).filter(|&h| h != u32::MAX).max().unwrap_or(0);
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

/// How many must hold the message one step earlier: those who then take it in come over the
/// channels into the set or over the ports of holders inside, each of whom counts himself too.
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

/// How many can hold the message one step later, which is step `at`.
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
