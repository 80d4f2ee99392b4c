//! Known loads and bounds. The judge must accept every certificate.

use super::{bound, personalised_paid, program};
use crate::bounds::finding::Finding;
use crate::budget::Interrupt;
use crate::prices::{self, Demand, Lanes};
use pavane_model::{
    Bound, Collective, Duplex, Fault, Kind, ListedMessage, Model, Network, Ports, Problem,
    ProcessorId, Routing, Switching,
};
use pavane_networks::topology;
use pavane_verify::check_bound;

fn network(spec: &str) -> Network {
    topology::build(spec).unwrap()
}

/// A scatter from one processor or from all, to all.
fn scatter(network: Network, from: Option<u32>, model: Model) -> Problem {
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let senders = from.map_or(all.clone(), |from| vec![ProcessorId(from)]);
    let collective = Collective::between(Kind::Scatter, "scatter", senders, all);
    Problem::new(network, collective, model).unwrap()
}

fn routed(routing: Routing) -> Model {
    Model { routing, ..Model::default() }
}

fn proved(problem: &Problem) -> Bound {
    match bound(problem, &Interrupt::never()) {
        Finding::Priced(bound, _) => bound,
        other => panic!("{other:?}"),
    }
}

fn steps(problem: &Problem) -> u32 {
    let bound = proved(problem);
    assert_eq!(bound.reason, "congestion");
    // The judge recomputes the payments with its own code.
    assert_eq!(check_bound(problem, &bound), Ok(bound.steps), "{}", bound.explanation);
    bound.steps
}

/// The least possible load of the busiest channel, to four decimals.
fn load(problem: &Problem) -> String {
    let (demand, lanes) = (Demand::of(problem), Lanes::of(problem));
    let routes = prices::all_routes(problem, &demand, &lanes, &Interrupt::never()).unwrap();
    let best = program::best_prices(&routes, lanes.count).unwrap();
    let whole: Vec<u64> = best.iter().map(|price| (price * 1e9).round() as u64).collect();
    let paid = personalised_paid(&routes, &whole, &Interrupt::never()).unwrap() as f64;
    format!("{:.4}", paid / whole.iter().sum::<u64>() as f64)
}

#[test]
fn known_bounds() {
    const KNOWN: &[(&str, Option<u32>, u32, u32)] = &[
        // Network, source, steps with minimal routing, steps with any.
        ("mesh:4x4", Some(0), 8, 8),
        ("mesh:4x4", Some(1), 6, 5),
        ("mesh:4x4", Some(5), 4, 4),
        ("mesh:4x4", None, 16, 16),
        ("kautz:3,2", Some(0), 4, 4),
        ("kautz:3,2", None, 7, 7),
        ("octagon:8", None, 4, 4),
        ("octagon:8@2", None, 16, 16),
        ("coated-mesh:4x4", None, 16, 16),
        ("petersen", None, 5, 5),
        ("ring:8", None, 8, 8),
        ("torus:4x4", None, 8, 8),
        ("torus:8x8", None, 64, 64),
        ("torus:4x8", None, 32, 32),
        ("hypercube:3", None, 4, 4),
        ("hypercube:5", None, 16, 16),
        ("hypercube:6", None, 32, 32),
    ];
    for &(spec, from, minimal, any) in KNOWN {
        for (routing, known) in [(Routing::Minimal, minimal), (Routing::Any, any)] {
            let found = steps(&scatter(network(spec), from, routed(routing)));
            assert_eq!(found, known, "{spec} from {from:?}, {routing} routing");
        }
    }
}

#[test]
fn detours_lie_between_minimal_and_any_routing() {
    let found = [Routing::Minimal, Routing::Detour(0), Routing::Detour(1), Routing::Detour(2)]
        .map(|routing| steps(&scatter(network("mesh:4x4"), Some(1), routed(routing))));
    // All walks between two routers of a mesh have the same parity, so one extra hop does not help.
    assert_eq!(found, [6, 6, 6, 5]);
    let endless = routed(Routing::Detour(u32::MAX));
    assert_eq!(steps(&scatter(network("mesh:4x4"), Some(1), endless)), 5);
}

