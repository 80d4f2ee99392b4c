//! Reads throughput plans, plain or gzipped, and resolves every label in them.

use super::raw::{RawPlan, RawRoute};
use super::{FORMAT, PlanPhase, Route, ThroughputLimit, ThroughputPlan};
use crate::collective::Kind;
use crate::format::FormatError;
use crate::format::labels::LabelIndex;
use crate::format::open::open;
use crate::format::parse::parse;
use crate::format::phases;
use crate::format::raw::RawCollective;
use crate::format::read::build_network;
use crate::ids::ChannelId;
use crate::network::Network;
use crate::problem::Problem;
use crate::rules::Model;
use crate::words::excerpt;
use std::io::BufRead;
use std::path::Path;

/// Reads a throughput plan, plain or gzipped. `limit` is the maximum number of deliveries.
pub fn read_file(path: &Path, limit: u64) -> Result<ThroughputPlan, FormatError> {
    let name = path.display().to_string();
    let file = open(path).map_err(|source| FormatError::Io { path: name.clone(), source })?;
    read(file, &name, limit)
}

/// Reads a throughput plan. `limit` is the maximum number of deliveries.
pub fn read(
    mut reader: impl BufRead,
    name: &str,
    limit: u64,
) -> Result<ThroughputPlan, FormatError> {
    read_any(&mut reader, name, limit)
}

/// As [`read`], compiled once for all readers.
fn read_any(
    reader: &mut dyn BufRead,
    name: &str,
    limit: u64,
) -> Result<ThroughputPlan, FormatError> {
    let path = || name.to_owned();
    let plan: RawPlan = parse(reader, name, "a throughput plan")?;
    if plan.format != FORMAT {
        let problem = format!("its format is {:?}, not {FORMAT:?}", excerpt(&plan.format));
        return Err(FormatError::Inconsistent { path: path(), problem });
    }
    resolve(plan, limit).map_err(|problem| match problem {
        Wrong::Words(problem) => FormatError::Inconsistent { path: path(), problem },
        Wrong::Problem(source) => FormatError::Problem { path: path(), source },
    })
}

/// Why a plan is refused.
enum Wrong {
    Words(String),
    Problem(crate::problem::ProblemError),
}

impl From<String> for Wrong {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

fn resolve(plan: RawPlan, limit: u64) -> Result<ThroughputPlan, Wrong> {
    if plan.scale == 0 {
        return Err("its scale is 0, but it must be at least 1".to_owned().into());
    }
    let network = build_network(plan.network, Vec::new())?;
    let name = if plan.collective.name.is_empty() {
        plan.collective.kind.clone()
    } else {
        plan.collective.name.clone()
    };
    let phases = match plan.phases {
        None => {
            let routes = the_routes(&plan.collective, plan.trees, plan.paths)?;
            vec![phase(network, plan.collective, plan.sizes, routes, limit)?]
        }
        Some(_) if plan.trees.is_some() || plan.paths.is_some() => {
            return Err("it has phases, so its trees belong in them".to_owned().into());
        }
        Some(_) if plan.sizes.is_some() => {
            return Err("a plan with phases has no sizes".to_owned().into());
        }
        Some(raw) => {
            let parts: Vec<_> = raw.into_iter().map(|phase| phase.split()).collect();
            let collectives: Vec<&RawCollective> = parts.iter().map(|(one, _)| one).collect();
            phases::check_collectives(&plan.collective, &collectives)?;
            let build =
                |(collective, routes)| phase(network.clone(), collective, None, routes, limit);
            parts.into_iter().map(build).collect::<Result<_, Wrong>>()?
        }
    };
    let limit = plan.limit.map(|limit| ThroughputLimit {
        ns_per_byte: limit.ns_per_byte,
        certificate: limit.certificate,
    });
    Ok(ThroughputPlan { name, phases, scale: plan.scale, ns_per_byte: plan.ns_per_byte, limit })
}

/// The trees or paths, whichever the kind of collective has.
fn the_routes(
    collective: &RawCollective,
    trees: Option<Vec<RawRoute>>,
    paths: Option<Vec<RawRoute>>,
) -> Result<Vec<RawRoute>, String> {
    let kind = &collective.kind;
    let has_paths = matches!(kind.as_str(), "scatter" | "gather");
    match (trees, paths) {
        _ if kind == phases::ALL_REDUCE => Err(format!("an {kind} needs phases with trees")),
        (Some(_), Some(_)) => Err("it has both trees and paths".to_owned()),
        (Some(trees), None) if !has_paths => Ok(trees),
        (None, Some(paths)) if has_paths => Ok(paths),
        _ => {
            let needed = if has_paths { "paths" } else { "trees" };
            Err(format!("a plan for a {} needs {needed}", excerpt(kind)))
        }
    }
}

fn phase(
    network: Network,
    collective: RawCollective,
    sizes: Option<Vec<u64>>,
    routes: Vec<RawRoute>,
    limit: u64,
) -> Result<PlanPhase, Wrong> {
    if collective.chunks.is_some() {
        return Err("a throughput plan has whole messages, so chunks have no meaning"
            .to_owned()
            .into());
    }
    let collective = collective.into_collective()?;
    let problem = Problem::with_limit(network, collective, Model::without_ports(), limit)
        .map_err(Wrong::Problem)?;
    let messages = problem.messages().len();
    let sizes = match sizes {
        Some(sizes) if sizes.len() != messages => {
            return Err(format!("it has {} sizes for {messages} messages", sizes.len()).into());
        }
        sizes => sizes.unwrap_or_default(),
    };
    let what = match problem.collective().kind {
        Kind::Scatter | Kind::Gather => "path",
        Kind::Broadcast | Kind::Reduce | Kind::Messages => "tree",
    };
    let index = LabelIndex::new(&problem);
    let channels = problem.network().channel_count();
    let mut found = Vec::with_capacity(routes.len());
    for (number, route) in routes.into_iter().enumerate() {
        let at = |problem: String| format!("{what} {number}: {problem}");
        let label = route.message.0;
        let message =
            index.find(label).ok_or_else(|| at(format!("there is no message {label}")))?;
        if let Some(bad) = route.channels.iter().find(|&&channel| channel as usize >= channels) {
            return Err(at(format!("there is no channel {bad}")).into());
        }
        let channels = route.channels.into_iter().map(ChannelId).collect();
        found.push(Route { message, weight: route.weight, channels });
    }
    Ok(PlanPhase { problem, sizes, routes: found })
}
