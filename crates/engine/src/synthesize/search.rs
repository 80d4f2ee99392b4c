//! The search itself: which numbers of steps are tried, by whom, with how much effort, and when it is over.

use super::choice::{choose_engines, choose_parameters};
use super::has_islands;
use super::options::{Options, Standing};
use super::outcome::{Outcome, Refusal, Solution, SynthesisError};
use super::partners::Partners;
use crate::attempt::{Attempt, Context, Engine, Proof};
use crate::bounds::{self, Bounds};
use crate::budget::{Budget, Clock, GRACE, Interrupt, is_past, part_of_time};
use crate::evolution::{check_memory, spare_steps};
use crate::exact;
use crate::plain::{self, Plain};
use crate::portfolio::{Round, Task, run};
use crate::rng::Rng;
use pavane_cluster::{Channel, Cluster};
use pavane_model::{Problem, Schedule};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Tries of a round, whatever the number of threads: part of what a seed means.
const TASKS: u64 = 4;

/// The same where tries are dear: they differ little, and the time is better spent on fewer steps.
const DEAR_TASKS: u64 = 2;

/// How the effort grows where tries are dear: fast, so that little of the time goes into efforts
/// that were too small.
const DEAR_GROWTH: u64 = 4;

/// Evaluations from which on a try is dear.
const DEAR: u64 = 20_000_000;

/// How many times more an exact engine may spend where a proof is asked for.
const PROVING: u64 = 8;

/// Only so near below the best schedule is it asked whether there is any other at all.
const NEAR: u32 = 3;

/// Refused answers after which a search ends: an engine that is wrong would be wrong for ever.
const MOST_REFUSED: usize = 16;

/// Times the patience for improvements that going on from a schedule with gaps may be fruitless.
const FRUITLESS: u32 = 2;

/// The parts of the time that choosing engines, and then bounds, may take as long as there is no
/// schedule: one of so many.
const CHOOSING: u32 = 4;
const BOUNDING: u32 = 2;

/// Doublings of the bound from which on a first schedule is sought.
const HIGH: u32 = 4;

/// How far above the bound is gone without any schedule before more effort is made.
const HIGHEST: u32 = 1 << 16;

pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) context: Context,
    pub(super) options: &'a Options,
    pub(super) engines: Vec<&'static dyn Engine>,
    pub(super) exact: Option<&'static dyn Engine>,
    pub(super) bounds: Bounds,
    /// The bound, or more where that is proved.
    pub(super) bound: u32,
    pub(super) proof: Option<Proof>,
    pub(super) deadline: Option<Instant>,
    /// The deadline of engines for a first schedule: afterwards there is just time for a plain one.
    pub(super) first_deadline: Option<Instant>,
    pub(super) best: Option<Solution>,
    pub(super) spent: u64,
    pub(super) rounds: u64,
    pub(super) effort: u64,
    /// The most steps that were tried in vain with this effort.
    pub(super) failed: Option<u32>,
    /// Whether the search proper has begun, after first tries.
    pub(super) is_begun: bool,
    pub(super) refusals: Vec<Refusal>,
    pub(super) channel: Channel,
    pub(super) partners: Arc<Partners>,
}

impl<'a> Search<'a> {
    pub(super) fn begin(
        problem: &'a Problem,
        options: &'a Options,
    ) -> Result<Self, SynthesisError> {
        let clock = Clock::start();
        let deadline = time_without_schedule(options).and_then(|time| clock.after(time));
        let early = Interrupt::never()
            .until(part_of_time(deadline, CHOOSING))
            .unless(options.stop.clone())
            .unless(options.cluster.stop());
        // All ranks count their searches, so that none hears what belongs to another.
        let channel = options.cluster.common_channel();
        let context = Context::new(problem.forward()).with_start(options.start.clone());
        let (engines, exact) = choose_engines(&context, options, &early)?;
        let context = context.with_parameters(choose_parameters(&engines, options)?);
        let bounds = match &options.bounds {
            Some(known) => Bounds::clone(known),
            None => bounds::simple(problem, &early)?,
        };
        if let ([engine], Some(_)) = (&engines[..], &options.engine) {
            let steps = bounds.best.steps;
            check_memory(*engine, context.parameters(), context.problem(), steps)?;
        }
        let first_time = time_without_schedule(options).filter(|_| may_fall_back(options));
        let first_deadline = first_time.and_then(|time| {
            let needed = plain::time_needed(context.problem(), &early)?;
            clock.after(time.saturating_sub(needed.saturating_sub(GRACE / 2)))
        });
        // Where islands are spread over the ranks there is one search, led from here.
        let partners = match has_islands(&engines) {
            true => Partners::new(&Cluster::alone(), channel),
            false => Partners::new(&options.cluster, channel),
        };
        let mut search = Self {
            problem,
            context,
            options,
            engines,
            exact,
            bound: bounds.best.steps,
            bounds,
            proof: None,
            deadline,
            first_deadline: first_deadline.or(deadline),
            best: None,
            spent: 0,
            rounds: 0,
            effort: 1,
            failed: None,
            is_begun: false,
            refusals: Vec::new(),
            channel,
            partners: Arc::new(partners),
        };
        if let Some(standing) = options.resumed.as_deref() {
            search.resume(standing);
        }
        Ok(search)
    }

