//! How often the confidence intervals of `traffic sweep --over rate` contain the mean latency:
//! `coverage NETWORK RATE CYCLES SEEDS [LONG]`. The mean is that of a measurement of LONG cycles (2 million).
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_model::Duplex;
use pavane_networks::topology;
use pavane_traffic::flits::{FlitRules, Load, Phases, message_load};
use pavane_traffic::mission::Pattern;
use pavane_traffic::{Policy, RoutingMethod, Simulator, SwitchingMethod};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, otherwise: &str| {
        arguments.get(at).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let network = topology::build(&argument(0, "mesh:8x8")).unwrap();
    let rate: f64 = argument(1, "0.4").parse().unwrap();
    let cycles: u64 = argument(2, "2000").parse().unwrap();
    let seeds: u64 = argument(3, "200").parse().unwrap();
    let long: u64 = argument(4, "2000000").parse().unwrap();
    let routing = RoutingMethod::find("e-cube", &network).unwrap();
    let simulator = Simulator::new(network, Duplex::Full, routing);
    let switching = SwitchingMethod::Flits(FlitRules::USUAL);
    let policy = Policy::find("fifo").unwrap();
    let measure = |cycles: u64, seed: u64| {
        let (warm_up, drain) = (cycles / 10, 20_000);
        let phases = Phases { warm_up, measurement: cycles - warm_up, drain };
        let load = Load { rate, flits: 4, pattern: Pattern::All, phases, seed };
        message_load(&load, &simulator, switching, policy).unwrap()
    };
    let mean = measure(long, 0).mean().unwrap().mean;
    let (mut hits, mut saturated, mut widths, mut means) = (0, 0, 0.0, 0.0);
    for seed in 1..=seeds {
        let point = measure(cycles, seed);
        let Some(found) = point.mean() else { continue };
        saturated += u64::from(point.is_saturated());
        hits += u64::from((found.mean - mean).abs() <= found.half_width.unwrap());
        widths += found.half_width.unwrap() / mean;
        means += found.mean / mean;
    }
    let share = |number: f64| 100.0 * number / seeds as f64;
    println!(
        "rate {rate}, {cycles} cycles: mean {mean:.1}, {:.1} % of the intervals contain it, ± {:.1} % wide, means {:.1} % of it, {saturated} saturated",
        share(hits as f64),
        share(widths),
        share(means),
    );
}
