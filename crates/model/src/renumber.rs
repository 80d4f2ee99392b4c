//! Renumberings of routers and processors: converts a schedule of one problem to another that
//! differs only in numbers, and checks that it does.

use crate::collective::{Collective, ListedMessage};
use crate::ids::{ChannelId, MessageId, ProcessorId, RouterId};
use crate::network::Network;
use crate::problem::Problem;
use crate::schedule::{Schedule, Transfer};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The image of every router and processor. It may come from a file, so every use checks that it
/// fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renumbering {
    /// The image of each router.
    pub routers: Vec<RouterId>,
    /// The image of each processor.
    pub processors: Vec<ProcessorId>,
}

impl Renumbering {
    /// The renumbering that changes nothing.
    pub fn identity(network: &Network) -> Self {
        let processors = (0..network.processor_count() as u32).map(ProcessorId).collect();
        Self { routers: network.routers().collect(), processors }
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        (0..).zip(&self.routers).all(|(at, router)| router.0 == at)
            && (0..).zip(&self.processors).all(|(at, processor)| processor.0 == at)
    }

    /// Whether it permutes the routers and the processors of a network.
    pub fn fits(&self, network: &Network) -> bool {
        let is_permutation = |images: &mut dyn Iterator<Item = u32>, count: usize| {
            let mut images: Vec<u32> = images.collect();
            images.sort_unstable();
            images.len() == count && (0..).zip(images).all(|(at, image): (u32, u32)| at == image)
        };
        is_permutation(&mut self.routers.iter().map(|r| r.0), network.router_count())
            && is_permutation(&mut self.processors.iter().map(|p| p.0), network.processor_count())
    }

    fn router(&self, router: RouterId) -> Option<RouterId> {
        self.routers.get(router.index()).copied()
    }

    /// The image of a processor; `None` if it has none.
    pub fn processor(&self, processor: ProcessorId) -> Option<ProcessorId> {
        self.processors.get(processor.index()).copied()
    }

    /// The images of a group, sorted; `None` if a processor has no image.
    pub fn group(&self, group: &[ProcessorId]) -> Option<Vec<ProcessorId>> {
        let images: Option<Vec<ProcessorId>> = group.iter().map(|&p| self.processor(p)).collect();
        let mut images = images?;
        images.sort_unstable();
        Some(images)
    }

    /// The collective among the images, with sorted groups; `None` if a processor has no image.
    pub fn collective(&self, collective: &Collective) -> Option<Collective> {
        if collective.chunks.is_some() {
            let whole = self.collective(&collective.whole())?;
            return Some(whole.in_chunks(collective.chunk_count()));
        }
        let mut image = Collective::between(
            collective.kind,
            &collective.name,
            self.group(&collective.senders)?,
            self.group(&collective.receivers)?,
        );
        let message = |m: &ListedMessage| {
            Some(ListedMessage { from: self.processor(m.from)?, to: self.group(&m.to)? })
        };
        image.list = collective.list.iter().map(message).collect::<Option<Vec<_>>>()?;
        Some(image)
    }

    /// Whether it maps one network exactly onto the other: channels, links, processors and
    /// switches that copy correspond one to one.
    pub fn maps(&self, from: &Network, to: &Network) -> bool {
        self.channels(from, to).is_some()
    }

