//! What the rules look at: a problem that runs forwards, a schedule for it, and how to speak of
//! both in the words of the file they came from.

use crate::violation::{ChannelName, Rule, TransferName, Violation};
use pavane_model::{ChannelId, MessageId, Network, Problem, ProcessorId, Schedule};
use std::collections::BTreeMap;

/// The most violations of one rule that are listed one by one.
const MOST_LISTED: u64 = 200;

/// A schedule and the problem it is for, both running forwards. A gather or reduce was turned
/// round before, and is turned back whenever something is reported.
pub(crate) struct Case<'a> {
    /// The problem as it was asked for.
    pub original: &'a Problem,
    /// The problem that is judged.
    pub problem: &'a Problem,
    /// The schedule that is judged.
    pub schedule: &'a Schedule,
}

impl Case<'_> {
    /// Whether the schedule was turned round.
    pub fn is_backward(&self) -> bool {
        self.original.is_backward()
    }

    /// The network, running forwards.
    pub fn network(&self) -> &Network {
        self.problem.network()
    }

    /// Whether the problem has this message.
    pub fn has_message(&self, message: MessageId) -> bool {
        message.index() < self.problem.messages().len()
    }

    /// Whether the processor exists and is alive.
    pub fn has_processor(&self, processor: ProcessorId) -> bool {
        self.network().home(processor).is_some()
    }

    /// Whether the network has this channel.
    pub fn has_channel(&self, channel: ChannelId) -> bool {
        channel.index() < self.network().channel_count()
    }

    /// The step that a transfer belongs to, forwards.
    pub fn step_of(&self, number: usize) -> u32 {
        let (mut low, mut high) = (0, self.schedule.step_count() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.schedule.transfer_numbers(middle).end <= number {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// What a step is called where the schedule came from.
    pub fn step_name(&self, step: u32) -> u32 {
        match self.is_backward() {
            true => self.schedule.step_count() - 1 - step,
            false => step,
        }
    }

    /// What a transfer is called where the schedule came from.
    pub fn transfer_name(&self, number: usize) -> TransferName {
        let step = self.step_of(number);
        let transfer = self.schedule.transfer(number);
        let (from, to) = match self.is_backward() {
            true => (transfer.to, transfer.from),
            false => (transfer.from, transfer.to),
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

    /// What a channel is called where the schedule came from.
    pub fn channel_name(&self, channel: ChannelId) -> ChannelName {
        let ends = self.original.network().channel(channel);
        ChannelName { channel, tail: ends.tail, head: ends.head }
    }
}

/// Collects violations, so many of each rule and no more: a file of garbage must not eat the
/// memory, and what is wrong in a thousand ways must not hide what is wrong in one.
#[derive(Default)]
pub(crate) struct Report {
    listed: Vec<Violation>,
    found: BTreeMap<Rule, u64>,
}

impl Report {
    /// Notes a violation.
    pub fn add(&mut self, violation: Violation) {
        let found = self.found.entry(violation.rule()).or_default();
        *found += 1;
        if *found <= MOST_LISTED {
            self.listed.push(violation);
        }
    }

    /// All violations, the last ones saying how many more there are of a rule.
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
