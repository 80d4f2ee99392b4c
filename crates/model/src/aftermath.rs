//! The problem that remains of a collective after faults: groups shrink by the lost processors, and
//! an error names every pair of processors that can no longer communicate.

use crate::collective::{self, Collective, CollectiveError, Groups};
use crate::ids::{ProcessorId, RouterId};
use crate::network::Network;
use crate::printable::printable;
use crate::problem::{Problem, ProblemError};
use crate::rules::{Model, Ports};
use std::fmt;

/// Number of separated pairs that an error lists.
const LISTED: usize = 12;

/// A requested collective and the rules of its schedule.
///
/// ```
/// use pavane_model::collective::Groups;
/// use pavane_model::{Fault, Model, NetworkBuilder, ProcessorId, CollectiveRequest};
///
/// let (collective, groups) = ("aas".to_owned(), Groups::default());
/// let request = CollectiveRequest { collective, groups, chunks: 1, model: Model::default(), limit: 1000 };
/// let mut builder = NetworkBuilder::new("ring", 4);
/// builder.link(0, 1).link(1, 2).link(2, 3).link(3, 0).processor_on_each_router();
/// let ring = builder.build()?;
/// let broken = ring.without(&[Fault::parse(&ring, "3")?])?;
/// let left = request.on(&ring, &broken)?;
/// assert_eq!(left.missing, [ProcessorId(3)]);
/// assert_eq!(left.phases[0].messages().len(), 3 * 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveRequest {
    /// The name of the collective, or a message file.
    pub collective: String,
    /// The processors that take part.
    pub groups: Groups,
    /// The number of chunks that each message is cut into.
    pub chunks: u32,
    /// The rules for valid schedules.
    pub model: Model,
    /// The maximum number of deliveries.
    pub limit: u64,
}

/// What remains of a collective after faults.
#[derive(Debug, Clone, PartialEq)]
pub struct Aftermath {
    /// The remaining problems, one per phase of the collective.
    pub phases: Vec<Problem>,
    /// The participants that were lost.
    pub missing: Vec<ProcessorId>,
}

/// Why no problem remains.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AftermathError {
    /// The collective is unknown, or one of its groups has lost all processors.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The collective is not a valid problem on the network.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// Faults separate senders from their receivers.
    #[error("{0}")]
    Separated(Separated),
}

/// Senders and receivers separated by faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separated {
    /// The network.
    pub network: String,
    /// The separated (sender, receiver) pairs, sorted.
    pub pairs: Vec<(ProcessorId, ProcessorId)>,
    /// The names of the first pairs.
    pub names: Vec<(String, String)>,
    /// The participants that were lost.
    pub missing: Vec<ProcessorId>,
}

impl fmt::Display for Separated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = match self.pairs.len() {
            1 => "1 sender from its receiver".to_owned(),
            pairs => format!("{pairs} pairs of sender and receiver"),
        };
        write!(
            f,
            "the faults in {} disconnect {many}; remove a fault, or leave the processors out of \
             the groups",
            printable(&self.network)
        )?;
        for (from, to) in self.names.iter().take(LISTED) {
            write!(f, "\ndisconnected: {} → {}", printable(from), printable(to))?;
        }
        match self.pairs.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl CollectiveRequest {
    /// The problems that remain in `broken`, which is `healthy` after faults.
    pub fn on(&self, healthy: &Network, broken: &Network) -> Result<Aftermath, AftermathError> {
        let is_whole = healthy.living_processors().all(|p| broken.home(p).is_some());
        if is_whole {
            let phases = collective::build(&self.collective, broken, &self.groups)?;
            return self.problems(phases, broken, Vec::new());
        }
        let before = collective::build(&self.collective, healthy, &self.groups)?;
        let missing = missing(&before, broken);
        let phases = if collective::has_groups(&self.collective) {
            let groups = self.groups.left(healthy, broken)?;
            collective::build(&self.collective, broken, &groups)?
        } else {
            before.iter().map(|phase| phase.left_in(broken)).collect()
        };
        self.problems(phases, broken, missing)
    }

    /// The participants that were lost; empty if the collective cannot be built on `healthy`. Works
    /// even where no problem remains.
    pub fn missing(&self, healthy: &Network, broken: &Network) -> Vec<ProcessorId> {
        let before = collective::build(&self.collective, healthy, &self.groups);
        before.map_or_else(|_| Vec::new(), |phases| missing(&phases, broken))
    }

    fn problems(
        &self,
        phases: Vec<Collective>,
        network: &Network,
        missing: Vec<ProcessorId>,
    ) -> Result<Aftermath, AftermathError> {
        let mut problems = Vec::new();
        for phase in phases {
            Problem::check_size(network, &phase, self.chunks, self.limit)?;
            let phase = phase.in_chunks(self.chunks);
            problems.push(problem(network, phase, self.model, self.limit, &missing)?);
        }
        Ok(Aftermath { phases: problems, missing })
    }
}

/// Builds the problem of a collective after faults. If faults separate processors, the error names
/// every separated pair.
pub fn problem(
    network: &Network,
    collective: Collective,
    model: Model,
    limit: u64,
    missing: &[ProcessorId],
) -> Result<Problem, AftermathError> {
    match Problem::with_limit(network.clone(), collective.clone(), model, limit) {
        Err(ProblemError::Unreachable { has_faults: true, .. }) => {
            let pairs = separated(network, &collective, model);
            let name = |processor| network.processor_name(processor);
            let first = pairs.iter().take(LISTED);
            let names = first.map(|&(from, to)| (name(from), name(to))).collect();
            let (network, missing) = (network.name().to_owned(), missing.to_vec());
            Err(AftermathError::Separated(Separated { network, pairs, names, missing }))
        }
        other => Ok(other?),
    }
}

