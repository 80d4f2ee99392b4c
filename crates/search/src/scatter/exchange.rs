//! Reduction of an all-to-all on fat nodes to an exchange between routers, and its expansion. In
//! the exchange every router has one processor with the ports of all its processors, and sends the
//! same number of messages to every other router. Its schedule is repeated until every pair of
//! processors has a message. Which processors of its routers a message belongs to is decided
//! afterwards: edge colourings (Kőnig) always find places so that no port is used twice.

mod places;

use crate::routers::{residents_per_router, slim};
use pavane_model::{
    Collective, Kind, MessageId, Model, Ports, Problem, ProcessorId, Schedule, Switching, Transfer,
};
use places::{PlaceAssignment, TransferPlaces};

/// Number of processors per router, if the problem is a complete all-to-all and every router that
/// has processors has the same number of them, more than one.
pub(super) fn places(problem: &Problem) -> Option<usize> {
    let (network, messages) = (problem.network(), problem.messages());
    let living = network.living_processors().count();
    let places = residents_per_router(network).filter(|&n| n > 1 && n < living)?;
    let is_complete = messages.len() == living * (living - 1)
        && problem.collective().kind == Kind::Scatter
        && problem.collective().senders.len() == living;
    is_complete.then_some(places)
}

/// The exchange between routers that stands for an all-to-all on fat nodes.
#[derive(Debug)]
pub(crate) struct RouterExchange {
    places: usize,
    /// The exchange with one message per pair of routers.
    pub single: Problem,
}

impl RouterExchange {
    /// Reduces a problem; `None` if it has no exchange.
    pub fn new(problem: &Problem) -> Option<Self> {
        let places = places(problem)?;
        let network = slim(problem.network())?;
        let all: Vec<ProcessorId> = network.living_processors().collect();
        let collective = Collective::between(Kind::Scatter, "exchange", all.clone(), all);
        let model = slim_model(problem.model(), places as u32);
        let single = Problem::with_limit(network, collective, model, u64::MAX).ok()?;
        Some(Self { places, single })
    }

    /// How often the exchange with one message per pair is repeated.
    pub fn copies(&self) -> u32 {
        (self.places * self.places) as u32
    }

    /// Messages between the processors of a router.
    pub fn inner_messages(&self) -> u32 {
        (self.places * (self.places - 1)) as u32
    }

    /// The exchange with `count` messages per pair.
    pub fn multiplied(&self, count: u32) -> Option<Problem> {
        let collective = self.single.collective().in_chunks(count);
        let (network, model) = (self.single.network().clone(), self.single.model());
        Problem::with_limit(network, collective, model, u64::MAX).ok()
    }

    /// Expands a schedule of the exchange with `count` messages per pair to the whole problem.
    pub fn expand(&self, problem: &Problem, count: u32, found: &Schedule) -> Option<Schedule> {
        let exchange = &self.single;
        let is_forwarding = exchange.model().switching == Switching::StoreAndForward;
        let places = PlaceAssignment::assign(problem, exchange, self.places, count, found);
        let ids = Ids::new(problem);
        let messages = exchange.messages();
        let residents =
            |processor: ProcessorId| problem.network().residents(exchange.home(processor));
        let inside = places.inside(problem, exchange);
        let mut inside = inside.iter().peekable();
        let repetitions = self.copies() / count;
        let mut schedule = Schedule::new();
        let mut number = 0;
        for repetition in 0..repetitions {
            let mut at = 0;
            for step in 0..found.step_count() {
                schedule.start_step();
                for transfer in found.step(step) {
                    let whole = MessageId(transfer.message.0 / count);
                    let (origin, to) = (messages.origin(whole), messages.destinations(whole)[0]);
                    let TransferPlaces { ends, hop } = places.of(repetition, at);
                    at += 1;
                    debug_assert!(is_forwarding || transfer.from == origin, "wormhole is direct");
                    schedule.push(Transfer {
                        message: ids.of(residents(origin)[ends.0], residents(to)[ends.1])?,
                        from: residents(transfer.from)[hop.0],
                        to: residents(transfer.to)[hop.1],
                        path: transfer.path,
                    });
                }
                while let Some(&(_, from, to)) = inside.next_if(|place| place.0 == number) {
                    schedule.push(Transfer { message: ids.of(from, to)?, from, to, path: &[] });
                }
                number += 1;
            }
        }
        while inside.peek().is_some() {
            schedule.start_step();
            while let Some(&(_, from, to)) = inside.next_if(|place| place.0 == number) {
                schedule.push(Transfer { message: ids.of(from, to)?, from, to, path: &[] });
            }
            number += 1;
        }
        Some(schedule)
    }
}

/// The rules of the exchange: a router has the ports of all its processors.
fn slim_model(model: Model, places: u32) -> Model {
    match model.ports {
        Ports::Limited(ports) => {
            Model { ports: Ports::Limited(ports.saturating_mul(places)), ..model }
        }
        Ports::All => model,
    }
}

/// Looks up a message by its origin and destination.
struct Ids {
    /// Per origin, its messages sorted by destination.
    of_origin: Vec<Vec<(ProcessorId, MessageId)>>,
}

impl Ids {
    fn new(problem: &Problem) -> Self {
        let messages = problem.messages();
        let mut of_origin = vec![Vec::new(); problem.network().processor_count()];
        for message in messages.ids() {
            let to = messages.destinations(message)[0];
            of_origin[messages.origin(message).index()].push((to, message));
        }
        of_origin.iter_mut().for_each(|of_one: &mut Vec<_>| of_one.sort_unstable());
        Self { of_origin }
    }

    fn of(&self, from: ProcessorId, to: ProcessorId) -> Option<MessageId> {
        let own = &self.of_origin[from.index()];
        // The usual place: unless processors are lost, only the origin itself is left out.
        let usual = to.index().checked_sub(usize::from(to > from)).and_then(|at| own.get(at));
        if let Some(&(_, message)) = usual.filter(|(other, _)| *other == to) {
            return Some(message);
        }
        own.binary_search_by_key(&to, |&(to, _)| to).ok().map(|at| own[at].1)
    }
}
