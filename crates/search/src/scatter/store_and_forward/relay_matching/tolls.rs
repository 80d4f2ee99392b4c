//! Prices of hops that lead to loads of at most a given number of steps: the prices of the channels
//! from the bounds, and a toll for every port and channel. In an optimal fractional routing every
//! message takes a path that is cheapest at the optimal prices; the tolls choose among such paths. A
//! toll grows while its entry has too many uses and falls while it has room (an augmented Lagrangian
//! method).

use super::super::super::layout::Layout;
use super::loads::Loads;
use pavane_model::{Channel, ChannelId};

/// Cost of the last use that fits.
const STIFFNESS: f32 = 0.1;

/// Uses below the limit from which an entry costs more.
const MARGIN: f32 = 4.0;

/// Twice the cost of the last use that fits, where only full entries are avoided.
const LAST_USES: f32 = 0.05;

/// Change of a toll per missing use.
const RATE: f32 = 0.02;

/// Missing uses beyond this do not change a toll faster.
const MOST_MISSING: f32 = 20.0;

/// The prices of hops for a number of steps.
pub(super) struct Tolls {
    /// Per entry.
    tolls: Vec<f32>,
    /// Uses of an entry that fit; `u32::MAX` without a limit.
    most: Vec<u32>,
    /// Cost of one more use, by the uses beyond the limit (negative if some remain) and the toll.
    penalty: fn(i64, f32) -> f32,
}

impl Tolls {
    /// `prices` has one entry per channel, 1 on average. They include those of the ports.
    pub fn new(layout: &Layout<'_>, loads: &Loads, prices: &[f64], steps: u32) -> Self {
        let scale = prices.len() as f64 / f64::from(loads.hops_per_step(layout).max(1));
        let most = |at| loads.most(at, steps).unwrap_or(u32::MAX);
        let prices: Vec<f32> = prices.iter().map(|price| (price * scale) as f32).collect();
        let mut tolls = Self {
            tolls: vec![0.0; loads.len()],
            most: (0..loads.len()).map(most).collect(),
            penalty: |beyond, toll| {
                let near = (beyond as f32 / MARGIN + 1.0).max(0.0);
                toll + near * near * STIFFNESS
            },
        };
        tolls.divide(layout, loads, &prices);
        tolls
    }

    /// Divides the price of every channel among its entries, so that no toll is negative.
    fn divide(&mut self, layout: &Layout<'_>, loads: &Loads, prices: &[f32]) {
        let network = layout.problem.network();
        let least = |channels: &[ChannelId]| {
            channels.iter().map(|channel| prices[channel.index()]).fold(f32::INFINITY, f32::min)
        };
        for processor in network.living_processors() {
            let [send, receive] = loads.of_ports(processor.0);
            let home = layout.problem.home(processor);
            let (out, into) = (network.out_channels(home), network.in_channels(home));
            // Half of the price for each end of the channel.
            self.tolls[send] = 0.5 * least(out);
            self.tolls[receive] = 0.5 * least(into);
            for at in [send, receive] {
                if self.most[at] == u32::MAX || !self.tolls[at].is_finite() {
                    self.tolls[at] = 0.0;
                }
            }
        }
        for (channel, price) in (0..).zip(prices) {
            let Channel { tail, head } = layout.channel(channel);
            let (sender, receiver) = (network.residents(tail), network.residents(head));
            let ends = sender.first().zip(receiver.first());
            let of_ports = ends.map_or(0.0, |(from, to)| {
                self.tolls[loads.of_ports(from.0)[0]] + self.tolls[loads.of_ports(to.0)[1]]
            });
            let row = loads.of_channel(layout, channel);
            self.tolls[row] = self.tolls[row].max(price - of_ports);
        }
    }

    /// Cost of one more use of an entry; zero if it is not limited.
    pub fn cost(&self, loads: &Loads, at: usize) -> f32 {
        match self.most[at] {
            u32::MAX => 0.0,
            most => {
                let beyond = i64::from(loads.uses(at)) + 1 - i64::from(most);
                (self.penalty)(beyond, self.tolls[at])
            }
        }
    }

    /// Prices by which full entries are avoided.
    pub fn of_full_entries(loads: &Loads, steps: u32) -> Self {
        let most = |at| loads.most(at, steps).unwrap_or(u32::MAX);
        Self {
            tolls: vec![0.0; loads.len()],
            most: (0..loads.len()).map(most).collect(),
            penalty: |beyond, toll| match beyond {
                1.. => (1.0 + toll) * beyond as f32,
                -5..=0 => LAST_USES / (1 << (1 - beyond)) as f32,
                _ => 0.0,
            },
        }
    }

    /// Raises the toll of an entry that stays overloaded in a walk.
    pub fn raise(&mut self, at: usize) {
        self.tolls[at] += 0.1;
    }

    /// Raises and lowers the tolls after a sweep over all messages.
    pub fn adjust(&mut self, loads: &Loads, sweep: usize) {
        let rate = RATE / (1.0 + 0.1 * sweep as f32);
        for (at, toll) in self.tolls.iter_mut().enumerate() {
            if self.most[at] < u32::MAX {
                let missing = loads.uses(at) as f32 - self.most[at] as f32;
                *toll = (*toll + rate * missing.max(-MOST_MISSING)).max(0.0);
            }
        }
    }
}
