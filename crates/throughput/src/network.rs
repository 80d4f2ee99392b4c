//! Networks as graphs with integer bandwidths.

use crate::graph::{Graph, Link, Ratio};
use crate::integer::gcd;
use pavane_model::network::TimingError;
use pavane_model::{Fraction, Network, RouterId};

/// A network as a graph, with the unit of its bandwidths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaled {
    /// The graph; routers and channels keep their numbers.
    pub graph: Graph,
    /// Whether each router may duplicate: it has a processor or is a multicast switch.
    pub copying: Vec<bool>,
    /// Units of bandwidth in one byte per nanosecond.
    units: Fraction,
}

/// Why a network has no graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// A bandwidth is missing or out of range.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The common unit of all bandwidths is too small for exact arithmetic.
    #[error(
        "{network}: the bandwidths together have too many digits for exact arithmetic; round them"
    )]
    NoUnit {
        /// The network.
        network: String,
    },
}

impl Scaled {
    /// The graph of a network. All channels have bandwidth 1 if the network has no bandwidths.
    pub fn new(network: &Network) -> Result<Self, ScaleError> {
        let bandwidths = network.bandwidths()?;
        let no_unit = || ScaleError::NoUnit { network: network.name().to_owned() };
        let (units, bandwidths) = integers(&bandwidths).ok_or_else(no_unit)?;
        let links = network.channels().iter().zip(bandwidths).map(|(channel, bandwidth)| Link {
            tail: channel.tail.0,
            head: channel.head.0,
            bandwidth,
        });
        let graph = Graph { routers: network.router_count() as u32, links: links.collect() };
        let copies = |router: RouterId| {
            !network.residents(router).is_empty() || network.is_multicast(router)
        };
        Ok(Self { graph, copying: network.routers().map(copies).collect(), units })
    }

    /// A time of the graph, for messages of size 1, in nanoseconds per byte. `None` if it needs more
    /// than 128 bits.
    pub fn ns_per_byte(&self, time: Ratio) -> Option<Fraction> {
        Fraction::new(*time.numer(), *time.denom())?.checked_mul(self.units)
    }
}

/// The bandwidths as multiples of a common unit, and the number of units in one byte per
/// nanosecond. `None` if they do not fit.
fn integers(bandwidths: &[Fraction]) -> Option<(Fraction, Vec<u64>)> {
    let mut common = 1u128;
    for bandwidth in bandwidths {
        let denominator = bandwidth.denominator();
        common = (common / gcd(common, denominator)).checked_mul(denominator)?;
    }
    let whole =
        |bandwidth: &Fraction| bandwidth.numerator().checked_mul(common / bandwidth.denominator());
    let whole: Vec<u128> = bandwidths.iter().map(whole).collect::<Option<_>>()?;
    let divisor = whole.iter().copied().fold(0, gcd).max(1);
    let reduced = whole.iter().map(|bandwidth| u64::try_from(bandwidth / divisor).ok());
    Some((Fraction::new(common, divisor)?, reduced.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::NetworkBuilder;
    use pavane_model::network::Timing;

    fn path(bandwidths: &[f64]) -> Network {
        let mut builder = NetworkBuilder::new("path", bandwidths.len() as u32 + 1);
        for (router, &bandwidth) in (0..).zip(bandwidths) {
            let timing = Timing { bandwidth_gbytes: Some(bandwidth), latency_ns: None };
            builder.link(router, router + 1).timing(timing);
        }
        builder.processor(Some(0));
        builder.build().unwrap()
    }

    #[test]
    fn bandwidths_become_small_integers() {
        let scaled = Scaled::new(&path(&[12.5, 50.0, 0.1])).unwrap();
        let bandwidths: Vec<u64> = scaled.graph.links.iter().map(|link| link.bandwidth).collect();
        assert_eq!(bandwidths, [125, 125, 500, 500, 1, 1]);
        assert_eq!(scaled.copying, [true, false, false, false]);
        let ten: Fraction = "10".parse().unwrap();
        assert_eq!(scaled.ns_per_byte(Ratio::new(1, 1)), Some(ten), "one byte over 0.1 GB/s");
        let quick = Scaled::new(&path(&[3e20, 6e20])).unwrap();
        assert_eq!((quick.graph.links[0].bandwidth, quick.graph.links[3].bandwidth), (1, 2));
    }

    #[test]
    fn bandwidths_without_a_common_unit_are_refused() {
        let error = Scaled::new(&path(&[1e-18, 1e18])).unwrap_err().to_string();
        assert!(error.contains("path: the bandwidths together have too many digits"), "{error}");
    }
}
