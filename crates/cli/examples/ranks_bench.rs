//! Overhead of MPI ranks: runs the program under `mpirun` on this machine and prints evaluations
//! per second, for the documentation page on clusters. `cargo build --release --features mpi`, then
//! `cargo run --release --features mpi --example ranks_bench -- overhead|scaling|stop [ROUNDS]`.

#![allow(clippy::print_stdout, reason = "a program that prints what it measures")]
#![allow(clippy::unwrap_used, reason = "without mpirun there is nothing to measure")]

use pavane_model::strict_json;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// The search for counting evaluations: their number does not depend on ranks and threads.
const COUNTED: &str = "solve hypercube:6 aab --switching sf --engine hgsa --set islands=12";

/// Searches that end at the bound, which each of them reaches at random after a while.
const ENDING: &[&str] = &[
    "solve kautz:3,2 aas --engine annealing",
    "solve hypercube:4 aab --switching sf --engine annealing",
    "solve torus:5x5 aas",
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rounds = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(5);
    match words.first().map(String::as_str) {
        Some("overhead") => overhead(rounds),
        Some("scaling") => scaling(rounds),
        Some("stop") => stop(rounds),
        _ => println!("say what to measure: overhead, scaling or stop"),
    }
}

/// Compares one rank of two threads with two ranks of one thread, alternately.
fn overhead(rounds: u64) {
    let mut ratios = Vec::new();
    for seed in 1..=rounds {
        let (threads, ranks) = (speed(1, 2, seed), speed(2, 1, seed));
        ratios.push(ranks / threads);
        println!(
            "1 rank x 2 threads {threads:.0}/s, 2 ranks x 1 thread {ranks:.0}/s: {:.3}",
            ranks / threads
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("median {:.3}", ratios[ratios.len() / 2]);
}

/// Increasing numbers of ranks with one thread each, alternately.
fn scaling(rounds: u64) {
    const RANKS: [usize; 4] = [1, 2, 4, 6];
    let mut speeds = [const { Vec::new() }; RANKS.len()];
    for seed in 1..=rounds {
        for (ranks, speeds) in RANKS.into_iter().zip(&mut speeds) {
            speeds.push(speed(ranks, 1, seed));
        }
    }
    for (ranks, speeds) in RANKS.into_iter().zip(&mut speeds) {
        speeds.sort_by(f64::total_cmp);
        println!(
            "{ranks} ranks: median {:.0} evaluations/s of {speeds:.0?}",
            speeds[speeds.len() / 2]
        );
    }
}

/// Time from the moment at which rank 0 has a schedule at the bound to the end of the last rank.
fn stop(rounds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("it.json.checkpoint");
    let start = |line: &str, seed: u64| {
        let mut command = mpirun(4, &format!("{line} --seed {seed} --quiet -o it.json"));
        command.current_dir(folder.path()).stderr(Stdio::null()).spawn().unwrap()
    };
    for line in ENDING {
        let delays = (1..=rounds).map(|seed| {
            let mut run = start(line, seed);
            let mut found = SystemTime::now();
            while run.try_wait().unwrap().is_none() {
                found = written(&file).unwrap_or(found);
                std::thread::sleep(Duration::from_millis(1));
            }
            found.elapsed().unwrap_or_default().as_millis()
        });
        println!("{line}: ended {:?} ms after the bound was met", sorted(delays));
    }
}

fn sorted(delays: impl Iterator<Item = u128>) -> Vec<u128> {
    let mut delays: Vec<u128> = delays.collect();
    delays.sort_unstable();
    delays
}

fn written(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}

/// Evaluations per second.
fn speed(ranks: usize, threads: usize, seed: u64) -> f64 {
    let line = format!("{COUNTED} --seed {seed} --threads {threads} --json");
    let output = mpirun(ranks, &line).stderr(Stdio::inherit()).output().unwrap();
    let value: Value = strict_json::from_slice(&output.stdout).unwrap();
    value["evaluations"].as_f64().unwrap() / value["seconds"].as_f64().unwrap()
}

fn mpirun(ranks: usize, line: &str) -> Command {
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // By default `mpirun` would bind each of up to two ranks, with all its threads, to one core.
    command.args(["--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.arg(program());
    command.args(line.split_whitespace());
    command
}

/// The `pavane` program built next to this one.
fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.ancestors().nth(2).unwrap().join("pavane")
}
