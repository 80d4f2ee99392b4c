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

/// The same under `srun`, where a starter is there.
#[cfg(any(test, not(feature = "mpi")))]
const TASKS: &str = "SLURM_STEP_NUM_TASKS";

/// Variables that say at least that a starter is there: PMIx, as under `srun --mpi=pmix`.
const STARTED: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];

/// Variables with the number of this rank.
#[cfg(any(test, not(feature = "mpi")))]
const OWN: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

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
#[non_exhaustive]
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
    match refusal(&|name| std::env::var(name).ok()) {
        None => Ok(body(Cluster::alone())),
        Some(refusal) => Err(refusal),
    }
}

/// Why a program that knows no MPI does not work in an environment like this, and whether it is the one to
/// tell it.
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
            // A batch script, or tasks that have nothing to do with each other.
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
