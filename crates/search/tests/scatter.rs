//! Engines for personalised messages: their schedules are valid, and known results are reached.

use crate::common::{brute_force, tiny};
use pavane_model::collective::{self, Groups};
use pavane_model::{Duplex, Fault, Model, Ports, Problem, Routing, Schedule, Switching};
use pavane_networks::topology;
use pavane_search::scatter::copies::Copies;
use pavane_search::scatter::rounds::Rounds;
use pavane_search::scatter::store_and_forward::{RelayEjection, RelayMatching};
use pavane_search::scatter::subtrees::Subtrees;
use pavane_search::scatter::wormhole::{BalancedGroups, Ejection, Packing, Polygons, Rectangles};
use pavane_search::{Attempt, Budget, Context, Engine, Fit, Interrupt, Rng, Suitability, bounds};
use pavane_verify::verify;
use proptest::prelude::*;

static ENGINES: &[&dyn Engine] = &[&Ejection, &RelayEjection];

fn steps_of_valid(problem: &Problem, schedule: Schedule) -> u32 {
    let schedule = if problem.is_backward() { schedule.reversed() } else { schedule };
    match verify(problem.clone(), schedule) {
        Ok(checked) => checked.schedule().step_count(),
        Err(violations) => panic!("not valid: {violations:?}"),
    }
}

/// The steps of the valid schedule that the engine finds when asked for `steps`, if any.
fn attempt(engine: &dyn Engine, problem: &Problem, steps: u32, seed: u64) -> Option<u32> {
    let context = Context::new(problem.forward());
    let mut budget = Budget::evaluations(3_000_000);
    match engine.attempt(&context, steps, &mut budget, &mut Rng::seeded(seed)) {
        Attempt::Found(schedule) => Some(steps_of_valid(problem, schedule)),
        Attempt::Longer(schedule) => {
            assert!(steps_of_valid(problem, schedule) > steps);
            None
        }
        Attempt::Impossible(_) | Attempt::OutOfBudget => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: 100_000, ..Default::default() })]

    #[test]
    fn tiny_problems_are_solved_optimally(problem in tiny::problem(), seed in 0u64..1000) {
        let forward = problem.forward();
        let engine = ENGINES.iter().find(|engine| engine.takes(&forward));
        prop_assume!(engine.is_some());
        let engine = engine.unwrap();
        let (mut budget, mut rng) = (Budget::evaluations(u64::MAX), Rng::seeded(seed));
        let context = Context::new(forward);
        let built = engine.construct(&context, &mut budget, &mut rng).expect("it never fails");
        let upper = steps_of_valid(&problem, built);
        if let Some(optimum) = brute_force::fewest_steps(&problem, 100_000) {
            prop_assert!(optimum <= upper);
            prop_assert_eq!(attempt(*engine, &problem, optimum, seed), Some(optimum));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: 100_000, ..Default::default() })]

    /// Matching over balanced paths always gives valid schedules.
    #[test]
    fn matched_steps_are_valid(problem in tiny::problem(), seed in 0u64..1000) {
        let forward = problem.forward();
        prop_assume!(RelayMatching.takes(&forward));
        let (mut budget, mut rng) = (Budget::evaluations(u64::MAX), Rng::seeded(seed));
        let built = RelayMatching.construct(&Context::new(forward), &mut budget, &mut rng);
        let upper = steps_of_valid(&problem, built.expect("it never fails"));
        for steps in 1..upper {
            let found = attempt(&RelayMatching, &problem, steps, seed);
            prop_assert!(found.is_none_or(|found| found <= steps));
        }
    }
}

/// Network, ports, and the steps of an all-gather on a tree.
const ON_TREES: &[(&str, Ports, u32)] = &[
    ("star:12", ONE_PORT, 121),
    ("path:9", ONE_PORT, 13),
    ("tree:2,5", ONE_PORT, 134),
    ("tree:3,3", ONE_PORT, 126),
    ("tree:2,4", Ports::All, 30),
];

