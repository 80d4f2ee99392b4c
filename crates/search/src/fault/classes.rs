//! Classes of fault sets that are alike: an automorphism that preserves the messages maps one set
//! to the other. Each class is solved once.

use super::parts::Parts;
use crate::budget::Interrupt;
use crate::symmetry::{ProcessorOrder, problem_symmetries};
use pavane_model::{MessageId, Network, Problem, ProcessorId, Renumbering, RouterId};
use pavane_networks::symmetry::symmetries_of_messages;
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
    let generators = generators(phases, parts);
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
    let network = phases[0].network();
    let deliveries: usize = phases.iter().map(|p| p.messages().delivery_count()).sum();
    let mut generators = Vec::new();
    if deliveries <= MOST_DELIVERIES {
        for Renumbering { routers, processors } in automorphisms(phases) {
            let parts = parts.images(network, &routers);
            generators.push(Generator { routers, processors, parts });
        }
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
