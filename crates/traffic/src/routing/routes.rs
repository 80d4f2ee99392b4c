//! The paths of all messages of a mission, fixed before it starts, in one block of memory.

use super::RoutingTable;
use crate::error::TrafficError;
use crate::mission::Mission;
use pavane_model::{ChannelId, Network};

/// Maximum number of channels in all paths together.
const MOST_HOPS: usize = 1 << 30;

/// The path of every message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routes {
    /// Start of each path in `channels`, and the end of the last.
    pub(crate) starts: Vec<u32>,
    pub(crate) channels: Vec<u32>,
}

impl Routes {
    /// Creates the paths from lists of channels.
    pub fn new<'a>(paths: impl Iterator<Item = &'a [ChannelId]>) -> Self {
        let mut routes = Self::default();
        routes.clear();
        for path in paths {
            routes.channels.extend(path.iter().map(|channel| channel.0));
            routes.starts.push(routes.channels.len() as u32);
        }
        routes
    }

    /// The paths that a table gives to the messages of a mission.
    pub fn of_table(
        table: &RoutingTable,
        network: &Network,
        mission: &Mission,
    ) -> Result<Self, TrafficError> {
        let mut routes = Self::default();
        routes.fill(table, network, mission)?;
        Ok(routes)
    }

    /// Like [`of_table`](Self::of_table), but reuses the memory.
    pub(crate) fn fill(
        &mut self,
        table: &RoutingTable,
        network: &Network,
        mission: &Mission,
    ) -> Result<(), TrafficError> {
        self.clear();
        for message in mission.messages() {
            let homes = network.home(message.source).zip(network.home(message.destination));
            let (mut at, to) = homes.expect("the mission was checked against the network");
            while let Some(channel) = table.next(at, to) {
                self.channels.push(channel.0);
                at = network.channel(channel).head;
            }
            self.starts.push(self.channels.len() as u32);
            if self.channels.len() > MOST_HOPS {
                return Err(TrafficError::TooLong);
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.channels.clear();
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no paths.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The path of a message, as channel numbers.
    #[inline]
    pub fn path(&self, message: u32) -> &[u32] {
        let (start, end) = (self.starts[message as usize], self.starts[message as usize + 1]);
        &self.channels[start as usize..end as usize]
    }
}
