use super::*;
use crate::collective::Kind;
use crate::network::NetworkBuilder;
use crate::rules::{Duplex, Model, Ports};
use crate::samples::{path, ring};

fn processors(numbers: impl IntoIterator<Item = u32>) -> Vec<ProcessorId> {
    numbers.into_iter().map(ProcessorId).collect()
}

/// All-to-all among the first `count` processors.
fn scatter(network: &Network, count: u32, model: Model) -> Problem {
    let all = processors(0..count);
    let collective = Collective::between(Kind::Scatter, "aas", all.clone(), all);
    Problem::new(network.clone(), collective, model).unwrap()
}

/// One message per step, on paths of which only the channel numbers matter.
fn one_by_one(problem: &Problem) -> Schedule {
    let mut schedule = Schedule::new();
    for message in problem.messages().ids() {
        let (from, to) =
            (problem.messages().origin(message), problem.messages().destinations(message)[0]);
        schedule.start_step();
        schedule.push(Transfer { message, from, to, path: &[ChannelId(0)] });
    }
    schedule
}

/// Two routers with two links, with the given pairing of channels.
fn double_link(links: [(u32, u32); 2]) -> Network {
    let mut builder = NetworkBuilder::new("double", 2);
    builder.channel(0, 1).channel(0, 1).channel(1, 0).channel(1, 0);
    for (one, other) in links {
        builder.join(ChannelId(one), ChannelId(other));
    }
    builder.processor_on_each_router();
    builder.build().unwrap()
}

#[test]
fn a_rotation_brings_a_ring_to_itself() {
    let ring = ring(4);
    let problem = scatter(&ring, 4, Model::default());
    let turned = |number: u32| (number + 1) % 4;
    let rotation = Renumbering {
        routers: (0..4).map(|r| RouterId(turned(r))).collect(),
        processors: processors((0..4).map(turned)),
    };
    let image = rotation.schedule(&problem, &one_by_one(&problem), &problem).unwrap();
    let first = image.step(0).next().unwrap();
    assert_eq!((first.from, first.to), (ProcessorId(1), ProcessorId(2)));
    assert_eq!(ring.channel(first.path[0]), ring.channel(ChannelId(2)));
}

#[test]
fn another_network_collective_or_model_has_no_image() {
    let ring = ring(4);
    let identity = Renumbering::identity(&ring);
    let model = Model::default();
    let one_port = Model { ports: Ports::Limited(1), ..model };
    let whole = scatter(&ring, 4, model);
    let (path, larger) = (path(4), self::ring(5));
    let fat = ring.clone().with_fat_nodes(2).unwrap();
    for (what, from, to) in [
        ("smaller", scatter(&path, 4, model), whole.clone()),
        ("larger", scatter(&larger, 5, model), whole.clone()),
        ("larger, with the same processors", scatter(&larger, 4, model), whole.clone()),
        ("more processors", scatter(&fat, 8, model), whole.clone()),
        ("into a smaller", whole.clone(), scatter(&path, 4, model)),
        ("into a larger", whole.clone(), scatter(&larger, 4, model)),
        ("fewer messages", scatter(&ring, 3, model), whole.clone()),
        ("more messages", whole.clone(), scatter(&ring, 3, model)),
        ("model", scatter(&ring, 4, one_port), whole.clone()),
    ] {
        let schedule = one_by_one(&from);
        assert_eq!(identity.schedule(&from, &schedule, &to), None, "{what}");
    }
    assert!(identity.schedule(&whole, &one_by_one(&whole), &whole).is_some());
    // A schedule of a different problem.
    let foreign = one_by_one(&scatter(&larger, 5, model));
    assert_eq!(identity.schedule(&whole, &foreign, &whole), None);
}

#[test]
fn incomplete_renumberings_have_no_image() {
    let ring = ring(4);
    let identity = Renumbering::identity(&ring);
    let group = processors(2..5);
    assert_eq!(identity.processor(ProcessorId(4)), None);
    assert_eq!(identity.group(&group), None);
    let collective = Collective::between(Kind::Broadcast, "oab", processors([0]), group.clone());
    assert_eq!(identity.collective(&collective), None);
    let list = vec![ListedMessage { from: ProcessorId(0), to: group }];
    assert_eq!(identity.collective(&Collective::listed("list", list)), None);
}

#[test]
fn links_become_links() {
    let (crossed, straight) = (double_link([(0, 3), (1, 2)]), double_link([(0, 2), (1, 3)]));
    let identity = Renumbering::identity(&crossed);
    let images = identity.channels(&crossed, &straight).unwrap();
    for channel in (0..4).map(ChannelId) {
        let image = images[channel.index()];
        assert_eq!(crossed.channel(channel), straight.channel(image));
        let opposite = crossed.opposite(channel).map(|other| images[other.index()]);
        assert_eq!(opposite, straight.opposite(image), "channel {channel}");
    }
    // Also with the routers swapped, where the lower channel of a link comes from the higher
    // router.
    let swapped =
        Renumbering { routers: vec![RouterId(1), RouterId(0)], processors: processors([1, 0]) };
    let images = swapped.channels(&crossed, &straight).unwrap();
    let mut sorted = images.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3].map(ChannelId));
    assert_eq!(straight.opposite(images[0]), Some(images[3]));
}

#[test]
fn switches_that_copy_become_switches_that_copy() {
    let star = |copying: &[u32]| {
        let mut builder = NetworkBuilder::new("stars", 4);
        builder.link(0, 2).link(1, 2).link(0, 3).link(1, 3);
        builder.processor(Some(0)).processor(Some(1)).multicast(copying.to_vec());
        builder.build().unwrap()
    };
    let swapped = Renumbering {
        routers: [0, 1, 3, 2].map(RouterId).to_vec(),
        processors: processors([0, 1]),
    };
    let identity = Renumbering::identity(&star(&[]));
    assert!(identity.maps(&star(&[2]), &star(&[2])) && swapped.maps(&star(&[2]), &star(&[3])));
    assert!(swapped.maps(&star(&[2, 3]), &star(&[3, 2])));
    assert!(!identity.maps(&star(&[2]), &star(&[3])) && !swapped.maps(&star(&[2]), &star(&[2])));
    assert!(!identity.maps(&star(&[]), &star(&[3])) && !identity.maps(&star(&[2, 3]), &star(&[3])));
}

#[test]
fn channels_without_links_are_another_network() {
    let ring = ring(4);
    let mut builder = NetworkBuilder::new("directed", 4);
    for channel in ring.channels() {
        builder.channel(channel.tail.0, channel.head.0);
    }
    builder.processor_on_each_router();
    let directed = builder.build().unwrap();
    let identity = Renumbering::identity(&ring);
    for duplex in [Duplex::Half, Duplex::Full] {
        let model = Model { duplex, ..Model::default() };
        let (linked, single) = (scatter(&ring, 4, model), scatter(&directed, 4, model));
        assert_eq!(identity.schedule(&linked, &one_by_one(&linked), &single), None);
        assert_eq!(identity.schedule(&single, &one_by_one(&single), &linked), None);
        assert_eq!(linked.is_on(&directed), duplex == Duplex::Full);
    }
    assert!(!ring.is_same_as(&directed) && ring.has_same_channels_as(&directed));
}
