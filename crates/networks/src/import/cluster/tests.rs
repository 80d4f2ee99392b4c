//! Composed clusters: the example of the documentation, the named machines rebuilt, and mistakes.

use crate::import::{FileKind, parse};
use crate::topology;
use pavane_model::{Fraction, Network, RouterId};

const EXAMPLE: &str = include_str!("../../../../../docs/rail-fat-tree.toml");

fn compose(text: &str) -> Result<Network, String> {
    parse(text, "cluster.toml", FileKind::Toml).map_err(|error| error.to_string())
}

fn find(network: &Network, name: &str) -> RouterId {
    network.find_router(name).expect(name)
}

/// The ends, bandwidth and latency of every channel, sorted.
fn channels(network: &Network) -> Vec<(u32, u32, Fraction, Fraction)> {
    let timings = network.bandwidths().unwrap().into_iter().zip(network.latencies().unwrap());
    let mut channels: Vec<_> = network
        .channels()
        .iter()
        .zip(timings)
        .map(|(c, (b, l))| (c.tail.0, c.head.0, b, l))
        .collect();
    channels.sort_unstable();
    channels
}

#[test]
fn the_example_is_four_boxes_on_a_rail_optimised_fat_tree() {
    let network = compose(EXAMPLE).unwrap();
    assert_eq!(network.name(), "4 boxes on rails");
    assert_eq!((network.processor_count(), network.router_count()), (32, 4 * 17 + 8 + 4));
    assert_eq!(network.channel_count(), 4 * 8 * (2 + 2 + 2) + 8 * 4 * 2);
    let degree = |name: &str| network.out_channels(find(&network, name)).len();
    for (name, expected) in
        [("box3/gpu5", 2), ("box0/nvswitch", 8), ("box2/nic7", 2), ("leaf7", 8), ("spine3", 8)]
    {
        assert_eq!(degree(name), expected, "{name}");
    }
    let bandwidths = network.bandwidths().unwrap();
    let latencies = network.latencies().unwrap();
    for (from, to, bandwidth, latency) in [
        ("box3/gpu5", "box3/nvswitch", "450", "400"),
        ("box3/gpu5", "box3/nic5", "50", "600"),
        ("box3/nic5", "leaf5", "50", "300"),
        ("leaf5", "spine2", "50", "300"),
    ] {
        let (tail, head) = (find(&network, from), find(&network, to));
        let found: Vec<_> = network.channels_between(tail, head).collect();
        let [channel] = found[..] else { panic!("{from} -> {to}: {found:?}") };
        assert!(network.opposite(channel).is_some());
        assert_eq!(bandwidths[channel.index()].to_string(), bandwidth, "{from} -> {to}");
        assert_eq!(latencies[channel.index()].to_string(), latency, "{from} -> {to}");
    }
    assert_eq!(network.positions().len(), 80);
    assert!(network.multicast().is_empty());
    assert_eq!(network.home(pavane_model::ProcessorId(13)), Some(find(&network, "box1/gpu5")));
}

#[test]
fn named_machines_can_be_composed() {
    let nics = "nics = [{ routers = [0, 1, 2, 3, 4, 5, 6, 7], bandwidth_gbytes = ";
    let h100 = format!(
        "[[boxes]]\nmachine = \"dgx-h100:1\"\ncount = 4\n{nics}50 }}]\n[fabric]\nlevels = [{{}}, \
         {{switches = 1, bandwidth_gbytes = 200}}]\n"
    );
    let a100 = format!(
        "[[boxes]]\nmachine = \"dgx-a100:1\"\ncount = 4\n{nics}25 }}]\n[fabric]\nlevels = \
         [{{switches = 2}}]\n"
    );
    for (text, spec) in [(h100, "dgx-h100:4"), (a100, "dgx-a100:4")] {
        let (composed, named) = (compose(&text).unwrap(), topology::build(spec).unwrap());
        assert_eq!(channels(&composed), channels(&named), "{spec}");
        let homes = |network: &Network| {
            network.living_processors().map(|p| network.home(p)).collect::<Vec<_>>()
        };
        assert_eq!(homes(&composed), homes(&named), "{spec}");
        assert_eq!(composed.router_name(RouterId(9)), "box1/gpu1");
    }
}

