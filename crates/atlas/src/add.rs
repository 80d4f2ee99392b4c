//! Adds schedules that are better than the ones in the atlas.

use crate::entry::{AtlasEntry, AtlasModel, PublishedFigure, check_options};
use crate::error::AtlasError;
use crate::index::{Atlas, write_whole};
use crate::judge::{JudgedFile, difference, judge_file};
use crate::mapping;
use crate::problem::{AtlasProblem, BuiltProblem};
use flate2::Compression;
use flate2::write::GzEncoder;
use pavane_model::bounded_read;
use pavane_model::format::{Stored, proof_beside, read_stored_file};
use pavane_model::problem::DELIVERIES;
use pavane_model::tdm::TdmCertificate;
use pavane_model::words::excerpt;
use pavane_model::{Certificate, Fraction};
use serde_json::Map;
use std::path::Path;

/// The maximum size of a gzipped schedule and of its proof, in bytes. Larger schedules are left to their
/// command.
const LARGEST: usize = 2 << 20;

/// What is known about a schedule besides its file.
#[derive(Debug, Clone, Default)]
pub struct NewEntry {
    /// The family, which is the name of the index file.
    pub family: String,
    /// The network, if it is not the one that the file names.
    pub network: Option<String>,
    /// The random seed of the search.
    pub seed: u64,
    /// The seconds that the search took.
    pub seconds: f64,
    /// Further options of the search.
    pub options: String,
    /// The best published figure.
    pub published: Option<PublishedFigure>,
}

/// What became of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub enum Addition {
    /// It is the first for its problem.
    New(AtlasEntry),
    /// It replaces one that was not as good: the figure and the bound of before.
    Better(AtlasEntry, Fraction, Fraction),
    /// The atlas has one that is as good. A published figure was added or changed.
    Published(AtlasEntry),
    /// The atlas has one that is as good.
    Kept(AtlasEntry),
    /// Its problem is that of an entry under other names. The schedule was mapped to those of the entry.
    Isomorphic(Box<Addition>),
}

impl Addition {
    /// The entry as it is now.
    pub fn entry(&self) -> &AtlasEntry {
        match self {
            Self::New(entry)
            | Self::Better(entry, ..)
            | Self::Published(entry)
            | Self::Kept(entry) => entry,
            Self::Isomorphic(addition) => addition.entry(),
        }
    }
}

