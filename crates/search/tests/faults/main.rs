//! Faults: which are equivalent, what they cost, and how schedules are repaired after them.

mod classes;
mod repair;
mod survey;

use crate::common::tiny;
use pavane_model::collective::Groups;
use pavane_model::{CollectiveRequest, Model, Routing, Switching};
use pavane_search::fault::{FaultSets, Parts, Selection};
use pavane_search::synthesize::Options;

fn request(collective: &str, root: Option<&str>, routing: Routing) -> CollectiveRequest {
    let (collective, switching) = match collective.strip_suffix("@sf") {
        Some(collective) => (collective, Switching::StoreAndForward),
        None => (collective, Switching::Wormhole),
    };
    CollectiveRequest {
        collective: collective.to_owned(),
        groups: Groups { root: root.map(str::to_owned), ..Groups::default() },
        chunks: 1,
        model: Model { switching, routing, ..Model::default() },
        limit: 100_000,
    }
}

fn sets(parts: &Parts, count: u32) -> FaultSets {
    let wish = Selection { count, sample: None, seed: 1 };
    FaultSets::new("net", parts.faults().len(), wish).expect("there are so many")
}

fn options(evaluations: u64, seed: u64) -> Options {
    Options { evaluations: Some(evaluations), seed, threads: 2, ..Options::default() }
}
