//! Clusters composed in a TOML file: boxes (a named machine or a network of their own), the network
//! cards (NICs) of each box, and a fabric of switch levels that joins them. The format is described
//! in `docs/network-files.md`.

mod assembly;
mod boxes;
mod fabric;
#[cfg(test)]
mod tests;

use super::own::{EntryProblem, OwnFile};
use super::own_edge::End;
use crate::description::Description;
use assembly::{Assembly, ClusterSize};
use boxes::Model;
use pavane_model::entry_place::EntryPlace;
use pavane_model::words::excerpt;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The value of the `format` field.
const FORMAT: &str = "pavane/cluster/1";

/// The structure of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `boxes` and `fabric`")]
pub(super) struct ClusterFile {
    format: Option<String>,
    name: Option<String>,
    boxes: Vec<BoxEntry>,
    fabric: Option<Fabric>,
}

/// One or several equal boxes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `machine` or `network`")]
struct BoxEntry {
    machine: Option<String>,
    network: Option<OwnFile>,
    count: Option<u32>,
    /// The boxes are called by this word and a number.
    name: Option<String>,
    names: Option<Vec<String>>,
    #[serde(default)]
    nics: Vec<NicEntry>,
    /// For the channels of the box that have none.
    bandwidth_gbytes: Option<f64>,
    latency_ns: Option<f64>,
    /// Whether the switches of the box copy.
    #[serde(default)]
    multicast: bool,
}

/// One NIC on a router, or one on each of several routers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `router` or `routers`")]
struct NicEntry {
    router: Option<End>,
    routers: Option<Vec<End>>,
    bandwidth_gbytes: f64,
    latency_ns: Option<f64>,
    rail: Option<u32>,
}

/// The switches between the boxes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `levels`")]
struct Fabric {
    #[serde(default)]
    attach: Attach,
    levels: Vec<SwitchLevel>,
}

/// Which switch of the lowest level a NIC leads to.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
enum Attach {
    /// The one of its rail: NIC i of every box leads to switch i.
    #[default]
    Rail,
    /// The one of its box: all NICs of a box lead to the same switch.
    Box,
}

/// A level of switches, each linked to switches of the level below.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `switches` and `bandwidth_gbytes`")]
struct SwitchLevel {
    name: Option<String>,
    switches: Option<u32>,
    /// Groups of consecutive switches of this level and the one below; links stay in a group.
    pods: Option<u32>,
    /// Groups of this level; switch i below is linked to group i mod `planes`.
    planes: Option<u32>,
    bandwidth_gbytes: Option<f64>,
    latency_ns: Option<f64>,
    /// Parallel links between two switches.
    links: Option<u32>,
    #[serde(default)]
    multicast: bool,
}

/// Whether TOML composes a cluster.
pub(super) fn is_one(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        #[expect(dead_code, reason = "only its presence matters")]
        boxes: IgnoredAny,
    }
    toml::from_str::<Probe>(text).is_ok()
}

/// An error in an entry of `boxes`.
fn box_problem(index: usize, problem: impl Into<String>) -> EntryProblem {
    (EntryPlace::In(&["boxes"], index), problem.into())
}

/// An error in the fabric.
fn fabric_problem(problem: impl Into<String>) -> EntryProblem {
    (EntryPlace::Field(&["fabric"]), problem.into())
}

impl ClusterFile {
    /// Composes the network.
    pub(super) fn describe(self, default_name: &str) -> Result<Description, EntryProblem> {
        if let Some(format) = self.format.filter(|format| format != FORMAT) {
            let problem = format!("its format is {:?}, not {FORMAT:?}", excerpt(&format));
            return Err((EntryPlace::Field(&["format"]), problem));
        }
        if self.boxes.is_empty() {
            return Err((
                EntryPlace::Field(&["boxes"]),
                "a cluster has at least one box".to_owned(),
            ));
        }
        let mut models = Vec::new();
        let mut size = ClusterSize::default();
        for (index, entry) in self.boxes.into_iter().enumerate() {
            let model = Model::new(index, entry)?;
            size.add(&model)?;
            models.push(model);
        }
        let levels = fabric::plan(self.fabric, &models)?;
        let name = self.name.unwrap_or_else(|| default_name.to_owned());
        Assembly::new(name, models, levels)?.finish()
    }
}
