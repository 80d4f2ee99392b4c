//! The driver: one loop over the tasks of a [`Plan`]. Workers execute tasks ahead of time; the
//! driver decides them in order, so the result does not depend on the number of workers. If only
//! time is limited, a success is accepted as soon as it arrives.

use super::crew::{Crew, Workers, time_without_schedule};
use super::line::Line;
use super::options::{Options, Standing};
use super::outcome::{Outcome, Refusal, Solution, SynthesisError};
use super::plan::Plan;
use super::roster::Roster;
use super::task::{Answer, Assignment, Goal, Task};
use crate::attempt::{Attempt, Engine, Proof, ProofLimits};
use crate::bounds::{self, Bounds};
use crate::budget::{Budget, Clock, GRACE, is_past, part_of_time};
use crate::plain::{self, Plain};
use crate::rng::Rng;
use pavane_cluster::{Execute, Reply};
use pavane_model::{Problem, Schedule};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Number of refused answers after which a search ends; otherwise a faulty engine could run
/// forever.
const MOST_REFUSED: usize = 16;

/// At most 1/`BOUNDING` of the time is for the bounds while there is no schedule.
const BOUNDING: u32 = 2;

/// Deliveries of a small problem, for which a construction takes less time than simple bounds.
const FEW_DELIVERIES: usize = 2000;

/// The first random stream of attempts before the slow bounds; no other task uses it.
const EARLY: u64 = 1 << 62;

/// How often the driver checks for an interrupt while it waits for answers.
const POLL: Duration = Duration::from_millis(20);

/// How long the driver waits for the workers to return once the search is over.
const RETURN_TIME: Duration = Duration::from_millis(800);

pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) crew: &'a Crew,
    pub(super) options: &'a Options,
    bounds: Bounds,
    pub(super) plan: Plan,
    is_personalised: bool,
    /// Largest step count that fits in memory for all engines.
    room: u32,
    limits: ProofLimits,
    /// Deadline of the engines for a first schedule; the time after it is reserved for a plain one.
    first_deadline: Option<Instant>,
    pub(super) proof: Option<Arc<Proof>>,
    pub(super) best: Option<Solution>,
    /// The best schedule and its engine, for checkpoints.
    pub(super) saved: Option<(Arc<Schedule>, &'static str)>,
    /// The best schedule of the forward problem, for engines that shorten it.
    pub(super) shortened: Option<Arc<Schedule>>,
    pub(super) refusals: Vec<Refusal>,
}

impl<'a> Search<'a> {
    pub fn begin(problem: &'a Problem, crew: &'a Crew) -> Result<Self, SynthesisError> {
        let options = &crew.options;
        let bounds = match &options.bounds {
            Some(known) => Bounds::clone(known),
            None if begins_at_once(problem, options) => bounds::immediate(problem, &crew.early)?,
            None => bounds::simple(problem, &crew.early)?,
        };
        let mut room = u32::MAX;
        for engine in &crew.engines {
            room = room.min(engine.room(&crew.context, bounds.best.steps)?);
        }
        let messages = problem.messages();
        let mut search = Self {
            problem,
            crew,
            options,
            plan: Plan::new(bounds.best.steps),
            bounds,
            is_personalised: messages.delivery_count() == messages.len(),
            room,
            limits: proof_limits(crew),
            first_deadline: first_deadline(crew),
            proof: None,
            best: None,
            saved: None,
            shortened: None,
            refusals: Vec::new(),
        };
        if let Some(standing) = options.resumed.as_deref() {
            search.resume(standing)?;
        }
        Ok(search)
    }

    /// Restores a checkpoint.
    fn resume(&mut self, standing: &Standing) -> Result<(), SynthesisError> {
        self.plan.restore(standing.position.clone());
        self.plan.results.spent = standing.evaluations;
        if let Some((schedule, engine)) = &standing.best {
            self.consider(Schedule::clone(schedule), engine);
        }
        standing.proof.as_ref().map_or(Ok(()), |proof| self.resume_proof(proof))
    }

