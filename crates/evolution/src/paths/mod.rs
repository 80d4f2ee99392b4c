//! Ranking and unranking of paths: their number, the i-th path, and the index of a given path,
//! without enumerating them. The "index of a shortest path" in the papers' chromosomes is this
//! number.

mod detour;
mod shortest;
mod simple;
#[cfg(test)]
mod tests;

pub use detour::DetourPaths;
pub use shortest::ShortestPaths;
pub use simple::is_simple;
