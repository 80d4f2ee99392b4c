//! Engines for private messages, each with exactly one destination: scatter, all-to-all,
//! permutations and lists of such messages.

mod ejection;
mod layout;
mod routes;
pub mod wormhole;

use pavane_model::Problem;

/// Whether every message has exactly one destination.
fn is_private(problem: &Problem) -> bool {
    problem.messages().ids().all(|message| problem.messages().is_private(message))
}
