//! Every network that is written reads back as the same network.

use super::FORMATS;
use crate::description::{Description, Edge, Form};
use crate::import::{self, FileKind};
use crate::topology;
use pavane_model::network::{Network, NetworkBuilder, Timing};
use pavane_model::{ChannelId, Fault, RouterId};
use proptest::collection::vec;
use proptest::prelude::*;

fn written(network: &Network, format: &str) -> String {
    let (_, write) = FORMATS.iter().find(|(name, _)| *name == format).unwrap();
    let mut bytes = Vec::new();
    write(network, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn assert_comes_back(network: &Network) {
    for (format, kind) in
        [("json", FileKind::Json), ("dot", FileKind::Dot), ("graphml", FileKind::GraphMl)]
    {
        let text = written(network, format);
        let back = import::parse(&text, "file", kind).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(&back, network, "{text}");
    }
}

#[test]
fn named_networks_come_back() {
    for spec in ["ring:5", "mesh:2x3", "kautz:2,2", "coated-mesh:2x3", "octagon:8@2", "path:2"] {
        assert_comes_back(&topology::build(spec).unwrap());
    }
}

#[test]
fn broken_networks_come_back() {
    let torus = topology::build("torus:3x3@2").unwrap();
    let faults = ["0,0-0,1", "1,1>1,2", "2,2"].map(|text| Fault::parse(&torus, text).unwrap());
    let broken = torus.without(&faults).unwrap();
    assert!(broken.is_lost(RouterId(8)));
    assert_comes_back(&broken);
}

#[test]
fn json_is_short_where_the_network_is_simple() {
    let expected = r#"{
  "format": "pavane/network/1",
  "name": "ring:3",
  "routers": 3,
  "links": [[0,1],[1,2],[2,0]],
  "channels": [],
  "processors": "each"
}
"#;
    assert_eq!(written(&topology::build("ring:3").unwrap(), "json"), expected);
}

#[test]
fn xml_refuses_what_it_cannot_hold() {
    let network = topology::build("ring:3").unwrap().named("a\u{1}b");
    let (_, write) = FORMATS.iter().find(|(name, _)| *name == "graphml").unwrap();
    assert!(write(&network, &mut Vec::new()).unwrap_err().to_string().contains("XML"));
}

fn timing() -> impl Strategy<Value = Timing> {
    let time = || proptest::option::weighted(0.3, 0.001f64..1e9);
    (time(), time())
        .prop_map(|(latency_ns, bandwidth_gbytes)| Timing { latency_ns, bandwidth_gbytes })
}

/// Arbitrary networks: parallel and one-way channels, links whose channels have distant numbers,
/// names with special characters, switches, fat nodes, lost routers and processors.
fn network() -> impl Strategy<Value = Network> {
    let edge = (any::<u32>(), any::<u32>(), 0..3u32, timing());
    let parts = (
        1..9u32,
        vec(edge, 0..14),
        vec(proptest::option::weighted(0.9, any::<u32>()), 1..12),
        proptest::option::of("[ -~é\n\t\r]{0,6}"),
        "[ -~\\\\\"'<&\r\n]{0,9}",
        vec("[0-9]{1,3}[->][0-9]{1,3}", 0..3),
        vec(any::<u32>(), 0..2),
        proptest::bool::weighted(0.5),
    );
    parts.prop_filter_map(
        "no processor is left",
        |(routers, edges, homes, word, name, faults, lost, copies)| {
            let mut builder = NetworkBuilder::new(name, routers);
            let mut loose: Vec<(u32, u32, ChannelId)> = Vec::new();
            let mut joined: Vec<u32> = Vec::new();
            for (tail, head, form, timing) in edges {
                let (tail, head) = (tail % routers, head % routers);
                if tail == head {
                    continue;
                }
                joined.extend([tail, head]);
                match form {
                    0 => builder.link(tail, head),
                    _ => builder.channel(tail, head),
                };
                if timing != Timing::default() {
                    builder.timing(timing);
                }
                let number = ChannelId(builder.channel_count() as u32 - 1);
                let opposite = loose.iter().position(|&(a, b, _)| (b, a) == (tail, head));
                match (form, opposite) {
                    (2, Some(at)) => {
                        builder.join(loose.remove(at).2, number);
                    }
                    (2, None) => loose.push((tail, head, number)),
                    _ => {}
                }
            }
            let homes: Vec<Option<u32>> =
                homes.into_iter().map(|home| home.map(|router| router % routers)).collect();
            let is_switch = |router: &u32| !homes.contains(&Some(*router));
            if copies {
                builder.multicast(
                    (0..routers).filter(is_switch).filter(|r| joined.contains(r)).collect(),
                );
            }
            for home in homes {
                builder.processor(home);
            }
            if let Some(word) = word {
                builder.router_names(
                    (0..routers).map(|router| format!("{word}{}", routers - router)).collect(),
                );
            }
            builder.faults(faults);
            let lost: Vec<RouterId> =
                lost.into_iter().map(|router| RouterId(router % routers)).collect();
            builder.build().ok()?.without_parts(&[], &lost, Vec::new()).ok()
        },
    )
}

proptest! {
    #[test]
    fn any_network_comes_back(network in network()) {
        assert_comes_back(&network);
    }

    #[test]
    fn a_description_keeps_everything(network in network()) {
        prop_assert_eq!(&Description::of(&network).build().unwrap(), &network);
    }
}

#[test]
fn link_numbers_must_join_two_opposite_channels() {
    let edge = |tail, head, link| Edge {
        tail,
        head,
        form: Form::Channel { link },
        timing: Timing::default(),
    };
    for (edges, expected) in [
        (vec![edge(0, 1, Some(3)), edge(1, 0, None)], "link 3 has 1 channel;"),
        (vec![edge(0, 1, Some(0)), edge(0, 1, Some(0))], "two channels that are not opposite"),
        (vec![edge(0, 1, Some(0)), edge(1, 0, Some(0)), edge(1, 0, Some(0))], "has 3 channels"),
    ] {
        let homes = vec![Some(0)];
        let description = Description { routers: 2, edges, homes, ..Description::default() };
        let error = description.build().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn switches_that_copy_come_back() {
    let mut builder = NetworkBuilder::new("two levels", 5);
    builder.link(0, 3).link(1, 3).link(2, 4).link(3, 4);
    (0..3).for_each(|router| _ = builder.processor(Some(router)));
    let plain = builder.clone().build().unwrap();
    let network = builder.multicast(vec![4, 3]).clone().build().unwrap();
    assert_eq!(network.multicast(), [3, 4].map(RouterId));
    assert!(!network.is_multicast(RouterId(0)) && !network.is_same_as(&plain));
    assert_comes_back(&network);
    assert!(written(&network, "json").contains("\"multicast\": [3,4]"));
    let broken = network.without(&[Fault::Link(RouterId(2), RouterId(4))]).unwrap();
    assert_eq!(broken.multicast(), network.multicast());
    let broken = network.without(&[Fault::Router(RouterId(4))]).unwrap();
    assert_eq!(broken.multicast(), [RouterId(3)]);
    assert_comes_back(&broken);
}

#[test]
fn positions_come_back() {
    let mut builder = NetworkBuilder::new("placed", 3);
    builder.link(0, 1).link(1, 2).processor_on_each_router();
    builder.positions(vec![(0.0, 0.5), (-1.25, 2.0), (3.0, 0.0)]);
    let network = builder.build().unwrap();
    assert_eq!(network.positions().len(), 3);
    assert_comes_back(&network);
    assert_eq!(network.without(&[Fault::Router(RouterId(2))]).unwrap().positions().len(), 3);
}
