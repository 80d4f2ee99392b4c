//! Solves the classes of faults that no earlier run has solved, and stores the results.

use super::row::{self, FaultFinding, Key, KnownRows};
use super::{Column, Survey, resumed, save};
use crate::args::faults::FaultsArgs;
use crate::output::{Failure, write_file};
use crate::progress::Ticker;
use crate::words;
use pavane_cluster::{Cluster, Jobs, decode, encode};
use pavane_model::{Fault, strict_json};
use pavane_search::budget::Clock;
use pavane_search::fault::{Job, JobAnswer, answer};
use pavane_search::synthesize::Options;
use pavane_store::contingency;
use pavane_store::files::NamedFile;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Time to improve the schedules, after the first one for each class of faults.
const PATIENCE: Duration = Duration::from_secs(10);

/// Interval between writes of the file of `--resume`.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// Column and class of a job; `None` for the intact network.
type Place = (usize, Option<usize>);

/// The jobs to solve and the known results.
pub struct FaultJobs {
    jobs: Vec<Job>,
    places: Vec<Place>,
    setups: Vec<String>,
    known: KnownRows,
}

/// How far a run has come.
pub struct FaultsDone {
    /// Whether it was not interrupted.
    pub is_complete: bool,
    /// Number of classes of faults whose search was not interrupted, with the intact network of every column.
    pub done: usize,
    /// Number of classes.
    pub all: usize,
}

/// State shared between threads.
struct SharedState {
    known: KnownRows,
    last: Clock,
    failure: Option<Failure>,
}

/// A solved job, as one rank sends it to another.
#[derive(Serialize, Deserialize)]
struct SolvedJob {
    /// The finding as JSON: postcard cannot decode enums with a tag inside.
    finding: String,
    /// Files for the folder of `--save`.
    saved: Vec<NamedFile>,
    /// Files for the folder beside the file of `--resume`.
    resumable: Vec<NamedFile>,
}

impl FaultJobs {
    /// All jobs, with the results of an earlier run.
    pub fn new(survey: &Survey<'_>) -> Result<Self, Failure> {
        let mut this = Self::all(survey);
        let Some(path) = &rows(survey.args) else { return Ok(this) };
        this.known = row::read(path)?;
        let done = Arc::new(AtomicU64::new(0));
        let ticker =
            Ticker::counting(1, "schedules of an earlier run", this.jobs.len() as u64, &done);
        let mut lost = 0;
        for (number, job) in this.jobs.iter().enumerate() {
            done.fetch_add(1, Ordering::Relaxed);
            let key = this.key(number);
            let Some(finding) = this.known.get(&key) else { continue };
            let schedule = this.schedule(survey, number, path);
            if !resumed::is_sound(&schedule, finding, &survey.network, job) {
                lost += usize::from(finding.steps().is_some());
                this.known.remove(&key);
            }
        }
        drop(ticker);
        if lost > 0 {
            let rows = words::counted(lost, "row");
            let folder = this.schedule(survey, 0, path);
            let folder = folder.parent().unwrap_or(path).display();
            words::warn(&format!(
                "{}: {rows} without a valid schedule in {folder}; solving them again",
                path.display(),
            ));
        }
        Ok(this)
    }

    fn all(survey: &Survey<'_>) -> Self {
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
        let args = survey.args;
        let limits = (args.seed, args.evaluations, args.time);
        let setup = |column: &Column| resumed::setup(&survey.network, &column.request, limits);
        let setups = survey.columns.iter().map(setup).collect();
        Self { jobs, places, setups, known: KnownRows::new() }
    }

    /// Solves the open jobs on all ranks. An interrupt leaves the rest as it is.
    pub fn run(
        mut self,
        survey: &mut Survey<'_>,
        stop: &Arc<AtomicBool>,
        cluster: &Cluster,
    ) -> Result<FaultsDone, Failure> {
        let is_open = |&job: &usize| match self.known.get(&self.key(job)) {
            None => true,
            Some(finding) => finding.steps().is_some() && self.lacks_file(survey, job),
        };
        let open: Vec<usize> = (0..self.jobs.len()).filter(is_open).collect();
        let done = Arc::new(AtomicU64::new(0));
        let what = match self.jobs.len() - open.len() {
            0 => "classes of faults".to_owned(),
            found => format!("classes of faults, {found} from an earlier run"),
        };
        let ticker = Ticker::counting(cluster.ranks(), &what, open.len() as u64, &done);
        let known = std::mem::take(&mut self.known);
        let kept = Mutex::new(SharedState { known, last: Clock::start(), failure: None });
        // Jobs that an interrupt cuts short are not counted.
        let completed = AtomicUsize::new(self.jobs.len() - open.len());
        let collect = |number: usize, solved: Result<SolvedJob, String>| {
            done.fetch_add(1, Ordering::Relaxed);
            if !stop.load(Ordering::Relaxed) {
                completed.fetch_add(1, Ordering::Relaxed);
            }
            let mut kept = kept.lock().expect("no thread panics while it holds this");
            if let Err(failure) = self.keep(survey, open[number], solved, &mut kept) {
                kept.failure.get_or_insert(failure);
                stop.store(true, Ordering::Relaxed);
            }
        };
        self.share(survey, &open, stop, cluster, &collect);
        drop(ticker);
        let kept = kept.into_inner().expect("no thread panics while it holds this");
        if let Some(failure) = kept.failure {
            return Err(failure);
        }
        if let Some(path) = &rows(survey.args) {
            row::keep(path, &kept.known)?;
        }
        for (job, &(column, class)) in self.places.iter().enumerate() {
            let Some(finding) = kept.known.get(&self.key(job)).cloned() else { continue };
            match class {
                None => survey.columns[column].healthy = finding,
                Some(class) => survey.columns[column].findings[class] = finding,
            }
        }
        let is_complete = !stop.load(Ordering::Relaxed) && !cluster.is_stopped();
        Ok(FaultsDone { is_complete, done: completed.into_inner(), all: self.jobs.len() })
    }

