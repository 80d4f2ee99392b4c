//! Concurrent traffic: one mission of random messages, of a file, of a collective or of a schedule.

use crate::errors::{bad, bug};
use crate::files::{FileArgument, unwritable, write_whole};
use crate::missions::{
    PermutationWord, Words, check_counts, check_lanes, pattern, policies, switchings, warn,
};
use crate::network::NetworkArgument;
use crate::problem::rule;
use crate::schedule::Schedule;
use crate::to_python;
use crate::whole::{whole, whole_or_none};
use pavane_model::{Duplex, FileSource, Network};
use pavane_render::gantt::check_size;
use pavane_render::mission::{FreeSchedule, from_schedule};
use pavane_render::picture::{Theme, png, svg};
use pavane_render::replay::replay;
use pavane_render::{traffic_chart, viewer};
use pavane_traffic::mission::{self, Uniform, write_csv, write_json};
use pavane_traffic::{
    DeadlockRisk, Mission, ObservedRun, RoutingMethod, Simulator, SwitchingMethod, TrafficError,
    ticks,
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Default length of the messages of a collective or schedule.
const LENGTH: f64 = 10.0;

/// Simulates one mission. Returns its makespan and, for each message, when it
/// arrived and when it was complete. After a deadlock the makespan is None, and so is `complete` of
/// every message that was not delivered; `unfinished` counts them, and a RuntimeWarning says so.
///
/// By default messages are random: `density` is the probability of a message between a pair of processors,
/// `hot_spots` the number of processors that receive all messages, with `permutation`, True or a name, every processor sends to
/// one other; `mean` and `sigma` describe the message lengths, and `window` is the time over which their
/// arrivals are spread. `mission` is a file of messages instead, a path or its content as bytes, `collective` the name of one whose messages have
/// the same `length`. `network` may be a `Schedule`: its transfers, of the same `length`, are sent along their
/// paths as soon as their sender has them, without its steps.
///
/// `switching` is "store-and-forward" (short: "sf", "ms"), "cs", "vct" or "wormhole"; `policy` is one
/// of fifo lf smallest-first (short: sf) ff nf lbf sbf, with `edd` combined with the earliest due date; `routing` is a
/// name or a file with a routing table, or None for the default of the network; the result names it, with
/// `routing_reason`. Under wormhole, `lanes` is the number of virtual channels and `buffer` the flits in the
/// buffer of each; with a buffer the run is simulated flit by flit. `optimal` searches for the shortest makespan with the
/// same paths. `log` adds `holds`: when which message held which channel. `gantt` is a file for a chart of the links,
/// .svg, .png or .html, and `save` one for the mission, as JSON if the name ends in .json and otherwise as CSV. All defaults are those of `pavane traffic run`.
#[pyfunction]
#[pyo3(signature = (network, *, density=None, hot_spots=None, permutation=None, mean=None, sigma=None, window=None,
                    seed=1, mission=None, collective=None, length=None, switching="store-and-forward", policy="lbf",
                    routing=None, duplex=None, lanes=1, buffer=None, edd=false, optimal=false, log=false, gantt=None, save=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn traffic<'py>(
    py: Python<'py>,
    network: &Bound<'py, PyAny>,
    density: Option<f64>,
    #[pyo3(from_py_with = whole_or_none)] hot_spots: Option<u32>,
    permutation: Option<PermutationWord>,
    mean: Option<f64>,
    sigma: Option<f64>,
    window: Option<f64>,
    #[pyo3(from_py_with = whole)] seed: u64,
    mission: Option<FileArgument>,
    collective: Option<String>,
    length: Option<f64>,
    switching: &str,
    policy: &str,
    routing: Option<String>,
    duplex: Option<&str>,
    #[pyo3(from_py_with = whole)] lanes: u32,
    #[pyo3(from_py_with = whole_or_none)] buffer: Option<u32>,
    edd: bool,
    optimal: bool,
    log: bool,
    gantt: Option<PathBuf>,
    save: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    check_counts(Some(lanes), buffer)?;
    let one = |word: &str| Some(Words::Many(vec![word.to_owned()]));
    let switching = switchings(one(switching), &[], lanes, buffer)?[0];
    check_lanes(Some(lanes), buffer, &[switching])?;
    let policy = policies(one(policy), &[], edd)?[0];
    let usual = Uniform::default();
    let is_random = [density, mean, sigma, window].iter().any(Option::is_some)
        || hot_spots.is_some()
        || permutation.as_ref().is_some_and(PermutationWord::is_given);
    let uniform = Uniform {
        pattern: pattern(hot_spots, permutation.as_ref())?,
        density: density.unwrap_or(usual.density),
        mean: mean.unwrap_or(usual.mean),
        sigma: sigma.unwrap_or(usual.sigma),
        window: window.unwrap_or(usual.window),
    };
    let mission = mission.map(|file| file.0);
    let asked = Asked { uniform, is_random, seed, mission, collective, length };
    let run = match network.cast::<Schedule>() {
        Ok(_) if routing.is_some() || duplex.is_some() => {
            return Err(bad(
                "a schedule has its own paths and duplex; leave out routing and duplex",
            ));
        }
        Ok(schedule) => asked.of_schedule(schedule.get())?,
        Err(_) => {
            let network = network.extract::<NetworkArgument>()?.0.broken;
            let duplex = duplex.map_or(Ok(Duplex::Half), |duplex| rule("duplex", duplex))?;
            asked.on_network(network, (switching, duplex), routing.as_deref())?
        }
    };
    let observed = py.detach(|| {
        let observed = run.simulator.observe(&run.mission, switching, policy, seed, optimal)?;
        Ok::<ObservedRun, TrafficError>(observed)
    });
    let observed = observed.map_err(bad)?;
    if observed.makespan.is_some() {
        let (network, mission) = (run.simulator.network(), &run.mission);
        replay(network, run.duplex, switching, mission, &observed.completions, &observed.log)
            .map_err(bug)?;
    }
    if let Some(path) = &gantt {
        run.draw(path, switching, &observed)?;
    }
    if let Some(path) = &save {
        run.save(path)?;
    }
    let unfinished = observed.stuck().len();
    if unfinished > 0 {
        let count = run.mission.len();
        warn(py, format!("{unfinished} of {count} messages were not delivered: deadlock"))?;
    }
    let mut value = run.report(switching, policy.name, &observed);
    if log {
        value["holds"] = run.holds(&observed);
    }
    to_python(py, &value)
}