#[test]
fn trees_serve_the_busiest_processor_first() {
    for &(name, ports, steps) in ON_TREES {
        let network = topology::build(name).unwrap();
        let all = collective::build("aab", &network, &Groups::default()).unwrap().remove(0);
        let model = Model { switching: Switching::StoreAndForward, ports, ..Model::default() };
        let problem = Problem::new(network, all, model).unwrap();
        assert!(RelayMatching.takes(&problem));
        let found = (1..40).find_map(|seed| attempt(&RelayMatching, &problem, steps, seed));
        assert_eq!(found, Some(steps), "{name} {ports:?}");
    }
}

/// Network, ports, duplex, and the steps of an all-to-all under store-and-forward, all at their
/// bounds.
const MATCHED: &[(&str, Ports, Duplex, u32)] = &[
    ("mesh:4x4", ONE_PORT, Duplex::Full, 43),
    ("mesh:5x5", ONE_PORT, Duplex::Full, 87),
    ("mesh:6x6", Ports::Limited(2), Duplex::Full, 75),
    ("mesh:6x6", Ports::All, Duplex::Half, 108),
    ("mesh:4x4@2", ONE_PORT, Duplex::Full, 87),
    ("random-regular:24,4,1", ONE_PORT, Duplex::Full, 55),
    ("star:12", ONE_PORT, Duplex::Full, 121),
    ("tree:2,4", ONE_PORT, Duplex::Full, 576),
    ("torus:5x5", ONE_PORT, Duplex::Full, 60),
];

#[test]
fn ports_of_even_load_meet_the_bound() {
    for &(name, ports, duplex, steps) in MATCHED {
        let network = topology::build(name).unwrap();
        let all = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
        let switching = Switching::StoreAndForward;
        let model = Model { switching, ports, duplex, ..Model::default() };
        let problem = Problem::new(network, all, model).unwrap();
        assert_eq!(bounds::all(&problem).unwrap().best.steps, steps, "{name}");
        let found = (1..40).find_map(|seed| attempt(&RelayMatching, &problem, steps, seed));
        assert_eq!(found, Some(steps), "{name} {ports:?} {duplex:?}");
    }
}

fn exchange(name: &str, model: Model) -> Problem {
    let network = topology::build(name).expect("a known network");
    let all = collective::build("aas", &network, &Groups::default()).expect("it is possible");
    Problem::new(network, all[0].clone(), model).expect("the model suits the network")
}

/// Network, ports, duplex, and the steps of an all-to-all that `polygons` constructs, all at their
/// bounds.
const POLYGONS: &[(&str, Ports, Duplex, u32)] = &[
    ("ring:3", Ports::All, Duplex::Full, 1),
    ("ring:9", Ports::All, Duplex::Full, 10),
    ("ring:9", ONE_PORT, Duplex::Half, 20),
    ("ring:31", Ports::All, Duplex::Full, 120),
    ("ring:31", ONE_PORT, Duplex::Full, 120),
    ("ring:31", Ports::All, Duplex::Half, 240),
];

#[test]
fn odd_rings_meet_the_bound() {
    for &(name, ports, duplex, steps) in POLYGONS {
        let problem = exchange(name, Model { ports, duplex, ..Model::default() });
        assert_eq!(bounds::all(&problem).unwrap().best.steps, steps, "{name}");
        assert_eq!(
            attempt(&Polygons, &problem, steps, 1),
            Some(steps),
            "{name} {ports:?} {duplex:?}"
        );
    }
    for name in ["ring:8", "path:5", "torus:3x3"] {
        assert!(!Polygons.takes(&exchange(name, Model::default())), "{name}");
    }
}

