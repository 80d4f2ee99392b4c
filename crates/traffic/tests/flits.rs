//! Claims about wormhole switching flit by flit: idle latency, deadlock and its absence, and the
//! saturation of a mesh at the limit of its bisection.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::{Duplex, ProcessorId};
use pavane_networks::topology;
use pavane_traffic::flits::saturation::measure_curve;
use pavane_traffic::flits::{FlitRules, LimitingResource, Load, LoadPoint, Phases, message_load};
use pavane_traffic::mission::{Pattern, Permutation, Uniform};
use pavane_traffic::statistics::Estimate;
use pavane_traffic::{
    Memory, Message, Mission, Policy, RoutingMethod, Simulator, SwitchingMethod, TrafficError,
    ticks,
};

fn simulator(network: &str, routing: &str) -> Simulator {
    let network = topology::build(network).unwrap();
    let routing = RoutingMethod::find(routing, &network).unwrap();
    Simulator::new(network, Duplex::Full, routing)
}

fn flits(lanes: u32, buffer: u32) -> SwitchingMethod {
    SwitchingMethod::Flits(FlitRules { lanes, buffer })
}

/// Delivery times in cycles; `None` for a deadlock.
fn delivered(
    simulator: &Simulator,
    mission: &Mission,
    switching: SwitchingMethod,
) -> Vec<Option<f64>> {
    let mut memory = Memory::default();
    let policy = Policy::find("fifo").unwrap();
    simulator.route(mission, 1, &mut memory.routes).unwrap();
    simulator.run(mission, switching, policy, &mut memory, &mut ()).unwrap();
    let ends = memory.state.completions.iter();
    ends.map(|&end| (end != u64::MAX).then(|| ticks::to_units(end))).collect()
}

#[test]
fn an_idle_network_takes_a_cycle_per_hop_and_per_flit() {
    let simulator = simulator("mesh:4x4", "e-cube");
    for (length, buffer) in [(1.0, 1), (5.0, 2), (4.5, 2), (20.0, 8)] {
        let message = Message {
            arrival: 0,
            length: ticks::from_units(length),
            source: ProcessorId(0),
            destination: ProcessorId(15),
        };
        let mission = Mission::new(simulator.network(), vec![message]).unwrap();
        // Six hops, the way to the first router, and the last flits.
        let expected = 6.0 + 1.0 + length.ceil();
        assert_eq!(delivered(&simulator, &mission, flits(1, buffer)), [Some(expected)]);
    }
}

#[test]
fn a_buffer_of_one_flit_halves_the_rate() {
    let simulator = simulator("path:3", "shortest");
    let message = Message {
        arrival: 0,
        length: ticks::from_units(10.0),
        source: ProcessorId(0),
        destination: ProcessorId(2),
    };
    let mission = Mission::new(simulator.network(), vec![message]).unwrap();
    assert_eq!(delivered(&simulator, &mission, flits(1, 2)), [Some(13.0)]);
    assert_eq!(delivered(&simulator, &mission, flits(1, 1)), [Some(22.0)]);
}

/// Every processor sends ten flits to the one two places further in its row.
fn shift(simulator: &Simulator, row: u32) -> Mission {
    let processors = 0..simulator.network().processor_count() as u32;
    let message = |source| Message {
        arrival: 0,
        length: ticks::from_units(10.0),
        source: ProcessorId(source),
        destination: ProcessorId(source / row * row + (source % row + 2) % row),
    };
    Mission::new(simulator.network(), processors.map(message).collect()).unwrap()
}

#[test]
fn a_ring_deadlocks_without_datelines() {
    let uniform = Uniform { density: 1.0, sigma: 0.0, ..Uniform::default() };
    for (name, row) in [("ring:5", 5), ("ring:8", 8), ("torus:5x5", 5)] {
        let plain = simulator(name, "shortest");
        let all = uniform.draw(plain.network(), 1, 0).unwrap();
        let shift = shift(&plain, row);
        assert_eq!(delivered(&plain, &shift, flits(1, 2)), vec![None; shift.len()], "{name}");
        for (routing, lanes) in [("dateline", 2), ("escape", 3)] {
            let free = simulator(name, routing);
            for mission in [&all, &shift] {
                let ends = delivered(&free, mission, flits(lanes, 2));
                assert!(ends.iter().all(Option::is_some), "{name} {routing}");
            }
        }
    }
}

#[test]
fn classes_need_virtual_channels() {
    for (routing, lanes) in [("dateline", 1), ("escape", 2)] {
        let simulator = simulator("ring:5", routing);
        let mission = Uniform::default().draw(simulator.network(), 1, 0).unwrap();
        let policy = Policy::find("fifo").unwrap();
        let run = |switching| {
            let mut memory = Memory::default();
            simulator.route(&mission, 1, &mut memory.routes).unwrap();
            simulator.run(&mission, switching, policy, &mut memory, &mut ()).is_err()
        };
        assert!(run(flits(lanes, 2)));
        assert!(!run(flits(lanes + 1, 2)));
        // Without buffers there are no classes.
        assert!(run(SwitchingMethod::Wormhole(4)));
    }
}

