//! Records the results of a search: each answer is judged, the best schedule is kept, the bound is
//! raised, and the progress callback is called.

use super::options::{Standing, Watcher};
use super::outcome::{Refusal, Solution, SynthesisError};
use super::search::Search;
use super::task::Answer;
use crate::attempt::{Attempt, Proof};
use crate::budget::{Clock, Interrupt};
use pavane_model::Schedule;
use pavane_verify::exact::check_refutation;
use pavane_verify::{CheckedSchedule, verify_unless};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Search<'_> {
    /// Adds the evaluations of an answer, judges it, and records an improvement.
    pub(super) fn judge(&mut self, answer: Answer) {
        let engine = self.crew.engines[answer.engine].name();
        self.plan.results.spent += answer.evaluations;
        match answer.attempt {
            Attempt::Found(schedule) | Attempt::Longer(schedule) => self.keep(schedule, engine),
            Attempt::Impossible(proof) => self.check(proof, engine),
            Attempt::OutOfBudget => {}
        }
    }

    /// Judges a schedule of the forward problem and keeps it if it is the best so far.
    pub(super) fn keep(&mut self, schedule: Schedule, engine: &'static str) {
        if self.problem.is_backward() {
            self.consider(schedule.reversed(), engine)
        } else {
            self.consider(schedule, engine)
        }
    }

    /// Judges a schedule of the problem as stated and keeps it if it is the best so far.
    pub(super) fn consider(&mut self, schedule: Schedule, engine: &'static str) {
        if self.best_steps().is_some_and(|best| best <= schedule.step_count()) {
            return;
        }
        // A schedule is also judged after an interrupt, but only within a grace period after the
        // deadline.
        let late = Interrupt::never().until(self.crew.deadline()).with_grace();
        match verify_unless(self.problem.clone(), schedule, &|| late.is_raised()) {
            Some(Ok(checked)) => self.keep_checked(checked, engine),
            Some(Err(violations)) => {
                let problem = violations.first().map(ToString::to_string).unwrap_or_default();
                self.refusals.push(Refusal { engine, problem });
            }
            None => {}
        }
    }

    fn keep_checked(&mut self, checked: CheckedSchedule, engine: &'static str) {
        let steps = checked.schedule().step_count();
        self.options.progress.best.store(steps, Ordering::Relaxed);
        if self.options.watcher.is_some() {
            self.saved = Some((Arc::new(checked.schedule().clone()), engine));
        }
        if self.crew.engines.iter().any(|engine| engine.describe().uses_best) {
            let forward = if self.problem.is_backward() {
                checked.schedule().reversed()
            } else {
                checked.schedule().clone()
            };
            self.shortened = Some(Arc::new(forward));
        }
        let is_first = self.best.replace(Solution { checked, engine }).is_none();
        self.plan.results.best = Some(steps);
        let is_limited = self.options.time.is_some() || self.options.evaluations.is_some();
        if is_first && !is_limited {
            self.crew.set_deadline(Clock::start().after(self.options.patience));
        }
        // With a limit on evaluations, only the state after a whole task leads to the same schedule.
        if self.options.evaluations.is_none() {
            self.tell_standing();
        }
    }

    pub(super) fn best_steps(&self) -> Option<u32> {
        self.best.as_ref().map(|best| best.checked.schedule().step_count())
    }

    /// Checks a proof and raises the bound accordingly.
    fn check(&mut self, proof: Proof, engine: &'static str) {
        match check_refutation(self.problem, proof.steps, &mut &proof.lrat[..]) {
            Ok(()) => self.keep_proof(Arc::new(proof)),
            // The judge would not check the proof in a file either, so it raises no bound.
            Err(error) if error.over_limit().is_some() => {}
            Err(error) => self.refusals.push(Refusal { engine, problem: error.to_string() }),
        }
    }

    /// Checks the proof of a checkpoint and raises the bound accordingly.
    pub(super) fn resume_proof(&mut self, proof: &Arc<Proof>) -> Result<(), SynthesisError> {
        check_refutation(self.problem, proof.steps, &mut &proof.lrat[..])
            .map_err(|error| SynthesisError::RefusedProof { problem: error.to_string() })?;
        self.keep_proof(proof.clone());
        Ok(())
    }

    /// Keeps a checked proof if it raises the bound.
    fn keep_proof(&mut self, proof: Arc<Proof>) {
        self.raise_bound(proof.steps + 1);
        self.plan.results.is_refuted = true;
        if self.proof.as_ref().is_none_or(|known| known.steps < proof.steps) {
            self.proof = Some(proof);
        }
    }

    /// Raises the bound to `steps` if it is lower.
    pub(super) fn raise_bound(&mut self, steps: u32) {
        let bound = self.plan.results.bound.max(steps);
        self.plan.results.bound = bound;
        self.options.progress.bound.store(bound, Ordering::Relaxed);
    }

    /// Calls the progress callback with the state of the search.
    pub(super) fn tell_standing(&self) {
        let Some(Watcher(watcher)) = &self.options.watcher else { return };
        watcher(&Standing {
            position: self.plan.position(),
            evaluations: self.plan.results.spent,
            best: self.saved.clone(),
            proof: self.proof.clone(),
        });
    }
}
