//! Smallest latencies between routers, as integers.

use super::TimeBoundError;
use crate::throughput::View;
use pavane_model::{ChannelId, Fraction, Network, RouterId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A latency that no path has.
pub(super) const UNREACHED: u128 = u128::MAX;

/// The latency of every channel in ticks.
pub(super) struct Latencies {
    pub ticks_per_ns: u128,
    of: Vec<u128>,
}

impl Latencies {
    pub fn new(network: &Network) -> Result<Self, TimeBoundError> {
        let exact = network.latencies()?;
        let mut ticks_per_ns = 1u128;
        for latency in &exact {
            let (mut a, mut b) = (ticks_per_ns, latency.denominator());
            while b > 0 {
                (a, b) = (b, a % b);
            }
            let next = (ticks_per_ns / a).checked_mul(latency.denominator());
            ticks_per_ns = next.ok_or(TimeBoundError::Arithmetic)?;
        }
        let ticks = |latency: &Fraction| {
            let ticks = (ticks_per_ns / latency.denominator()).checked_mul(latency.numerator());
            // Paths have at most 2^25 channels, so sums of these fit.
            ticks.filter(|&ticks| ticks < 1 << 100).ok_or(TimeBoundError::Arithmetic)
        };
        Ok(Self { of: exact.iter().map(ticks).collect::<Result<_, _>>()?, ticks_per_ns })
    }

    /// The latency of a channel.
    pub fn of(&self, channel: ChannelId) -> u128 {
        self.of[channel.index()]
    }

    /// The smallest latency from a router to every router, through routers of a set only.
    pub fn from(&self, view: View<'_>, start: RouterId, set: Option<&[bool]>) -> Vec<u128> {
        self.search(view, start, |router| view.outgoing(router), |ends| ends, set)
    }

    /// The smallest latency from every router to a router.
    pub fn to(&self, view: View<'_>, end: RouterId) -> Vec<u128> {
        self.search(view, end, |router| view.incoming(router), |(from, to)| (to, from), None)
    }

    fn search<'a>(
        &self,
        view: View<'a>,
        start: RouterId,
        neighbours: impl Fn(RouterId) -> &'a [ChannelId],
        turn: impl Fn((RouterId, RouterId)) -> (RouterId, RouterId),
        set: Option<&[bool]>,
    ) -> Vec<u128> {
        let mut least = vec![UNREACHED; view.phase.problem.network().router_count()];
        least[start.index()] = 0;
        let mut queue = BinaryHeap::from([Reverse((0u128, start))]);
        while let Some(Reverse((latency, router))) = queue.pop() {
            if latency > least[router.index()] {
                continue;
            }
            for &channel in neighbours(router) {
                let (_, next) = turn(view.ends(channel));
                let latency = latency + self.of(channel);
                let is_allowed = set.is_none_or(|set| set[next.index()]);
                if is_allowed && latency < least[next.index()] {
                    least[next.index()] = latency;
                    queue.push(Reverse((latency, next)));
                }
            }
        }
        least
    }
}