const PHASES: Phases = Phases { warm_up: 1000, measurement: 4000, drain: 5000 };

fn load(rate: f64) -> Load {
    Load { rate, flits: 4, pattern: Pattern::All, phases: PHASES, seed: 1 }
}

fn point(simulator: &Simulator, switching: SwitchingMethod, rate: f64) -> LoadPoint {
    message_load(&load(rate), simulator, switching, Policy::find("fifo").unwrap()).unwrap()
}

/// 32 of 64 processors send 32 of 63 messages to the other half, over 8 channels.
const BISECTION: f64 = 8.0 * 63.0 / (32.0 * 32.0);

#[test]
fn a_mesh_saturates_at_the_limit_of_its_bisection() {
    let mesh = simulator("mesh:8x8", "e-cube");
    assert!((load(0.1).limit(&mesh, flits(8, 8)).unwrap().load - BISECTION).abs() < 1e-9);
    let below = point(&mesh, flits(8, 8), 0.91 * BISECTION);
    assert!(!below.is_saturated(), "{below:?}");
    assert!((below.accepted / below.offered - 1.0).abs() < 0.02, "{below:?}");
    let above = point(&mesh, flits(8, 8), 1.1 * BISECTION);
    assert!(above.is_saturated() && above.deadlocked == 0, "{above:?}");
    assert!((0.9..1.01).contains(&(above.accepted / BISECTION)), "{above:?}");
}

#[test]
fn datelines_use_both_directions_of_a_torus_alike() {
    // Two cuts of 8 channels in each direction: twice the limit of a mesh.
    let torus = simulator("torus:8x8", "dateline");
    assert!((load(0.1).limit(&torus, flits(8, 8)).unwrap().load - 2.0 * BISECTION).abs() < 1e-9);
    let below = point(&torus, flits(8, 8), 0.85 * 2.0 * BISECTION);
    assert!(!below.is_saturated(), "{below:?}");
    // Both classes of virtual channels carry messages.
    let below = point(&torus, flits(2, 8), 0.62 * 2.0 * BISECTION);
    assert!(!below.is_saturated(), "{below:?}");
}

#[test]
fn a_load_above_the_limit_of_one_link_saturates() {
    // Up*/down* sends much through one link, which is 5 % of all that is carried.
    let octagon = simulator("octagon:16", "up-down");
    let limit = load(0.1).limit(&octagon, flits(8, 8)).unwrap();
    assert!(matches!(limit.resource, LimitingResource::Link(_)), "{limit:?}");
    let phases = Phases { warm_up: 500, measurement: 1500, drain: 5000 };
    let measured = |share: f64| {
        let load = Load { phases, ..load(share * limit.load) };
        message_load(&load, &octagon, flits(8, 8), Policy::find("fifo").unwrap()).unwrap()
    };
    let above = measured(1.04);
    assert!(above.is_saturated(), "{above:?}");
    let below = measured(0.8);
    assert!(!below.is_saturated() && !below.exceeds_limit && !below.grows, "{below:?}");
}

#[test]
fn loads_and_limits_are_those_of_the_processors_that_send() {
    let mesh = simulator("mesh:4x4", "e-cube");
    // The hot spot sends nothing; the other 15 processors send it at most one flit per cycle.
    let spot = Load { pattern: Pattern::HotSpots(1), ..load(0.05) };
    let limit = spot.limit(&mesh, flits(8, 8)).unwrap();
    assert!((limit.load - 1.0 / 15.0).abs() < 1e-9, "{limit:?}");
    assert!(matches!(limit.resource, LimitingResource::Receiver(_)), "{limit:?}");
    let found = message_load(&spot, &mesh, flits(8, 8), Policy::find("fifo").unwrap()).unwrap();
    assert!((found.offered / 0.05 - 1.0).abs() < 0.1, "{found:?}");
    // Message by message there are no ports, so that a link is the limit.
    let limit = spot.limit(&mesh, SwitchingMethod::StoreAndForward).unwrap();
    assert!(limit.load > 1.0 / 15.0 && matches!(limit.resource, LimitingResource::Link(_)));
    // Under a permutation all processors send.
    let permutation = Load { pattern: Pattern::Permutation(Permutation::Random), ..load(0.2) };
    let found = message_load(&permutation, &mesh, flits(8, 8), Policy::find("fifo").unwrap());
    let found = found.unwrap();
    assert!((found.offered / 0.2 - 1.0).abs() < 0.05, "{found:?}");
}

#[test]
fn light_load_has_the_latency_of_an_idle_network() {
    let mesh = simulator("mesh:8x8", "e-cube");
    let light = point(&mesh, flits(8, 8), 0.01);
    // Mean distance 16/3, the way to the first router, four flits.
    let latency = light.mean().unwrap().mean;
    assert!((latency - (16.0 / 3.0 + 1.0 + 4.0)).abs() < 0.4, "{latency}");
    assert_eq!(light, point(&mesh, flits(8, 8), 0.01));
}