    /// Constructs schedules, completes the bounds, and searches with the workers of all ranks.
    pub fn run(mut self) -> Result<Outcome, SynthesisError> {
        if self.plan.precedes_bounds() {
            self.construct()?;
            self.aim_early()?;
        }
        self.complete_bounds(match self.best {
            Some(_) => self.crew.deadline(),
            None => part_of_time(self.first_deadline, BOUNDING),
        })?;
        let prices = self.prices();
        self.crew.context.set_prices(prices.as_deref());
        self.plan.drop_unfit(&self.roster());
        self.plan.continue_with_prices(&self.roster());
        self.construct()?;
        self.fall_back();
        self.plan.end_constructions();
        self.complete_bounds(self.crew.deadline())?;
        self.search_with_workers(prices);
        self.fall_back();
        Ok(self.finish())
    }

    fn roster(&self) -> Roster<'a> {
        Roster {
            problem: self.crew.context.problem(),
            is_personalised: self.is_personalised,
            has_start: self.options.start.is_some(),
            engines: &self.crew.engines,
            searching: self.crew.searching,
            room: self.room,
            steps: self.options.steps,
            evaluations: self.options.evaluations,
            prove: self.options.prove,
            limits: self.limits,
            workers: if self.options.is_eager() {
                self.options.cluster.workers(self.options.threads) as u64
            } else {
                1
            },
        }
    }

    /// Executes the next constructions, one after the other: each may make the others unnecessary,
    /// and the first one the bounds that are not immediate.
    fn construct(&mut self) -> Result<(), SynthesisError> {
        let roster = self.roster();
        while let Some(task) = self.plan.next(&roster).filter(|task| task.goal == Goal::Construct) {
            let deadline = match self.best {
                Some(_) if self.is_stopped() => return Ok(()),
                Some(_) => self.crew.deadline(),
                None if is_past(self.first_deadline) => return Ok(()),
                // Without a schedule, an engine has half of the remaining time, the last one all.
                None => part_of_time(
                    self.first_deadline,
                    self.plan.constructions(&roster).min(2) as u32,
                ),
            };
            let budget = self.crew.budget().until(deadline);
            let (context, seed) = (&self.crew.context, self.options.seed);
            let answer = task.execute(roster.engines, context, seed, budget);
            if steps_of(&answer).is_none_or(|steps| steps > self.plan.results.bound) {
                self.complete_simple_bounds()?;
            }
            self.decide(answer);
        }
        Ok(())
    }

    /// Computes the simple bounds that are not known yet.
    fn complete_simple_bounds(&mut self) -> Result<(), SynthesisError> {
        if begins_at_once(self.problem, self.options) {
            self.bounds.complete_simple(self.problem, &self.crew.early)?;
            self.raise_bound(self.bounds.best.steps);
        }
        Ok(())
    }

    /// Tries to meet the simple bounds with the engines that do so quickly, because the slow bounds
    /// often take longer. A resumed search repeats this unless it is past the bounds.
    fn aim_early(&mut self) -> Result<(), SynthesisError> {
        if self.best_steps() != Some(self.plan.results.bound) {
            self.complete_simple_bounds()?;
        }
        let roster = self.roster();
        for engine in 0..roster.searching {
            if self.is_stopped() || self.best.is_none() || self.plan.is_over(&roster) {
                return Ok(());
            }
            let quota = roster.early_quota(engine, self.plan.results.spent);
            if quota > 0 {
                let goal = Goal::Steps(self.options.steps.unwrap_or(self.plan.results.bound));
                let task = Task { engine, goal, quota, stream: EARLY + engine as u64 };
                let (context, budget) = (&self.crew.context, self.crew.budget());
                let answer = task.execute(roster.engines, context, self.options.seed, budget);
                self.judge(answer);
            }
        }
        Ok(())
    }

    /// Computes the slow bounds, until a deadline.
    fn complete_bounds(&mut self, deadline: Option<Instant>) -> Result<(), SynthesisError> {
        if self.best_steps() == Some(self.plan.results.bound) {
            return Ok(());
        }
        let interrupt = self.crew.interrupt().until(deadline);
        self.bounds.complete(self.problem, &interrupt)?;
        self.raise_bound(self.bounds.best.steps);
        Ok(())
    }

    /// The prices from the bounds. If there was no time to compute them, all channels have the same
    /// price.
    fn prices(&self) -> Option<Vec<f64>> {
        let is_cut_short = !self.bounds.is_complete();
        let even = is_cut_short.then(|| vec![1.0; self.problem.network().channel_count()]);
        self.bounds.prices.clone().or(even)
    }

    /// Constructs a plain schedule if the time is over and there is no other schedule.
    fn fall_back(&mut self) {
        let is_late = is_past(self.first_deadline);
        if self.best.is_some() || !is_late || !may_fall_back(self.options) {
            return;
        }
        let mut budget = Budget::unlimited(&self.crew.interrupt().with_grace());
        let rng = &mut Rng::seeded(self.options.seed);
        if let Some(schedule) = Plain.construct(&self.crew.context, &mut budget, rng) {
            self.keep(schedule, Plain.name());
        }
    }

    /// Executes the rounds of the plan with the workers of all ranks.
    fn search_with_workers(&mut self, prices: Option<Vec<f64>>) {
        let cluster = &self.options.cluster;
        // Workers elsewhere must receive the end message, even if there is no task.
        if self.is_over() && !cluster.has_others() {
            return;
        }
        let (crew, set_up) = (self.crew, self.crew.set_up(prices));
        let execute: Execute<'_, Assignment, Answer> =
            &move |assignment, stop| crew.execute(assignment, stop);
        cluster.lead(self.options.threads, &set_up, execute, |workers| {
            self.search(workers, execute);
        });
    }

    /// Tries step counts with growing effort until the search is over.
    fn search(&mut self, workers: &Workers, execute: Execute<'_, Assignment, Answer>) {
        let roster = self.roster();
        // A search sets its workers once, so this cannot fail.
        let _ = self.crew.workers.set(workers.clone());
        let line = &mut Line::new(workers, execute);
        while !self.is_over() {
            line.fill(workers.width(), &self.plan, &roster, |task| self.best_for(task));
            if let Some(Goal::Steps(steps)) = line.first().map(|task| task.goal) {
                self.options.progress.trying.store(steps, Ordering::Relaxed);
            }
            if let Some(reply) = line.wait(self.next_look()) {
                self.note(reply, line);
                self.decide_in_order(line);
            }
        }
        line.cancel();
        if self.is_stopped() {
            let late = line.drain(Clock::start().after(RETURN_TIME));
            late.into_iter().for_each(|answer| self.judge(answer));
        }
    }

    /// Whether the search is stopped or the plan has no next task.
    fn is_over(&self) -> bool {
        self.is_stopped() || self.plan.clone().next(&self.roster()).is_none()
    }

    /// Time of the next check whether the search is over.
    fn next_look(&self) -> Option<Instant> {
        let soon = Clock::start().after(POLL)?;
        Some(self.crew.deadline().map_or(soon, |deadline| deadline.min(soon)))
    }

    /// The schedule that a task may shorten.
    fn best_for(&self, task: &Task) -> Option<Arc<Schedule>> {
        let engine = self.crew.engines[task.engine];
        self.shortened.clone().filter(|_| engine.describe().uses_best)
    }

    /// Stores an answer until all earlier tasks are decided; an eager search accepts a success
    /// immediately.
    fn note(&mut self, reply: Reply<Answer>, line: &mut Line<'_>) {
        let Reply { number, answer } = reply;
        match line.place(number) {
            Some(place) if self.options.is_eager() && is_success(&answer) => {
                let results = self.plan.results;
                self.plan = line.plan_at(place, &self.plan, &self.roster());
                self.plan.results = results;
                line.remove(place);
                self.decide(answer);
            }
            Some(place) => line.note(place, answer),
            None => {
                line.forget(number);
                if self.options.is_eager() {
                    self.judge(answer);
                }
            }
        }
    }

    /// Decides the first tasks of the line, up to the first one without an answer.
    fn decide_in_order(&mut self, line: &mut Line<'_>) {
        let roster = self.roster();
        loop {
            let best = self.best_steps().filter(|_| self.options.is_eager());
            let useful = self.plan.results.bound..best.unwrap_or_default();
            let best_for = |task: &Task| self.best_for(task);
            let dropped = line.drop_outdated(&self.plan, &roster, best_for, useful);
            if self.options.is_eager() && !dropped.is_empty() {
                // Their results may make more tasks outdated.
                dropped.into_iter().for_each(|answer| self.judge(answer));
                continue;
            }
            if self.is_stopped() {
                return;
            }
            let Some(answer) = line.take_first() else { return };
            self.decide(answer);
        }
    }

    /// Judges the answer of the next task and advances the plan.
    fn decide(&mut self, answer: Answer) {
        self.plan.next(&self.roster());
        self.judge(answer);
        self.plan.advance(self.plan.results, &self.roster());
        // An interrupted task may have ended early, so a resumed search repeats it.
        if !self.is_stopped() {
            self.tell_standing();
        }
    }

    fn is_stopped(&self) -> bool {
        self.crew.interrupt().is_raised() || self.refusals.len() >= MOST_REFUSED
    }

    fn finish(self) -> Outcome {
        let Self { mut bounds, proof, refusals, plan, .. } = self;
        let wanted = self.options.steps.unwrap_or(u32::MAX);
        let solution = self.best.filter(|best| best.checked.schedule().step_count() <= wanted);
        if let Some(proof) = proof.as_ref().filter(|proof| proof.steps + 1 > bounds.best.steps) {
            bounds.best = proof.bound();
            bounds.bounds.push(bounds.best.clone());
        }
        let proof = proof.map(Arc::unwrap_or_clone);
        Outcome { solution, bounds, proof, evaluations: plan.results.spent, refusals }
    }
}

