//! How often an engine reaches so many steps:
//! `success_bench ENGINE PRESET STEPS RUNS NETWORK COLLECTIVE [sf] [NAME=VALUE…]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_engine::budget::Clock;
use pavane_engine::evolution::ENGINES;
use pavane_engine::parameters::Preset;
use pavane_engine::success::{Trial, measure};
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Ports, Problem, Routing, Switching, topology};
use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let engine = *ENGINES.iter().find(|engine| engine.name() == arguments[0]).unwrap();
    let preset = Preset::ALL.iter().find(|(name, _)| *name == arguments[1]).unwrap().1;
    let network = topology::build(&arguments[4]).unwrap();
    let collective =
        collective::build(&arguments[5], &network, &Groups::default()).unwrap().remove(0);
    let switching = match arguments[6..].iter().any(|word| word == "sf") {
        true => Switching::StoreAndForward,
        false => Switching::Wormhole,
    };
    let model =
        Model { switching, routing: Routing::Minimal, duplex: Duplex::Full, ports: Ports::All };
    let problem = Problem::new(network, collective, model).unwrap();
    let settings: Vec<String> =
        arguments[6..].iter().filter(|w| w.contains('=')).cloned().collect();
    let trial = Trial {
        engine,
        preset,
        settings,
        steps: arguments[2].parse().unwrap(),
        runs: arguments[3].parse().unwrap(),
        seed: 1,
        evaluations: None,
        time: Some(Duration::from_secs(20)),
        stop: std::sync::Arc::default(),
        done: std::sync::Arc::default(),
    };
    let clock = Clock::start();
    let success = measure(&problem, &trial).unwrap();
    println!(
        "{}: {}/{} in {:?} evaluations, {:.2} s per run{}",
        arguments.join(" "),
        success.hits(),
        success.runs.len(),
        success.mean_evaluations().map(|mean| mean as u64),
        clock.elapsed().as_secs_f64() / success.runs.len() as f64,
        if success.is_cut_short() { ", some cut short" } else { "" }
    );
}
