//! Concurrent traffic: one mission of random messages.

use crate::errors::bad;
use crate::network::NetworkArgument;
use crate::problem::rule;
use crate::to_python;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::mission::{Pattern, Uniform};
use pavane_traffic::{Log, Memory, Policy, RoutingMethod, Simulator, SwitchingMethod, ticks};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use serde_json::json;
use std::ffi::CString;

/// Simulates one mission of random messages. Returns its makespan and, for each message, when it
/// arrived and when it was complete. After a deadlock the makespan is None, and so is `complete` of
/// every message that was not delivered; `unfinished` counts them, and a RuntimeWarning says so.
///
/// `density` is the probability of a message between a pair of processors, `mean` and `sigma`
/// describe the message lengths, and `window` is the time over which their arrivals are spread.
/// `switching` is "store-and-forward" (short: "sf", "ms"), "cs", "vct" or "wormhole"; `policy` is one
/// of fifo lf smallest-first (short: sf) ff nf lbf sbf; `routing` is a name or a file with a routing
/// table, or None for the default of the network; the result names it, with `routing_reason`. Under wormhole, `lanes` is
/// the number of virtual channels and `buffer` the flits in the buffer of each; with a buffer the run
/// is simulated flit by flit. All defaults are those of `pavane traffic run`.
#[pyfunction]
#[pyo3(signature = (network, *, density=0.95, mean=10.0, sigma=5.0, window=0.0, seed=1, switching="store-and-forward",
                    policy="lbf", routing=None, duplex="half", lanes=1, buffer=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn traffic<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    density: f64,
    mean: f64,
    sigma: f64,
    window: f64,
    seed: u64,
    switching: &str,
    policy: &str,
    routing: Option<&str>,
    duplex: &str,
    lanes: u32,
    buffer: Option<u32>,
) -> PyResult<Bound<'py, PyAny>> {
    if !(1..=64).contains(&lanes) || buffer == Some(0) {
        return Err(bad("lanes must be from 1 to 64, and buffer at least 1"));
    }
    let switching = match (SwitchingMethod::find(switching, lanes).map_err(bad)?, buffer) {
        (switching, None) => switching,
        (SwitchingMethod::Wormhole(lanes), Some(buffer)) => {
            SwitchingMethod::Flits(FlitRules { lanes, buffer })
        }
        (_, Some(_)) => return Err(bad("buffer applies to wormhole switching only")),
    };
    let duplex = rule("duplex", duplex)?;
    let policy = Policy::find(policy).map_err(bad)?;
    let network = network.0.broken;
    let uniform = Uniform { pattern: Pattern::All, density, mean, sigma, window };
    uniform.check(&network).map_err(bad)?;
    let mission = uniform.draw(&network, seed, 0).map_err(bad)?;
    let (routing_name, reason, routing) = match routing {
        Some(name) => (name.to_owned(), None, RoutingMethod::find(name, &network).map_err(bad)?),
        None => {
            let chosen = RoutingMethod::default_for(&network, duplex, switching).map_err(bad)?;
            (chosen.name.to_owned(), Some(chosen.reason), chosen.routing)
        }
    };
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
    let unfinished = memory.state.completions.iter().filter(|end| **end == u64::MAX).count();
    if unfinished > 0 {
        let count = mission.len();
        let text = format!("{unfinished} of {count} messages were not delivered: deadlock");
        let text = CString::new(text).map_err(bad)?;
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
    }
    let value = json!({
        "makespan": (unfinished == 0)
            .then(|| ticks::to_units(run.end.saturating_sub(mission.start()))),
        "unfinished": unfinished,
        "switching": switching.name(),
        "routing": routing_name,
        "routing_reason": reason,
        "policy": policy.name,
        "messages": messages.collect::<Vec<_>>(),
    });
    to_python(py, &value)
}
