//! Latency and accepted load at an offered load. Messages of a fixed number of flits arrive at every
//! processor by a Poisson process. After a warm-up, the messages that arrive during the measurement
//! are followed until they are delivered; others keep arriving meanwhile, until the end of the drain
//! phase.

use super::destinations::Destinations;
use super::fabric::{Delivery, Fabric, Packet};
use super::{FlitRouting, FlitRules, LoadLimit};
use crate::error::{MOST_MESSAGES, TrafficError};
use crate::mission::{Message, Mission, Pattern, Uniform};
use crate::policy::Policy;
use crate::rng::TrafficRng;
use crate::simulator::{Memory, RoutingMethod, Simulator};
use crate::statistics::Estimate;
use crate::steady::PARTS;
use crate::switching::SwitchingMethod;
use crate::ticks;
use crate::trend::grows;
use pavane_model::{Network, ProcessorId, quantity};
use serde::{Deserialize, Serialize};

/// The phases of a measurement, in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phases {
    /// Messages that arrive in this time are not measured.
    pub warm_up: u64,
    /// Messages that arrive in this time are measured.
    pub measurement: u64,
    /// Time after the measurement in which measured messages can still be delivered.
    pub drain: u64,
}

impl Default for Phases {
    fn default() -> Self {
        Self { warm_up: 2_000, measurement: 18_000, drain: 20_000 }
    }
}

/// An offered load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Flits per cycle of every processor that sends.
    pub rate: f64,
    /// Flits per message.
    pub flits: u32,
    /// Which processors send to which.
    pub pattern: Pattern,
    /// The phases.
    pub phases: Phases,
    /// Random seed.
    pub seed: u64,
}

/// Result of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// The requested load in flits per sending processor and cycle.
    pub rate: f64,
    /// Load of the messages that arrived during the measurement, in flits per sending processor and
    /// cycle.
    pub offered: f64,
    /// Flits delivered during the measurement, per sending processor and cycle.
    pub accepted: f64,
    /// Latency of the measured messages that were delivered before the end of the drain phase, from
    /// arrival to the last flit, in cycles. It is that of all only if `unfinished` is 0.
    pub latency: Option<Estimate>,
    /// Number of measured messages that were not delivered before the end of the drain phase.
    pub unfinished: u64,
    /// Number of messages in a deadlock.
    pub deadlocked: u64,
    /// Time of the measurement in cycles.
    pub cycles: u64,
    /// Whether latencies grow during the measurement.
    pub grows: bool,
    /// Whether the requested load exceeds the limit of a resource; never if paths are not fixed.
    pub exceeds_limit: bool,
}

/// Share of the offered load that a saturated network does not accept.
const REJECTED: f64 = 0.01;

/// Standard deviations of the number of messages in the network that are ascribed to chance.
const DEVIATIONS: f64 = 3.0;

impl LoadPoint {
    /// Number of measured messages that were delivered.
    pub fn finished(&self) -> u64 {
        self.latency.map_or(0, |latency| latency.count as u64)
    }

    /// Mean latency of all measured messages; `None` if some were not delivered.
    pub fn mean(&self) -> Option<Estimate> {
        self.latency.filter(|_| self.unfinished == 0)
    }

    /// Whether the network cannot carry the offered load: it exceeds the limit of a resource, measured
    /// messages were not delivered in time, latencies grow during the measurement, or at least 1 % of
    /// the load was not accepted. The messages in the network at the
    /// beginning and at the end of a measurement differ by chance; three standard deviations are
    /// allowed for this.
    pub fn is_saturated(&self) -> bool {
        let is_stuck = self.deadlocked > 0 || self.grows || self.exceeds_limit;
        let Some(mean) = self.mean().filter(|_| !is_stuck) else { return true };
        let messages = mean.count as f64;
        let rejected = messages * (1.0 - self.accepted / self.offered);
        // Little's law; the number in the network varies about as that of a Poisson process.
        let inside = messages / self.cycles as f64 * mean.mean;
        rejected > REJECTED * messages + DEVIATIONS * (2.0 * inside).sqrt()
    }
}

/// Largest number of flits per message.
const MOST_FLITS: u32 = 10_000;
/// The drain phase is at least this many times as long as a message takes in an idle network: near
/// saturation messages wait for others.
const DRAINS: u64 = 10;
/// Longest phase in cycles.
const MOST_CYCLES: u64 = 1_000_000_000;

