//! Known bounds: the largest of all arguments is exactly this number.

use pavane_model::collective::{self, Groups};
use pavane_model::{
    Bound, ChannelId, Collective, Duplex, Fault, ListedMessage, Model, Network, Ports, Problem,
    ProcessorId, RouterId, Routing, Switching,
};
use pavane_networks::topology;
use pavane_search::bounds;
use pavane_verify::check_bound;

/// Parses rules such as `sf`, `any`, `half` and `1-port`, where they differ from the defaults.
fn model(rules: &str) -> Model {
    let mut model = Model::default();
    for rule in rules.split_whitespace() {
        match rule {
            "sf" => model.switching = Switching::StoreAndForward,
            "any" => model.routing = Routing::Any,
            "half" => model.duplex = Duplex::Half,
            ports => {
                let ports = ports.strip_suffix("-port").expect("a rule or a number of ports");
                model.ports = Ports::Limited(ports.parse().expect("the table is sound"));
            }
        }
    }
    model
}

fn best(network: Network, name: &str, groups: &Groups, rules: &str) -> Bound {
    let mut phases = collective::build(name, &network, groups).expect("the table is sound");
    let problem =
        Problem::new(network, phases.remove(0), model(rules)).expect("the table is sound");
    best_of(&problem)
}

/// The best bound; the judge must derive all of them.
fn best_of(problem: &Problem) -> Bound {
    let found = bounds::all(problem).expect("the judge passes our bounds");
    for bound in &found.bounds {
        assert_eq!(check_bound(problem, bound), Ok(bound.steps), "{bound:?}");
    }
    found.best
}

fn from(root: &str) -> Groups {
    Groups { root: Some(root.to_owned()), ..Groups::default() }
}

fn between(senders: &str, receivers: &str) -> Groups {
    let (senders, receivers) = (Some(senders.to_owned()), Some(receivers.to_owned()));
    Groups { senders, receivers, ..Groups::default() }
}

/// Network, and the bounds of broadcast (OAB) under wormhole, all-gather (AAB) under
/// store-and-forward, and scatter (OAS) and all-to-all (AAS) under wormhole; the root is processor
/// 0.
const HEALTHY: &[(&str, u32, u32, u32, u32)] = &[
    ("hypercube:3", 2, 3, 3, 4),
    ("hypercube:4", 2, 4, 4, 8),
    ("hypercube:5", 2, 7, 7, 16),
    ("hypercube:6", 3, 11, 11, 32),
    ("hypercube:7", 3, 19, 19, 64),
    ("mesh:4x4", 3, 8, 8, 16),
    ("kautz:3,2", 2, 4, 4, 7),
    ("octagon:8", 2, 3, 3, 4),
    ("petersen", 2, 3, 3, 5),
    ("torus:4x4", 2, 4, 4, 8),
    ("torus:8x8", 3, 16, 16, 64),
    ("ring:8", 2, 4, 4, 8),
];

#[test]
fn healthy_networks() {
    for &(name, oab, aab, oas, aas) in HEALTHY {
        let network = topology::build(name).unwrap();
        for (collective, rules, steps) in
            [("oab", "", oab), ("aab", "sf", aab), ("oas", "", oas), ("aas", "", aas)]
        {
            let root = if collective.starts_with('o') { from("p0") } else { Groups::default() };
            for routing in ["", "any"] {
                let rules = format!("{rules} {routing}");
                let bound = best(network.clone(), collective, &root, &rules);
                assert_eq!(bound.steps, steps, "{name} {collective} {rules}: {bound:?}");
            }
        }
    }
}

/// Network, collective, root or senders, receivers, rules, steps and the name of the argument.
type Line =
    (&'static str, &'static str, &'static str, &'static str, &'static str, u32, &'static str);

const ONE_CORE_EACH: &str = "0,2,4,6,8,10,12,14";
const OTHER_CORES: &str = "1,3,5,7,9,11,13,15";

