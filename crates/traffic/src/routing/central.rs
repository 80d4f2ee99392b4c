//! Central path selection (CPS): simulated annealing with knowledge of all messages picks a
//! shortest path for each, to keep the maximum load of a link low. A move gives one message another
//! shortest path. The cost is the sum of the eighth powers of the loads, which the largest loads
//! dominate.

use super::{Adaptive, Routes};
use crate::links::Links;
use crate::mission::Mission;
use crate::rng::{TrafficRng, logarithm};
use pavane_model::{ChannelId, Network};

/// Number of moves per message.
const MOVES: usize = 150;

/// The paths of a mission, chosen jointly. The same seed gives the same paths.
pub fn central_paths(
    network: &Network,
    links: &Links,
    adaptive: &Adaptive,
    mission: &Mission,
    seed: u64,
) -> Routes {
    let mut annealer = Annealer::new(network, links, adaptive, mission, seed);
    annealer.run(mission);
    let paths: Vec<Vec<ChannelId>> =
        annealer.best.iter().map(|path| path.iter().map(|&c| ChannelId(c)).collect()).collect();
    Routes::new(paths.iter().map(Vec::as_slice))
}

struct Annealer<'a> {
    links: &'a Links,
    adaptive: &'a Adaptive,
    rng: TrafficRng,
    ends: Vec<(u32, u32)>,
    paths: Vec<Vec<u32>>,
    loads: Vec<u64>,
    /// Messages with more than one shortest path.
    movable: Vec<u32>,
    best: Vec<Vec<u32>>,
    best_load: u64,
    scale: f64,
}

impl<'a> Annealer<'a> {
    fn new(
        network: &Network,
        links: &'a Links,
        adaptive: &'a Adaptive,
        mission: &Mission,
        seed: u64,
    ) -> Self {
        let home = |processor| network.home(processor).expect("the mission fits the network").0;
        let ends: Vec<(u32, u32)> =
            mission.messages().iter().map(|m| (home(m.source), home(m.destination))).collect();
        let mut annealer = Self {
            links,
            adaptive,
            rng: TrafficRng::stream(seed, 0xC95),
            paths: Vec::new(),
            loads: vec![0; links.count()],
            movable: Vec::new(),
            best: Vec::new(),
            best_load: u64::MAX,
            scale: 1.0,
            ends,
        };
        for (number, message) in (0..).zip(mission.messages()) {
            let mut path = Vec::new();
            if annealer.draw(number, &mut path) {
                annealer.movable.push(number);
            }
            path.iter()
                .for_each(|&c| annealer.loads[links.of_number(c) as usize] += message.length);
            annealer.paths.push(path);
        }
        let total: u64 = annealer.loads.iter().sum();
        annealer.scale = annealer.loads.len() as f64 / total.max(1) as f64;
        annealer.keep();
        annealer
    }

    /// Draws a random shortest path. Returns whether there was a choice.
    fn draw(&mut self, message: u32, path: &mut Vec<u32>) -> bool {
        let (mut at, to) = self.ends[message as usize];
        let mut has_choice = false;
        path.clear();
        while at != to {
            let count = self.adaptive.closer(at, to).count();
            has_choice |= count > 1;
            let pick = if count > 1 { self.rng.below(count) } else { 0 };
            let channel = self.adaptive.closer(at, to).nth(pick).expect("every pair is connected");
            path.push(channel);
            at = self.adaptive.head(channel);
        }
        has_choice
    }

    fn run(&mut self, mission: &Mission) {
        let moves = MOVES * self.movable.len();
        let mut path = Vec::new();
        // Temperature from the cost of a message on a link of mean load down to a thousandth of it.
        let (hot, cold) = (1.0, 1e-3);
        let fall = (logarithm(cold / hot)) / moves.max(1) as f64;
        let mut temperature = hot;
        for _ in 0..moves {
            temperature += temperature * fall;
            let message = self.movable[self.rng.below(self.movable.len())];
            self.draw(message, &mut path);
            let length = mission.messages()[message as usize].length;
            let change = self.swap_cost(message, &path, length);
            if change <= 0.0 || change < -temperature * logarithm(1.0 - self.rng.unit()) {
                std::mem::swap(&mut self.paths[message as usize], &mut path);
                if change < 0.0 {
                    self.keep();
                }
            } else {
                self.add(message, &path, length, false);
            }
        }
    }

    /// Moves the load of a message to another path and returns the change in cost.
    fn swap_cost(&mut self, message: u32, path: &[u32], length: u64) -> f64 {
        let mut links: Vec<usize> = self.paths[message as usize]
            .iter()
            .chain(path)
            .map(|&channel| self.links.of_number(channel) as usize)
            .collect();
        links.sort_unstable();
        links.dedup();
        let before: f64 = links.iter().map(|&link| self.cost(link)).sum();
        self.add(message, path, length, true);
        let after: f64 = links.iter().map(|&link| self.cost(link)).sum();
        after - before
    }

    /// Moves the load of a message from its path to another, or back if `is_there` is false.
    fn add(&mut self, message: u32, path: &[u32], length: u64, is_there: bool) {
        for (list, gains) in [(&self.paths[message as usize][..], !is_there), (path, is_there)] {
            for &channel in list {
                let load = &mut self.loads[self.links.of_number(channel) as usize];
                *load = if gains { *load + length } else { *load - length };
            }
        }
    }

    fn cost(&self, link: usize) -> f64 {
        let load = self.loads[link] as f64 * self.scale;
        let square = load * load;
        let fourth = square * square;
        fourth * fourth
    }

    /// Saves the paths if their maximum load is the lowest so far.
    fn keep(&mut self) {
        let load = self.loads.iter().copied().max().unwrap_or(0);
        if load < self.best_load {
            self.best_load = load;
            self.best.clone_from(&self.paths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::*;
    use crate::mission::Uniform;
    use pavane_model::Duplex;
    use pavane_networks::topology;

    #[test]
    fn chosen_paths_come_within_two_percent_of_the_least_load() {
        let network = topology::build("hypercube:4").unwrap();
        let links = Links::new(&network, Duplex::Half);
        let adaptive = Adaptive::new(&network, Reach::Closer).unwrap();
        let mission = Uniform::default().draw(&network, 1, 0).unwrap();
        let routes = central_paths(&network, &links, &adaptive, &mission, 1);
        let mut loads = vec![0u64; links.count()];
        let mut of_dimension = [0u64; 4];
        for (number, message) in (0..).zip(mission.messages()) {
            for &channel in routes.path(number) {
                loads[links.of_number(channel) as usize] += message.length;
            }
            let bits = message.source.0 ^ message.destination.0;
            assert_eq!(routes.path(number).len(), bits.count_ones() as usize);
            for (bit, load) in of_dimension.iter_mut().enumerate() {
                *load += u64::from(bits >> bit & 1) * message.length;
            }
        }
        // For any choice of paths, the eight links of a dimension carry all messages that differ in
        // that bit.
        let least = of_dimension.iter().copied().max().unwrap() / 8;
        let largest = loads.iter().copied().max().unwrap();
        assert!(largest < least * 102 / 100, "{largest} is far above {least}");
    }
}
