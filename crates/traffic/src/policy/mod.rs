//! Policies: which of the messages that wait for a link goes first. Each policy is one file and one
//! line of [`POLICIES`]. Ties go to the message that has waited longer in this queue, then to the
//! lower sequence number.
//!
//! Every key is a time in ticks, so age can be combined with any policy: with earliest due date,
//! the arrival time of a message is subtracted from its key.

mod ff;
mod fifo;
mod lbf;
mod lf;
mod nf;
mod sbf;
mod smallest_first;

use crate::error::TrafficError;

/// A policy.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// Another name: the paper's abbreviation, or the words that it abbreviates.
    pub alias: &'static str,
    /// One-line description.
    pub description: &'static str,
    /// Key of a message in ticks, by its length in ticks and its remaining channels; the highest
    /// key goes first.
    key: fn(u64, u32) -> i64,
    /// Whether the arrival time is subtracted from the key (earliest due date).
    has_age: bool,
}

/// All policies, in the order of the paper's Table 1.
pub static POLICIES: &[Policy] = &[
    policy(["fifo", "first-in-first-out"], "first in, first out", fifo::key),
    policy(["lf", "largest-first"], "the longer message first", lf::key),
    // Spelled out because `sf` is also the short name of store-and-forward.
    policy(["smallest-first", "sf"], "the shorter message first", smallest_first::key),
    policy(["ff", "farthest-first"], "more channels still to go first", ff::key),
    policy(["nf", "nearest-first"], "fewer channels still to go first", nf::key),
    policy(
        ["lbf", "largest-bandwidth-first"],
        "largest remaining bandwidth first: length times channels to go",
        lbf::key,
    ),
    policy(["sbf", "smallest-bandwidth-first"], "smallest remaining bandwidth first", sbf::key),
];

const fn policy(
    [name, alias]: [&'static str; 2],
    description: &'static str,
    key: fn(u64, u32) -> i64,
) -> Policy {
    Policy { name, alias, description, key, has_age: false }
}

impl Policy {
    /// The policy with this name or alias.
    pub fn find(name: &str) -> Result<Self, TrafficError> {
        let found = POLICIES.iter().find(|policy| [policy.name, policy.alias].contains(&name));
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
            TrafficError::Unknown { what: "policy", name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Combines the policy with earliest due date: the arrival time is subtracted from the key. A
    /// message that arrives much later has a lower key than any waiting one, so no message starves.
    pub fn with_age(self) -> Self {
        Self { has_age: true, ..self }
    }

    /// Whether it is combined with earliest due date.
    pub fn has_age(self) -> bool {
        self.has_age
    }

    /// Whether the key depends on the channels that a message still has to take.
    pub(crate) fn has_distance(self) -> bool {
        (self.key)(1, 1) != (self.key)(1, 2)
    }

    /// Key of a message in ticks, with its age if that counts; the highest key goes first.
    #[inline]
    fn key(self, length: u64, left: u32, birth: u64) -> i64 {
        let key = (self.key)(length, left);
        if self.has_age { key.saturating_sub(birth as i64) } else { key }
    }

    /// The key as an unsigned number, lowest for the message that goes first.
    #[inline]
    pub(crate) fn order(self, length: u64, left: u32, birth: u64) -> u64 {
        !((self.key(length, left, birth) as u64) ^ (1 << 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticks;

    #[test]
    fn each_policy_prefers_what_its_name_says() {
        // (policy, the message that goes first, the other message), each as (length, remaining
        // channels).
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
        for policy in POLICIES {
            assert_eq!(Policy::find(policy.alias).unwrap().name, policy.name);
        }
        assert_eq!(Policy::find("sf").unwrap().name, "smallest-first");
    }

    /// The key in units of time as documented in docs/traffic.md; `length` is in units.
    fn documented_key(policy: &str, length: f64, left: u32) -> f64 {
        let left = f64::from(left);
        match policy {
            "fifo" => 0.0,
            "lf" => length,
            "smallest-first" => -length,
            "ff" => left,
            "nf" => -left,
            "lbf" => length * left,
            "sbf" => -length * left,
            other => panic!("{other} has no key here; add it here and to docs/traffic.md"),
        }
    }

    #[test]
    fn every_key_is_the_documented_one_with_and_without_age() {
        // (length, remaining channels, arrival); length and arrival are in units.
        let messages =
            [(10.0, 3, 0.0), (10.0, 3, 2.5), (0.5, 1, 40.0), (7.25, 12, 1e6), (1e6, 60_000, 1e9)];
        for policy in POLICIES {
            for (length, left, arrival) in messages {
                let key = |policy: Policy| {
                    let (length, birth) = (ticks::from_units(length), ticks::from_units(arrival));
                    policy.key(length, left, birth) as f64 / ticks::PER_UNIT
                };
                let plain = documented_key(policy.name, length, left);
                let place = format!("{} {length} {left} {arrival}", policy.name);
                assert_eq!(key(*policy), plain, "{place}");
                assert_eq!(key(policy.with_age()), plain - arrival, "{place}, with age");
            }
        }
    }

    #[test]
    fn channels_and_age_weigh_the_same() {
        let order = |name, left, arrival| {
            let policy = Policy::find(name).unwrap().with_age();
            policy.order(ticks::UNIT, left, ticks::from_units(arrival))
        };
        // Two more channels outweigh an arrival 1.5 units earlier, but not one 2.5 units earlier.
        assert!(order("ff", 3, 1.5) < order("ff", 1, 0.0));
        assert!(order("ff", 3, 2.5) > order("ff", 1, 0.0));
        assert!(order("nf", 1, 1.5) < order("nf", 3, 0.0));
        assert!(order("nf", 1, 2.5) > order("nf", 3, 0.0));
    }

    #[test]
    fn age_wins_in_the_end() {
        let policy = Policy::find("lbf").unwrap().with_age();
        assert!(policy.order(10, 1, 0) > policy.order(20, 1, 5));
        assert!(policy.order(10, 1, 0) < policy.order(20, 1, 11));
    }
}
