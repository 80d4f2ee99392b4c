//! Judges the schedules of a folder: every file for its own problem, and every entry of the index
//! for the network with exactly the faults of that entry.

use super::FaultEntry;
use pavane_model::aftermath::{self, AftermathError};
use pavane_model::collective::Kind;
use pavane_model::format::{Phase, open_beside, read_file};
use pavane_model::{
    Collective, Fault, FaultError, Network, Problem, ProcessorId, Renumbering, Schedule,
};
use pavane_verify::{BoundError, CheckedSchedule, Limits, judge_within, verify};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The schedules of a folder. Each file is read and judged once.
pub struct Folder {
    path: PathBuf,
    limit: u64,
    max_work: Option<u64>,
    files: BTreeMap<String, Result<Vec<Judged>, String>>,
    /// A file whose bound could not be judged within the limits, and why, if there is one.
    pub over_limit: Option<(String, BoundError)>,
}

/// A judged phase of a file.
#[derive(Clone)]
pub struct Judged {
    /// The problem.
    pub problem: Problem,
    /// The schedule.
    pub schedule: Schedule,
    /// The best lower bound that the judge could prove for this problem.
    pub proved: u32,
}

/// A phase of a file, applied to the network with the faults of an entry.
pub struct Applied {
    /// The checked schedule on that network.
    pub checked: CheckedSchedule,
    /// The proved lower bound. It was proved for the problem of the file, which differs from this
    /// one only in numbering.
    pub proved: u32,
}

impl Applied {
    /// Whether the schedule is proved optimal.
    pub fn is_optimal(&self) -> bool {
        self.checked.schedule().step_count() == self.proved
    }
}

impl Folder {
    /// A folder whose schedules have at most `limit` deliveries.
    pub fn new(path: &Path, limit: u64) -> Self {
        let (max_work, files, over_limit) = (None, BTreeMap::new(), None);
        Self { path: path.to_owned(), limit, max_work, files, over_limit }
    }

    /// Sets the limit on operations for checking a bound; `None` for the default.
    pub fn with_max_work(self, max_work: Option<u64>) -> Self {
        Self { max_work, ..self }
    }

    /// The phases of a file, if the judge accepts them.
    pub fn file(&mut self, name: &str) -> Result<Vec<Judged>, String> {
        if !self.files.contains_key(name) {
            let judged = self.judge_file(name);
            self.files.insert(name.to_owned(), judged);
        }
        self.files[name].clone()
    }

    fn judge_file(&mut self, name: &str) -> Result<Vec<Judged>, String> {
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(format!("{name:?} is not the name of a file in this folder"));
        }
        let path = self.path.join(name);
        let phases = read_file(&path, self.limit).map_err(|error| error.to_string())?;
        let mut judged = Vec::new();
        for Phase { problem, schedule, bound } in phases {
            let open = |name: &str| open_beside(&path, name);
            let limits = Limits::of(&problem).with_operations(self.max_work);
            let (same, steps) = (problem.clone(), schedule.clone());
            let verdict = judge_within(same, steps, bound.as_ref(), &open, limits);
            if let Some(violation) = verdict.violations.first() {
                return Err(format!("{name}: {violation}"));
            }
            if verdict.over_limit().is_some() {
                let file = path.display().to_string();
                self.over_limit = verdict.bound_error.clone().map(|error| (file, error));
            }
            if !verdict.is_fine() {
                let why = verdict.bound_error.map(|error| error.to_string()).unwrap_or_default();
                return Err(format!("{name}: {why}"));
            }
            judged.push(Judged { problem, schedule, proved: verdict.proved });
        }
        Ok(judged)
    }

    /// Judges an entry, given the network and collectives without faults. Returns its schedule on
    /// the faulty network, if it has one.
    ///
    /// The file of the entry must be for the network with exactly these faults, up to the
    /// renumbering of the entry. A file for another network is an error even if its schedule is
    /// valid on this one, as that of a smaller network may be: its bound says nothing about this
    /// network, and `pavane faults --save` never writes such an entry.
    pub fn entry(
        &mut self,
        healthy: &[Judged],
        root_moves: bool,
        entry: &FaultEntry,
    ) -> Result<Option<Vec<Applied>>, String> {
        let network = healthy[0].problem.network();
        let faults = parse(network, &entry.faults)?;
        let broken = match network.without(&faults) {
            Ok(broken) => broken,
            // Without any processor there is nothing to do, and the entry must be empty.
            Err(FaultError::NothingLeft(_)) if entry.says_nothing() => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let collectives: Vec<Collective> =
            healthy.iter().map(|phase| phase.problem.collective().clone()).collect();
        if entry.missing != aftermath::missing(&collectives, &broken) {
            return Err("the missing processors of the entry are not those that its faults remove"
                .to_owned());
        }
        let Some(name) = &entry.schedule else {
            check_without(healthy, &broken, root_moves, entry)?;
            return Ok(None);
        };
        if let Some((from, to)) = entry.disconnected.first() {
            return Err(format!(
                "the entry has a schedule, but lists {from} and {to} as disconnected"
            ));
        }
        let phases = self.file(name)?;
        if phases.len() != healthy.len() {
            return Err(format!(
                "{name} has {} phases, but the schedule without faults has {}",
                phases.len(),
                healthy.len()
            ));
        }
        let identity = Renumbering::identity(network);
        let renumbering = entry.renumbering.as_ref().unwrap_or(&identity);
        if !renumbering.fits(network) {
            return Err("the renumbering of the entry does not fit the network".to_owned());
        }
        let mut applied = Vec::new();
        for (phase, before) in phases.iter().zip(healthy) {
            let target = Target { before: &before.problem, broken: &broken, root_moves };
            applied.push(target.apply(renumbering, phase, name)?);
        }
        let steps: u32 = applied.iter().map(|phase| phase.checked.schedule().step_count()).sum();
        if entry.steps == Some(steps) {
            Ok(Some(applied))
        } else {
            Err(format!(
                "the schedule has {steps} steps, but the index says {}",
                entry.steps.map_or("nothing".to_owned(), |steps| steps.to_string())
            ))
        }
    }
}

