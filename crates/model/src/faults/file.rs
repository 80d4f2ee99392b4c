//! Files of faults: one per line, as `--fault` takes them; `#` at the start of a line or after a
//! blank begins a comment.

use super::{Fault, FaultError};
use crate::network::Network;
use crate::text_file;
use std::path::Path;

/// The faults that a file lists.
pub fn read(path: &Path, network: &Network) -> Result<Vec<Fault>, FaultError> {
    parse(&path.display().to_string(), &text_file::read(path)?, network)
}

/// The faults that a text lists; `file` is what errors call it.
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

/// A name of a router may have a `#` in it, so only one after a blank counts.
fn without_comment(line: &str) -> &str {
    let is_start = |at: usize| at == 0 || line[..at].ends_with([' ', '\t']);
    let comment = line.match_indices('#').map(|(at, _)| at).find(|&at| is_start(at));
    &line[..comment.unwrap_or(line.len())]
}
