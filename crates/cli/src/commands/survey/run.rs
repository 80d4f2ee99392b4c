//! Solves the problems of a survey that no earlier run has solved, several at once, and keeps the
//! results in files.

use super::list::ListedProblem;
use super::row::{self, SurveyRow};
use crate::args::survey::SurveyArgs;
use crate::commands::search_request::time_left;
use crate::output::{Failure, is_special};
use crate::progress::{Ticker, bar};
use crate::words;
use pavane_cluster::{Cluster, Jobs, decode, encode};
use pavane_search::budget::Clock;
use pavane_search::synthesize::{Options, synthesize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Interval between writes of the files.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// A survey on a rank.
pub struct SurveyRun<'a> {
    /// The arguments.
    pub args: &'a SurveyArgs,
    /// The problems.
    pub entries: &'a [ListedProblem],
    /// Set by a signal.
    pub stop: Arc<AtomicBool>,
    /// The ranks.
    pub cluster: &'a Cluster,
}

/// The results so far, by the place of their problem in the list.
struct KeptRows {
    rows: Vec<Option<SurveyRow>>,
    last: Clock,
    failure: Option<Failure>,
}

impl SurveyRun<'_> {
    /// Solves the problems on all ranks. Returns the results in the order of the list; problems that
    /// an interrupt prevented have none.
    pub fn run(&self) -> Result<Vec<SurveyRow>, Failure> {
        let rows = self.earlier()?;
        let open: Vec<usize> =
            rows.iter().enumerate().filter(|(_, row)| row.is_none()).map(|(at, _)| at).collect();
        let known = rows.iter().flatten();
        let (done, solved) = (known.clone().count(), known.filter(|row| row.is_solved()).count());
        let counts = Arc::new((AtomicUsize::new(done), AtomicUsize::new(solved)));
        let (shown, total) = (counts.clone(), rows.len() as u64);
        let ticker = Ticker::of_ranks(self.cluster.ranks(), move || {
            let [done, solved] = [&shown.0, &shown.1].map(|count| count.load(Ordering::Relaxed));
            format!("{} problems, {solved} solved", bar(done as u64, total))
        });
        let kept = Mutex::new(KeptRows { rows, last: Clock::start(), failure: None });
        let collect = |number: usize, row: SurveyRow| {
            counts.0.fetch_add(1, Ordering::Relaxed);
            counts.1.fetch_add(usize::from(row.is_solved()), Ordering::Relaxed);
            let mut kept = kept.lock().expect("no thread panics while it holds this");
            kept.rows[open[number]] = Some(row);
            if let Err(failure) = self.keep(&mut kept) {
                kept.failure.get_or_insert(failure);
                self.stop.store(true, Ordering::Relaxed);
            }
        };
        self.share(&open, &collect);
        drop(ticker);
        let kept = kept.into_inner().expect("no thread panics while it holds this");
        if let Some(failure) = kept.failure {
            return Err(failure);
        }
        let rows: Vec<SurveyRow> = kept.rows.into_iter().flatten().collect();
        let files = [&self.args.resume, &self.args.output];
        files.into_iter().flatten().try_for_each(|path| row::write(path, &rows))?;
        Ok(rows)
    }

    /// Helps rank 0 with the open problems.
    pub fn assist(&self) {
        // Only rank 0 knows the earlier results, so it sends the list of open problems.
        let open = self.cluster.receive(self.cluster.common_tag());
        let open: Option<Vec<usize>> = open.and_then(|message| decode(&message.bytes));
        self.share(&open.unwrap_or_default(), &|_, _| {});
    }

    /// The results of an earlier run with the same settings.
    fn earlier(&self) -> Result<Vec<Option<SurveyRow>>, Failure> {
        let path = self.args.resume.as_deref().filter(|path| path.exists());
        let rows = path.map_or(Ok(Vec::new()), row::read)?;
        let limit_s = self.args.time.as_secs_f64();
        let is_same = |row: &SurveyRow| row.seed == self.args.seed && row.limit_s == limit_s;
        let rows = rows.into_iter().filter(is_same);
        let mut known: BTreeMap<String, SurveyRow> =
            rows.map(|row| (row.problem.clone(), row)).collect();
        Ok(self.entries.iter().map(|entry| known.remove(&entry.problem())).collect())
    }

    /// Solves problems together with the other ranks.
    fn share(&self, open: &[usize], collect: &(dyn Fn(usize, SurveyRow) + Sync)) {
        let cluster = self.cluster;
        if cluster.is_first() {
            let (tag, list) = (cluster.common_tag(), encode(open));
            cluster.others().for_each(|rank| cluster.send(rank, tag, list.clone()));
        }
        // Each problem is solved by one rank, which stops when the whole run does.
        let stop = if cluster.is_first() { self.stop.clone() } else { cluster.stop() };
        let work = |number: usize| {
            let entry = &self.entries[open[number]];
            pavane_search::with_threads(1, || self.solve(entry, &stop))
        };
        let workers = self.args.jobs.unwrap_or_else(words::cores).clamp(1, open.len().max(1));
        let stop = &self.stop;
        cluster.share(&Jobs { count: open.len(), workers, stop, work: &work, collect });
    }

    /// Solves a problem, phase by phase. The time to build the problem counts.
    fn solve(&self, entry: &ListedProblem, stop: &Arc<AtomicBool>) -> SurveyRow {
        let clock = Clock::start();
        let mut row = SurveyRow {
            problem: entry.problem(),
            bound: 0,
            reason: String::new(),
            steps: None,
            engine: String::new(),
            evaluations: 0,
            seconds: 0.0,
            limit_s: self.args.time.as_secs_f64(),
            seed: self.args.seed,
            remark: String::new(),
        };
        if let Err(failure) = self.search(entry, stop, &clock, &mut row) {
            row.remark = failure.text().replace(['\n', '\r'], "; ");
        }
        row.seconds = clock.elapsed().as_secs_f64();
        row
    }

    fn search(
        &self,
        entry: &ListedProblem,
        stop: &Arc<AtomicBool>,
        clock: &Clock,
        row: &mut SurveyRow,
    ) -> Result<(), Failure> {
        let problems = entry.arguments().map_err(Failure::bad_input)?.load()?;
        let (mut steps, mut reasons, mut engines) = (Some(0), Vec::new(), Vec::new());
        for (phase, problem) in problems.iter().enumerate() {
            let options = Options {
                seed: self.args.seed,
                threads: 1,
                time: time_left(Some(self.args.time), clock, problems.len() - phase),
                stop: stop.clone(),
                ..Options::default()
            };
            let outcome = synthesize(problem, &options)?;
            row.bound += outcome.bounds.best.steps;
            row.evaluations += outcome.evaluations;
            reasons.push(outcome.bounds.best.reason);
            if let Some(refusal) = outcome.refusals.first() {
                row.remark = format!(
                    "the judge rejected a schedule of the engine {}: {}",
                    refusal.engine, refusal.problem
                );
            }
            let found = outcome.solution.as_ref();
            engines.extend(found.map(|solution| solution.engine));
            let found = found.map(|solution| solution.checked.schedule().step_count());
            steps = steps.zip(found).map(|(steps, found)| steps + found);
        }
        (row.steps, row.reason, row.engine) = (steps, reasons.join("+"), engines.join("+"));
        if steps.is_none() && row.remark.is_empty() {
            row.remark = "no schedule was found in time".to_owned();
        }
        Ok(())
    }

    /// Writes the files of `--resume` and `-o` from time to time, so that a crash loses little.
    fn keep(&self, kept: &mut KeptRows) -> Result<(), Failure> {
        if kept.last.elapsed() < KEEP_EVERY {
            return Ok(());
        }
        kept.last = Clock::start();
        let is_file = |path: &&Path| !is_special(path);
        let files = [&self.args.resume, &self.args.output].into_iter().flatten();
        let files: Vec<&Path> = files.map(|path| path.as_path()).filter(is_file).collect();
        if files.is_empty() {
            return Ok(());
        }
        let rows: Vec<SurveyRow> = kept.rows.iter().flatten().cloned().collect();
        files.into_iter().try_for_each(|path| row::write(path, &rows))
    }
}
