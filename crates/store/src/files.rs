//! Writes files completely or not at all, and schedule files with what belongs beside them.

use crate::StoreError;
use flate2::Compression;
use flate2::write::GzEncoder;
use pavane_model::whole::Whole;
use pavane_model::write_target::{self, Target};
use pavane_model::{Bound, Certificate, format, words};
use pavane_render::file;
use pavane_search::Proof;
use pavane_verify::CheckedSchedule;
use serde_json::{Map, json};
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Name and version of the program in its files.
pub const PROGRAM: &str = concat!("pavane ", env!("CARGO_PKG_VERSION"));

/// Writes a file completely or not at all: writes a temporary file in the same folder, then renames
/// it. Follows symbolic links and replaces the file behind them. Pipes and devices are opened and
/// written to.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    let name = |error| unwritable(path, &error);
    let Target::File(target) = write_target::resolve(path).map_err(name)? else {
        let file = OpenOptions::new().append(true).open(path).map_err(name)?;
        let mut out = BufWriter::new(file);
        return write(&mut out).and_then(|()| out.flush()).map_err(name);
    };
    let mut out = BufWriter::with_capacity(1 << 16, beside(path, &target)?);
    write(&mut out).and_then(|()| out.flush()).map_err(name)?;
    let file = out.into_inner().map_err(|error| name(error.into_error()))?;
    file.persist(&target).map_err(|error| name(error.error))?;
    Ok(())
}

/// Fails if a file cannot be written.
pub fn check_place(path: &Path) -> Result<(), StoreError> {
    match write_target::resolve(path).map_err(|error| unwritable(path, &error))? {
        Target::Stream => Ok(()),
        Target::File(target) => beside(path, &target).map(drop),
    }
}

/// A temporary file in the folder of the target.
fn beside(path: &Path, target: &Path) -> Result<NamedTempFile, StoreError> {
    if target.is_dir() {
        return Err(unwritable(path, &io::ErrorKind::IsADirectory.into()));
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.exists() {
        let (path, folder) = (path.display(), folder.display());
        return Err(StoreError::file(format!(
            "cannot write {path}: folder {folder} does not exist"
        )));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pavane-").suffix(".part");
    #[cfg(unix)]
    {
        // Permissions of an ordinary file, subject to the umask; temporary files are private by
        // default.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder).map_err(|error| unwritable(path, &error))?;
    // A file that is replaced keeps its permissions, where the file system has any.
    if let Ok(replaced) = target.metadata() {
        let _ = file.as_file().set_permissions(replaced.permissions());
    }
    Ok(file)
}

/// Reports the kind of error only, because its text may name the temporary file.
pub fn unwritable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::file(format!("cannot write {}: {}", path.display(), error.kind()))
}

/// Writes the content of a file, gzipped if its name ends in `.gz`.
pub fn gzipped_by_name(
    path: &Path,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.extension().is_none_or(|ending| ending != "gz") {
        return write(out);
    }
    let mut gzip = GzEncoder::new(out, Compression::fast());
    write(&mut gzip)?;
    gzip.finish().map(drop)
}

/// Writes a proof in LRAT, gzipped.
pub fn write_proof(out: &mut dyn Write, lrat: &[u8]) -> io::Result<()> {
    let mut gzip = GzEncoder::new(out, Compression::default());
    gzip.write_all(lrat)?;
    gzip.finish().map(drop)
}

/// Records in a bound where its proof will be stored. Returns the path and the proof to write there. Without a place
/// for the proof, the bound loses its certificate.
pub fn claim_proof<'a>(
    bound: &mut Bound,
    proof: Option<&'a Proof>,
    place: Option<PathBuf>,
) -> Option<(PathBuf, &'a Proof)> {
    let Some(Certificate::Exact { proof: name, .. }) = &mut bound.certificate else {
        return None;
    };
    let Some((path, proof)) = place.zip(proof) else {
        bound.certificate = None;
        return None;
    };
    *name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Some((path, proof))
}

/// The name and content of a file.
pub type NamedFile = (String, Vec<u8>);

/// A phase to store: its schedule, its bound and the proof that the bound needs, if any.
pub type StoredPhase<'a> = (&'a CheckedSchedule, &'a Bound, Option<&'a Proof>);

/// The files of a schedule with this file name: the schedule and the proofs beside it, each with its name.
pub fn schedule_files(
    name: &str,
    collective: &str,
    phases: &[StoredPhase<'_>],
    (engine, seed): (&str, u64),
) -> io::Result<Vec<NamedFile>> {
    let path = Path::new(name);
    let (mut bounds, mut files) = (Vec::new(), Vec::new());
    for (number, (_, bound, proof)) in (1..).zip(phases) {
        let mut bound = (*bound).clone();
        let place = format::proof_beside(path, (phases.len() > 1).then_some(number));
        if let Some((place, proof)) = claim_proof(&mut bound, *proof, Some(place)) {
            let mut bytes = Vec::new();
            write_proof(&mut bytes, &proof.lrat)?;
            files.push((place.display().to_string(), bytes));
        }
        bounds.push(bound);
    }
    let phases: Vec<(&CheckedSchedule, &Bound)> =
        phases.iter().map(|(checked, ..)| *checked).zip(&bounds).collect();
    let mut bytes = Vec::new();
    gzipped_by_name(path, &mut bytes, |out| {
        write_schedule(out, collective, &phases, (engine, seed))
    })?;
    files.push((name.to_owned(), bytes));
    Ok(files)
}

/// Writes a schedule file, uncompressed.
pub fn write_schedule(
    out: &mut dyn Write,
    collective: &str,
    phases: &[(&CheckedSchedule, &Bound)],
    (engine, seed): (&str, u64),
) -> io::Result<()> {
    let gap = |(checked, bound): &(&CheckedSchedule, &Bound)| {
        checked.schedule().step_count() - bound.steps
    };
    let status = match (phases.iter().map(gap).sum(), phases.len()) {
        (0, 1) => "optimal".to_owned(),
        (0, _) => "every phase optimal".to_owned(),
        (gap, _) => format!("best found, at most {} from optimal", words::steps(gap)),
    };
    let mut more = Map::new();
    more.insert("status".into(), status.into());
    let made_by = json!({"program": PROGRAM, "engine": engine, "seed": seed});
    more.insert("made_by".into(), made_by);
    file::write(collective, phases, &Whole::default(), &more, out)
}
