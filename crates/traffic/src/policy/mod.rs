//! Policies: which of the messages that wait for a link goes first. One file and one line of
//! [`POLICIES`] each. Ties go to the message that has waited longer in this queue, then to the lower
//! sequence number.

mod ff;
mod fifo;
mod lbf;
mod lf;
mod nf;
mod sbf;
mod sf;

use crate::error::TrafficError;

/// A policy.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub description: &'static str,
    /// The key of a message of a length with so many channels still to go; higher goes first.
    key: fn(u64, u32) -> i64,
    /// Whether age counts too: earlier due dates first.
    has_age: bool,
}

/// Every policy there is, in the order of the paper's Table 1.
pub static POLICIES: &[Policy] = &[
    policy("fifo", "first in, first out", fifo::key),
    policy("lf", "longest first", lf::key),
    policy("sf", "shortest first", sf::key),
    policy("ff", "farthest first: more channels still to go", ff::key),
    policy("nf", "nearest first: fewer channels still to go", nf::key),
    policy("lbf", "largest remaining bandwidth first: length times channels to go", lbf::key),
    policy("sbf", "smallest remaining bandwidth first", sbf::key),
];

const fn policy(name: &'static str, description: &'static str, key: fn(u64, u32) -> i64) -> Policy {
    Policy { name, description, key, has_age: false }
}

impl Policy {
    /// The policy of that name.
    pub fn find(name: &str) -> Result<Self, TrafficError> {
        let found = POLICIES.iter().find(|policy| policy.name == name);
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
            TrafficError::Unknown { what: "policy", name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// The policy combined with earliest due date: a message gains as time goes by, a unit of key for
    /// a unit of time, so that none waits for ever.
    pub fn with_age(self) -> Self {
        Self { has_age: true, ..self }
    }

    /// Whether age counts.
    pub fn has_age(self) -> bool {
        self.has_age
    }

    /// The key of a message as an unsigned number, the first to go having the least.
    #[inline]
    pub(crate) fn order(self, length: u64, left: u32, birth: u64) -> u64 {
        let mut key = (self.key)(length, left);
        if self.has_age {
            key = key.saturating_sub(birth as i64);
        }
        !((key as u64) ^ (1 << 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_prefers_what_its_name_says() {
        // (policy, the message that goes first, the other), as (length, channels to go).
        let claims = [
            ("lf", (9, 1), (8, 4)),
            ("sf", (8, 4), (9, 1)),
            ("ff", (1, 3), (9, 2)),
            ("nf", (9, 2), (1, 3)),
            ("lbf", (5, 3), (7, 2)),
            ("sbf", (7, 2), (5, 3)),
        ];
        for (name, first, second) in claims {
            let policy = Policy::find(name).unwrap();
            let order = |(length, left)| policy.order(length, left, 0);
            assert!(order(first) < order(second), "{name}");
        }
        let fifo = Policy::find("fifo").unwrap();
        assert_eq!(fifo.order(1, 2, 3), fifo.order(4, 5, 6));
    }

    #[test]
    fn age_wins_in_the_end() {
        let policy = Policy::find("lbf").unwrap().with_age();
        assert!(policy.order(10, 1, 0) > policy.order(20, 1, 5));
        assert!(policy.order(10, 1, 0) < policy.order(20, 1, 11));
    }
}
