//! Whether the name of a network, which in a file is free text, is correct and may be shown as a
//! fact.

use crate::topology::{self, TopologyError};
use pavane_model::claims::{left_of, unchecked_network};
use pavane_model::network::{LARGEST, Network, NetworkError};

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

/// A network by its name if that is correct, otherwise by its size, with the name in quotes.
pub fn network_in_words(network: &Network) -> String {
    if is_network_right(network) { network.name().to_owned() } else { unchecked_network(network) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::Fault;

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
}
