//! Times one broadcast: `broadcast_bench NETWORK ROOT STEPS PORTS ROUTING SEEDS [EVALUATIONS]`, with
//! ports `all` or a number and routing `minimal`, `any`, `sf` or `+H`. One line per seed.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program to try things with")]

use pavane_engine::broadcast;
use pavane_engine::{Attempt, Budget, Context, Rng};
use pavane_model::{Collective, Kind, Model, Ports, Problem, ProcessorId, Routing, Switching};
use pavane_verify::verify;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let get = |at: usize, default: &str| arguments.get(at).cloned().unwrap_or(default.to_owned());
    let network = pavane_model::topology::build(&get(0, "hypercube:5")).unwrap();
    let root = ProcessorId(get(1, "0").parse().unwrap());
    let steps: u32 = get(2, "2").parse().unwrap();
    let mut model = Model::default();
    if let Ok(ports) = get(3, "all").parse() {
        model.ports = Ports::Limited(ports);
    }
    match get(4, "minimal").as_str() {
        "minimal" => model.routing = Routing::Minimal,
        "any" => model.routing = Routing::Any,
        "sf" => model.switching = Switching::StoreAndForward,
        detour => model.routing = Routing::Detour(detour.parse().unwrap()),
    }
    let all = network.living_processors().filter(|&p| p != root).collect();
    let collective = Collective::between(Kind::Broadcast, "oab", vec![root], all);
    let context = Context::new(Problem::new(network, collective, model).unwrap());
    for seed in 0..get(5, "1").parse().unwrap() {
        for engine in broadcast::ENGINES.iter().filter(|e| e.takes(context.problem())) {
            let mut budget = Budget::evaluations(get(6, "100000000").parse().unwrap());
            let mut rng = Rng::seeded(seed);
            let start = Instant::now();
            let attempt = engine.attempt(&context, steps, &mut budget, &mut rng);
            let seconds = start.elapsed().as_secs_f64();
            let answer = match attempt {
                Attempt::Found(schedule) | Attempt::Longer(schedule) => {
                    let (steps, hops) = (schedule.step_count(), schedule.channel_uses());
                    let verdict = match verify(context.problem().clone(), schedule) {
                        Ok(_) => "valid".to_owned(),
                        Err(violations) => format!("NOT VALID: {:?}", violations[0]),
                    };
                    format!("{steps} steps, {hops} hops, {verdict}")
                }
                Attempt::Impossible(_) | Attempt::OutOfBudget => "nothing".to_owned(),
            };
            let (name, spent) = (engine.name(), budget.spent());
            println!("seed {seed} {name}: {answer}, {spent} evaluations, {seconds:.3} s");
        }
    }
}
