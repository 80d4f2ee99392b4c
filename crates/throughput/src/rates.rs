//! Times in the units of nccl-tests: algorithm bandwidth, bus bandwidth, and the time for a size.

use pavane_model::collective::{Collective, Kind};
use pavane_model::{Fraction, Problem, ProcessorId};
use std::collections::BTreeSet;

/// The messages of a collective, and their sizes if they are given.
#[derive(Debug, Clone, Copy)]
pub struct Payload<'a> {
    /// The phases of the collective, at least one.
    pub problems: &'a [Problem],
    /// The size of the buffer, as nccl-tests counts it.
    pub bytes: Option<u64>,
    /// With messages of different sizes: the bytes of a message of relative size 1.
    pub unit: Option<u64>,
}

/// A time, in all customary units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Nanoseconds per byte of a message (shard).
    pub ns_per_byte: Fraction,
    /// Algorithm bandwidth of nccl-tests in GB/s: bytes by time. `None` if no message needs a
    /// channel, or if the messages differ in size.
    pub algorithm_gbytes: Option<f64>,
    /// Bus bandwidth of nccl-tests in GB/s. `None` also where nccl-tests has no convention: several
    /// senders that are not the receivers.
    pub bus_gbytes: Option<f64>,
    /// The time for the size; `None` if no size is given.
    pub microseconds: Option<f64>,
}

/// A time that needs more than 128 bits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the time needs more than 128 bits; use fewer bytes, or bandwidths with fewer digits")]
pub struct TimeError;

impl Payload<'_> {
    fn collective(&self) -> &Collective {
        self.problems[0].collective()
    }

    /// The number of messages.
    pub fn messages(&self) -> u64 {
        self.problems[0].messages().len() as u64
    }

    /// The processors that take part.
    pub fn processors(&self) -> BTreeSet<ProcessorId> {
        let Collective { senders, receivers, list, .. } = self.collective();
        let listed = list.iter().flat_map(|message| message.to.iter().chain([&message.from]));
        senders.iter().chain(receivers).chain(listed).copied().collect()
    }

    /// The number of messages in the buffer: shards of a gathered buffer, blocks of a send or receive
    /// buffer, or one.
    pub fn parts(&self) -> u64 {
        let Collective { kind, senders, receivers, .. } = self.collective();
        let (near, far) = match kind {
            Kind::Scatter => (senders, receivers),
            Kind::Gather => (receivers, senders),
            Kind::Messages => return 1,
            Kind::Broadcast | Kind::Reduce => return self.messages(),
        };
        // The buffer of a root has a block of its own.
        if near.len() == 1 { self.processors().len() as u64 } else { far.len() as u64 }
    }

    /// The factor from algorithm to bus bandwidth in nccl-tests, if it has one.
    fn bus_factor(&self) -> Option<f64> {
        let collective = self.collective();
        let group = |members: &[ProcessorId]| members.iter().copied().collect::<BTreeSet<_>>();
        let processors = self.processors().len() as f64;
        let share = (processors - 1.0) / processors;
        let is_personalised = matches!(collective.kind, Kind::Scatter | Kind::Gather);
        let has_root = collective.senders.len() == 1 || collective.receivers.len() == 1;
        match (self.problems.len(), self.messages()) {
            (2.., _) => Some(2.0 * share),
            _ if self.unit.is_some() || collective.kind == Kind::Messages => None,
            _ if is_personalised && has_root => Some(share),
            (_, 1) => Some(1.0),
            _ => (group(&collective.senders) == group(&collective.receivers)).then_some(share),
        }
    }

    /// Messages in the buffer that a processor sends.
    pub fn messages_per_sender(&self) -> u64 {
        match self.collective().kind {
            Kind::Scatter => self.parts(),
            Kind::Reduce => self.messages(),
            Kind::Broadcast | Kind::Gather | Kind::Messages => 1,
        }
    }

    /// The time of a schedule for a buffer of `bytes`, in all units.
    pub fn rate_of_time(&self, bytes: u64, time_ns: Fraction) -> Option<Rate> {
        let shard = Fraction::from(bytes).checked_div(Fraction::from(self.parts()))?;
        self.rate(time_ns.checked_div(shard)?).ok()
    }

    /// A time per byte of a message, in all units.
    pub fn rate(&self, ns_per_byte: Fraction) -> Result<Rate, TimeError> {
        let messages = Fraction::from(self.parts());
        let bandwidth = messages.checked_div(ns_per_byte).map(Fraction::to_f64);
        let bandwidth = bandwidth.filter(|_| self.unit.is_none());
        let bytes = self.bytes.map(|bytes| (bytes, messages));
        let sized = self.unit.map(|unit| (unit, Fraction::ONE));
        let nanoseconds = match bytes.or(sized) {
            None => None,
            Some((bytes, messages)) => {
                let shard = Fraction::from(bytes).checked_div(messages);
                let time = shard.and_then(|shard| shard.checked_mul(ns_per_byte));
                Some(time.ok_or(TimeError)?.to_f64())
            }
        };
        let bus = bandwidth.zip(self.bus_factor());
        Ok(Rate {
            ns_per_byte,
            algorithm_gbytes: bandwidth,
            bus_gbytes: bus.map(|(bandwidth, factor)| bandwidth * factor),
            microseconds: nanoseconds.map(|time| time / 1000.0),
        })
    }
}

/// A number for people, with two digits after the point, or three significant digits if it is small.
pub fn figure(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        0.01.. => format!("{value:.2}"),
        // Three digits that count.
        1e-6.. => format!("{value:.*}", (2.0 - value.log10().floor()) as usize),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_digits_that_count() {
        let shown = [0.0, 12.3456, 0.01, 0.00857, 0.0000012345, 1e-9].map(figure);
        assert_eq!(shown, ["0", "12.35", "0.01", "0.00857", "0.00000123", "1.00e-9"]);
    }
}
