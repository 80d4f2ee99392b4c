//! One file per subcommand.

pub mod atlas;
pub mod bench;
pub mod bound;
pub mod check_plan;
pub mod compare;
pub mod completions;
pub mod deadlock;
pub mod draw;
pub mod engines;
pub mod export;
pub mod faults;
pub mod foreign;
pub mod import;
pub mod interrupt;
pub mod man;
pub mod networks;
pub mod pareto;
pub mod proof;
pub mod repair;
mod repair_plan;
mod repair_timed;
pub mod reproduce;
pub mod schema;
pub mod search_request;
pub mod solve;
pub mod stored;
pub mod studio;
pub mod survey;
pub mod tdm;
pub mod throughput;
mod throughput_bench;
mod time_bench;
pub mod traffic;
pub mod tune;
pub mod verify;
pub mod verify_folder;
mod verify_tdm;
mod verify_throughput;
mod verify_timed;

use crate::output::Failure;
use pavane_search::exact::HAS_SOLVER;

/// Fails if a proof is requested and this build has no SAT solver.
pub fn check_solver(prove: bool) -> Result<(), Failure> {
    if prove && !HAS_SOLVER {
        return Err(Failure::bad_input(
            "--prove needs the SAT solver, which this program was built without; build it without --no-default-features",
        ));
    }
    Ok(())
}
