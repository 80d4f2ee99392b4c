//! Claims about runs: the judge accepts the logs, fast simulators agree with simple ones and with a
//! second simulator written for these tests, and the figures of the paper's Table 1 are reproduced.

mod plain;

use pavane_model::{ChannelId, Duplex, Fault, Network, ProcessorId};
use pavane_networks::topology;
use pavane_render::replay::replay;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::mission::{Pattern, Uniform, parse};
use pavane_traffic::routing::{Reach, parse_table};
use pavane_traffic::switching::{Case, SwitchingMethod};
use pavane_traffic::{
    Log, Memory, Message, Mission, Policy, RoutingMethod, Simulator, policy::POLICIES, ticks,
};
use plain::{Paths, Plain};
use proptest::prelude::*;

const NETWORKS: &[&str] = &[
    "hypercube:3",
    "hypercube:4",
    "mesh:3x3",
    "torus:4x3",
    "kautz:2,2",
    "ring:6",
    "tree:2,2",
    "octagon:8@2",
    "fat-tree:2",
    "petersen",
    "dgx-1v",
    "hyperx:3x3",
    "random-regular:10,3,5",
];

/// Runs a mission and checks its log with the judge. Returns whether there was a complete run: not
/// every network supports every routing, and headers can deadlock.
fn check(
    network: &Network,
    duplex: Duplex,
    routing: &str,
    switching: SwitchingMethod,
    policy: Policy,
    mission: &Mission,
) -> bool {
    let Ok(found) = RoutingMethod::find(routing, network) else { return false };
    let simulator = Simulator::new(network.clone(), duplex, found);
    let mut memory = Memory::default();
    let mut log = Log::default();
    simulator.route(mission, 1, &mut memory.routes).expect("paths are there");
    simulator
        .run(mission, switching, policy, &mut memory, &mut log)
        .expect("the combination makes sense");
    log.by_message();
    let completions = memory.state.completions;
    let can_stick = matches!(switching, SwitchingMethod::Wormhole(_) | SwitchingMethod::Flits(_));
    if can_stick && completions.contains(&u64::MAX) {
        return false;
    }
    let judged = replay(network, duplex, switching, mission, &completions, &log);
    assert_eq!(judged, Ok(()), "{} {routing} {switching:?}", network.name());
    true
}

