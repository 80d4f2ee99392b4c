//! Tiny problems on networks that may have a fault.

use super::common::tiny;
use pavane_model::{ChannelId, Network, Problem, RouterId};
use proptest::prelude::*;

/// Any tiny problem, whole or with one channel or router broken if it can still be solved.
pub fn problem() -> impl Strategy<Value = Problem> {
    (tiny::problem(), fault()).prop_map(|(problem, fault)| {
        let broken = fault.and_then(|fault| without(problem.network(), fault));
        let Some(network) = broken else { return problem };
        let collective = problem.collective().clone();
        Problem::new(network, collective, problem.model()).unwrap_or(problem)
    })
}

/// Whether a channel breaks, or a router; and its number.
pub type Broken = (bool, u32);

/// No fault, or one channel or router.
pub fn fault() -> impl Strategy<Value = Option<Broken>> {
    prop_oneof![2 => Just(None), 1 => (any::<bool>(), 0u32..8).prop_map(Some)]
}

/// A tiny network without one of its parts, if anything remains.
pub fn without(network: &Network, (is_channel, number): Broken) -> Option<Network> {
    let channels = (0..network.channel_count() as u32).map(ChannelId);
    let lost_channels: Vec<ChannelId> = channels.filter(|c| c.0 == number).collect();
    let lost_routers = [RouterId(number % network.router_count() as u32)];
    let faults = vec!["something".to_owned()];
    if is_channel {
        network.without_parts(&lost_channels, &[], faults).ok()
    } else {
        network.without_parts(&[], &lost_routers, faults).ok()
    }
}
