//! Errors of network names.

use pavane_model::network::NetworkError;

/// Why a specification such as `torus:4x4@2` does not denote a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// No network family has this name.
    #[error("no network family is called {name:?}; {nearest}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar names, in words.
        nearest: String,
    },
    /// The parameters of a network family are invalid.
    #[error("{spec:?}: {problem}; write {usage}")]
    Parameters {
        /// The whole specification.
        spec: String,
        /// What is wrong, with the offending value.
        problem: String,
        /// How the family is written, with an example.
        usage: String,
    },
    /// The network is invalid, for example too large.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
