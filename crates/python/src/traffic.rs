//! Concurrent traffic: one mission of random messages.

use crate::network::Network;
use crate::problem::rule;
use crate::{bad, to_python};
use pavane_traffic::mission::{Pattern, Uniform};
use pavane_traffic::{Log, Memory, Policy, RoutingMethod, Simulator, SwitchingMethod, ticks};
use pyo3::prelude::*;
use serde_json::json;

/// Simulates one mission of random messages. Returns its makespan and, for each message, when it
/// arrived and when it was complete. After a deadlock the makespan is None, and so is `complete` of
/// every message that was not delivered.
///
/// `density` is the probability of a message between a pair of processors, `mean` and `sigma`
/// describe the message lengths, and `window` is the time over which their arrivals are spread.
/// `switching` is "store-and-forward" (short: "sf", "ms"), "cs", "vct" or "wormhole"; `policy` is one
/// of fifo lf sf ff nf lbf sbf; `routing` is a name or a file with a routing table.
#[pyfunction]
#[pyo3(signature = (network, *, density=0.95, mean=10.0, sigma=5.0, window=0.0, seed=1, switching="cs", policy="fifo",
                    routing="shortest", duplex="half"))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn traffic<'py>(
    py: Python<'py>,
    network: &Network,
    density: f64,
    mean: f64,
    sigma: f64,
    window: f64,
    seed: u64,
    switching: &str,
    policy: &str,
    routing: &str,
    duplex: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let switching = SwitchingMethod::find(switching, 1).map_err(bad)?;
    let duplex = rule("duplex", duplex)?;
    let policy = Policy::find(policy).map_err(bad)?;
    let network = network.broken.clone();
    let uniform = Uniform { pattern: Pattern::All, density, mean, sigma, window };
    uniform.check(&network).map_err(bad)?;
    let mission = uniform.draw(&network, seed, 0).map_err(bad)?;
    let routing = RoutingMethod::find(routing, &network).map_err(bad)?;
    let simulator = Simulator::new(network, duplex, routing);
    let mut memory = Memory::default();
    let run = py.detach(|| {
        simulator.route(&mission, seed, &mut memory.routes)?;
        simulator.run(&mission, switching, policy, &mut memory, &mut Log::default())
    });
    let run = run.map_err(bad)?;
    let units = |ticks: u64| if ticks == u64::MAX { None } else { Some(ticks::to_units(ticks)) };
    let messages =
        mission.messages().iter().zip(&memory.state.completions).map(|(message, &end)| {
            json!({
                "source": message.source,
                "destination": message.destination,
                "length": units(message.length),
                "arrival": units(message.arrival),
                "complete": units(end),
            })
        });
    let is_done = !memory.state.completions.contains(&u64::MAX);
    let value = json!({
        "makespan": is_done.then(|| ticks::to_units(run.end.saturating_sub(mission.start()))),
        "messages": messages.collect::<Vec<_>>(),
    });
    to_python(py, &value)
}
