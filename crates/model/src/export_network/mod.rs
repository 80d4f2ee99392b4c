//! Networks to files that [`crate::import`] reads back as the same network: routers, channels and
//! processors with their numbers, links, names, times and faults.

mod dot;
mod graphml;
mod json;
#[cfg(test)]
mod tests;

use crate::network::Network;
use std::io::{self, Write};

/// Writes a network in one format.
pub type Writer = fn(&Network, &mut dyn Write) -> io::Result<()>;

/// The formats there are, by name.
pub const FORMATS: &[(&str, Writer)] =
    &[("json", json::write), ("dot", dot::write), ("graphml", graphml::write)];
