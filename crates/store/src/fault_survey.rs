//! Solves what every class of faults leaves of a collective, and keeps the results in files.

use crate::contingency::{self, Contingencies, FaultEntry, Index};
use crate::fault_rows::{self, FaultFinding, Key, KnownRows};
use crate::files::{NamedFile, check_place, schedule_files, write_file};
use crate::{StoreError, resumed};
use pavane_model::collective::has_any_root;
use pavane_model::{CollectiveRequest, Fault, Network, Problem};
use pavane_search::fault::{
    Classes, FaultSets, Job, JobAnswer, Part, Parts, Solved, answer, classes,
};
use pavane_search::synthesize::Options;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// The files of a survey.
#[derive(Default)]
pub struct KeptFiles {
    /// The results; the schedules are in the folder beside it.
    pub resume: Option<PathBuf>,
    /// A folder with a schedule for every fault.
    pub save: Option<PathBuf>,
}

/// A survey of faults.
pub struct FaultSurvey {
    /// The network, with its faults.
    pub network: Network,
    /// The name of what is solved.
    pub label: String,
    /// What is solved.
    pub request: CollectiveRequest,
    /// Its phases without further faults.
    pub phases: Vec<Problem>,
    /// The parts that may fail.
    pub parts: Parts,
    /// Their kinds.
    pub kinds: Vec<Part>,
    /// The sets of parts that fail together.
    pub sets: FaultSets,
    /// How many parts fail at once.
    pub count: u32,
    /// The options of every search.
    pub options: Options,
    /// The files.
    pub keep: KeptFiles,
}

/// The results of a survey.
pub struct Surveyed {
    /// Without further faults.
    pub healthy: FaultFinding,
    /// By set of faults.
    pub findings: Vec<FaultFinding>,
}

impl FaultSurvey {
    /// Solves every class of faults. An interrupt leaves the rest as it is.
    pub fn run(&self) -> Result<Surveyed, StoreError> {
        let classes = classes(&self.phases, &self.parts, &self.sets.sets);
        let count = classes.classes.len();
        let all = || std::iter::once(None).chain((0..count).map(Some));
        if let Some(folder) = &self.keep.save {
            let names: BTreeSet<String> = all().map(|class| self.file_name(class)).collect();
            contingency::prepare(folder, &self.index(), &names)?;
        }
        let mut known = match &self.rows() {
            None => KnownRows::new(),
            Some(path) => {
                let known = fault_rows::read(path)?;
                check_place(path)?;
                known
            }
        };
        let mut healthy = FaultFinding::NotReached;
        let mut found = vec![FaultFinding::NotReached; count];
        for class in all() {
            let finding = self.finding(&classes, class, &mut known)?;
            match class {
                _ if finding == FaultFinding::NotReached => break,
                None => healthy = finding,
                Some(class) => found[class] = finding,
            }
        }
        if let Some(folder) = &self.keep.save {
            self.contents(&classes, &healthy, &found).write(folder)?;
        }
        let mut findings = vec![FaultFinding::NotReached; self.sets.sets.len()];
        for (class, finding) in classes.classes.iter().zip(&found) {
            for (place, member) in class.members.iter().enumerate() {
                let image = classes.renumbering(class, place, &self.network);
                findings[member.set] =
                    finding.renumbered(&image).unwrap_or(FaultFinding::NotReached);
            }
        }
        Ok(Surveyed { healthy, findings })
    }

    fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    /// The result for a class, of an earlier run or of a search.
    fn finding(
        &self,
        classes: &Classes,
        class: Option<usize>,
        known: &mut KnownRows,
    ) -> Result<FaultFinding, StoreError> {
        let of = |class: usize| self.faults(classes.classes[class].members[0].set);
        let job = Job { request: self.request.clone(), faults: class.map_or(Vec::new(), of) };
        let key = self.key(&job);
        if let Some(path) = &self.rows()
            && let Some(finding) = known.get(&key)
            && resumed::is_sound(&self.schedule(path, class, &key), finding, &self.network, &job)
            && (finding.steps().is_none() || self.has_file(class))
        {
            return Ok(finding.clone());
        }
        if self.is_stopped() {
            return Ok(FaultFinding::NotReached);
        }
        let answer = answer(&self.network, &job, &self.options);
        let finding = FaultFinding::new(&answer)?;
        if self.is_stopped() && !finding.is_optimal() {
            // The search was cut short.
            return Ok(FaultFinding::NotReached);
        }
        if let JobAnswer::Solved(solved) = &answer {
            if let Some(folder) = &self.keep.save {
                for (name, bytes) in self.files(&self.file_name(class), solved)? {
                    write_file(&folder.join(name), |out| out.write_all(&bytes))?;
                }
            }
            if let Some(path) = &self.keep.resume {
                resumed::keep(path, &self.files(&resumed::file_name(&key), solved)?)?;
            }
        }
        known.insert(key, finding.clone());
        if let Some(path) = &self.rows() {
            fault_rows::keep(path, known)?;
        }
        Ok(finding)
    }

