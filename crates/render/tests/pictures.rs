//! Pictures stay as they are: a snapshot of the SVG or page of every kind. After a change that is
//! wanted, look at the new pictures, then accept them with `INSTA_UPDATE=always cargo test -p
//! pavane-render --test pictures`.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_model::format::{read_file, read_whole_file};
use pavane_model::network::Timing;
use pavane_model::problem::DELIVERIES;
use pavane_model::{Bound, Fault, Label, Network, NetworkBuilder, tdm, throughput, timed};
use pavane_networks::import::{self, FileKind};
use pavane_networks::topology;
use pavane_render::dependency_graph::DependencyGraph;
use pavane_render::gantt::{self, Bar};
use pavane_render::heat_map::{self, Heat, Measure, Panel};
use pavane_render::picture::{self, DrawnSchedule, Show, ShownRoutes, Theme, gif, svg};
use pavane_render::{curves, viewer};
use pavane_verify::{CheckedPlan, CheckedSchedule, check_plan, check_tdm, check_timed, verify};
use serde_json::Value;
use std::path::Path;

/// Networks of every layout: the families with their own, a grid, levels of switches, and forces.
const NETWORKS: &[&str] = &[
    "ring:6",
    "path:20",
    "star:6",
    "tree:2,2",
    "tree:2,5",
    "hypercube:4",
    "ccc:3",
    "butterfly:2",
    "omega:2",
    "dragonfly:1,2,1",
    "petersen",
    "dgx-1v",
    "mesh:2x3",
    "torus:3x3",
    "k-ary-n-tree:2,2",
    "kautz:2,2",
];

/// Four routers with links of 25, 100 and 300 GB/s, one of them parallel to another.
fn with_bandwidths() -> Network {
    let mut builder = NetworkBuilder::new("three-speeds", 4);
    for (a, b, gbytes) in
        [(0, 1, 300.0), (1, 2, 25.0), (2, 3, 300.0), (3, 0, 25.0), (0, 2, 100.0), (0, 1, 25.0)]
    {
        let timing = Timing { bandwidth_gbytes: Some(gbytes), latency_ns: None };
        builder.link(a, b).timing(timing);
    }
    builder.processor_on_each_router();
    builder.build().unwrap()
}

/// A throughput plan of the corpus, judged.
fn plan(name: &str) -> CheckedPlan {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/throughput/valid");
    check_plan(throughput::read_file(&folder.join(name), DELIVERIES).unwrap()).unwrap()
}

fn drawn_plan(name: &str, shown: ShownRoutes) -> String {
    svg::write(&picture::plan("collective", &plan(name), shown).unwrap(), Theme::Light)
}

fn drawn(network: &Network) -> String {
    svg::write(&picture::network(network).unwrap(), Theme::Light)
}

/// A schedule of the corpus, judged, with the bound of its file or else one step.
fn phases(name: &str) -> Vec<(CheckedSchedule, Bound)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/valid").join(name);
    let phases = read_file(&path, DELIVERIES).unwrap();
    let (reason, explanation) = ("receive".to_owned(), String::new());
    let one = Bound { steps: 1, reason, explanation, certificate: None };
    let judged = phases.into_iter().map(|phase| {
        let checked = verify(phase.problem, phase.schedule).unwrap();
        (checked, phase.bound.unwrap_or_else(|| one.clone()))
    });
    judged.collect()
}

fn drawn_schedule<'a>(name: &'a str, phases: &'a [(CheckedSchedule, Bound)]) -> DrawnSchedule<'a> {
    DrawnSchedule::new(name, phases.iter().map(|(checked, bound)| (checked, bound)).collect())
}

fn schedule(name: &str, file: &str, show: &Show, theme: Theme) -> String {
    let phases = phases(file);
    svg::write(&picture::schedule(&drawn_schedule(name, &phases), show).unwrap(), theme)
}

#[test]
fn networks_of_every_layout() {
    for name in NETWORKS {
        let network = topology::build(name).unwrap();
        let file = format!("network-{}", name.replace([':', ','], "-"));
        insta::assert_snapshot!(file, drawn(&network));
    }
}

#[test]
fn a_network_with_positions_a_switch_and_a_fault() {
    let text = "graph { a [pos=\"0,0\"]; b [pos=\"72,36\"]; c [pos=\"0,72\" type=switch];
        a -- b; b -- c; c -- a }";
    let network = import::parse(text, "given.dot", FileKind::Dot).unwrap();
    let fault = Fault::parse(&network, "a-b").unwrap();
    insta::assert_snapshot!("network-file", drawn(&network.without(&[fault]).unwrap()));
}

