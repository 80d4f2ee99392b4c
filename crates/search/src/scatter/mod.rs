//! Engines for personalised messages, which have exactly one destination: scatter, all-to-all,
//! permutations and explicit lists of such messages.

mod action;
mod colouring;
pub mod copies;
mod exchange;
pub(crate) mod guided_search;
mod layout;
mod plans;
pub mod rounds;
mod routes;
mod row_orbits;
mod splitting;
pub mod store_and_forward;
pub mod subtrees;
mod weights;
pub mod wormhole;
