//! Names in schedule files are free text: the judge checks routers, channels, processors and
//! messages, not names. This module decides whether a name is correct and may be shown as a fact,
//! and words a description where it is not.

use crate::collective::{self, Collective, Kind};
use crate::faults::Fault;
use crate::network::{LARGEST, Network, NetworkError};
use crate::problem::Problem;
use crate::topology::{self, TopologyError};
use crate::words::{counted, excerpt, printable};

/// The result of checking the name of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameCheck {
    /// A network family builds exactly this network from the name, apart from its faults.
    Right,
    /// A network family builds a different network from the name.
    Wrong,
    /// No network family has this name: it is a file name or free text.
    Unknown,
}

/// Compares a network with the one that its name denotes.
pub fn check_name(network: &Network) -> NameCheck {
    let (routers, faults) = (network.router_count() as u64, network.faults().len() as u64);
    // Each fault may have removed the two channels between one router and every other router.
    let channels = network.channel_count() as u64 + 2 * faults * routers;
    let most = channels.max(routers).max(network.processor_count() as u64).min(LARGEST);
    match topology::build_within(network.name(), most) {
        Ok(named) if left_of(network, &named).is_some_and(|left| network.is_same_as(&left)) => {
            NameCheck::Right
        }
        Ok(_) | Err(TopologyError::Network(NetworkError::TooLarge { .. })) => NameCheck::Wrong,
        Err(_) => NameCheck::Unknown,
    }
}

/// Whether the name of a network is correct.
pub fn is_network_right(network: &Network) -> bool {
    check_name(network) == NameCheck::Right
}

/// Applies the faults of `network` to `whole`. `None` if `whole` lacks a part that they name.
pub fn left_of(network: &Network, whole: &Network) -> Option<Network> {
    let faults: Result<Vec<Fault>, _> =
        network.faults().iter().map(|text| Fault::parse_numbers(whole, text)).collect();
    whole.without(&faults.ok()?).ok()
}

/// Whether a collective is the one that its name denotes.
pub fn is_collective_right(problem: &Problem) -> bool {
    collective::is_called_rightly(problem.collective(), problem.network())
}

/// A network by its name if that is correct, otherwise by its size, with the name in quotes.
pub fn network_in_words(network: &Network) -> String {
    match is_network_right(network) {
        true => network.name().to_owned(),
        false => match network.name() {
            "" => format!("a network of {}", sizes(network)),
            name => format!("{} ({})", quoted(name), sizes(network)),
        },
    }
}

/// A collective by its name if that is correct, otherwise by its kind, with the name in quotes.
pub fn collective_in_words(problem: &Problem) -> String {
    let Collective { kind, name, .. } = problem.collective();
    match is_collective_right(problem) {
        true => name.clone(),
        false if name.is_empty() || name == kind_in_words(*kind) => kind_in_words(*kind).to_owned(),
        false => format!("{} called {}", kind_in_words(*kind), quoted(name)),
    }
}

/// A name from a file, quoted and on one line.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", printable(&excerpt(name)).replace('"', "\\\""))
}

/// `4 routers, 8 channels, 4 processors`.
pub fn sizes(network: &Network) -> String {
    format!(
        "{}, {}, {}",
        counted(network.router_count(), "router"),
        counted(network.channel_count(), "channel"),
        counted(network.living_processors().count(), "processor")
    )
}

fn kind_in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Broadcast => "broadcast",
        Kind::Scatter => "scatter",
        Kind::Gather => "gather",
        Kind::Reduce => "reduce",
        Kind::Messages => "messages",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Groups, build};
    use crate::problem::Model;

    fn problem(network: Network, name: &str, groups: &Groups) -> Problem {
        let collective = build(name, &network, groups).unwrap().remove(0);
        Problem::new(network, collective, Model::default()).unwrap()
    }

    #[test]
    fn a_name_is_right_if_the_family_gives_the_same_network() {
        let octagon = topology::build("octagon:8@2").unwrap();
        assert!(is_network_right(&octagon));
        assert_eq!(network_in_words(&octagon), "octagon:8@2");
        let faults = [Fault::parse(&octagon, "0-1").unwrap(), Fault::parse(&octagon, "4").unwrap()];
        assert!(is_network_right(&octagon.without(&faults).unwrap()));
        let ring = topology::build("ring:4").unwrap();
        for name in
            ["hypercube:10", "ring:5", "ring:4@2", "complete:100000", "cluster.dot", "", "ring:"]
        {
            assert!(!is_network_right(&ring.clone().named(name)), "{name}");
        }
        assert_eq!(check_name(&ring.clone().named("complete:100000")), NameCheck::Wrong);
        assert_eq!(check_name(&ring.clone().named("cluster.dot")), NameCheck::Unknown);
        assert!(is_network_right(&ring.clone().named("torus:4")), "another name of the same");
        assert_eq!(
            network_in_words(&ring.clone().named("a\n\"b\"")),
            "\"a\\n\\\"b\\\"\" (4 routers, 8 channels, 4 processors)"
        );
        let nameless = network_in_words(&ring.named(""));
        assert_eq!(nameless, "a network of 4 routers, 8 channels, 4 processors");
    }

    #[test]
    fn a_collective_is_right_if_its_name_gives_the_same_messages() {
        let some = |text: &str| Some(text.to_owned());
        let root = Groups { root: some("3"), ..Groups::default() };
        let two = Groups { senders: some("0,1"), receivers: some("2-5"), ..Groups::default() };
        let few = Groups { senders: some("0-2"), ..Groups::default() };
        let one = Groups { senders: some("1"), receivers: some("2-5"), ..Groups::default() };
        let none = Groups::default();
        for (name, groups, is_right) in [
            ("aas", &none, true),
            ("aab", &none, true),
            ("all-gather", &none, true),
            ("reduce-scatter", &none, true),
            ("oab", &none, true),
            ("oas", &root, true),
            ("aog", &root, true),
            ("reduce", &root, true),
            ("mns", &two, true),
            ("multicast", &one, true),
            ("shift:2", &none, true),
            ("aas", &few, false),
            ("oab", &one, false),
        ] {
            let problem = problem(topology::build("ring:6").unwrap(), name, groups);
            assert_eq!(is_collective_right(&problem), is_right, "{name} {groups:?}");
        }
        let ring = topology::build("ring:6").unwrap();
        let mut collective = build("oas", &ring, &none).unwrap().remove(0);
        for (name, words) in [
            ("aas", "scatter called \"aas\""),
            ("oab", "scatter called \"oab\""),
            ("my own", "scatter called \"my own\""),
            ("", "scatter"),
            ("mns", "mns"),
        ] {
            collective.name = name.to_owned();
            let problem = Problem::new(ring.clone(), collective.clone(), Model::default()).unwrap();
            assert_eq!(collective_in_words(&problem), words);
        }
    }
}