    /// Goes on from where an earlier search stood.
    fn resume(&mut self, standing: &Standing) {
        self.rounds = standing.rounds;
        self.effort = standing.effort.max(1);
        self.failed = standing.failed;
        self.spent = standing.evaluations;
        self.is_begun = standing.rounds > 0;
        if let Some((schedule, engine)) = &standing.best {
            self.consider(Schedule::clone(schedule), engine);
        }
    }

    pub(super) fn run(mut self) -> Result<Outcome, SynthesisError> {
        // Most engines that build schedules of private messages want the prices that come with the
        // bounds.
        let messages = self.context.problem().messages();
        let is_private = messages.ids().all(|message| messages.is_private(message));
        self.construct(|engine| !is_private || !engine.wants_prices());
        self.complete_bounds(match self.best {
            Some(_) => self.deadline,
            None => part_of_time(self.first_deadline, BOUNDING),
        })?;
        self.set_prices();
        if self.options.steps.is_some_and(|steps| steps < self.bound) {
            self.refute();
            return Ok(self.finish());
        }
        self.construct(|engine| is_private && engine.wants_prices());
        self.fall_back();
        self.complete_bounds(self.deadline)?;
        self.aim_at_bound();
        self.aim_high();
        self.search();
        self.fall_back();
        Ok(self.finish())
    }

    /// Tries the arguments for bounds that take longer, until a deadline.
    fn complete_bounds(&mut self, deadline: Option<Instant>) -> Result<(), SynthesisError> {
        if self.best_steps() == Some(self.bound) {
            return Ok(());
        }
        let interrupt = self.interrupt().until(deadline);
        self.bounds.complete(self.problem, &interrupt)?;
        self.bound = self.bound.max(self.bounds.best.steps);
        self.options.progress.bound.store(self.bound, Ordering::Relaxed);
        Ok(())
    }

    /// Hands on the prices that came with the bounds. If there was no time for them, all channels cost
    /// the same.
    fn set_prices(&mut self) {
        let is_cut_short = !self.bounds.is_complete();
        let even = is_cut_short.then(|| vec![1.0; self.problem.network().channel_count()]);
        self.context.set_prices(self.bounds.prices.as_deref().or(even.as_deref()));
    }

    /// A plain schedule, where time runs out before there is any other.
    fn fall_back(&mut self) {
        let is_late = is_past(self.first_deadline);
        if self.best.is_some() || !is_late || !may_fall_back(self.options) {
            return;
        }
        let interrupt = self.interrupt().until(self.deadline).with_grace();
        let mut budget = Budget::unlimited(&interrupt);
        let rng = &mut Rng::seeded(self.options.seed);
        if let Some(schedule) = Plain.construct(&self.context, &mut budget, rng) {
            self.keep(schedule, Plain.name());
        }
    }

    /// A proof that the steps asked for are too few, though a bound says so too, if one is wanted.
    fn refute(&mut self) {
        let engines = self.engines.iter().copied().chain(self.exact);
        let exact = engines.filter(|engine| engine.is_exact() && self.options.prove).last();
        let (Some(steps), Some(exact)) = (self.options.steps, exact) else { return };
        let mut effort = 1u64;
        while self.proof.is_none() && !self.is_stopped() {
            self.try_steps(&[exact], steps, effort);
            effort = effort.saturating_mul(2);
        }
    }

    /// Tries numbers of steps with growing effort until something ends it.
    fn search(&mut self) {
        while !self.is_done() {
            let steps = self.target(self.failed);
            self.is_begun = true;
            self.options.progress.trying.store(steps, Ordering::Relaxed);
            self.try_steps(&self.engines.clone(), steps, self.effort);
            if self.best_steps().is_none_or(|best| best > steps) {
                self.failed = Some(steps);
            }
            let is_exhausted = match (self.options.steps, self.best_steps()) {
                (None, Some(best)) => self.failed.is_some_and(|failed| failed + 1 >= best),
                (None, None) => self.failed.is_some_and(|failed| failed >= self.bound + HIGHEST),
                (Some(_), _) => true,
            };
            if is_exhausted {
                let growth = if self.is_dear() { DEAR_GROWTH } else { 2 };
                self.effort = self.effort.saturating_mul(growth);
                self.failed = None;
            }
            // A round that was cut short is to be made again by whoever goes on from here.
            if !self.is_stopped() {
                self.tell_standing();
            }
        }
    }

