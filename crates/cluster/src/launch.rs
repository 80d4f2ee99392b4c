//! Detects how many ranks a launcher such as `mpirun` or `srun` has started, by the environment variables
//! that it sets.

use crate::Cluster;
use std::process::ExitCode;

/// What the launcher says about this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// Number of ranks; 1 if unknown.
    pub ranks: usize,
    /// Number of ranks on this machine; 1 if unknown.
    pub here: usize,
    /// Whether every rank is bound to its own cores.
    pub is_bound: bool,
}

/// Variables with the number of ranks: Open MPI; MPICH and its derivatives.
const RANKS: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];

/// The same under `srun`. Set for any job step, so it counts only together with one of [`STARTED`].
#[cfg(any(test, not(feature = "mpi")))]
const TASKS: &str = "SLURM_STEP_NUM_TASKS";

/// Variables that show that a launcher started this process. PMIx, as under `srun --mpi=pmix`, sets only the
/// last.
const STARTED: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];

/// Variables with the number of this rank.
#[cfg(any(test, not(feature = "mpi")))]
const OWN: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

/// Variables with the number of ranks on this machine.
const HERE: &[&str] = &["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];

/// Set by Open MPI if it has bound the ranks to cores.
const BOUND: &str = "OMPI_MCA_orte_bound_at_launch";

impl Launched {
    /// Reads the environment.
    pub fn read() -> Self {
        let number = |names: &[&str]| {
            let values = names.iter().filter_map(|name| std::env::var(name).ok());
            values.filter_map(|value| value.parse().ok()).max().unwrap_or(1)
        };
        let is_bound = std::env::var(BOUND).is_ok_and(|value| value == "1");
        Self { ranks: number(RANKS), here: number(HERE), is_bound }
    }
}

/// Why the ranks cannot run together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// Several processes were started of a build without MPI.
    #[error(
        "{0} ranks were started, but this build has no MPI support, so every rank would repeat the whole search"
    )]
    NoMpi(usize),
    /// The MPI library cannot be used.
    #[error("MPI cannot be used: {0}")]
    Mpi(&'static str),
    /// A rank runs a different build.
    #[error(
        "rank {rank} on {host} runs another build than rank 0 on {first}: {other}, not {own}; \
         install the same program everywhere"
    )]
    OtherBuild {
        /// The rank.
        rank: usize,
        /// Its machine.
        host: String,
        /// The machine of rank 0.
        first: String,
        /// Its build.
        other: String,
        /// The build of rank 0.
        own: String,
    },
    /// A rank has different arguments.
    #[error("rank {rank} on {host} was given other arguments than rank 0; give all ranks the same")]
    OtherArguments {
        /// The rank.
        rank: usize,
        /// Its machine.
        host: String,
    },
}

/// Runs `body` on every rank that was started, or on a single rank. Returns the exit code of `body` on rank 0;
/// the other ranks exit with 0. An error is the same on all ranks; the flag with it is true on rank 0, which
/// reports it.
#[cfg(feature = "mpi")]
pub fn run(
    version: &str,
    body: impl FnOnce(Cluster) -> ExitCode + Send + 'static,
) -> Result<ExitCode, (LaunchError, bool)> {
    if STARTED.iter().any(|name| std::env::var_os(name).is_some()) {
        crate::mpi_thread::run(version, body)
    } else {
        Ok(body(Cluster::alone()))
    }
}

/// Runs `body` on a single rank. Fails if several ranks were started; the flag is true on rank 0.
#[cfg(not(feature = "mpi"))]
pub fn run(
    _: &str,
    body: impl FnOnce(Cluster) -> ExitCode + Send + 'static,
) -> Result<ExitCode, (LaunchError, bool)> {
    match refusal(&|name| std::env::var(name).ok()) {
        None => Ok(body(Cluster::alone())),
        Some(refusal) => Err(refusal),
    }
}

/// The error of a build without MPI in an environment with several ranks, and whether this is rank 0.
#[cfg(any(test, not(feature = "mpi")))]
fn refusal(variable: &dyn Fn(&str) -> Option<String>) -> Option<(LaunchError, bool)> {
    let is_started = STARTED.iter().any(|name| variable(name).is_some());
    let names = RANKS.iter().chain(is_started.then_some(&TASKS));
    let ranks = names.filter_map(|name| variable(name)?.parse().ok()).max().unwrap_or(1);
    let is_first = OWN.iter().filter_map(|name| variable(name)).all(|rank| rank == "0");
    (ranks > 1).then_some((LaunchError::NoMpi(ranks), is_first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_mpi_refuses_to_be_started_several_times() {
        type Case = (&'static [(&'static str, &'static str)], Option<(usize, bool)>);
        let cases: &[Case] = &[
            (&[], None),
            (&[("OMPI_COMM_WORLD_SIZE", "1"), ("OMPI_COMM_WORLD_RANK", "0")], None),
            (&[("OMPI_COMM_WORLD_SIZE", "3"), ("OMPI_COMM_WORLD_RANK", "0")], Some((3, true))),
            (&[("OMPI_COMM_WORLD_SIZE", "3"), ("OMPI_COMM_WORLD_RANK", "2")], Some((3, false))),
            (&[("PMI_SIZE", "8"), ("PMI_RANK", "0")], Some((8, true))),
            (&[("PMIX_RANK", "1"), ("SLURM_STEP_NUM_TASKS", "4")], Some((4, false))),
            // A batch script, or independent tasks.
            (&[("SLURM_STEP_NUM_TASKS", "4")], None),
        ];
        for (variables, expected) in cases {
            let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
            let found = refusal(&|name| find(name).map(|(_, value)| (*value).to_owned()));
            let found = found.map(|(error, is_first)| match error {
                LaunchError::NoMpi(ranks) => (ranks, is_first),
                other => panic!("{other}"),
            });
            assert_eq!(found, *expected, "{variables:?}");
        }
    }
}