/// Network, ports, duplex, and the steps of an all-to-all that `rectangles` constructs, all at
/// their bounds.
const RECTANGLES: &[(&str, Ports, Duplex, u32)] = &[
    ("ring:4", Ports::All, Duplex::Full, 2),
    ("ring:12", ONE_PORT, Duplex::Full, 18),
    ("ring:16", Ports::All, Duplex::Half, 64),
    ("torus:4x4", ONE_PORT, Duplex::Half, 16),
    ("torus:8x8", ONE_PORT, Duplex::Full, 64),
    ("torus:12x12", ONE_PORT, Duplex::Full, 216),
    ("torus:12x12", Ports::All, Duplex::Half, 432),
    ("torus:8x12", Ports::All, Duplex::Full, 144),
    ("torus:12x4", ONE_PORT, Duplex::Full, 72),
    ("torus:4x4x8", Ports::All, Duplex::Full, 128),
];

#[test]
fn tori_with_sides_divisible_by_four_meet_the_bound() {
    for &(name, ports, duplex, steps) in RECTANGLES {
        let problem = exchange(name, Model { ports, duplex, ..Model::default() });
        assert_eq!(bounds::all(&problem).unwrap().best.steps, steps, "{name}");
        assert_eq!(
            attempt(&Rectangles, &problem, steps, 1),
            Some(steps),
            "{name} {ports:?} {duplex:?}"
        );
    }
    for name in ["ring:6", "path:4", "torus:4x6", "mesh:4x4", "torus:4x4@2"] {
        assert!(!Rectangles.takes(&exchange(name, Model::default())), "{name}");
    }
}

/// Network, ports, and the steps of an all-to-all, all at their bounds and without slack.
const WITHOUT_SLACK: &[(&str, Ports, u32)] =
    &[("ring:7", ONE_PORT, 6), ("circulant:13,1,5", Ports::All, 5)];

#[test]
fn packing_meets_bounds_without_slack() {
    for &(name, ports, steps) in WITHOUT_SLACK {
        let problem = exchange(name, Model { ports, ..Model::default() });
        assert_eq!(bounds::all(&problem).unwrap().best.steps, steps, "{name}");
        let found = (1..40).find_map(|seed| attempt(&Packing, &problem, steps, seed));
        assert_eq!(found, Some(steps), "{name}");
    }
}

/// Network, fault, collective, groups, routing, ports, and the steps that the engine reaches.
type Line = (&'static str, &'static str, &'static str, &'static str, Routing, Ports, u32);

const ONE_PORT: Ports = Ports::Limited(1);

const KNOWN: &[Line] = &[
    ("hypercube:3", "", "aas", "", Routing::Minimal, Ports::All, 4),
    ("hypercube:4", "", "aas", "", Routing::Minimal, Ports::All, 8),
    ("mesh:4x4", "", "aas", "", Routing::Minimal, Ports::All, 16),
    ("kautz:3,2", "", "aas", "", Routing::Minimal, Ports::All, 7),
    ("octagon:8", "", "aas", "", Routing::Minimal, Ports::All, 4),
    ("petersen", "", "aas", "", Routing::Minimal, Ports::All, 5),
    ("torus:4x4", "", "aas", "", Routing::Minimal, Ports::All, 8),
    ("ring:8", "", "aas", "", Routing::Minimal, Ports::All, 8),
    ("hypercube:5", "", "oas", "", Routing::Minimal, Ports::All, 7),
    ("mesh:4x4", "", "oas", "", Routing::Minimal, Ports::All, 8),
    ("mesh:4x4", "", "oas", "1", Routing::Minimal, Ports::All, 6),
    ("mesh:4x4", "", "oas", "1", Routing::Any, Ports::All, 5),
    ("mesh:4x4", "", "aas", "", Routing::Minimal, ONE_PORT, 16),
    ("coated-mesh:4x4", "", "aas", "", Routing::Minimal, ONE_PORT, 16),
    ("octagon:8@2", "", "aas", "", Routing::Minimal, ONE_PORT, 16),
    ("octagon:8@2", "", "mns", "0,2,4,6,8,10,12,14>all", Routing::Minimal, ONE_PORT, 15),
    (
        "octagon:8@2",
        "",
        "mns",
        "0,2,4,6,8,10,12,14>0,2,4,6,8,10,12,14",
        Routing::Minimal,
        ONE_PORT,
        7,
    ),
    (
        "octagon:8@2",
        "",
        "mns",
        "0,2,4,6,8,10,12,14>1,3,5,7,9,11,13,15",
        Routing::Minimal,
        ONE_PORT,
        8,
    ),
    ("kautz:3,2", "01>10", "aas", "", Routing::Minimal, Ports::All, 9),
    ("kautz:3,2", "01>10", "aas", "", Routing::Any, Ports::All, 8),
    ("mesh:4x4", "1,1-1,2", "aas", "", Routing::Minimal, Ports::All, 22),
    ("mesh:4x4", "0,0-0,1", "aas", "", Routing::Minimal, Ports::All, 16),
    ("mesh:4x4", "0,0", "aas", "", Routing::Minimal, Ports::All, 14),
    ("mesh:4x4", "1,1", "aas", "", Routing::Any, Ports::All, 19),
    ("torus:4x4", "", "transpose", "", Routing::Minimal, Ports::All, 1),
    ("mesh:4x4", "", "gather", "5", Routing::Minimal, Ports::All, 4),
];

