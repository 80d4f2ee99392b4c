//! Input of the rules: a forward problem, a schedule for it, and the names that both have in the
//! file they came from.

use crate::violation::{ChannelName, Rule, TransferName, Violation};
use pavane_model::{ChannelId, MessageId, Network, Problem, ProcessorId, Schedule};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Maximum number of violations listed per rule.
const MOST_LISTED: u64 = 200;

/// A schedule and its problem, both forward. A gather or reduce is reversed before it is judged;
/// reports translate steps, transfers and channels back.
pub(crate) struct Case<'a> {
    /// The problem as given.
    pub original: &'a Problem,
    /// The forward problem, which is judged.
    pub problem: &'a Problem,
    /// The forward schedule, which is judged.
    pub schedule: &'a Schedule,
    /// Whether the rules should stop before they are done.
    pub is_over: &'a dyn Fn() -> bool,
    /// Whether a rule has stopped before it was done.
    pub is_cut_short: Cell<bool>,
}

/// Iterations of a rule's main loop between two polls.
const POLL_EVERY: usize = 256;

impl Case<'_> {
    /// Whether a rule should stop in iteration `at` of its main loop. Once it says so, it always does.
    pub fn must_stop(&self, at: usize) -> bool {
        if at.is_multiple_of(POLL_EVERY) && (self.is_over)() {
            self.is_cut_short.set(true);
        }
        self.is_cut_short.get()
    }

    /// Whether the original problem is backward, so that the schedule was reversed.
    pub fn is_backward(&self) -> bool {
        self.original.is_backward()
    }

    /// The network of the forward problem.
    pub fn network(&self) -> &Network {
        self.problem.network()
    }

    /// Whether the problem has this message.
    pub fn has_message(&self, message: MessageId) -> bool {
        message.index() < self.problem.messages().len()
    }

    /// Whether the processor exists and was not lost to a fault.
    pub fn has_processor(&self, processor: ProcessorId) -> bool {
        self.network().home(processor).is_some()
    }

    /// Whether the network has this channel.
    pub fn has_channel(&self, channel: ChannelId) -> bool {
        channel.index() < self.network().channel_count()
    }

    /// The forward step that a transfer belongs to.
    pub fn step_of(&self, number: usize) -> u32 {
        let (mut low, mut high) = (0, self.schedule.step_count() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.schedule.transfer_numbers(middle).end <= number {
                low = middle + 1
            } else {
                high = middle
            }
        }
        low
    }

    /// The number of a forward step in the original schedule.
    pub fn step_name(&self, step: u32) -> u32 {
        if self.is_backward() { self.schedule.step_count() - 1 - step } else { step }
    }

    /// The name of a transfer in the original schedule.
    pub fn transfer_name(&self, number: usize) -> TransferName {
        let step = self.step_of(number);
        let transfer = self.schedule.transfer(number);
        let (from, to) = if self.is_backward() {
            (transfer.to, transfer.from)
        } else {
            (transfer.from, transfer.to)
        };
        let has_label = self.has_message(transfer.message);
        TransferName {
            step: self.step_name(step),
            index: number - self.schedule.transfer_numbers(step).start,
            message: transfer.message,
            label: has_label.then(|| self.original.label(transfer.message)),
            from,
            to,
        }
    }

    /// The name of a channel in the original network.
    pub fn channel_name(&self, channel: ChannelId) -> ChannelName {
        let ends = self.original.network().channel(channel);
        ChannelName { channel, tail: ends.tail, head: ends.head }
    }
}

/// Collects violations, up to [`MOST_LISTED`] per rule. The limit bounds memory for garbage files
/// and keeps a rule with many violations from hiding a rule with one.
#[derive(Default)]
pub(crate) struct Report {
    listed: Vec<Violation>,
    found: BTreeMap<Rule, u64>,
}

impl Report {
    /// Records a violation.
    pub fn add(&mut self, violation: Violation) {
        let found = self.found.entry(violation.rule()).or_default();
        *found += 1;
        if *found <= MOST_LISTED {
            self.listed.push(violation);
        }
    }

    /// Returns the listed violations, followed by a count of the unlisted ones for each rule.
    pub fn into_violations(self) -> Vec<Violation> {
        let mut violations = self.listed;
        for (rule, found) in self.found {
            if found > MOST_LISTED {
                violations.push(Violation::More { rule, count: found - MOST_LISTED });
            }
        }
        violations
    }
}
