//! Writes networks to files that [`crate::import`] reads back as the same network: numbers of
//! routers, channels and processors, links, names, timings, faults and switches that copy.

mod dot;
mod graphml;
mod json;
#[cfg(test)]
mod tests;

use pavane_model::Network;
use std::io::{self, Write};

/// Writes a network in one format.
pub type Writer = fn(&Network, &mut dyn Write) -> io::Result<()>;

/// The formats, by name.
///
/// ```
/// use pavane_networks::export_network::FORMATS;
/// use pavane_networks::import::{FileKind, parse};
///
/// let ring = pavane_networks::topology::build("ring:4")?;
/// let (_, write) = FORMATS.iter().find(|(name, _)| *name == "json").ok_or("no such format")?;
/// let mut text = Vec::new();
/// write(&ring, &mut text)?;
/// let back = parse(&String::from_utf8(text)?, "ring.json", FileKind::Json)?;
/// assert!(back.is_same_as(&ring));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const FORMATS: &[(&str, Writer)] =
    &[("json", json::write), ("dot", dot::write), ("graphml", graphml::write)];
