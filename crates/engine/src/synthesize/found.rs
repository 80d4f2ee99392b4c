//! What a search does with what is found, here or on another rank: judges it, keeps the best, raises the bound, tells others.

use super::options::{Standing, Watcher};
use super::outcome::{Outcome, Refusal, Solution};
use super::partners::News;
use super::search::Search;
use crate::attempt::Proof;
use crate::budget::{Clock, Interrupt};
use crate::exact;
use pavane_model::Schedule;
use pavane_verify::exact::check_refutation;
use pavane_verify::verify_unless;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Search<'_> {
    /// Tells the watcher where the search stands.
    pub(super) fn tell_standing(&self) {
        let Some(Watcher(watcher)) = &self.options.watcher else { return };
        let best = self.best.as_ref();
        watcher(&Standing {
            rounds: self.rounds,
            effort: self.effort,
            failed: self.failed,
            evaluations: self.spent,
            best: best.map(|best| (Arc::new(best.checked.schedule().clone()), best.engine)),
        });
    }

    /// Takes in what other ranks have found. From now on, a schedule of at most `aim` steps from
    /// them ends what is being done.
    pub(super) fn catch_up(&mut self, aim: u32) {
        for news in self.partners.clone().catch_up(aim) {
            match news {
                News::Found(schedule, engine) => self.consider(schedule, engine),
                News::Proved(proof) => self.raise_bound(proof, "exact"),
                News::Bound(steps) => self.bound = self.bound.max(steps),
                News::Over | News::Done(_) => {}
            }
        }
    }

    pub(super) fn finish(self) -> Outcome {
        let Self { mut bounds, proof, spent: evaluations, refusals, .. } = self;
        let wanted = self.options.steps.unwrap_or(u32::MAX);
        let solution = self.best.filter(|best| best.checked.schedule().step_count() <= wanted);
        if let Some(proof) = proof.as_ref().filter(|_| self.bound > bounds.best.steps) {
            bounds.best = exact::bound(proof);
            bounds.bounds.push(bounds.best.clone());
        }
        Outcome { solution, bounds, proof, evaluations, refusals }
    }

    /// Checks a proof and raises the bound by it.
    pub(super) fn raise_bound(&mut self, proof: Proof, engine: &'static str) {
        match check_refutation(self.problem, proof.steps, &mut &proof.lrat[..]) {
            Ok(()) => {
                self.bound = self.bound.max(proof.steps + 1);
                self.partners.tell_proof(&proof);
                self.options.progress.bound.fetch_max(self.bound, Ordering::Relaxed);
                self.proof = Some(proof);
            }
            // The judge would not check the proof in a file either, so it raises no bound.
            Err(error) if error.over_limit().is_some() => {}
            Err(error) => self.refusals.push(Refusal { engine, problem: error.to_string() }),
        }
    }

    /// Judges a schedule of the problem read forwards and keeps it if it is the best so far.
    pub(super) fn keep(&mut self, schedule: Schedule, engine: &'static str) {
        match self.problem.is_backward() {
            true => self.consider(schedule.reversed(), engine),
            false => self.consider(schedule, engine),
        }
    }

    /// Judges a schedule of the problem as it is and keeps it if it is the best so far.
    pub(super) fn consider(&mut self, schedule: Schedule, engine: &'static str) {
        if self.best_steps().is_some_and(|best| best <= schedule.step_count()) {
            return;
        }
        // Once found, a schedule is judged whatever ends the search, but not for long after its deadline.
        let late = Interrupt::never().until(self.deadline).with_grace();
        let is_late = || late.is_raised();
        let Some(verdict) = verify_unless(self.problem.clone(), schedule, &is_late) else { return };
        match verdict {
            Ok(checked) => {
                let steps = checked.schedule().step_count();
                self.options.progress.best.store(steps, Ordering::Relaxed);
                if exact::is_shortened(self.context.problem()) {
                    let forward = match self.problem.is_backward() {
                        true => checked.schedule().reversed(),
                        false => checked.schedule().clone(),
                    };
                    self.context.set_best(forward);
                }
                let is_first = self.best.replace(Solution { checked, engine }).is_none();
                let is_limited = self.options.time.is_some() || self.options.evaluations.is_some();
                if is_first && !is_limited {
                    self.deadline = Clock::start().after(self.options.patience);
                }
                self.tell_best();
            }
            Err(violations) => {
                let problem = violations.first().map(ToString::to_string).unwrap_or_default();
                self.refusals.push(Refusal { engine, problem });
            }
        }
    }

    /// Tells the watcher and the other ranks of a better schedule.
    pub(super) fn tell_best(&self) {
        self.tell_standing();
        if let Some(Solution { checked, engine }) = &self.best {
            self.partners.tell(checked.schedule(), engine);
        }
    }
}