impl Load {
    /// Checks the ranges of the parameters.
    pub fn check(&self, network: &Network) -> Result<(), TrafficError> {
        let wrong = |what: &str, value: String, range: String| {
            Err(TrafficError::OutOfRange { what: what.to_owned(), value, range })
        };
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            let range = "more than 0 and at most 1 flit per processor and cycle".to_owned();
            return wrong("the rate", quantity::shown(self.rate), range);
        }
        if !(1..=MOST_FLITS).contains(&self.flits) {
            let range = format!("from 1 to {MOST_FLITS}");
            return wrong("the number of flits", self.flits.to_string(), range);
        }
        let Phases { warm_up, measurement, drain } = self.phases;
        let phases = [
            ("the warm-up", warm_up, 0),
            ("the time between warm-up and end of the measurement", measurement, PARTS),
            ("the drain phase", drain, 0),
        ];
        for (what, cycles, least) in phases {
            if !(least..=MOST_CYCLES).contains(&cycles) {
                let range = format!("from {least} to {MOST_CYCLES} cycles");
                return wrong(what, cycles.to_string(), range);
            }
        }
        let most = DRAINS * (network.router_count() as u64 + u64::from(self.flits));
        let idle = if drain < most { self.idle_latency(network) } else { 0 };
        if drain < DRAINS * idle {
            let range = format!(
                "at least {} cycles: a message takes up to {idle} cycles in an idle network, and one that is not delivered in this phase counts as a sign of saturation",
                DRAINS * idle
            );
            return wrong("the drain phase", drain.to_string(), range);
        }
        let processors = network.living_processors().count();
        if processors < 2 {
            return wrong("the number of processors", processors.to_string(), "at least 2".into());
        }
        let cycles = (warm_up + measurement + drain) as f64;
        let expected = processors as f64 * cycles * self.rate / f64::from(self.flits);
        if expected > MOST_MESSAGES as f64 {
            return Err(TrafficError::TooManyMessages { count: expected as u64 });
        }
        Uniform { pattern: self.pattern, ..Uniform::default() }.check(network)
    }

    /// Latency of the longest way of a message in an idle network, flit by flit.
    fn idle_latency(&self, network: &Network) -> u64 {
        let hops = |router| network.distances_from(router).into_iter().filter(|&it| it != u32::MAX);
        let homes = network.routers().filter(|&router| !network.residents(router).is_empty());
        let longest = homes.flat_map(hops).max().unwrap_or(0);
        u64::from(longest) + u64::from(self.flits) + 1
    }

    /// The load at which a link or, flit by flit, a port of a processor is always in use; `None` if
    /// the paths are not fixed. Message by message, ports are unlimited.
    pub fn limit(&self, simulator: &Simulator, switching: SwitchingMethod) -> Option<LoadLimit> {
        let has_ports = matches!(switching, SwitchingMethod::Flits(_));
        self.pattern.limit(simulator, has_ports, self.seed)
    }

    /// The arrivals at every processor that sends.
    fn sources(&self, network: &Network) -> Vec<PoissonSource> {
        let source = |destinations: Destinations| {
            let mut rng = TrafficRng::stream(self.seed, 1 + destinations.place as u64);
            let interval = f64::from(self.flits) / self.rate;
            let next = interval * rng.exponential();
            PoissonSource { destinations, rng, interval, next }
        };
        let all = Destinations::list(self.pattern, network, self.seed);
        all.into_iter().map(source).collect()
    }
}

/// The arrival process of a processor.
struct PoissonSource {
    destinations: Destinations,
    rng: TrafficRng,
    interval: f64,
    /// Time of the next arrival.
    next: f64,
}

impl PoissonSource {
    /// The destination of the next message, if it arrives before the end of a cycle.
    fn arrival(&mut self, now: u64) -> Option<ProcessorId> {
        if self.next >= (now + 1) as f64 {
            return None;
        }
        self.next += self.interval * self.rng.exponential();
        let place = self.rng.below(self.destinations.count());
        Some(self.destinations.target(place))
    }
}

/// Sums of a measurement.
struct Measurement {
    phases: Phases,
    /// Number of processors that send.
    senders: f64,
    exceeds_limit: bool,
    /// Latencies by batch: sum in ticks, and count.
    sums: Vec<(u128, u64)>,
    width: u64,
    offered: u64,
    accepted: u64,
    /// Measured messages that have arrived and not been delivered.
    open: u64,
}

impl Measurement {
    fn new(load: &Load, simulator: &Simulator, switching: SwitchingMethod, senders: usize) -> Self {
        let phases = load.phases;
        let limit = load.limit(simulator, switching);
        Self {
            phases,
            senders: senders as f64,
            // Rates at the limit are allowed in spite of rounding.
            exceeds_limit: limit.is_some_and(|limit| load.rate > limit.load * (1.0 + 1e-9)),
            sums: vec![(0, 0); PARTS as usize],
            width: phases.measurement.div_ceil(PARTS),
            offered: 0,
            accepted: 0,
            open: 0,
        }
    }

    /// Whether a cycle belongs to the measurement.
    fn contains(&self, cycle: u64) -> bool {
        (self.phases.warm_up..self.phases.warm_up + self.phases.measurement).contains(&cycle)
    }

    fn arrive(&mut self, cycle: u64, flits: u32) {
        if self.contains(cycle) {
            self.offered += u64::from(flits);
            self.open += 1;
        }
    }

    /// Counts a message that arrived in a cycle and was delivered after `latency` ticks.
    fn deliver(&mut self, birth: u64, latency: u64) {
        if self.contains(birth) {
            let part = ((birth - self.phases.warm_up) / self.width).min(PARTS - 1) as usize;
            self.sums[part].0 += u128::from(latency);
            self.sums[part].1 += 1;
            self.open -= 1;
        }
    }

