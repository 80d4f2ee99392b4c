//! An all-reduce divided by a free group of automorphisms: the sums of one orbit have trees that are
//! images of each other, so only one sum per orbit is planned, and a channel in use stands for its
//! whole orbit.

use crate::symmetry::{ChannelOrder, FreeGroup};
use pavane_model::{ChannelId, Duplex, Ports, Problem, RouterId};

/// A channel with the numbers of what it uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoldedChannel {
    pub tail: usize,
    pub head: usize,
    /// Its orbit; under half duplex, that of its link.
    pub slot: usize,
    /// The orbits of its ends.
    pub tail_class: usize,
    pub head_class: usize,
}

/// The network, divided by a group.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    pub channels: Vec<FoldedChannel>,
    /// Channels into, and out of, each router.
    pub into: Vec<Vec<usize>>,
    pub out_of: Vec<Vec<usize>>,
    pub slot_count: usize,
    pub class_count: usize,
    /// The ports of a processor, if they can be fewer than its channels.
    pub ports: Option<u16>,
    /// The first router of every orbit.
    pub origins: Vec<RouterId>,
    /// Number of routers that are not lost.
    pub routers: usize,
}

impl Folded {
    /// For a broadcast in which every router that is not lost has one processor. `None` if a member of
    /// the group turns a half-duplex link round.
    pub fn new(problem: &Problem, group: &FreeGroup) -> Option<Self> {
        let network = problem.network();
        let order = ChannelOrder::new(network);
        let members = || 0..group.order() as u32;
        let routers = network.router_count();
        let mut class_of = vec![usize::MAX; routers];
        let mut origins = Vec::new();
        for router in network.routers().filter(|&router| !network.is_lost(router)) {
            if class_of[router.index()] == usize::MAX {
                members().for_each(|m| class_of[group.image(m, router).index()] = origins.len());
                origins.push(router);
            }
        }
        let mut slot_of = vec![usize::MAX; network.channel_count()];
        let mut slot_count = 0;
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            if slot_of[channel.index()] != usize::MAX {
                continue;
            }
            let opposite = match problem.model().duplex {
                Duplex::Half => network.opposite(channel),
                Duplex::Full => None,
            };
            for image in members().map(|m| order.image(group, m, channel)) {
                if opposite == Some(image) {
                    return None;
                }
                slot_of[image.index()] = slot_count;
                if let (Some(_), Some(other)) = (opposite, network.opposite(image)) {
                    slot_of[other.index()] = slot_count;
                }
            }
            slot_count += 1;
        }
        let mut into = vec![Vec::new(); routers];
        let mut out_of = vec![Vec::new(); routers];
        let mut channels = Vec::new();
        for (number, ends) in network.channels().iter().enumerate() {
            let (tail, head) = (ends.tail.index(), ends.head.index());
            into[head].push(number);
            out_of[tail].push(number);
            let (tail_class, head_class) = (class_of[tail], class_of[head]);
            channels.push(FoldedChannel {
                tail,
                head,
                slot: slot_of[number],
                tail_class,
                head_class,
            });
        }
        let most = into.iter().chain(&out_of).map(Vec::len).max().unwrap_or(0);
        let ports = match problem.model().ports {
            Ports::Limited(ports) if (ports as usize) < most => {
                Some(u16::try_from(ports).unwrap_or(u16::MAX))
            }
            _ => None,
        };
        let class_count = origins.len();
        let routers = network.routers().filter(|&router| !network.is_lost(router)).count();
        Some(Self { channels, into, out_of, slot_count, class_count, ports, origins, routers })
    }
}
