//! Checks prices as lower bounds and loads as upper bounds of known values, on any number of
//! threads.

use super::Prices;
use crate::budget::Interrupt;
use pavane_model::{ChannelId, Collective, Duplex, Kind, Model, Problem, ProcessorId, Routing};
use pavane_networks::topology;

fn all_to_all(spec: &str, model: Model) -> Problem {
    let network = topology::build(spec).unwrap();
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let collective = Collective::between(Kind::Scatter, "aas", all.clone(), all);
    Problem::new(network, collective, model).unwrap()
}

fn prices(problem: &Problem, effort: u64) -> Prices {
    super::prices(problem, effort, &Interrupt::never()).unwrap()
}

fn routed(routing: Routing) -> Model {
    Model { routing, ..Model::default() }
}

#[test]
fn symmetric_networks_need_no_search() {
    for (spec, load) in [("hypercube:6", 32.0), ("torus:8x8", 64.0), ("petersen", 5.0)] {
        let Prices { per_channel, lower, upper } = prices(&all_to_all(spec, Model::default()), 0);
        assert!((lower - load).abs() < 1e-9 && (upper - load).abs() < 1e-9, "{spec}");
        assert!(per_channel.iter().all(|&price| price == 1.0));
    }
}

#[test]
fn prices_tend_to_the_least_load() {
    // mesh:4x4: 8 · 8 messages cross the middle cut each way over 4 channels. path:3: 2 messages
    // cross each cut each way over 1 channel. torus:4x8: the longer rings limit.
    for (spec, load) in [("mesh:4x4", 16.0), ("path:3", 2.0), ("torus:4x8", 32.0)] {
        for routing in [Routing::Minimal, Routing::Any, Routing::Detour(2)] {
            let found = prices(&all_to_all(spec, routed(routing)), 5_000_000);
            assert!(found.lower <= load + 1e-9 && load - 1e-9 <= found.upper, "{spec} {routing}");
            assert!(found.upper - found.lower < 0.03 * load, "{spec} {routing}: {found:?}");
        }
    }
}

#[test]
fn a_mesh_is_dearest_in_the_middle() {
    let problem = all_to_all("mesh:4x4", Model::default());
    let found = prices(&problem, 5_000_000).per_channel;
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    assert!((mean - 1.0).abs() < 1e-9);
    let network = problem.network();
    for (channel, price) in network.channels().iter().zip(found) {
        let column = |router: u32| router % 4;
        let row = |router: u32| router / 4;
        let crosses = |at: fn(u32) -> u32| at(channel.tail.0) + at(channel.head.0) == 3;
        let is_in_the_middle = crosses(column) && row(channel.tail.0) == row(channel.head.0)
            || crosses(row) && column(channel.tail.0) == column(channel.head.0);
        assert_eq!(price > 1.0, is_in_the_middle, "{channel:?} costs {price}");
    }
}

#[test]
fn under_half_duplex_the_channels_of_a_link_share_a_price() {
    let model = Model { duplex: Duplex::Half, ..Model::default() };
    let problem = all_to_all("mesh:3x3", model);
    let found = prices(&problem, 1_000_000);
    for (channel, price) in found.per_channel.iter().enumerate() {
        let other = problem.network().opposite(ChannelId(channel as u32)).unwrap();
        assert_eq!(*price, found.per_channel[other.index()]);
    }
    let full = prices(&all_to_all("mesh:3x3", Model::default()), 1_000_000);
    assert!((found.lower / full.lower - 2.0).abs() < 0.05);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for routing in [Routing::Minimal, Routing::Any] {
        let problem = all_to_all("random-regular:128,4,1", routed(routing));
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| prices(&problem, 1_000_000))
        };
        assert_eq!(with_threads(1), with_threads(5));
    }
}
