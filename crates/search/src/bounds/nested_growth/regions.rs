//! Counts how many processors can hold a message in each of several nested sets, forward from the
//! first step, and how many must, backward from the last step.

use super::families::Family;
use pavane_model::{MessageId, Problem, Switching};
use std::collections::BTreeMap;

/// The counts for the sets of a family; the last entry is the set of all routers.
pub struct Regions {
    regions: Vec<Region>,
}

#[derive(Default)]
struct Region {
    parent: Option<usize>,
    origin_ports: Option<u64>,
    wanted: u64,
    own: u64,
    residents: u64,
    entering: u64,
    // Number of processors other than the origin, by their number of send ports.
    ports: BTreeMap<u64, u64>,
    // Under store-and-forward, the number of processors within 0, 1, 2, … hops of the origin.
    within: Vec<u64>,
}

impl Regions {
    /// Counts the processors in the sets and the channels into them.
    pub fn new(problem: &Problem, message: MessageId, family: &Family) -> Self {
        let network = problem.network();
        let all = family.sets.len();
        let mut regions: Vec<Region> = Vec::new();
        regions.resize_with(all + 1, Region::default);
        for (region, set) in regions.iter_mut().zip(&family.sets) {
            region.parent = Some(set.within.map_or(all, |within| within as usize));
        }
        let home = family.homes(network.router_count());
        let origin = problem.messages().origin(message);
        let hops = match problem.model().switching {
            Switching::Wormhole => None,
            Switching::StoreAndForward => Some(network.distances_from(problem.home(origin))),
        };
        for processor in network.living_processors() {
            let router = problem.home(processor).index();
            let ports = u64::from(problem.send_ports(processor));
            let region = &mut regions[home[router]];
            region.own += 1;
            region.residents += 1;
            if processor == origin {
                region.origin_ports = Some(ports)
            } else {
                *region.ports.entry(ports).or_default() += 1
            }
            if let Some(hops) = hops.as_ref().map(|hops| hops[router]).filter(|&h| h != u32::MAX) {
                let hops = hops as usize;
                region.within.resize(region.within.len().max(hops + 1), 0);
                region.within[hops] += 1;
            }
        }
        regions[home[problem.home(origin).index()]].wanted += 1;
        for &to in problem.messages().destinations(message) {
            regions[home[problem.home(to).index()]].wanted += 1;
        }
        for channel in network.channels() {
            let (tail, head) = (home[channel.tail.index()], home[channel.head.index()]);
            enter(&mut regions, tail, head);
        }
        add_up(&mut regions);
        Self { regions }
    }

    /// The fewest steps that no set rules out: after each step at least as many processors can hold
    /// the message as must at that many steps before the end. The number that can hold it grows
    /// from step to step, and the number that must shrinks with the distance from the end. The
    /// least number of remaining steps therefore decreases from step to step and is found by
    /// continuing from its last value.
    pub fn fewest_steps(&self) -> u64 {
        let start = |region: &Region| u64::from(region.origin_ports.is_some());
        let mut most: Vec<u64> = self.regions.iter().map(start).collect();
        // Indexed by steps before the end, back to a requirement that the start meets.
        let mut needed: Vec<Vec<u64>> = vec![self.regions.iter().map(|r| r.wanted).collect()];
        while !covers(&most, &needed[needed.len() - 1]) {
            let earlier = self.before(&needed[needed.len() - 1]);
            // Every problem has a solution, so every iteration changes something.
            debug_assert!(earlier != needed[needed.len() - 1], "no set grows any more");
            needed.push(earlier);
        }
        let (mut at, mut to_go) = (0, needed.len() - 1);
        let mut steps = to_go;
        while at < steps {
            at += 1;
            most = self.after(&most, at);
            while to_go > 0 && covers(&most, &needed[to_go - 1]) {
                to_go -= 1;
            }
            steps = steps.max(at + to_go);
        }
        steps as u64
    }

    /// How many must hold the message one step before `needed` hold it.
    fn before(&self, needed: &[u64]) -> Vec<u64> {
        let mut before = vec![0; needed.len()];
        for (at, region) in self.regions.iter().enumerate() {
            let mut missing = needed[at].saturating_sub(region.entering);
            let mut holders = 0;
            for (ports, count) in region.holders() {
                let helpers = missing.div_ceil(ports + 1).min(count);
                holders += helpers;
                missing = missing.saturating_sub(helpers * (ports + 1));
                if missing == 0 {
                    break;
                }
            }
            // `before[at]` already is the sum over the sets inside.
            before[at] = holders.max(before[at]);
            if let Some(parent) = region.parent {
                before[parent] += before[at];
            }
        }
        before
    }

    /// How many can hold the message after step `at` if `most` can after the step before.
    fn after(&self, most: &[u64], at: usize) -> Vec<u64> {
        let mut inside = vec![0; most.len()];
        let mut after = vec![0; most.len()];
        for (number, region) in self.regions.iter().enumerate() {
            let (mut left, mut grown) = (most[number], most[number] + region.entering);
            for (ports, count) in region.holders() {
                grown += ports * left.min(count);
                left -= left.min(count);
                if left == 0 {
                    break;
                }
            }
            let reached = region.within.get(at).copied().unwrap_or(region.residents);
            after[number] = grown.min(reached).min(region.own + inside[number]);
            if let Some(parent) = region.parent {
                inside[parent] += after[number];
            }
        }
        after
    }
}

/// Whether in every set at least as many processors can hold the message as must.
fn covers(most: &[u64], needed: &[u64]) -> bool {
    most.iter().zip(needed).all(|(most, needed)| most >= needed)
}

impl Region {
    /// Send ports with the number of processors that have them: the origin first, then in
    /// descending order.
    fn holders(&self) -> impl Iterator<Item = (u64, u64)> {
        let origin = self.origin_ports.map(|ports| (ports, 1));
        origin.into_iter().chain(self.ports.iter().rev().map(|(&ports, &count)| (ports, count)))
    }
}

/// Counts a channel as entering every set that contains its head but not its tail. A set comes
/// before the set around it, so the smaller of two different numbers cannot contain the other.
fn enter(regions: &mut [Region], mut tail: usize, mut head: usize) {
    while tail != head {
        if tail < head {
            tail = regions[tail].parent.expect("the last set contains all others")
        } else {
            regions[head].entering += 1;
            head = regions[head].parent.expect("the last set contains all others");
        }
    }
}

/// Adds the counts of each set to the set around it.
fn add_up(regions: &mut [Region]) {
    for at in 0..regions.len() {
        let furthest = regions[at].within.len();
        for hops in 1..furthest {
            regions[at].within[hops] += regions[at].within[hops - 1];
        }
        let Some(parent) = regions[at].parent else { continue };
        let (before, after) = regions.split_at_mut(at + 1);
        let (region, parent) = (&before[at], &mut after[parent - at - 1]);
        parent.wanted += region.wanted;
        parent.residents += region.residents;
        parent.origin_ports = parent.origin_ports.or(region.origin_ports);
        for (&ports, &count) in &region.ports {
            *parent.ports.entry(ports).or_default() += count;
        }
        parent.within.resize(parent.within.len().max(furthest), 0);
        for hops in 0..furthest {
            let new = region.within[hops] - if hops == 0 { 0 } else { region.within[hops - 1] };
            parent.within[hops] += new;
        }
    }
}
