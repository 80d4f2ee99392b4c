//! How often, how soon and with how many evaluations the gossip engine finds so many steps:
//! `gossip_bench NETWORK COLLECTIVE STEPS [PORTS [SWITCHING [SEEDS [EFFORT [SENDERS RECEIVERS]]]]]`;
//! STEPS may be `bound` or `fewest`, `0` is construction only; SWITCHING `sf`, `wh`, `wh-any`, `sf-half`, ….
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_engine::gossip::Gossip;
use pavane_engine::{Attempt, Budget, Context, Engine, Rng, bounds};
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports, Problem, Routing, Schedule, Switching, topology};
use pavane_verify::verify;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, otherwise: &str| {
        arguments.get(at).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let network = topology::build(&argument(0, "hypercube:4")).unwrap();
    let groups = match arguments.len() > 7 {
        true => Groups {
            senders: Some(argument(7, "all")),
            receivers: Some(argument(8, "all")),
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
    let problem = Problem::new(network, collective, model).unwrap().forward();
    let bound = bounds::all(&problem).expect("the judge passes our bounds").best;
    let context = Context::new(problem);
    let steps: Option<u32> = match argument(2, "bound").as_str() {
        "fewest" => None,
        "bound" => Some(bound.steps),
        steps => Some(steps.parse().unwrap()),
    };
    let seeds: u64 = argument(5, "10").parse().unwrap();
    let effort: u64 = argument(6, "1").parse().unwrap();
    print!("{}: bound {} ({}); ", arguments.join(" "), bound.steps, bound.reason);
    let (mut constructed, mut found, mut evaluations) = (Vec::new(), Vec::new(), 0);
    let start = Instant::now();
    for seed in 0..seeds {
        let rng = &mut Rng::seeded(seed);
        let mut budget = Budget::evaluations(u64::MAX);
        let schedule = Gossip.construct(&context, &mut budget, rng).unwrap();
        let length = judged(&context, schedule);
        constructed.push(length);
        let mut is_found = false;
        let targets = steps.map_or(bound.steps..length, |steps| steps..steps + 1);
        for steps in targets.filter(|&steps| steps > 0) {
            let quota = effort * Gossip.first_quota(context.problem(), steps);
            let mut budget = Budget::evaluations(quota);
            let attempt = Gossip.attempt(&context, steps, &mut budget, rng);
            evaluations += budget.spent();
            if let Attempt::Found(schedule) = attempt {
                assert!(judged(&context, schedule) <= steps);
                found.push(steps);
                is_found = true;
                break;
            }
        }
        if steps.is_none() && !is_found {
            found.push(length);
        }
    }
    let seconds = start.elapsed().as_secs_f64() / seeds as f64;
    println!(
        "constructed {constructed:?} found {found:?} each {} evaluations {seconds:.3} s",
        evaluations / seeds
    );
}

fn judged(context: &Context, schedule: Schedule) -> u32 {
    verify(context.problem().clone(), schedule).unwrap().schedule().step_count()
}