    /// The result. Fails if no message arrived.
    fn point(&self, rate: f64, deadlocked: u64) -> Result<LoadPoint, TrafficError> {
        if self.offered == 0 {
            let Phases { warm_up, measurement, .. } = self.phases;
            let (warm_up, duration) = (warm_up as f64, (warm_up + measurement) as f64);
            return Err(TrafficError::NothingMeasured { warm_up, duration });
        }
        let per_cycle = |flits: u64| flits as f64 / self.senders / self.phases.measurement as f64;
        Ok(LoadPoint {
            rate,
            offered: per_cycle(self.offered),
            accepted: per_cycle(self.accepted),
            latency: Estimate::of_batches(&self.sums),
            unfinished: self.open,
            deadlocked,
            cycles: self.phases.measurement,
            grows: grows(&self.sums),
            exceeds_limit: self.exceeds_limit,
        })
    }
}

/// Measures a load flit by flit. Older messages go first among those with equal keys.
fn flit_load(
    load: &Load,
    simulator: &Simulator,
    routing: FlitRouting<'_>,
    rules: FlitRules,
    policy: Policy,
) -> Result<LoadPoint, TrafficError> {
    let (network, links) = (simulator.network(), simulator.links());
    let mut fabric = Fabric::new(network, links, routing, policy, rules);
    let mut sources = load.sources(network);
    let switching = SwitchingMethod::Flits(rules);
    let mut sums = Measurement::new(load, simulator, switching, sources.len());
    let Phases { warm_up, measurement, drain } = load.phases;
    let mut now = 0;
    let mut is_idle = false;
    while now < warm_up + measurement || sums.open > 0 && now < warm_up + measurement + drain {
        for source in &mut sources {
            while let Some(destination) = source.arrival(now) {
                sums.arrive(now, load.flits);
                fabric.add(Packet::new(
                    0,
                    [source.destinations.processor, destination],
                    now,
                    load.flits,
                ));
            }
        }
        is_idle = !fabric.cycle(now, &mut ());
        if sums.contains(now) {
            sums.accepted += fabric.flits_out;
        }
        for &Delivery { packet, time } in &fabric.delivered {
            sums.deliver(packet.birth, (time - packet.birth) * ticks::UNIT);
        }
        now += 1;
    }
    // Without further arrivals, a network without a deadlock empties itself.
    fabric.forget_queues();
    while fabric.in_flight > 0 && !is_idle {
        is_idle = !fabric.cycle(now, &mut ());
        now += 1;
    }
    sums.point(load.rate, fabric.in_flight as u64)
}

/// Measures a load under any switching: flit by flit under [`SwitchingMethod::Flits`], message by
/// message otherwise. Policies are combined with earliest due date.
pub fn message_load(
    load: &Load,
    simulator: &Simulator,
    switching: SwitchingMethod,
    policy: Policy,
) -> Result<LoadPoint, TrafficError> {
    let (network, policy) = (simulator.network(), policy.with_age());
    load.check(network)?;
    if let SwitchingMethod::Flits(rules) = switching {
        let routing = match simulator.routing() {
            RoutingMethod::Table(table) => FlitRouting::Table(table),
            RoutingMethod::Escape(routing) => FlitRouting::Escape(routing),
            _ => {
                return Err(TrafficError::Combination(
                    "steady states flit by flit need a routing table or escape routing".to_owned(),
                ));
            }
        };
        routing.check(rules, network)?;
        return flit_load(load, simulator, routing, rules, policy);
    }
    let Phases { warm_up, measurement, drain } = load.phases;
    let limit = warm_up + measurement + drain;
    let sources = load.sources(network);
    let mut sums = Measurement::new(load, simulator, switching, sources.len());
    let mut messages = Vec::new();
    let length = u64::from(load.flits) * ticks::UNIT;
    for mut source in sources {
        loop {
            let arrival = source.next;
            let Some(destination) = source.arrival(limit - 1) else { break };
            let (arrival, source) = (ticks::from_units(arrival), source.destinations.processor);
            messages.push(Message { arrival, length, source, destination });
        }
    }
    messages.sort_by_key(|message| (message.arrival, message.source, message.destination));
    let mission = Mission::new(network, messages)?;
    let mut memory = Memory::default();
    simulator.route(&mission, load.seed, &mut memory.routes)?;
    simulator.run(&mission, switching, policy, &mut memory, &mut ())?;
    let mut stuck = 0;
    for (message, &end) in mission.messages().iter().zip(&memory.state.completions) {
        let birth = message.arrival / ticks::UNIT;
        sums.arrive(birth, load.flits);
        let is_stuck = end == u64::MAX;
        stuck += u64::from(is_stuck);
        if !is_stuck && end <= limit * ticks::UNIT {
            sums.deliver(birth, end - message.arrival);
        }
        if !is_stuck && sums.contains((end - 1) / ticks::UNIT) {
            sums.accepted += u64::from(load.flits);
        }
    }
    sums.point(load.rate, stuck)
}