/// The messages that are asked for.
struct Asked {
    uniform: Uniform,
    /// Whether a keyword of random messages was given.
    is_random: bool,
    seed: u64,
    mission: Option<FileSource>,
    collective: Option<String>,
    length: Option<f64>,
}

/// A mission, prepared for running.
struct Run {
    mission: Mission,
    simulator: Simulator,
    duplex: Duplex,
    routing: String,
    reason: Option<&'static str>,
    /// Whether messages with several destinations became one message for each.
    is_unicast: bool,
    schedule: Option<FreeSchedule>,
}

impl Asked {
    /// Fails if keywords of random messages were given, too.
    fn check_random(&self, instead: &str) -> PyResult<()> {
        if self.is_random {
            return Err(bad(format!(
                "density, hot_spots, permutation, mean, sigma and window are for random messages, not for {instead}"
            )));
        }
        Ok(())
    }

    /// The mission, and whether messages were split.
    fn messages(&self, network: &Network, duplex: Duplex) -> PyResult<(Mission, bool)> {
        match (&self.mission, &self.collective, self.length) {
            (Some(_), Some(_), _) => Err(bad("mission and collective exclude each other")),
            (Some(path), None, None) => {
                self.check_random("a mission of a file")?;
                let text = path.text().map_err(bad)?;
                Ok((mission::parse(&path.name(), &text, network).map_err(bad)?, false))
            }
            (None, Some(name), length) => {
                self.check_random("a collective")?;
                mission::from_collective(network, name, duplex, length.unwrap_or(LENGTH))
                    .map_err(bad)
            }
            (None, None, None) => {
                self.uniform.check(network).map_err(bad)?;
                Ok((self.uniform.draw(network, self.seed, 0).map_err(bad)?, false))
            }
            (_, None, Some(length)) => Err(bad(format!(
                "length={length} is for a collective or a schedule; use mean and sigma for random messages"
            ))),
        }
    }

    fn on_network(
        &self,
        network: Network,
        (switching, duplex): (SwitchingMethod, Duplex),
        routing: Option<&str>,
    ) -> PyResult<Run> {
        let (mission, is_unicast) = self.messages(&network, duplex)?;
        let (name, reason, method) = match routing {
            Some(name) => {
                (name.to_owned(), None, RoutingMethod::find(name, &network).map_err(bad)?)
            }
            None => {
                let chosen = RoutingMethod::default_for(&network, duplex, switching);
                let chosen = chosen.map_err(bad)?;
                (chosen.name.to_owned(), Some(chosen.reason), chosen.routing)
            }
        };
        let simulator = Simulator::new(network, duplex, method);
        Ok(Run { mission, simulator, duplex, routing: name, reason, is_unicast, schedule: None })
    }