    /// A first schedule, of as many steps as it takes, from every engine of a kind that can build one.
    fn construct(&mut self, is_meant: impl Fn(&dyn Engine) -> bool) {
        let engines = self.engines.clone().into_iter().enumerate();
        let meant: Vec<_> = engines.filter(|&(_, engine)| is_meant(engine)).collect();
        for (number, &(index, engine)) in meant.iter().enumerate() {
            let is_late = self.best.is_none() && is_past(self.first_deadline);
            if self.best.is_some() && self.is_done() || is_late {
                return;
            }
            self.catch_up(self.bound);
            // As long as there is no schedule, no engine takes the time of those after it.
            let deadline = match self.best {
                Some(_) => self.deadline,
                None => part_of_time(self.first_deadline, (meant.len() - number) as u32),
            };
            let mut budget = self.budget(u64::MAX).until(deadline);
            let mut rng = Rng::stream(self.options.seed, index as u64);
            let schedule = engine.construct(&self.context, &mut budget, &mut rng);
            self.spent += budget.spent();
            if let Some(schedule) = schedule {
                self.keep(schedule, engine.name());
            }
        }
    }

    /// A first try at the bound by the engines that reach it at once if at all.
    fn aim_at_bound(&mut self) {
        let aiming: Vec<&'static dyn Engine> =
            self.engines.iter().copied().filter(|engine| engine.aims_at_bound()).collect();
        if aiming.is_empty() || self.is_done() {
            return;
        }
        self.try_steps(&aiming, self.options.steps.unwrap_or(self.bound), 1);
    }

    /// Where nobody builds a schedule, one with steps to spare is found soon, and better than none.
    fn aim_high(&mut self) {
        if self.options.steps.is_some() || self.engines.iter().all(|engine| engine.is_exact()) {
            return;
        }
        if self.best.is_some() {
            return;
        }
        for times in (1..=HIGH).rev() {
            // With a step for everybody there is nothing to search for.
            let enough = self.context.problem().messages().delivery_count() as u32;
            let steps = self.bound.saturating_mul(1 << times).saturating_add(1);
            let evolving = self.engines.iter().filter(|engine| !engine.parameters().is_empty());
            let spare = evolving.map(|&engine| {
                spare_steps(engine, self.context.parameters(), self.context.problem())
            });
            let enough = enough.min(spare.min().unwrap_or(enough));
            let steps = steps.min(enough.max(self.bound + 1));
            if self.is_done() || self.best_steps().is_some_and(|best| best <= steps) {
                continue;
            }
            self.try_steps(&self.engines.clone(), steps, 1);
            if self.best_steps().is_none_or(|best| best > steps) {
                return;
            }
        }
    }

