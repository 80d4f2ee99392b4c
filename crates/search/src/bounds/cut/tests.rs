//! Compares running totals with recounts, and the cuts found with known cuts.

use super::demand::CutDemand;
use super::side::{Ratio, Side};
use super::{best, every};
use crate::budget::Interrupt;
use crate::rng::Rng;
use pavane_model::collective::{self, Groups};
use pavane_model::{
    ChannelId, Collective, Duplex, Kind, ListedMessage, Model, Network, NetworkBuilder, Problem,
    ProcessorId, RouterId,
};
use pavane_networks::topology;

/// A ring with random links, channels and fat nodes, and a random collective on it.
fn random_problem(routers: u32, rng: &mut Rng) -> Problem {
    let mut builder = NetworkBuilder::new("random", routers);
    for router in 0..routers {
        builder.channel(router, (router + 1) % routers);
        builder.processor(Some(router));
    }
    for _ in 0..routers {
        let (a, b) = (rng.below(routers as usize) as u32, rng.below(routers as usize) as u32);
        if a == b {
            builder.processor(Some(a))
        } else if rng.chance(0.5) {
            builder.link(a, b)
        } else {
            builder.channel(a, b)
        };
    }
    let network = builder.build().unwrap();
    let duplex = if rng.chance(0.5) { Duplex::Full } else { Duplex::Half };
    let collective = random_collective(&network, rng);
    Problem::new(network, collective, Model { duplex, ..Model::default() }).unwrap()
}

fn random_collective(network: &Network, rng: &mut Rng) -> Collective {
    let group = |least: usize, rng: &mut Rng| {
        let mut all: Vec<ProcessorId> = network.living_processors().collect();
        rng.shuffle(&mut all);
        all.truncate(least + rng.below(4));
        all
    };
    match rng.below(3) {
        0 => Collective::between(Kind::Broadcast, "b", group(1, rng), group(2, rng)),
        1 => Collective::between(Kind::Scatter, "s", group(1, rng), group(2, rng)),
        _ => {
            let message = |rng: &mut Rng| {
                let mut to = group(2, rng);
                ListedMessage { from: to.swap_remove(0), to }
            };
            Collective::listed("list", (0..8).map(|_| message(rng)).collect())
        }
    }
}

/// Counts what must leave a set, directly from the definition.
fn count(problem: &Problem, is_inside: &[bool]) -> Ratio {
    let (network, messages) = (problem.network(), problem.messages());
    let is_half = problem.model().duplex == Duplex::Half;
    let side = |processor| is_inside[problem.home(processor).index()];
    let must_cross = messages.ids().filter(|&message| {
        let from = side(messages.origin(message));
        (from || is_half) && messages.destinations(message).iter().any(|&to| side(to) != from)
    });
    let crosses = (0..network.channel_count() as u32).map(ChannelId).filter(|&number| {
        let channel = network.channel(number);
        let (tail, head) = (is_inside[channel.tail.index()], is_inside[channel.head.index()]);
        let is_second = network.opposite(number).is_some_and(|other| other < number);
        if is_half { tail != head && !is_second } else { tail && !head }
    });
    Ratio { messages: must_cross.count() as u64, channels: crosses.count() as u64 }
}

#[test]
fn running_totals_are_those_of_a_recount() {
    let mut rng = Rng::seeded(1);
    for _ in 0..200 {
        let problem = random_problem(8, &mut rng);
        let demand = CutDemand::new(&problem).unwrap();
        let mut side = Side::empty(&problem, &demand);
        for _ in 0..30 {
            side.toggle(RouterId(rng.below(8) as u32));
            let rest: Vec<bool> = side.is_inside().iter().map(|inside| !inside).collect();
            assert_eq!(side.leaving(), count(&problem, side.is_inside()), "{problem:?}");
            assert_eq!(side.entering(), count(&problem, &rest), "{problem:?}");
        }
    }
}

#[test]
fn the_best_of_all_cuts_is_the_best() {
    let mut rng = Rng::seeded(2);
    for _ in 0..100 {
        let problem = random_problem(6, &mut rng);
        let routers: Vec<RouterId> = problem.network().routers().collect();
        let sets = (1..63usize).map(|set| (0..6).map(|r| set >> r & 1 == 1).collect());
        let most = sets.map(|set: Vec<bool>| count(&problem, &set).steps()).max().unwrap();
        let (ratio, set) = every::best(&problem, &routers);
        let is_inside: Vec<bool> = routers.iter().map(|router| set.contains(router)).collect();
        assert_eq!(ratio.steps(), most, "{problem:?}");
        assert_eq!(ratio, count(&problem, &is_inside), "{problem:?}");
    }
}

#[test]
fn a_search_finds_the_best_of_all_cuts_of_a_small_network() {
    let mut rng = Rng::seeded(3);
    for _ in 0..50 {
        let problem = random_problem(10, &mut rng);
        let routers: Vec<RouterId> = problem.network().routers().collect();
        let demand = CutDemand::new(&problem).unwrap();
        let (ratio, set) = best::best(&problem, &demand, &routers, &Interrupt::never());
        let is_inside: Vec<bool> = routers.iter().map(|router| set.contains(router)).collect();
        assert_eq!(ratio, count(&problem, &is_inside), "{problem:?}");
        assert_eq!(ratio.steps(), every::best(&problem, &routers).0.steps(), "{problem:?}");
    }
}

/// Larger networks whose best cut is known, for all-to-all and all-gather.
const LARGE: &[(&str, &str, u64)] = &[
    // One half against the other over the links in the middle.
    ("mesh:8x8", "aas", 32 * 32 / 8),
    ("mesh:5x7", "aas", 15 * 20 / 5),
    ("torus:6x6", "aas", 18 * 18 / 12),
    ("hypercube:6", "aas", 32),
    ("tree:2,5", "aas", 31 * 32),
    // A leaf receives from all others over a single link.
    ("tree:2,5", "aab", 62),
    ("path:40", "aas", 400),
    ("torus:6x6", "aab", 9),
];

#[test]
fn a_search_finds_known_cuts_of_large_networks() {
    for &(name, collective, steps) in LARGE {
        let network = topology::build(name).unwrap();
        let all = collective::build(collective, &network, &Groups::default()).unwrap().remove(0);
        let problem = Problem::new(network, all, Model::default()).unwrap();
        let routers: Vec<RouterId> = problem.network().routers().collect();
        let (ratio, set) = {
            let demand = CutDemand::new(&problem).unwrap();
            best::best(&problem, &demand, &routers, &Interrupt::never())
        };
        assert_eq!(ratio.steps(), steps, "{name} {collective}: {ratio:?} {set:?}");
    }
}
