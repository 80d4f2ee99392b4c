//! Fault files: one fault per line, as [`Fault::parse`] reads it. A `#` at the start of a line or after
//! a blank begins a comment.

use super::{Fault, FaultError};
use crate::network::Network;
use crate::text_file;
use std::path::Path;

/// Reads the faults that a file lists.
pub fn read(path: &Path, network: &Network) -> Result<Vec<Fault>, FaultError> {
    parse(&path.display().to_string(), &text_file::read(path)?, network)
}

/// Parses the faults that a text lists; errors refer to `file`.
pub fn parse(file: &str, text: &str, network: &Network) -> Result<Vec<Fault>, FaultError> {
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = without_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        let fault = Fault::parse(network, line).map_err(|error| FaultError::Line {
            file: file.to_owned(),
            line: index + 1,
            error: Box::new(error),
        })?;
        faults.push(fault);
    }
    Ok(faults)
}

/// Router names may contain `#`, so it begins a comment only at the start of a line or after a
/// blank.
fn without_comment(line: &str) -> &str {
    let is_start = |at: usize| at == 0 || line[..at].ends_with([' ', '\t']);
    let comment = line.match_indices('#').map(|(at, _)| at).find(|&at| is_start(at));
    &line[..comment.unwrap_or(line.len())]
}
