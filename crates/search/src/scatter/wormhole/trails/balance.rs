//! The load that the messages left put on every channel, spread over shortest paths as evenly as
//! possible, and prices of the channels that rise with it. The loads are averages over sweeps; in a
//! sweep every message takes its cheapest path (the method of Frank and Wolfe, 1956).

use super::pairs::PairTable;
use rayon::prelude::*;

/// How fast prices rise with the load: a load of 1 % below the highest divides the price by about
/// seven.
const STEEPNESS: f32 = 200.0;

/// Price of a channel with no load to speak of, which can still be in the way.
const FLOOR: f32 = 0.2;

/// Least share of a new sweep in the average load.
const LEAST_SHARE: f32 = 0.01;

/// The same for every step since the last sweep, relative to the mean load.
const FADING: f32 = 3.0;

/// Parts of the routers whose messages are routed at the same time. Their loads are added in order.
const PARTS: usize = 32;

/// Loads and prices of the channels.
pub(super) struct LoadPrices {
    /// Price of every channel, 1 on average.
    pub price: Vec<f32>,
    /// Average number of messages left per channel.
    pub mean: f32,
    /// The highest average load of a channel.
    pub peak: f32,
    load: Vec<f32>,
    average: Vec<f32>,
    parts: Vec<RoutedPart>,
    sweeps: u32,
}

/// What the messages from some of the routers are routed with.
struct RoutedPart {
    load: Vec<f32>,
    cost: Vec<f32>,
    via: Vec<(u32, u32)>,
    flow: Vec<f32>,
}

impl LoadPrices {
    /// All prices are 1.
    pub fn new(pairs: &PairTable) -> Self {
        let (channels, routers) = (pairs.channels(), pairs.routers);
        Self {
            price: vec![1.0; channels],
            mean: 0.0,
            peak: 0.0,
            load: vec![0.0; channels],
            average: vec![0.0; channels],
            parts: (0..routers.min(PARTS)).map(|_| RoutedPart::new(channels, routers)).collect(),
            sweeps: 0,
        }
    }

    /// Routes the messages left at the current prices, then updates the prices. `steps` is the number of steps since
    /// the last sweep, which may be less than one. `note` receives the entry of every pair and the price of its cheapest
    /// path; it returns whether a message is left. Returns the work.
    pub fn sweep(
        &mut self,
        pairs: &PairTable,
        entries: &mut [u32],
        steps: f32,
        note: impl Fn(&mut u32, f32) -> bool + Sync,
    ) -> u64 {
        let price = &self.price;
        let rows = pairs.routers.div_ceil(self.parts.len().max(1)).max(1);
        let entries = entries.par_chunks_mut(rows * pairs.routers.max(1));
        self.parts.par_iter_mut().zip(entries).enumerate().for_each(|(at, (part, entries))| {
            part.load.fill(0.0);
            for (row, entries) in entries.chunks_mut(pairs.routers).enumerate() {
                part.route(pairs, at * rows + row, price, entries, &note);
            }
        });
        self.load.fill(0.0);
        // The last parts may have no routers.
        for part in self.parts.iter().take(pairs.routers.div_ceil(rows)) {
            self.load.iter_mut().zip(&part.load).for_each(|(sum, load)| *sum += load);
        }
        self.update(steps);
        pairs.work
    }

    fn update(&mut self, steps: f32) {
        let channels = self.load.len() as f32;
        let before = self.mean;
        self.mean = self.load.iter().sum::<f32>() / channels;
        if self.mean == 0.0 {
            return;
        }
        self.sweeps += 1;
        let share = (2.0 / (self.sweeps as f32 + 1.0))
            .max(LEAST_SHARE)
            .max(FADING * steps / self.mean)
            .min(1.0);
        // Messages that left took their load with them.
        let kept = if before > 0.0 { (1.0 - share) * self.mean / before } else { 0.0 };
        self.peak = 0.0;
        for (average, load) in self.average.iter_mut().zip(&self.load) {
            *average = *average * kept + share * load;
            self.peak = self.peak.max(*average);
        }
        for (price, average) in self.price.iter_mut().zip(&self.average) {
            *price = (STEEPNESS * (average / self.peak - 1.0)).exp();
        }
        let scale = (1.0 - FLOOR) * channels / self.price.iter().sum::<f32>();
        self.price.iter_mut().for_each(|price| *price = *price * scale + FLOOR);
    }
}

impl RoutedPart {
    fn new(channels: usize, routers: usize) -> Self {
        Self {
            load: vec![0.0; channels],
            cost: vec![0.0; routers],
            via: vec![(0, 0); routers],
            flow: vec![0.0; routers],
        }
    }

    /// Routes the messages from a router.
    fn route(
        &mut self,
        pairs: &PairTable,
        source: usize,
        price: &[f32],
        entries: &mut [u32],
        note: &impl Fn(&mut u32, f32) -> bool,
    ) {
        let tree = &pairs.sources[source];
        self.cost[source] = 0.0;
        let mut start = 0;
        for &(router, end) in &tree.reached {
            let (mut least, mut via) = (f32::INFINITY, (0, 0));
            for &(channel, before) in &tree.steps[start as usize..end as usize] {
                let through = self.cost[before as usize] + price[channel as usize];
                if through < least {
                    (least, via) = (through, (channel, before));
                }
            }
            start = end;
            let at = router as usize;
            (self.cost[at], self.via[at]) = (least, via);
            self.flow[at] = if note(&mut entries[at], least) { 1.0 } else { 0.0 };
        }
        self.flow[source] = 0.0;
        for &(router, _) in tree.reached.iter().rev() {
            let (channel, before) = self.via[router as usize];
            let flow = self.flow[router as usize];
            self.load[channel as usize] += flow;
            self.flow[before as usize] += flow;
        }
    }
}
