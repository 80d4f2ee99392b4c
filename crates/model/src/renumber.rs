//! Schedules under an automorphism: what is right for one fault is right for another that the
//! automorphism brings it to, with every router, processor and channel renumbered.

use crate::collective::{Collective, ListedMessage};
use crate::ids::{ChannelId, MessageId, ProcessorId, RouterId};
use crate::network::Network;
use crate::problem::Problem;
use crate::schedule::{Schedule, Transfer};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Where routers and processors go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renumbering {
    /// For every router its image.
    pub routers: Vec<RouterId>,
    /// For every processor its image.
    pub processors: Vec<ProcessorId>,
}

impl Renumbering {
    /// The one that leaves everything where it is.
    pub fn identity(network: &Network) -> Self {
        let processors = (0..network.processor_count() as u32).map(ProcessorId).collect();
        Self { routers: network.routers().collect(), processors }
    }

    /// Whether everything stays where it is.
    pub fn is_identity(&self) -> bool {
        (0..).zip(&self.routers).all(|(at, router)| router.0 == at)
            && (0..).zip(&self.processors).all(|(at, processor)| processor.0 == at)
    }

    /// Whether it renumbers a network like this one, nobody twice.
    pub fn fits(&self, network: &Network) -> bool {
        let is_permutation = |images: &mut dyn Iterator<Item = u32>, count: usize| {
            let mut images: Vec<u32> = images.collect();
            images.sort_unstable();
            images.len() == count && (0..).zip(images).all(|(at, image): (u32, u32)| at == image)
        };
        is_permutation(&mut self.routers.iter().map(|r| r.0), network.router_count())
            && is_permutation(&mut self.processors.iter().map(|p| p.0), network.processor_count())
    }

    /// Where a processor goes.
    pub fn processor(&self, processor: ProcessorId) -> ProcessorId {
        self.processors[processor.index()]
    }

    /// The images of a group, in increasing order.
    pub fn group(&self, group: &[ProcessorId]) -> Vec<ProcessorId> {
        let mut images: Vec<ProcessorId> = group.iter().map(|&p| self.processor(p)).collect();
        images.sort_unstable();
        images
    }

    /// The collective among the images; groups are in increasing order then.
    pub fn collective(&self, collective: &Collective) -> Collective {
        let mut image = Collective::between(
            collective.kind,
            &collective.name,
            self.group(&collective.senders),
            self.group(&collective.receivers),
        );
        let message = |m: &ListedMessage| ListedMessage {
            from: self.processor(m.from),
            to: self.group(&m.to),
        };
        image.list = collective.list.iter().map(message).collect();
        image
    }

    /// A schedule of one problem as one of another that the renumbering brings it to; `None` if it
    /// does not.
    pub fn schedule(&self, from: &Problem, schedule: &Schedule, to: &Problem) -> Option<Schedule> {
        let channels = self.channels(from.network(), to.network())?;
        let messages = self.messages(from, to)?;
        let mut image = Schedule::new();
        let mut path = Vec::new();
        for step in 0..schedule.step_count() {
            image.start_step();
            for transfer in schedule.step(step) {
                path.clear();
                for channel in transfer.path {
                    path.push(*channels.get(channel.index())?);
                }
                image.push(Transfer {
                    message: messages[transfer.message.index()],
                    from: self.processor(transfer.from),
                    to: self.processor(transfer.to),
                    path: &path,
                });
            }
        }
        Some(image)
    }

    /// Parallel channels keep their order.
    fn channels(&self, from: &Network, to: &Network) -> Option<Vec<ChannelId>> {
        let mut ranks: FxHashMap<(RouterId, RouterId), usize> = FxHashMap::default();
        let image = |channel: &crate::network::Channel| {
            let ends = (self.routers[channel.tail.index()], self.routers[channel.head.index()]);
            let rank = ranks.entry(ends).or_default();
            *rank += 1;
            to.channels_between(ends.0, ends.1).nth(*rank - 1)
        };
        from.channels().iter().map(image).collect()
    }

    fn messages(&self, from: &Problem, to: &Problem) -> Option<Vec<MessageId>> {
        let mut open: FxHashMap<(ProcessorId, Vec<ProcessorId>), Vec<MessageId>> =
            FxHashMap::default();
        for message in to.messages().ids().rev() {
            let mut wanted = to.messages().destinations(message).to_vec();
            wanted.sort_unstable();
            open.entry((to.messages().origin(message), wanted)).or_default().push(message);
        }
        let image = |message: MessageId| {
            let origin = self.processor(from.messages().origin(message));
            let wanted = self.group(from.messages().destinations(message));
            open.get_mut(&(origin, wanted))?.pop()
        };
        from.messages().ids().map(image).collect()
    }
}