#[test]
fn known_results_are_reached() {
    for &(network, fault, collective, groups, routing, ports, steps) in KNOWN {
        let mut network = topology::build(network).unwrap();
        if !fault.is_empty() {
            let fault = Fault::parse(&network, fault).unwrap();
            network = network.without(&[fault]).unwrap();
        }
        let groups = match groups.split_once('>') {
            Some((senders, receivers)) => Groups {
                root: None,
                senders: Some(senders.to_owned()),
                receivers: Some(receivers.to_owned()),
            },
            None => Groups {
                root: (!groups.is_empty()).then(|| groups.to_owned()),
                ..Groups::default()
            },
        };
        let collective = collective::build(collective, &network, &groups).unwrap().remove(0);
        let model = Model { routing, ports, ..Model::default() };
        let problem = Problem::new(network, collective, model).unwrap();
        let name = problem.network().name().to_owned();
        assert_eq!(attempt(&Ejection, &problem, steps, 1), Some(steps), "{name} {groups:?}");
    }
}

/// Network, whether under store-and-forward, ports, and the steps of a scatter from the first
/// processor, which equal the bound: no branch of the tree carries more than its fair share.
const BALANCED: &[(&str, bool, Ports, u32)] = &[
    ("torus:5x6x7", false, Ports::All, 35),
    ("torus:5x6x7", true, Ports::All, 35),
    ("torus:5x7", true, Ports::Limited(2), 17),
    ("hypercube:6", false, Ports::All, 11),
    ("hypercube:6", true, Ports::All, 11),
    ("hypercube:10", true, Ports::All, 103),
    ("kautz:3,2", false, Ports::All, 4),
    ("octagon:16", true, Ports::Limited(1), 15),
];

#[test]
fn the_branches_of_a_tree_are_balanced() {
    for &(name, is_stored, ports, steps) in BALANCED {
        let network = topology::build(name).expect(name);
        let collective = collective::build("oas", &network, &Groups::default()).expect("oas");
        let switching = if is_stored { Switching::StoreAndForward } else { Switching::Wormhole };
        let model = Model { ports, switching, ..Model::default() };
        let problem = Problem::new(network, collective[0].clone(), model).expect(name);
        assert!(Subtrees.takes(&problem), "{name}");
        assert_eq!(attempt(&Subtrees, &problem, steps, 1), Some(steps), "{name} {is_stored}");
    }
}

