//! Limit, time and seconds of all-to-all on named networks: `exchange_times [NETWORK ...]`. The limit
//! and the time are in messages per unit of bandwidth; `SEED@NETWORK` gives every link a random
//! bandwidth from 1 to 100, and `+NETWORK` ignores automorphisms.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_networks::{import, symmetry};
use pavane_throughput::exchange::{Demand, ExchangeOptions, limit_and_plan};
use pavane_throughput::network::Scaled;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

const NETWORKS: [&str; 25] = [
    "dgx-1v",
    "ndv2:2",
    "ndv2:4",
    "dgx2:2",
    "dgx-a100:1",
    "dgx-a100:2",
    "dgx-a100:4",
    "dgx-h100:2",
    "mi250:1",
    "mi250:2",
    "hypercube:3",
    "hypercube:6",
    "hypercube:10",
    "torus:3x3x3",
    "torus:8x8",
    "+torus:8x8",
    "torus:32x32",
    "generalized-kautz:32,4",
    "1@torus:4x4",
    "1@torus:6x6",
    "slim-fly:5",
    "dragonfly:4,2,2",
    "random-regular:64,4,1",
    "random-regular:1024,4,1",
    "1@torus:32x32",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let default = NETWORKS.iter().map(|&name| name.to_owned());
    let names = if arguments.is_empty() { default.collect() } else { arguments };
    for name in names {
        measure(&name);
    }
}

fn measure(text: &str) {
    let name = text.trim_start_matches('+');
    let (seed, name) = match name.split_once('@') {
        Some((seed, name)) => (seed.parse::<u64>().ok(), name),
        None => (None, name),
    };
    let network = import::load(name).unwrap();
    let mut graph = Scaled::new(&network).unwrap().graph;
    if let Some(seed) = seed {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for link in &mut graph.links {
            link.bandwidth = random.random_range(1..=100);
        }
    }
    let homes: Vec<u32> = network
        .living_processors()
        .filter_map(|processor| network.home(processor).map(|home| home.0))
        .collect();
    let demand = |&from: &u32| homes.iter().map(move |&to| Demand { from, to, size: 1 });
    let demands: Vec<Demand> = homes.iter().flat_map(demand).collect();
    let found = symmetry::symmetries(&network).filter(|_| !text.starts_with('+'));
    let generators: Vec<Vec<u32>> = found
        .map(|found| found.generators)
        .unwrap_or_default()
        .iter()
        .map(|generator| generator.iter().map(|router| router.0).collect())
        .collect();
    let start = Instant::now();
    let options = ExchangeOptions { generators: &generators, stop: &|| false };
    let exchange = limit_and_plan(&graph, &demands, &options).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let number = |ratio: pavane_throughput::Ratio| *ratio.numer() as f64 / *ratio.denom() as f64;
    let gap = number(exchange.time) / number(exchange.limit) - 1.0;
    println!(
        "{text}: limit {}, time {}, gap {:.3} %, scale {}, {} paths for {} demands, {seconds:.2} s",
        exchange.limit,
        exchange.time,
        100.0 * gap,
        exchange.scale,
        exchange.paths.len(),
        demands.len(),
    );
}