    /// Converts a schedule of `from` to a schedule of `to`. `None` unless the renumbering maps
    /// `from` exactly onto `to`: model and kind of collective are the same, and channels, links,
    /// processors and messages correspond one to one.
    ///
    /// If this returns a schedule, facts proved about `from`, such as a bound, also hold for `to`.
    /// Certificates do not carry over, because they name routers and messages of `from`.
    pub fn schedule(&self, from: &Problem, schedule: &Schedule, to: &Problem) -> Option<Schedule> {
        if from.model() != to.model() || from.collective().kind != to.collective().kind {
            return None;
        }
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
                    message: *messages.get(transfer.message.index())?,
                    from: self.processor(transfer.from)?,
                    to: self.processor(transfer.to)?,
                    path: &path,
                });
            }
        }
        Some(image)
    }

    /// The image of every channel; `None` unless the renumbering maps one network exactly onto the
    /// other. Links map to links; parallel links, and parallel channels without a link, keep their
    /// order.
    fn channels(&self, from: &Network, to: &Network) -> Option<Vec<ChannelId>> {
        if !self.fits(from) || !self.fits(to) || from.channel_count() != to.channel_count() {
            return None;
        }
        for (number, &image) in (0..).zip(&self.processors) {
            let home = from.home(ProcessorId(number));
            if home.and_then(|home| self.router(home)) != to.home(image) {
                return None;
            }
        }
        let copying = from.multicast().iter().map(|&router| self.router(router));
        let is_kept = |image: Option<RouterId>| image.is_some_and(|router| to.is_multicast(router));
        if from.multicast().len() != to.multicast().len() || !copying.into_iter().all(is_kept) {
            return None;
        }
        let mut open = Bundles::new(to);
        let mut images = vec![ChannelId(0); from.channel_count()];
        for channel in (0..from.channel_count() as u32).map(ChannelId) {
            let ends = from.channel(channel);
            let ends = (self.router(ends.tail)?, self.router(ends.head)?);
            match from.opposite(channel) {
                None => images[channel.index()] = open.next_single(ends)?,
                Some(opposite) if channel < opposite => {
                    let (there, back) = open.next_link(ends)?;
                    images[channel.index()] = there;
                    images[opposite.index()] = back;
                }
                // The image is set together with that of the opposite channel.
                Some(_) => {}
            }
        }
        // Every channel of `to` is an image exactly once: the counts are equal, and each is used
        // only once.
        Some(images)
    }

    /// The image of every message; `None` unless the two problems have the same messages.
    fn messages(&self, from: &Problem, to: &Problem) -> Option<Vec<MessageId>> {
        if from.messages().len() != to.messages().len() {
            return None;
        }
        let mut open: FxHashMap<(ProcessorId, Vec<ProcessorId>), Vec<MessageId>> =
            FxHashMap::default();
        for message in to.messages().ids().rev() {
            let mut wanted = to.messages().destinations(message).to_vec();
            wanted.sort_unstable();
            open.entry((to.messages().origin(message), wanted)).or_default().push(message);
        }
        let image = |message: MessageId| {
            let origin = self.processor(from.messages().origin(message))?;
            let wanted = self.group(from.messages().destinations(message))?;
            open.get_mut(&(origin, wanted))?.pop()
        };
        from.messages().ids().map(image).collect()
    }
}

/// The tail and head of a channel.
type Ends = (RouterId, RouterId);

/// The parallel channels and links of a network, each handed out once, in order.
struct Bundles {
    /// The channels without a link, by ends.
    singles: FxHashMap<Ends, Vec<ChannelId>>,
    /// The links by ends, the lower end first: the channel from the first end to the second, and
    /// its opposite.
    links: FxHashMap<Ends, Vec<(ChannelId, ChannelId)>>,
}

impl Bundles {
    fn new(network: &Network) -> Self {
        let mut bundles = Self { singles: FxHashMap::default(), links: FxHashMap::default() };
        // In reverse, because `pop` takes the last one first.
        for channel in (0..network.channel_count() as u32).rev().map(ChannelId) {
            let ends = network.channel(channel);
            match network.opposite(channel) {
                None => bundles.singles.entry((ends.tail, ends.head)).or_default().push(channel),
                Some(opposite) if channel < opposite => {
                    let (ends, link) = if ends.tail < ends.head {
                        ((ends.tail, ends.head), (channel, opposite))
                    } else {
                        ((ends.head, ends.tail), (opposite, channel))
                    };
                    bundles.links.entry(ends).or_default().push(link);
                }
                Some(_) => {}
            }
        }
        bundles
    }

    fn next_single(&mut self, ends: Ends) -> Option<ChannelId> {
        self.singles.get_mut(&ends)?.pop()
    }

    /// The next link between two routers, with its channel from the first to the second first.
    fn next_link(&mut self, (tail, head): Ends) -> Option<(ChannelId, ChannelId)> {
        if tail < head {
            return self.links.get_mut(&(tail, head))?.pop();
        }
        let (back, there) = self.links.get_mut(&(head, tail))?.pop()?;
        Some((there, back))
    }
}

#[cfg(test)]
mod tests;
