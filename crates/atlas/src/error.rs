//! Errors of the atlas.

use pavane_model::bounded_read::FileError;
use pavane_model::format::FormatError;

/// Why a request to the atlas fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AtlasError {
    /// There is no atlas in a folder.
    #[error("there is no atlas in the folder {folder}: it has no index file (*.toml)")]
    NoAtlas {
        /// The folder.
        folder: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file or folder cannot be written.
    #[error("cannot write {path}: {reason}")]
    Unwritable {
        /// The file or folder.
        path: String,
        /// The reason.
        reason: String,
    },
    /// An index file is malformed.
    #[error("{file}: {reason}")]
    Index {
        /// The file.
        file: String,
        /// The reason, with the place.
        reason: String,
    },
    /// An entry is wrong.
    #[error("entry {id}: {reason}")]
    Entry {
        /// The entry.
        id: String,
        /// What is wrong, with the values.
        reason: String,
    },
    /// No entry has this name.
    #[error("the atlas has no entry {id:?}{hint}")]
    NoEntry {
        /// The requested name.
        id: String,
        /// The nearest name.
        hint: String,
    },
    /// A schedule file cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The judge rejects a schedule file.
    #[error("{path}: {reason}")]
    Rejected {
        /// The file.
        path: String,
        /// The first violation, or what is wrong with the bound.
        reason: String,
    },
    /// A problem that the atlas cannot describe.
    #[error("{path}: {reason}")]
    Undescribed {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// A description that is not a problem.
    #[error("{0}")]
    Problem(String),
    /// Two networks cannot be compared.
    #[error(transparent)]
    Isomorphism(#[from] pavane_networks::symmetry::IsomorphismError),
}
