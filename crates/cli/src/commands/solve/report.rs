//! The report of `pavane solve`, as text or JSON.

use super::{FoundPhase, chunks, whole};
use crate::args::solve::SolveArgs;
use crate::output::{Failure, standard};
use crate::report::common::{TotalBound, WholeBoundReport};
use crate::report::solve::{ChunkReport, SolutionReport, SolvedPhase};
use crate::schedule_file::{ScheduleFile, WholePart};
use crate::schedule_text;
use crate::words;
use pavane_model::{CostModel, quantity};
use pavane_search::all_reduce::{self, SolvedWhole};
use pavane_verify::CheckedSchedule;
use std::io::{self, Write};

/// The schedules of all phases, with what the user asked for.
pub(super) struct SolutionPrinter<'a> {
    args: &'a SolveArgs,
    /// The phases.
    pub phases: Vec<FoundPhase>,
    /// The all-reduce, if there are two phases.
    whole: Option<SolvedWhole>,
    hint: Option<String>,
    seconds: f64,
    chunks: Option<ChunkReport>,
}

impl<'a> SolutionPrinter<'a> {
    /// The report of a search that took some seconds.
    pub fn new(
        args: &'a SolveArgs,
        phases: Vec<FoundPhase>,
        whole: Option<SolvedWhole>,
        hint: Option<String>,
        seconds: f64,
    ) -> Self {
        let schedules: Vec<&CheckedSchedule> = phases.iter().map(FoundPhase::checked).collect();
        let steps = whole.as_ref().filter(|whole| whole.start().is_some());
        let steps = steps.map(|whole| whole.checked.steps());
        let chunks = chunks::report(&schedules, steps, args.problem.chunks.is_some());
        Self { args, phases, whole, hint, seconds, chunks }
    }

    /// The schedules of the file: those of the phases, which may overlap in an all-reduce.
    fn schedules(&self) -> Vec<&CheckedSchedule> {
        match &self.whole {
            Some(whole) => vec![whole.checked.reduce(), whole.checked.broadcast()],
            None => self.phases.iter().map(FoundPhase::checked).collect(),
        }
    }

    fn steps(&self) -> u32 {
        match &self.whole {
            Some(whole) => whole.checked.steps(),
            None => self.phases.iter().map(FoundPhase::steps).sum(),
        }
    }

    fn gap(&self) -> u32 {
        match &self.whole {
            Some(whole) => whole.gap(),
            None => self.phases.iter().map(FoundPhase::gap).sum(),
        }
    }

    /// Whether the schedule is proved optimal.
    pub fn is_optimal(&self) -> bool {
        self.gap() == 0
    }

    fn engines(&self) -> String {
        let name = |phase: &FoundPhase| phase.start.engine(phase.solution.engine);
        let mut engines: Vec<_> = self.phases.iter().map(name).collect();
        if self.whole.as_ref().is_some_and(|whole| whole.start().is_some()) {
            engines.push(all_reduce::NAME.into());
        }
        engines.join(", ")
    }

    fn evaluations(&self) -> u64 {
        let of_phases: u64 = self.phases.iter().map(|phase| phase.evaluations).sum();
        of_phases + self.whole.as_ref().map_or(0, |whole| whole.evaluations)
    }

