//! Reads SCCL algorithms in JSON (`msccl_type`): steps consist of rounds, in which chunks move over
//! links. Every round that is used becomes one step of the schedule.

use crate::import::{Demand, Foreign, Imported, ImportedError, has_keys, problem_of, steps};
use pavane_model::{
    ChannelId, MessageId, Model, Network, NetworkBuilder, Problem, ProcessorId, RouterId, Schedule,
    Transfer, strict_json,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Largest number of nodes, and of links between two nodes, that are read.
const MOST_NODES: usize = 1024;
const MOST_LINKS: u32 = 1024;

#[derive(Deserialize)]
#[serde(expecting = "an SCCL algorithm: an object with steps, collective and topology")]
struct Algorithm {
    steps: Vec<RawStep>,
    collective: RawCollective,
    topology: Topology,
}

#[derive(Deserialize)]
struct RawStep {
    rounds: u32,
    sends: Vec<(u32, u32, u32)>,
}

#[derive(Deserialize)]
struct RawCollective {
    #[serde(default)]
    name: String,
    chunks: Vec<Chunk>,
}

#[derive(Deserialize)]
struct Chunk {
    pre: Vec<u32>,
    post: Vec<u32>,
    addr: u32,
}

#[derive(Deserialize)]
struct Topology {
    #[serde(default)]
    name: String,
    links: Vec<Vec<u32>>,
    #[serde(default)]
    switches: Vec<serde_json::Value>,
}

/// Whether a text looks like an SCCL algorithm.
pub(crate) fn recognises(text: &str) -> bool {
    has_keys(text, &["steps", "collective", "topology"])
}

/// Reads an SCCL algorithm in order to import it.
pub(crate) fn read_foreign(text: &str) -> Result<Box<dyn Foreign>, ImportedError> {
    Ok(Box::new(read(text)?))
}

fn read(text: &str) -> Result<Algorithm, ImportedError> {
    strict_json::from_str(text)
        .map_err(|error| ImportedError::Unreadable(format!("not an SCCL algorithm: {error}")))
}

/// Converts an SCCL algorithm to a schedule, on its own topology or on a given network.
pub fn from_sccl(
    text: &str,
    network: Option<Network>,
    model: Model,
) -> Result<Vec<Imported>, ImportedError> {
    read(text)?.convert(network, model)
}

impl Foreign for Algorithm {
    fn convert(
        &self,
        network: Option<Network>,
        model: Model,
    ) -> Result<Vec<Imported>, ImportedError> {
        let is_own = network.is_none();
        let network = match network {
            Some(network) => network,
            None => network_of(&self.topology)?,
        };
        let (demands, by_address) = demands(&self.collective, network.processor_count() as u32)?;
        let (problem, numbers) = problem_of(network, model, &self.collective.name, &demands)?;
        let message = |address: u32| -> Result<MessageId, ImportedError> {
            let known = by_address.get(&address).map(|(demand, place)| numbers[demand][*place]);
            known.ok_or_else(|| {
                ImportedError::DoesNotFit(format!(
                    "chunk {address} is sent, but no other node needs it"
                ))
            })
        };
        let schedule = if is_own {
            in_rounds(self, &problem, message)?
        } else {
            let mut movements = Vec::new();
            for &(address, from, to) in self.steps.iter().flat_map(|step| &step.sends) {
                movements.push((message(address)?, ProcessorId(from), ProcessorId(to)));
            }
            steps::place(&problem, &movements)?
        };
        Ok(vec![Imported { problem, schedule }])
    }
}

/// The messages that the chunks require and, by chunk address, the demand and its index among equal
/// demands.
type WantedChunks = (Vec<Demand>, BTreeMap<u32, (Demand, usize)>);

fn demands(collective: &RawCollective, count: u32) -> Result<WantedChunks, ImportedError> {
    let mut by_address = BTreeMap::new();
    let mut used: BTreeMap<Demand, usize> = BTreeMap::new();
    let mut demands = Vec::new();
    for chunk in &collective.chunks {
        let [origin] = chunk.pre[..] else {
            return Err(ImportedError::DoesNotFit(format!(
                "chunk {} is at {} nodes at the start; a message has one origin",
                chunk.addr,
                chunk.pre.len()
            )));
        };
        let mut to: Vec<u32> = chunk.post.iter().copied().filter(|&node| node != origin).collect();
        to.sort_unstable();
        to.dedup();
        if let Some(node) = to.iter().chain([&origin]).find(|&&node| node >= count) {
            return Err(ImportedError::Unreadable(format!("there is no node {node}")));
        }
        if to.is_empty() {
            continue;
        }
        let demand: Demand = (origin, to);
        let place = used.entry(demand.clone()).or_default();
        *place += 1;
        if by_address.insert(chunk.addr, (demand.clone(), *place - 1)).is_some() {
            return Err(ImportedError::DoesNotFit(format!(
                "several chunks have the address {}: combined chunks are not supported",
                chunk.addr
            )));
        }
        demands.push(demand);
    }
    Ok((demands, by_address))
}

/// Builds `links[to][from]` channels; opposite channels form links.
fn network_of(topology: &Topology) -> Result<Network, ImportedError> {
    let nodes = topology.links.len();
    if !topology.switches.is_empty() {
        return Err(ImportedError::DoesNotFit(
            "its topology shares bandwidth between links (switches), which is not supported; give a network instead"
                .to_owned(),
        ));
    }
    if nodes > MOST_NODES || topology.links.iter().any(|row| row.len() != nodes) {
        return Err(ImportedError::Unreadable(format!(
            "its links are not a square matrix of at most {MOST_NODES} nodes"
        )));
    }
    let mut builder = NetworkBuilder::new(topology.name.clone(), nodes as u32);
    for from in 0..nodes {
        for to in 0..from {
            let (there, back) = (topology.links[to][from], topology.links[from][to]);
            if there.max(back) > MOST_LINKS {
                return Err(ImportedError::Unreadable(format!(
                    "{} links between {from} and {to} exceed the maximum of {MOST_LINKS}",
                    there.max(back)
                )));
            }
            for _ in 0..there.min(back) {
                builder.link(from as u32, to as u32);
            }
            for _ in back..there {
                builder.channel(from as u32, to as u32);
            }
            for _ in there..back {
                builder.channel(to as u32, from as u32);
            }
        }
    }
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// Places each round in its own step; in each, a link carries as many chunks as it has channels.
fn in_rounds(
    algorithm: &Algorithm,
    problem: &Problem,
    message: impl Fn(u32) -> Result<MessageId, ImportedError>,
) -> Result<Schedule, ImportedError> {
    let network = problem.network();
    let mut placed: Vec<(u32, MessageId, u32, u32, [ChannelId; 1])> = Vec::new();
    let mut start = 0;
    for (number, step) in algorithm.steps.iter().enumerate() {
        let mut sent: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        let mut rounds = 0;
        for &(address, from, to) in &step.sends {
            let routers = network.router_count() as u32;
            let channels: Vec<ChannelId> = if from < routers && to < routers {
                network.channels_between(RouterId(from), RouterId(to)).collect()
            } else {
                Vec::new()
            };
            let count = sent.entry((from, to)).or_default();
            let round = *count / channels.len().max(1);
            if channels.is_empty() || round as u64 >= u64::from(step.rounds) {
                return Err(ImportedError::Unreadable(format!(
                    "step {number}: more chunks from {from} to {to} than {} rounds over {} links can carry",
                    step.rounds,
                    channels.len()
                )));
            }
            let channel = channels[*count % channels.len()];
            *count += 1;
            rounds = rounds.max(round as u32 + 1);
            placed.push((start + round as u32, message(address)?, from, to, [channel]));
        }
        // Unused rounds take no step.
        start += rounds;
    }
    let transfers: Vec<(u32, Transfer<'_>)> = placed
        .iter()
        .map(|(step, message, from, to, path)| {
            let (from, to) = (ProcessorId(*from), ProcessorId(*to));
            (*step, Transfer { message: *message, from, to, path })
        })
        .collect();
    Ok(Schedule::from_transfers(start, &transfers))
}
