//! What several property tests of the engine share: tiny problems and their true optimum.

pub mod brute_force;
pub mod tiny;
