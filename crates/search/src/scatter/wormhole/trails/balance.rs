//! The load that the messages left put on every channel, spread over shortest paths as evenly as
//! possible, and prices of the channels that rise with it. The loads are averages over sweeps; in a
//! sweep every message takes its cheapest path (the method of Frank and Wolfe, 1956).

use super::pairs::PairTable;

/// How fast prices rise with the load: a load of 1 % below the highest divides the price by about
/// seven.
const STEEPNESS: f32 = 200.0;

/// Price of a channel with no load to speak of, which can still be in the way.
const FLOOR: f32 = 0.2;

/// Least share of a new sweep in the average load.
const LEAST_SHARE: f32 = 0.01;

/// The same for every step since the last sweep, relative to the mean load.
const FADING: f32 = 3.0;

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
    cost: Vec<f32>,
    via: Vec<(u32, u32)>,
    flow: Vec<f32>,
    sweeps: u32,
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
            cost: vec![0.0; routers],
            via: vec![(0, 0); routers],
            flow: vec![0.0; routers],
            sweeps: 0,
        }
    }

    /// Routes the messages left, those with a value, at the current prices, then updates the prices.
    /// `steps` is the number of steps since the last sweep, which may be less than one. `note` receives the price of the cheapest
    /// path of every pair with a message. Returns the work.
    pub fn sweep(
        &mut self,
        pairs: &PairTable,
        value: &mut [u32],
        steps: f32,
        mut note: impl FnMut(&mut u32, usize, f32),
    ) -> u64 {
        self.load.fill(0.0);
        for (source, tree) in pairs.sources.iter().enumerate() {
            let row = source * pairs.routers;
            self.cost[source] = 0.0;
            let mut start = 0;
            for &(router, end) in &tree.reached {
                let (mut least, mut via) = (f32::INFINITY, (0, 0));
                for &(channel, before) in &tree.steps[start as usize..end as usize] {
                    let through = self.cost[before as usize] + self.price[channel as usize];
                    if through < least {
                        (least, via) = (through, (channel, before));
                    }
                }
                start = end;
                let at = router as usize;
                (self.cost[at], self.via[at]) = (least, via);
                let value = &mut value[row + at];
                let is_left = *value > 0;
                self.flow[at] = if is_left { 1.0 } else { 0.0 };
                if is_left {
                    note(value, row + at, least);
                }
            }
            self.flow[source] = 0.0;
            for &(router, _) in tree.reached.iter().rev() {
                let (channel, before) = self.via[router as usize];
                let flow = self.flow[router as usize];
                self.load[channel as usize] += flow;
                self.flow[before as usize] += flow;
            }
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
