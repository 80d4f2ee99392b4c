//! The images of routers, processors, channels and messages under an isomorphism.

use crate::error::AtlasError;
use pavane_model::{
    ChannelId, Collective, Kind, ListedMessage, MessageId, Network, Problem, ProcessorId, RouterId,
};
use pavane_networks::symmetry::{Kept, Marked, isomorphism};
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The image of every router, processor and channel of a network. Lost parts have none.
#[derive(Debug, Clone)]
pub struct Images {
    pub routers: Vec<Option<RouterId>>,
    pub processors: Vec<Option<ProcessorId>>,
    pub channels: Vec<ChannelId>,
}

/// What each processor does, and arcs between routers that an isomorphism must keep.
#[derive(Debug, Clone)]
pub struct Roles {
    of_processor: Vec<u64>,
    arcs: Vec<(RouterId, RouterId)>,
}

impl Roles {
    /// All processors are alike.
    pub fn alike(network: &Network) -> Self {
        Self { of_processor: vec![0; network.processor_count()], arcs: Vec::new() }
    }

    /// The roles in the phases of a collective. Messages of a list become arcs.
    pub fn of(phases: &[&Problem]) -> Self {
        let network = phases[0].network();
        let mut roles: Vec<Vec<(usize, u8, u32)>> = vec![Vec::new(); network.processor_count()];
        let mut arcs = Vec::new();
        for (number, problem) in phases.iter().enumerate() {
            let whole = problem.collective().whole();
            let mut note = |processors: &[ProcessorId], what: u8, count: u32| {
                for processor in processors {
                    roles[processor.index()].push((number, what, count));
                }
            };
            note(&whole.senders, 0, 1);
            note(&whole.receivers, 1, 1);
            for ListedMessage { from, to } in &whole.list {
                note(&[*from], 2, to.len() as u32);
                note(to, 3, to.len() as u32);
                if whole.kind == Kind::Messages {
                    arcs.extend(to.iter().map(|&to| (problem.home(*from), problem.home(to))));
                }
            }
        }
        let hash = |mut role: Vec<(usize, u8, u32)>| {
            role.sort_unstable();
            hash_of(&role)
        };
        Self { of_processor: roles.into_iter().map(hash).collect(), arcs }
    }

    /// A mark for every router: the roles of its processors.
    fn marks(&self, network: &Network) -> Vec<u64> {
        let mark = |router| hash_of(&self.of_residents(network, router));
        network.routers().map(mark).collect()
    }

    /// The roles of the processors on a router, with the processors, sorted.
    fn sorted(&self, network: &Network, router: RouterId) -> Vec<(u64, ProcessorId)> {
        let residents = network.residents(router).iter();
        let mut roles: Vec<_> = residents.map(|&p| (self.of_processor[p.index()], p)).collect();
        roles.sort_unstable();
        roles
    }

    fn of_residents(&self, network: &Network, router: RouterId) -> Vec<u64> {
        self.sorted(network, router).into_iter().map(|(role, _)| role).collect()
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hash = DefaultHasher::new();
    value.hash(&mut hash);
    hash.finish()
}

/// Whether two networks are isomorphic if their processors do not count.
pub fn are_alike(from: &Network, to: &Network, kept: Kept) -> Result<bool, AtlasError> {
    let marks = |network: &Network| vec![0; network.router_count()];
    let (marks, others) = (marks(from), marks(to));
    let side = |network, marks| Marked { network, marks, arcs: &[] };
    Ok(isomorphism(side(from, &marks), side(to, &others), kept)?.is_some())
}

impl Images {
    /// Finds an isomorphism that keeps the roles of the processors and the kept properties of the
    /// channels.
    pub fn find(
        (from, roles): (&Network, &Roles),
        (to, others): (&Network, &Roles),
        kept: Kept,
    ) -> Result<Option<Self>, AtlasError> {
        let (marks, other_marks) = (roles.marks(from), others.marks(to));
        let one = Marked { network: from, marks: &marks, arcs: &roles.arcs };
        let other = Marked { network: to, marks: &other_marks, arcs: &others.arcs };
        let Some(routers) = isomorphism(one, other, kept)? else { return Ok(None) };
        let mut processors = vec![None; from.processor_count()];
        for router in from.routers() {
            let Some(image) = routers[router.index()] else { continue };
            let (own, its) = (roles.sorted(from, router), others.sorted(to, image));
            let is_same = own.len() == its.len() && own.iter().zip(&its).all(|(a, b)| a.0 == b.0);
            if !is_same {
                return Ok(None);
            }
            for ((_, processor), (_, image)) in own.into_iter().zip(its) {
                processors[processor.index()] = Some(image);
            }
        }
        let channels = channel_images(from, to, &routers, kept);
        Ok(channels.map(|channels| Self { routers, processors, channels }))
    }