/// Four hundred cases, or the number in `PAVANE_CASES`.
fn config() -> ProptestConfig {
    let asked = std::env::var("PAVANE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(400);
    ProptestConfig { cases, max_global_rejects: 20 * cases, ..ProptestConfig::default() }
}

/// The network, possibly without one of its links or one-way channels.
fn perhaps_broken(name: &str, lost: Option<u32>) -> Network {
    let whole = topology::build(name).expect("a family of ours");
    let Some(lost) = lost else { return whole };
    let lost = whole.channel(ChannelId(lost % whole.channel_count() as u32));
    whole.without(&[Fault::Link(lost.tail, lost.head)]).expect("it was there")
}

proptest! {
    #![proptest_config(config())]

    /// The judge accepts the logs of a thousand missions on networks of all kinds, intact and
    /// broken. Cases without a complete run are not counted.
    #[test]
    fn every_log_could_have_happened(
        network in proptest::sample::select(NETWORKS),
        routing in proptest::sample::select(&["e-cube", "shortest", "pa", "dfs", "cps"][..]),
        switching in proptest::sample::select(&[
            SwitchingMethod::StoreAndForward, SwitchingMethod::Circuit, SwitchingMethod::CutThrough,
            SwitchingMethod::Wormhole(1), SwitchingMethod::Wormhole(2),
            SwitchingMethod::Flits(FlitRules { lanes: 1, buffer: 3 }),
            SwitchingMethod::Flits(FlitRules { lanes: 3, buffer: 1 }),
        ][..]),
        policy in proptest::sample::select(POLICIES),
        has_age in any::<bool>(),
        is_full in any::<bool>(),
        window in proptest::sample::select(&[0.0, 40.0][..]),
        sigma in proptest::sample::select(&[0.0, 5.0][..]),
        density in 0.05..1.0,
        lost in proptest::option::of(0u32..1000),
        seed in 0u64..1000,
    ) {
        let network = perhaps_broken(network, lost);
        let duplex = if is_full { Duplex::Full } else { Duplex::Half };
        let policy = if has_age { policy.with_age() } else { policy };
        let pattern = if seed % 5 == 0 { Pattern::HotSpots(2) } else { Pattern::All };
        let uniform = Uniform { pattern, density, mean: 10.0, sigma, window };
        let is_worm = matches!(switching, SwitchingMethod::Wormhole(_) | SwitchingMethod::Flits(_));
        let adaptive_worm = is_worm && matches!(routing, "pa" | "dfs");
        prop_assume!(!adaptive_worm);
        let drawn = uniform.draw(&network, seed, 0);
        prop_assume!(drawn.is_ok_and(|mission| check(&network, duplex, routing, switching, policy, &mission)));
    }

    /// Routings without a cycle of dependencies between virtual channels deliver every message flit
    /// by flit, with any buffers, and the judge accepts the log.
    #[test]
    fn flits_do_not_deadlock_where_that_is_proved(
        network in proptest::sample::select(&[
            "torus:4x3", "torus:5x5", "ring:5", "ring:6", "mesh:3x3", "hypercube:3", "octagon:8",
            "petersen", "fat-tree:2", "random-regular:10,3,5", "dgx-1v",
        ][..]),
        routing in proptest::sample::select(&["dateline", "escape", "up-down"][..]),
        lanes in 3u32..6,
        buffer in 1u32..5,
        policy in proptest::sample::select(POLICIES),
        is_full in any::<bool>(),
        window in proptest::sample::select(&[0.0, 40.0][..]),
        seed in 0u64..1000,
    ) {
        let network = topology::build(network).unwrap();
        prop_assume!(RoutingMethod::find(routing, &network).is_ok());
        let duplex = if is_full { Duplex::Full } else { Duplex::Half };
        let switching = SwitchingMethod::Flits(FlitRules { lanes, buffer });
        let mission = Uniform { window, ..Uniform::default() }.draw(&network, seed, 0).unwrap();
        prop_assert!(check(&network, duplex, routing, switching, policy, &mission), "deadlock");
    }

    /// A run link by link, by masks of links, or by walks along chains gives the same result as a
    /// run event by event.
    #[test]
    fn a_link_order_does_not_change_the_log(
        network in proptest::sample::select(&[
            "hypercube:4", "mesh:3x4", "tree:2,3", "hyperx:3x3", "mesh:3x2@2", "hypercube:5", "mesh:6x7", "tree:2,5",
            "mesh:6x7@2", "mesh:2x30", "hyperx:3x16",
        ][..]),
        switching in proptest::sample::select(&[
            SwitchingMethod::StoreAndForward, SwitchingMethod::Circuit, SwitchingMethod::CutThrough,
        ][..]),
        policy in proptest::sample::select(POLICIES),
        has_age in any::<bool>(),
        is_full in any::<bool>(),
        window in proptest::sample::select(&[0.0, 40.0][..]),
        sigma in proptest::sample::select(&[0.0, 5.0][..]),
        density in 0.05..1.0,
        has_waits in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let network = topology::build(network).unwrap();
        let duplex = if is_full { Duplex::Full } else { Duplex::Half };
        let policy = if has_age { policy.with_age() } else { policy };
        let routing = RoutingMethod::find("e-cube", &network)
            .or_else(|_| RoutingMethod::find("shortest", &network)).unwrap();
        let simulator = Simulator::new(network.clone(), duplex, routing);
        let uniform = Uniform { density, sigma, window, ..Uniform::default() };
        if let Ok(mut mission) = uniform.draw(&network, seed, 0) {
            if has_waits {
                let pairs: Vec<(u32, u32)> = (1..mission.len() as u32).step_by(3).map(|n| (n, n / 2)).collect();
                mission = mission.with_waits(&pairs);
            }
            let mut memory = Memory::default();
            simulator.route(&mission, 1, &mut memory.routes).unwrap();
            let mut logs = [Log::default(), Log::default()];
            for (log, order) in logs.iter_mut().zip([simulator.order(), None]) {
                let case = Case {
                    mission: &mission, links: simulator.links(), routes: &memory.routes, order, priority: policy,
                };
                switching.run(&case, &mut memory.state, log);
                log.by_message();
                prop_assert!(memory.state.completions.iter().all(|&time| time < u64::MAX));
            }
            prop_assert!(logs[0] == logs[1]);
        }
    }
}

/// Networks, routings and switchings for the second simulator.
const PLAIN: &[(&str, &str, &[SwitchingMethod])] = &[
    ("hypercube:3", "e-cube", ALL),
    ("mesh:3x2@2", "e-cube", ALL),
    ("ring:5", "shortest", ALL),
    ("kautz:2,2", "shortest", ALL),
    ("hypercube:3", "pa", WITHOUT_WORMHOLE),
    ("hypercube:3", "dfs", WITHOUT_WORMHOLE),
];

const ALL: &[SwitchingMethod] = &[
    SwitchingMethod::StoreAndForward,
    SwitchingMethod::Circuit,
    SwitchingMethod::CutThrough,
    SwitchingMethod::Wormhole(1),
    SwitchingMethod::Wormhole(2),
];

const WITHOUT_WORMHOLE: &[SwitchingMethod] =
    &[SwitchingMethod::StoreAndForward, SwitchingMethod::Circuit, SwitchingMethod::CutThrough];

/// The second simulator gives the same log, hold by hold: under every switching and policy, with
/// and without earliest due date, and with simultaneous and spread arrivals.
#[test]
fn a_second_simulator_gives_the_same_log() {
    let uniform = |window, sigma| Uniform { window, sigma, density: 0.7, ..Uniform::default() };
    let draws = [uniform(0.0, 0.0), uniform(0.0, 5.0), uniform(40.0, 0.0), uniform(40.0, 5.0)];
    for (name, routing, switchings) in PLAIN {
        let network = topology::build(name).unwrap();
        for duplex in [Duplex::Half, Duplex::Full] {
            let found = RoutingMethod::find(routing, &network).unwrap();
            let simulator = Simulator::new(network.clone(), duplex, found);
            for (seed, draw) in draws.iter().enumerate() {
                let mission = draw.draw(&network, seed as u64, 0).unwrap();
                for &switching in *switchings {
                    for policy in POLICIES {
                        same_log(&simulator, duplex, &mission, switching, *policy);
                        same_log(&simulator, duplex, &mission, switching, policy.with_age());
                    }
                }
            }
        }
    }
}

/// Runs a mission with both simulators and compares the logs.
fn same_log(
    simulator: &Simulator,
    duplex: Duplex,
    mission: &Mission,
    switching: SwitchingMethod,
    policy: Policy,
) {
    let mut memory = Memory::default();
    let is_fixed = simulator.route(mission, 1, &mut memory.routes).expect("paths are there");
    let channels = |number| {
        let path = memory.routes.path(number).iter();
        path.map(|&channel| ChannelId(channel)).collect()
    };
    let paths = match simulator.routing() {
        RoutingMethod::Adaptive(adaptive) => {
            Paths::Cube { has_detours: adaptive.reach == Reach::Detours }
        }
        _ => Paths::Given((0..mission.len() as u32).map(channels).collect()),
    };
    assert_eq!(is_fixed, matches!(paths, Paths::Given(_)));
    let rule = (policy.name, policy.has_age());
    let second = Plain::new(simulator.network(), duplex, mission.messages(), &paths, rule);
    let expected = second.run(switching);
    let mut log = Log::default();
    simulator.run(mission, switching, policy, &mut memory, &mut log).expect("it runs");
    log.by_message();
    let first = log.holds.iter().zip(&expected).find(|(one, other)| one != other);
    let place = format!("{} {duplex:?} {switching:?} {rule:?}", simulator.network().name());
    assert_eq!((first, log.holds.len()), (None, expected.len()), "{place}");
}

/// Ten thousand messages between few pairs are too many for masks and form long queues; the result
/// is the same.
#[test]
fn repeated_pairs_give_the_same_log() {
    let network = topology::build("hypercube:3").unwrap();
    let message = |number: u32| Message {
        arrival: 0,
        length: u64::from(1 + number * 7919 % 1009),
        source: ProcessorId(number % 4),
        destination: ProcessorId(4 + number % 3),
    };
    let mission = Mission::new(&network, (0..10_000).map(message).collect()).unwrap();
    let routing = RoutingMethod::find("e-cube", &network).unwrap();
    let simulator = Simulator::new(network, Duplex::Half, routing);
    let mut memory = Memory::default();
    simulator.route(&mission, 1, &mut memory.routes).unwrap();
    let mut logs = [Log::default(), Log::default()];
    for (log, order) in logs.iter_mut().zip([simulator.order(), None]) {
        let (links, routes) = (simulator.links(), &memory.routes);
        let priority = Policy::find("lbf").unwrap();
        let case = Case { mission: &mission, links, routes, order, priority };
        SwitchingMethod::Circuit.run(&case, &mut memory.state, log);
        log.by_message();
    }
    assert!(logs[0] == logs[1]);
    assert!(!logs[0].holds.is_empty());
}

/// Mean makespan of the first missions of a seed on a hypercube of 16 processors, density 0.95.
fn mean(routing: &str, switching: SwitchingMethod, policy: &str, missions: u64) -> f64 {
    let network = topology::build("hypercube:4").expect("the case is right");
    let found = RoutingMethod::find(routing, &network).expect("the case is right");
    let simulator = Simulator::new(network, Duplex::Half, found);
    let mut memory = Memory::default();
    let mut total = 0.0;
    for index in 0..missions {
        let mission =
            Uniform::default().draw(simulator.network(), 1, index).expect("the case is right");
        simulator.route(&mission, index, &mut memory.routes).expect("the case is right");
        let policy = Policy::find(policy).expect("the case is right");
        let run = simulator
            .run(&mission, switching, policy, &mut memory, &mut ())
            .expect("the case is right");
        total += ticks::to_units(run.end);
    }
    total / missions as f64
}

/// Table 1 of the paper, and the results of an earlier program with the same rules.
#[test]
fn table_1_comes_out_within_seven_percent_of_the_paper() {
    let table = [
        ("fifo", [231.1, 229.0, 218.5], [223.5, 217.6, 209.6]),
        ("lf", [216.8, 221.4, 202.5], [205.6, 210.2, 198.3]),
        ("smallest-first", [240.5, 233.7, 221.4], [233.4, 220.7, 212.9]),
        ("ff", [199.9, 217.3, 208.7], [196.3, 208.1, 195.5]),
        ("nf", [244.4, 232.7, 219.5], [235.9, 220.5, 214.0]),
        ("lbf", [195.8, 208.2, 195.3], [197.0, 206.5, 195.3]),
        ("sbf", [250.1, 231.5, 226.6], [241.9, 222.4, 218.0]),
    ];
    let switchings =
        [SwitchingMethod::StoreAndForward, SwitchingMethod::Circuit, SwitchingMethod::CutThrough];
    for (policy, paper, earlier) in table {
        for ((switching, paper), earlier) in switchings.into_iter().zip(paper).zip(earlier) {
            let mean = mean("e-cube", switching, policy, 1000);
            assert!((mean / paper - 1.0).abs() < 0.07, "{policy} {switching:?}: {mean}, {paper}");
            assert!(
                (mean / earlier - 1.0).abs() < 0.01,
                "{policy} {switching:?}: {mean}, {earlier}"
            );
        }
    }
}

/// Every message on a ring of four goes clockwise over two links: each header takes one link and
/// waits for the next. A second virtual channel lets them pass.
#[test]
fn headers_in_a_wait_cycle_deadlock() {
    let network = topology::build("ring:4").unwrap();
    let mut lines = String::new();
    for at in 0..4 {
        for to in (0..4).filter(|to| *to != at) {
            lines += &format!("{at},{to},{}\n", (at + 1) % 4);
        }
    }
    let table = parse_table("clockwise", &lines, &network).unwrap();
    let mission = parse("it", "0,0,2,5\n0,1,3,5\n0,2,0,5\n0,3,1,5\n", &network).unwrap();
    let simulator = Simulator::new(network, Duplex::Full, RoutingMethod::Table(table));
    let policy = Policy::find("fifo").unwrap();
    let mut stuck = Vec::new();
    for lanes in [1, 2] {
        let mut memory = Memory::default();
        simulator.route(&mission, 1, &mut memory.routes).unwrap();
        simulator
            .run(&mission, SwitchingMethod::Wormhole(lanes), policy, &mut memory, &mut ())
            .unwrap();
        stuck.push(memory.state.completions.iter().filter(|&&end| end == u64::MAX).count());
    }
    assert_eq!(stuck, [4, 0]);
}

#[test]
fn no_link_carries_messages_for_longer_than_the_makespan() {
    let network = topology::build("mesh:4x4").unwrap();
    let routing = RoutingMethod::find("e-cube", &network).unwrap();
    let simulator = Simulator::new(network, Duplex::Full, routing);
    let mission = Uniform::default().draw(simulator.network(), 1, 0).unwrap();
    let policy = Policy::find("lbf").unwrap();
    for lanes in [1, 2, 8] {
        let switching = SwitchingMethod::Wormhole(lanes);
        let run = simulator.observe(&mission, switching, policy, 1, false).unwrap();
        let loads = run.loads(simulator.links(), &mission, switching);
        let most = loads.into_iter().max();
        // The busiest link carries as much as the bound says.
        assert_eq!(most, run.bounds.map(|bounds| bounds.link), "{lanes}");
        assert!(most <= run.makespan, "{lanes}");
    }
}
