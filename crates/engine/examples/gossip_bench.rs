//! How often, how soon and with how many evaluations the gossip engine finds so many steps:
//! `gossip_bench NETWORK COLLECTIVE STEPS [PORTS [SWITCHING [SEEDS [SENDERS RECEIVERS]]]]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_engine::gossip::Gossip;
use pavane_engine::{Attempt, Budget, Context, Engine, Rng};
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports, Problem, Routing, Switching, topology};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, otherwise: &str| {
        arguments.get(at).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let network = topology::build(&argument(0, "hypercube:4")).unwrap();
    let groups = match arguments.len() > 6 {
        true => Groups {
            senders: Some(argument(6, "0")),
            receivers: Some(argument(7, "0")),
            ..Groups::default()
        },
        false => Groups::default(),
    };
    let collective = collective::build(&argument(1, "aab"), &network, &groups).unwrap().remove(0);
    let switching = argument(4, "sf");
    let model = Model {
        switching: match switching.starts_with("sf") {
            true => Switching::StoreAndForward,
            false => Switching::Wormhole,
        },
        routing: if switching.contains("any") { Routing::Any } else { Routing::Minimal },
        duplex: if switching.contains("half") { Duplex::Half } else { Duplex::Full },
        ports: argument(3, "all").parse().map_or(Ports::All, Ports::Limited),
    };
    let context = Context::new(Problem::new(network, collective, model).unwrap().forward());
    let steps: u32 = argument(2, "0").parse().unwrap();
    let seeds: u64 = argument(5, "10").parse().unwrap();
    let (mut hits, mut evaluations) = (0, 0);
    let start = Instant::now();
    let mut lengths = Vec::new();
    for seed in 0..seeds {
        let mut rng = Rng::seeded(seed);
        let mut budget = Budget::evaluations(Gossip.first_quota(context.problem(), steps));
        if steps > 0 {
            if let Attempt::Found(_) = Gossip.attempt(&context, steps, &mut budget, &mut rng) {
                hits += 1;
            }
        } else {
            let schedule = Gossip.construct(&context, &mut budget, &mut rng);
            lengths.push(schedule.map_or(u32::MAX, |schedule| schedule.step_count()));
        }
        evaluations += budget.spent();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{} {}: {hits} of {seeds} {lengths:?}", argument(0, ""), argument(1, "aab"));
    println!("evaluations {} seconds {:.3} each", evaluations / seeds, seconds / seeds as f64);
}
