//! The file of TE-CCL. The names of its fields start with a number that differs between versions:
//! `7-Flows` or `6-Flows`.

use super::flow::Flow;
use crate::import::ImportedError;
use pavane_model::strict_json;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What is read of a file.
pub(super) struct TecclFile {
    /// The time that it claims, in seconds.
    pub seconds: f64,
    /// The algorithm bandwidth that it claims, in GB/s.
    pub gbytes: Option<f64>,
    /// The flows by their epochs.
    pub flows: Vec<Flow>,
    /// Whether every chunk has one destination (all-to-all), or goes to all (all-gather).
    pub is_personalised: bool,
    /// The nodes that hold or want data, by their numbers.
    pub gpus: BTreeSet<u32>,
    /// The destination of the chunks of an all-to-all: origin and chunk to destination.
    destinations: BTreeMap<(u32, u32), u32>,
}

impl TecclFile {
    pub fn read(text: &str) -> Result<Self, ImportedError> {
        let wrong =
            |error: String| ImportedError::Unreadable(format!("not a schedule of TE-CCL: {error}"));
        let object: Map<String, Value> =
            strict_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let seconds = number(&object, "Collective_Finish_Time").map_err(wrong)?;
        let gbytes = number(&object, "Algo_Bandwidth").ok();
        let mut flows = flows(&object).map_err(wrong)?;
        let demands = demands(&object).map_err(wrong)?;
        let mut gpus: BTreeSet<u32> = flows.iter().map(|flow| flow.origin).collect();
        gpus.extend(demands.iter().flat_map(|&(to, _, from)| [to, from]));
        let mut wanted: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
        for (to, chunk, from) in demands {
            wanted.entry((from, chunk)).or_default().insert(to);
        }
        let is_personalised = if wanted.is_empty() {
            flows.iter().any(|flow| flow.volume.is_some())
        } else {
            gpus.len() > 2 && wanted.values().all(|to| to.len() == 1)
        };
        // Equal shares of a chunk on different paths are one line in the list of flows.
        if is_personalised && let Some(paths) = paths(&object).map_err(wrong)? {
            flows = paths;
        }
        flows.sort_by_key(|flow| flow.epoch);
        let destinations = if is_personalised {
            wanted.iter().filter_map(|(key, to)| Some((*key, *to.first()?))).collect()
        } else {
            BTreeMap::new()
        };
        Ok(Self { seconds, gbytes, flows, is_personalised, gpus, destinations })
    }

    /// The destination of a flow of an all-to-all. Chunks are numbered by their destinations.
    pub fn destination(&self, flow: &Flow) -> Result<u32, ImportedError> {
        let known = self.destinations.get(&(flow.origin, flow.chunk)).copied();
        known.or_else(|| self.gpus.iter().nth(flow.chunk as usize).copied()).ok_or_else(|| {
            ImportedError::DoesNotFit(format!(
                "chunk {} from {} has no destination: there are {} GPUs",
                flow.chunk,
                flow.origin,
                self.gpus.len()
            ))
        })
    }
}

/// A field by its name after the number.
fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let is_wanted = |key: &str| {
        key.split_once('-').is_some_and(|(number, rest)| {
            rest.eq_ignore_ascii_case(name) && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    object.iter().find(|(key, _)| is_wanted(key)).map(|(_, value)| value)
}

fn number(object: &Map<String, Value>, name: &str) -> Result<f64, String> {
    let value = field(object, name).and_then(Value::as_f64);
    let value = value.filter(|value| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| format!("{name} is not a number that is at least 0"))
}

fn flows(object: &Map<String, Value>) -> Result<Vec<Flow>, String> {
    let lines = field(object, "Flows").and_then(Value::as_array).ok_or("Flows is not a list")?;
    let mut flows = Vec::with_capacity(lines.len());
    for line in lines {
        let flow = line.as_str().and_then(Flow::parse);
        flows.push(flow.ok_or_else(|| {
            format!(
                "{line} is not a flow such as \"Chunk 0 from 1 traveled over 1->2 in epoch 0 via switches 4\""
            )
        })?);
    }
    Ok(flows)
}

/// The flows of all paths of chunks; `None` if the file lists no paths.
fn paths(object: &Map<String, Value>) -> Result<Option<Vec<Flow>>, String> {
    let Some(Value::Object(chunks)) = field(object, "Chunk paths") else { return Ok(None) };
    let mut flows = Vec::new();
    for (demand, paths) in chunks {
        let wrong = || format!("the paths of {demand:?} are not lists of an epoch and a flow");
        let (_, chunk, origin) = path_demand(demand).ok_or_else(wrong)?;
        for path in paths.as_array().ok_or_else(wrong)? {
            for hop in path.as_array().ok_or_else(wrong)? {
                let hop = hop.get(1).and_then(Value::as_str).ok_or_else(wrong)?;
                let line = format!("Chunk {chunk} from {origin} traveled over {hop}");
                flows.push(Flow::parse(&line).ok_or_else(wrong)?);
            }
        }
    }
    Ok(Some(flows))
}

/// Destination, chunk and origin of every demand that the file names.
fn demands(object: &Map<String, Value>) -> Result<Vec<(u32, u32, u32)>, String> {
    if let Some(Value::Object(paths)) = field(object, "Chunk paths") {
        let read = |key: &String| {
            path_demand(key).ok_or_else(|| {
                format!("{key:?} is not a demand such as \"Demand at 1 for chunk 0 from 2 met by epoch 5\"")
            })
        };
        return paths.keys().map(read).collect();
    }
    let Some(Value::Object(met)) = field(object, "Demand_Met") else { return Ok(Vec::new()) };
    let mut demands = Vec::new();
    let named = |key: &str, word: &str| {
        let number = key.strip_prefix(word).and_then(|number| number.trim().parse().ok());
        number.ok_or_else(|| format!("{key:?} in Demand_Met is not {word} and a number"))
    };
    for (to, origins) in met {
        let to = named(to, "GPU")?;
        for (from, chunks) in origins.as_object().ok_or("Demand_Met is not made of objects")? {
            let from = named(from, "GPU")?;
            for chunk in chunks.as_object().ok_or("Demand_Met is not made of objects")?.keys() {
                demands.push((to, named(chunk, "Chunk")?, from));
            }
        }
    }
    Ok(demands)
}

fn path_demand(text: &str) -> Option<(u32, u32, u32)> {
    let rest = text.strip_prefix("Demand at ")?;
    let (to, rest) = rest.split_once(" for chunk ")?;
    let (chunk, rest) = rest.split_once(" from ")?;
    let (from, _) = rest.split_once(" met by ")?;
    Some((to.parse().ok()?, chunk.parse().ok()?, from.parse().ok()?))
}
