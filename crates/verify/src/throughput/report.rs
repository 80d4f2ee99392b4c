//! Collects violations, a limited number per rule.

use super::violation::{PlanRule, PlanViolation};
use std::collections::BTreeMap;

/// Maximum number of violations listed per rule.
const MOST_LISTED: u64 = 200;

/// Collects violations, up to [`MOST_LISTED`] per rule, which bounds memory for garbage files.
#[derive(Default)]
pub(super) struct PlanViolations {
    listed: Vec<PlanViolation>,
    found: BTreeMap<PlanRule, u64>,
}

impl PlanViolations {
    /// Records a violation. It is worded only if it will be listed, because that may take long.
    pub fn add(&mut self, rule: PlanRule, violation: impl FnOnce() -> PlanViolation) {
        let found = self.found.entry(rule).or_default();
        *found += 1;
        if *found <= MOST_LISTED {
            self.listed.push(violation());
        }
    }

    /// The listed violations, sorted by rule, and a count of the others.
    pub fn into_violations(self) -> Vec<PlanViolation> {
        let mut violations = self.listed;
        for (rule, found) in self.found {
            if found > MOST_LISTED {
                violations.push(PlanViolation::More { rule, count: found - MOST_LISTED });
            }
        }
        violations.sort_by_key(PlanViolation::rule);
        violations
    }
}
