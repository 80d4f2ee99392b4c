//! The boxes of a cluster: their networks, names and NICs.

use super::{BoxEntry, NicEntry, box_problem};
use crate::description::Description;
use crate::import::own::EntryProblem;
use crate::import::own_edge::End;
use crate::topology;
use pavane_model::network::{Network, Timing};
use pavane_model::words::{counted, excerpt};
use rustc_hash::FxHashMap;

/// The maximum number of routers, channels or processors of one box.
const LARGEST_BOX: u64 = 1 << 20;

/// The maximum number of boxes.
pub(super) const MOST_BOXES: u32 = 1 << 16;

/// The prefix that router names of a machine of one box have.
const FIRST_BOX: &str = "box0/";

/// An entry of `boxes`: one network for several boxes.
pub(super) struct Model {
    /// The entry in the file.
    pub index: usize,
    pub network: Network,
    pub description: Description,
    /// The names of the routers within the box.
    pub routers: Vec<String>,
    pub names: Vec<String>,
    pub nics: Vec<Nic>,
}

/// A NIC of a box.
pub(super) struct Nic {
    /// The entry in `nics`.
    pub index: usize,
    /// The router within the box that it is linked to.
    pub router: u32,
    pub timing: Timing,
    pub rail: u32,
}

impl Model {
    pub fn new(index: usize, entry: BoxEntry) -> Result<Self, EntryProblem> {
        let wrong = |problem: String| box_problem(index, problem);
        let default =
            Timing { latency_ns: entry.latency_ns, bandwidth_gbytes: entry.bandwidth_gbytes };
        default.check().map_err(wrong)?;
        let network = match (entry.machine, entry.network) {
            (Some(machine), None) => topology::build_within(&machine, LARGEST_BOX)
                .map_err(|error| wrong(format!("machine: {error}")))?,
            (None, Some(own)) => {
                let described = own.describe("box");
                let described = described
                    .map_err(|(place, problem)| wrong(format!("network: {place}: {problem}")))?;
                described.build().map_err(|error| wrong(format!("network: {error}")))?
            }
            _ => {
                let problem = "give either `machine` (the name of a network) or `network`";
                return Err(wrong(problem.to_owned()));
            }
        };
        if !network.faults().is_empty() {
            return Err(wrong("network: a box cannot have faults".to_owned()));
        }
        let names = box_names(entry.count, entry.name, entry.names).map_err(wrong)?;
        let mut description = Description::of(&network);
        for edge in &mut description.edges {
            let timing = &mut edge.timing;
            timing.latency_ns = timing.latency_ns.or(default.latency_ns);
            timing.bandwidth_gbytes = timing.bandwidth_gbytes.or(default.bandwidth_gbytes);
        }
        if entry.multicast {
            let is_switch = |&router: &pavane_model::RouterId| {
                !network.is_lost(router) && network.residents(router).is_empty()
            };
            description.multicast = network.routers().filter(is_switch).map(|r| r.0).collect();
            if description.multicast.is_empty() {
                return Err(wrong("multicast: it has no switches".to_owned()));
            }
        }
        let routers = local_names(&network);
        let nics = nics(entry.nics, &routers).map_err(wrong)?;
        Ok(Self { index, network, description, routers, names, nics })
    }
}

/// The names of the boxes of one entry.
fn box_names(
    count: Option<u32>,
    name: Option<String>,
    names: Option<Vec<String>>,
) -> Result<Vec<String>, String> {
    if let Some(names) = names {
        if name.is_some() {
            return Err("give either `name` or `names`".to_owned());
        }
        if let Some(count) = count.filter(|&count| count as usize != names.len()) {
            let names = counted(names.len() as u64, "name");
            return Err(format!("{names} for {count} boxes"));
        }
        if names.is_empty() || names.len() > MOST_BOXES as usize {
            return Err(format!("{} boxes (valid: 1 to {MOST_BOXES})", names.len()));
        }
        return Ok(names);
    }
    let count = count.unwrap_or(1);
    if !(1..=MOST_BOXES).contains(&count) {
        return Err(format!("count is {count} (valid: 1 to {MOST_BOXES})"));
    }
    let name = name.unwrap_or_else(|| "box".to_owned());
    Ok((0..count).map(|number| format!("{name}{number}")).collect())
}

/// The names of the routers of a box. A machine of one box, such as `dgx-h100:1`, already names it.
fn local_names(network: &Network) -> Vec<String> {
    let names: Vec<String> = network.routers().map(|router| network.router_name(router)).collect();
    if names.iter().all(|name| name.starts_with(FIRST_BOX)) {
        names.into_iter().map(|name| name[FIRST_BOX.len()..].to_owned()).collect()
    } else {
        names
    }
}

fn nics(entries: Vec<NicEntry>, routers: &[String]) -> Result<Vec<Nic>, String> {
    let numbers: FxHashMap<&str, u32> = routers.iter().map(String::as_str).zip(0..).collect();
    let find = |end: &End| match end {
        End::Number(number) if (*number as usize) < routers.len() => Ok(*number),
        End::Number(number) => Err(format!(
            "the box has no router {number} (valid: 0 to {})",
            routers.len().saturating_sub(1)
        )),
        End::Name(name) => numbers.get(name.as_str()).copied().ok_or_else(|| {
            let (first, last) = (&routers[0], &routers[routers.len() - 1]);
            format!("no router of the box is called {:?} (it has {first} to {last})", excerpt(name))
        }),
    };
    let mut nics: Vec<Nic> = Vec::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let wrong = |problem: String| format!("nics[{index}]: {problem}");
        let timing =
            Timing { latency_ns: entry.latency_ns, bandwidth_gbytes: Some(entry.bandwidth_gbytes) };
        timing.check().map_err(wrong)?;
        let ends = match (entry.router, entry.routers) {
            (Some(router), None) => vec![router],
            (None, Some(routers)) if !routers.is_empty() => routers,
            _ => return Err(wrong("give either `router` or a list `routers`".to_owned())),
        };
        if entry.rail.is_some() && ends.len() > 1 {
            return Err(wrong("`rail` is the rail of one NIC; use `router`".to_owned()));
        }
        for end in &ends {
            let router = find(end).map_err(wrong)?;
            let rail = entry.rail.unwrap_or(nics.len() as u32);
            nics.push(Nic { index, router, timing, rail });
        }
    }
    Ok(nics)
}
