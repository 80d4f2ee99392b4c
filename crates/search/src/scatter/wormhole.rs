//! Personalised messages under wormhole switching: every message travels in one step along one
//! path, and the engines choose both.

mod balanced_groups;
mod board;
mod draft;
mod ejection;
mod graph;
mod greedy;
mod grid;
mod homes;
mod orbits;
mod pairs;
mod polygons;
mod quadrants;
mod rectangles;
mod shortest;
mod start;
mod step_choice;
mod trails;

pub use balanced_groups::BalancedGroups;
pub use ejection::Ejection;
pub use orbits::{Orbits, Packing};
pub use polygons::Polygons;
pub use quadrants::Quadrants;
pub use rectangles::Rectangles;
pub use shortest::Shortest;
pub use trails::Trails;
