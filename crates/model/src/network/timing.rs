//! Latency and bandwidth of channels: as numbers in files, and as exact fractions.

use super::Network;
use crate::fraction::Fraction;
use crate::ids::ChannelId;

/// Latency and bandwidth of a channel, if known. Step counts ignore them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timing {
    /// The time that the first byte of a message needs, in nanoseconds.
    pub latency_ns: Option<f64>,
    /// The bandwidth in gigabytes per second (bytes per nanosecond).
    pub bandwidth_gbytes: Option<f64>,
}

impl Timing {
    /// Checks that the latency is finite and not negative, and the bandwidth finite and positive.
    /// The error names the field and its value.
    pub fn check(self) -> Result<(), String> {
        match self {
            Self { latency_ns: Some(latency), .. } if !(latency >= 0.0 && latency.is_finite()) => {
                Err(format!("latency_ns is {latency}, but it must be finite and not negative"))
            }
            Self { bandwidth_gbytes: Some(bandwidth), .. }
                if !(bandwidth > 0.0 && bandwidth.is_finite()) =>
            {
                Err(format!(
                    "bandwidth_gbytes is {bandwidth}, but it must be finite and more than 0"
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Why the bandwidths or latencies of a network cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimingError {
    /// A channel has no value although others have one.
    #[error(
        "{network}: the channel {tail} -> {head} (number {channel}) has no {what}, but other \
         channels have one; give every channel a {what}, or none"
    )]
    Missing {
        /// The network.
        network: String,
        /// The channel.
        channel: ChannelId,
        /// The name of its first router.
        tail: String,
        /// The name of its last router.
        head: String,
        /// Bandwidth or latency.
        what: &'static str,
    },
    /// A value is too large, too small or too long to be an exact fraction.
    #[error(
        "{network}: the {what} {value:e} of the channel {tail} -> {head} (number {channel}) is too \
         large or too small for exact arithmetic"
    )]
    OutOfRange {
        /// The network.
        network: String,
        /// The channel.
        channel: ChannelId,
        /// The name of its first router.
        tail: String,
        /// The name of its last router.
        head: String,
        /// Bandwidth or latency.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A value for all channels that no number in a file denotes exactly.
    #[error("{what} {value}: it has more digits than a file can hold; use at most 15 digits")]
    Inexact {
        /// Bandwidth or latency.
        what: &'static str,
        /// The value.
        value: Fraction,
    },
    /// A bandwidth of zero for all channels.
    #[error("a bandwidth must be more than 0")]
    ZeroBandwidth,
}

impl Network {
    /// The exact bandwidth of every channel in gigabytes per second (bytes per nanosecond). All are
    /// 1 if no channel has a bandwidth. A channel without one is an error if others have one.
    ///
    /// ```
    /// use pavane_model::network::Timing;
    /// use pavane_model::NetworkBuilder;
    ///
    /// let mut builder = NetworkBuilder::new("pair", 2);
    /// builder.link(0, 1).timing(Timing { bandwidth_gbytes: Some(12.5), latency_ns: None });
    /// let pair = builder.processor_on_each_router().clone().build()?;
    /// assert_eq!(pair.bandwidths()?[0].to_string(), "25/2");
    /// assert!(pair.latencies()?[0].is_zero());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bandwidths(&self) -> Result<Vec<Fraction>, TimingError> {
        self.exact("bandwidth", Fraction::ONE, |timing| timing.bandwidth_gbytes)
    }

    /// The exact latency of every channel in nanoseconds. All are 0 if no channel has a latency. A
    /// channel without one is an error if others have one.
    pub fn latencies(&self) -> Result<Vec<Fraction>, TimingError> {
        self.exact("latency", Fraction::ZERO, |timing| timing.latency_ns)
    }

    fn exact(
        &self,
        what: &'static str,
        default: Fraction,
        pick: fn(&Timing) -> Option<f64>,
    ) -> Result<Vec<Fraction>, TimingError> {
        if self.timings.iter().all(|timing| pick(timing).is_none()) {
            return Ok(vec![default; self.channel_count()]);
        }
        let names = |channel: ChannelId| {
            let ends = self.channel(channel);
            (self.name.clone(), self.router_name(ends.tail), self.router_name(ends.head))
        };
        let exact = |(channel, timing)| match pick(timing) {
            None => {
                let (network, tail, head) = names(channel);
                Err(TimingError::Missing { network, channel, tail, head, what })
            }
            Some(value) => Fraction::of_decimal(value).ok_or_else(|| {
                let (network, tail, head) = names(channel);
                TimingError::OutOfRange { network, channel, tail, head, what, value }
            }),
        };
        (0..).map(ChannelId).zip(&self.timings).map(exact).collect()
    }

    /// The network with this bandwidth (gigabytes per second) and this latency (nanoseconds) on
    /// every channel; `None` keeps the values of the network.
    pub fn with_timing(
        mut self,
        bandwidth: Option<Fraction>,
        latency: Option<Fraction>,
    ) -> Result<Self, TimingError> {
        let decimal = |what, value: Option<Fraction>| match value.map(|v| (v, v.as_decimal())) {
            None => Ok(None),
            Some((_, Some(decimal))) => Ok(Some(decimal)),
            Some((value, None)) => Err(TimingError::Inexact { what, value }),
        };
        if bandwidth.is_some_and(Fraction::is_zero) {
            return Err(TimingError::ZeroBandwidth);
        }
        let (bandwidth, latency) = (decimal("bandwidth", bandwidth)?, decimal("latency", latency)?);
        if bandwidth.or(latency).is_some() {
            self.timings.resize(self.channels.len(), Timing::default());
        }
        for timing in &mut self.timings {
            timing.bandwidth_gbytes = bandwidth.or(timing.bandwidth_gbytes);
            timing.latency_ns = latency.or(timing.latency_ns);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkBuilder;

    const NONE: Timing = Timing { latency_ns: None, bandwidth_gbytes: None };

    /// Two routers `a` and `b` with one link for each timing.
    fn pair(timings: &[Timing]) -> Network {
        let mut builder = NetworkBuilder::new("pair", 2);
        for timing in timings {
            builder.link(0, 1).timing(*timing);
        }
        builder.router_names(["a", "b"].map(String::from).to_vec()).processor_on_each_router();
        builder.build().unwrap()
    }

    fn texts(values: Result<Vec<Fraction>, TimingError>) -> Vec<String> {
        values.unwrap().iter().map(Fraction::to_string).collect()
    }

    #[test]
    fn values_are_exact_and_missing_ones_are_named() {
        let plain = pair(&[NONE, NONE]);
        assert_eq!(texts(plain.bandwidths()), ["1"; 4]);
        assert_eq!(texts(plain.latencies()), ["0"; 4]);
        let quick = Timing { bandwidth_gbytes: Some(12.5), latency_ns: Some(0.7) };
        assert_eq!(texts(pair(&[quick]).bandwidths()), ["25/2"; 2]);
        assert_eq!(texts(pair(&[quick]).latencies()), ["7/10"; 2]);
        let mixed = pair(&[quick, Timing { latency_ns: Some(0.0), ..NONE }]);
        assert_eq!(texts(mixed.latencies()), ["7/10", "7/10", "0", "0"]);
        let error = mixed.bandwidths().unwrap_err().to_string();
        assert!(error.contains("the channel a -> b (number 2) has no bandwidth"), "{error}");
        let far = pair(&[Timing { bandwidth_gbytes: Some(1e200), ..NONE }]);
        let error = far.bandwidths().unwrap_err().to_string();
        assert!(error.contains("bandwidth 1e200 of the channel a -> b"), "{error}");
    }

    #[test]
    fn one_value_can_be_set_on_all_channels() {
        let slow = Timing { bandwidth_gbytes: Some(1.0), latency_ns: None };
        let fraction = |text: &str| Some(text.parse::<Fraction>().unwrap());
        let set = pair(&[slow, NONE]).with_timing(fraction("25/2"), fraction("1/2")).unwrap();
        assert_eq!(texts(set.bandwidths()), ["25/2"; 4]);
        assert_eq!(texts(set.latencies()), ["1/2"; 4]);
        let kept = pair(&[slow]).with_timing(None, fraction("500")).unwrap();
        assert_eq!(
            (texts(kept.bandwidths()), texts(kept.latencies())),
            (vec!["1".to_owned(); 2], vec!["500".to_owned(); 2])
        );
        assert_eq!(pair(&[NONE]).with_timing(None, None).unwrap(), pair(&[NONE]));
        let error = |bandwidth| pair(&[NONE]).with_timing(bandwidth, None).unwrap_err().to_string();
        assert!(error(fraction("1/3")).contains("bandwidth 1/3: it has more digits"));
        assert!(error(fraction("0")).contains("more than 0"));
    }
}