#[test]
fn wider_links_have_more_bandwidth() {
    let network = with_bandwidths();
    insta::assert_snapshot!("network-bandwidths", drawn(&network));
    let fault = Fault::parse(&network, "0-1").unwrap();
    let heat = Heat { fault, loss: Some(0.25), note: "without 0-1".to_owned() };
    let panel = Panel { title: "all-gather".to_owned(), heats: vec![heat] };
    let map = heat_map::draw(&network, &[panel], Measure::Bandwidth);
    insta::assert_snapshot!("heat-map-bandwidths", map);
}

#[test]
fn loads_and_limits_of_throughput_plans() {
    let all = ShownRoutes::default();
    for name in [
        "all-gather-through-a-switch",
        "all-reduce-pair",
        "all-reduce-triangle-cuts",
        "all-to-all-path3",
        "not-at-the-limit",
    ] {
        let file = format!("plan-{name}");
        insta::assert_snapshot!(file, drawn_plan(&format!("{name}.json"), all));
    }
    let first = ShownRoutes { phase: Some(0), ..all };
    insta::assert_snapshot!("plan-phase", drawn_plan("all-reduce-triangle-cuts.json", first));
}

#[test]
fn trees_and_paths_of_one_message() {
    let message = |label| ShownRoutes { message: Some(label), phase: None };
    for (name, label) in [
        ("broadcast-two-trees", Label::One(0)),
        ("all-gather-through-a-switch", Label::One(1)),
        ("all-to-all-path3", Label::Two(0, 2)),
        ("all-reduce-pair", Label::One(1)),
    ] {
        let file = format!("message-{name}");
        insta::assert_snapshot!(file, drawn_plan(&format!("{name}.json"), message(label)));
    }
}

#[test]
fn a_schedule_step_by_step_and_its_chart() {
    let all = Show::default();
    let broadcast = schedule("broadcast", "broadcast-ring4.json", &all, Theme::Auto);
    insta::assert_snapshot!("schedule-broadcast", broadcast);
    let two_phases = schedule("all-reduce", "all-reduce-path2.json", &all, Theme::Dark);
    insta::assert_snapshot!("schedule-two-phases-dark", two_phases);
    let panels = Show { no_chart: true, steps: Some(0..1), ..Show::default() };
    let file = "all-to-all-fat-nodes-one-port.json";
    insta::assert_snapshot!("schedule-panel", schedule("all-to-all", file, &panels, Theme::Light));
    let chart = Show { no_panels: true, ..Show::default() };
    let octagon = schedule("all-to-all", "octagon-aas-table4.json", &chart, Theme::Light);
    insta::assert_snapshot!("schedule-chart", octagon);
}

/// The page, with names instead of the parts that are files of their own.
#[test]
fn phases_that_overlap_share_their_steps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/valid");
    let path = folder.join("all-reduce-overlap-path3.json");
    let (_, whole) = read_whole_file(&path, DELIVERIES).unwrap();
    let phases = phases("all-reduce-overlap-path3.json");
    let drawn = DrawnSchedule { whole, ..drawn_schedule("all-reduce", &phases) };
    let apart = drawn_schedule("all-reduce", &phases).step_count();
    assert!(drawn.step_count() < apart, "{} of {apart} steps", drawn.step_count());
    let scene = picture::schedule(&drawn, &Show::default()).unwrap();
    insta::assert_snapshot!("schedule-overlap", svg::write(&scene, Theme::Light));
    let data = viewer::schedule_data(&drawn);
    let steps = data["steps"].as_array().unwrap();
    assert_eq!(steps.len(), drawn.step_count() as usize);
    let firsts = data["overlap"]["firsts"].as_array().unwrap();
    let is_shared = |(first, step): (&Value, &Value)| {
        let (first, all) = (first.as_u64().unwrap(), step.as_array().unwrap().len() as u64);
        0 < first && first < all
    };
    assert!(firsts.iter().zip(steps).any(is_shared), "no step has transfers of both phases");
    let moving = picture::animated_schedule(&drawn, &Show::default()).unwrap();
    let headings = svg::write(&moving, Theme::Light);
    assert!(headings.contains("reduce-scatter and all-gather"), "{headings}");
}

#[test]
fn the_page_that_plays_a_schedule() {
    let phases = phases("broadcast-ring4.json");
    let page = viewer::schedule_page(&drawn_schedule("broadcast", &phases)).unwrap();
    let page = page.replace(viewer::SCRIPT, "viewer.js").replace(viewer::STYLE, "viewer.css");
    insta::assert_snapshot!("page", page);
}

