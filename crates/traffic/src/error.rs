//! Errors of missions and their runs.

use pavane_model::bounded_read::FileError;

/// Maximum number of messages of a mission.
pub const MOST_MESSAGES: u64 = 1 << 26;

/// Why a mission cannot be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// Unknown name.
    #[error("no {what} is called {name:?}; there are {known}")]
    Unknown {
        /// Policy, routing or switching.
        what: &'static str,
        /// The name given.
        name: String,
        /// The known names.
        known: String,
    },
    /// A change of a routing table that is not an entry of it.
    #[error("{text:?}: {problem}; use A-B:V such as 2-7:6")]
    Entry {
        /// The text given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Value out of range.
    #[error("{what} is {value}, but must be {range}")]
    OutOfRange {
        /// Name of the quantity.
        what: String,
        /// Its value.
        value: String,
        /// Allowed range.
        range: String,
    },
    /// The mission has too many messages.
    #[error(
        "the mission would have {count} messages; the maximum is {MOST_MESSAGES}; try a lower density or rate, a shorter time or a smaller network"
    )]
    TooManyMessages {
        /// Their number.
        count: u64,
    },
    /// The mission would last longer than the clock can count.
    #[error(
        "the messages are too long: the sum of their lengths times the number of routers exceeds \
         the range of the clock"
    )]
    TooLong,
    /// A collective that cannot be simulated.
    #[error("{problem}")]
    Collective {
        /// What is wrong with it.
        problem: String,
    },
    /// The mission has no message.
    #[error("the mission has no message; raise the density or the lengths")]
    Empty,
    /// No message arrives in the measured part of a steady state.
    #[error(
        "no message arrives between the end of the warm-up, {warm_up}, and the end of arrivals, {duration}; lengthen the duration or shorten the warm-up"
    )]
    NothingMeasured {
        /// Warm-up in units.
        warm_up: f64,
        /// End of arrivals in units.
        duration: f64,
    },
    /// The file has no message.
    #[error(
        "{file} has no message; write a line arrival,source,destination,length for each, with a length above 0"
    )]
    NothingIn {
        /// The file.
        file: String,
    },
    /// There is no such processor.
    #[error("{place}: there is no processor {processor} ({there_are})")]
    NoSuchProcessor {
        /// The message, or the line.
        place: String,
        /// The processor.
        processor: u64,
        /// Description of the existing processors.
        there_are: String,
    },
    /// A message from a processor to itself.
    #[error("{place} goes from processor {processor} to itself")]
    ToItself {
        /// The message, or the line.
        place: String,
        /// The processor.
        processor: u32,
    },
    /// The routing has no path between two routers.
    #[error("{routing}: no path from router {from} to router {to}{advice}")]
    NoWay {
        /// The routing.
        routing: String,
        /// Source router.
        from: String,
        /// Destination router.
        to: String,
        /// What to try.
        advice: &'static str,
    },
    /// The routing is not defined for this network.
    #[error("{routing} does not fit {network}: {reason}; {advice}")]
    DoesNotFit {
        /// The routing.
        routing: &'static str,
        /// The network.
        network: String,
        /// Why not.
        reason: String,
        /// What to try.
        advice: &'static str,
    },
    /// Options that cannot be combined.
    #[error("{0}")]
    Combination(String),
    /// The network has too many routers for a routing table.
    #[error("{network} has {routers} routers; routing tables are limited to {most}")]
    TooManyRouters {
        /// The network.
        network: String,
        /// Its number of routers.
        routers: usize,
        /// Maximum number of routers.
        most: usize,
    },
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Syntax error in a file.
    #[error("{file}: {place}: {problem}")]
    Syntax {
        /// The file.
        file: String,
        /// The line or entry.
        place: String,
        /// What is wrong, with the offending text.
        problem: String,
    },
}
