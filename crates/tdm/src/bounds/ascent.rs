//! Prices of channels by smooth dual ascent on the linear programme of least congestion. In every round the
//! words of a source spread over all their shortest routes, more of them over cheaper ones, with the
//! probabilities of a logit model (Dial 1971). Busy channels become dearer, with momentum (Polyak 1964).
//! Spread words load channels smoothly, so that hundreds of rounds suffice where all words on the cheapest
//! route would need many thousands.

use super::prices::{Source, Tree};
use pavane_model::{Network, RouterId};
use pavane_search::Interrupt;

/// How an ascent is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub rounds: usize,
    /// How much dearer a route may be to be used, in the first and in the last round; 1 is the mean price
    /// of a channel.
    pub spread: (f64, f64),
    /// The part of a change of prices that is repeated in the next round.
    pub momentum: f64,
}

/// How much the logarithm of a price grows if a channel is twice as busy as the mean, in units of the spread.
const STEP: f64 = 0.2;
/// The part of the best value below which an ascent is unstable: it goes back and takes smaller steps.
const UNSTABLE: f64 = 0.98;

/// The relative error of loads that are added up.
const ROUNDING: f64 = 1e-9;

/// The mean loads of the channels in the last rounds: at least half of all rounds so far. The loads of one
/// round swing around those of the optimum.
struct MeanLoads {
    sums: Vec<f64>,
    rounds: usize,
    all_rounds: usize,
}

impl MeanLoads {
    fn new(channels: usize) -> Self {
        Self { sums: vec![0.0; channels], rounds: 0, all_rounds: 0 }
    }

    /// Adds the loads of a round. Returns the mean load of the busiest channel.
    fn add(&mut self, loads: &[f64]) -> f64 {
        self.all_rounds += 1;
        if self.all_rounds.is_power_of_two() {
            self.sums.fill(0.0);
            self.rounds = 0;
        }
        self.rounds += 1;
        self.sums.iter_mut().zip(loads).for_each(|(sum, load)| *sum += load);
        self.sums.iter().copied().fold(0.0, f64::max) / self.rounds as f64
    }
}

/// The shortest routes from a source to all routers.
struct Ways<'a> {
    source: &'a Source,
    /// The routers by distance, without the source.
    order: Vec<u32>,
    /// The last hops of shortest routes: those to `order[i]` are `hops[ends[i - 1]..ends[i]]`.
    hops: Vec<Hop>,
    ends: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Hop {
    tail: u32,
    channel: u32,
}

pub(super) struct Ascent<'a> {
    ways: Vec<Ways<'a>>,
    /// Logarithms of the prices, and their last change.
    logs: Vec<f64>,
    changes: Vec<f64>,
    /// The prices, with a mean of 1.
    pub prices: Vec<f64>,
    /// The least load of the busiest channel if words spread over their routes as in the mean of some rounds.
    /// No prices prove more than that.
    pub congestion: f64,
    /// The value of the best round, and the logarithms of its prices.
    best: (f64, Vec<f64>),
    step: f64,
    /// Per router, its price, the words through it; per hop, its probability.
    reached: Vec<f64>,
    through: Vec<f64>,
    shares: Vec<f64>,
}

impl<'a> Ascent<'a> {
    pub fn new(network: &Network, sources: &'a [Source], trees: &[Tree]) -> Self {
        let ways = sources.iter().zip(trees).map(|(source, tree)| ways(network, source, tree));
        let channels = network.channel_count();
        Self {
            ways: ways.collect(),
            logs: vec![0.0; channels],
            changes: vec![0.0; channels],
            prices: vec![1.0; channels],
            congestion: f64::INFINITY,
            best: (0.0, vec![0.0; channels]),
            step: STEP,
            reached: vec![0.0; network.router_count()],
            through: vec![0.0; network.router_count()],
            shares: Vec::new(),
        }
    }

    /// Improves the prices; `visit` is called after every round with its number and the prices. Ends as soon as
    /// no prices can prove more than `enough` words per channel.
    pub fn run(
        &mut self,
        pace: Pace,
        enough: f64,
        interrupt: &Interrupt,
        mut visit: impl FnMut(usize, &[f64]),
    ) {
        let (first, last) = pace.spread;
        let mut mean = MeanLoads::new(self.prices.len());
        for round in 0..pace.rounds {
            if interrupt.is_raised() || self.congestion * (1.0 + ROUNDING) <= enough {
                return;
            }
            let part = round as f64 / pace.rounds as f64;
            let spread = first * (last / first).powf(part);
            let (value, loads) = self.spread_words(spread);
            self.congestion = self.congestion.min(mean.add(&loads));
            if value < UNSTABLE * self.best.0 {
                self.logs.clone_from(&self.best.1);
                self.changes.fill(0.0);
                self.step /= 2.0;
            } else {
                if value > self.best.0 {
                    self.best = (value, self.logs.clone());
                }
                self.raise(&loads, spread, pace.momentum);
            }
            self.set_prices();
            visit(round, &self.prices);
        }
    }

