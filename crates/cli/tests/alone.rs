//! The default build, without MPI, started several times by `mpirun`: it refuses to run and says so
//! once.

#![cfg(not(feature = "mpi"))]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::process::{Command, Output};

/// The output of the program as one of several ranks.
fn run(rank: &str, ranks: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pavane"));
    command.env("OMPI_COMM_WORLD_SIZE", ranks).env("OMPI_COMM_WORLD_RANK", rank);
    command.args(["bound", "ring:4", "oab"]).output().unwrap()
}

#[test]
fn several_ranks_are_refused_and_the_first_says_why() {
    let (first, second) = (run("0", "3"), run("1", "3"));
    // `mpirun` kills all ranks after the first bad exit code, so only rank 0 has one.
    assert_eq!((first.status.code(), second.status.code()), (Some(2), Some(0)));
    assert_eq!((first.stdout.len(), second.stdout.len(), second.stderr.len()), (0, 0, 0));
    let told = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(told.contains("3 ranks were started") && told.contains("--features mpi"), "{told}");
    assert!(run("0", "1").status.success());
}
