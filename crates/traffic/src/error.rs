//! What keeps a mission from being run.

use pavane_model::bounded_read::FileError;

/// The most messages that a mission may have.
pub const MOST_MESSAGES: u64 = 1 << 26;

/// What keeps a mission from being run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// A name that nothing has.
    #[error("no {what} is called {name:?}; there are {known}")]
    Unknown {
        /// Policy, routing, switching.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A number that cannot be.
    #[error("{what} is {value}, but must be {range}")]
    OutOfRange {
        /// What it is.
        what: String,
        /// Its value.
        value: String,
        /// What it may be.
        range: String,
    },
    /// More messages than are handled.
    #[error("the mission would have {count} messages; at most {MOST_MESSAGES} are handled")]
    TooManyMessages {
        /// How many.
        count: u64,
    },
    /// A mission whose end no clock of ours reaches.
    #[error("the messages are too long together: their lengths times the routers exceed the clock")]
    TooLong,
    /// A mission of nothing.
    #[error("the mission has no message; raise the density or the lengths")]
    Empty,
    /// A steady state in which no message counts.
    #[error(
        "no message arrives between the end of the warm-up, {warm_up}, and the end of arrivals, {duration}; lengthen the duration or shorten the warm-up"
    )]
    NothingMeasured {
        /// The warm-up, in units.
        warm_up: f64,
        /// When arrivals end, in units.
        duration: f64,
    },
    /// A file of nothing.
    #[error(
        "{file} has no message; write a line arrival,source,destination,length for each, lengths being more than 0"
    )]
    NothingIn {
        /// The file.
        file: String,
    },
    /// A processor that is not there.
    #[error("{place} names processor {processor}, but {there_are}")]
    NoSuchProcessor {
        /// The message, or the line.
        place: String,
        /// The processor.
        processor: u64,
        /// Which there are.
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
    /// A pair that the routing does not connect.
    #[error("{routing} finds no way from router {from} to router {to}{advice}")]
    NoWay {
        /// The routing.
        routing: String,
        /// Where from.
        from: String,
        /// Where to.
        to: String,
        /// What to try.
        advice: &'static str,
    },
    /// A routing that the network is not made for.
    #[error("{routing} does not fit {network}: {reason}; try --routing shortest")]
    DoesNotFit {
        /// The routing.
        routing: &'static str,
        /// The network.
        network: String,
        /// Why.
        reason: String,
    },
    /// A combination that makes no sense.
    #[error("{0}")]
    Combination(String),
    /// A network of too many routers for a table.
    #[error("{network} has {routers} routers; routing tables are made for at most {most}")]
    TooManyRouters {
        /// The network.
        network: String,
        /// How many it has.
        routers: usize,
        /// How many it may have.
        most: usize,
    },
    /// A file that cannot be read at all.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something in a file that does not read as its format has it.
    #[error("{file}: {place}: {problem}")]
    Syntax {
        /// The file.
        file: String,
        /// The line, or the entry.
        place: String,
        /// What is wrong, with the offending text.
        problem: String,
    },
}
