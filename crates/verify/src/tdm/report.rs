//! Collects violations, a limited number per rule.

use super::violation::{TdmRule, TdmViolation};
use std::collections::BTreeMap;

/// Maximum number of violations listed per rule.
const MOST_LISTED: u64 = 200;

/// Collects violations, up to [`MOST_LISTED`] per rule, which bounds memory for garbage files.
#[derive(Default)]
pub(super) struct TdmViolations {
    listed: Vec<TdmViolation>,
    found: BTreeMap<TdmRule, u64>,
}

impl TdmViolations {
    /// Records a violation. It is worded only if it will be listed, because that may take long.
    pub fn add(&mut self, rule: TdmRule, violation: impl FnOnce() -> TdmViolation) {
        let found = self.found.entry(rule).or_default();
        *found += 1;
        if *found <= MOST_LISTED {
            self.listed.push(violation());
        }
    }

    /// The listed violations, sorted by rule, and a count of the others.
    pub fn into_violations(self) -> Vec<TdmViolation> {
        let mut violations = self.listed;
        for (rule, found) in self.found {
            if found > MOST_LISTED {
                violations.push(TdmViolation::More { rule, count: found - MOST_LISTED });
            }
        }
        violations.sort_by_key(TdmViolation::rule);
        violations
    }
}
