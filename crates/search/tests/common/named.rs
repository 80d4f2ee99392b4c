//! Random problems of the named collectives between all living processors: more messages than brute
//! force can always handle, few enough for the exact engine.

use super::common::tiny;
use super::faulty;
use pavane_model::collective::{self, Groups};
use pavane_model::{Network, Problem};
use pavane_networks::topology;
use proptest::collection::vec;
use proptest::prelude::*;

/// Largest number of deliveries of a problem: an all-to-all of six processors.
const MOST_DELIVERIES: usize = 30;

/// Any named collective, or one of its phases, on a network with equally many processors on every
/// router that has any, whole or with one channel or router broken.
pub fn problem() -> impl Strategy<Value = Problem> {
    let phase = any::<prop::sample::Index>();
    (network(), faulty::fault(), name(), phase, tiny::model()).prop_filter_map(
        "few messages, and all can arrive",
        |(network, fault, name, phase, model)| {
            let network = match fault {
                Some(fault) => faulty::without(&network, fault)?,
                None => network,
            };
            // Only a multicast requires receivers.
            let receivers = (name == "multicast").then(|| "1".to_owned());
            let groups = Groups { receivers, ..Groups::default() };
            let phases = collective::build(&name, &network, &groups).ok()?;
            let problem = Problem::new(network, phase.get(&phases).clone(), model).ok()?;
            (problem.messages().delivery_count() <= MOST_DELIVERIES).then_some(problem)
        },
    )
}

/// One to three processors on every router and none on some, or a symmetric network.
fn network() -> impl Strategy<Value = Network> {
    let is_empty = vec(prop::bool::weighted(0.2), 5);
    let residents = (1u32..4, is_empty).prop_map(|(places, is_empty)| {
        is_empty.into_iter().map(|is_empty| if is_empty { 0 } else { places }).collect()
    });
    let symmetric =
        prop::sample::select(vec!["ring:3", "ring:4", "ring:4", "ring:5", "k-ary-n-tree:2,2"]);
    let build = |name| topology::build(name).expect("there is such a network");
    prop_oneof![2 => tiny::network_of(residents), 1 => symmetric.prop_map(build)]
}

/// Any collective name; exchanges between all processors, which some engines specialise in, are
/// more frequent.
fn name() -> impl Strategy<Value = String> {
    let names: Vec<&str> = collective::names().map(|(name, _)| name).collect();
    let any_name = (prop::sample::select(names), 0u32..6).prop_map(|(name, number)| {
        name.replace(":K", &format!(":{number}")).replace(":SEED", &format!(":{number}"))
    });
    let exchange = prop::sample::select(vec!["all-to-all", "all-gather", "all-reduce"]);
    prop_oneof![2 => any_name, 1 => exchange.prop_map(str::to_owned)]
}
