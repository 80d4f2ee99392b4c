//! Shared by several property tests of the engine: tiny problems and their true optimum.

pub mod brute_force;
pub mod tiny;
