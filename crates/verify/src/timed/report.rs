//! Collects violations, a limited number per rule.

use super::violation::{TimedRule, TimedViolation};
use std::collections::BTreeMap;

/// Maximum number of violations listed per rule.
const MOST_LISTED: u64 = 200;

/// Collects violations, up to [`MOST_LISTED`] per rule, which bounds memory for garbage files.
#[derive(Default)]
pub(super) struct TimedViolations {
    listed: Vec<TimedViolation>,
    found: BTreeMap<TimedRule, u64>,
}

impl TimedViolations {
    /// Records a violation. It is worded only if it will be listed.
    pub fn add(&mut self, rule: TimedRule, violation: impl FnOnce() -> TimedViolation) {
        let found = self.found.entry(rule).or_default();
        *found += 1;
        if *found <= MOST_LISTED {
            self.listed.push(violation());
        }
    }

    /// The listed violations, sorted by rule, and a count of the others.
    pub fn into_violations(self) -> Vec<TimedViolation> {
        let mut violations = self.listed;
        for (rule, found) in self.found {
            if found > MOST_LISTED {
                violations.push(TimedViolation::More { rule, count: found - MOST_LISTED });
            }
        }
        violations.sort_by_key(TimedViolation::rule);
        violations
    }
}
