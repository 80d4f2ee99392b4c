//! The times of channels as integers.

use pavane_model::network::TimingError;
use pavane_model::{ChannelId, Fraction, Network};

/// The largest time that a schedule may take, in units: sums of a few such times fit into 64 bits.
const LONGEST: u128 = 1 << 60;

/// The time of a byte on every channel, and every latency, in a unit in which both are integers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChannelTimes {
    /// The unit in nanoseconds.
    pub unit_ns: Fraction,
    per_byte: Vec<u64>,
    latencies: Vec<u64>,
}

/// Why a network has no times in integers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelTimesError {
    /// A bandwidth or latency is missing or out of range.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The times need too many digits.
    #[error(
        "{network}: times for {bytes} bytes need more than 60 bits; use bandwidths and latencies with \
         fewer digits, or fewer bytes"
    )]
    TooFine {
        /// The network.
        network: String,
        /// The bytes that may cross one channel.
        bytes: u64,
    },
}

impl ChannelTimes {
    /// The times of a network, for channels that carry at most `bytes` each.
    pub fn new(network: &Network, bytes: u64) -> Result<Self, ChannelTimesError> {
        let (bandwidths, latencies) = (network.bandwidths()?, network.latencies()?);
        let times = || {
            let mut per_ns = 1u128;
            let denominators = latencies.iter().map(|latency| latency.denominator());
            for part in bandwidths.iter().map(|rate| rate.numerator()).chain(denominators) {
                per_ns = (per_ns / gcd(per_ns, part)).checked_mul(part)?;
            }
            let byte = |rate: &Fraction| {
                let time = rate.denominator().checked_mul(per_ns / rate.numerator())?;
                u64::try_from(time).ok()
            };
            let latency = |time: &Fraction| {
                let time = time.numerator().checked_mul(per_ns / time.denominator())?;
                u64::try_from(time).ok()
            };
            let per_byte = bandwidths.iter().map(byte).collect::<Option<Vec<u64>>>()?;
            let latencies = latencies.iter().map(latency).collect::<Option<Vec<u64>>>()?;
            // Every unit that all times share makes them shorter to write.
            let common =
                per_byte.iter().chain(&latencies).fold(0, |common, &time| gcd(common, time.into()));
            let common = u64::try_from(common.max(1)).ok()?;
            let slowest = u128::from(per_byte.iter().copied().max().unwrap_or(1) / common);
            let longest = u128::from(latencies.iter().copied().max().unwrap_or(0) / common);
            let channels = bandwidths.len().max(1) as u128;
            let hops = longest.checked_mul(2 * channels)?;
            let most =
                slowest.checked_mul(bytes.max(1).into())?.checked_mul(4)?.checked_add(hops)?;
            (most < LONGEST).then(|| Self {
                unit_ns: Fraction::new(common.into(), per_ns).unwrap_or(Fraction::ONE),
                per_byte: per_byte.iter().map(|time| time / common).collect(),
                latencies: latencies.iter().map(|time| time / common).collect(),
            })
        };
        times()
            .ok_or_else(|| ChannelTimesError::TooFine { network: network.name().to_owned(), bytes })
    }

    /// The time that a channel is occupied by this many bytes.
    pub fn occupied(&self, channel: ChannelId, bytes: u64) -> u64 {
        self.per_byte[channel.index()] * bytes
    }

    /// The time that a byte occupies a channel.
    pub fn per_byte(&self, channel: ChannelId) -> u64 {
        self.per_byte[channel.index()]
    }

    /// The latency of a channel.
    pub fn latency(&self, channel: ChannelId) -> u64 {
        self.latencies[channel.index()]
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