/// Network, switching, ports, and the steps of the consecutive exchanges. With limited ports, the
/// messages of a router share the ports of all its processors.
const REPEATED: &[(&str, Switching, Ports, u32)] = &[
    ("mesh:3x3@2", Switching::Wormhole, Ports::All, 4 * 6),
    ("ring:5@3", Switching::Wormhole, Ports::All, 9 * 3),
    ("hypercube:3@2", Switching::Wormhole, Ports::Limited(1), 4 * 4 + 1),
    ("hypercube:3@3", Switching::Wormhole, Ports::Limited(2), 9 * 4),
    ("ring:4@3", Switching::Wormhole, Ports::Limited(1), 9 * 2),
    ("dragonfly:2,2,1", Switching::Wormhole, Ports::All, 4 * 5),
    ("hypercube:3@3", Switching::StoreAndForward, Ports::All, 9 * 4),
    ("ring:4@2", Switching::StoreAndForward, Ports::All, 4 * 2 + 1),
    ("ring:4@2", Switching::StoreAndForward, Ports::Limited(1), 9),
    ("hypercube:3@3", Switching::StoreAndForward, Ports::Limited(1), 38),
    ("dragonfly:2,2,1", Switching::StoreAndForward, Ports::Limited(1), 19),
    ("ring:5@3", Switching::StoreAndForward, Ports::Limited(2), 27),
    ("torus:3x3@4", Switching::StoreAndForward, Ports::Limited(1), 60),
];

#[test]
fn one_exchange_stands_for_all_places() {
    for &(network, switching, ports, steps) in REPEATED {
        let network = topology::build(network).unwrap();
        let all = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
        let model = Model { switching, ports, ..Model::default() };
        let problem = Problem::new(network, all, model).unwrap();
        assert!(Copies.takes(&problem));
        let context = Context::new(problem.clone());
        let (mut budget, mut rng) = (Budget::evaluations(u64::MAX), Rng::seeded(1));
        let built = Copies.construct(&context, &mut budget, &mut rng).unwrap();
        steps_of_valid(&problem, built);
        let found = (1..9).find_map(|seed| attempt(&Copies, &problem, steps, seed));
        let name = problem.network().name();
        assert!(found.is_some_and(|found| found <= steps), "{name} {switching:?} {ports:?}");
    }
    for (network, collective) in [("mesh:3x3", "aas"), ("mesh:3x3@2", "oas"), ("fat-tree:4", "aas")]
    {
        let network = topology::build(network).unwrap();
        let some = collective::build(collective, &network, &Groups::default()).unwrap().remove(0);
        let problem = Problem::new(network, some, Model::default()).unwrap();
        assert!(!Copies.takes(&problem));
    }
}

/// Dragonfly, ports, and a number of steps that the pattern of its groups reaches.
const GROUPED: &[(&str, Ports, u32)] = &[
    ("dragonfly:2,2,1", Ports::All, 20),
    ("dragonfly:2,2,1", Ports::Limited(1), 21),
    ("dragonfly:2,4,2", Ports::All, 76),
    ("dragonfly:2,4,2", Ports::Limited(1), 72),
];

#[test]
fn groups_of_dragonflies_follow_a_pattern() {
    let all_to_all = |name: &str, model: Model| {
        let network = topology::build(name).unwrap();
        let all = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
        Problem::new(network, all, model).unwrap()
    };
    for &(name, ports, steps) in GROUPED {
        for routing in [Routing::Minimal, Routing::Any] {
            let problem = all_to_all(name, Model { ports, routing, ..Model::default() });
            assert!(BalancedGroups.takes(&problem), "{name}");
            let context = Context::new(problem.clone());
            let (mut budget, mut rng) = (Budget::evaluations(u64::MAX), Rng::seeded(1));
            let built = BalancedGroups.construct(&context, &mut budget, &mut rng).unwrap();
            steps_of_valid(&problem, built);
            let found = (1..9).find_map(|seed| attempt(&BalancedGroups, &problem, steps, seed));
            assert!(found.is_some_and(|found| found <= steps), "{name} {ports:?}: {found:?}");
        }
    }
    let half = Model { duplex: Duplex::Half, ..Model::default() };
    for problem in [
        all_to_all("dragonfly:2,4,2", half),
        all_to_all("dragonfly:3,6,3", Model::default()),
        all_to_all("dragonfly:1,4,2", Model::default()),
        all_to_all("torus:4x4@2", Model::default()),
    ] {
        assert!(!BalancedGroups.takes(&problem), "{}", problem.network().name());
    }
}

