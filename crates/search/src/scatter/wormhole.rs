//! Personalised messages under wormhole switching: every message travels in one step along one
//! path, and the engines choose both.

mod board;
mod draft;
mod ejection;
mod graph;
mod greedy;
mod grid;
mod groups;
mod homes;
mod orbits;
mod start;
mod step_choice;

pub use ejection::Ejection;
pub use groups::Groups;
pub use orbits::Orbits;
