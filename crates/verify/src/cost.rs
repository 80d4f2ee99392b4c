//! Estimates the cost of a check before it runs. A file of a few hundred bytes can claim a bound
//! whose check takes days or more memory than the machine has. Such a claim is refused, with its
//! cost and the limit. Estimates are upper bounds and saturate instead of overflowing.

use pavane_model::{Problem, ProcessorId};

/// Default limit on the operations of a check: about ten seconds.
pub const MOST_OPERATIONS: u64 = 10_000_000_000;

/// Default limit on the memory of a check: 2 GiB.
pub const MOST_BYTES: u64 = 2 << 30;

/// Operations per part of the problem that are always allowed. Checks that visit every part a few
/// times stay below this limit, for any number of parts that the limit on deliveries allows.
const OPERATIONS_PER_PART: u64 = 200;

/// Bytes per part of the problem that are always allowed.
const BYTES_PER_PART: u64 = 40;

/// Estimated cost of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Visits to a router, channel, delivery or similar, about a nanosecond each.
    pub operations: u64,
    /// Memory beyond a few numbers per part of the problem.
    pub bytes: u64,
}

impl Cost {
    /// Cost of `operations`, with negligible memory.
    pub(crate) fn of(operations: u64) -> Self {
        Self { operations, bytes: 0 }
    }

    /// Sets the memory.
    pub(crate) fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }
}

/// Limits on the cost of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of operations.
    pub operations: u64,
    /// Maximum number of bytes.
    pub bytes: u64,
}

impl Limits {
    /// [`MOST_OPERATIONS`] and [`MOST_BYTES`], raised in proportion for large problems.
    pub fn of(problem: &Problem) -> Self {
        let parts = Size::of(problem).parts();
        Self {
            operations: parts.saturating_mul(OPERATIONS_PER_PART).max(MOST_OPERATIONS),
            bytes: parts.saturating_mul(BYTES_PER_PART).max(MOST_BYTES),
        }
    }

    /// Overrides the limit on operations, if one is given.
    pub fn with_operations(self, operations: Option<u64>) -> Self {
        Self { operations: operations.unwrap_or(self.operations), ..self }
    }

    /// Fails if the cost exceeds a limit.
    pub(crate) fn check(&self, cost: Cost) -> Result<(), OverLimit> {
        // Memory first: the user can raise the limit on operations, but not the one on memory.
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
    /// The estimated number of operations is above the limit.
    #[error(
        "it would take about {} operations, but at most {} are allowed",
        rounded(*.cost),
        rounded(*.limit)
    )]
    Operations {
        /// Upper bound on the operations needed.
        cost: u64,
        /// The limit.
        limit: u64,
    },
    /// The estimated memory is above the limit.
    #[error(
        "it would take about {} MiB of memory, but at most {} MiB are allowed",
        .cost >> 20,
        .limit >> 20
    )]
    Bytes {
        /// Upper bound on the bytes needed.
        cost: u64,
        /// The limit.
        limit: u64,
    },
    /// The work could not be estimated in advance, and reached the limit.
    #[error("it takes more than the allowed {} operations", rounded(*.limit))]
    Stopped {
        /// The limit.
        limit: u64,
    },
    /// The formula is larger than the encoder's limit.
    #[error("{why}")]
    Formula {
        /// Its size and the limit.
        why: String,
    },
    /// The proof is longer than the checker's limit.
    #[error("the proof is too large: {why}")]
    Proof {
        /// Its size and the limit.
        why: String,
    },
}

impl OverLimit {
    /// Whether a higher limit on operations could change the outcome.
    pub fn is_about_operations(&self) -> bool {
        matches!(self, Self::Operations { .. } | Self::Stopped { .. })
    }
}

/// `950`, or `1.2e10` for large numbers.
fn rounded(count: u64) -> String {
    if count < 1_000_000 { count.to_string() } else { format!("{:.1e}", count as f64) }
}

/// Counts operations that cannot be estimated in advance, up to a limit.
#[derive(Debug)]
pub(crate) struct Meter {
    spent: u64,
    limit: u64,
}

impl Meter {
    pub fn new(limit: u64) -> Self {
        Self { spent: 0, limit }
    }

    /// Adds to the count; fails above the limit.
    pub fn spend(&mut self, operations: u64) -> Result<(), OverLimit> {
        self.spent = self.spent.saturating_add(operations);
        if self.spent > self.limit { Err(OverLimit::Stopped { limit: self.limit }) } else { Ok(()) }
    }
}

/// Number of parts of each kind in a problem.
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

    /// Total number of parts. Each count is below 2^33, so the sum does not overflow.
    pub fn parts(&self) -> u64 {
        self.routers + self.channels + self.processors + self.messages + self.deliveries
    }

    /// Operations of a breadth-first search over the network.
    pub fn search(&self) -> u64 {
        self.routers + 2 * self.channels
    }

    /// Operations to list the neighbours of every router, before a search.
    pub fn neighbours(&self) -> u64 {
        2 * (self.routers + self.channels)
    }

    /// Operations to visit every message and every delivery.
    pub fn traffic(&self) -> u64 {
        2 * (self.messages + self.deliveries)
    }
}

/// Operations to sort `count` items.
pub(crate) fn sorting(count: u64) -> u64 {
    count.saturating_mul(2 + u64::from(count.max(1).ilog2()))
}

/// Number of routers at which messages start.
pub(crate) fn origins(problem: &Problem) -> u64 {
    let (network, messages) = (problem.network(), problem.messages());
    let mut is_origin = vec![false; network.router_count()];
    for message in messages.ids() {
        is_origin[problem.home(messages.origin(message)).index()] = true;
    }
    is_origin.into_iter().filter(|&is_origin| is_origin).count() as u64
}

/// For each receiver, the number of processors on its home router, summed over the receivers.
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
            "it would take about 1.8e19 operations, but at most 1000 are allowed"
        );
        assert_eq!(
            told(Cost::of(0).with_bytes(6 << 20)),
            "it would take about 6 MiB of memory, but at most 5 MiB are allowed"
        );
    }

    #[test]
    fn a_meter_stops_at_its_limit() {
        let mut meter = Meter::new(10);
        assert_eq!(meter.spend(10), Ok(()));
        assert_eq!(meter.spend(u64::MAX), Err(OverLimit::Stopped { limit: 10 }));
    }
}
