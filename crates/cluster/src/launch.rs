//! How ranks come about: whoever starts several processes of this program says so in their environment.

use crate::Cluster;
use std::process::ExitCode;

/// What a starter has said about this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// How many ranks it started, if it says so.
    pub ranks: usize,
    /// How many of them on this machine, if it says so.
    pub here: usize,
    /// Whether it gave every rank processors of its own.
    pub is_bound: bool,
}

/// Variables with the number of ranks: Open MPI, MPICH and its kin.
const RANKS: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];

/// Variables that say at least that a starter is there: PMIx, as under `srun --mpi=pmix`.
#[cfg(feature = "mpi")]
const STARTED: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];

/// Variables with the number of this rank.
#[cfg(not(feature = "mpi"))]
const OWN: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMI_RANK"];

/// Variables with the number of ranks on this machine.
const HERE: &[&str] = &["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];

/// The variable by which Open MPI says that it has bound the ranks.
const BOUND: &str = "OMPI_MCA_orte_bound_at_launch";

impl Launched {
    /// What the environment says.
    pub fn read() -> Self {
        let number = |names: &[&str]| {
            let values = names.iter().filter_map(|name| std::env::var(name).ok());
            values.filter_map(|value| value.parse().ok()).max().unwrap_or(1)
        };
        let is_bound = std::env::var(BOUND).is_ok_and(|value| value == "1");
        Self { ranks: number(RANKS), here: number(HERE), is_bound }
    }
}

/// Why ranks do not work together.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Several processes were started of a program that knows nothing of the others.
    #[error(
        "{0} ranks were started, but this build knows no MPI and every rank would do the whole work; \
         build it with --features mpi"
    )]
    NoMpi(usize),
    /// The MPI library cannot be used.
    #[error("MPI cannot be used: {0}")]
    Mpi(&'static str),
    /// A rank runs another program.
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
        /// Its program.
        other: String,
        /// The program of rank 0.
        own: String,
    },
    /// A rank was given other arguments.
    #[error("rank {rank} on {host} was given other arguments than rank 0; give all ranks the same")]
    OtherArguments {
        /// The rank.
        rank: usize,
        /// Its machine.
        host: String,
    },
}

/// Runs `body` on every rank that was started; where none was, alone. The exit code is its own; that of
/// any other rank than the first is 0. An error is the same on all ranks, and only the first is to
/// tell it: `true` goes with it there.
#[cfg(feature = "mpi")]
pub fn run(
    version: &str,
    body: impl FnOnce(Cluster) -> ExitCode + Send + 'static,
) -> Result<ExitCode, (LaunchError, bool)> {
    match STARTED.iter().any(|name| std::env::var_os(name).is_some()) {
        true => crate::office::run(version, body),
        false => Ok(body(Cluster::alone())),
    }
}

/// Runs `body` alone. An error if several ranks were started, and `true` with it on the first.
#[cfg(not(feature = "mpi"))]
pub fn run(
    _: &str,
    body: impl FnOnce(Cluster) -> ExitCode + Send + 'static,
) -> Result<ExitCode, (LaunchError, bool)> {
    let ranks = Launched::read().ranks;
    let is_other = |name| std::env::var(name).is_ok_and(|rank| rank != "0");
    match ranks {
        1 => Ok(body(Cluster::alone())),
        ranks => Err((LaunchError::NoMpi(ranks), !OWN.iter().any(is_other))),
    }
}