#[test]
fn a_deadlock_in_a_steady_state_is_counted() {
    let plain = point(&simulator("ring:8", "shortest"), flits(1, 2), 0.3);
    assert!(plain.deadlocked > 0 && plain.unfinished > 0 && plain.is_saturated(), "{plain:?}");
    let free = point(&simulator("ring:8", "dateline"), flits(4, 4), 0.3);
    assert_eq!((free.deadlocked, free.unfinished), (0, 0), "{free:?}");
}

#[test]
fn messages_have_load_curves_too() {
    let mesh = simulator("mesh:4x4", "e-cube");
    for switching in [SwitchingMethod::StoreAndForward, SwitchingMethod::CutThrough] {
        let light = point(&mesh, switching, 0.1);
        assert!(!light.is_saturated(), "{light:?}");
        let heavy = point(&mesh, switching, 1.0);
        assert!(heavy.is_saturated() || heavy.accepted > 0.9, "{heavy:?}");
    }
}

/// A measurement of a network that saturates at a load.
fn invented(rate: f64, limit: f64) -> LoadPoint {
    LoadPoint {
        rate,
        offered: rate,
        accepted: rate.min(limit),
        latency: Some(Estimate { mean: 10.0, half_width: None, count: 1000 }),
        unfinished: u64::from(rate > limit),
        deadlocked: 0,
        cycles: 1000,
        grows: false,
        exceeds_limit: false,
    }
}

#[test]
fn a_network_that_saturates_at_the_first_rate_is_measured_below_it() {
    let found = measure_curve(&[0.1, 0.2], |rate| Ok(invented(rate, 0.007))).unwrap();
    let found = found.saturation.unwrap();
    assert!(0.0 < found.stable && found.stable <= 0.007 && 0.007 < found.saturated, "{found:?}");
    // The search ends if every rate saturates the network, and if there is nothing to measure.
    let curve = measure_curve(&[0.1], |rate| Ok(invented(rate, 0.0))).unwrap();
    assert_eq!(curve.saturation.unwrap().stable, 0.0);
    assert!(curve.points.len() < 12);
    let curve = measure_curve(&[0.1], |rate| {
        if rate < 0.1 {
            return Err(TrafficError::NothingMeasured { warm_up: 0.0, duration: 1.0 });
        }
        Ok(invented(rate, 0.0))
    });
    assert_eq!(curve.unwrap().points.len(), 1);
}

#[test]
fn impossible_measurements_are_refused() {
    let mesh = simulator("mesh:4x4", "e-cube");
    let refused = |load: Load, switching| {
        message_load(&load, &mesh, switching, Policy::find("fifo").unwrap()).unwrap_err()
    };
    for rate in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        let error = refused(load(rate), flits(8, 8));
        assert!(error.to_string().contains("the rate is"), "{error}");
    }
    let rare = refused(load(1e-12), flits(8, 8));
    assert!(matches!(rare, TrafficError::NothingMeasured { .. }), "{rare}");
    let phases = |warm_up, measurement, drain| Load {
        phases: Phases { warm_up, measurement, drain },
        ..load(0.5)
    };
    let long = 1_000_000_000;
    let error = refused(phases(2 * long, 1000, 0), flits(8, 8));
    assert!(error.to_string().contains("the warm-up is 2000000000"), "{error}");
    // In an idle network a message takes 6 + 4 + 1 cycles.
    for drain in [0, 109] {
        let error = refused(phases(0, 1000, drain), flits(8, 8)).to_string();
        assert!(error.contains("at least 110 cycles"), "{error}");
    }
    for switching in [flits(8, 8), SwitchingMethod::Circuit] {
        let error = refused(phases(0, long, long), switching);
        assert!(matches!(error, TrafficError::TooManyMessages { .. }), "{error}");
    }
    let error = refused(load(0.5), flits(u32::MAX, u32::MAX));
    assert!(error.to_string().contains("in this network"), "{error}");
}

#[test]
fn the_search_stops_at_saturation() {
    let mut tried = Vec::new();
    let curve = measure_curve(&[0.1, 0.2, 0.3, 0.4, 0.5], |rate| {
        tried.push(rate);
        Ok(invented(rate, 0.27))
    })
    .unwrap();
    let found = curve.saturation.unwrap();
    assert!(found.stable <= 0.27 && 0.27 < found.saturated, "{found:?}");
    assert!(found.saturated - found.stable <= 0.01 * found.saturated, "{found:?}");
    assert_eq!(found.accepted, found.stable);
    assert!(tried.iter().all(|&rate| rate <= 0.3 + 1e-9), "{tried:?}");
    assert!(curve.points.is_sorted_by_key(|point| point.rate));
}
