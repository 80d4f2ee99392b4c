//! Reduction of an all-to-all on fat nodes to an exchange between routers, and its expansion. In
//! the exchange every router has one processor with the ports of all its processors, and sends the
//! same number of messages to every other router. Its schedule is repeated until every pair of
//! processors has a message. Which processors of the two routers a message belongs to is decided
//! afterwards: two edge colourings (Kőnig) always find places so that no port is used twice.

mod places;

use pavane_model::{
    ChannelId, Collective, Kind, MessageId, Model, Network, NetworkBuilder, Ports, Problem,
    ProcessorId, Schedule, Switching, Transfer,
};
use places::PlaceAssignment;

/// Number of processors per router, if the problem is a complete all-to-all and every router that
/// has processors has the same number of them, more than one.
pub(super) fn places(problem: &Problem) -> Option<usize> {
    let (network, messages) = (problem.network(), problem.messages());
    let living = network.living_processors().count();
    let mut counts = network.routers().map(|r| network.residents(r).len()).filter(|&n| n > 0);
    let places = counts.next().filter(|&places| places > 1 && places < living)?;
    let is_even = counts.all(|count| count == places);
    let is_complete = messages.len() == living * (living - 1)
        && problem.collective().kind == Kind::Scatter
        && problem.collective().senders.len() == living;
    (is_even && is_complete).then_some(places)
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

    /// The exchange with `count` messages per pair.
    pub fn multiplied(&self, count: u32) -> Option<Problem> {
        let collective = self.single.collective().in_chunks(count);
        let (network, model) = (self.single.network().clone(), self.single.model());
        Problem::with_limit(network, collective, model, u64::MAX).ok()
    }

    /// Whether processors forward messages and have a limited number of ports. Then the messages
    /// of a router cannot share its ports evenly.
    pub fn is_forwarding(&self) -> bool {
        let model = self.single.model();
        model.switching == Switching::StoreAndForward && model.ports != Ports::All
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
                    let (from_place, to_place) = places.of(repetition, at);
                    at += 1;
                    // Other routers keep a message at the place that it has at its origin.
                    let image = |end: ProcessorId| {
                        residents(end)[if end == to { to_place } else { from_place }]
                    };
                    debug_assert!(is_forwarding || transfer.from == origin, "wormhole is direct");
                    schedule.push(Transfer {
                        message: ids.of(image(origin), image(to))?,
                        from: image(transfer.from),
                        to: image(transfer.to),
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

/// The rules of the exchange: under wormhole switching, a router has the ports of all its
/// processors. Under store-and-forward a message stays at one place, so it has those of one.
fn slim_model(model: Model, places: u32) -> Model {
    match (model.switching, model.ports) {
        (Switching::Wormhole, Ports::Limited(ports)) => {
            Model { ports: Ports::Limited(ports.saturating_mul(places)), ..model }
        }
        _ => model,
    }
}

/// The network with one processor on every router that has any. Channels keep their numbers.
fn slim(network: &Network) -> Option<Network> {
    let mut builder = NetworkBuilder::new(network.name(), network.router_count() as u32);
    for channel in network.channels() {
        builder.channel(channel.tail.0, channel.head.0);
    }
    for number in 0..network.channel_count() as u32 {
        let channel = ChannelId(number);
        if let Some(other) = network.opposite(channel) {
            builder.join(channel, other);
        }
    }
    for router in network.routers().filter(|&router| !network.residents(router).is_empty()) {
        builder.processor(Some(router.0));
    }
    builder.build().ok()
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
        own.binary_search_by_key(&to, |&(to, _)| to).ok().map(|at| own[at].1)
    }
}
