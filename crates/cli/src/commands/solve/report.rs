//! The report of `pavane solve`, as text or JSON.

use super::{FoundPhase, chunks};
use crate::args::solve::SolveArgs;
use crate::commands::bound::PHASES;
use crate::output::{Failure, standard};
use crate::report::common::{SummedBound, TotalBound};
use crate::report::solve::{ChunkReport, SolutionReport, SolvedPhase};
use crate::schedule_file::ScheduleFile;
use crate::schedule_text;
use crate::words;
use pavane_model::{Switching, quantity};
use pavane_verify::CheckedSchedule;
use std::io::Write;

/// The schedules of all phases, with what the user asked for.
pub(super) struct SolutionPrinter<'a> {
    args: &'a SolveArgs,
    /// The phases.
    pub phases: Vec<FoundPhase>,
    hint: Option<String>,
    seconds: f64,
    chunks: Option<ChunkReport>,
}

impl<'a> SolutionPrinter<'a> {
    /// The report of a search that took some seconds.
    pub fn new(
        args: &'a SolveArgs,
        phases: Vec<FoundPhase>,
        hint: Option<String>,
        seconds: f64,
    ) -> Self {
        let schedules: Vec<&CheckedSchedule> = phases.iter().map(FoundPhase::checked).collect();
        let chunks = chunks::report(&schedules, args.problem.chunks.is_some());
        Self { args, phases, hint, seconds, chunks }
    }

    fn steps(&self) -> u32 {
        self.phases.iter().map(FoundPhase::steps).sum()
    }

    fn bound_steps(&self) -> u32 {
        self.phases.iter().map(|phase| phase.bounds.best.steps).sum()
    }

    fn gap(&self) -> u32 {
        self.phases.iter().map(FoundPhase::gap).sum()
    }

    /// Whether the schedule of every phase is proved optimal.
    pub fn is_optimal(&self) -> bool {
        self.gap() == 0
    }

    fn engines(&self) -> String {
        let name = |phase: &FoundPhase| phase.start.engine(phase.solution.engine);
        self.phases.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    fn evaluations(&self) -> u64 {
        self.phases.iter().map(|phase| phase.evaluations).sum()
    }

    /// The schedule file.
    pub fn file(&self) -> ScheduleFile<'_> {
        ScheduleFile {
            name: &self.args.problem.collective,
            phases: self.phases.iter().map(|p| (p.checked(), &p.bounds.best)).collect(),
            engine: self.engines(),
            seed: self.args.seed,
        }
    }

    /// Prints it as JSON.
    pub fn print_json(&self) -> Result<(), Failure> {
        let problem = self.phases[0].checked().problem();
        let bound = match &self.phases[..] {
            [phase] => TotalBound::Phase(&phase.bounds.best),
            _ => TotalBound::Sum(SummedBound {
                steps: self.bound_steps(),
                reason: "phases",
                explanation: PHASES,
                certificate: None,
            }),
        };
        let phases = self.phases.iter().map(|phase| SolvedPhase {
            kind: phase.checked().problem().collective().whole_kind(),
            steps: phase.steps(),
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
            optimal: self.gap() == 0 && self.phases.len() == 1,
            gap: self.gap(),
            engine: self.engines(),
            seed: self.args.seed,
            seconds: self.seconds,
            evaluations: self.evaluations(),
            channel_use: self.phases.iter().flat_map(|p| channel_use(p.checked())).collect(),
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
        for phase in &self.phases {
            writeln!(out, "{}", words::problem(phase.checked().problem()))?;
            writeln!(out, "{}", words::bound(&phase.bounds.best))?;
            let status = match phase.gap() {
                0 => "optimal".to_owned(),
                gap => format!("best found, at most {} from optimal", words::steps(gap)),
            };
            writeln!(out, "  schedule  {}: {status}", words::steps(phase.steps()))?;
            writeln!(out, "  channels  {}", words::channel_use(&channel_use(phase.checked())))?;
            if self.args.atlas.is_some() {
                writeln!(out, "  atlas     {}", phase.start.in_words(phase.solution.engine))?;
            }
        }
        if self.phases.len() > 1 {
            writeln!(
                out,
                "{}: {} in total; the bound of its phases is {}\n  ({PHASES})",
                self.args.problem.collective,
                words::steps(self.steps()),
                words::steps(self.bound_steps())
            )?;
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
            let phases: Vec<&CheckedSchedule> =
                self.phases.iter().map(FoundPhase::checked).collect();
            schedule_text::write_all(&phases, self.args.all, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// Total time by the cost model, if any of its constants was given.
    fn cost(&self) -> Option<f64> {
        let cost = &self.args.cost;
        if [cost.ts, cost.tr, cost.t1, cost.size].iter().all(Option::is_none) {
            return None;
        }
        let (start, hop, unit) =
            (cost.ts.unwrap_or(0.0), cost.tr.unwrap_or(0.0), cost.t1.unwrap_or(0.0));
        let size = cost.size.unwrap_or(1.0);
        let mut total = 0.0;
        for phase in &self.phases {
            let schedule = phase.checked().schedule();
            for step in 0..schedule.step_count() {
                let longest = schedule.step(step).map(|transfer| transfer.path.len()).max();
                let hops = match phase.checked().problem().model().switching {
                    Switching::Wormhole => longest.unwrap_or(0) as f64,
                    Switching::StoreAndForward => 1.0,
                };
                total += start + hops * hop + size * unit;
            }
        }
        Some(total)
    }
}

/// For each step, the share of the channels that are in use.
fn channel_use(checked: &CheckedSchedule) -> Vec<f64> {
    let channels = checked.problem().network().channel_count().max(1) as f64;
    let schedule = checked.schedule();
    let uses = |step| schedule.step(step).map(|t| t.path.len()).sum::<usize>();
    (0..schedule.step_count()).map(|step| uses(step) as f64 / channels).collect()
}