    /// The file of results: the one to resume, or one in the folder of schedules.
    fn rows(&self) -> Option<PathBuf> {
        let saved = self.keep.save.as_ref().map(|folder| contingency::rows(folder));
        self.keep.resume.clone().or(saved)
    }

    /// The file with the schedule of a class in an earlier run, whose results are at `rows`.
    fn schedule(&self, rows: &Path, class: Option<usize>, key: &Key) -> PathBuf {
        match &self.keep.save {
            Some(folder) if self.keep.resume.is_none() => folder.join(self.file_name(class)),
            _ => resumed::schedule(rows, key),
        }
    }

    fn faults(&self, set: usize) -> Vec<Fault> {
        self.parts.set(&self.sets.sets[set])
    }

    fn key(&self, job: &Job) -> Key {
        let Options { seed, evaluations, time, .. } = &self.options;
        let setup = resumed::setup(&self.network, &self.request, (*seed, *evaluations, *time));
        (setup, numbers(&job.faults))
    }

    fn file_name(&self, class: Option<usize>) -> String {
        contingency::file_name(&self.label, class)
    }

    fn has_file(&self, class: Option<usize>) -> bool {
        let folder = self.keep.save.as_ref();
        folder.is_none_or(|folder| folder.join(self.file_name(class)).is_file())
    }

    fn files(&self, name: &str, solved: &Solved) -> Result<Vec<NamedFile>, StoreError> {
        let phases = solved.phases.iter();
        let phases: Vec<_> =
            phases.map(|one| (&one.checked, &one.bound, one.proof.as_ref())).collect();
        let found_by = ("faults", self.options.seed);
        schedule_files(name, &self.label, &phases, found_by).map_err(StoreError::file)
    }

    /// An index without entries.
    fn index(&self) -> Index {
        let kinds = Part::ALL.iter().filter(|(_, part)| self.kinds.contains(part));
        let of = kinds.map(|(word, _)| (*word).to_owned()).collect();
        Index::new(self.network.name(), of, self.count, self.sets.is_sample())
    }

    /// The index of the folder.
    fn contents(&self, classes: &Classes, healthy: &FaultFinding, found: &[FaultFinding]) -> Index {
        let mut entries = vec![None; self.sets.sets.len()];
        for (number, (class, finding)) in classes.classes.iter().zip(found).enumerate() {
            if *finding == FaultFinding::NotReached {
                continue;
            }
            for (place, member) in class.members.iter().enumerate() {
                let image = classes.renumbering(class, place, &self.network);
                let finding = finding.renumbered(&image).unwrap_or(FaultFinding::NotReached);
                let is_solved = finding.steps().is_some();
                entries[member.set] = Some(FaultEntry {
                    faults: numbers(&self.faults(member.set)),
                    schedule: is_solved.then(|| self.file_name(Some(number))),
                    steps: finding.steps(),
                    missing: finding.missing().to_vec(),
                    disconnected: match &finding {
                        FaultFinding::Disconnected { pairs, .. } => pairs.clone(),
                        _ => Vec::new(),
                    },
                    renumbering: Some(image).filter(|image| is_solved && !image.is_identity()),
                });
            }
        }
        let mut index = self.index();
        index.is_complete = found.iter().all(|finding| *finding != FaultFinding::NotReached);
        if *healthy == FaultFinding::NotReached {
            index.is_complete = false;
            return index;
        }
        index.collectives.push(Contingencies {
            collective: self.label.clone(),
            root_moves: has_any_root(&self.request.collective, &self.request.groups),
            no_fault: healthy.steps().map(|_| self.file_name(None)),
            faults: entries.into_iter().flatten().collect(),
        });
        index
    }
}

/// Faults by the numbers of their routers.
fn numbers(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| fault.numbers()).collect()
}
