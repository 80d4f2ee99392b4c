//! A TDM problem: network, demand and rules, checked once.

use super::demand::{TdmDemand, TdmMessage};
use crate::ids::ProcessorId;
use crate::network::Network;
use crate::rules::Routing;
use crate::words::listed;

/// The longest period.
pub const MOST_PERIOD: u32 = 1 << 28;
/// The most slots per hop.
pub const MOST_DEPTH: u32 = 1 << 16;
/// The most slots per word.
pub const MOST_PHITS: u32 = 1 << 16;

/// How words use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TdmRules {
    /// Slots per hop, at least 1.
    pub depth: u32,
    /// Slots that every use of a port or channel lasts, at least 1.
    pub phits: u32,
    /// Whether a word may be under way when the next period begins.
    pub wraps: bool,
    /// Which routes are allowed.
    pub routing: Routing,
}

impl Default for TdmRules {
    fn default() -> Self {
        Self { depth: 1, phits: 1, wraps: true, routing: Routing::Minimal }
    }
}

impl TdmRules {
    /// Slots from the start of a word until its last phit has left the ejection port.
    pub fn travel(&self, hops: usize) -> u64 {
        u64::from(self.depth) * (hops as u64 + 1) + u64::from(self.phits)
    }
}

/// A network, a demand and rules that fit together: every message has a path.
#[derive(Debug, Clone, PartialEq)]
pub struct TdmProblem {
    network: Network,
    demand: TdmDemand,
    rules: TdmRules,
    messages: Vec<TdmMessage>,
    words: u64,
}

