//! A network with bandwidths and latencies, and a collective, as the page describes them for times.

use super::request::{Asked, remaining};
use super::throughput::{MOST_DELIVERIES, networks, with_timing};
use pavane_model::{Aftermath, CollectiveRequest, Model};
use serde::Deserialize;

/// A network, its faults, and the values of its channels. Fields left empty have the defaults of the
/// commands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineAsked {
    /// The network and the collective.
    pub problem: Asked,
    /// Lost links and routers.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Bandwidth of every channel.
    #[serde(default)]
    bandwidth: String,
    /// Latency of every channel.
    #[serde(default)]
    latency: String,
}

impl MachineAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        self.problem.size() + faults.sum::<usize>() + self.bandwidth.len() + self.latency.len()
    }

    /// The name of the collective.
    pub fn collective(&self) -> &str {
        self.problem.collective.trim()
    }

    /// The problems under these rules on the network after its faults, or why they are invalid.
    pub fn problems(&self, model: Model) -> Result<Aftermath, String> {
        let (healthy, broken) = networks(&self.problem, &self.faults)?;
        let broken = with_timing(broken, &self.bandwidth, &self.latency)?;
        let request = CollectiveRequest { model, limit: MOST_DELIVERIES, ..self.problem.whole()? };
        remaining(&request, &healthy, &broken)
    }
}