/// The participants of a collective that are missing from a network, sorted.
pub fn missing(phases: &[Collective], network: &Network) -> Vec<ProcessorId> {
    let listed = |phase: &Collective| -> Vec<ProcessorId> {
        phase.list.iter().flat_map(|m| m.to.iter().copied().chain([m.from])).collect()
    };
    let members = phases
        .iter()
        .flat_map(|phase| [phase.senders.clone(), phase.receivers.clone(), listed(phase)].concat());
    let mut missing: Vec<ProcessorId> = members.filter(|&p| network.home(p).is_none()).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// Every (sender, receiver) pair without a path between them.
fn separated(
    network: &Network,
    collective: &Collective,
    model: Model,
) -> Vec<(ProcessorId, ProcessorId)> {
    let is_backward = collective.is_backward();
    let (network, collective) = if is_backward {
        (&network.reversed(), &collective.turned_round())
    } else {
        (network, collective)
    };
    let messages = collective.messages();
    let mut pairs = Vec::new();
    let mut last: Option<(RouterId, Vec<u32>)> = None;
    for message in messages.ids() {
        let from = messages.origin(message);
        let Some(home) = network.home(from) else { continue };
        let distance = match &mut last {
            Some((router, distance)) if *router == home => distance,
            other => &mut other.insert((home, network.distances_from(home))).1,
        };
        // All-port processors on a router without channels have no ports, so they cannot even
        // exchange messages with a processor on the same router.
        let is_stuck = model.ports == Ports::All
            && (network.out_channels(home).is_empty() || network.in_channels(home).is_empty());
        for &to in messages.destinations(message) {
            let Some(target) = network.home(to) else { continue };
            if distance[target.index()] == u32::MAX || (is_stuck && target == home) {
                pairs.push(if is_backward { (to, from) } else { (from, to) });
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{path, ring};
    use crate::{Fault, NetworkBuilder};

    fn on(
        healthy: &Network,
        faults: &[&str],
        request: &CollectiveRequest,
    ) -> Result<Aftermath, AftermathError> {
        let parse = |text: &&str| Fault::parse(healthy, text).unwrap();
        let faults: Vec<Fault> = faults.iter().map(parse).collect();
        request.on(healthy, &healthy.without(&faults).unwrap())
    }

    fn request(collective: &str, senders: Option<&str>, root: Option<&str>) -> CollectiveRequest {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        CollectiveRequest {
            collective: collective.to_owned(),
            groups: Groups { root: owned(root), senders: owned(senders), receivers: None },
            chunks: 1,
            model: Model::default(),
            limit: 1000,
        }
    }

    /// A ring of four routers with processors, all linked to a switch, router 4.
    fn wheel() -> Network {
        let mut builder = NetworkBuilder::new("wheel", 5);
        for router in 0..4 {
            builder.link(router, (router + 1) % 4).link(router, 4).processor(Some(router));
        }
        builder.build().unwrap()
    }

    #[test]
    fn groups_list_the_processors_they_lost() {
        let (five, wheel, fat) = (ring(5), wheel(), ring(8).with_fat_nodes(2).unwrap());
        for (network, faults, collective, senders, missing, deliveries) in [
            (&five, &["2"][..], "aas", None, &[2][..], 12),
            (&five, &["0-1"], "aas", None, &[], 20),
            (&five, &["0"], "oab", None, &[0], 3),
            (&five, &["2"], "aab", Some("1-3"), &[2], 2),
            (&five, &["0"], "aab", Some("1-3"), &[], 6),
            (&five, &["2"], "shift:1", None, &[2], 3),
            (&fat, &["3"], "aab", None, &[6, 7], 14 * 13),
            (&wheel, &["4"], "aas", None, &[], 12),
        ] {
            let left = on(network, faults, &request(collective, senders, None)).unwrap();
            let named: Vec<u32> = left.missing.iter().map(|p| p.0).collect();
            let network = network.name();
            assert_eq!(named, missing, "{network} {faults:?} {collective}");
            let count = left.phases[0].messages().delivery_count();
            assert_eq!(count, deliveries, "{network} {faults:?} {collective}");
        }
    }

    #[test]
    fn losing_a_required_processor_is_an_error() {
        let root = on(&ring(5), &["2"], &request("oab", None, Some("2"))).unwrap_err();
        assert!(root.to_string().contains("root \"2\": processor 2 is lost to a fault"), "{root}");
        let all = on(&ring(5), &["2"], &request("aas", Some("2"), None)).unwrap_err();
        assert!(all.to_string().contains("all processors of this group are lost"), "{all}");
    }

    #[test]
    fn separated_pairs_are_all_named() {
        for (collective, pairs) in [
            ("aas", vec![(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)]),
            ("gather", vec![(2, 0), (3, 0)]),
            ("oab", vec![(0, 2), (0, 3)]),
        ] {
            let error = on(&path(4), &["1-2"], &request(collective, None, None)).unwrap_err();
            let AftermathError::Separated(separated) = &error else { panic!("{error}") };
            let named: Vec<(u32, u32)> = separated.pairs.iter().map(|(a, b)| (a.0, b.0)).collect();
            assert_eq!(named, pairs, "{collective}");
            assert!(
                error
                    .to_string()
                    .contains(&format!("\ndisconnected: {} → {}", pairs[0].0, pairs[0].1))
            );
        }
    }
}