#[test]
fn boxes_of_different_kinds_on_a_fat_tree_in_pods() {
    let text = r#"
        [[boxes]]
        names = ["a", "b"]
        nics = [{ router = "host", bandwidth_gbytes = 12.5 }, { router = "card", bandwidth_gbytes = 25, rail = 1 }]
        [boxes.network]
        routers = ["host", "card", "hub"]
        links = [{ from = "host", to = "hub", bandwidth_gbytes = 32 }]
        channels = [{ from = "card", to = "hub", bandwidth_gbytes = 16, link = 1 }, { from = "hub", to = "card", bandwidth_gbytes = 8, link = 1 }]
        processors = ["card", "host"]
        multicast = ["hub"]
        [[boxes]]
        machine = "complete:2"
        count = 2
        name = "pair"
        bandwidth_gbytes = 100
        nics = [{ router = 1, bandwidth_gbytes = 25 }]
        [fabric]
        attach = "box"
        [[fabric.levels]]
        switches = 4
        pods = 2
        [[fabric.levels]]
        name = "aggregation"
        switches = 4
        pods = 2
        bandwidth_gbytes = 25
        [[fabric.levels]]
        switches = 2
        planes = 2
        bandwidth_gbytes = 50
        links = 2
        multicast = true
    "#;
    let network = compose(text).unwrap();
    assert_eq!((network.processor_count(), network.router_count()), (8, 3 + 3 + 2 + 2 + 6 + 10));
    let between = |a: &str, b: &str| {
        let (a, b) = (find(&network, a), find(&network, b));
        let speed = |c| network.timing(c).bandwidth_gbytes.unwrap();
        network.channels_between(a, b).map(speed).collect::<Vec<f64>>()
    };
    assert_eq!(between("a/card", "a/hub"), [16.0]);
    assert_eq!(between("b/hub", "b/card"), [8.0]);
    assert_eq!(between("pair1/0", "pair1/1"), [100.0]);
    assert_eq!(between("a/nic1", "leaf0"), [25.0]);
    assert_eq!(between("b/nic0", "leaf1"), [12.5]);
    assert_eq!(between("pair0/nic0", "leaf2"), [25.0]);
    assert_eq!(between("pair1/nic0", "leaf3"), [25.0]);
    assert_eq!(between("leaf1", "aggregation0"), [25.0]);
    assert_eq!(between("leaf1", "aggregation2"), [] as [f64; 0]);
    assert_eq!(between("aggregation1", "spine1"), [50.0, 50.0]);
    assert_eq!(between("aggregation3", "spine1"), [50.0, 50.0]);
    assert_eq!(between("aggregation1", "spine0"), [] as [f64; 0]);
    let copying: Vec<String> =
        network.multicast().iter().map(|&router| network.router_name(router)).collect();
    assert_eq!(copying, ["a/hub", "b/hub", "spine0", "spine1"]);
    assert_eq!(network.home(pavane_model::ProcessorId(0)), Some(find(&network, "a/card")));
}

#[test]
fn the_switches_of_a_box_can_copy() {
    let network = compose("[[boxes]]\nmachine = \"dgx-h100:1\"\nmulticast = true").unwrap();
    assert_eq!(network.multicast(), [find(&network, "box0/nvswitch")]);
}

