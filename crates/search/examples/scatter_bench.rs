//! How soon and with how many evaluations the plain scatter engine finds so many steps:
//! `scatter_bench NETWORK COLLECTIVE STEPS [SEEDS [EFFORT [ROUTING]]]`; STEPS may be `bound` or
//! `bound+N`, EFFORT multiplies the first quota, ROUTING is `min`, `any` or a detour in hops.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports, Problem, Routing, Switching};
use pavane_networks::topology;
use pavane_search::scatter::wormhole::Ejection;
use pavane_search::{Attempt, Budget, Context, Engine, Rng, Suitability, bounds};
use pavane_verify::verify;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, otherwise: &str| {
        arguments.get(at).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let network = topology::build(&argument(0, "hypercube:5")).unwrap();
    let collective =
        collective::build(&argument(1, "aas"), &network, &Groups::default()).unwrap().remove(0);
    let routing = match argument(5, "min").as_str() {
        "min" => Routing::Minimal,
        "any" => Routing::Any,
        hops => Routing::Detour(hops.parse().unwrap()),
    };
    let model =
        Model { switching: Switching::Wormhole, routing, duplex: Duplex::Full, ports: Ports::All };
    let problem = Problem::new(network, collective, model).unwrap().forward();
    let start = Instant::now();
    let bounds = bounds::all(&problem).expect("the judge passes our bounds");
    let context = Context::new(problem);
    context.set_prices(bounds.prices.as_deref());
    let bound = bounds.best.steps;
    let steps = match argument(2, "bound").strip_prefix("bound") {
        Some(more) => bound + more.parse::<u32>().unwrap_or(0),
        None => argument(2, "").parse().unwrap(),
    };
    let seeds: u64 = argument(3, "5").parse().unwrap();
    let effort: f64 = argument(4, "1").parse().unwrap();
    let quota = (effort * Ejection.first_quota(context.problem(), steps) as f64) as u64;
    println!(
        "{}: bound {bound} in {:.2} s, {steps} steps wanted, {quota} evaluations at most",
        arguments.join(" "),
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    Ejection.attempt(&context, steps, &mut Budget::evaluations(1), &mut Rng::seeded(0));
    println!("first board, with prices: {:.2} s", start.elapsed().as_secs_f64());
    let (mut found, mut evaluations) = (0, 0);
    let start = Instant::now();
    for seed in 0..seeds {
        let open = Arc::new(AtomicU64::new(0));
        let mut budget = Budget::evaluations(quota).telling(open.clone());
        let attempt = Ejection.attempt(&context, steps, &mut budget, &mut Rng::seeded(seed));
        evaluations += budget.spent();
        let schedule = match attempt {
            Attempt::Found(schedule) => {
                found += 1;
                open.store(0, Ordering::Relaxed);
                schedule
            }
            Attempt::Longer(schedule) => schedule,
            _ => panic!("always has a schedule"),
        };
        let length = verify(context.problem().clone(), schedule).unwrap().schedule().step_count();
        let open = open.load(Ordering::Relaxed);
        print!("{length} ({open} open, {:.0} M) ", budget.spent() as f64 / 1e6);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "\nfound {found} of {seeds}; {:.2} s each, {:.1} million evaluations per second",
        seconds / seeds as f64,
        evaluations as f64 / seconds / 1e6
    );
}
