//! Networks with other labels: their entries are found, mapped and judged again.

use crate::common::{copy, repository, shuffled};
use pavane_atlas::{Atlas, AtlasModel, AtlasQuery};
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Model, Network, NetworkBuilder, Ports, Problem, Switching};
use pavane_networks::topology::build;

fn problems(network: &Network, name: &str, groups: &Groups, model: Model) -> Vec<Problem> {
    let phases = collective::build(name, network, groups).expect(name);
    let problem = |phase| Problem::new(network.clone(), phase, model).expect(name);
    phases.into_iter().map(problem).collect()
}

fn query<'a>(network: &'a Network, phases: Option<&'a [Problem]>) -> AtlasQuery<'a> {
    AtlasQuery { network, phases, model: None, bytes: None }
}

#[test]
fn the_schedule_of_a_shuffled_network_is_found_and_valid() {
    let atlas = Atlas::open(&repository()).unwrap();
    for name in ["hypercube:7", "torus:8x8", "kautz:3,3", "dgx-1v", "octagon:8@2", "fat-tree:4"] {
        let network = shuffled(&build(name).unwrap(), 7);
        for kind in ["all-to-all", "broadcast", "scatter"] {
            let groups = Groups {
                root: collective::has_root(kind).then(|| "3".into()),
                ..Groups::default()
            };
            let phases = problems(&network, kind, &groups, Model::default());
            let steps =
                AtlasQuery { model: Some(AtlasModel::Steps), ..query(&network, Some(&phases)) };
            let found = atlas.search(&steps).unwrap();
            // Some networks have several orbits of routers, so that the root may be another one.
            let Some(first) = found.matches.first() else {
                assert!(kind != "all-to-all" && !found.near.is_empty(), "{name} {kind}");
                continue;
            };
            let mapped = atlas.mapped(first, &network).unwrap();
            assert_eq!(mapped.value(), first.entry.value, "{name} {kind}");
            assert_eq!(mapped.problems(), phases.iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn every_model_is_mapped_with_its_bound() {
    let atlas = Atlas::open(&repository()).unwrap();
    for id in [
        "tdm-torus-4x4",
        "tdm-mesh-4x4",
        "throughput-dgx-1v-all-gather",
        "throughput-dgx-1v-all-reduce",
        "throughput-hypercube-3-all-to-all",
        "dgx-1v-all-gather-minimize-time-bytes-1000000",
        "ndv2-2-broadcast-minimize-time-bytes-1000000",
        "mesh-4x4-transpose",
        "kautz-3-2-aas-fault-01-10",
    ] {
        let entry = atlas.find(id).unwrap();
        let (_, own) = entry.problem.network(atlas.folder()).unwrap();
        let network = shuffled(&own, 3);
        let found = atlas.search(&query(&network, None)).unwrap();
        let one = found.matches.iter().find(|one| one.entry.id == id).expect(id);
        let mapped = atlas.mapped(one, &network).unwrap();
        assert_eq!((mapped.value(), mapped.bound()), (entry.value, entry.bound), "{id}");
    }
}

#[test]
fn an_entry_that_does_not_fit_says_why() {
    let folder = copy(&["mesh-4x4-aas", "throughput-dgx-1v-all-gather"]);
    let atlas = Atlas::open(folder.path()).unwrap();
    let reason = |network: &Network, kind: &str, model: Model| {
        let phases = problems(network, kind, &Groups::default(), model);
        let found = atlas.search(&query(network, Some(&phases))).unwrap();
        assert!(found.matches.is_empty());
        found.near.first().map(|one| one.reason.clone()).unwrap_or_default()
    };
    let mesh = build("mesh:4x4").unwrap();
    let one_port = Model { ports: Ports::Limited(1), ..Model::default() };
    let stored = Model { switching: Switching::StoreAndForward, ..Model::default() };
    let half = Model { duplex: Duplex::Half, ..Model::default() };
    for model in [one_port, stored, half] {
        let found = reason(&mesh, "all-to-all", model);
        assert!(found.contains("its rules are"), "{found}");
    }
    let found = reason(&mesh, "broadcast", Model::default());
    assert!(found.contains("its collective is aas, not broadcast"), "{found}");
    let fat = build("mesh:4x4@2").unwrap();
    let found = reason(&fat, "all-to-all", Model::default());
    assert!(found.contains("its processors are on other routers"), "{found}");
    assert_eq!(reason(&build("torus:4x4").unwrap(), "all-to-all", Model::default()), "");
    let slow = build("dgx-1v").unwrap().with_timing(Some(pavane_model::Fraction::from(7)), None);
    let found = reason(&slow.unwrap(), "all-gather", Model::default());
    assert!(found.contains("other bandwidths"), "{found}");
}

#[test]
fn processors_on_other_routers_are_told_apart_from_other_networks() {
    let folder = copy(&["mesh-4x4-aas"]);
    let atlas = Atlas::open(folder.path()).unwrap();
    let mesh = build("mesh:4x4").unwrap();
    let mut builder = NetworkBuilder::new("moved", 16);
    for channel in mesh.channels().iter().filter(|channel| channel.tail < channel.head) {
        builder.link(channel.tail.0, channel.head.0);
    }
    for processor in 0..16u32 {
        builder.processor(Some(processor / 2));
    }
    let moved = builder.build().unwrap();
    let found = atlas.search(&query(&moved, None)).unwrap();
    assert!(found.matches.is_empty());
    assert_eq!(found.near[0].reason, "its processors are on other routers");
}
