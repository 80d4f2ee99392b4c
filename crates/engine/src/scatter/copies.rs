//! All-to-all on fat nodes: schedules one exchange between the first processors of all routers and
//! repeats it for every pair of places on a router. Messages within a router are added beside the
//! copies.

use super::store_and_forward::{Orbits as RelayOrbits, StoreAndForward};
use super::wormhole::{Orbits, Wormhole};
use super::{PrivateFacts, is_personalised};
use crate::attempt::{Attempt, Context, Engine, Fit, Traits};
use crate::bounds;
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{
    Collective, Kind, MessageId, Problem, ProcessorId, RouterId, Schedule, Switching, Transfer,
};

/// One exchange, repeated for every pair of places on a router.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copies;

impl Engine for Copies {
    fn describe(&self) -> Traits {
        Traits {
            name: "copies",
            purpose: "one exchange between routers, repeated for all their processors; all-to-all with several processors per router",
            aims_at_bound: true,
            ..Traits::default()
        }
    }

    fn takes(&self, problem: &Problem) -> bool {
        is_personalised(problem) && places(problem).is_some()
    }

    fn fit(&self, context: &Context, interrupt: &Interrupt) -> Fit {
        let is_sufficient = context.problem().messages().len() >= LARGE
            && exchange(context, interrupt).is_some_and(|exchange| exchange.lacks_channels);
        if is_sufficient { Fit::Sufficient } else { Fit::Useful }
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        let copies = places(problem).map_or(1, |places| (places * places) as u32);
        // The exchange has `copies` times fewer messages and `copies` times fewer steps.
        super::first_quota(problem, steps / copies) / u64::from(copies) + LEAST_QUOTA
    }

    fn construct(&self, context: &Context, budget: &mut Budget, rng: &mut Rng) -> Option<Schedule> {
        let interrupt = &budget.interrupt().clone();
        let exchange = exchange(context, interrupt)?;
        let [first, second] = exchange.engines(interrupt);
        let found = first.construct(&exchange.context, budget, rng);
        let found = found.or_else(|| second.construct(&exchange.context, budget, rng))?;
        exchange.unfold(context.problem(), &found)
    }

    fn attempt(
        &self,
        context: &Context,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Attempt {
        let interrupt = &budget.interrupt().clone();
        let Some(exchange) = exchange(context, interrupt) else { return Attempt::OutOfBudget };
        let share = steps / exchange.copies();
        if share < exchange.bound {
            return Attempt::OutOfBudget;
        }
        let engine = exchange.engines(interrupt)[usize::from(rng.chance(0.5))];
        match engine.attempt(&exchange.context, share, budget, rng) {
            Attempt::Found(found) => match exchange.unfold(context.problem(), &found) {
                // Messages within routers may need extra steps.
                Some(schedule) if schedule.step_count() > steps => Attempt::Longer(schedule),
                Some(schedule) => Attempt::Found(schedule),
                None => Attempt::OutOfBudget,
            },
            _ => Attempt::OutOfBudget,
        }
    }
}

/// Minimum evaluations of an attempt.
const LEAST_QUOTA: u64 = 2_000_000;

/// From this number of messages on, searching the whole problem cannot beat copies.
const LARGE: usize = 200_000;

/// Number of processors per router, if the problem is a complete all-to-all and every router that
/// has processors has the same number of them, more than one.
fn places(problem: &Problem) -> Option<usize> {
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

/// The exchange between the first processors of all routers.
#[derive(Debug)]
pub(crate) struct Exchange {
    context: Context,
    places: usize,
    bound: u32,
    /// Whether channels, not ports, limit the exchange.
    lacks_channels: bool,
}

/// The exchange of a problem; `None` if it has none, or on interrupt.
fn exchange<'c>(context: &'c Context, interrupt: &Interrupt) -> Option<&'c Exchange> {
    let PrivateFacts { exchange, .. } = context.private();
    let find = || Exchange::new(context.problem(), interrupt).map(Box::new);
    exchange.get_until(interrupt, find)?.as_deref()
}

impl Exchange {
    fn new(problem: &Problem, interrupt: &Interrupt) -> Option<Self> {
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

    fn copies(&self) -> u32 {
        (self.places * self.places) as u32
    }

    /// The engines to use for the exchange: the one for symmetric networks first, if it applies.
    fn engines(&self, interrupt: &Interrupt) -> [&'static dyn Engine; 2] {
        let (orbits, plain): (&dyn Engine, &dyn Engine) =
            match self.context.problem().model().switching {
                Switching::Wormhole => (&Orbits, &Wormhole),
                Switching::StoreAndForward => (&RelayOrbits, &StoreAndForward),
            };
        match orbits.fit(&self.context, interrupt) {
            Fit::Useless => [plain, plain],
            Fit::Useful | Fit::Sufficient => [orbits, plain],
        }
    }

    /// Expands a schedule of the exchange to the whole problem.
    fn unfold(&self, problem: &Problem, found: &Schedule) -> Option<Schedule> {
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
            let image = |processor| match processor == to {
                true => self.at(to, to_place),
                false => self.at(processor, from_place),
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
