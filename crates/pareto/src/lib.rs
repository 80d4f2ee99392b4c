//! k-synchronous schedules: every message is cut into C chunks, and a schedule has S steps and R rounds.
//! In a step with r rounds a channel carries at most r chunks, and a processor sends on in a step only
//! what it held at its start. The schedule takes S latencies and R/C transmissions of a message, so there
//! is a front from few steps to few rounds per chunk. Channels with a multiple of a bandwidth count several
//! times.
//!
//! From Cai et al., "Synthesizing Optimal Collective Algorithms" (PPoPP 2021), whose triples (C, S, R)
//! these are.

mod front;
mod link_steps;
mod rounds;
mod settle;
mod start;

pub use front::{Fewer, Front, FrontError, FrontPoint, FrontRequest, check_routers, find, rules};
pub use rounds::in_rounds;
