//! Recognises square tori, and turns starts of displacements into words.

use pavane_model::tdm::{TdmDemand, TdmRules, Word};
use pavane_model::{ChannelId, Network, ProcessorId, RouterId, Routing, TdmProblem};

/// Whether channels lead in both directions of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orientation {
    Bidirectional,
    Unidirectional,
}

/// An n×n torus with one processor per router, numbered by rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SquareTorus {
    pub side: usize,
    pub orientation: Orientation,
}

/// The longest side; sets of hops have 64 bits.
const MOST_SIDE: usize = 127;

/// East, north, west, south: the step of the column and of the row.
const STEPS: [(usize, usize); 4] = [(1, 0), (0, 1), (usize::MAX, 0), (0, usize::MAX)];

/// Every word with some displacement: hops in a first direction, then in a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leg {
    pub direction: usize,
    pub hops: usize,
}

/// A displacement with its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub legs: [Leg; 2],
    pub slot: usize,
}

impl SquareTorus {
    /// The torus of a problem that chains solve: all-to-all, one slot per hop and per word, wrapping.
    pub fn of(problem: &TdmProblem) -> Option<Self> {
        let is_plain =
            problem.rules() == TdmRules { routing: Routing::Minimal, ..Default::default() };
        if !is_plain || *problem.demand() != TdmDemand::AllToAll {
            return None;
        }
        Self::recognise(problem.network())
    }

    /// The torus that a network is.
    pub fn recognise(network: &Network) -> Option<Self> {
        let side = network.router_count().isqrt();
        let is_numbered = (0..network.processor_count() as u32)
            .all(|p| network.home(ProcessorId(p)).is_some_and(|home| home.0 == p));
        if !(3..=MOST_SIDE).contains(&side) || side * side != network.router_count() || !is_numbered
        {
            return None;
        }
        let orientation = match network.channel_count() / network.router_count() {
            4 => Orientation::Bidirectional,
            2 => Orientation::Unidirectional,
            _ => return None,
        };
        let torus = Self { side, orientation };
        let expected = network.router_count() * torus.directions();
        let has_all = torus.channels(network).is_some();
        let is_torus = network.processor_count() == network.router_count()
            && network.channel_count() == expected
            && has_all;
        is_torus.then_some(torus)
    }

    /// The translation that moves router 0 to `to`: the images of all routers and channels.
    pub fn translation(&self, network: &Network, to: usize) -> Option<(Vec<u32>, Vec<ChannelId>)> {
        let side = self.side;
        let image = |router: usize| {
            let row = (router / side + to / side) % side;
            row * side + (router + to) % side
        };
        let leaving = self.channels(network)?;
        let mut channels = vec![ChannelId(0); network.channel_count()];
        for (router, of_router) in leaving.iter().enumerate() {
            for (direction, channel) in of_router.iter().enumerate().take(self.directions()) {
                channels[channel.index()] = leaving[image(router)][direction];
            }
        }
        Some(((0..side * side).map(|router| image(router) as u32).collect(), channels))
    }

    /// The period of the schedules that chains make: the hops of all words over the channels.
    pub fn chain_period(&self) -> usize {
        let side = self.side;
        match self.orientation {
            Orientation::Bidirectional if side.is_multiple_of(2) => side * side * side / 8,
            Orientation::Bidirectional => side * (side * side - 1) / 8,
            Orientation::Unidirectional => side * side * (side - 1) / 2,
        }
    }

    fn directions(&self) -> usize {
        match self.orientation {
            Orientation::Bidirectional => 4,
            Orientation::Unidirectional => 2,
        }
    }

    fn step(&self, router: usize, direction: usize) -> usize {
        let side = self.side;
        let (row, column) = (router / side, router % side);
        let (right, down) = STEPS[direction];
        let moved = |at: usize, by: usize| match by {
            usize::MAX => (at + side - 1) % side,
            by => (at + by) % side,
        };
        moved(row, down) * side + moved(column, right)
    }

    /// The channel that leaves each router in each direction.
    fn channels(&self, network: &Network) -> Option<Vec<[ChannelId; 4]>> {
        let mut channels = vec![[ChannelId(0); 4]; network.router_count()];
        for (router, leaving) in network.routers().zip(&mut channels) {
            for (direction, channel) in leaving.iter_mut().enumerate().take(self.directions()) {
                let head = RouterId(self.step(router.index(), direction) as u32);
                *channel = network.channels_between(router, head).next()?;
            }
        }
        Some(channels)
    }

    /// The words of all processors.
    pub fn words(&self, network: &Network, starts: &[Start]) -> Option<Vec<Word>> {
        let channels = self.channels(network)?;
        let mut words = Vec::with_capacity(starts.len() * network.router_count());
        for from in 0..network.router_count() {
            for start in starts {
                let mut at = from;
                let mut path = Vec::new();
                for leg in start.legs {
                    for _ in 0..leg.hops {
                        path.push(channels[at][leg.direction]);
                        at = self.step(at, leg.direction);
                    }
                }
                let (from, to) = (ProcessorId(from as u32), ProcessorId(at as u32));
                words.push(Word { from, to, start: start.slot as u32, path });
            }
        }
        words.sort_by_key(|word| (word.from, word.to));
        Some(words)
    }
}
