//! A folder with a schedule for every fault: `index.json` says for every set of faults which file has
//! its schedule, and how routers and processors are renumbered where several sets share one.

use crate::commands::{proof, verify};
use crate::output::{Failure, write_file};
use pavane_model::aftermath::{self, AftermathError};
use pavane_model::bounded_read::{self, LARGEST_OWN};
use pavane_model::collective::Kind;
use pavane_model::format::{Phase, open_beside, read_file};
use pavane_model::text_file;
use pavane_model::{
    Bound, Collective, Fault, Network, Problem, ProcessorId, Renumbering, Schedule, strict_json,
};
use pavane_verify::{CheckedSchedule, Limits, judge_within};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the index calls its format.
const FORMAT: &str = "pavane/contingency/1";

/// The index of a folder.
#[derive(Debug, Serialize, Deserialize)]
pub struct Index {
    format: String,
    /// The network.
    pub network: String,
    /// What breaks: `links`, `channels`, `routers`.
    pub of: Vec<String>,
    /// How many break at once.
    pub count: u32,
    /// Whether some sets of faults were left out.
    pub is_sample: bool,
    /// Whether all that was to be solved is in it.
    pub is_complete: bool,
    /// The collectives.
    pub collectives: Vec<Contingencies>,
}

/// All that may happen to one collective.
#[derive(Debug, Serialize, Deserialize)]
pub struct Contingencies {
    /// The collective.
    pub collective: String,
    /// Whether a lost root has another in its place: nobody was named for it.
    pub root_moves: bool,
    /// The file with the schedule without faults.
    pub no_fault: Option<String>,
    /// One entry for every set of faults.
    pub faults: Vec<Entry>,
}

/// What to do after some faults.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// The faults, by the numbers of routers.
    pub faults: Vec<String>,
    /// The file with the schedule; none if there is no schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Where the routers and processors of that file go; everything stays if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renumbering: Option<Renumbering>,
    /// Steps of the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The processors that were lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<ProcessorId>,
    /// Senders and receivers that are separated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disconnected: Vec<(ProcessorId, ProcessorId)>,
}

impl Entry {
    /// Whether it has neither a schedule nor processors that are disconnected.
    fn says_nothing(&self) -> bool {
        self.schedule.is_none() && self.disconnected.is_empty()
    }
}

/// The place of the index in a folder.
fn place(folder: &Path) -> PathBuf {
    folder.join("index.json")
}

impl Index {
    /// An index of nothing yet.
    pub fn new(network: &str, of: Vec<String>, count: u32, is_sample: bool) -> Self {
        Self {
            format: FORMAT.to_owned(),
            network: network.to_owned(),
            of,
            count,
            is_sample,
            is_complete: false,
            collectives: Vec::new(),
        }
    }

    /// Reads the index of a folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = place(folder);
        let text = text_file::read(&path).map_err(|error| {
            Failure::bad_input(format!(
                "no index can be read ({error}); a folder of `pavane faults --save` has one"
            ))
        })?;
        Self::parse(&path, &bytes)
    }

    /// Reads an index from the bytes of its file.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, Failure> {
        let index: Self = strict_json::from_slice(bytes).map_err(|error| {
            Failure::bad_input(format!("{} is no index of schedules: {error}", path.display()))
        })?;
        match index.format == FORMAT {
            true => Ok(index),
            false => Err(Failure::bad_input(format!(
                "{} is of format {:?}, not {FORMAT}",
                path.display(),
                index.format
            ))),
        }
    }

    /// The files that it names.
    fn schedules(&self) -> impl Iterator<Item = &String> {
        self.collectives.iter().flat_map(|of| {
            of.no_fault.iter().chain(of.faults.iter().filter_map(|entry| entry.schedule.as_ref()))
        })
    }

    /// Writes the index into its folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        write_file(&place(folder), |out| Ok(serde_json::to_writer_pretty(out, self)?))
    }
}

/// Makes a folder for these schedules; one with other things in it is left alone. Schedules that an
/// earlier index names and that will not be written again are removed, with their proofs.
pub fn prepare(folder: &Path, index: &Index, names: &BTreeSet<String>) -> Result<(), Failure> {
    let unusable = |error: std::io::Error| {
        Failure::bad_input(format!("{} cannot be made: {}", folder.display(), error.kind()))
    };
    std::fs::create_dir_all(folder).map_err(unusable)?;
    let is_empty = std::fs::read_dir(folder).map_err(unusable)?.next().is_none();
    if !is_empty && !place(folder).is_file() {
        return Err(Failure::bad_input(format!(
            "--save {}: the folder has other things in it; name a new one",
            folder.display()
        )));
    }
    if let Ok(earlier) = Index::read(folder) {
        for name in earlier.schedules().filter(|name| !names.contains(*name)) {
            remove(folder, name);
        }
    }
    index.write(folder)
}

/// Removes a schedule and its proofs; what is not there is no worse.
fn remove(folder: &Path, name: &str) {
    if Path::new(name).file_name() != Some(name.as_ref()) {
        return;
    }
    let path = folder.join(name);
    let proofs =
        [None, Some(1), Some(2)].into_iter().filter_map(|phase| proof::place(&path, phase));
    for path in proofs.chain([path.clone()]) {
        let _ = std::fs::remove_file(path);
    }
}

/// The schedules of a folder, each file read and judged once.
pub struct Folder {
    path: PathBuf,
    limit: u64,
    max_work: Option<u64>,
    files: BTreeMap<String, Result<Vec<Judged>, String>>,
    /// Why a bound could not be judged within the limits, if that was so.
    pub over_limit: Option<String>,
}