/// Why a TDM problem is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TdmProblemError {
    /// Nothing to send.
    #[error("there is no message: {0}")]
    NoMessage(&'static str),
    /// A rule out of range.
    #[error("{what} is {value}, but it must be from 1 to {most}")]
    Range {
        /// The rule.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The maximum.
        most: u32,
    },
    /// A processor that does not exist.
    #[error("{network} has no processor {processor}{}", range(*.processors))]
    NoProcessor {
        /// The network.
        network: String,
        /// The processor.
        processor: u32,
        /// The number of processors.
        processors: usize,
    },
    /// A processor that is lost to a fault.
    #[error("processor {processor} of {network} is lost to a fault")]
    Lost {
        /// The network.
        network: String,
        /// The processor.
        processor: u32,
    },
    /// A message to its own sender.
    #[error("processor {0} sends to itself")]
    ToItself(u32),
    /// A message with no words.
    #[error("the weight of message {from} -> {to} is 0; leave it out")]
    NoWeight {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// A message that is listed twice.
    #[error("message {from} -> {to} is listed twice; add up its weights")]
    Twice {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// No path.
    #[error("{network} has no path from processor {from} to processor {to}")]
    Unreachable {
        /// The network and its faults.
        network: String,
        /// The name of the sender.
        from: String,
        /// The name of the receiver.
        to: String,
    },
    /// Too many words.
    #[error("there are {words} words per period, but at most {most} are allowed")]
    TooLarge {
        /// Words per period.
        words: u64,
        /// The maximum.
        most: u64,
    },
}

fn range(processors: usize) -> String {
    match processors {
        0 => String::new(),
        count => format!(" (valid: 0 to {})", count - 1),
    }
}

impl TdmProblem {
    /// Checks the rules, the processors and that every message has a path. `limit` is the maximum
    /// number of words per period.
    pub fn new(
        network: Network,
        demand: TdmDemand,
        rules: TdmRules,
        limit: u64,
    ) -> Result<Self, TdmProblemError> {
        for (what, value, most) in
            [("depth", rules.depth, MOST_DEPTH), ("the number of phits", rules.phits, MOST_PHITS)]
        {
            if !(1..=most).contains(&value) {
                return Err(TdmProblemError::Range { what, value, most });
            }
        }
        let messages = messages(&network, &demand, limit)?;
        let words = messages.iter().map(|message| u64::from(message.weight)).sum();
        // Periods have 28 bits, and the words of one port need that many slots.
        let most = limit.min(u64::from(MOST_PERIOD / rules.phits));
        if words > most {
            return Err(TdmProblemError::TooLarge { words, most });
        }
        check_paths(&network, &messages)?;
        Ok(Self { network, demand, rules, messages, words })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The demand.
    pub fn demand(&self) -> &TdmDemand {
        &self.demand
    }

    /// The rules.
    pub fn rules(&self) -> TdmRules {
        self.rules
    }

    /// The messages, sorted by sender and receiver.
    pub fn messages(&self) -> &[TdmMessage] {
        &self.messages
    }

    /// Number of words per period.
    pub fn word_count(&self) -> u64 {
        self.words
    }

    /// The message from one processor to another.
    pub fn find(&self, from: ProcessorId, to: ProcessorId) -> Option<&TdmMessage> {
        let at = self.messages.binary_search_by_key(&(from, to), |one| (one.from, one.to));
        at.ok().map(|at| &self.messages[at])
    }
}

fn messages(
    network: &Network,
    demand: &TdmDemand,
    limit: u64,
) -> Result<Vec<TdmMessage>, TdmProblemError> {
    let list = match demand {
        TdmDemand::AllToAll => return all_to_all(network, limit),
        TdmDemand::Messages(list) => list,
    };
    if list.is_empty() {
        return Err(TdmProblemError::NoMessage("the list of messages is empty"));
    }
    let mut messages = list.clone();
    for message in &messages {
        let [from, to] = [message.from, message.to];
        for processor in [from, to] {
            check_processor(network, processor)?;
        }
        if from == to {
            return Err(TdmProblemError::ToItself(from.0));
        }
        if message.weight == 0 {
            return Err(TdmProblemError::NoWeight { from: from.0, to: to.0 });
        }
    }
    messages.sort_by_key(|message| (message.from, message.to));
    let is_same = |pair: &&[TdmMessage]| (pair[0].from, pair[0].to) == (pair[1].from, pair[1].to);
    match messages.windows(2).find(is_same) {
        Some(pair) => Err(TdmProblemError::Twice { from: pair[0].from.0, to: pair[0].to.0 }),
        None => Ok(messages),
    }
}

fn all_to_all(network: &Network, limit: u64) -> Result<Vec<TdmMessage>, TdmProblemError> {
    let processors: Vec<ProcessorId> = network.living_processors().collect();
    let count = processors.len() as u64;
    let words = count * count.saturating_sub(1);
    if words == 0 {
        return Err(TdmProblemError::NoMessage("the network has fewer than two processors"));
    }
    if words > limit {
        return Err(TdmProblemError::TooLarge { words, most: limit });
    }
    let pairs = processors.iter().flat_map(|&from| processors.iter().map(move |&to| (from, to)));
    let message = |(from, to)| TdmMessage { from, to, weight: 1, max_latency: None };
    Ok(pairs.filter(|(from, to)| from != to).map(message).collect())
}

fn check_processor(network: &Network, processor: ProcessorId) -> Result<(), TdmProblemError> {
    if network.home(processor).is_some() {
        return Ok(());
    }
    let (name, processors) = (network.name().to_owned(), network.processor_count());
    Err(if processor.index() < processors {
        TdmProblemError::Lost { network: name, processor: processor.0 }
    } else {
        TdmProblemError::NoProcessor { network: name, processor: processor.0, processors }
    })
}

/// Fails if some message has no path. `messages` is sorted by sender.
fn check_paths(network: &Network, messages: &[TdmMessage]) -> Result<(), TdmProblemError> {
    for group in messages.chunk_by(|one, other| one.from == other.from) {
        let Some(home) = network.home(group[0].from) else { continue };
        let distances = network.distances_from(home);
        let is_far = |to: ProcessorId| {
            network.home(to).is_none_or(|home| distances[home.index()] == u32::MAX)
        };
        if let Some(lost) = group.iter().find(|message| is_far(message.to)) {
            let [from, to] = [lost.from, lost.to].map(|end| network.processor_name(end));
            let network = match &network.fault_labels()[..] {
                [] => network.name().to_owned(),
                faults => format!("{} without {}", network.name(), listed(faults)),
            };
            return Err(TdmProblemError::Unreachable { network, from, to });
        }
    }
    Ok(())
}
