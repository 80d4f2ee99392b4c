//! What keeps a description from being a network.

/// What keeps a description from being a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The name is of no family.
    #[error("no network family is called {name:?}; {nearest} (all: `pavane networks`)")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The most similar names, in words.
        nearest: String,
    },
    /// The parameters of a family do not read as it expects them.
    #[error("{spec:?}: {problem}; write {usage}")]
    Parameters {
        /// The whole specification.
        spec: String,
        /// What is wrong, with the value.
        problem: String,
        /// How the family is written, with an example.
        usage: String,
    },
    /// More routers, channels or processors than this program handles.
    #[error("{name} would have {count} {what}; at most {most} are handled")]
    TooLarge {
        /// The network.
        name: String,
        /// How many, in words where it overflows.
        count: String,
        /// Routers, channels or processors.
        what: &'static str,
        /// The most that are handled.
        most: u64,
    },
    /// A channel starts or ends at a router that is not there.
    #[error("{name}: channel {tail} -> {head} names router {missing}, but routers are 0 to {last}")]
    NoSuchRouter {
        /// The network.
        name: String,
        /// Where the channel starts.
        tail: u32,
        /// Where it ends.
        head: u32,
        /// The one that is not there.
        missing: u32,
        /// The last router there is.
        last: u32,
    },
    /// A channel from a router to itself.
    #[error("{name}: a channel from router {router} to itself is not allowed")]
    Loop {
        /// The network.
        name: String,
        /// The router.
        router: u32,
    },
    /// A processor lives on a router that is not there.
    #[error("{name}: processor {processor} lives on router {router}, but routers are 0 to {last}")]
    NoSuchHome {
        /// The network.
        name: String,
        /// The processor.
        processor: usize,
        /// Its home.
        router: u32,
        /// The last router there is.
        last: u32,
    },
    /// No routers, or no processors.
    #[error("{name} has no {what}")]
    Empty {
        /// The network.
        name: String,
        /// Routers or processors.
        what: &'static str,
    },
    /// More or fewer names than routers.
    #[error("{name}: {names} router names for {routers} routers")]
    NamesDoNotFit {
        /// The network.
        name: String,
        /// How many names.
        names: usize,
        /// How many routers.
        routers: u32,
    },
    /// Two routers of one name.
    #[error("{name}: two routers are called {router:?}")]
    SameName {
        /// The network.
        name: String,
        /// The name they share.
        router: String,
    },
}
