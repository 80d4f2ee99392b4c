//! Whether a routing can deadlock, as `pavane deadlock` examines it: the cycle of channels, if there is
//! one, and the graph of channel dependencies.

use super::answer::Download;
use super::archive;
use super::figures::Figures;
use super::request::Asked;
use super::throughput::{networks, optional, text};
use crate::commands::deadlock::{ROUTINGS, analyse};
use crate::report::studio::DeadlockSummary;
use pavane_model::Duplex;
use pavane_traffic::routing::write_table;
use serde::Deserialize;

/// The most channels of a network whose dependencies are drawn.
const MOST_DRAWN: usize = 400;

/// A routing as the page requests it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadlockAsked {
    /// The network. Its collective and rules do not apply.
    problem: Asked,
    /// Lost links and routers.
    #[serde(default)]
    faults: Vec<String>,
    /// The name of the routing.
    routing: String,
    /// Whether a message holds channels, or both channels of its links; channels if it is empty.
    #[serde(default)]
    duplex: String,
}

impl DeadlockAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        self.problem.size() + faults.sum::<usize>() + self.routing.len()
    }
}

/// Builds the channel dependency graph and searches for a cycle.
pub fn compute(asked: &DeadlockAsked) -> Result<Figures, String> {
    // The command line also accepts files, a page must not.
    if !ROUTINGS.contains(&&asked.routing[..]) {
        let known = ROUTINGS.join(", ");
        return Err(format!("routing: unknown routing {:?}; use {known}", asked.routing));
    }
    let duplex = optional("duplex", &asked.duplex, |text| {
        text.parse::<Duplex>().map_err(|error| error.to_string())
    })?
    .unwrap_or(Duplex::Full);
    let needs_buffers = ["dateline", "escape"].contains(&&asked.routing[..]);
    if duplex == Duplex::Half && needs_buffers {
        return Err(format!(
            "half duplex is about messages without buffers, and {} routing needs buffers, with which duplex does \
             not matter; choose full duplex",
            asked.routing
        ));
    }
    let (_, network) = networks(&asked.problem, &asked.faults)?;
    let analysis = analyse(&network, Some(&asked.routing), &[], duplex).map_err(text)?;
    let stem = format!("{}-{}", archive::stem("deadlock", network.name()), asked.routing);
    let file = |ending: &str, kind: &'static str, bytes: Vec<u8>| Download {
        name: format!("{stem}.{ending}"),
        kind,
        bytes,
    };
    let mut table = Vec::new();
    write_table(&analysis.table, &network, &mut table).map_err(|error| error.to_string())?;
    let picture = analysis.picture(&network);
    let mut files = vec![
        file("csv", "text/csv; charset=utf-8", table),
        file("dot", "text/vnd.graphviz", picture.dot().into_bytes()),
    ];
    let is_drawn = network.channel_count() <= MOST_DRAWN;
    if is_drawn {
        let svg = picture.svg(&analysis.picture_title(&network));
        files.push(file("svg", "image/svg+xml", svg.into_bytes()));
    }
    let cycle = analysis.cycle.iter().flatten().map(|node| node.channel).collect();
    let (title, lines) = analysis.lines(&network);
    let is_free = analysis.cycle.is_none();
    let kind = analysis.kind();
    Figures::new(&DeadlockSummary { title, lines, kind, is_free, cycle, is_drawn }, files)
}
