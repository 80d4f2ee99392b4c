//! The loads of all channels, and prices that grow exponentially with them.

use super::setting::Setting;

/// The price of an idle channel compared with that of the busiest one.
const IDLE: f64 = 1e-9;

/// Loads and prices.
#[derive(Clone)]
pub(super) struct Congestion {
    pub loads: Vec<f64>,
    pub prices: Vec<f64>,
    inverse: Vec<f64>,
    /// The congestion that prices refer to.
    reference: f64,
    /// How fast prices grow with congestion.
    exponent: f64,
}

impl Congestion {
    /// No loads, and prices inversely proportional to bandwidth.
    pub fn new(setting: &Setting<'_>) -> Self {
        let links = &setting.graph.links;
        let inverse: Vec<f64> = links.iter().map(|link| 1.0 / link.bandwidth as f64).collect();
        let (loads, prices) = (vec![0.0; links.len()], inverse.clone());
        Self { loads, prices, inverse, reference: 0.0, exponent: 0.0 }
    }

    /// The largest congestion.
    pub fn largest(&self) -> f64 {
        let all = self.loads.iter().zip(&self.inverse).map(|(load, inverse)| load * inverse);
        all.fold(0.0, f64::max)
    }

    /// Sets prices that double as a channel comes near the congestion expected.
    pub fn set_gentle(&mut self, expected: f64) {
        for channel in 0..self.prices.len() {
            let relative = self.loads[channel] * self.inverse[channel] / expected;
            self.prices[channel] = (1.0 + 4.0 * relative) * self.inverse[channel];
        }
    }

    /// Sets exponential prices, relative to the present congestion.
    pub fn set_exponent(&mut self, exponent: f64) {
        self.exponent = exponent;
        self.reference = self.largest();
        (0..self.prices.len()).for_each(|channel| self.set_price(channel));
    }

    fn set_price(&mut self, channel: usize) {
        let relative = self.loads[channel] * self.inverse[channel] / self.reference;
        let growth = (self.exponent * (relative - 1.0)).exp();
        self.prices[channel] = (growth + IDLE) * self.inverse[channel];
    }

    /// Adds load to a channel and updates its price.
    pub fn add(&mut self, channel: usize, load: f64) {
        self.loads[channel] += load;
        self.set_price(channel);
    }

    /// Takes over the loads and prices of another.
    pub fn copy(&mut self, other: &Self) {
        self.loads.copy_from_slice(&other.loads);
        self.prices.copy_from_slice(&other.prices);
        (self.reference, self.exponent) = (other.reference, other.exponent);
    }

    /// Adds the average change of copies of this one, and updates the prices.
    pub fn merge<'a>(&mut self, copies: impl ExactSizeIterator<Item = &'a Self> + Clone) {
        let share = 1.0 / copies.len() as f64;
        for channel in 0..self.loads.len() {
            let old = self.loads[channel];
            let change: f64 = copies.clone().map(|copy| copy.loads[channel] - old).sum();
            if change != 0.0 {
                self.add(channel, change * share);
            }
        }
    }

    /// The price of some channels, and the relative rate at which it grows with their load.
    pub fn price_and_rate(&self, channels: &[u32]) -> (f64, f64) {
        let (mut sum, mut slope) = (0.0, 0.0);
        for &channel in channels {
            let price = self.prices[channel as usize];
            sum += price;
            slope += price * self.inverse[channel as usize];
        }
        (sum, slope / sum * self.exponent / self.reference)
    }
}