    fn of_schedule(&self, schedule: &Schedule) -> PyResult<Run> {
        self.check_random("a schedule")?;
        if self.mission.is_some() || self.collective.is_some() {
            return Err(bad("a schedule has its own messages; leave out mission and collective"));
        }
        let [phase] = &schedule.phases[..] else {
            return Err(bad("a schedule with several phases; use one with one phase"));
        };
        let free = from_schedule(&phase.checked, self.length.unwrap_or(LENGTH)).map_err(bad)?;
        let problem = phase.checked.problem();
        let duplex = problem.model().duplex;
        let routes = RoutingMethod::Given(free.routes.clone());
        Ok(Run {
            mission: free.mission.clone(),
            simulator: Simulator::new(problem.network().clone(), duplex, routes),
            duplex,
            routing: "of the schedule".to_owned(),
            reason: None,
            is_unicast: false,
            schedule: Some(free),
        })
    }
}

/// Ticks as units; `None` for never.
fn units(ticks: u64) -> Option<f64> {
    (ticks != u64::MAX).then(|| ticks::to_units(ticks))
}

impl Run {
    fn report(&self, switching: SwitchingMethod, policy: &str, run: &ObservedRun) -> Value {
        let waits = run.waits(&self.mission, switching);
        let ends = run.completions.iter().zip(waits);
        let messages = self.mission.messages().iter().zip(ends).map(|(message, (&end, wait))| {
            json!({
                "source": message.source,
                "destination": message.destination,
                "length": units(message.length),
                "arrival": units(message.arrival),
                "complete": units(end),
                "waited": wait.and_then(units),
            })
        });
        let loads = run.loads(self.simulator.links(), &self.mission, switching);
        let links = loads.iter().zip(0..).map(|(&load, link)| {
            json!({
                "link": traffic_chart::link_name(&self.simulator, self.duplex, link),
                "load": units(load),
            })
        });
        json!({
            "makespan": run.makespan.and_then(units),
            "unfinished": run.stuck().len(),
            "bounds": run.bounds.map(|bounds| json!({
                "link": units(bounds.link),
                "machine": units(bounds.machine),
                "node": units(bounds.node),
                "path": units(bounds.path),
            })),
            "optimum": run.best.map(|best| json!({
                "makespan": units(best.makespan),
                "bound": units(best.bound),
                "proved": best.is_proved(),
            })),
            "in_steps": self.schedule.as_ref().and_then(|free| units(free.in_steps(switching))),
            "unicasts": self.is_unicast,
            "switching": switching.name(),
            "routing": self.routing,
            "routing_reason": self.reason,
            "can_deadlock": self.can_deadlock(switching),
            "duplex": self.duplex.to_string(),
            "policy": policy,
            "messages": messages.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
        })
    }

    /// Whether messages can wait for each other in a cycle, by the dependency graph of the routing;
    /// `None` if that depends on the messages.
    fn can_deadlock(&self, switching: SwitchingMethod) -> Option<bool> {
        let (network, routing) = (self.simulator.network(), self.simulator.routing());
        let risk = routing.deadlock_risk(network, self.duplex, switching);
        risk.map(|risk| risk != DeadlockRisk::Free)
    }

    /// The log, as `pavane traffic run --log` writes it.
    fn holds(&self, run: &ObservedRun) -> Value {
        let hold = |hold: &pavane_traffic::Hold| {
            let channel = self.simulator.network().channel(hold.channel);
            json!({
                "message": hold.message,
                "channel": hold.channel,
                "tail": channel.tail,
                "head": channel.head,
                "start": units(hold.start),
                "end": units(hold.end),
            })
        };
        run.log.holds.iter().map(hold).collect()
    }

    /// Writes the mission.
    fn save(&self, path: &Path) -> PyResult<()> {
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        let write = if is_json { write_json } else { write_csv };
        let mut bytes = Vec::new();
        let written = write(&self.mission, &mut bytes).and_then(|()| write_whole(path, &bytes));
        written.map_err(|error| unwritable(path, &error))
    }

    /// Writes the chart of the links.
    fn draw(&self, path: &Path, switching: SwitchingMethod, run: &ObservedRun) -> PyResult<()> {
        check_size(self.simulator.links().count(), run.log.holds.len()).map_err(bad)?;
        let title = format!(
            "{} messages on {}: {}, routing {}",
            self.mission.len(),
            pavane_networks::name_check::network_in_words(self.simulator.network()),
            switching.name(),
            self.routing,
        );
        let scene =
            traffic_chart::scene(&title, &self.simulator, self.duplex, &self.mission, &run.log);
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let bytes = match &ending[..] {
            "svg" => svg::write(&scene, Theme::Auto).into_bytes(),
            "png" => png::write(&scene, Theme::default()).map_err(bad)?,
            "html" | "htm" => {
                viewer::picture_page(&title, &svg::write(&scene, Theme::Auto)).into_bytes()
            }
            _ => {
                return Err(bad(format!(
                    "{}: unknown format of a chart; use a name that ends in .svg, .png or .html",
                    path.display()
                )));
            }
        };
        write_whole(path, &bytes).map_err(|error| unwritable(path, &error))
    }
}
