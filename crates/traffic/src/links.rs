//! Links: the resources that carry one message at a time. In a half-duplex network both channels of
//! a link together are one such resource; in a full-duplex network each channel is one.

use pavane_model::{ChannelId, Duplex, Network};

/// The links of a network, numbered from 0.
#[derive(Debug, Clone)]
pub struct Links {
    of_channel: Vec<u32>,
    first_channel: Vec<ChannelId>,
}

impl Links {
    /// The links of a network under a duplex rule.
    pub fn new(network: &Network, duplex: Duplex) -> Self {
        let mut links = Self { of_channel: Vec::new(), first_channel: Vec::new() };
        for number in 0..network.channel_count() as u32 {
            let channel = ChannelId(number);
            let partner = network.opposite(channel).filter(|other| *other < channel);
            let link = match (duplex, partner) {
                (Duplex::Half, Some(partner)) => links.of_channel[partner.index()],
                _ => {
                    links.first_channel.push(channel);
                    links.first_channel.len() as u32 - 1
                }
            };
            links.of_channel.push(link);
        }
        links
    }

    /// Number of links.
    pub fn count(&self) -> usize {
        self.first_channel.len()
    }

    /// The link that a channel belongs to.
    pub fn of(&self, channel: ChannelId) -> u32 {
        self.of_channel[channel.index()]
    }

    /// The link of the channel with this number.
    #[inline]
    pub(crate) fn of_number(&self, channel: u32) -> u32 {
        self.of_channel[channel as usize]
    }

    /// The first channel of a link.
    pub fn channel(&self, link: u32) -> ChannelId {
        self.first_channel[link as usize]
    }
}
