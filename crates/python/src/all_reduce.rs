//! The all-reduce of two phases, which may overlap.

use crate::background::{self, Ended};
use crate::errors::{bug, impossible, unsolved};
use crate::found::Found;
use pavane_model::whole::{Whole, WholeBound};
use pavane_model::words;
use pavane_search::all_reduce;
use pavane_search::synthesize::Options;
use pavane_verify::{Limits, judge_whole};
use pyo3::prelude::*;

/// The steps of an all-reduce and its bound.
#[derive(Clone, PartialEq)]
pub struct FoundWhole {
    /// The number of steps before the broadcast, if the phases overlap.
    pub start: Option<u32>,
    pub steps: u32,
    pub bound: WholeBound,
}

impl FoundWhole {
    /// What a file says about it.
    pub fn in_file(&self) -> Whole {
        Whole { start: self.start, bound: Some(self.bound.clone()) }
    }

    /// Fails if it has more than `most` steps.
    pub fn check_within(&self, most: u32) -> PyResult<()> {
        let (wanted, bound) = (words::steps(most), words::steps(self.bound.steps));
        if most < self.bound.steps {
            let are = if most == 1 { "is" } else { "are" };
            let because = &self.bound.explanation;
            return Err(impossible(format!("{wanted} {are} impossible for all-reduce: {because}")));
        }
        if most < self.steps {
            return Err(unsolved(format!(
                "no schedule of at most {wanted} was found for all-reduce; the bound is {bound}"
            )));
        }
        Ok(())
    }

    /// Whether its number of steps is proved optimal, in words.
    pub fn status(&self) -> String {
        match self.steps - self.bound.steps {
            0 => "optimal".to_owned(),
            gap => format!("best found, at most {} from optimal", words::steps(gap)),
        }
    }

    /// Has the all-reduce of a file judged, whose phases are judged already.
    pub fn judged(phases: &[Found], whole: &Whole) -> Result<Option<Self>, String> {
        let [reduce, broadcast] = phases else { return Ok(None) };
        let limits = Limits::of(broadcast.checked.problem());
        let proved = [reduce.bound.steps, broadcast.bound.steps];
        let verdict = judge_whole([&reduce.checked, &broadcast.checked], whole, proved, limits);
        if let Some(first) = verdict.violations.first() {
            return Err(first.to_string());
        }
        let bound = verdict.bound(whole.bound.as_ref());
        Ok(Some(Self { start: whole.start, steps: verdict.steps, bound }))
    }
}

/// Bounds the all-reduce of two phases, and shortens it by letting them overlap. Leaves one phase as it is.
pub fn overlapped(
    py: Python<'_>,
    phases: Vec<Found>,
    options: &Options,
) -> PyResult<Ended<(Vec<Found>, Option<FoundWhole>)>> {
    let [reduce, broadcast] = &phases[..] else {
        return Ok(Ended { answer: (phases, None), interrupt: None });
    };
    let checked = [reduce.checked.clone(), broadcast.checked.clone()];
    let proved = [reduce.bound.steps, broadcast.bound.steps];
    let options = options.clone();
    let stop = options.stop.clone();
    let work = move || {
        let [reduce, broadcast] = &checked;
        let solved = all_reduce::solve([reduce, broadcast], proved, &options);
        let solved = solved.map_err(|error| error.to_string())?;
        Ok((solved.checked, solved.bound))
    };
    let Ended { answer, interrupt } = background::run(py, &stop, work, |_| Ok(()))?;
    let (whole, bound) = answer.map_err(|error: String| bug(error))?;
    let start = whole.is_overlapping().then(|| whole.start());
    let found = FoundWhole { start, steps: whole.steps(), bound };
    let mut phases = phases;
    for (phase, checked) in phases.iter_mut().zip([whole.reduce(), whole.broadcast()]) {
        phase.checked = checked.clone();
        if start.is_some() {
            phase.engine = format!("{}, {}", phase.engine, all_reduce::NAME);
        }
    }
    Ok(Ended { answer: (phases, Some(found)), interrupt })
}
