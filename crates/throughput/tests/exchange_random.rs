//! Personalised messages on random small networks: every plan attains its limit, so both are right.

use crate::common::check_paths::check_paths;
use pavane_throughput::exchange::{Demand, ExchangeError, ExchangeOptions, limit_and_plan};
use pavane_throughput::{Graph, Link};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const OPTIONS: ExchangeOptions = ExchangeOptions { generators: &[], stop: &|| false };

/// A network of 3 to 9 routers with a directed cycle through all of them, or a tree of links, and
/// further channels; all-to-all, M-to-N or arbitrary demands, with equal or different sizes.
fn random_case(seed: u64) -> (Graph, Vec<Demand>) {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
    let routers = random.random_range(3..=9u32);
    let largest = [1, 3, 10, 1000][random.random_range(0..4)];
    let mut links = Vec::new();
    if random.random_bool(0.5) {
        for tail in 0..routers {
            let bandwidth = random.random_range(1..=largest);
            links.push(Link { tail, head: (tail + 1) % routers, bandwidth });
        }
    } else {
        for head in 1..routers {
            let tail = random.random_range(0..head);
            for (tail, head) in [(tail, head), (head, tail)] {
                links.push(Link { tail, head, bandwidth: random.random_range(1..=largest) });
            }
        }
    }
    for _ in 0..random.random_range(0..=2 * routers) {
        let [tail, head] = [(); 2].map(|()| random.random_range(0..routers));
        let bandwidth = random.random_range(1..=largest);
        links.push(Link { tail, head, bandwidth });
        if random.random_bool(0.5) {
            links.push(Link { tail: head, head: tail, bandwidth });
        }
    }
    let mut demands = Vec::new();
    let most = [1, 1, 3, 100][random.random_range(0..4)];
    let density = [1.0, 0.7, 0.3][random.random_range(0..3)];
    let [senders, receivers] = [(); 2]
        .map(|()| -> Vec<u32> { (0..routers).filter(|_| random.random_bool(density)).collect() });
    for &from in &senders {
        for &to in &receivers {
            for _ in 0..random.random_range(1..=2) {
                let least = u64::from(most == 1);
                demands.push(Demand { from, to, size: random.random_range(least..=most) });
            }
        }
    }
    (Graph { routers, links }, demands)
}

#[test]
fn two_thousand_plans_attain_their_limits() {
    for seed in 0..2000 {
        let (graph, demands) = random_case(seed);
        let exchange = limit_and_plan(&graph, &demands, &OPTIONS).unwrap();
        check_paths(&graph, &demands, &exchange);
        assert_eq!(exchange.time, exchange.limit, "seed {seed}");
    }
}

#[test]
fn plans_of_stopped_searches_are_valid() {
    for seed in 0..200 {
        let (graph, demands) = random_case(seed);
        let calls = std::cell::Cell::new(0);
        let stop = || calls.replace(calls.get() + 1) >= seed % 7;
        let options = ExchangeOptions { generators: &[], stop: &stop };
        let exchange = limit_and_plan(&graph, &demands, &options).unwrap();
        check_paths(&graph, &demands, &exchange);
        assert!(exchange.is_stopped || exchange.is_optimal(), "seed {seed}");
    }
}

#[test]
fn bad_input_is_refused() {
    let link = |tail, head, bandwidth| Link { tail, head, bandwidth };
    let graph = Graph { routers: 3, links: vec![link(0, 1, 1), link(1, 0, 1), link(1, 2, 5)] };
    let found = |demands: &[Demand]| limit_and_plan(&graph, demands, &OPTIONS);
    let demand = |from, to, size| Demand { from, to, size };
    let unreachable = Err(ExchangeError::Unreachable { from: 2, to: 0 });
    assert_eq!(found(&[demand(0, 2, 1), demand(2, 0, 1)]), unreachable);
    // Fewer receivers than senders: the search runs backwards.
    assert_eq!(found(&[demand(1, 0, 1), demand(2, 0, 1)]), unreachable);
    let missing = Err(ExchangeError::NoSuchRouter { router: 3, routers: 3 });
    assert_eq!(found(&[demand(0, 3, 1)]), missing);
    let total = (1 << 48) + 1;
    let error = found(&[demand(0, 1, 1 << 48), demand(0, 2, 1)]);
    assert_eq!(error, Err(ExchangeError::SizesTooLarge { total }));
    let empty = found(&[demand(2, 0, 0), demand(1, 1, 7)]).unwrap();
    assert!(empty.is_optimal() && empty.paths.is_empty());
}

/// A torus of 9 × 9 routers with a random bandwidth for every channel.
fn random_torus(seed: u64) -> Graph {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut links = Vec::new();
    for router in 0..81 {
        let (row, column) = (router / 9, router % 9);
        for next in [row * 9 + (column + 1) % 9, (row + 1) % 9 * 9 + column] {
            for (tail, head) in [(router, next), (next, router)] {
                links.push(Link { tail, head, bandwidth: random.random_range(1..=10) });
            }
        }
    }
    Graph { routers: 81, links }
}

#[test]
fn plans_come_close_long_before_the_simplex_method_ends() {
    let all = (0..81).flat_map(|from| (0..81).map(move |to| Demand { from, to, size: 1 }));
    let demands: Vec<Demand> = all.collect();
    for seed in 0..2 {
        let graph = random_torus(seed);
        let polls = std::cell::Cell::new(0);
        let stop = || polls.replace(polls.get() + 1) >= 2000;
        let options = ExchangeOptions { generators: &[], stop: &stop };
        let exchange = limit_and_plan(&graph, &demands, &options).unwrap();
        check_paths(&graph, &demands, &exchange);
        let ratio = exchange.time / exchange.limit;
        let ratio = *ratio.numer() as f64 / *ratio.denom() as f64;
        assert!(ratio < 1.02, "seed {seed}: {ratio}");
    }
}
