//! Independent-set bound: under store-and-forward a set of processors receives per step at most
//! what its neighbours can send over the channels between them. A maximum flow finds the best set:
//! a number of steps is too small exactly if the flow over that many steps cannot carry everything
//! that is wanted, and the minimum cut then gives the set.

use super::finding::Finding;
use super::words;
use crate::budget::Interrupt;
use crate::flow::Flow;
use pavane_model::{Certificate, Problem, ProcessorId, Switching};

/// Arcs of the flow network up to which the bound is tried.
const MOST_ARCS: usize = 4_000_000;

/// Finds the set of processors that needs the most steps, if that is more than any single processor
/// needs.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    if problem.model().switching != Switching::StoreAndForward {
        return Finding::NotApplicable;
    }
    let exchange = match Exchange::new(problem) {
        Ok(exchange) => exchange,
        Err(why) => return Finding::Skipped { reason: "independent-set", why },
    };
    let alone = exchange.receivers().map(|at| exchange.wanted[at].div_ceil(exchange.receive[at]));
    let mut enough = alone.max().unwrap_or(0);
    let mut found = None;
    while !interrupt.is_raised()
        && let Some(set) = exchange.set_that_needs_more_than(enough)
    {
        let wanted: u64 = set.iter().map(|&at| exchange.wanted[at]).sum();
        let taken_in = exchange.most_in_one_step(&set);
        enough = wanted.div_ceil(taken_in);
        found = Some((set, wanted, taken_in));
    }
    let Some((set, wanted, taken_in)) = found else {
        return Finding::without_result("independent-set", "no flow", interrupt);
    };
    let processors: Vec<ProcessorId> = set.iter().map(|&at| exchange.living[at]).collect();
    let explanation = format!(
        "{} must receive {} from neighbours that can send at most {taken_in} per step, so at least {}",
        words::processors(problem.network(), &processors),
        words::counted(wanted, "message"),
        words::steps(enough),
    );
    Finding::proved(enough, Certificate::IndependentSet { processors }, explanation)
}

/// The flow network of one step, and how many messages each processor wants.
struct Exchange {
    living: Vec<ProcessorId>,
    wanted: Vec<u64>,
    receive: Vec<u64>,
    // Senders, receivers, tails of channels by router, heads of channels by router, source, sink.
    nodes: usize,
    // All arcs except those into the sink, with their capacity per step; `None` is unlimited.
    arcs: Vec<(u32, u32, Option<u32>)>,
}

impl Exchange {
    fn new(problem: &Problem) -> Result<Self, String> {
        let network = problem.network();
        let living: Vec<ProcessorId> = network.living_processors().collect();
        let local: usize = network.routers().map(|r| network.residents(r).len().pow(2)).sum();
        let size = network.channel_count() + local;
        if size > MOST_ARCS {
            return Err(format!(
                "{size} channels and pairs of processors of one router exceed the limit of {MOST_ARCS}"
            ));
        }
        let mut number = vec![0; network.processor_count()];
        for (at, processor) in living.iter().enumerate() {
            number[processor.index()] = at as u32;
        }
        let mut wanted = vec![0; living.len()];
        for message in problem.messages().ids() {
            for to in problem.messages().destinations(message) {
                wanted[number[to.index()] as usize] += 1;
            }
        }
        let count = living.len() as u32;
        let leave = |router: u32| 2 * count + router;
        let enter = |router: u32| 2 * count + network.router_count() as u32 + router;
        let nodes = 2 * living.len() + 2 * network.router_count() + 2;
        let source = nodes as u32 - 2;
        let mut arcs = Vec::new();
        for (at, &processor) in living.iter().enumerate() {
            let at = at as u32;
            let home = problem.home(processor);
            arcs.push((source, at, Some(problem.send_ports(processor))));
            arcs.push((at, leave(home.0), None));
            arcs.push((enter(home.0), count + at, None));
            // Processors of one router exchange messages without a channel.
            for other in network.residents(home).iter().filter(|&&other| other != processor) {
                arcs.push((at, count + number[other.index()], None));
            }
        }
        let channels = network.channels().iter();
        arcs.extend(channels.map(|c| (leave(c.tail.0), enter(c.head.0), Some(1))));
        let receive = living.iter().map(|&p| problem.receive_ports(p).into()).collect();
        Ok(Self { living, wanted, receive, nodes, arcs })
    }

    /// Indices of the processors that want messages.
    fn receivers(&self) -> impl Iterator<Item = usize> {
        (0..self.living.len()).filter(|&at| self.wanted[at] > 0)
    }

    /// The maximum flow of `steps` steps and its amount; processor `at` receives at most
    /// `room(at)`.
    fn flow(&self, steps: u64, room: impl Fn(usize) -> u64) -> (Flow, u64) {
        let narrow = |capacity: u64| u32::try_from(capacity).unwrap_or(u32::MAX);
        let within = self.arcs.iter().map(|&(tail, head, capacity)| {
            let capacity = capacity.map_or(u64::MAX, |capacity| u64::from(capacity) * steps);
            (tail, head, narrow(capacity))
        });
        let out = (0..self.living.len())
            .map(|at| ((self.living.len() + at) as u32, self.nodes as u32 - 1, narrow(room(at))));
        let arcs: Vec<_> = within.chain(out).collect();
        let mut flow = Flow::new(self.nodes, &arcs);
        let amount = flow.push(self.nodes - 2, self.nodes - 1, u64::MAX);
        (flow, amount)
    }

    /// A set that cannot receive what it wants within `steps` steps; `None` if every set can.
    fn set_that_needs_more_than(&self, steps: u64) -> Option<Vec<usize>> {
        let (flow, amount) = self.flow(steps, |at| self.wanted[at]);
        if amount == self.wanted.iter().sum::<u64>() {
            return None;
        }
        let side = flow.side_of(self.nodes - 2);
        Some(self.receivers().filter(|at| !side[self.living.len() + at]).collect())
    }

    fn most_in_one_step(&self, set: &[usize]) -> u64 {
        let mut room = vec![0; self.living.len()];
        for &at in set {
            room[at] = self.receive[at];
        }
        self.flow(1, |at| room[at]).1
    }
}
