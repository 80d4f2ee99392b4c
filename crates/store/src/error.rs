//! Why something cannot be stored or read.

/// Why something cannot be stored or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A file is not what it must be, or cannot be read or written.
    #[error("{0}")]
    File(String),
    /// The judge rejected a result, which is a bug.
    #[error("{0}")]
    Bug(String),
}

impl StoreError {
    /// A file is not what it must be.
    pub fn file(why: impl ToString) -> Self {
        Self::File(why.to_string())
    }
}
