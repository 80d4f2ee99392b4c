//! Reads networks from files: Pavane's own TOML and JSON, clusters composed in TOML, NetworkX node-link JSON, GraphML,
//! Graphviz DOT, edge lists, link-count matrices, the output of NCCL, `nvidia-smi` and
//! `ibnetdiscover`, and the platforms of poseidon. The formats are described in `docs/network-files.md`.

mod attributes;
mod cluster;
mod dot;
mod draft;
mod edge_list;
mod formats;
mod gpus;
mod graphml;
mod infiniband;
mod json;
mod matrix;
mod nccl;
mod node_link;
pub(crate) mod own;
mod own_edge;
mod smi;
#[cfg(test)]
mod tests;

pub use formats::FileKind;
pub(crate) use graphml::document;

use crate::description::DescriptionError;
use crate::topology::{self, TopologyError};
use pavane_model::Network;
use pavane_model::bounded_read::FileError;
use pavane_model::entry_place::EntryPlace;
use pavane_model::text_file;
use pavane_model::words::excerpt;
use std::borrow::Cow;
use std::path::Path;

/// The file that `-` means.
const STANDARD_INPUT: &str = "/dev/stdin";

/// Why a file is not a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A syntax error.
    #[error("{file}: {place}: {problem}")]
    Syntax {
        /// The file.
        file: String,
        /// The line and column, or the entry.
        place: String,
        /// What is wrong, with the offending text.
        problem: String,
    },
    /// The file is empty.
    #[error("{file} is empty; expected a network")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file as a whole is invalid.
    #[error("{file}: {problem}")]
    Whole {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// The file parses but does not describe a valid network.
    #[error("{file}: {error}")]
    Description {
        /// The file.
        file: String,
        /// What is wrong.
        error: DescriptionError,
    },
}

/// Why a NETWORK argument is not a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The argument is a file with an error.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The argument is an invalid name.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

/// Loads the network of a NETWORK argument. `-` is standard input. A text with a path separator is a file. Otherwise the
/// name of a network family takes precedence over a file of the same name, and a known extension or
/// an existing file means a file.
///
/// ```
/// use pavane_networks::import::load;
///
/// assert_eq!(load("kautz:2,3")?.router_count(), 12);
/// assert!(load("hyprcube:3").unwrap_err().to_string().contains("the nearest is hypercube"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(text: &str) -> Result<Network, LoadError> {
    match file_of(text) {
        Some(path) => Ok(read(path)?),
        None => Ok(topology::build(text)?),
    }
}

/// The file that a NETWORK argument names; `None` if it is the name of a network.
pub fn file_of(text: &str) -> Option<&Path> {
    if text == "-" {
        return Some(Path::new(STANDARD_INPUT));
    }
    let path = Path::new(text);
    let family = text.split([':', '@']).next().unwrap_or_default();
    let has_separator = text.contains(std::path::is_separator);
    let is_file = has_separator
        || (topology::find(family).is_err()
            && (FileKind::is_extension_known(path) || path.is_file()));
    is_file.then_some(path)
}

/// Reads the network in a file.
pub fn read(path: &Path) -> Result<Network, ImportError> {
    let text = text_file::read(path)?;
    parse(&text, &path.display().to_string(), FileKind::of(path, &text))
}

/// Parses the network that a text describes. Errors refer to `file`, whose last path component is
/// the default name of the network.
///
/// ```
/// use pavane_networks::import::{FileKind, parse};
///
/// let triangle = parse("a b\nb c\nc a\n", "triangle.edges", FileKind::EdgeList)?;
/// assert_eq!((triangle.router_count(), triangle.channel_count()), (3, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(text: &str, file: &str, kind: FileKind) -> Result<Network, ImportError> {
    // A large file of blanks is refused by its parser for its size.
    if text.len() < 1 << 16 && text.trim().is_empty() {
        return Err(ImportError::Empty { file: file.to_owned() });
    }
    let description = (kind.format().parse)(text, file, &default_name(file))?;
    let wrong = |error| ImportError::Description { file: file.to_owned(), error };
    description.build().map_err(wrong)
}

/// The name of a network in a file that does not name it: that of the file, unless it says nothing.
fn default_name(file: &str) -> Cow<'_, str> {
    let path = Path::new(file);
    if path == Path::new(STANDARD_INPUT) {
        return "stdin".into();
    }
    if ["/dev/fd", "/proc"].iter().any(|folder| path.starts_with(folder)) {
        return "pipe".into();
    }
    let name = path.file_name().map_or(file.into(), |name| name.to_string_lossy());
    if name == "-" { file.into() } else { name }
}

pub(crate) fn place_error(file: &str, place: &str, problem: &str) -> ImportError {
    let (file, place, problem) = (file.to_owned(), place.to_owned(), problem.to_owned());
    ImportError::Syntax { file, place, problem }
}

/// An error at an entry, with its line if known.
fn entry_error(
    file: &str,
    place: EntryPlace<'_>,
    line: Option<usize>,
    problem: &str,
) -> ImportError {
    match line {
        Some(line) => place_error(file, &format!("line {line}: {place}"), problem),
        None => place_error(file, &place.to_string(), problem),
    }
}

pub(crate) fn whole_error(file: &str, problem: &str) -> ImportError {
    ImportError::Whole { file: file.to_owned(), problem: problem.to_owned() }
}

/// An error in a line, which is quoted.
fn line_error(file: &str, line: usize, text: &str, problem: &str) -> ImportError {
    let shown = excerpt(text.trim());
    place_error(file, &format!("line {line}"), &format!("{shown:?}: {problem}"))
}

/// An error at a byte offset of the text.
fn offset_error(file: &str, text: &str, offset: usize, problem: &str) -> ImportError {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].chars().count() + 1;
    place_error(file, &format!("line {line}, column {column}"), problem)
}