    fn try_steps(&mut self, engines: &[&'static dyn Engine], steps: u32, effort: u64) {
        self.catch_up(steps);
        if self.best_steps().is_some_and(|best| best <= steps) {
            return;
        }
        self.rounds += 1;
        let left = self.options.evaluations.map(|limit| limit.saturating_sub(self.spent));
        // An exact engine would try the same thing several times.
        let is_alone = engines.len() == 1 && engines[0].is_exact();
        let count = match (is_alone, self.is_dear()) {
            (true, _) => 1,
            (false, true) => DEAR_TASKS,
            (false, false) => TASKS,
        };
        let searching =
            (0..count).map(|i| engines[(self.rounds * count + i) as usize % engines.len()]);
        let exact = self.exact.filter(|_| self.is_exact_wanted(steps));
        let all: Vec<&'static dyn Engine> = searching.chain(exact).collect();
        let tasks: Vec<Task> = (0..)
            .zip(&all)
            .map(|(index, &engine)| {
                let quota = engine.first_quota(self.context.problem(), steps);
                let is_proving = engine.is_exact() && self.is_proof_wanted(steps);
                let effort = if is_proving { effort.saturating_mul(PROVING) } else { effort };
                let quota = quota.saturating_mul(effort);
                let quota = quota.min(left.map_or(u64::MAX, |left| share(left, index, all.len())));
                Task { engine, budget: self.budget(quota), stream: self.rounds * TASKS + index }
            })
            .filter(|task| task.budget.left() > 0)
            .collect();
        let round = Round {
            context: &self.context,
            steps,
            seed: self.options.seed,
            // Islands walk on all threads by themselves.
            threads: if has_islands(engines) { 1 } else { self.options.threads },
        };
        for answer in run(&round, tasks) {
            self.spent += answer.evaluations;
            match answer.attempt {
                Attempt::Found(schedule) | Attempt::Longer(schedule) => {
                    self.keep(schedule, answer.engine);
                }
                Attempt::Impossible(proof) => self.raise_bound(proof, answer.engine),
                Attempt::OutOfBudget => {}
            }
        }
        self.catch_up(self.bound);
    }

    /// Whether a proof that so many steps are too few is asked for, or all that is missing.
    fn is_proof_wanted(&self, steps: u32) -> bool {
        let is_near = self.best_steps().is_some_and(|best| best <= steps + NEAR);
        self.options.prove || (is_near && exact::is_tiny(self.context.problem(), steps))
    }

    /// Whether it is worth asking if there is a schedule of so many steps at all.
    fn is_exact_wanted(&self, steps: u32) -> bool {
        let is_near = self.best_steps().is_some_and(|best| best <= steps + NEAR);
        // At the bound there is no slack, and that is where searches go wrong.
        let is_tight = steps == self.bound;
        self.options.prove
            || ((is_near || is_tight) && exact::is_small(self.context.problem(), steps))
    }

    pub(super) fn budget(&self, evaluations: u64) -> Budget {
        Budget::evaluations(evaluations)
            .interrupted_by(self.interrupt().until(self.deadline))
            .unless(self.partners.overtaken())
            .telling(self.options.progress.open.clone())
    }

    /// What ends the search, besides its deadline.
    fn interrupt(&self) -> Interrupt {
        Interrupt::never()
            .unless(self.options.stop.clone())
            .unless(self.options.cluster.stop())
            .unless(self.partners.over())
    }

    pub(super) fn best_steps(&self) -> Option<u32> {
        self.best.as_ref().map(|best| best.checked.schedule().step_count())
    }

    fn is_done(&self) -> bool {
        let enough = self.options.steps.unwrap_or(self.bound);
        self.best_steps().is_some_and(|best| best <= enough)
            || enough < self.bound
            || self.is_stopped()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.options.evaluations.is_some_and(|limit| self.spent >= limit)
            || self.options.stop.load(Ordering::Relaxed)
            || self.options.cluster.is_stopped()
            || self.partners.over().load(Ordering::Relaxed)
            || self.refusals.len() >= MOST_REFUSED
            || is_past(self.deadline)
    }

    /// Whether even one try at the bound takes long.
    fn is_dear(&self) -> bool {
        let quota = |engine: &&dyn Engine| engine.first_quota(self.context.problem(), self.bound);
        self.engines.iter().map(quota).min().is_some_and(|quota| quota > DEAR)
    }

    /// The number of steps to try next: the bound first, or where tries are dear two thirds of the
    /// way down to it; then a third of the way from the best schedule down to what was tried in
    /// vain, because there a try is likely to succeed.
    fn target(&self, failed: Option<u32>) -> u32 {
        if let Some(steps) = self.options.steps {
            return steps;
        }
        let Some(best) = self.best_steps() else {
            // Without any schedule there is no upper end: go up in growing strides.
            let above = |failed: u32| (2 * failed + 1).saturating_sub(self.bound).max(failed + 1);
            return failed.map_or(self.bound, above);
        };
        if !self.is_begun {
            return if self.is_dear() { self.bound + (best - self.bound) / 3 } else { self.bound };
        }
        let least = failed.map_or(self.bound, |failed| (failed + 1).max(self.bound));
        best - (best - least).div_ceil(3).max(1)
    }
}

/// Whether any schedule will do if time runs out: not where one engine is asked for, or so many steps
/// at the most; and with a schedule with gaps to begin from there are others to ask.
fn may_fall_back(options: &Options) -> bool {
    options.engine.is_none() && options.steps.is_none() && options.start.is_none()
}

/// What one of several may spend of what is left.
fn share(left: u64, index: u64, count: usize) -> u64 {
    let count = count as u64;
    left / count + u64::from(index < left % count)
}

/// How long is searched for a first schedule; for as long as it takes, unless there is a schedule
/// with gaps, because then there are others to ask.
fn time_without_schedule(options: &Options) -> Option<Duration> {
    let is_limited = options.time.is_some() || options.evaluations.is_some();
    match options.start.is_some() && !is_limited {
        true => Some(FRUITLESS * options.patience),
        false => options.time,
    }
}
