//! Tests of the engines, bounds and faults, in one binary: it links once.

mod all_reduce;
mod bounds_are_bounds;
mod broadcast;
mod brute_force;
mod certificates;
mod certificates_are_sound;
mod common;
mod exact;
#[path = "faults/main.rs"]
mod faults;
#[path = "common/faulty.rs"]
mod faulty;
mod gossip;
mod known_bounds;
mod scatter;
mod symmetry;
mod synthesize;
#[path = "common/whole_brute_force.rs"]
mod whole_brute_force;