#[rustfmt::skip]
const KNOWN: &[Line] = &[
    // Broadcast and scatter from a side or the middle of a mesh.
    ("mesh:4x4", "oab", "p1", "", "", 2, "growth"),
    ("mesh:4x4", "oab", "p5", "", "", 2, "growth"),
    ("mesh:4x4", "oas", "p1", "", "any", 5, "send"),
    ("mesh:4x4", "oas", "p5", "", "", 4, "send"),
    // On shortest paths too many messages must use one of the three channels.
    ("mesh:4x4", "oas", "p1", "", "", 6, "congestion"),
    // Backward: a gather is a scatter in reverse.
    ("mesh:4x4", "aog", "p0", "", "", 8, "send"),
    ("mesh:4x4", "aor", "p0", "", "", 3, "growth"),
    ("mesh:4x4", "aar", "", "", "sf", 8, "receive"),
    // The diameter, under store-and-forward.
    ("hypercube:4", "oab", "p0", "", "sf", 4, "growth"),
    ("path:6", "oab", "p0", "", "sf", 5, "growth"),
    ("path:6", "oas", "p0", "", "sf", 5, "send"),
    // One port.
    ("mesh:4x4", "aab", "", "", "1-port", 15, "receive"),
    ("mesh:4x4", "aas", "", "", "1-port", 16, "cut"),
    ("coated-mesh:4x4", "aab", "", "", "1-port", 15, "receive"),
    ("coated-mesh:4x4", "aas", "", "", "1-port", 16, "distance"),
    ("mesh:3x3", "aab", "", "", "sf 1-port", 10, "independent-set"),
    ("path:9", "aab", "", "", "sf 1-port", 13, "relay"),
    ("tree:2,3", "aab", "", "", "sf 1-port", 33, "relay"),
    ("tree:2,4", "aab", "", "", "sf 1-port", 67, "relay"),
    ("tree:3,3", "aab", "", "", "sf 1-port", 124, "relay"),
    // Within seven steps 104 routers can know the message, within eight 192.
    ("random-regular:100,4,7", "oab", "p0", "", "sf 1-port", 7, "growth"),
    ("random-regular:256,4,1", "oab", "p0", "", "sf 1-port", 9, "neighbour-growth"),
    // In the last step a message must enter a router once for each of its processors.
    ("mesh:4x4@2", "aab", "", "", "sf half", 21, "late-entry"),
    ("torus:4x4@3", "aab", "", "", "half", 24, "late-entry"),
    // A single link connects five of its routers to the others.
    ("random-regular:16,3,5", "aab", "", "", "sf", 13, "cut-queue"),
    ("random-regular:16,3,5", "aab", "", "", "sf 2-port half", 18, "cut-queue"),
    ("random-regular:16,3,5", "aab", "", "", "", 12, "cut-queue"),
    ("mesh:5x5", "aab", "", "", "sf 1-port", 26, "independent-set"),
    ("star:9", "aab", "", "", "sf 1-port", 64, "independent-set"),
    ("hypercube:3", "aas", "", "", "sf 1-port", 12, "port-distance"),
    // Every router of a binary tree sends to its two children, one after the other.
    ("tree:2,3", "oab", "p0", "", "sf 1-port", 6, "branches"),
    // Over three half-duplex links a router passes one message per step.
    ("tree:2,3", "aas", "", "", "half", 114, "separator"),
    ("k-ary-n-tree:3,3", "aas", "", "", "half", 54, "separator"),
    // Fat nodes and groups.
    ("octagon:8@2", "aab", "", "", "1-port", 15, "receive"),
    ("octagon:8@2", "aas", "", "", "1-port", 16, "cut"),
    ("octagon:8@2", "mnb", ONE_CORE_EACH, "all", "1-port", 8, "receive"),
    ("octagon:8@2", "mns", ONE_CORE_EACH, "all", "1-port", 15, "send"),
    ("octagon:8@2", "mnb", ONE_CORE_EACH, ONE_CORE_EACH, "1-port", 7, "receive"),
    ("octagon:8@2", "mns", ONE_CORE_EACH, ONE_CORE_EACH, "1-port", 7, "receive"),
    ("octagon:8@2", "mnb", ONE_CORE_EACH, OTHER_CORES, "1-port", 8, "receive"),
    ("octagon:8@2", "mns", ONE_CORE_EACH, OTHER_CORES, "1-port", 8, "receive"),
    // Every processor has three ports, but in the first step two cores have only one message each
    // to exchange.
    ("octagon:8@2", "aab", "", "", "", 6, "joint-growth"),
    ("hypercube:3@2", "aab", "", "", "", 6, "joint-growth"),
    // 4 + 8 + 16 + 32 + 32 sends in five steps are fewer than 124 deliveries.
    ("hypercube:5", "mnb", "0-3", "all", "1-port", 6, "joint-growth"),
    ("torus:8x8", "mnb", "0-7", "all", "", 4, "joint-growth"),
    // One step per level, although the ports alone would allow four steps.
    ("tree:2,5", "oab", "p0", "", "", 5, "nested-growth"),
    // On a path of seven the middle processor forwards 9 messages in each direction and receives 6.
    ("path:7", "aas", "", "", "sf 1-port", 24, "relay"),
    // Half duplex: the 32 links of the hypercube carry 512 hops.
    ("hypercube:4", "aas", "", "", "half", 16, "distance"),
];

#[test]
fn known_results_with_their_reasons() {
    for &(name, collective, senders, receivers, rules, steps, reason) in KNOWN {
        let groups = match (senders, receivers) {
            ("", "") => Groups::default(),
            (root, "") => from(root),
            (senders, receivers) => between(senders, receivers),
        };
        let bound = best(topology::build(name).unwrap(), collective, &groups, rules);
        let line = format!("{name} {collective} {senders} {receivers} {rules}: {bound:?}");
        assert_eq!((bound.steps, &bound.reason[..]), (steps, reason), "{line}");
    }
}