    /// The image of a router.
    pub fn router(&self, router: RouterId) -> Option<RouterId> {
        self.routers.get(router.index()).copied().flatten()
    }

    /// The image of a processor.
    pub fn processor(&self, processor: ProcessorId) -> Option<ProcessorId> {
        self.processors.get(processor.index()).copied().flatten()
    }

    /// The images of some routers, sorted. Lost ones are left out.
    pub fn some_routers(&self, routers: &[RouterId]) -> Vec<RouterId> {
        let mut images: Vec<RouterId> = routers.iter().filter_map(|&r| self.router(r)).collect();
        images.sort_unstable();
        images
    }

    /// The images of a path.
    pub fn path(&self, path: &[ChannelId]) -> Option<Vec<ChannelId>> {
        path.iter().map(|channel| self.channels.get(channel.index()).copied()).collect()
    }

    /// Values of channels in the order of the images.
    pub fn by_channel(&self, values: &[u64]) -> Vec<u64> {
        let mut images = vec![0; self.channels.len()];
        for (channel, value) in self.channels.iter().zip(values) {
            images[channel.index()] = *value;
        }
        images
    }

    /// The images of a group, sorted.
    pub fn group(&self, group: &[ProcessorId]) -> Option<Vec<ProcessorId>> {
        let mut images: Vec<ProcessorId> =
            group.iter().map(|&p| self.processor(p)).collect::<Option<_>>()?;
        images.sort_unstable();
        Some(images)
    }

    /// The collective among the images.
    pub fn collective(&self, collective: &Collective) -> Option<Collective> {
        if collective.chunks.is_some() {
            let whole = self.collective(&collective.whole())?;
            return Some(whole.in_chunks(collective.chunk_count()));
        }
        let Collective { kind, name, senders, receivers, list, .. } = collective;
        let mut image =
            Collective::between(*kind, name, self.group(senders)?, self.group(receivers)?);
        let message = |m: &ListedMessage| {
            Some(ListedMessage { from: self.processor(m.from)?, to: self.group(&m.to)? })
        };
        image.list = list.iter().map(message).collect::<Option<Vec<_>>>()?;
        Some(image)
    }

    /// The image of every message; `None` unless the two problems have the same messages.
    pub fn messages(&self, from: &Problem, to: &Problem) -> Option<Vec<MessageId>> {
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

/// What must agree between a channel and its image: ends, kept timings, and those of the opposite
/// channel if links are kept.
type ChannelKey = (RouterId, RouterId, [Option<u64>; 2], Option<[Option<u64>; 2]>);

/// The image of every channel, parallel ones in their order.
fn channel_images(
    from: &Network,
    to: &Network,
    routers: &[Option<RouterId>],
    kept: Kept,
) -> Option<Vec<ChannelId>> {
    let timing = |network: &Network, channel: ChannelId| {
        let timing = network.timing(channel);
        let bandwidth = timing.bandwidth_gbytes.filter(|_| kept.bandwidths).map(f64::to_bits);
        [bandwidth, timing.latency_ns.filter(|_| kept.latencies).map(f64::to_bits)]
    };
    let opposite = |network: &Network, channel| network.opposite(channel).filter(|_| kept.links);
    let key = |network: &Network, channel: ChannelId, ends: (RouterId, RouterId)| -> ChannelKey {
        let back = opposite(network, channel).map(|other| timing(network, other));
        (ends.0, ends.1, timing(network, channel), back)
    };
    let ends = |channel: ChannelId| (to.channel(channel).tail, to.channel(channel).head);
    let mut open: FxHashMap<ChannelKey, Vec<ChannelId>> = FxHashMap::default();
    for channel in (0..to.channel_count() as u32).rev().map(ChannelId) {
        open.entry(key(to, channel, ends(channel))).or_default().push(channel);
    }
    let mut images: Vec<Option<ChannelId>> = vec![None; from.channel_count()];
    for channel in (0..from.channel_count() as u32).map(ChannelId) {
        if images[channel.index()].is_some() {
            continue;
        }
        let own = from.channel(channel);
        let mapped = (routers[own.tail.index()]?, routers[own.head.index()]?);
        let image = open.get_mut(&key(from, channel, mapped))?.pop()?;
        images[channel.index()] = Some(image);
        if let Some(back) = opposite(from, channel) {
            let back_image = opposite(to, image)?;
            open.get_mut(&key(to, back_image, ends(back_image)))?.retain(|&c| c != back_image);
            images[back.index()] = Some(back_image);
        }
    }
    images.into_iter().collect()
}
