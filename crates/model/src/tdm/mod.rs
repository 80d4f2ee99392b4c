//! Periodic schedules of time-division-multiplexed networks on chip, and their file, `pavane/tdm/1`.
//!
//! Time is divided into slots, and the schedule repeats every *period*. Each word of a message has a
//! route and a start slot. A word that starts in slot `k` uses the injection port of its sender in slot
//! `k`, hop `i` of its route in slot `k + depth·(i + 1)`, and the ejection port of its receiver in slot
//! `k + depth·(hops + 1)`, all modulo the period. Every use lasts `phits` slots. No port and no channel
//! is used twice in the same slot.
//!
//! ```
//! use pavane_model::tdm;
//!
//! let file = r#"{"format": "pavane/tdm/1",
//!   "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
//!   "period": 1, "depth": 1, "phits": 1, "wrap": true, "routing": "minimal",
//!   "demand": "all-to-all",
//!   "words": [{"message": [0, 1], "start": 0, "path": [0]},
//!             {"message": [1, 0], "start": 0, "path": [1]}],
//!   "bound": {"period": 1, "reason": "capacity", "certificate": {"kind": "capacity"}}}"#;
//! let schedule = tdm::read(file.as_bytes(), "pair.json", 1000)?;
//! assert_eq!((schedule.period, schedule.words.len()), (1, 2));
//!
//! let mut copy = Vec::new();
//! tdm::write(&mut copy, &schedule, &Default::default())?;
//! assert_eq!(tdm::read(&copy[..], "copy.json", 1000)?, schedule);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod demand;
mod problem;
mod raw;
mod read;
#[cfg(feature = "schema")]
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use certificate::{PortDirection, TdmCertificate, TdmExact};
pub use demand::{TdmDemand, TdmMessage};
pub use problem::{MOST_DEPTH, MOST_PERIOD, MOST_PHITS, TdmProblem, TdmProblemError, TdmRules};
pub use read::{read, read_file, read_refutation};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use write::{write, write_refutation};

use crate::ids::{ChannelId, ProcessorId};

/// The value of the `format` field of a TDM schedule.
pub const FORMAT: &str = "pavane/tdm/1";

/// The value of the `format` field of a refuted period.
pub const REFUTATION: &str = "pavane/tdm-refutation/1";

/// A proof that no schedule has a period. The judge decides whether it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct TdmRefutation {
    /// The network, the demand and the rules.
    pub problem: TdmProblem,
    /// The refuted period.
    pub period: u32,
    /// A bound above the period, or an exact certificate whose proof refutes it.
    pub certificate: TdmCertificate,
}

/// A periodic schedule. The reader only checks that everything it names exists; the judge decides
/// whether the schedule is valid.
#[derive(Debug, Clone, PartialEq)]
pub struct TdmSchedule {
    /// The network, the demand and the rules.
    pub problem: TdmProblem,
    /// Number of slots after which the schedule repeats, at least 1.
    pub period: u32,
    /// The words of all messages.
    pub words: Vec<Word>,
    /// The claimed lower bound on the period.
    pub bound: Option<TdmBound>,
}

/// One word of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The sender of its message.
    pub from: ProcessorId,
    /// The receiver of its message.
    pub to: ProcessorId,
    /// The slot in which it uses the injection port, below the period.
    pub start: u32,
    /// Its route; empty if both processors are on one router.
    pub path: Vec<ChannelId>,
}

/// A lower bound on the period of all schedules of a problem, with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TdmBound {
    /// The smallest period that is not excluded.
    pub period: u32,
    /// The proof.
    pub certificate: TdmCertificate,
}

/// What a schedule guarantees to a pair of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TdmGuarantee {
    /// The sender.
    pub from: ProcessorId,
    /// The receiver.
    pub to: ProcessorId,
    /// Words per period.
    pub words: u32,
    /// Hops of the longest route.
    pub hops: usize,
    /// Slots from any moment at which data is ready until it has been received, at most.
    pub latency: u64,
}

impl TdmSchedule {
    /// The guarantees of all pairs that have a word.
    pub fn guarantees(&self) -> Vec<TdmGuarantee> {
        let messages = self.problem.messages();
        let mut hops = vec![0; messages.len()];
        for word in &self.words {
            let key = (word.from, word.to);
            if let Ok(at) = messages.binary_search_by_key(&key, |one| (one.from, one.to)) {
                hops[at] = word.path.len().max(hops[at]);
            }
        }
        let pairs = messages.iter().zip(self.latencies()).zip(hops);
        let guarantee = |((message, latency), hops): ((&TdmMessage, Option<u64>), usize)| {
            let (from, to, words) = (message.from, message.to, message.weight);
            Some(TdmGuarantee { from, to, words, hops, latency: latency? })
        };
        pairs.filter_map(guarantee).collect()
    }

    /// The slots, modulo the period, in which the phits of a word are at the end of `stages` hops: on the
    /// injection port for 0, on hop `i` for `i + 1`, on the ejection port for its hops + 1.
    pub fn slots(&self, word: &Word, stages: usize) -> impl Iterator<Item = u32> + use<> {
        let rules = self.problem.rules();
        let first = u64::from(word.start) + u64::from(rules.depth) * stages as u64;
        let period = u64::from(self.period);
        (0..u64::from(rules.phits)).map(move |phit| ((first + phit) % period) as u32)
    }

    /// The worst latency of each message, in the order of [`TdmProblem::messages`], in slots: from any
    /// moment at which data is ready until the last phit has left the ejection port. `None` if the
    /// message has no word. A word waits at most for the gap between the start before it and its own.
    pub fn latencies(&self) -> Vec<Option<u64>> {
        let mut order: Vec<&Word> = self.words.iter().collect();
        order.sort_by_key(|word| (word.from, word.to, word.start));
        let groups: Vec<&[&Word]> =
            order.chunk_by(|one, other| (one.from, one.to) == (other.from, other.to)).collect();
        let rules = self.problem.rules();
        let worst = |words: &[&Word]| {
            let waits = words.iter().enumerate().map(|(at, word)| {
                let gap = match at {
                    0 => word.start + self.period - words[words.len() - 1].start,
                    _ => word.start - words[at - 1].start,
                };
                u64::from(gap) + rules.travel(word.path.len())
            });
            waits.max()
        };
        let of = |message: &TdmMessage| {
            let at = groups.binary_search_by_key(&(message.from, message.to), |words| {
                (words[0].from, words[0].to)
            });
            at.ok().and_then(|at| worst(groups[at]))
        };
        self.problem.messages().iter().map(of).collect()
    }
}
