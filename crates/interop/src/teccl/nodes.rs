//! Which router a node of the file is. TE-CCL numbers GPUs and switches together, in an order of its
//! own.

use super::file::TecclFile;
use crate::import::ImportedError;
use pavane_model::{Network, RouterId};
use std::collections::{BTreeMap, BTreeSet};

/// The routers of the nodes.
pub(super) struct Nodes<'a> {
    network: &'a Network,
    routers: BTreeMap<u32, RouterId>,
    /// Nodes that the file uses as switches although they are processors.
    misused: Vec<u32>,
}

impl<'a> Nodes<'a> {
    /// GPUs are the processors and switches the other routers, both in the order of their numbers. If
    /// the counts differ, nodes are routers by their numbers.
    pub fn new(file: &TecclFile, network: &'a Network) -> Result<Self, ImportedError> {
        let named = file
            .flows
            .iter()
            .flat_map(|flow| [flow.from, flow.to].into_iter().chain(flow.via.iter().copied()));
        let all: BTreeSet<u32> = named.chain(file.gpus.iter().copied()).collect();
        let switches: Vec<u32> = all.difference(&file.gpus).copied().collect();
        let homes: Vec<RouterId> =
            network.living_processors().filter_map(|processor| network.home(processor)).collect();
        let empty: Vec<RouterId> =
            network.routers().filter(|&router| network.residents(router).is_empty()).collect();
        let has_switches = switches.is_empty() || switches.len() == empty.len();
        if file.gpus.len() == homes.len() && has_switches {
            let gpus = file.gpus.iter().copied().zip(homes);
            let routers = gpus.chain(switches.into_iter().zip(empty)).collect();
            return Ok(Self { network, routers, misused: Vec::new() });
        }
        if all.last().is_some_and(|&last| last as usize >= network.router_count()) {
            return Err(ImportedError::DoesNotFit(format!(
                "it has {} GPUs and {} switches, but {} has {} processors and {} switches",
                file.gpus.len(),
                switches.len(),
                network.name(),
                homes.len(),
                empty.len()
            )));
        }
        let is_misused = |node: &u32| !network.residents(RouterId(*node)).is_empty();
        Ok(Self {
            network,
            misused: switches.into_iter().filter(is_misused).collect(),
            routers: all.into_iter().map(|node| (node, RouterId(node))).collect(),
        })
    }

    /// The router of a node.
    pub fn router(&self, node: u32) -> Result<RouterId, ImportedError> {
        self.routers.get(&node).copied().ok_or_else(|| {
            ImportedError::Unreadable(format!(
                "node {node} does not exist in {}",
                self.network.name()
            ))
        })
    }

    /// What a reader should know about the numbers.
    pub fn notes(&self) -> Vec<String> {
        let name = |node: &u32| self.network.router_name(RouterId(*node));
        let note = |node: &u32| {
            format!(
                "node {node} is used as a switch and has no data of its own, but {} is a processor of {}",
                name(node),
                self.network.name()
            )
        };
        self.misused.iter().map(note).collect()
    }
}
