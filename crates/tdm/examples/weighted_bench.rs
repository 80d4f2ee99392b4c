//! How soon the search reaches the bound on random weighted traffic:
//! `weighted_bench NETWORK PERCENT FIRST COUNT [LIMIT_S [PHITS [wrap|nowrap [LEAST]]]]`. The files FIRST to FIRST + COUNT - 1 give each
//! pair of processors a weight of 1 to 5 with the probability PERCENT. Times are those of two idle cores: the processor
//! time of the first thread and half of that of the others.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_model::tdm::{TdmCertificate, TdmDemand, TdmMessage, TdmRules};
use pavane_model::{ProcessorId, TdmProblem};
use pavane_networks::topology;
use pavane_search::{Interrupt, Rng};
use pavane_tdm::{TdmOptions, solve_with};
use std::fs::read_to_string;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Polling interval of the clock.
const POLL: Duration = Duration::from_millis(5);

/// Processor time of this process and of its first thread, in seconds (Linux).
fn processor_time_s() -> (f64, f64) {
    let ticks: f64 = {
        let stat = read_to_string("/proc/self/stat").unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()
    };
    let first = read_to_string(format!("/proc/self/task/{}/schedstat", std::process::id()));
    let first: f64 = first.unwrap().split_whitespace().next().unwrap().parse().unwrap();
    (ticks / 100.0, first / 1e9)
}

fn time_s() -> f64 {
    let (all, first) = processor_time_s();
    first + (all - first).max(0.0) / 2.0
}

/// The bound of the ports in words, and the mean load of the channels.
fn quick_loads(problem: &TdmProblem) -> (f64, f64) {
    let network = problem.network();
    let mut ports = vec![(0u32, 0u32); network.processor_count()];
    let mut hops = 0;
    let mut distances = Vec::new();
    let mut source = None;
    for message in problem.messages() {
        if source.replace(message.from) != Some(message.from) {
            distances = network.distances_from(network.home(message.from).unwrap());
        }
        hops += message.weight * distances[network.home(message.to).unwrap().index()];
        ports[message.from.index()].0 += message.weight;
        ports[message.to.index()].1 += message.weight;
    }
    let busiest = ports.iter().map(|&(sent, received)| sent.max(received)).max().unwrap();
    (f64::from(busiest), f64::from(hops) / network.channel_count() as f64)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, otherwise: &str| {
        arguments.get(at).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let network = topology::build(&argument(0, "torus:10x10")).unwrap();
    let percent: usize = argument(1, "50").parse().unwrap();
    let first: u64 = argument(2, "1").parse().unwrap();
    let count: u64 = argument(3, "1").parse().unwrap();
    let limit_s: f64 = argument(4, "2").parse().unwrap();
    let phits: u32 = argument(5, "1").parse().unwrap();
    let wraps = argument(6, "wrap") == "wrap";
    let least_load: f64 = argument(7, "0").parse().unwrap();
    let processors = network.processor_count() as u32;
    for file in first..first + count {
        let mut rng = Rng::stream(file, percent as u64);
        let mut messages = Vec::new();
        for from in 0..processors {
            for to in (0..processors).filter(|&to| to != from) {
                if rng.below(100) < percent {
                    let (from, to) = (ProcessorId(from), ProcessorId(to));
                    let weight = 1 + rng.below(5) as u32;
                    messages.push(TdmMessage { from, to, weight, max_latency: None });
                }
            }
        }
        let rules = TdmRules { phits, wraps, ..TdmRules::default() };
        let demand = TdmDemand::Messages(messages);
        let problem = TdmProblem::new(network.clone(), demand, rules, 1_000_000).unwrap();
        let (busiest, load) = quick_loads(&problem);
        if load > busiest || 100.0 * load < least_load * busiest {
            continue;
        }
        let (flag, is_done) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
        let interrupt = Interrupt::never().unless(flag.clone());
        let start = time_s();
        let found = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    std::thread::sleep(POLL);
                    flag.fetch_or(time_s() - start > limit_s, Ordering::Relaxed);
                }
            });
            let (threads, evaluations) = (2, None);
            let options = TdmOptions { threads, evaluations, interrupt, ..TdmOptions::default() };
            let outcome = solve_with(&problem, &options, &|bounds, period| {
                // Only files whose port bound is the largest quick bound count.
                let is_at_ports = matches!(bounds.best.certificate, TdmCertificate::Ports { .. });
                flag.fetch_or(!is_at_ports || limit_s <= 0.0, Ordering::Relaxed);
                if let Some(period) = period {
                    found.lock().unwrap().push(format!("{period}@{:.2}", time_s() - start));
                }
            });
            is_done.store(true, Ordering::Relaxed);
            let outcome = outcome.unwrap();
            if outcome.schedule.is_none() && limit_s > 0.0 {
                return;
            }
            let bound = &outcome.bounds.best;
            let by = match bound.certificate {
                TdmCertificate::Ports { .. } => "ports",
                _ => "other",
            };
            let ports = outcome.bounds.all[0].period;
            if by != "ports" && found.lock().unwrap().is_empty() {
                return;
            }
            let load = 100.0 * load / busiest;
            if limit_s <= 0.0 {
                println!("{percent} {file}: ports {ports}, mean load of channels {load:.2} %");
                return;
            }
            let reached = outcome.schedule.unwrap().schedule().period;
            println!(
                "{percent} {file}: {by} {} (ports {ports}, mean load {load:.2} %), {} words, reached {reached} ({:+.1} %) in {:.2} s: {}",
                bound.period,
                problem.word_count(),
                100.0 * (f64::from(reached) / f64::from(bound.period) - 1.0),
                time_s() - start,
                found.lock().unwrap().join(" "),
            );
        });
    }
}
