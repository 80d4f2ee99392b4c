//! Solves the classes of faults that no earlier run has solved, and keeps what is solved.

use super::row::{self, Finding, Known};
use super::{Column, Survey, save};
use crate::fault_args::FaultsArgs;
use crate::output::Failure;
use crate::progress::{Ticker, bar};
use crate::words;
use pavane_engine::budget::Clock;
use pavane_engine::fault::{Answer, Job};
use pavane_engine::synthesize::Options;
use pavane_model::{Fault, Network};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Time for better schedules, after the first one for each class of faults.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the file of `--resume` is written.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// What is to be solved, and what was.
pub struct Jobs {
    jobs: Vec<Job>,
    /// By job: its column and its class; none for the network as it is.
    places: Vec<(usize, Option<usize>)>,
    setups: Vec<String>,
    known: Known,
}

/// What the threads share.
struct Kept {
    known: Known,
    last: Clock,
    failure: Option<Failure>,
}

impl Jobs {
    /// All jobs, and the rows of an earlier run.
    pub fn new(survey: &Survey<'_>) -> Result<Self, Failure> {
        let mut jobs = Vec::new();
        let mut places = Vec::new();
        for (at, column) in survey.columns.iter().enumerate() {
            let first = |class: &usize| {
                let set = column.classes.classes[*class].members[0].set;
                survey.parts.set(&survey.sets.sets[set])
            };
            let all = std::iter::once(None).chain((0..column.findings.len()).map(Some));
            for class in all {
                let faults = class.as_ref().map_or(Vec::new(), first);
                jobs.push(Job { request: column.request.clone(), faults });
                places.push((at, class));
            }
        }
        let setup = |column: &Column| setup(survey.args, &survey.network, column);
        let setups = survey.columns.iter().map(setup).collect();
        let known = match &survey.args.resume {
            Some(path) => row::read(path)?,
            None => Known::new(),
        };
        Ok(Self { jobs, places, setups, known })
    }

    /// Solves what is not solved yet; `None` if that was interrupted.
    pub fn run(
        mut self,
        survey: &mut Survey<'_>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<()>, Failure> {
        let is_open = |&job: &usize| match self.known.get(&self.key(job)) {
            None => true,
            Some(finding) => finding.steps().is_some() && self.lacks_file(survey, job),
        };
        let open: Vec<usize> = (0..self.jobs.len()).filter(is_open).collect();
        let jobs: Vec<Job> = open.iter().map(|&job| self.jobs[job].clone()).collect();
        let done = Arc::new(AtomicUsize::new(0));
        let (solved, total, found) = (done.clone(), jobs.len(), self.jobs.len() - jobs.len());
        let ticker = Ticker::start(move || {
            let earlier = if found > 0 { format!(", {found} from before") } else { String::new() };
            bar(solved.load(Ordering::Relaxed), total) + " classes of faults" + &earlier
        });
        let options = options(survey.args, stop);
        let known = std::mem::take(&mut self.known);
        let kept = Mutex::new(Kept { known, last: Clock::start(), failure: None });
        let finish = |number: usize, answer: Answer| {
            done.fetch_add(1, Ordering::Relaxed);
            let mut kept = kept.lock().expect("no thread panics while it holds this");
            if let Err(failure) = self.keep(survey, open[number], &answer, &mut kept) {
                kept.failure.get_or_insert(failure);
                stop.store(true, Ordering::Relaxed);
            }
        };
        pavane_engine::fault::survey(&survey.network, &jobs, &options, &finish);
        drop(ticker);
        let kept = kept.into_inner().expect("no thread panics while it holds this");
        if let Some(failure) = kept.failure {
            return Err(failure);
        }
        if let Some(path) = &survey.args.resume {
            row::keep(path, &kept.known)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        for (job, &(column, class)) in self.places.iter().enumerate() {
            let Some(finding) = kept.known.get(&self.key(job)).cloned() else { continue };
            match class {
                None => survey.columns[column].healthy = finding,
                Some(class) => survey.columns[column].findings[class] = finding,
            }
        }
        Ok(Some(()))
    }

    fn keep(
        &self,
        survey: &Survey<'_>,
        job: usize,
        answer: &Answer,
        kept: &mut Kept,
    ) -> Result<(), Failure> {
        let finding = Finding::new(answer)?;
        if let (Some(folder), Answer::Solved(solved)) = (&survey.args.save, answer) {
            let (column, class) = self.places[job];
            let column = &survey.columns[column];
            let name = save::file_name(column, class);
            save::write(folder, &name, column, solved, survey.args.seed)?;
        }
        kept.known.insert(self.key(job), finding);
        if let Some(path) = &survey.args.resume
            && kept.last.elapsed() >= KEEP_EVERY
        {
            kept.last = Clock::start();
            row::keep(path, &kept.known)?;
        }
        Ok(())
    }

    /// Whether the schedule of a job is to be in a folder and is not.
    fn lacks_file(&self, survey: &Survey<'_>, job: usize) -> bool {
        let Some(folder) = &survey.args.save else { return false };
        let (column, class) = self.places[job];
        !folder.join(save::file_name(&survey.columns[column], class)).is_file()
    }

    /// What tells a job from all others, in this run and others.
    fn key(&self, job: usize) -> (String, Vec<String>) {
        (self.setups[self.places[job].0].clone(), numbers(&self.jobs[job].faults))
    }
}

/// Faults by the numbers of their routers.
pub fn numbers(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| fault.numbers()).collect()
}

fn options(args: &FaultsArgs, stop: &Arc<AtomicBool>) -> Options {
    Options {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        evaluations: args.evaluations,
        time: args.time,
        patience: PATIENCE,
        stop: stop.clone(),
        ..Options::default()
    }
}

/// All that a row depends on.
fn setup(args: &FaultsArgs, network: &Network, column: &Column) -> String {
    let mut ends = 0u64;
    for channel in network.channels() {
        let pair = u64::from(channel.tail.0) << 32 | u64::from(channel.head.0);
        ends = (ends.rotate_left(5) ^ pair).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    format!(
        "{} {:?} {ends:x} {} {:?} {} seed {} evaluations {:?} time {:?}",
        network.name(),
        network.faults(),
        column.request.collective,
        column.request.groups,
        words::model(column.request.model),
        args.seed,
        args.evaluations,
        args.time
    )
}