impl Atlas {
    /// Judges a schedule file and adds it if the atlas has none for its problem, or none as good. A
    /// schedule is better if its figure is lower, or if the figure is the same and the bound higher.
    pub fn add(&mut self, path: &Path, new: &NewEntry) -> Result<Addition, AtlasError> {
        check_family(&new.family)?;
        check_options(&new.options).map_err(AtlasError::Problem)?;
        if !new.seconds.is_finite() || new.seconds < 0.0 {
            let seconds = new.seconds;
            return Err(AtlasError::Problem(format!("{seconds} is not a number of seconds")));
        }
        let file = judge_file(path)?;
        let described = AtlasProblem::of_file(&file, new.network.as_deref(), self.folder());
        let problem = described.map_err(|error| AtlasError::Undescribed {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        let model = file.model();
        let known = self.entries.iter().position(|entry| self.is_for(entry, &problem, &file));
        if known.is_some() {
            return self.add_judged(path, file, problem, known, new);
        }
        let built = problem.build(model, self.folder())?;
        match self.isomorphic(model, &built) {
            None => self.add_judged(path, file, problem, None, new),
            Some((at, other, images)) => {
                let wanted = match &other {
                    BuiltProblem::Collective { phases, .. } => Some(&phases[..]),
                    BuiltProblem::Tdm(_) => None,
                };
                let mapped = mapping::map(&file, &images, other.network(), wanted)?;
                let problem = self.entries[at].problem.clone();
                let added = self.add_judged(path, mapped, problem, Some(at), new)?;
                Ok(Addition::Isomorphic(Box::new(added)))
            }
        }
    }

    /// Adds a judged schedule for a problem; `known` is the entry that the atlas has for it.
    fn add_judged(
        &mut self,
        path: &Path,
        file: JudgedFile,
        problem: AtlasProblem,
        known: Option<usize>,
        new: &NewEntry,
    ) -> Result<Addition, AtlasError> {
        let model = file.model();
        let before = known.map(|at| self.entries[at].clone());
        let published = new.published.clone();
        if let Some(figure) = &published {
            let bounds = [Some(file.bound()), before.as_ref().map(|entry| entry.bound)];
            let bound = bounds.into_iter().flatten().max().unwrap_or(Fraction::ZERO);
            let known = before.as_ref().and_then(|entry| entry.published.as_ref());
            check_published(figure, known, model, bound)?;
        }
        if let (Some(at), Some(before)) = (known, &before) {
            let is_better = file.value() < before.value
                || (file.value() == before.value && file.bound() > before.bound);
            if !is_better {
                if published.is_none() || published == before.published {
                    return Ok(Addition::Kept(before.clone()));
                }
                self.entries[at].published = published;
                let changed = self.entries[at].clone();
                self.save(&changed.family)?;
                return Ok(Addition::Published(changed));
            }
        }
        let id = before.as_ref().map_or_else(|| problem.id(model), |entry| entry.id.clone());
        let family = before.as_ref().map_or(&new.family, |entry| &entry.family).clone();
        let entry = AtlasEntry {
            file: format!("{family}/{id}.json.gz"),
            id,
            model,
            value: file.value(),
            bound: file.bound(),
            seed: new.seed,
            seconds: new.seconds,
            options: new.options.clone(),
            problem,
            published: published.or_else(|| before.as_ref().and_then(|b| b.published.clone())),
            family,
        };
        self.store(path, file, &entry)?;
        match known {
            Some(at) => self.entries[at] = entry.clone(),
            None => self.entries.push(entry.clone()),
        }
        self.save(&entry.family)?;
        Ok(match before {
            None => Addition::New(entry),
            Some(before) => Addition::Better(entry, before.value, before.bound),
        })
    }

    /// Whether an entry is for the problem of a file, perhaps under another name of the collective.
    fn is_for(&self, entry: &AtlasEntry, problem: &AtlasProblem, file: &JudgedFile) -> bool {
        let AtlasProblem { network, faults, .. } = problem;
        entry.model == file.model()
            && entry.problem.network == *network
            && entry.problem.faults == *faults
            && (entry.problem.build(entry.model, self.folder()))
                .is_ok_and(|built| difference(&built, file).is_none())
    }

    /// Writes the schedule and its proof, and judges what was written.
    fn store(&self, from: &Path, file: JudgedFile, entry: &AtlasEntry) -> Result<(), AtlasError> {
        let to = self.path(entry)?;
        let file = self.store_proof(from, &to, file)?;
        let unwritable = |error: std::io::Error| AtlasError::Unwritable {
            path: to.display().to_string(),
            reason: error.to_string(),
        };
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        file.write(&Map::new(), &mut gzip).map_err(unwritable)?;
        let bytes = gzip.finish().map_err(unwritable)?;
        check_size(from, bytes.len())?;
        write_whole(&to, &bytes)?;
        let stored = judge_file(&to)?;
        if (stored.value(), stored.bound()) == (entry.value, entry.bound) {
            Ok(())
        } else {
            let reason = "the stored file has another figure or bound".to_owned();
            Err(AtlasError::Entry { id: entry.id.clone(), reason })
        }
    }

    /// Copies the proof that the bound names, and gives it the name that goes with the new file.
    fn store_proof(
        &self,
        from: &Path,
        to: &Path,
        file: JudgedFile,
    ) -> Result<JudgedFile, AtlasError> {
        let Some(name) = proof_name(&file) else { return Ok(file) };
        let bytes = bounded_read::read(&from.with_file_name(name), LARGEST as u64)?;
        let place = proof_beside(to, None);
        write_whole(&place, &bytes)?;
        let new = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut stored = read_stored_file(from, DELIVERIES)?;
        rename_proof(&mut stored, &new);
        crate::judge::judge_stored(stored, to)
    }
}

/// The file of the proof of a bound.
fn proof_name(file: &JudgedFile) -> Option<&str> {
    match file {
        JudgedFile::Steps(_, bound) => match &bound.certificate {
            Some(Certificate::Exact { proof, .. }) => Some(proof),
            _ => None,
        },
        JudgedFile::Tdm(checked) => match &checked.schedule().bound.as_ref()?.certificate {
            TdmCertificate::Exact(exact) => Some(&exact.proof),
            _ => None,
        },
        JudgedFile::Throughput(_) | JudgedFile::Time(_) => None,
    }
}

fn rename_proof(stored: &mut Stored, name: &str) {
    match stored {
        Stored::Schedule(phases, _) => {
            for bound in phases.iter_mut().filter_map(|phase| phase.bound.as_mut()) {
                if let Some(Certificate::Exact { proof, .. }) = &mut bound.certificate {
                    *proof = name.to_owned();
                }
            }
        }
        Stored::Tdm(schedule) => {
            if let Some(bound) = &mut schedule.bound
                && let TdmCertificate::Exact(exact) = &mut bound.certificate
            {
                exact.proof = name.to_owned();
            }
        }
        _ => {}
    }
}

/// A published figure must be possible, and no worse than the one that the atlas has.
fn check_published(
    figure: &PublishedFigure,
    known: Option<&PublishedFigure>,
    model: AtlasModel,
    bound: Fraction,
) -> Result<(), AtlasError> {
    if let Some(reason) = figure.wrong_claim(model, bound) {
        return Err(AtlasError::Problem(reason));
    }
    let Some(known) = known.filter(|known| !known.is_for_another_problem) else { return Ok(()) };
    if figure.is_for_another_problem || figure.value > known.value {
        let (value, source) = (model.in_words(known.value), &known.source);
        return Err(AtlasError::Problem(format!(
            "the atlas has a published figure of {value} for this problem ({source}), and only the best \
             one counts"
        )));
    }
    Ok(())
}

fn check_family(family: &str) -> Result<(), AtlasError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !family.is_empty() && family.chars().all(is_plain) {
        return Ok(());
    }
    let shown = excerpt(family);
    Err(AtlasError::Problem(format!(
        "{shown:?} is not a family: use lower-case letters, digits and hyphens, such as tori"
    )))
}

fn check_size(path: &Path, bytes: usize) -> Result<(), AtlasError> {
    if bytes <= LARGEST {
        return Ok(());
    }
    let reason = format!(
        "it has {bytes} bytes gzipped, and the atlas takes at most {LARGEST}; publish its command instead"
    );
    Err(AtlasError::Undescribed { path: path.display().to_string(), reason })
}
