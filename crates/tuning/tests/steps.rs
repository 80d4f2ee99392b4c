//! Timed schedules as schedules with steps.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_baselines::{Simulated, all};
use pavane_interop::timed::{NotInSteps, export, to_steps};
use pavane_model::collective::{self, Groups};
use pavane_model::timed::{BufferSize, read};
use pavane_model::{Duplex, Fraction, Model, Problem};
use pavane_verify::check_timed;

/// The algorithms of libraries, with 100 ns unless the network has latencies.
fn simulated(network: &str, name: &str, bytes: u64) -> Vec<Simulated> {
    let network = pavane_networks::topology::build(network).unwrap();
    let is_slow = network.latencies().is_ok_and(|all| all.iter().any(|it| !it.is_zero()));
    let latency = (!is_slow).then_some(Fraction::from(100));
    let network = network.with_timing(None, latency).unwrap();
    let phases = collective::build(name, &network, &Groups::default()).unwrap();
    let problem = |phase| Problem::new(network.clone(), phase, Model::default()).unwrap();
    let phases: Vec<Problem> = phases.into_iter().map(problem).collect();
    all(name, &phases, &BufferSize::Bytes(bytes), Duplex::Full, None, &|| true).unwrap()
}

#[test]
fn algorithms_of_libraries_get_steps() {
    for (network, name) in [
        ("dgx-1v", "all-gather"),
        ("dgx-1v", "all-to-all"),
        ("dgx-1v", "reduce-scatter"),
        ("dgx-a100:2", "all-gather"),
        ("dgx-a100:2", "all-to-all"),
        ("ring:5", "all-reduce"),
        ("ring:5", "gather"),
        ("mesh:3x3", "scatter"),
    ] {
        for entry in simulated(network, name, 1_000_000) {
            // A path of Bruck's algorithm may pass its own ranks, which rule V6 calls useless.
            let steps = to_steps(&entry.checked);
            let is_odd = entry.name == "bruck" && matches!(steps, Err(NotInSteps::Rejected(_)));
            assert!(steps.is_ok() || is_odd, "{network} {name} {}: {steps:?}", entry.name);
        }
    }
}

/// A broadcast from 0 to 1 and 2 over switch 3, in chunks of these bytes.
fn over_switch(multicast: &str, sizes: &[u64], sends: &str) -> String {
    let mut offset = 0;
    let mut chunks = Vec::new();
    for bytes in sizes {
        chunks.push(format!(r#"{{"message": [0], "offset": {offset}, "bytes": {bytes}}}"#));
        offset += bytes;
    }
    let chunks = chunks.join(", ");
    format!(
        r#"{{"format": "pavane/timed/1", "network": {{"routers": 4, "channels": [[0, 3], [3, 1], [3, 2]],
          "processors": [0, 1, 2], "bandwidth_gbytes": [1, 1, 1], "latency_ns": [0, 0, 0], "multicast": {multicast}}},
          "collective": {{"kind": "broadcast", "senders": [0], "receivers": [1, 2]}}, "bytes": {offset},
          "time_unit_ns": "1", "chunks": [{chunks}], "sends": {sends}}}"#
    )
}

fn steps(text: &str) -> Result<Vec<pavane_verify::CheckedSchedule>, NotInSteps> {
    to_steps(&check_timed(read(text.as_bytes(), "file", 10).unwrap()).unwrap())
}

/// What the switch copies are two transfers, which need two steps on the channel to the switch.
#[test]
fn copies_become_transfers() {
    let text = over_switch("[3]", &[100], "[[0, 0, 0], [0, 1, 100], [0, 2, 100]]");
    let phases = steps(&text).unwrap();
    assert_eq!(phases[0].schedule().step_count(), 2);
    let checked = check_timed(read(text.as_bytes(), "file", 10).unwrap()).unwrap();
    for format in ["msccl", "mscclpp", "mpi", "torch", "nccl"] {
        assert!(!export(format, &checked, None).unwrap().is_empty(), "{format}");
    }
    assert!(export("csv", &checked, Some(8)).is_err() && export("mpi", &checked, Some(6)).is_err());
}

/// A chunk of two thirds becomes two chunks; 997 bytes of 1000 are no multiple of a part that is worth
/// sending.
#[test]
fn unequal_chunks_become_equal_ones() {
    let sends = |one: u64| {
        let (end, both, all) = (1000 + one, 2 * one, 1000 + 2 * one);
        format!(
            "[[0, 0, 0], [0, 1, {one}], [1, 0, {one}], [0, 0, 1000], [1, 1, {both}], [0, 2, {end}], \
             [1, 0, {end}], [1, 2, {all}]]"
        )
    };
    let phases = steps(&over_switch("[]", &[667, 333], &sends(667))).unwrap();
    assert_eq!(phases[0].problem().collective().chunk_count(), 3);
    assert_eq!(phases[0].schedule().step_count(), 6);
    let odd = steps(&over_switch("[]", &[997, 3], &sends(997)));
    assert_eq!(odd.map(|_| ()), Err(NotInSteps::Chunks));
}