#[test]
fn one_broken_channel_of_a_kautz_network() {
    let whole = network("kautz:3,2");
    for channel in whole.channels() {
        let broken = whole.without(&[Fault::Channel(channel.tail, channel.head)]).unwrap();
        let name = (whole.router_name(channel.tail), whole.router_name(channel.head));
        let loads = [Routing::Minimal, Routing::Any]
            .map(|routing| load(&scatter(broken.clone(), None, routed(routing))));
        // A channel that has an opposite channel matters less.
        let is_two_way = whole.channels_between(channel.head, channel.tail).next().is_some();
        let known = if is_two_way { ["8.5000", "7.5000"] } else { ["9.0000", "7.8462"] };
        assert_eq!(loads, known, "{name:?}");
        let known = match (name.0.as_str(), name.1.as_str()) {
            ("01", _) => [6, 6],
            ("10", "02" | "03") => [5, 4],
            _ => [4, 4],
        };
        let found = [Routing::Minimal, Routing::Any]
            .map(|routing| steps(&scatter(broken.clone(), Some(0), routed(routing))));
        assert_eq!(found, known, "{name:?}");
    }
}

#[test]
fn one_broken_link_or_router_of_a_mesh() {
    let whole = network("mesh:4x4");
    for link in whole.channels().iter().filter(|channel| channel.tail < channel.head) {
        let broken = whole.without(&[Fault::Link(link.tail, link.head)]).unwrap();
        let (tail, head) = (link.tail.0, link.head.0);
        let is_in_the_middle = tail / 4 == 1 && head / 4 == 2 || tail % 4 == 1 && head % 4 == 2;
        let known = if is_in_the_middle { 22 } else { 16 };
        let found = steps(&scatter(broken, None, Model::default()));
        assert_eq!(found, known, "{tail}-{head}");
    }
    for router in whole.routers() {
        let broken = whole.without(&[Fault::Router(router)]).unwrap();
        let known = if [0, 3, 12, 15].contains(&router.0) { 14 } else { 19 };
        let found = steps(&scatter(broken, None, routed(Routing::Any)));
        assert_eq!(found, known, "{router}");
    }
}

#[test]
fn half_duplex_and_store_and_forward_count_as_they_should() {
    let model = Model::default();
    let half = Model { duplex: Duplex::Half, ..model };
    let stored = Model { switching: Switching::StoreAndForward, ports: Ports::Limited(1), ..model };
    assert_eq!(steps(&scatter(network("path:3"), None, half)), 4);
    assert_eq!(steps(&scatter(network("mesh:4x4"), None, half)), 32);
    assert_eq!(steps(&scatter(network("kautz:3,2"), None, half)), 7);
    assert_eq!(steps(&scatter(network("mesh:4x4"), None, stored)), 16);
}

#[test]
fn lists_of_all_sorts_of_messages() {
    let message = |from, to: &[u32]| ListedMessage {
        from: ProcessorId(from),
        to: to.iter().map(|&p| ProcessorId(p)).collect(),
    };
    let listed = |list: Vec<ListedMessage>| {
        let collective = Collective::listed("list", list);
        Problem::new(network("ring:4"), collective, Model::default()).unwrap()
    };
    // All six leave processor 0 over two channels; so do the three messages for all others.
    let personalised = vec![message(0, &[2]); 6];
    assert_eq!(steps(&listed(personalised.clone())), 3);
    let mixed = [personalised, vec![message(0, &[1, 2, 3]); 3]].concat();
    assert_eq!(steps(&listed(mixed)), 5);
    let listed = listed(vec![message(0, &[1, 2])]);
    assert_eq!(bound(&listed, &Interrupt::never()), Finding::NotApplicable);
}

/// Half duplex on the butterfly: 56 transfers use a link at each end, and eight processors have two
/// links each.
#[test]
fn links_at_the_ends_are_scarce() {
    for (spec, duplex, steps) in [
        ("butterfly:3", Duplex::Half, Some(7)),
        ("butterfly:3", Duplex::Full, None),
        ("ring:5", Duplex::Half, Some(4)),
    ] {
        let network = network(spec);
        let all: Vec<ProcessorId> = network.living_processors().collect();
        let collective = Collective::between(Kind::Broadcast, "aab", all.clone(), all);
        let model = Model { duplex, ..Model::default() };
        let problem = Problem::new(network, collective, model).unwrap();
        let found = match bound(&problem, &Interrupt::never()) {
            Finding::Proved(bound) => {
                assert_eq!(check_bound(&problem, &bound), Ok(bound.steps));
                Some(bound.steps)
            }
            _ => None,
        };
        assert_eq!(found, steps, "{spec} {duplex:?}");
    }
}