/// Network, number of broadcasts from processor 0, rules, steps and the name of the argument.
const SEVERAL_BROADCASTS: &[(&str, usize, &str, u32, &str)] = &[
    // m - 1 + log2 P with one port.
    ("hypercube:3", 4, "1-port", 6, "send-growth"),
    ("complete:16", 10, "1-port", 13, "send-growth"),
    // Two messages start at a time, and the holders of each triple in every step.
    ("complete:9", 7, "2-port", 5, "send-growth"),
    // The last message still has nine hops to go.
    ("path:10", 5, "sf", 13, "ball"),
];

#[test]
fn several_broadcasts_from_one_processor() {
    for &(name, copies, rules, steps, reason) in SEVERAL_BROADCASTS {
        let network = topology::build(name).unwrap();
        let mut all: Vec<ProcessorId> = network.living_processors().collect();
        let message = ListedMessage { from: all.remove(0), to: all };
        let collective = Collective::listed("several broadcasts", vec![message; copies]);
        let bound = best_of(&Problem::new(network, collective, model(rules)).unwrap());
        let line = format!("{name} {copies} {rules}: {bound:?}");
        assert_eq!((bound.steps, &bound.reason[..]), (steps, reason), "{line}");
    }
}

#[test]
fn kautz_network_without_one_channel() {
    let network = topology::build("kautz:3,2").unwrap();
    let start = network.find_router("01").unwrap();
    for &channel in network.channels() {
        let fault = Fault::Channel(channel.tail, channel.head);
        let broken = network.without(&[fault]).unwrap();
        let leaves_start = channel.tail == start;
        let check = |collective: &str, groups: &Groups, rules: &str, steps: u32| {
            let bound = best(broken.clone(), collective, groups, rules);
            assert_eq!(bound.steps, steps, "{fault:?} {collective} {rules}: {bound:?}");
        };
        check("oab", &from("01"), "", if leaves_start { 3 } else { 2 });
        check("aab", &Groups::default(), "sf", 6);
        check("oas", &from("01"), "any", if leaves_start { 6 } else { 4 });
        let is_narrow = ["02", "03"].map(|name| network.find_router(name).unwrap());
        let is_narrow =
            network.router_name(channel.tail) == "10" && is_narrow.contains(&channel.head);
        check(
            "oas",
            &from("01"),
            "",
            if leaves_start {
                6
            } else if is_narrow {
                5
            } else {
                4
            },
        );
        check("aas", &Groups::default(), "", 9);
        check("aas", &Groups::default(), "any", 8);
    }
}

fn degree(network: &Network, router: RouterId) -> usize {
    network.out_channels(router).len()
}

#[test]
fn mesh_without_one_link() {
    let network = topology::build("mesh:4x4").unwrap();
    for (index, &channel) in network.channels().iter().enumerate() {
        if network.opposite(ChannelId(index as u32)) < Some(ChannelId(index as u32)) {
            continue;
        }
        let broken = network.without(&[Fault::Link(channel.tail, channel.head)]).unwrap();
        let is_at_corner =
            [channel.tail, channel.head].iter().any(|&router| degree(&network, router) == 2);
        let (low, high) = (channel.tail.0.min(channel.head.0), channel.tail.0.max(channel.head.0));
        let is_on_middle_cut = if high - low == 1 { low % 4 == 1 } else { low / 4 == 1 };
        let check = |collective: &str, groups: &Groups, rules: &str, steps: u32| {
            let bound = best(broken.clone(), collective, groups, rules);
            assert_eq!(bound.steps, steps, "{low}-{high} {collective}: {bound:?}");
        };
        check("oab", &from("p0"), "", 3);
        check("aab", &Groups::default(), "sf", if is_at_corner { 15 } else { 8 });
        for routing in ["", "any"] {
            check("aas", &Groups::default(), routing, if is_on_middle_cut { 22 } else { 16 });
        }
    }
}

#[test]
fn mesh_without_one_router() {
    let network = topology::build("mesh:4x4").unwrap();
    for router in network.routers() {
        let broken = network.without(&[Fault::Router(router)]).unwrap();
        let is_corner = degree(&network, router) == 2;
        let is_beside_corner = degree(&network, router) == 3;
        let check = |collective: &str, rules: &str, steps: u32| {
            let bound = best(broken.clone(), collective, &Groups::default(), rules);
            assert_eq!(bound.steps, steps, "without {router} {collective}: {bound:?}");
        };
        check("aab", "sf", if is_beside_corner { 14 } else { 7 });
        check("aas", "any", if is_corner { 14 } else { 19 });
    }
}
