//! Links: all channels from one router to another.

use pavane_model::{ChannelId, Network, RouterId};
use std::collections::BTreeMap;

/// All channels from one router to another.
#[derive(Debug)]
pub(super) struct RoundLink {
    pub tail: RouterId,
    pub head: RouterId,
    pub channels: Vec<ChannelId>,
}

/// The links of a network, ordered by tail and head.
#[derive(Debug)]
pub(super) struct RoundLinks {
    links: Vec<RoundLink>,
    /// By router: the links that lead to it.
    into: Vec<Vec<usize>>,
}

impl RoundLinks {
    pub fn of(network: &Network) -> Self {
        let mut channels: BTreeMap<(RouterId, RouterId), Vec<ChannelId>> = BTreeMap::new();
        for (number, channel) in (0..).zip(network.channels()) {
            let between = channels.entry((channel.tail, channel.head)).or_default();
            between.push(ChannelId(number));
        }
        let links: Vec<RoundLink> = channels
            .into_iter()
            .map(|((tail, head), channels)| RoundLink { tail, head, channels })
            .collect();
        let mut into = vec![Vec::new(); network.router_count()];
        for (number, link) in links.iter().enumerate() {
            into[link.head.index()].push(number);
        }
        Self { links, into }
    }

    pub fn len(&self) -> usize {
        self.links.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &RoundLink> {
        self.links.iter()
    }

    pub fn link(&self, number: usize) -> &RoundLink {
        &self.links[number]
    }

    pub fn into(&self, router: usize) -> &[usize] {
        &self.into[router]
    }

    pub fn capacities(&self) -> impl Iterator<Item = u64> {
        self.links.iter().map(|link| link.channels.len() as u64)
    }
}