    /// The schedule file.
    pub fn file(&self) -> ScheduleFile<'_> {
        ScheduleFile {
            name: &self.args.problem.collective,
            phases: self
                .schedules()
                .into_iter()
                .zip(self.phases.iter().map(|phase| &phase.bounds.best))
                .collect(),
            whole: self.whole.as_ref().map(|whole| WholePart {
                start: whole.start(),
                steps: whole.checked.steps(),
                bound: &whole.bound,
            }),
            engine: self.engines(),
            seed: self.args.seed,
        }
    }

    /// Prints it as JSON.
    pub fn print_json(&self) -> Result<(), Failure> {
        let problem = self.phases[0].checked().problem();
        let bound = match &self.whole {
            None => TotalBound::Phase(&self.phases[0].bounds.best),
            Some(whole) => TotalBound::Whole(WholeBoundReport::of(&whole.bound)),
        };
        let phases = self.schedules().into_iter().zip(&self.phases);
        let phases = phases.map(|(checked, phase)| SolvedPhase {
            kind: checked.problem().collective().whole_kind(),
            steps: checked.schedule().step_count(),
            bound: &phase.bounds.best,
        });
        let report = SolutionReport {
            network: problem.network().name(),
            faults: problem.network().fault_names(),
            collective: &self.args.problem.collective,
            model: problem.model(),
            steps: self.steps(),
            chunks: self.chunks.clone(),
            bound,
            status: self.file().status(),
            optimal: self.is_optimal(),
            start: self.whole.as_ref().and_then(SolvedWhole::start),
            gap: self.gap(),
            engine: self.engines(),
            seed: self.args.seed,
            seconds: self.seconds,
            evaluations: self.evaluations(),
            channel_use: self.channel_use(),
            phases: (self.phases.len() > 1).then(|| phases.collect()),
            atlas: self.args.atlas.as_ref().map(|_| {
                self.phases.iter().map(|phase| phase.start.report(phase.solution.engine)).collect()
            }),
            hint: self.hint.as_deref(),
            cost: self.cost(),
        };
        self.file().print_json(&report, self.args.output.as_deref())
    }

    /// Prints it as text.
    pub fn print(&self) -> Result<(), Failure> {
        let mut out = standard();
        match self.whole.as_ref().filter(|whole| whole.start().is_some()) {
            Some(whole) => self.print_overlapping(whole, &mut out)?,
            None => self.print_phases(&mut out)?,
        }
        if let Some(whole) = &self.whole {
            writeln!(
                out,
                "{}",
                whole::in_words(whole, &self.args.problem.collective, self.args.steps.is_some())
            )?;
            writeln!(out, "{}", words::whole_bound(&whole.bound))?;
            if whole.start().is_some() {
                writeln!(out, "  channels  {}", words::channel_use(&self.channel_use()))?;
            }
        }
        if let Some(chunks) = &self.chunks {
            writeln!(out, "  chunks    {}", chunks::in_words(chunks))?;
        }
        writeln!(
            out,
            "  found by  {} in {:.2} s and {} evaluations, seed {}",
            self.engines(),
            self.seconds,
            self.evaluations(),
            self.args.seed
        )?;
        if let Some(cost) = self.cost() {
            writeln!(out, "  cost      {}", quantity::shown(cost))?;
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "  note      {hint}")?;
        }
        for kept in self.phases.iter().filter_map(|phase| phase.proof_file.as_ref()) {
            writeln!(out, "  proof     {}", kept.display())?;
        }
        if let Some(path) = &self.args.output {
            writeln!(out, "  written   {}", path.display())?;
        } else {
            let start = self.whole.as_ref().and_then(SolvedWhole::start);
            schedule_text::write_all(&self.schedules(), start, self.args.all, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// Prints phases that follow each other.
    fn print_phases(&self, out: &mut dyn Write) -> io::Result<()> {
        for phase in &self.phases {
            writeln!(out, "{}", words::problem(phase.checked().problem()))?;
            writeln!(out, "{}", words::bound(&phase.bounds.best))?;
            let status = match phase.gap() {
                0 => "optimal".to_owned(),
                gap if self.args.steps.is_some() && self.whole.is_none() => {
                    format!("as few as --steps asks, at most {} from optimal", words::steps(gap))
                }
                gap => format!("best found, at most {} from optimal", words::steps(gap)),
            };
            writeln!(out, "  schedule  {}: {status}", words::steps(phase.steps()))?;
            writeln!(out, "  channels  {}", words::channel_use(&channel_use(phase.checked())))?;
            self.print_atlas(phase, out)?;
        }
        Ok(())
    }

    /// Prints phases that overlap: each with its steps in the all-reduce. Their status alone says nothing
    /// about the whole.
    fn print_overlapping(&self, whole: &SolvedWhole, out: &mut dyn Write) -> io::Result<()> {
        let schedules =
            [(0, whole.checked.reduce()), (whole.checked.start(), whole.checked.broadcast())];
        for ((start, checked), phase) in schedules.into_iter().zip(&self.phases) {
            writeln!(out, "{}", words::problem(checked.problem()))?;
            writeln!(out, "{}", words::bound(&phase.bounds.best))?;
            let count = checked.schedule().step_count();
            let (steps, last) = (words::steps(count), (start + count).saturating_sub(1));
            writeln!(out, "  schedule  {steps}: steps {start} to {last} of the all-reduce")?;
            self.print_atlas(phase, out)?;
        }
        Ok(())
    }

    fn print_atlas(&self, phase: &FoundPhase, out: &mut dyn Write) -> io::Result<()> {
        if self.args.atlas.is_some() {
            writeln!(out, "  atlas     {}", phase.start.in_words(phase.solution.engine))?;
        }
        Ok(())
    }

    /// Total time by the cost model, if any of its constants was given.
    fn cost(&self) -> Option<f64> {
        let cost = &self.args.cost;
        if [cost.ts, cost.tr, cost.t1, cost.size].iter().all(Option::is_none) {
            return None;
        }
        let usual = CostModel::default();
        let model = CostModel {
            ts: cost.ts.unwrap_or(usual.ts),
            tr: cost.tr.unwrap_or(usual.tr),
            t1: cost.t1.unwrap_or(usual.t1),
            size: cost.size.unwrap_or(usual.size),
        };
        let switching = self.phases[0].checked().problem().model().switching;
        let schedules = self.with_starts().into_iter();
        let schedules = schedules.map(|(before, phase)| (before, phase.schedule()));
        Some(model.time(switching, self.steps(), schedules))
    }

    /// The schedules with the steps before each of them.
    fn with_starts(&self) -> Vec<(u32, &CheckedSchedule)> {
        let mut before = 0;
        let mut with_starts = Vec::new();
        for schedule in self.schedules() {
            with_starts.push((before, schedule));
            before += schedule.schedule().step_count();
        }
        if let (Some(start), Some(last)) =
            (self.whole.as_ref().and_then(SolvedWhole::start), with_starts.last_mut())
        {
            last.0 = start;
        }
        with_starts
    }

    /// For each step, the share of the channels that are in use.
    fn channel_use(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.steps() as usize];
        for (before, phase) in self.with_starts() {
            for (all, share) in all[before as usize..].iter_mut().zip(channel_use(phase)) {
                *all += share;
            }
        }
        all
    }
}

/// For each step, the share of the channels that are in use.
fn channel_use(checked: &CheckedSchedule) -> Vec<f64> {
    let channels = checked.problem().network().channel_count().max(1) as f64;
    let schedule = checked.schedule();
    let uses = |step| schedule.step(step).map(|t| t.path.len()).sum::<usize>();
    (0..schedule.step_count()).map(|step| uses(step) as f64 / channels).collect()
}