/// Whether a task has reached its goal or proved it impossible.
fn is_success(answer: &Answer) -> bool {
    matches!(answer.attempt, Attempt::Found(_) | Attempt::Impossible(_))
}

/// The steps of the schedule of an answer, if it has one.
fn steps_of(answer: &Answer) -> Option<u32> {
    match &answer.attempt {
        Attempt::Found(schedule) | Attempt::Longer(schedule) => Some(schedule.step_count()),
        Attempt::Impossible(_) | Attempt::OutOfBudget => None,
    }
}

/// Whether a first construction precedes the bounds that need distances: on small problems, which
/// often need none of them. Not if the caller requests an engine or a number of steps, and not if
/// the search continues from another one.
fn begins_at_once(problem: &Problem, options: &Options) -> bool {
    problem.messages().delivery_count() <= FEW_DELIVERIES
        && may_fall_back(options)
        && options.bounds.is_none()
        && options.resumed.is_none()
}

/// Whether a plain schedule is acceptable if time runs out: not if the caller requests an engine or
/// a maximum number of steps, and not if the search starts from an incomplete schedule, because
/// then the caller can try other methods.
fn may_fall_back(options: &Options) -> bool {
    options.engine.is_none() && options.steps.is_none() && options.start.is_none()
}

/// Step counts up to which the exact engine, the last one if there is any, runs without a request
/// for a proof.
fn proof_limits(crew: &Crew) -> ProofLimits {
    let limits = |engine: &&dyn Engine| engine.proof_limits(crew.context.problem());
    crew.engines.last().map_or(ProofLimits::default(), limits)
}

/// Deadline of the engines for a first schedule. The time after it is enough for a plain one.
fn first_deadline(crew: &Crew) -> Option<Instant> {
    let deadline = crew.deadline();
    let time = time_without_schedule(&crew.options).filter(|_| may_fall_back(&crew.options));
    let kept = time.and_then(|time| {
        let needed = plain::time_needed(crew.context.problem(), &crew.early)?;
        // Part of it may fall into the grace period after the deadline.
        Some(needed.saturating_sub(GRACE / 2).min(time))
    });
    deadline.map(|deadline| deadline - kept.unwrap_or_default())
}