/// A phase of a file, judged.
#[derive(Clone)]
pub struct Judged {
    /// The problem.
    pub problem: Problem,
    /// The schedule.
    pub schedule: Schedule,
    /// The bound that the file claims, if the judge accepts it.
    pub bound: Option<Bound>,
}

/// A phase for the faults that were asked for, and the bound that its file claims.
pub type Renumbered = (CheckedSchedule, Option<Bound>);

impl Folder {
    /// For at most so many deliveries.
    pub fn new(path: &Path, limit: u64) -> Self {
        let (max_work, files, over_limit) = (None, BTreeMap::new(), None);
        Self { path: path.to_owned(), limit, max_work, files, over_limit }
    }

    /// With so many operations for the check of a bound, unless that is left open.
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
                let why = verdict.bound_error.as_ref().and_then(verify::over_limit_text);
                self.over_limit = why.map(|why| format!("{}: {why}", path.display()));
            }
            if !verdict.is_fine() {
                let why = verdict.bound_error.map(|error| error.to_string()).unwrap_or_default();
                return Err(format!("{name}: {why}"));
            }
            let bound = bound.filter(|_| verdict.bound_error.is_none());
            judged.push(Judged { problem, schedule, bound });
        }
        Ok(judged)
    }

    /// What an entry says, for the network and collectives without faults, judged: the schedule, if
    /// there is one.
    pub fn entry(
        &mut self,
        healthy: &[Judged],
        root_moves: bool,
        entry: &Entry,
    ) -> Result<Option<Vec<Renumbered>>, String> {
        let network = healthy[0].problem.network();
        let faults = parse(network, &entry.faults)?;
        let broken = network.without(&faults).map_err(|error| error.to_string())?;
        let collectives: Vec<Collective> =
            healthy.iter().map(|phase| phase.problem.collective().clone()).collect();
        if entry.missing != aftermath::missing(&collectives, &broken) {
            return Err("it names other missing processors than the faults take away".to_owned());
        }
        let Some(name) = &entry.schedule else {
            check_without(healthy, &broken, root_moves, entry)?;
            return Ok(None);
        };
        if let Some((from, to)) = entry.disconnected.first() {
            return Err(format!("it has a schedule, but {from} and {to} count as disconnected"));
        }
        let phases = self.file(name)?;
        if phases.len() != healthy.len() {
            return Err(format!("{name} has other phases than the schedule without faults"));
        }
        let whole = Renumbering::identity(network);
        let renumbering = entry.renumbering.as_ref().unwrap_or(&whole);
        if !renumbering.fits(network) {
            return Err("its renumbering does not fit the network".to_owned());
        }
        let mut checked = Vec::new();
        for (phase, before) in phases.into_iter().zip(healthy) {
            checked.push(renumbered(phase, &before.problem, &broken, root_moves, renumbering)?);
        }
        let steps: u32 = checked.iter().map(|(c, _)| c.schedule().step_count()).sum();
        match entry.steps == Some(steps) {
            true => Ok(Some(checked)),
            false => Err(format!("its schedule has {steps} steps, not as the index says")),
        }
    }
}

/// The faults that an index names.
pub fn parse(network: &Network, faults: &[String]) -> Result<Vec<Fault>, String> {
    let parsed: Result<Vec<Fault>, _> =
        faults.iter().map(|text| Fault::parse_numbers(network, text)).collect();
    parsed.map_err(|error| error.to_string())
}

/// A phase for other faults than those of its file, judged again.
fn renumbered(
    phase: Judged,
    before: &Problem,
    broken: &Network,
    root_moves: bool,
    renumbering: &Renumbering,
) -> Result<Renumbered, String> {
    let collective = renumbering.collective(phase.problem.collective());
    let pair = collective.senders.first().copied().zip(collective.receivers.first().copied());
    let wanted = left(before.collective(), broken, pair.filter(|_| root_moves));
    let is_same_model = phase.problem.model() == before.model();
    let problem = Problem::with_limit(broken.clone(), collective, before.model(), u64::MAX);
    let problem = problem.map_err(|error| error.to_string())?;
    let wanted = Problem::with_limit(broken.clone(), wanted, before.model(), u64::MAX);
    if !wanted.is_ok_and(|wanted| served(&wanted) == served(&problem)) {
        return Err("its schedule does not serve all that are left".to_owned());
    }
    let schedule = renumbering.schedule(&phase.problem, &phase.schedule, &problem);
    let Some(schedule) = schedule.filter(|_| is_same_model) else {
        return Err("its schedule is for another network or collective".to_owned());
    };
    // A bound is as good for what the renumbering brings it to, but its certificate is not.
    let bound = match renumbering.is_identity() {
        true => phase.bound,
        false => phase.bound.map(|bound| Bound { certificate: None, ..bound }),
    };
    match pavane_verify::verify(problem, schedule) {
        Ok(checked) => Ok((checked, bound)),
        Err(violations) => Err(violations.first().map(ToString::to_string).unwrap_or_default()),
    }
}

/// What is left of a collective. A lost root has one of these two in its place, the sender or the
/// receiver, if there are any.
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

/// What kind of collective it is, and who wants whose messages, in an order of its own.
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

/// Where there is no schedule, the pairs that the entry names must be those that are separated.
fn check_without(
    healthy: &[Judged],
    broken: &Network,
    root_moves: bool,
    entry: &Entry,
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
        (true, _) => Err("it has no schedule, though all can talk".to_owned()),
        (false, false) => Err("other pairs are separated than it says".to_owned()),
    }
}
