//! Networks with other labels: their entries are found, mapped and judged again.

use crate::common::{copy, replace, repository, shuffled};
use pavane_atlas::{Atlas, AtlasModel, AtlasQuery};
use pavane_model::collective::{self, Groups};
use pavane_model::tdm::TdmRules;
use pavane_model::{Duplex, Model, Network, NetworkBuilder, Ports, Problem, Switching};
use pavane_networks::topology::build;

fn problems(network: &Network, name: &str, groups: &Groups, model: Model) -> Vec<Problem> {
    let phases = collective::build(name, network, groups).expect(name);
    let problem = |phase| Problem::new(network.clone(), phase, model).expect(name);
    phases.into_iter().map(problem).collect()
}

fn query<'a>(network: &'a Network, phases: Option<&'a [Problem]>) -> AtlasQuery<'a> {
    AtlasQuery { network, phases, model: None, bytes: None, tdm: None }
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
            let found = atlas.search(&steps);
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
        let found = atlas.search(&query(&network, None));
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
        let found = atlas.search(&query(network, Some(&phases)));
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
    let found = atlas.search(&query(&moved, None));
    assert!(found.matches.is_empty());
    assert_eq!(found.near[0].reason, "its processors are on other routers");
}

#[test]
fn a_wrong_entry_does_not_stop_a_search() {
    let folder = copy(&["mesh-4x4-aas", "kautz-3-2-aas"]);
    replace(&folder, "network = \"kautz:3,2\"", "network = \"gardens:7\"");
    let atlas = Atlas::open(folder.path()).unwrap();
    let mesh = build("mesh:4x4").unwrap();
    let found = atlas.search(&query(&mesh, None));
    assert_eq!(found.matches.len(), 1);
    assert_eq!(found.wrong.len(), 1);
    assert!(found.wrong[0].contains("kautz-3-2-aas") && found.wrong[0].contains("gardens"));
}

#[test]
fn a_root_that_fits_is_named() {
    let folder = copy(&["mesh-4x4-oab-root-0-1"]);
    let atlas = Atlas::open(folder.path()).unwrap();
    let mesh = build("mesh:4x4").unwrap();
    let rooted = |root: &str| {
        let groups = Groups { root: Some(root.into()), ..Groups::default() };
        problems(&mesh, "broadcast", &groups, Model::default())
    };
    let phases = rooted("0,0");
    let found = atlas.search(&query(&mesh, Some(&phases)));
    assert!(found.matches.is_empty());
    let root = found.near[0].reason.strip_prefix("its root is elsewhere: try --root ").unwrap();
    let phases = rooted(root);
    assert_eq!(atlas.search(&query(&mesh, Some(&phases))).matches.len(), 1);
}

#[test]
fn the_rules_of_tdm_are_compared() {
    let folder = copy(&["tdm-torus-4x4", "tdm-torus-4x4-no-wrap", "tdm-torus-4x4-depth-2"]);
    let atlas = Atlas::open(folder.path()).unwrap();
    let torus = shuffled(&build("torus:4x4").unwrap(), 5);
    let usual = TdmRules::default();
    for (rules, id) in [
        (usual, "tdm-torus-4x4"),
        (TdmRules { wraps: false, ..usual }, "tdm-torus-4x4-no-wrap"),
        (TdmRules { depth: 2, ..usual }, "tdm-torus-4x4-depth-2"),
    ] {
        let found = atlas.search(&AtlasQuery { tdm: Some(rules), ..query(&torus, None) });
        let ids: Vec<&str> = found.matches.iter().map(|one| one.entry.id.as_str()).collect();
        assert_eq!(ids, [id]);
        assert!(found.near.iter().all(|one| one.reason.starts_with("its rules are")));
    }
}

#[test]
fn symmetric_entries_are_one_problem() {
    let atlas = Atlas::open(&repository()).unwrap();
    let of = |ids: &[&str]| {
        let entries: Vec<_> = ids.iter().map(|id| atlas.find(id).unwrap()).collect();
        atlas.distinct(&entries).iter().map(Vec::len).collect::<Vec<_>>()
    };
    // A link at a corner, another one, and a link between an edge and the centre.
    let links =
        ["mesh-4x4-aas-fault-0-0-0-1", "mesh-4x4-aas-fault-2-3-3-3", "mesh-4x4-aas-fault-0-1-1-1"];
    assert_eq!(of(&links), [2, 1]);
    // The root stays in its place, so other faults are other problems.
    let routers = ["mesh-4x4-oas-fault-0-1", "mesh-4x4-oas-fault-1-0", "mesh-4x4-oas-fault-2-3"];
    assert_eq!(of(&routers), [2, 1]);
    let others = ["tdm-torus-4x4", "tdm-torus-4x4-no-wrap", "tdm-hypercube-4"];
    assert_eq!(of(&others), [2, 1]);
    let sizes = [
        "ndv2-4-all-gather-minimize-time-bytes-1000",
        "ndv2-4-all-gather-minimize-time-bytes-1000000",
    ];
    assert_eq!(of(&sizes), [1, 1]);
}

#[test]
fn at_least_sixty_different_problems_are_improved() {
    let atlas = Atlas::open(&repository()).unwrap();
    let entries: Vec<_> = atlas.entries().iter().collect();
    let count = atlas.distinct_improvements(&entries);
    assert!(count >= 60, "{count}");
    let better = entries.iter().filter(|entry| entry.is_improvement());
    let sources = better.filter_map(|entry| entry.published.as_ref());
    assert!(sources.into_iter().all(|figure| figure.source.len() > 20));
}
