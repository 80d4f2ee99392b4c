//! Whether the name of a network, which in a file is free text, is correct and may be shown as a
//! fact.

use crate::topology::{self, TopologyError};
use pavane_model::ChannelId;
use pavane_model::claims::{left_of, unchecked_network};
use pavane_model::network::{LARGEST, Network, NetworkError, Timing};

/// Routers, channels or processors of the largest network that is always built to check a name.
const ALWAYS_BUILT: u64 = 10_000;

/// The result of checking the name of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameCheck {
    /// A network family builds exactly this network from the name, apart from its faults.
    Right,
    /// A network family builds a different network from the name.
    Wrong,
    /// No network family has this name (it is a file name or free text), or the network is too large
    /// to be built for a check.
    Unknown,
}

/// Compares a network with the one that its name denotes.
pub fn check_name(network: &Network) -> NameCheck {
    let faults = network.faults();
    let is_router = |fault: &String| fault.bytes().all(|byte| byte.is_ascii_digit());
    let loses_routers = faults.iter().any(is_router);
    // A lost link has two channels. A lost router may have had any number, but the work is limited to
    // a multiple of what the network still has: a small file must not name a large network to build.
    let channels = network.channel_count() as u64 + 2 * faults.len() as u64;
    let most = (2 * channels).max(network.processor_count() as u64).max(ALWAYS_BUILT);
    match topology::build_within(network.name(), most.min(LARGEST)) {
        Ok(named) if left_of(network, &named).is_some_and(|left| network.is_same_as(&left)) => {
            NameCheck::Right
        }
        Err(TopologyError::Network(NetworkError::TooLarge { .. })) if loses_routers => {
            NameCheck::Unknown
        }
        Ok(_) | Err(TopologyError::Network(NetworkError::TooLarge { .. })) => NameCheck::Wrong,
        Err(_) => NameCheck::Unknown,
    }
}

/// Whether the name of a network is correct.
pub fn is_network_right(network: &Network) -> bool {
    check_name(network) == NameCheck::Right
}

/// Whether a network states bandwidths. Without any, all are 1 GB/s.
pub fn states_bandwidths(network: &Network) -> bool {
    timings(network).any(|timing| timing.bandwidth_gbytes.is_some())
}

/// Whether a network states bandwidths or latencies.
pub fn states_times(network: &Network) -> bool {
    timings(network).any(|it| it.bandwidth_gbytes.is_some() || it.latency_ns.is_some())
}

fn timings(network: &Network) -> impl Iterator<Item = Timing> {
    (0..network.channel_count() as u32).map(|channel| network.timing(ChannelId(channel)))
}

/// Whether the name of a network is correct, and the network has the bandwidths of the named one.
pub fn are_bandwidths_right(network: &Network) -> bool {
    // The name is checked first because building the named network may take long otherwise.
    is_network_right(network)
        && topology::build(network.name()).is_ok_and(|named| has_bandwidths_of(network, &named))
}

/// Whether a network has the bandwidths of `whole`, of which it may have lost parts.
pub fn has_bandwidths_of(network: &Network, whole: &Network) -> bool {
    let left = left_of(network, whole).and_then(|left| left.bandwidths().ok());
    left.is_some() && left == network.bandwidths().ok()
}

/// Whether the name of a network is correct, and the network has the bandwidths and latencies of the
/// named one.
pub fn are_times_right(network: &Network) -> bool {
    is_network_right(network)
        && topology::build(network.name()).is_ok_and(|named| has_times_of(network, &named))
}

/// Whether a network has the bandwidths and latencies of `whole`, of which it may have lost parts.
pub fn has_times_of(network: &Network, whole: &Network) -> bool {
    let left = left_of(network, whole).and_then(|left| left.latencies().ok());
    has_bandwidths_of(network, whole) && left.is_some() && left == network.latencies().ok()
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
        let lonely = octagon.without(&[Fault::parse(&octagon, "4").unwrap()]).unwrap();
        let named = lonely.named("random-regular:1000000,16,7");
        assert_eq!(check_name(&named), NameCheck::Unknown, "too large to be built");
        assert!(are_bandwidths_right(&octagon) && !states_bandwidths(&octagon));
        let slow = octagon.clone().with_timing(None, Some(pavane_model::Fraction::ONE)).unwrap();
        assert!(states_times(&slow) && !states_bandwidths(&slow) && !states_times(&octagon));
        let fast = octagon.with_timing(Some(pavane_model::Fraction::from(50)), None).unwrap();
        assert!(is_network_right(&fast) && !are_bandwidths_right(&fast));
        let machine = topology::build("ndv2:2").unwrap();
        let zero = Some(pavane_model::Fraction::ZERO);
        let late = machine.clone().with_timing(None, zero).unwrap();
        assert!(
            are_times_right(&machine) && are_bandwidths_right(&late) && !are_times_right(&late)
        );
        let nameless = network_in_words(&ring.named(""));
        assert_eq!(nameless, "a network of 4 routers, 8 channels, 4 processors");
    }
}
