//! One `pavane solve` on all ranks: options of its searches, checkpoints and cleanup.

use crate::args::solve::SolveArgs;
use crate::commands::atlas::start::AtlasStart;
use crate::commands::interrupt::Signals;
use crate::output::{Failure, check_place};
use crate::picture_file::check_output;
use crate::words;
use pavane_cluster::Cluster;
use pavane_model::Problem;
use pavane_search::budget::Clock;
use pavane_search::synthesize::{Options, Watcher, assist};
use pavane_store::StoreError;
use pavane_store::checkpoint::{Checkpoint, Keeper, SearchSetup, place};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A `pavane solve` on a rank: the state shared by all phases.
pub struct SearchRequest<'a> {
    /// The arguments.
    pub args: &'a SolveArgs,
    /// The ranks.
    pub cluster: &'a Cluster,
    /// Set by a signal.
    pub stop: Arc<AtomicBool>,
    /// Started with the command.
    clock: Clock,
    /// The problems, one per phase.
    pub problems: &'a [Arc<Problem>],
    /// Time limit of all phases, counted from the start of the command.
    pub time: Option<Duration>,
    /// The largest number of steps to accept.
    pub steps: Option<u32>,
    /// Checkpoint of an earlier run.
    earlier: Option<Checkpoint>,
    /// What the atlas has for each problem.
    starts: Vec<AtlasStart>,
    keeper: Option<Arc<Keeper>>,
}

impl<'a> SearchRequest<'a> {
    /// Creates the request after checking the files to read and write.
    pub fn new(
        args: &'a SolveArgs,
        cluster: &'a Cluster,
        problems: &'a [Arc<Problem>],
        signals: &Signals,
        clock: Clock,
    ) -> Result<Self, Failure> {
        let blank = Checkpoint::new(&SearchSetup {
            problems,
            collective: &args.problem.collective,
            groups: &args.problem.rules.groups.groups(),
            engine: args.engine.as_deref(),
            preset: args.preset,
            settings: &args.set,
            seed: args.seed,
            steps: args.steps,
        });
        let earlier = earlier(args, cluster, &blank)?;
        let starts = AtlasStart::of_all(args.atlas.as_deref(), problems)?;
        let mut keeper = None;
        if cluster.is_first() {
            args.output.iter().try_for_each(|path| check_output(path, true))?;
            args.resume.iter().try_for_each(|path| check_place(path))?;
            let beside = args.output.as_deref().filter(|_| !cluster.is_alone()).and_then(place);
            let begun = earlier.clone().unwrap_or(blank);
            let tell = |error: &StoreError| {
                words::warn(&format!("warning: the checkpoint was not saved: {error}"));
            };
            let new = |path: &Path| Arc::new(Keeper::new(path, begun, args.seed, tell));
            keeper = args.resume.clone().or(beside).as_deref().map(new);
        }
        let (kept, output, is_alone) = (keeper.clone(), args.output.clone(), cluster.is_alone());
        signals.then(move || {
            // Saves the schedule now, because there may be no time later.
            if let (Some(keeper), Some(output)) = (&kept, &output) {
                keeper.rescue(output);
            }
            tell_signal(is_alone, kept.as_ref().map(|keeper| keeper.path()));
        });
        let stop = signals.stop.clone();
        // The steps of an all-reduce are those of both phases, which may overlap.
        let (time, steps) = (args.time, args.steps.filter(|_| problems.len() == 1));
        Ok(Self { args, cluster, stop, clock, problems, time, steps, earlier, starts, keeper })
    }

    /// The search options for a phase.
    pub fn options(&self, phase: usize) -> Result<Options, Failure> {
        let args = self.args;
        let resumed = match (&self.earlier, &args.resume) {
            (Some(earlier), Some(path)) => {
                let limit = args.problem.rules.max_deliveries;
                let catalogue = pavane_evolution::catalogue();
                Some(Arc::new(earlier.standing(phase, path, limit, &catalogue)?))
            }
            _ => self.starts[phase].standing().map(Arc::new),
        };
        let watcher = self.keeper.clone().map(|keeper| {
            let problem = self.problems[phase].clone();
            Watcher(Arc::new(move |standing| keeper.note(phase, &problem, standing)))
        });
        Ok(Options {
            catalogue: pavane_evolution::catalogue(),
            engine: args.engine.clone(),
            preset: args.preset,
            settings: args.set.clone(),
            seed: args.seed,
            threads: args.threads.unwrap_or_else(words::cores),
            evaluations: args.evaluations,
            time: time_left(self.time, &self.clock, self.parts_left(phase)),
            steps: self.steps,
            prove: args.prove,
            stop: self.stop.clone(),
            cluster: self.cluster.clone(),
            resumed,
            watcher,
            ..Options::default()
        })
    }

    /// The parts of the command that are left before a phase; the last part of several phases lets them
    /// overlap.
    fn parts_left(&self, phase: usize) -> usize {
        self.problems.len() - phase + usize::from(self.problems.len() > 1)
    }

    /// What the atlas has for a phase.
    pub fn start(&self, phase: usize) -> &AtlasStart {
        &self.starts[phase]
    }

    /// Helps rank 0, phase by phase.
    pub fn assist(&self) -> Result<(), Failure> {
        for (number, problem) in self.problems.iter().enumerate() {
            assist(problem, &self.options(number)?)?;
        }
        Ok(())
    }

    /// Removes a checkpoint that was not requested, unless the search was cut short.
    pub fn tidy(&self) {
        let is_cut_short = self.stop.load(Ordering::Relaxed) || self.cluster.is_stopped();
        if let (Some(keeper), None, false) = (&self.keeper, &self.args.resume, is_cut_short) {
            // The file may not exist, and one that cannot be removed does no harm.
            let _ = std::fs::remove_file(keeper.path());
        }
    }
}

/// Time for the next part of a command: the remaining time divided by the number of remaining
/// parts.
pub fn time_left(time: Option<Duration>, clock: &Clock, parts: usize) -> Option<Duration> {
    time.map(|time| time.saturating_sub(clock.elapsed()) / parts.max(1) as u32)
}

/// Reports why the search ends and how to continue it, unless that is obvious.
fn tell_signal(is_alone: bool, checkpoint: Option<&Path>) {
    let cause = if is_alone {
        ""
    } else {
        " (Ctrl-C, a limit of the batch system, or a failed rank; see the output of mpirun)"
    };
    let kept = checkpoint.filter(|path| path.is_file());
    let how = kept.map(|path| format!("; continue with --resume {}", path.display()));
    if !is_alone || how.is_some() {
        words::warn(&format!("the search was ended by a signal{cause}{}", how.unwrap_or_default()));
    }
}

/// The checkpoint of an earlier run. Only rank 0 needs the file.
fn earlier(
    args: &SolveArgs,
    cluster: &Cluster,
    blank: &Checkpoint,
) -> Result<Option<Checkpoint>, Failure> {
    let Some(path) = &args.resume else { return Ok(None) };
    let tag = cluster.common_tag();
    let bytes = if cluster.is_first() {
        let bytes = Checkpoint::read(path)?.unwrap_or_default();
        cluster.others().for_each(|rank| cluster.send(rank, tag, bytes.clone()));
        bytes
    } else {
        cluster.receive(tag).map(|message| message.bytes).unwrap_or_default()
    };
    if bytes.is_empty() {
        Ok(None)
    } else {
        Ok(Some(Checkpoint::parse(&bytes, path)?.of_same_search(blank, path)?))
    }
}
