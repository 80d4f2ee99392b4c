//! Classes of fault sets that are alike: an automorphism that preserves the messages maps one set
//! to the other. Each class is solved once.

use super::parts::Parts;
use crate::budget::Interrupt;
use crate::symmetry::{ProcessorOrder, problem_symmetries};
use pavane_model::{ChannelId, MessageId, Network, Problem, ProcessorId, Renumbering, RouterId};
use pavane_networks::symmetry::{symmetries_of_messages, symmetries_of_messages_and_bandwidths};
use rustc_hash::FxHashMap;

/// Maximum number of deliveries for which automorphisms are searched.
const MOST_DELIVERIES: usize = 4_000_000;

/// Sets of faults that automorphisms map to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The members, by their indices in the list of sets; the first represents the class.
    pub members: Vec<Member>,
}

/// A set of faults in its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its index in the list of sets.
    pub set: usize,
    /// The member it was reached from, and the generator that was used.
    from: Option<(u32, u32)>,
}

/// The classes of a list of sets, and the automorphisms between their members.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The classes, in the order of their first members.
    pub classes: Vec<Class>,
    /// By set, its class.
    pub class_of: Vec<u32>,
    generators: Vec<Generator>,
}

/// An automorphism: the images of all routers, processors and parts. A swap of parallel parts
/// leaves all routers in place.
#[derive(Debug, Clone)]
struct Generator {
    routers: Vec<RouterId>,
    processors: Vec<ProcessorId>,
    parts: Vec<u32>,
}

impl Classes {
    /// The renumbering of routers and processors that maps a result for the first member of a class
    /// to the member at `place`.
    pub fn renumbering(&self, class: &Class, place: usize, network: &Network) -> Renumbering {
        let mut way = Vec::new();
        let mut at = place;
        while let Some((before, generator)) = class.members[at].from {
            way.push(&self.generators[generator as usize]);
            at = before as usize;
        }
        let mut image = Renumbering::identity(network);
        for generator in way.into_iter().rev() {
            for router in &mut image.routers {
                *router = generator.routers[router.index()];
            }
            for processor in &mut image.processors {
                *processor = generator.processors[processor.index()];
            }
        }
        image
    }
}

/// The classes of these sets of parts, for the phases of one collective on the network without
/// faults.
pub fn classes(phases: &[Problem], parts: &Parts, sets: &[Vec<u32>]) -> Classes {
    grouped(generators(phases, parts), sets)
}

/// As [`classes`], for results that depend on bandwidths: an automorphism must also preserve the
/// bandwidths of the channels between any two routers. Parallel channels have to be in the same order,
/// because a fault removes the first one.
pub fn classes_with_bandwidths(phases: &[Problem], parts: &Parts, sets: &[Vec<u32>]) -> Classes {
    let network = phases[0].network();
    let bandwidths = bandwidths(network);
    let mut all = bandwidths.values().flatten().map(|(own, _)| own);
    let first = all.next();
    if all.all(|own| Some(own) == first) {
        return classes(phases, parts, sets);
    }
    let mut found = if delivery_count(phases) <= MOST_DELIVERIES {
        symmetries_of_messages_and_bandwidths(phases).unwrap_or_default()
    } else {
        Vec::new()
    };
    found.retain(|Renumbering { routers, .. }| {
        let image = |(tail, head): (RouterId, RouterId)| {
            bandwidths.get(&(routers[tail.index()], routers[head.index()]))
        };
        bandwidths.iter().all(|(&ends, own)| image(ends) == Some(own))
    });
    grouped(with_swaps(network, parts, found), sets)
}

fn grouped(generators: Vec<Generator>, sets: &[Vec<u32>]) -> Classes {
    let place_of: FxHashMap<&[u32], usize> =
        sets.iter().enumerate().map(|(at, set)| (&set[..], at)).collect();
    let mut class_of = vec![u32::MAX; sets.len()];
    let mut classes: Vec<Class> = Vec::new();
    let mut image = Vec::new();
    for start in 0..sets.len() {
        if class_of[start] != u32::MAX {
            continue;
        }
        let number = classes.len() as u32;
        class_of[start] = number;
        let mut members = vec![Member { set: start, from: None }];
        let mut at = 0;
        while at < members.len() {
            for (generator, moved) in generators.iter().enumerate() {
                image.clear();
                let set = &sets[members[at].set];
                image.extend(set.iter().map(|&part| moved.parts[part as usize]));
                image.sort_unstable();
                // A sample may not contain the image.
                let Some(&set) = place_of.get(&image[..]) else { continue };
                if class_of[set] == u32::MAX {
                    class_of[set] = number;
                    members.push(Member { set, from: Some((at as u32, generator as u32)) });
                }
            }
            at += 1;
        }
        classes.push(Class { members });
    }
    Classes { classes, class_of, generators }
}

