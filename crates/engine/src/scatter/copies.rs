//! All-to-all where several processors live on every router: one exchange between the first of them,
//! carried out once for every pair of places. What is left, messages within routers, goes beside.

use super::store_and_forward::{Orbits as RelayOrbits, StoreAndForward};
use super::wormhole::{Orbits, Wormhole};
use super::{PrivateFacts, is_private};
use crate::attempt::{Attempt, Context, Engine};
use crate::bounds;
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{
    Collective, Kind, MessageId, Problem, ProcessorId, RouterId, Schedule, Switching, Transfer,
};

/// One exchange for every pair of places on a router.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copies;

impl Engine for Copies {
    fn name(&self) -> &'static str {
        "copies"
    }

    fn purpose(&self) -> &'static str {
        "one exchange, repeated for all processors of the routers; all-to-all on fat nodes"
    }

    fn takes(&self, problem: &Problem) -> bool {
        is_private(problem) && places(problem).is_some()
    }

    fn suffices(&self, context: &Context, interrupt: &Interrupt) -> bool {
        context.problem().messages().len() >= LARGE
            && exchange(context, interrupt).is_some_and(|exchange| exchange.lacks_channels)
    }

    fn aims_at_bound(&self) -> bool {
        true
    }

    fn first_quota(&self, problem: &Problem, steps: u32) -> u64 {
        let copies = places(problem).map_or(1, |places| (places * places) as u32);
        // The exchange has that many times fewer messages in that many times fewer steps.
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
                // What stays within routers may take steps of its own.
                Some(schedule) if schedule.step_count() > steps => Attempt::Longer(schedule),
                Some(schedule) => Attempt::Found(schedule),
                None => Attempt::OutOfBudget,
            },
            _ => Attempt::OutOfBudget,
        }
    }
}

/// Evaluations that an attempt may make at least.
const LEAST_QUOTA: u64 = 2_000_000;

/// Messages from which on a search for all of them cannot beat copies.
const LARGE: usize = 200_000;

/// How many processors live on every router that has any, if they are as many and more than one, and
/// everybody has one message for everybody else.
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
    /// Whether it is for want of channels that it takes so long, not of ports.
    lacks_channels: bool,
}

/// The exchange of a problem; `None` if there is none, or at an interrupt.
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
        let mut context = Context::new(base);
        context.set_prices(bounds.prices.as_deref());
        let about_channels = ["distance", "cut", "congestion"];
        let lacks_channels = about_channels.contains(&bounds.best.reason.as_str());
        Some(Self { context, places, bound: bounds.best.steps, lacks_channels })
    }

    fn copies(&self) -> u32 {
        (self.places * self.places) as u32
    }

    /// The engines for it, the one for symmetric networks first where that helps.
    fn engines(&self, interrupt: &Interrupt) -> [&'static dyn Engine; 2] {
        let (orbits, plain): (&dyn Engine, &dyn Engine) =
            match self.context.problem().model().switching {
                Switching::Wormhole => (&Orbits, &Wormhole),
                Switching::StoreAndForward => (&RelayOrbits, &StoreAndForward),
            };
        if orbits.helps(&self.context, interrupt) { [orbits, plain] } else { [plain, plain] }
    }

    /// The schedule of the whole problem from one of the exchange.
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

    /// A step of the exchange between other places; those of the senders pass messages on, which only
    /// the first ones may do in the exchange itself.
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

    /// By step: which places send to which within their routers, beside those that are busy with a
    /// copy, or in further steps if these leave no room.
    fn inside(&self, steps: u32) -> Vec<Vec<(usize, usize)>> {
        let is_relaying = self.context.problem().model().switching == Switching::StoreAndForward;
        let is_busy = |number: usize, (from, to): (usize, usize)| {
            let copy = number / steps as usize;
            let (sends, receives) = (copy / self.places, copy % self.places);
            copy < self.copies() as usize
                && (from == sends || to == receives || is_relaying && to == sends)
        };
        let mut inside = vec![Vec::new(); (self.copies() * steps) as usize];
        // Those as many places apart are in nobody's way but that of the copy.
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

/// The messages of a problem by their ends.
struct Ids {
    /// By processor: its messages by destination.
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
