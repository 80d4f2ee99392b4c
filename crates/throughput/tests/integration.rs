//! Tests of limits and plans, in one binary: it links once.

mod all_reduce;
mod common;
mod exchange_random;
mod limit;
mod one_phase;
mod plans;
mod random;
mod repair;
mod stored;