/// Parses the faults of an index.
pub fn parse(network: &Network, faults: &[String]) -> Result<Vec<Fault>, String> {
    let parsed: Result<Vec<Fault>, _> =
        faults.iter().map(|text| Fault::parse_numbers(network, text)).collect();
    parsed.map_err(|error| error.to_string())
}

/// The problem that one phase of an entry must solve.
struct Target<'a> {
    /// The problem without faults.
    before: &'a Problem,
    /// The network with the faults of the entry.
    broken: &'a Network,
    root_moves: bool,
}

impl Target<'_> {
    /// Applies a phase of a file to this target and judges it again.
    fn apply(
        &self,
        renumbering: &Renumbering,
        phase: &Judged,
        file: &str,
    ) -> Result<Applied, String> {
        let other_network =
            || format!("{file} is not for {} with these faults", self.broken.name());
        if !renumbering.maps(phase.problem.network(), self.broken) {
            return Err(other_network());
        }
        let collective = renumbering.collective(phase.problem.collective());
        let problem = self.problem(collective.ok_or_else(other_network)?)?;
        let schedule = renumbering.schedule(&phase.problem, &phase.schedule, &problem);
        let Some(schedule) = schedule else {
            return Err(format!("{file} is for a different collective or model"));
        };
        match verify(problem, schedule) {
            // The two problems differ only in numbering, so the same bound is proved.
            Ok(checked) => Ok(Applied { checked, proved: phase.proved }),
            Err(violations) => Err(violations.first().map(ToString::to_string).unwrap_or_default()),
        }
    }

    /// The problem of a collective, which must be what the faults leave of the original one.
    fn problem(&self, collective: Collective) -> Result<Problem, String> {
        let Self { before, broken, root_moves } = *self;
        let pair = collective.senders.first().copied().zip(collective.receivers.first().copied());
        let wanted = left(before.collective(), broken, pair.filter(|_| root_moves));
        let problem = Problem::with_limit(broken.clone(), collective, before.model(), u64::MAX);
        let problem = problem.map_err(|error| error.to_string())?;
        let wanted = Problem::with_limit(broken.clone(), wanted, before.model(), u64::MAX);
        if wanted.is_ok_and(|wanted| served(&wanted) == served(&problem)) {
            Ok(problem)
        } else {
            Err("the schedule does not serve exactly the remaining processors".to_owned())
        }
    }
}

/// What the faults leave of a collective. A lost root is replaced by the sender or receiver in
/// `instead`, if given.
fn left(
    was: &Collective,
    broken: &Network,
    instead: Option<(ProcessorId, ProcessorId)>,
) -> Collective {
    let mut left = was.left_in(broken);
    let lost = |was: &[ProcessorId], left: &[ProcessorId]| was.len() == 1 && left.is_empty();
    if let Some((sender, receiver)) = instead {
        if lost(&was.senders, &left.senders) {
            left.senders.push(sender);
            left.receivers.retain(|&processor| processor != sender);
        } else if lost(&was.receivers, &left.receivers) {
            left.receivers.push(receiver);
            left.senders.retain(|&processor| processor != receiver);
        }
    }
    left
}

/// The kind of collective, and the destinations of every message, in a canonical order.
fn served(problem: &Problem) -> (Kind, Vec<(ProcessorId, Vec<ProcessorId>)>) {
    let messages = problem.messages();
    let one = |message| {
        let mut destinations = messages.destinations(message).to_vec();
        destinations.sort_unstable();
        (messages.origin(message), destinations)
    };
    let mut all: Vec<_> = messages.ids().map(one).collect();
    all.sort_unstable();
    (problem.collective().kind, all)
}

/// For an entry without a schedule: its pairs must be exactly the disconnected ones.
fn check_without(
    healthy: &[Judged],
    broken: &Network,
    root_moves: bool,
    entry: &FaultEntry,
) -> Result<(), String> {
    let named = entry.disconnected.first().copied();
    let first = broken.living_processors().next().map(|first| (first, first));
    let instead = named.or(first).filter(|_| root_moves);
    let mut pairs = Vec::new();
    let mut is_possible = true;
    for phase in healthy {
        let collective = left(phase.problem.collective(), broken, instead);
        match aftermath::problem(broken, collective, phase.problem.model(), u64::MAX, &[]) {
            Ok(_) => {}
            Err(AftermathError::Separated(separated)) => {
                is_possible = false;
                pairs.extend(separated.pairs);
            }
            Err(_) => is_possible = false,
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    match (is_possible, pairs == entry.disconnected) {
        (false, true) => Ok(()),
        (true, _) => {
            Err("the entry has no schedule, but all senders still reach their receivers".to_owned())
        }
        (false, false) => {
            Err("the disconnected pairs of the entry are not those that its faults disconnect"
                .to_owned())
        }
    }
}
