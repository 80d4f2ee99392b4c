//! One mission of concurrent messages, as `pavane traffic run` simulates it: makespan, bounds, waiting
//! times, and when every link is in use.

use super::answer::Download;
use super::archive;
use super::figures::Figures;
use super::request::Asked;
use super::throughput::{networks, optional, text};
use crate::args::problem::FaultArgs;
use crate::args::traffic::{MissionArgs, RuleArgs, RunArgs};
use crate::commands::traffic::run::simulate_on;
use crate::report::studio::TrafficSummary;
use pavane_model::Network;
use pavane_render::picture::{Theme, svg};
use pavane_traffic::RoutingMethod;
use pavane_traffic::mission::Permutation;
use serde::Deserialize;

/// The most processors of a mission.
const MOST_PROCESSORS: usize = 1024;

/// The most links that are drawn.
const MOST_LINKS: usize = 600;

/// A mission as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficAsked {
    /// The network, and the seed. Its rules do not apply.
    problem: Asked,
    /// Lost links and routers.
    #[serde(default)]
    faults: Vec<String>,
    /// `random`, `collective` for the messages of the collective, or `permutation=` and the name of one.
    #[serde(default)]
    messages: String,
    /// Probability of a message between two processors.
    #[serde(default)]
    density: String,
    /// Mean length.
    #[serde(default)]
    mean: String,
    /// Standard deviation of lengths.
    #[serde(default)]
    sigma: String,
    #[serde(default)]
    switching: String,
    #[serde(default)]
    routing: String,
    #[serde(default)]
    policy: String,
}

impl TrafficAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        self.problem.size() + faults.sum::<usize>()
    }

    /// The network after its faults.
    pub fn network(&self) -> Result<Network, String> {
        Ok(networks(&self.problem, &self.faults)?.1)
    }

    /// The arguments of the command.
    fn args(&self) -> Result<RunArgs, String> {
        let number = |field: &str, text: &str, usual: f64| {
            let parse = |text: &str| {
                let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| format!("{text:?} is not a number"))
            };
            optional(field, text, parse).map(|number| number.unwrap_or(usual))
        };
        let given = |text: &String, usual: &str| match text.trim() {
            "" => usual.to_owned(),
            text => text.to_owned(),
        };
        let is_collective = self.messages.trim() == "collective";
        let permutation = self.messages.trim().strip_prefix("permutation=");
        let permutation = permutation.map(Permutation::find).transpose();
        let mean = number("mean", &self.mean, 10.0)?;
        Ok(RunArgs {
            network: None,
            faults: FaultArgs { fault: Vec::new(), fault_channel: Vec::new(), faults: Vec::new() },
            draw: MissionArgs {
                density: Some(number("density", &self.density, 0.95)?),
                hot_spots: None,
                permutation: permutation.map_err(|error| error.to_string())?,
                mean: Some(mean),
                sigma: Some(number("sigma", &self.sigma, 5.0)?),
                window: None,
                seed: self.problem.seed,
            },
            mission: None,
            collective: is_collective.then(|| self.problem.collective.trim().to_owned()),
            schedule: None,
            length: is_collective.then_some(mean),
            switching: given(&self.switching, "store-and-forward"),
            routing: Some(self.routing.trim().to_owned()).filter(|name| !name.is_empty()),
            policy: given(&self.policy, "lbf"),
            rules: RuleArgs { duplex: None, lanes: None, buffer: None, edd: false },
            optimal: false,
            log: None,
            gantt: None,
            save: None,
            json: false,
        })
    }
}

/// Simulates a mission.
pub fn compute(asked: &TrafficAsked) -> Result<Figures, String> {
    let args = asked.args()?;
    // The command line also accepts files, a page must not.
    if let Some(name) =
        args.routing.as_deref().filter(|name| !RoutingMethod::names().contains(name))
    {
        return Err(format!("routing: unknown routing {name:?}"));
    }
    // Only named collectives, no files.
    asked.problem.whole()?;
    let network = asked.network()?;
    if network.processor_count() > MOST_PROCESSORS {
        return Err(format!(
            "{} has {} processors; the studio simulates at most {MOST_PROCESSORS}, use `pavane \
             traffic run`",
            network.name(),
            network.processor_count()
        ));
    }
    let run = simulate_on(&network, &args).map_err(text)?;
    let stem = archive::stem("traffic", network.name());
    let file = |ending: &str, kind: &'static str, bytes: Vec<u8>| Download {
        name: format!("{stem}.{ending}"),
        kind,
        bytes,
    };
    let mut log = Vec::new();
    run.write_log(&mut log).map_err(|error| error.to_string())?;
    let mut files = vec![file("csv", "text/csv; charset=utf-8", log)];
    let is_drawn = network.channel_count() <= 2 * MOST_LINKS;
    if is_drawn {
        let gantt = svg::write(&run.gantt(), Theme::Auto);
        files.push(file("svg", "image/svg+xml", gantt.into_bytes()));
    }
    let (title, lines) = (run.heading(&args), run.lines(&args));
    Figures::new(&TrafficSummary { title, lines, is_drawn }, files)
}