#[test]
fn a_gantt_chart() {
    let bar = |row, start, end, group: u32| {
        let label = format!("message {group}");
        Bar { row, start, end, label, group }
    };
    let rows = ["0-1", "1-0", "1-2"].map(str::to_owned);
    let bars = [bar(0, 0.0, 12.5, 0), bar(2, 2.0, 14.5, 0), bar(1, 3.0, 40.0, 1)];
    insta::assert_snapshot!(
        "gantt",
        gantt::draw("Three <messages>", gantt::LINKS_IN_UNITS, &rows, &[], &bars)
    );
}

#[test]
fn curves_with_a_gap_and_an_incomplete_value() {
    let point = |x, y, is_partial| curves::Point { x, y, is_partial };
    let fifo = vec![point(0.0, Some(1.0), false), point(0.5, Some(2.5), false)];
    let rest = [point(1.0, None, false), point(1.5, Some(7.0), true)];
    let series = [
        curves::Series { name: "fifo".to_owned(), points: [fifo.as_slice(), &rest].concat() },
        curves::Series { name: "lbf".to_owned(), points: fifo },
    ];
    let notes = ["a note".to_owned()];
    let curves = curves::draw("Delay", "density", "delay (ns)", &series, &notes);
    insta::assert_snapshot!("curves", curves);
}

#[test]
fn a_heat_map_of_faults() {
    let network = topology::build("mesh:2x2").unwrap();
    let heat = |part: &str, loss| {
        let fault = Fault::parse(&network, part).unwrap();
        Heat { fault, loss, note: format!("without {part}") }
    };
    let heats = vec![heat("0,0-0,1", Some(0.5)), heat("0,0-1,0", Some(0.0)), heat("1,1", None)];
    let panel = Panel { title: "broadcast".to_owned(), heats };
    insta::assert_snapshot!("heat-map", heat_map::draw(&network, &[panel], Measure::Steps));
}

#[test]
fn a_dependency_graph_with_a_cycle() {
    let names = ["0-1", "1-2", "2-0"].map(str::to_owned).to_vec();
    let graph = DependencyGraph { names, edges: vec![(0, 1), (1, 0), (1, 2)], cycle: vec![0, 1] };
    insta::assert_snapshot!("dependency-graph", graph.svg("Dependencies"));
}

#[test]
fn slot_tables_and_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tdm/valid");
    for name in ["path3-phits", "two-processors-per-router"] {
        let schedule = tdm::read_file(&folder.join(format!("{name}.json")), DELIVERIES).unwrap();
        let checked = check_tdm(schedule).unwrap();
        let scene = picture::tdm(&checked, "because of <this>").unwrap();
        insta::assert_snapshot!(format!("tdm-{name}"), svg::write(&scene, Theme::Light));
        let data = viewer::tdm_data(&checked, "because");
        insta::assert_snapshot!(
            format!("tdm-data-{name}"),
            serde_json::to_string_pretty(&data).unwrap()
        );
        let page = viewer::tdm_page(&checked, "because").unwrap();
        assert!(page.contains("\"words\":[\"slot\",\"receiver\"]"));
    }
}

#[test]
fn timed_schedules_and_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/timed/valid");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    for file in files {
        let checked = check_timed(timed::read_file(&file, DELIVERIES).unwrap()).unwrap();
        let scene = picture::timed(&checked, "because of <this>").unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        insta::assert_snapshot!(format!("timed-{name}"), svg::write(&scene, Theme::Light));
        let page = viewer::timed_page(&checked, "because").unwrap();
        assert!(page.contains("\"words\":[\"moment\",\"origin\"]"));
    }
}

#[test]
fn messages_move_in_animations() {
    let phases = phases("broadcast-ring4.json");
    let scene = picture::animated_schedule(&drawn_schedule("broadcast", &phases), &Show::default())
        .unwrap();
    insta::assert_snapshot!("animated-schedule", svg::write(&scene, Theme::Light));
    // Every step has a frame at its start and others while messages move.
    let bytes = gif::write(&scene, Theme::Light).unwrap();
    let mut decoder = ::gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
    let (mut frames, mut delay) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames += 1;
        delay += u32::from(frame.delay);
    }
    assert!(frames > 10, "{frames}");
    assert_eq!(f64::from(delay) / 100.0, (scene.seconds * 12.5).ceil() / 12.5);
}
