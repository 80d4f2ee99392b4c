//! Reduction of an all-to-all on fat nodes to one exchange between the first processors of all
//! routers. A schedule of the exchange is expanded to the whole problem: it is repeated for every
//! pair of places on a router, and messages within a router are added beside the copies.

use crate::attempt::Context;
use crate::bounds;
use crate::budget::Interrupt;
use pavane_model::{
    Collective, Kind, MessageId, Problem, ProcessorId, RouterId, Schedule, Switching, Transfer,
};

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

/// The reduced problem: an exchange between the first processors of all routers.
#[derive(Debug)]
pub(crate) struct RouterExchange {
    /// The reduced problem.
    pub context: Context,
    places: usize,
    /// The best bound of the reduced problem.
    pub bound: u32,
    /// Whether channels, not ports, limit the exchange.
    pub lacks_channels: bool,
}

impl RouterExchange {
    /// Reduces a problem; `None` if it has no exchange, or on interrupt.
    pub fn new(problem: &Problem, interrupt: &Interrupt) -> Option<Self> {
        let places = places(problem)?;
        let network = problem.network().clone();
        let first = |router: RouterId| network.residents(router).first().copied();
        let firsts: Vec<ProcessorId> = network.routers().filter_map(first).collect();
        let collective = Collective::between(Kind::Scatter, "exchange", firsts.clone(), firsts);
        let base = Problem::with_limit(network, collective, problem.model(), u64::MAX).ok()?;
        let bounds = bounds::all_until(&base, interrupt, &|_| {}).ok()?;
        let context = Context::new(base);
        context.set_prices(bounds.prices.as_deref());
        let about_channels = ["distance", "cut", "congestion"];
        let lacks_channels = about_channels.contains(&bounds.best.reason.as_str());
        Some(Self { context, places, bound: bounds.best.steps, lacks_channels })
    }

    /// How often the exchange is repeated: once for every pair of places.
    pub fn copies(&self) -> u32 {
        (self.places * self.places) as u32
    }

    /// Expands a schedule of the exchange to the whole problem; `None` if a message is forwarded by a
    /// processor outside the exchange.
    pub fn expand(&self, problem: &Problem, found: &Schedule) -> Option<Schedule> {
        let ids = Ids::new(problem);
        let inside = self.inside(found.step_count());
        let mut schedule = Schedule::new();
        for (number, pairs) in inside.iter().enumerate() {
            schedule.start_step();
            let copy = number / found.step_count() as usize;
            if copy < self.copies() as usize {
                let step = number as u32 % found.step_count();
                self.push_copy(&mut schedule, found.step(step), copy, &ids)?;
            }
            for router in problem.network().routers() {
                let residents = problem.network().residents(router);
                for &(from, to) in pairs.iter().filter(|_| !residents.is_empty()) {
                    let (from, to) = (residents[from], residents[to]);
                    schedule.push(Transfer { message: ids.of(from, to)?, from, to, path: &[] });
                }
            }
        }
        Some(schedule)
    }

    /// Adds a step of the exchange between other places: the destination moves to the place of the
    /// receivers, every other processor to the place of the senders. Fails if a message is
    /// forwarded by a processor that is not the first of its router.
    fn push_copy<'a>(
        &self,
        schedule: &mut Schedule,
        step: impl Iterator<Item = Transfer<'a>>,
        copy: usize,
        ids: &Ids,
    ) -> Option<()> {
        let messages = self.context.problem().messages();
        let (from_place, to_place) = (copy / self.places, copy % self.places);
        for transfer in step {
            let to = messages.destinations(transfer.message)[0];
            if [transfer.from, transfer.to].iter().any(|&end| end != self.at(end, 0)) {
                return None;
            }
            let image = |processor| {
                if processor == to { self.at(to, to_place) } else { self.at(processor, from_place) }
            };
            schedule.push(Transfer {
                message: ids.of(image(messages.origin(transfer.message)), image(to))?,
                from: image(transfer.from),
                to: image(transfer.to),
                path: transfer.path,
            });
        }
        Some(())
    }

    /// The processor at another place of the same router.
    fn at(&self, processor: ProcessorId, place: usize) -> ProcessorId {
        let problem = self.context.problem();
        problem.network().residents(problem.home(processor))[place]
    }

    /// Per step, the pairs of places that send to each other within every router. A pair goes into
    /// a step whose copy does not use its ports, or into an extra step if there is none.
    fn inside(&self, steps: u32) -> Vec<Vec<(usize, usize)>> {
        let is_relaying = self.context.problem().model().switching == Switching::StoreAndForward;
        let is_busy = |number: usize, (from, to): (usize, usize)| {
            let copy = number / steps as usize;
            let (sends, receives) = (copy / self.places, copy % self.places);
            copy < self.copies() as usize
                && (from == sends || to == receives || is_relaying && to == sends)
        };
        let mut inside = vec![Vec::new(); (self.copies() * steps) as usize];
        // Pairs with the same offset between places never share a port, so only the copy can block
        // them.
        let apart = |apart| (0..self.places).map(move |from| (from, (from + apart) % self.places));
        let mut waiting: Vec<Vec<_>> = (1..self.places).map(|by| apart(by).collect()).collect();
        for (number, pairs) in inside.iter_mut().enumerate() {
            let own = &mut waiting[number % (self.places - 1)];
            (*own, *pairs) = own.drain(..).partition(|&pair| is_busy(number, pair));
        }
        for pair in waiting.into_iter().flatten() {
            let has_room = |(number, pairs): &(usize, &Vec<(usize, usize)>)| {
                !is_busy(*number, pair) && pairs.iter().all(|&(a, b)| a != pair.0 && b != pair.1)
            };
            match inside.iter().enumerate().find(has_room).map(|(number, _)| number) {
                Some(number) => inside[number].push(pair),
                None => inside.push(vec![pair]),
            }
        }
        inside
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
        own.binary_search_by_key(&to, |&(to, _)| to).ok().map(|at| own[at].1)
    }
}