/// Automorphisms that preserve the messages of every phase, and swaps of parallel parts.
fn generators(phases: &[Problem], parts: &Parts) -> Vec<Generator> {
    let is_searched = delivery_count(phases) <= MOST_DELIVERIES;
    let found = if is_searched { automorphisms(phases) } else { Vec::new() };
    with_swaps(phases[0].network(), parts, found)
}

/// The number of deliveries in all phases.
fn delivery_count(phases: &[Problem]) -> usize {
    phases.iter().map(|phase| phase.messages().delivery_count()).sum()
}

/// These automorphisms and swaps of parallel parts.
fn with_swaps(network: &Network, parts: &Parts, found: Vec<Renumbering>) -> Vec<Generator> {
    let mut generators = Vec::new();
    for Renumbering { routers, processors } in found {
        let parts = parts.images(network, &routers);
        generators.push(Generator { routers, processors, parts });
    }
    for (one, other) in parts.swaps() {
        let mut moved: Vec<u32> = (0..parts.faults().len() as u32).collect();
        moved.swap(one as usize, other as usize);
        let processors = (0..network.processor_count() as u32).map(ProcessorId).collect();
        let routers = network.routers().collect();
        generators.push(Generator { routers, processors, parts: moved });
    }
    generators
}

/// Automorphisms that preserve the messages of every phase. For most collectives, every
/// automorphism that preserves how much each processor sends and receives also preserves the
/// messages. For the others, a separate search finds those that preserve the senders and receivers of all messages.
fn automorphisms(phases: &[Problem]) -> Vec<Renumbering> {
    let network = phases[0].network();
    let Some(symmetries) = problem_symmetries(&phases[0], &Interrupt::never()) else {
        return Vec::new();
    };
    let order = ProcessorOrder::new(&phases[0]);
    let mut found: Vec<Renumbering> = Vec::new();
    for routers in &symmetries.generators {
        let image = |p: u32| order.image_by(routers, ProcessorId(p));
        let processors: Vec<_> = (0..network.processor_count() as u32).map(image).collect();
        if phases.iter().all(|phase| keeps_messages(phase, &processors)) {
            found.push(Renumbering { routers: routers.clone(), processors });
        }
    }
    if found.len() == symmetries.generators.len() {
        found
    } else {
        symmetries_of_messages(phases).unwrap_or(found)
    }
}

/// The bandwidths, if known, of a channel and of the opposite one, if it exists.
type Bandwidths = (Option<f64>, Option<Option<f64>>);

/// The bandwidths of the channels between any two routers, in their order.
fn bandwidths(network: &Network) -> FxHashMap<(RouterId, RouterId), Vec<Bandwidths>> {
    let mut between: FxHashMap<_, Vec<Bandwidths>> = FxHashMap::default();
    let of = |channel| network.timing(channel).bandwidth_gbytes;
    for (channel, ends) in (0..).map(ChannelId).zip(network.channels()) {
        let both = (of(channel), network.opposite(channel).map(of));
        between.entry((ends.tail, ends.head)).or_default().push(both);
    }
    between
}

/// Whether the renumbering of the processors preserves the messages.
fn keeps_messages(problem: &Problem, images: &[ProcessorId]) -> bool {
    let messages = problem.messages();
    let processors = problem.network().living_processors().count();
    let is_for_all = |message: MessageId| messages.destinations(message).len() + 1 == processors;
    let described = |message: MessageId, image: &dyn Fn(ProcessorId) -> ProcessorId| {
        let mut to: Vec<ProcessorId> = if is_for_all(message) {
            Vec::new()
        } else {
            messages.destinations(message).iter().map(|&p| image(p)).collect()
        };
        to.sort_unstable();
        (image(messages.origin(message)), to)
    };
    let mut before: Vec<_> = messages.ids().map(|m| described(m, &|p| p)).collect();
    let mut after: Vec<_> = messages.ids().map(|m| described(m, &|p| images[p.index()])).collect();
    before.sort_unstable();
    after.sort_unstable();
    before == after
}
