//! Exact times as integers.

use super::verdict::TimedError;
use pavane_model::timed::{Chunk, Send, TimedPhase};
use pavane_model::{ChannelId, Fraction, Network};

/// Times of channels in ticks. A unit of the file has a whole number of ticks, and so have the time of
/// a byte on every channel and every latency.
pub(super) struct Clock {
    /// Ticks per unit of the file.
    ticks_per_unit: u128,
    /// Ticks per byte, by channel.
    ticks_per_byte: Vec<u128>,
    /// Latencies in ticks, by channel.
    latencies: Vec<u128>,
}

/// When a send happens, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    /// The channel starts to carry the chunk.
    pub start: u128,
    /// The channel is free again.
    pub free: u128,
    /// The chunk has arrived.
    pub arrival: u128,
}

impl Clock {
    pub fn new(network: &Network, unit_ns: Fraction) -> Result<Self, TimedError> {
        let in_units = |time: Fraction| time.checked_div(unit_ns).ok_or(TimedError::Arithmetic);
        let byte_times: Vec<Fraction> = (network.bandwidths()?.into_iter())
            .map(|bandwidth| {
                let time = Fraction::ONE.checked_div(bandwidth).ok_or(TimedError::Arithmetic)?;
                in_units(time)
            })
            .collect::<Result<_, _>>()?;
        let latencies: Vec<Fraction> =
            network.latencies()?.into_iter().map(in_units).collect::<Result<_, _>>()?;
        let mut ticks_per_unit = 1u128;
        for time in byte_times.iter().chain(&latencies) {
            ticks_per_unit = least_common_multiple(ticks_per_unit, time.denominator())?;
        }
        let ticks = |time: &Fraction| {
            let ticks = (ticks_per_unit / time.denominator()).checked_mul(time.numerator());
            ticks.ok_or(TimedError::Arithmetic)
        };
        Ok(Self {
            ticks_per_byte: byte_times.iter().map(ticks).collect::<Result<_, _>>()?,
            latencies: latencies.iter().map(ticks).collect::<Result<_, _>>()?,
            ticks_per_unit,
        })
    }

    /// When a send of a chunk happens.
    pub fn times(&self, chunk: &Chunk, send: &Send) -> Result<Times, TimedError> {
        let channel: ChannelId = send.channel;
        let times = || {
            let start = u128::from(send.start).checked_mul(self.ticks_per_unit)?;
            let on_channel =
                u128::from(chunk.bytes).checked_mul(self.ticks_per_byte[channel.index()])?;
            let free = start.checked_add(on_channel)?;
            let arrival = free.checked_add(self.latencies[channel.index()])?;
            Some(Times { start, free, arrival })
        };
        times().ok_or(TimedError::Arithmetic)
    }

    /// When every send of a phase happens.
    pub fn all(&self, phase: &TimedPhase) -> Result<Vec<Times>, TimedError> {
        let times = |send: &Send| self.times(&phase.chunks[send.chunk as usize], send);
        phase.sends.iter().map(times).collect()
    }

    /// A time in units of the file.
    pub fn in_units(&self, ticks: u128) -> Fraction {
        Fraction::new(ticks, self.ticks_per_unit).unwrap_or(Fraction::ZERO)
    }
}

fn least_common_multiple(one: u128, other: u128) -> Result<u128, TimedError> {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a).checked_mul(other).ok_or(TimedError::Arithmetic)
}
