//! Checkpoint file of a search: the best schedule of every phase and its position in the sequence of
//! tasks, so that an interrupted search can continue.

use crate::StoreError;
use crate::files::{write_file, write_schedule};
use pavane_model::bounded_read::{self, LARGEST_OWN};
use pavane_model::collective::Groups;
use pavane_model::write_target::{self, Target};
use pavane_model::{ChannelId, Network, Problem, ProcessorId, format, strict_json};
use pavane_search::bounds;
use pavane_search::budget::{Clock, Interrupt};
use pavane_search::parameters::Preset;
use pavane_search::synthesize::{PlanPosition, Standing};
use pavane_search::{Catalogue, Proof};
use pavane_verify::verify;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Format name in the file.
const FORMAT: &str = "pavane/checkpoint/1";

/// Upper limit on counters in the file; reaching it would take years.
const MOST: u64 = 1 << 48;

/// Interval between writes while no better schedule is found.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// At most 1/`WRITING` of the time is spent on such writes, because proofs can be large.
const WRITING: u32 = 20;

/// The content of a checkpoint file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint {
    format: String,
    /// Everything that the search depends on, so that a checkpoint of a different search is
    /// rejected.
    setup: Vec<String>,
    phases: Vec<Stand>,
}

/// State of the search for one phase.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Stand {
    position: PlanPosition,
    evaluations: u64,
    engine: Option<String>,
    /// A complete schedule file.
    schedule: Option<Box<RawValue>>,
    /// Number of steps of the schedule.
    steps: Option<u32>,
    proof: Option<SavedProof>,
}

/// A proof that raised the bound.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedProof {
    /// The step count proved impossible.
    steps: u32,
    /// The text of the proof.
    lrat: String,
}

/// What a search depends on, except its limits.
pub struct SearchSetup<'a> {
    /// The phases.
    pub problems: &'a [Arc<Problem>],
    /// The collective.
    pub collective: &'a str,
    /// Its groups.
    pub groups: &'a Groups,
    /// The engine that was asked for.
    pub engine: Option<&'a str>,
    /// Its preset.
    pub preset: Option<Preset>,
    /// Its parameters.
    pub settings: &'a [String],
    /// Random seed.
    pub seed: u64,
    /// The largest number of steps to accept.
    pub steps: Option<u32>,
}

impl Checkpoint {
    /// A checkpoint for a search that has not started.
    pub fn new(setup: &SearchSetup<'_>) -> Self {
        let phases = vec![Stand::default(); setup.problems.len()];
        Self { format: FORMAT.to_owned(), setup: setup.in_words(), phases }
    }