#[test]
fn mistakes_name_the_entry() {
    let nics = "nics = [{router = 0, bandwidth_gbytes = 25}]";
    let two = |fabric: &str| {
        format!(
            "[[boxes]]\nmachine = \"ring:4\"\ncount = 2\nbandwidth_gbytes = 9\n{nics}\n[fabric]\n{fabric}"
        )
    };
    let level = |fields: &str| two(&format!("levels = [{{}}, {{{fields}}}]"));
    for (text, part) in [
        ("boxes = []", "boxes: a cluster has at least one box"),
        ("format = \"x\"\n[[boxes]]\nmachine = \"ring:4\"", "line 1: format: its format is \"x\""),
        ("routers = 2\nboxes = []", "unknown field `routers`"),
        ("[[boxes]]\nmachine = \"ring:4\"\nnumber = 2", "line 3, column 1: unknown field `number`"),
        ("[[boxes]]\ncount = 2", "boxes[0]: give either `machine`"),
        (
            "[[boxes]]\nmachine = \"rang:4\"",
            "boxes[0]: machine: no network family is called \"rang\"",
        ),
        ("[[boxes]]\nmachine = \"ring:9999999\"", "boxes[0]: machine: ring:9999999 would have"),
        (
            "[[boxes]]\nnetwork = {routers = 2, links = [[0, 2]]}",
            "line 1: boxes[0]: network: links[0]: there is no router 2",
        ),
        ("[[boxes]]\nmachine = \"ring:4\"\ncount = 0", "boxes[0]: count is 0 (valid: 1 to 65536)"),
        (
            "[[boxes]]\nmachine = \"ring:4\"\ncount = 3\nnames = [\"a\"]",
            "boxes[0]: 1 name for 3 boxes",
        ),
        (
            "[[boxes]]\nmachine = \"ring:999\"\ncount = 60000",
            "boxes[0]: 60000 boxes with 59940000 routers and 59940000 links; the maximum",
        ),
        (
            "[[boxes]]\nmachine = \"ring:4\"\n[[boxes]]\nmachine = \"ring:4\"",
            "boxes[0]: several boxes need a [fabric]",
        ),
        (
            &format!(
                "[[boxes]]\nmachine = \"ring:4\"\n{nics}\n[[boxes]]\nmachine = \"ring:4\"\n{nics}\n[fabric]\nlevels = [{{}}]"
            ),
            "boxes[1]: two boxes are called \"box0\"; set `name` or `names`",
        ),
        (&format!("[[boxes]]\nmachine = \"ring:4\"\n{nics}"), "boxes[0]: NICs need a [fabric]"),
        ("[[boxes]]\nmachine = \"ring:4\"\n[fabric]\nlevels = [{}]", "boxes[0]: it has no nics"),
        (
            "[[boxes]]\nmachine = \"ring:4\"\nnics = [{router = 0}]",
            "missing field `bandwidth_gbytes`",
        ),
        (
            "[[boxes]]\nmachine = \"ring:4\"\nnics = [{router = 0, bandwidth_gbytes = 0}]",
            "boxes[0]: nics[0]: bandwidth_gbytes is 0",
        ),
        (
            "[[boxes]]\nmachine = \"ring:4\"\nnics = [{router = 4, bandwidth_gbytes = 1}]",
            "boxes[0]: nics[0]: the box has no router 4 (valid: 0 to 3)",
        ),
        (
            "[[boxes]]\nmachine = \"dgx-h100:1\"\nnics = [{routers = [0, \"gpu8\"], bandwidth_gbytes = 1}]",
            "nics[0]: no router of the box is called \"gpu8\" (it has gpu0 to nvswitch)",
        ),
        (
            "[[boxes]]\nmachine = \"ring:4\"\nnics = [{bandwidth_gbytes = 1}]",
            "nics[0]: give either `router`",
        ),
        ("[[boxes]]\nmachine = \"ring:4\"\nmulticast = true", "multicast: it has no switches"),
        (&two("levels = []"), "fabric: 0 levels (valid: 1 to 16)"),
        (&two("attach = \"ring\"\nlevels = []"), "unknown variant `ring`"),
        (&two("levels = [{switches = 2}]"), "levels[0]: more switches (2) than rails (1), so some"),
        (&two("levels = [{pods = 3}]"), "levels[0]: pods is 3 (valid: 1 to 2"),
        (&two("levels = [{planes = 1}]"), "levels[0]: `planes` needs a level of switches below"),
        (&two("levels = [{bandwidth_gbytes = -1}]"), "levels[0]: bandwidth_gbytes is -1"),
        (&two("levels = [{links = 0}]"), "levels[0]: links must be from 1 to 1024"),
        (&level("bandwidth_gbytes = 1"), "line 6: fabric: levels[1]: `switches` is missing"),
        (&level("switches = 1"), "levels[1]: `bandwidth_gbytes` is missing"),
        (
            &level("switches = 3, pods = 2, bandwidth_gbytes = 1"),
            "levels[1]: the number of switches, 3, cannot be divided into 2 pods",
        ),
        (
            &level("switches = 2, planes = 2, bandwidth_gbytes = 1"),
            "levels[1]: the number of switches below, 1, cannot be divided into 2 planes",
        ),
        (
            &level("switches = 65536, links = 1024, bandwidth_gbytes = 1"),
            "levels[1]: 67108864 links; the maximum is 4194304",
        ),
        (
            &level("switches = 1, bandwidth_gbytes = 1, latency_ns = 5"),
            "boxes[0]: no `latency_ns`, but other channels of the cluster have one",
        ),
        (
            &two("levels = [{}]").replace("bandwidth_gbytes = 9\n", ""),
            "boxes[0]: no `bandwidth_gbytes`, but other channels",
        ),
    ] {
        let error = compose(text).unwrap_err();
        assert!(error.starts_with("cluster.toml: "), "{error}");
        assert!(error.contains(part), "{text}\ngave {error}");
    }
}
