//! Uses the results of an earlier survey of faults if their schedules are present and valid. The schedules are in
//! a folder next to the file of rows and are judged before their rows are used.

use crate::StoreError;
use crate::checkpoint::fingerprint;
use crate::contingency::Folder;
use crate::fault_rows::{FaultFinding, Key};
use crate::files::{NamedFile, write_file};
use pavane_model::{CollectiveRequest, Network, Problem};
use pavane_search::fault::Job;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder with the schedules that belong to a file of rows.
pub fn folder(rows: &Path) -> PathBuf {
    let mut name = rows.as_os_str().to_owned();
    name.push(".schedules");
    PathBuf::from(name)
}

/// The file name for one row. If two rows collide, at most one of them passes the judge, and the
/// other is solved again.
pub fn file_name(key: &Key) -> String {
    let words = std::iter::once(&key.0).chain(&key.1);
    let bytes = words.flat_map(|word| word.bytes().chain([0]));
    // The FNV-1a hash (Fowler, Noll and Vo).
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}.json.gz", bytes.fold(0xcbf2_9ce4_8422_2325, mix))
}

/// Writes the files of a row.
pub fn keep(rows: &Path, files: &[NamedFile]) -> Result<(), StoreError> {
    let folder = folder(rows);
    std::fs::create_dir_all(&folder).map_err(|error| {
        StoreError::file(format!("cannot create the folder {}: {}", folder.display(), error.kind()))
    })?;
    for (name, bytes) in files {
        write_file(&folder.join(name), |out| out.write_all(bytes))?;
    }
    Ok(())
}

/// The file with the schedule of a row.
pub fn schedule(rows: &Path, key: &Key) -> PathBuf {
    folder(rows).join(file_name(key))
}

/// Whether a row can be used: either no schedule was found, or its schedule exists, solves exactly
/// the requested problem, and has the steps and the proved bound of the row. Other rows without a
/// schedule are recomputed, which is fast.
pub fn is_sound(schedule: &Path, finding: &FaultFinding, network: &Network, job: &Job) -> bool {
    let FaultFinding::Solved { steps, bound, missing, .. } = finding else {
        return *finding == FaultFinding::Unsolved;
    };
    let Ok(broken) = network.without(&job.faults) else { return false };
    let Ok(left) = job.request.on(network, &broken) else { return false };
    let (Some(folder), Some(name)) = (schedule.parent(), schedule.file_name()) else {
        return false;
    };
    let name = name.to_string_lossy();
    let Ok(phases) = Folder::new(folder, job.request.limit).file(&name) else { return false };
    left.missing == *missing
        && phases.len() == left.phases.len()
        && phases.iter().zip(&left.phases).all(|(phase, wanted)| is_same(&phase.problem, wanted))
        && phases.iter().map(|phase| phase.schedule.step_count()).sum::<u32>() == *steps
        && phases.iter().map(|phase| phase.proved).sum::<u32>() == *bound
}

fn is_same(problem: &Problem, wanted: &Problem) -> bool {
    problem.network().is_same_as(wanted.network())
        && problem.collective() == wanted.collective()
        && problem.model() == wanted.model()
}

/// Everything that a row depends on.
pub fn setup(
    network: &Network,
    request: &CollectiveRequest,
    (seed, evaluations, time): (u64, Option<u64>, Option<Duration>),
) -> String {
    let ends = fingerprint(network);
    format!(
        "{} {:?} {ends:x} {} {:?} {} seed {seed} evaluations {evaluations:?} time {time:?}",
        network.name(),
        network.faults(),
        request.collective,
        request.groups,
        request.model,
    )
}