    /// Reads the checkpoint file of an earlier search, if it exists.
    pub fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        bounded_read::read_if_there(path, LARGEST_OWN).map_err(StoreError::file)
    }

    /// Parses a checkpoint file.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, StoreError> {
        let place = path.display();
        let found: Self = strict_json::from_slice(bytes).map_err(|error| {
            StoreError::file(format!(
                "{place} is not a checkpoint file ({error}); use another file"
            ))
        })?;
        if found.format != FORMAT {
            return Err(StoreError::file(format!(
                "{place} has the format {:?} instead of {FORMAT}; use another file",
                found.format
            )));
        }
        let counts = found.phases.iter().map(|stand| stand.evaluations);
        if let Some(count) = counts.max().filter(|&count| count > MOST) {
            return Err(StoreError::file(format!(
                "{place} is damaged: it contains the counter {count}, the maximum is {MOST}; use another file"
            )));
        }
        Ok(found)
    }

    /// Fails if the checkpoint belongs to a different search than `blank`, a new checkpoint of this
    /// search.
    pub fn of_same_search(self, blank: &Self, path: &Path) -> Result<Self, StoreError> {
        if self.setup == blank.setup && self.phases.len() == blank.phases.len() {
            return Ok(self);
        }
        let (there, here) = (only(&self.setup, &blank.setup), only(&blank.setup, &self.setup));
        Err(StoreError::file(format!(
            "{}: the file belongs to a different search (file: {there}; this search: {here}); use another file",
            path.display()
        )))
    }

    /// Number of phases.
    pub fn phase_count(&self) -> usize {
        self.phases.len()
    }

    /// The state of the search for a phase. The caller must judge the schedule.
    pub fn standing(
        &self,
        phase: usize,
        path: &Path,
        limit: u64,
        catalogue: &Catalogue,
    ) -> Result<Standing, StoreError> {
        let stand = &self.phases[phase];
        let proof = stand.proof.as_ref();
        let mut standing = Standing {
            position: stand.position.clone(),
            evaluations: stand.evaluations,
            best: None,
            proof: proof.map(|proof| {
                Arc::new(Proof { steps: proof.steps, lrat: proof.lrat.clone().into_bytes() })
            }),
        };
        if let Some(schedule) = &stand.schedule {
            let text = schedule.get().as_bytes();
            let name = path.display().to_string();
            let phases = format::read(text, &name, limit).map_err(StoreError::file)?;
            let engine = catalogue.find(stand.engine.as_deref().unwrap_or_default());
            let engine = engine.map_or("unknown", |engine| engine.name());
            let best = phases.into_iter().next();
            let best = best.and_then(|phase| verify(phase.problem, phase.schedule).ok());
            let Some(best) = best else {
                return Err(StoreError::file(format!(
                    "{name} is damaged: its schedule is not valid; use another file"
                )));
            };
            let best = Some(Arc::new(best.schedule().clone()));
            standing.best = best.map(|schedule| (schedule, engine));
        }
        Ok(standing)
    }

    fn note(&mut self, phase: usize, problem: &Problem, standing: &Standing, seed: u64) {
        let stand = &mut self.phases[phase];
        stand.position = standing.position.clone();
        stand.evaluations = standing.evaluations;
        let saved = stand.proof.as_ref().map(|proof| proof.steps);
        if let Some(proof) = standing.proof.as_ref().filter(|proof| saved != Some(proof.steps)) {
            let lrat = String::from_utf8_lossy(&proof.lrat).into_owned();
            stand.proof = Some(SavedProof { steps: proof.steps, lrat });
        }
        let Some((schedule, engine)) = &standing.best else { return };
        let checked = verify(problem.clone(), schedule.as_ref().clone()).ok();
        let bound = bounds::simple(problem, &Interrupt::never()).ok();
        if let Some((checked, bounds)) = checked.zip(bound) {
            let (name, phases) = (&problem.collective().name, [(&checked, &bounds.best)]);
            let mut bytes = Vec::new();
            let written = write_schedule(&mut bytes, name, &phases, (engine, seed)).ok();
            let text = written.and_then(|()| String::from_utf8(bytes).ok());
            stand.schedule = text.and_then(|text| RawValue::from_string(text).ok());
            stand.steps = Some(schedule.step_count());
            stand.engine = Some((*engine).to_owned());
        }
    }
}

/// Keeps a checkpoint file up to date during a search.
pub struct Keeper {
    path: PathBuf,
    seed: u64,
    tell: Box<dyn Fn(&StoreError) + Send + Sync>,
    kept: Mutex<Kept>,
}

/// The latest state, and when to write the next one.
struct Kept {
    checkpoint: Checkpoint,
    /// Started after the last write.
    clock: Clock,
    /// Time from the last write to the next one while no better schedule is found.
    interval: Duration,
}