/// Network, collective, senders, receivers, fault, and the steps of the rounds: the most messages
/// that one processor sends or receives.
const SWITCHED: &[(&str, &str, &str, &str, &str, u32)] = &[
    ("fat-tree:4", "aas", "", "", "", 15),
    ("fat-tree:6", "aas", "", "", "", 53),
    ("fat-tree:8", "aas", "", "", "", 127),
    ("fat-tree:8", "aas", "", "", "5", 126),
    ("fat-tree:8", "mns", "0-63", "64-127", "", 64),
    ("fat-tree:8", "mns", "0-40", "20-99", "", 80),
    ("fat-tree:8", "random-permutation:3", "", "", "", 1),
    ("fat-tree:8", "bit-reversal", "", "", "", 1),
    ("k-ary-n-tree:2,5", "aas", "", "", "", 31),
    ("k-ary-n-tree:3,3", "aas", "", "", "", 26),
    ("k-ary-n-tree:4,2", "transpose", "", "", "", 1),
];

#[test]
fn rounds_are_all_that_fat_trees_need() {
    for &(network, collective, senders, receivers, fault, steps) in SWITCHED {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let groups = Groups { root: None, senders: given(senders), receivers: given(receivers) };
        let mut network = topology::build(network).unwrap();
        if let Some(fault) = given(fault) {
            let fault = Fault::parse(&network, &fault).unwrap();
            network = network.without(&[fault]).unwrap();
        }
        let phase = collective::build(collective, &network, &groups).unwrap().remove(0);
        let problem = Problem::new(network, phase, Model::default()).unwrap();
        let line = format!("{} {collective} {senders}", problem.network().name());
        assert!(Rounds.takes(&problem), "{line}");
        assert_eq!(attempt(&Rounds, &problem, steps, 1), Some(steps), "{line}");
    }
}

#[test]
fn pairs_of_processors_meet_on_half_duplex_fat_trees() {
    let model = Model { duplex: Duplex::Half, ..Model::default() };
    let problem = |network: &str| {
        let network = topology::build(network).unwrap();
        let all = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
        Problem::new(network, all, model).unwrap()
    };
    // Every processor sends or receives in every step.
    for (network, steps) in [
        ("fat-tree:4", 30),
        ("fat-tree:6", 106),
        ("k-ary-n-tree:2,4", 30),
        ("k-ary-n-tree:4,2", 30),
    ] {
        let problem = problem(network);
        assert!(Rounds.takes(&problem), "{network}");
        assert_eq!(attempt(&Rounds, &problem, steps, 1), Some(steps), "{network}");
    }
    // An odd number of groups has no such rounds.
    let context = Context::new(problem("k-ary-n-tree:3,3"));
    assert_eq!(Rounds.fit(&context, &Interrupt::never()), Fit::Useless);
}

#[test]
fn unrouted_messages_move_to_another_round() {
    // A switch at the top is broken: three ways up instead of four.
    let network = topology::build("fat-tree:8").unwrap();
    let fault = Fault::parse(&network, "200").unwrap();
    let network = network.without(&[fault]).unwrap();
    let all = collective::build("aas", &network, &Groups::default()).unwrap().remove(0);
    let problem = Problem::new(network, all, Model::default()).unwrap();
    let context = Context::new(problem.clone());
    let (mut budget, mut rng) = (Budget::evaluations(u64::MAX), Rng::seeded(1));
    let built = Rounds.construct(&context, &mut budget, &mut rng).unwrap();
    assert!((127..300).contains(&steps_of_valid(&problem, built)));
}