    /// Raises the prices of busy channels.
    fn raise(&mut self, loads: &[f64], spread: f64, momentum: f64) {
        let mean = loads.iter().sum::<f64>() / loads.len() as f64;
        if mean <= 0.0 {
            return;
        }
        for ((log, change), load) in self.logs.iter_mut().zip(&mut self.changes).zip(loads) {
            *change = momentum * *change + self.step * spread * (load - mean) / mean;
            *log += *change;
        }
    }

    fn set_prices(&mut self) {
        let largest = self.logs.iter().copied().fold(f64::MIN, f64::max);
        let relative = self.logs.iter().map(|log| (log - largest).exp());
        self.prices = relative.collect();
        let mean = self.prices.iter().sum::<f64>() / self.prices.len() as f64;
        self.prices.iter_mut().for_each(|price| *price /= mean);
    }

    /// Spreads all words over their routes. Returns what they pay, about, and the loads of the channels.
    fn spread_words(&mut self, spread: f64) -> (f64, Vec<f64>) {
        let mut loads = vec![0.0; self.prices.len()];
        let mut paid = 0.0;
        for ways in &self.ways {
            let words = &ways.source.words;
            self.reached[ways.source.router.index()] = 0.0;
            self.shares.clear();
            for (at, &router) in ways.order.iter().enumerate() {
                let hops = ways.hops(at);
                let price =
                    |hop: &Hop| self.reached[hop.tail as usize] + self.prices[hop.channel as usize];
                let least = hops.iter().map(price).fold(f64::MAX, f64::min);
                let first = self.shares.len();
                let mut all = 1.0;
                if let [_] = hops {
                    self.shares.push(1.0);
                } else {
                    self.shares.extend(hops.iter().map(|hop| {
                        let more = price(hop) - least;
                        // Exponentials take most of the time.
                        if more > 0.0 { (-more / spread).exp() } else { 1.0 }
                    }));
                    all = self.shares[first..].iter().sum();
                    self.shares[first..].iter_mut().for_each(|share| *share /= all);
                }
                let reached = least - spread * f64::ln(all);
                self.reached[router as usize] = reached;
                let demand = words[router as usize] as f64;
                self.through[router as usize] = demand;
                paid += demand * reached;
            }
            self.through[ways.source.router.index()] = 0.0;
            for (at, &router) in ways.order.iter().enumerate().rev() {
                let through = self.through[router as usize];
                if through > 0.0 {
                    for (hop, share) in ways.hops(at).iter().zip(&self.shares[ways.range(at)]) {
                        loads[hop.channel as usize] += through * share;
                        self.through[hop.tail as usize] += through * share;
                    }
                }
            }
        }
        (paid, loads)
    }
}

impl Ways<'_> {
    fn range(&self, at: usize) -> std::ops::Range<usize> {
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        first as usize..self.ends[at] as usize
    }

    fn hops(&self, at: usize) -> &[Hop] {
        &self.hops[self.range(at)]
    }
}

fn ways<'a>(network: &Network, source: &'a Source, tree: &Tree) -> Ways<'a> {
    let mut into: Vec<Vec<Hop>> = vec![Vec::new(); network.router_count()];
    let distance = |router: RouterId| tree.distances[router.index()];
    for &router in &tree.order {
        let heads = network.out_channels(router).iter().zip(network.successors(router));
        for (&channel, &head) in heads {
            if distance(head) == distance(router) + 1 {
                into[head.index()].push(Hop { tail: router.0, channel: channel.0 });
            }
        }
    }
    let order: Vec<u32> = tree.order.iter().skip(1).map(|router| router.0).collect();
    let (mut hops, mut ends) = (Vec::new(), Vec::new());
    for &router in &order {
        hops.append(&mut into[router as usize]);
        ends.push(hops.len() as u32);
    }
    Ways { source, order, hops, ends }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;

    const PACE: Pace = Pace { rounds: 100, spread: (0.5, 0.1), momentum: 0.9 };

    /// The rounds of an ascent for uneven traffic on a torus, and the congestion that it finds.
    fn ascend(enough: f64) -> (usize, f64) {
        let network = pavane_networks::topology::build("torus:5x5").unwrap();
        let words = |from: usize| (0..25).map(|to| (from * to % 7) as u64).collect();
        let source = |router: RouterId| Source { router, words: words(router.index()) };
        let sources: Vec<Source> = network.routers().map(source).collect();
        let trees: Vec<Tree> =
            network.routers().map(|router| Tree::new(&network, router)).collect();
        let mut ascent = Ascent::new(&network, &sources, &trees);
        let mut rounds = 0;
        ascent.run(PACE, enough, &Interrupt::never(), |_, _| rounds += 1);
        (rounds, ascent.congestion)
    }

    #[test]
    fn an_ascent_ends_when_no_prices_can_prove_more() {
        let (rounds, congestion) = ascend(0.0);
        assert_eq!(rounds, PACE.rounds);
        let (few, found) = ascend(congestion * 1.02);
        assert!(few < PACE.rounds / 2 && found <= congestion * 1.02, "{few} {found} {congestion}");
        assert_eq!(ascend(congestion * 0.99).0, PACE.rounds);
    }
}