impl Keeper {
    /// A keeper for the file at `path`. `tell` receives why the file cannot be written.
    pub fn new(
        path: &Path,
        checkpoint: Checkpoint,
        seed: u64,
        tell: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Self {
        let kept = Kept { checkpoint, clock: Clock::start(), interval: KEEP_EVERY };
        Self { path: path.to_owned(), seed, tell: Box::new(tell), kept: Mutex::new(kept) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the best schedule so far to the output, uncompressed, if the search has one phase.
    /// With several phases the schedules stay in the checkpoint.
    pub fn rescue(&self, output: &Path) {
        let kept = self.kept.lock().expect("no thread panics while it holds this");
        if let [Stand { schedule: Some(schedule), .. }] = &kept.checkpoint.phases[..]
            && output.extension().is_none_or(|ending| ending != "gz")
            && !is_special(output)
        {
            // Errors are ignored: the checkpoint has the schedule too, and a search that stops in
            // time writes it again.
            let _ = write_file(output, |out| Ok(serde_json::to_writer(out, schedule)?));
        }
    }

    /// Records the state of the search for a phase. Improvements are written immediately.
    pub fn note(&self, phase: usize, problem: &Problem, standing: &Standing) {
        let mut kept = self.kept.lock().expect("no thread panics while it holds this");
        let Kept { checkpoint, clock, interval } = &mut *kept;
        let steps = standing.best.as_ref().map(|(schedule, _)| schedule.step_count());
        let is_better = steps != checkpoint.phases[phase].steps;
        if !is_better && clock.elapsed() < *interval {
            return;
        }
        let start = Clock::start();
        checkpoint.note(phase, problem, standing, self.seed);
        let write = write_file(&self.path, |out| Ok(serde_json::to_writer(out, &*checkpoint)?));
        if let Err(error) = write {
            (self.tell)(&error);
        }
        *interval = KEEP_EVERY.max(WRITING * start.elapsed());
        *clock = Clock::start();
    }
}

fn is_special(path: &Path) -> bool {
    path == Path::new("-") || matches!(write_target::resolve(path), Ok(Target::Stream))
}

/// Default checkpoint file for an output file; `None` for a pipe.
pub fn place(output: &Path) -> Option<PathBuf> {
    if is_special(output) {
        return None;
    }
    let mut name = output.file_name()?.to_owned();
    name.push(".checkpoint");
    Some(output.with_file_name(name))
}

/// The settings that only the first of two searches has.
fn only(one: &[String], other: &[String]) -> String {
    let parts: Vec<&str> =
        one.iter().filter(|part| !other.contains(part)).map(String::as_str).collect();
    if parts.is_empty() { "the same settings".to_owned() } else { parts.join(", ") }
}

impl SearchSetup<'_> {
    /// Everything that the search depends on except its limits, as text.
    fn in_words(&self) -> Vec<String> {
        let problem = &self.problems[0];
        let network = problem.network();
        let mut setup = vec![
            format!("{} with channels {:x}", network.name(), fingerprint(network)),
            self.collective.to_owned(),
            problem.model().to_string(),
            format!("engine {}", self.engine.unwrap_or("any")),
            format!("seed {}", self.seed),
        ];
        let mut add = |name: &str, value: Option<String>| {
            let value = value.filter(|value| !value.is_empty());
            setup.extend(value.map(|value| format!("{name} {value}")));
        };
        add("faults", Some(network.faults().join(" ")));
        add("root", self.groups.root.clone());
        add("senders", self.groups.senders.clone());
        add("receivers", self.groups.receivers.clone());
        let chunks = problem.collective().chunk_count();
        add("chunks", (chunks > 1).then(|| chunks.to_string()));
        add("preset", self.preset.map(|preset| format!("{preset:?}").to_lowercase()));
        add("set", Some(self.settings.join(",")));
        add("steps", self.steps.map(|steps| steps.to_string()));
        setup
    }
}

/// Hash of everything in a network that the rules depend on: the fields that
/// [`Network::is_same_as`] compares.
pub fn fingerprint(network: &Network) -> u64 {
    let mut hash = 0u64;
    let mut add =
        |value: u64| hash = (hash.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let optional = |number: Option<u32>| number.map_or(u64::MAX, u64::from);
    add(network.router_count() as u64);
    for (channel, ends) in (0..).map(ChannelId).zip(network.channels()) {
        add(u64::from(ends.tail.0) << 32 | u64::from(ends.head.0));
        add(optional(network.opposite(channel).map(|opposite| opposite.0)));
    }
    for processor in (0..network.processor_count() as u32).map(ProcessorId) {
        add(optional(network.home(processor).map(|home| home.0)));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use pavane_model::{Network, NetworkBuilder};

    /// Two routers joined by a link or by two channels, with processors at the given homes.
    fn pair(routers: u32, is_linked: bool, homes: &[Option<u32>]) -> Network {
        let mut builder = NetworkBuilder::new("pair", routers);
        if is_linked {
            builder.link(0, 1)
        } else {
            builder.channel(0, 1).channel(1, 0)
        };
        for &home in homes {
            builder.processor(home);
        }
        builder.build().unwrap()
    }

    #[test]
    fn networks_that_the_rules_tell_apart_have_different_fingerprints() {
        let both = [Some(0), Some(1)];
        let networks = [
            pair(2, true, &both),
            pair(2, false, &both),
            pair(3, true, &both),
            pair(2, true, &[Some(1), Some(0)]),
            pair(2, true, &[Some(0), Some(0)]),
            pair(2, true, &[Some(0), None]),
            pair(2, true, &[Some(0)]),
        ];
        for (at, one) in networks.iter().enumerate() {
            assert_eq!(fingerprint(one), fingerprint(&one.clone().named("other")));
            for other in &networks[..at] {
                assert!(!one.is_same_as(other));
                assert_ne!(fingerprint(one), fingerprint(other), "{one:?} {other:?}");
            }
        }
    }
}
