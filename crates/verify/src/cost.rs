//! What a check costs, estimated before it begins. A file of a few hundred bytes can claim a bound
//! whose check takes days or more memory than there is; such a claim is refused, with its cost and
//! the limit. Estimates are upper bounds, and saturate instead of overflowing.

use pavane_model::{Problem, ProcessorId};

/// Operations that a check may take: about ten seconds.
pub const MOST_OPERATIONS: u64 = 10_000_000_000;

/// Bytes that a check may take: 2 GiB.
pub const MOST_BYTES: u64 = 2 << 30;

/// Operations for each part of a problem that a check may always take. Arguments that look at every
/// part a few times stay below, however many parts `--max-deliveries` allows.
const OPERATIONS_PER_PART: u64 = 200;

/// Bytes for each part of a problem.
const BYTES_PER_PART: u64 = 40;

/// What a check takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Looks at a router, a channel, a delivery or the like, about a nanosecond each.
    pub operations: u64,
    /// Memory beyond a few numbers for every part of the problem.
    pub bytes: u64,
}

impl Cost {
    /// So many operations, in memory that does not matter.
    pub(crate) fn of(operations: u64) -> Self {
        Self { operations, bytes: 0 }
    }

    /// The same with so much memory.
    pub(crate) fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }
}

/// The most that a check may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most operations.
    pub operations: u64,
    /// The most bytes.
    pub bytes: u64,
}

impl Limits {
    /// [`MOST_OPERATIONS`] and [`MOST_BYTES`], or what is in proportion to a larger problem.
    pub fn of(problem: &Problem) -> Self {
        let parts = Size::of(problem).parts();
        Self {
            operations: parts.saturating_mul(OPERATIONS_PER_PART).max(MOST_OPERATIONS),
            bytes: parts.saturating_mul(BYTES_PER_PART).max(MOST_BYTES),
        }
    }

    /// The same with another limit on the operations, if one is given.
    pub fn with_operations(self, operations: Option<u64>) -> Self {
        Self { operations: operations.unwrap_or(self.operations), ..self }
    }

    /// Refuses what costs more.
    pub(crate) fn check(&self, cost: Cost) -> Result<(), OverLimit> {
        // More operations can be allowed, more memory cannot, so that comes first.
        if cost.bytes > self.bytes {
            return Err(OverLimit::Bytes { cost: cost.bytes, limit: self.bytes });
        }
        if cost.operations > self.operations {
            let (cost, limit) = (cost.operations, self.operations);
            return Err(OverLimit::Operations { cost, limit });
        }
        Ok(())
    }
}

/// Why a claim cannot be judged within the limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverLimit {
    /// The estimate is above the limit.
    #[error(
        "it would take about {} operations, and at most {} are allowed",
        rounded(*.cost),
        rounded(*.limit)
    )]
    Operations {
        /// The operations that it would take, or somewhat more.
        cost: u64,
        /// The most allowed.
        limit: u64,
    },
    /// The estimate is above the limit.
    #[error(
        "it would take about {} MiB of memory, and at most {} MiB are allowed",
        .cost >> 20,
        .limit >> 20
    )]
    Bytes {
        /// The bytes that it would take, or somewhat more.
        cost: u64,
        /// The most allowed.
        limit: u64,
    },
    /// The work could not be foreseen and reached the limit.
    #[error("it takes more than the {} operations that are allowed", rounded(*.limit))]
    Stopped {
        /// The most allowed.
        limit: u64,
    },
    /// The formula is larger than what is written.
    #[error("{why}")]
    Formula {
        /// Its size and the limit.
        why: String,
    },
    /// The proof is longer than what is read.
    #[error("the proof is too large: {why}")]
    Proof {
        /// Its size and the limit.
        why: String,
    },
}

impl OverLimit {
    /// Whether more allowed operations would change it.
    pub fn is_about_operations(&self) -> bool {
        matches!(self, Self::Operations { .. } | Self::Stopped { .. })
    }
}

/// `950`, or `1.2e10` of what is large.
fn rounded(count: u64) -> String {
    if count < 1_000_000 { count.to_string() } else { format!("{:.1e}", count as f64) }
}

/// Counts operations that an estimate cannot foresee, up to a limit.
#[derive(Debug)]
pub(crate) struct Meter {
    spent: u64,
    limit: u64,
}

impl Meter {
    pub fn new(limit: u64) -> Self {
        Self { spent: 0, limit }
    }

    /// Counts some more.
    pub fn spend(&mut self, operations: u64) -> Result<(), OverLimit> {
        self.spent = self.spent.saturating_add(operations);
        if self.spent > self.limit { Err(OverLimit::Stopped { limit: self.limit }) } else { Ok(()) }
    }
}

/// How many parts of each kind a problem has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub routers: u64,
    pub channels: u64,
    pub processors: u64,
    pub messages: u64,
    pub deliveries: u64,
}

impl Size {
    pub fn of(problem: &Problem) -> Self {
        let (network, messages) = (problem.network(), problem.messages());
        Self {
            routers: network.router_count() as u64,
            channels: network.channel_count() as u64,
            processors: network.processor_count() as u64,
            messages: messages.len() as u64,
            deliveries: messages.delivery_count() as u64,
        }
    }

    /// All parts. None of them is 2^33 or more, so nothing overflows.
    pub fn parts(&self) -> u64 {
        self.routers + self.channels + self.processors + self.messages + self.deliveries
    }

    /// Operations of a breadth-first search over the network.
    pub fn search(&self) -> u64 {
        self.routers + 2 * self.channels
    }

    /// Operations that look at every message and every delivery.
    pub fn traffic(&self) -> u64 {
        2 * (self.messages + self.deliveries)
    }
}

/// Operations that sort so many things.
pub(crate) fn sorting(count: u64) -> u64 {
    count.saturating_mul(2 + u64::from(count.max(1).ilog2()))
}

/// Routers at which messages start.
pub(crate) fn origins(problem: &Problem) -> u64 {
    let (network, messages) = (problem.network(), problem.messages());
    let mut is_origin = vec![false; network.router_count()];
    for message in messages.ids() {
        is_origin[problem.home(messages.origin(message)).index()] = true;
    }
    is_origin.into_iter().filter(|&is_origin| is_origin).count() as u64
}

/// Pairs of a processor and another one on the same router, counted for these receivers.
pub(crate) fn neighbours(problem: &Problem, receivers: impl Iterator<Item = ProcessorId>) -> u64 {
    let network = problem.network();
    let of = |receiver: ProcessorId| {
        network.home(receiver).map_or(0, |home| network.residents(home).len())
    };
    receivers.fold(0, |sum: u64, receiver| sum.saturating_add(of(receiver) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_cost_and_limit() {
        let limits = Limits { operations: 1_000, bytes: 5 << 20 };
        assert_eq!(limits.check(Cost::of(1_000).with_bytes(5 << 20)), Ok(()));
        let told = |cost| limits.check(cost).unwrap_err().to_string();
        assert_eq!(
            told(Cost::of(u64::MAX)),
            "it would take about 1.8e19 operations, and at most 1000 are allowed"
        );
        assert_eq!(
            told(Cost::of(0).with_bytes(6 << 20)),
            "it would take about 6 MiB of memory, and at most 5 MiB are allowed"
        );
    }

    #[test]
    fn a_meter_stops_at_its_limit() {
        let mut meter = Meter::new(10);
        assert_eq!(meter.spend(10), Ok(()));
        assert_eq!(meter.spend(u64::MAX), Err(OverLimit::Stopped { limit: 10 }));
    }
}
