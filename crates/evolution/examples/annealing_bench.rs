//! How fast annealing moves are, and how often an evolutionary engine finds so many steps:
//! `annealing_bench [NETWORK COLLECTIVE STEPS [ENGINE [SEEDS [EVALUATIONS [OPTIONS…]]]]]`. Without
//! arguments the rate on AAS hypercube:5; with EVALUATIONS 0, four tries of the first quota, then of
//! twice that, and so on, as the driver does. OPTIONS are `paper`, `sf`, `ports=K`, `routing=any|H`,
//! `fault=A-B`, `root=P`, `senders=GROUP`, `receivers=GROUP` and `name=value` of the engine.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_evolution::chromosome::{Chromosome, PathTables, ScatterGenome};
use pavane_model::collective::{self, Groups};
use pavane_model::{Fault, Model, Ports, Problem, Routing, Switching};
use pavane_networks::topology;
use pavane_search::parameters::Preset;
use pavane_search::{Attempt, Budget, Context, Engine, Rng};
use pavane_verify::verify;
use std::time::Instant;

/// Time after which a seed is given up.
const MOST_SECONDS: u64 = 60;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        return rate();
    }
    let argument = |at: usize, otherwise: &str| {
        arguments.get(at).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let mut network = topology::build(&arguments[0]).unwrap();
    let (mut groups, mut model) = (Groups::default(), Model::default());
    let (mut preset, mut settings) = (Preset::Tuned, Vec::new());
    for option in arguments.iter().skip(6) {
        match option.split_once('=').unwrap_or((option, "")) {
            ("paper", _) => preset = Preset::Paper,
            ("sf", _) => model.switching = Switching::StoreAndForward,
            ("ports", k) => model.ports = Ports::Limited(k.parse().unwrap()),
            ("routing", "any") => model.routing = Routing::Any,
            ("routing", hops) => model.routing = Routing::Detour(hops.parse().unwrap()),
            ("fault", text) => {
                let fault = Fault::parse(&network, text).unwrap();
                network = network.without(&[fault]).unwrap();
            }
            ("root", root) => groups.root = Some(root.to_owned()),
            ("senders", group) => groups.senders = Some(group.to_owned()),
            ("receivers", group) => groups.receivers = Some(group.to_owned()),
            _ => settings.push(option.clone()),
        }
    }
    let collective = collective::build(&arguments[1], &network, &groups).unwrap().remove(0);
    let problem = Problem::new(network, collective, model).unwrap().forward();
    let steps: u32 = argument(2, "1").parse().unwrap();
    let name = argument(3, "annealing");
    let engine = *pavane_evolution::ENGINES.iter().find(|engine| engine.name() == name).unwrap();
    let seeds: u64 = argument(4, "10").parse().unwrap();
    let evaluations = argument(5, "0").parse::<f64>().unwrap() as u64;
    let parameters = engine.describe().set(preset, &settings).unwrap();
    let context = Context::new(problem).with_parameters(parameters);
    measure(engine, &context, steps, seeds, evaluations);
}

fn measure(engine: &dyn Engine, context: &Context, steps: u32, seeds: u64, evaluations: u64) {
    let (mut found, mut spent, mut seconds) = (0, 0, Vec::new());
    for seed in 0..seeds {
        let start = Instant::now();
        for stream in 0.. {
            let quota = match evaluations {
                0 => engine.first_quota(context.problem(), steps) << (stream / 4),
                evaluations => evaluations,
            };
            let mut budget = Budget::evaluations(quota);
            let rng = &mut Rng::stream(seed, stream);
            let attempt = engine.attempt(context, steps, &mut budget, rng);
            spent += budget.spent();
            if let Attempt::Found(schedule) = attempt {
                found += 1;
                verify(context.problem().clone(), schedule).unwrap();
                break;
            }
            if evaluations > 0 || start.elapsed().as_secs() > MOST_SECONDS {
                break;
            }
        }
        seconds.push(start.elapsed().as_secs_f64());
    }
    let total: f64 = seconds.iter().sum();
    println!(
        "{found}/{seeds} in {:.3} s each, at most {:.3}; {:.2} M evaluations each, {:.2} M/s",
        total / seeds as f64,
        seconds.iter().copied().fold(0.0, f64::max),
        spent as f64 / seeds as f64 / 1e6,
        spent as f64 / total / 1e6
    );
}

/// Single-gene moves per second on AAS hypercube:5 in 16 steps, evaluated and kept or not.
fn rate() {
    let network = topology::build("hypercube:5").unwrap();
    let collective = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
    let context = Context::new(Problem::new(network, collective, Model::default()).unwrap());
    let tables = context.facts_of::<PathTables>();
    let genome = ScatterGenome::new(context.problem(), 16, tables.get(context.problem(), 0));
    let rng = &mut Rng::seeded(1);
    let mut individual = genome.random(rng);
    for allowed in [2, 1, 0] {
        let start = Instant::now();
        let moves = 20_000_000;
        let kept = (0..moves).filter(|_| individual.try_move(allowed, rng) != 0).count();
        println!(
            "at most {allowed} conflicts more: {:.1} M moves/s, {:.1} % changed the count, {} conflicts",
            f64::from(moves) / start.elapsed().as_secs_f64() / 1e6,
            100.0 * kept as f64 / f64::from(moves),
            individual.conflicts()
        );
    }
}
