//! Images of channels under automorphisms: parallel channels keep their rank, and links map to
//! links.

use super::free_group::FreeGroup;
use pavane_model::{ChannelId, Network, RouterId};

/// The channels of a network, ordered so that images are found by rank.
#[derive(Debug, Clone)]
pub struct ChannelOrder<'a> {
    network: &'a Network,
    /// Per router, its outgoing channels sorted by head, with link channels separate from one-way
    /// ones.
    leaving: Vec<Vec<(u32, bool, u32)>>,
    /// Per channel, its rank among the channels with the same ends and of the same kind (link or
    /// one-way).
    rank: Vec<u32>,
}

impl<'a> ChannelOrder<'a> {
    /// Ranks the channels of a network.
    pub fn new(network: &'a Network) -> Self {
        let mut rank = vec![0; network.channel_count()];
        let sorted = |router: RouterId| {
            let mut channels: Vec<ChannelId> = network.out_channels(router).to_vec();
            // Both channels of a link sort by the same number, so that they get the same rank.
            channels.sort_by_key(|&c| {
                let link = network.opposite(c).map(|other| other.0.min(c.0));
                (network.channel(c).head, link.is_some(), link.unwrap_or(c.0))
            });
            let entry =
                |&c: &ChannelId| (network.channel(c).head.0, network.opposite(c).is_some(), c.0);
            channels.iter().map(entry).collect()
        };
        let leaving: Vec<Vec<(u32, bool, u32)>> = network.routers().map(sorted).collect();
        for row in &leaving {
            for (at, &(head, is_linked, channel)) in row.iter().enumerate() {
                let alike = row[..at].iter().rev().take_while(|e| (e.0, e.1) == (head, is_linked));
                rank[channel as usize] = alike.count() as u32;
            }
        }
        Self { network, leaving, rank }
    }

    /// The image of a channel under a member of a group.
    pub fn image(&self, group: &FreeGroup, member: u32, channel: ChannelId) -> ChannelId {
        let ends = self.network.channel(channel);
        self.between(group.image(member, ends.tail), group.image(member, ends.head), channel)
    }

    /// The image of a channel under an automorphism that maps its ends to `tail` and `head`.
    pub fn between(&self, tail: RouterId, head: RouterId, channel: ChannelId) -> ChannelId {
        let wanted = (head.0, self.network.opposite(channel).is_some());
        let row = &self.leaving[tail.index()];
        let first = row.iter().position(|entry| (entry.0, entry.1) == wanted);
        let first = first.expect("an automorphism keeps the channels between routers");
        ChannelId(row[first + self.rank[channel.index()] as usize].2)
    }
}