    /// Helps rank 0 with the open jobs.
    pub fn assist(survey: &Survey<'_>, stop: &Arc<AtomicBool>, cluster: &Cluster) {
        let this = Self::all(survey);
        // Only rank 0 knows the earlier results, so it sends the list of open jobs.
        let open = cluster.receive(cluster.common_tag());
        let open = open.and_then(|message| decode(&message.bytes));
        let open: Vec<usize> = open.unwrap_or_default();
        this.share(survey, &open, stop, cluster, &|_, _| {});
    }

    /// Runs jobs together with the other ranks.
    fn share(
        &self,
        survey: &Survey<'_>,
        open: &[usize],
        stop: &Arc<AtomicBool>,
        cluster: &Cluster,
        collect: &(dyn Fn(usize, Result<SolvedJob, String>) + Sync),
    ) {
        if cluster.is_first() {
            let (tag, list) = (cluster.common_tag(), encode(open));
            cluster.others().for_each(|rank| cluster.send(rank, tag, list.clone()));
        }
        let options = options(survey.args, stop, cluster);
        let workers = options.threads.clamp(1, open.len().max(1));
        let each = Options { threads: (options.threads / workers).max(1), ..options };
        let work = |number: usize| {
            let job = open[number];
            let answer = answer(&survey.network, &self.jobs[job], &each);
            self.solved(survey, job, &answer)
        };
        cluster.share(&Jobs { count: open.len(), workers, stop, work: &work, collect });
    }

    /// The result in an answer and the files to store.
    fn solved(
        &self,
        survey: &Survey<'_>,
        job: usize,
        answer: &JobAnswer,
    ) -> Result<SolvedJob, String> {
        let (column, class) = self.places[job];
        let column = &survey.columns[column];
        let saved = survey.args.save.as_ref().map(|_| save::file_name(column, class));
        let resumable = survey.args.resume.as_ref().map(|_| resumed::file_name(&self.key(job)));
        let files = |name: Option<String>| match (name, answer) {
            (Some(name), JobAnswer::Solved(solved)) => {
                let files = save::files(&name, column, solved, survey.args.seed);
                files.map_err(|error| error.to_string())
            }
            _ => Ok(Vec::new()),
        };
        let finding = FaultFinding::new(answer).map_err(|error| error.to_string())?;
        Ok(SolvedJob {
            finding: serde_json::to_string(&finding).map_err(|error| error.to_string())?,
            saved: files(saved)?,
            resumable: files(resumable)?,
        })
    }

    fn keep(
        &self,
        survey: &Survey<'_>,
        job: usize,
        solved: Result<SolvedJob, String>,
        kept: &mut SharedState,
    ) -> Result<(), Failure> {
        let SolvedJob { finding, saved, resumable } = solved.map_err(Failure::Bug)?;
        let finding = strict_json::from_slice(finding.as_bytes())
            .map_err(|_| Failure::Bug("a rank sent a result that cannot be decoded".to_owned()))?;
        if let Some(folder) = &survey.args.save {
            for (name, file) in saved {
                write_file(&folder.join(name), |out| out.write_all(&file))?;
            }
        }
        if let Some(path) = &survey.args.resume {
            resumed::keep(path, &resumable)?;
        }
        kept.known.insert(self.key(job), finding);
        if let Some(path) = &rows(survey.args)
            && kept.last.elapsed() >= KEEP_EVERY
        {
            kept.last = Clock::start();
            row::keep(path, &kept.known)?;
        }
        Ok(())
    }

    /// Whether the schedule file of a job is required but missing.
    fn lacks_file(&self, survey: &Survey<'_>, job: usize) -> bool {
        let Some(folder) = &survey.args.save else { return false };
        let (column, class) = self.places[job];
        !folder.join(save::file_name(&survey.columns[column], class)).is_file()
    }

    /// The file with the schedule of a job of an earlier run, whose results are at `rows`.
    fn schedule(&self, survey: &Survey<'_>, job: usize, rows: &Path) -> PathBuf {
        let (column, class) = self.places[job];
        match &survey.args.save {
            Some(folder) if survey.args.resume.is_none() => {
                folder.join(save::file_name(&survey.columns[column], class))
            }
            _ => resumed::schedule(rows, &self.key(job)),
        }
    }

    /// Unique key of a job, also across runs.
    fn key(&self, job: usize) -> Key {
        (self.setups[self.places[job].0].clone(), numbers(&self.jobs[job].faults))
    }
}

/// The file of results: that of `--resume`, or one in the folder of `--save`.
fn rows(args: &FaultsArgs) -> Option<PathBuf> {
    let saved = args.save.as_ref().map(|folder| contingency::rows(folder));
    args.resume.clone().or(saved)
}

/// Faults by the numbers of their routers.
pub fn numbers(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| fault.numbers()).collect()
}

fn options(args: &FaultsArgs, stop: &Arc<AtomicBool>, cluster: &Cluster) -> Options {
    // Each class is solved by one rank, which stops when the whole run does.
    let stop = if cluster.is_first() { stop.clone() } else { cluster.stop() };
    Options {
        seed: args.seed,
        threads: args.threads.unwrap_or_else(words::cores),
        evaluations: args.evaluations,
        time: args.time,
        patience: PATIENCE,
        stop,
        ..Options::default()
    }
}
