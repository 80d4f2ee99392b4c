//! Random small networks: limits against all cuts, plans against the slow checker.

use crate::common::check::check;
use pavane_throughput::limit::{BroadcastError, limit};
use pavane_throughput::trees::{Broadcasts, plan, plan_with_trees};
use pavane_throughput::{Graph, Link, Ratio};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

struct Case {
    graph: Graph,
    copying: Vec<bool>,
    senders: Vec<u32>,
    receivers: Vec<u32>,
}

impl Case {
    /// Up to 7 routers with none to two processors each. A third of the networks has channels in
    /// both directions, a third consists of directed cycles, a third is arbitrary.
    fn random(seed: u64) -> Self {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
        let routers = random.random_range(2..=7);
        let largest = [1, 3, 10, 1000][random.random_range(0..4)];
        let mut links = Vec::new();
        let style = random.random_range(0..3);
        for _ in 0..random.random_range(1..=3 * routers) {
            let bandwidth = random.random_range(1..=largest);
            let mut walk: Vec<u32> = (0..routers).collect();
            for last in (1..walk.len()).rev() {
                walk.swap(last, random.random_range(0..=last));
            }
            let length = [2, random.random_range(2..=walk.len()), 2][style];
            for at in 0..length {
                if style < 2 || at == 0 {
                    let (tail, head) = (walk[at], walk[(at + 1) % length]);
                    links.push(Link { tail, head, bandwidth });
                }
            }
        }
        let homes: Vec<u32> = (0..random.random_range(1..=2 * routers))
            .map(|_| random.random_range(0..routers))
            .collect();
        let copying = (0..routers).map(|router| homes.contains(&router)).collect();
        let mut choose = |probability: f64| -> Vec<u32> {
            homes.iter().copied().filter(|_| random.random_bool(probability)).collect()
        };
        let all = seed.is_multiple_of(4);
        let senders = if all { homes.clone() } else { choose(0.5) };
        let receivers = if all { homes.clone() } else { choose(0.5) };
        Case { graph: Graph { routers, links }, copying, senders, receivers }
    }

    /// The limit by trying all router sets, or none if a receiver cannot be reached.
    fn brute_force(&self) -> Option<Ratio> {
        let mut best = Ratio::new(0, 1);
        for set in 0..1u32 << self.graph.routers {
            let inside = |router: u32| set >> router & 1 == 1;
            if self.receivers.iter().all(|&receiver| inside(receiver)) {
                continue;
            }
            let count = self.senders.iter().filter(|&&sender| inside(sender)).count();
            let leaving = self.graph.links.iter().filter(|l| inside(l.tail) && !inside(l.head));
            let bandwidth: u64 = leaving.map(|link| link.bandwidth).sum();
            if count > 0 && bandwidth == 0 {
                return None;
            }
            if count > 0 {
                best = best.max(Ratio::new(count as u128, u128::from(bandwidth)));
            }
        }
        Some(best)
    }

    /// Whether every router without a receiver has as much bandwidth in as out.
    fn is_balanced(&self) -> bool {
        (0..self.graph.routers).filter(|router| !self.receivers.contains(router)).all(|router| {
            let into = self.graph.links.iter().filter(|link| link.head == router);
            let from = self.graph.links.iter().filter(|link| link.tail == router);
            let [into, from] = [into.map(|l| l.bandwidth).sum(), from.map(|l| l.bandwidth).sum()];
            let [into, from]: [u64; 2] = [into, from];
            into >= from
        })
    }
}

#[test]
fn random_networks_reach_the_limit() {
    let (mut reachable, mut balanced, mut optimal) = (0, 0, 0);
    for seed in 0.. {
        let case = Case::random(seed);
        let Case { graph, copying, senders, receivers } = &case;
        let found = limit(graph, senders, receivers);
        let expected = case.brute_force();
        let Some(expected) = expected else {
            let Err(BroadcastError::Unreachable { sender, receiver }) = found else {
                panic!("seed {seed}: expected an unreachable receiver");
            };
            assert!(senders.contains(&sender) && receivers.contains(&receiver), "seed {seed}");
            continue;
        };
        assert_eq!(found.unwrap().time, expected, "seed {seed}");
        let broadcasts = Broadcasts { graph, copying, senders, receivers };
        let plan = plan(&broadcasts, &|| false).unwrap();
        check(&broadcasts, &plan);
        let is_balanced = case.is_balanced();
        assert!(plan.is_optimal() || !is_balanced, "seed {seed}: {} {expected}", plan.time);
        let few = plan_with_trees(&broadcasts, 2, &|| false).unwrap();
        check(&broadcasts, &few);
        assert!(few.trees_per_sender() <= 2, "seed {seed}");
        reachable += 1;
        balanced += u32::from(is_balanced);
        optimal += u32::from(plan.is_optimal());
        if reachable == 2000 {
            break;
        }
    }
    println!("{reachable} cases, {balanced} balanced, {optimal} optimal");
    assert!(balanced >= 1500 && optimal >= 1990);
}
