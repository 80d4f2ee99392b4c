//! Errors of the parts of a network.

/// Why routers, channels and processors are not a valid network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// More routers, channels or processors than supported.
    #[error("{name} would have {count} {what}; the maximum is {most}")]
    TooLarge {
        /// The network.
        name: String,
        /// The number, or words if it overflows.
        count: String,
        /// Routers, channels or processors.
        what: &'static str,
        /// The maximum supported.
        most: u64,
    },
    /// A channel starts or ends at a router that does not exist.
    #[error("{name}: channel {tail} -> {head} names router {missing} (valid: 0 to {last})")]
    NoSuchRouter {
        /// The network.
        name: String,
        /// The router where the channel starts.
        tail: u32,
        /// The router where it ends.
        head: u32,
        /// The router that does not exist.
        missing: u32,
        /// The highest router number.
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
    /// A latency or bandwidth that is negative, not finite, or a bandwidth of zero.
    #[error("{name}: channel {channel} ({tail} -> {head}): {problem}")]
    Timing {
        /// The network.
        name: String,
        /// The channel.
        channel: usize,
        /// The router where it starts.
        tail: u32,
        /// The router where it ends.
        head: u32,
        /// The field, its value and the valid range.
        problem: String,
    },
    /// A processor on a router that does not exist.
    #[error("{name}: processor {processor} is placed on router {router} (valid: 0 to {last})")]
    NoSuchHome {
        /// The network.
        name: String,
        /// The processor.
        processor: usize,
        /// Its home.
        router: u32,
        /// The highest router number.
        last: u32,
    },
    /// The network has no routers or no processors.
    #[error("{name} has no {what}")]
    Empty {
        /// The network.
        name: String,
        /// Routers or processors.
        what: &'static str,
    },
    /// The number of names differs from the number of routers.
    #[error("{name}: {names} router names for {routers} routers")]
    NamesDoNotFit {
        /// The network.
        name: String,
        /// The number of names.
        names: usize,
        /// The number of routers.
        routers: u32,
    },
    /// A router that is listed as a switch that copies but cannot be one.
    #[error("{name}: router {router} is listed as multicast, but {problem}; only switches copy")]
    NotMulticast {
        /// The network.
        name: String,
        /// The name or number of the router.
        router: String,
        /// Why it is not such a switch.
        problem: &'static str,
    },
    /// Two routers have the same name.
    #[error("{name}: two routers are called {router:?}")]
    SameName {
        /// The network.
        name: String,
        /// The shared name.
        router: String,
    },
}
