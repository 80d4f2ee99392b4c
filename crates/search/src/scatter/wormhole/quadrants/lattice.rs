//! A network as a lattice: two directions that commute, and the two back.

use super::super::pairs::Pairs;
use crate::attempt::Context;
use crate::budget::Interrupt;
use pavane_model::{ChannelId, MessageId, ProcessorId, RouterId};

/// Where a channel leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    X,
    Y,
    BackX,
    BackY,
}

impl Direction {
    pub fn opposite(self) -> Self {
        self.turned().turned()
    }

    /// Turned by a quarter.
    pub fn turned(self) -> Self {
        match self {
            Self::X => Self::BackY,
            Self::BackY => Self::BackX,
            Self::BackX => Self::Y,
            Self::Y => Self::X,
        }
    }
}

/// An odd number of routers that a group of automorphisms moves regularly. The first router is the
/// origin; a router stands for the member that moves the origin to it.
pub(super) struct Lattice {
    /// By direction and router, the next router and the channel to it.
    next: [Vec<usize>; 4],
    channel: [Vec<ChannelId>; 4],
    pub processors: Vec<ProcessorId>,
    messages: Pairs,
    /// The inverse of every router.
    pub inverse: Vec<usize>,
    /// The image of every router under the turn by a quarter, if that is well defined.
    pub quarter: Vec<usize>,
    is_turning: bool,
    /// By router, all shortest ways to it from the origin, in channels along X and Y.
    ways: Vec<Vec<(i32, i32)>>,
}

impl Lattice {
    /// `None` unless the problem is an all-to-all on such a network, or on interrupt.
    pub fn new(context: &Context, interrupt: &Interrupt) -> Option<Self> {
        let problem = context.problem();
        let (network, messages) = (problem.network(), problem.messages());
        let count = network.router_count();
        let is_possible = count >= 5
            && !count.is_multiple_of(2)
            && messages.len() == count * (count - 1)
            && network.routers().all(|r| {
                network.residents(r).len() == 1
                    && network.out_channels(r).len() == 4
                    && network.in_channels(r).len() == 4
            });
        if !is_possible {
            return None;
        }
        let group = context.abelian_group(interrupt)?;
        if group.order() != count {
            return None;
        }
        let origin = RouterId(0);
        let mut member = vec![0; count];
        for number in 0..count as u32 {
            member[group.image(number, origin).index()] = number;
        }
        let heads: Vec<usize> = network
            .out_channels(origin)
            .iter()
            .map(|&channel| network.channel(channel).head.index())
            .collect();
        // In an abelian group, a member moves every router along the same direction.
        let shift = |head: usize| -> Vec<usize> {
            group.images(member[head]).iter().map(|&image| image as usize).collect()
        };
        let inverse_of = |head: usize| group.image(group.inverse(member[head]), origin).index();
        let x = heads[0];
        let y = *heads.iter().find(|&&head| head != x && head != inverse_of(x))?;
        let ends = [x, y, inverse_of(x), inverse_of(y)];
        let is_apart =
            (0..4).all(|at| heads.contains(&ends[at]) && !ends[..at].contains(&ends[at]));
        if !is_apart {
            return None;
        }
        let next = ends.map(shift);
        let mut channel = [(); 4].map(|()| Vec::with_capacity(count));
        for (next, channels) in next.iter().zip(&mut channel) {
            for router in network.routers() {
                let to = next[router.index()];
                let leaving = network.out_channels(router).iter();
                let leads = |&&channel: &&ChannelId| network.channel(channel).head.index() == to;
                channels.push(*leaving.clone().find(leads)?);
            }
        }
        let processors = network.routers().map(|router| network.residents(router)[0]).collect();
        let mut lattice = Self {
            next,
            channel,
            processors,
            messages: Pairs::new(problem)?,
            inverse: Vec::new(),
            quarter: Vec::new(),
            is_turning: false,
            ways: vec![Vec::new(); count],
        };
        lattice.list_ways()?;
        lattice.inverse = lattice.images(|(i, j)| (-i, -j));
        lattice.quarter = lattice.images(|(i, j)| (j, -i));
        lattice.is_turning = lattice.is_turn(&lattice.quarter);
        Some(lattice)
    }

    /// The next router of every router in a direction.
    pub fn next(&self, direction: Direction) -> &[usize] {
        &self.next[direction as usize]
    }

    /// The channel from a router in a direction.
    pub fn channel(&self, direction: Direction, router: usize) -> ChannelId {
        self.channel[direction as usize][router]
    }

    /// The message from one router to another.
    pub fn message(&self, from: RouterId, to: RouterId) -> Option<MessageId> {
        self.messages.message(from, to)
    }

    /// Whether the turn by a quarter is an automorphism.
    pub fn turns(&self) -> bool {
        self.is_turning
    }

    /// One of every two opposite routers, as the shortest ways to it from the origin.
    pub fn offsets(&self) -> Vec<&[(i32, i32)]> {
        let routers = 1..self.ways.len();
        let firsts = routers.filter(|&router| router < self.inverse[router]);
        firsts.map(|router| &self.ways[router][..]).collect()
    }

    /// The router at a place of the lattice.
    fn at(&self, (i, j): (i32, i32)) -> usize {
        let mut at = 0;
        for (count, forward, back) in
            [(i, Direction::X, Direction::BackX), (j, Direction::Y, Direction::BackY)]
        {
            let direction = if count < 0 { back } else { forward };
            for _ in 0..count.unsigned_abs() {
                at = self.next(direction)[at];
            }
        }
        at
    }

    /// Lists the shortest ways to all routers, by rising distance.
    fn list_ways(&mut self) -> Option<()> {
        let count = self.processors.len();
        let mut distance = vec![i32::MAX; count];
        let mut reached = 0;
        for far in 0..count as i32 {
            let before = reached;
            for i in -far..=far {
                let rest = far - i.abs();
                for j in if rest == 0 { vec![0] } else { vec![-rest, rest] } {
                    let router = self.at((i, j));
                    if distance[router] == i32::MAX {
                        distance[router] = far;
                        reached += 1;
                    }
                    if distance[router] == far {
                        self.ways[router].push((i, j));
                    }
                }
            }
            if reached == before {
                break;
            }
        }
        (reached == count).then_some(())
    }

    /// The image of every router, by its first way.
    fn images(&self, map: impl Fn((i32, i32)) -> (i32, i32)) -> Vec<usize> {
        self.ways.iter().map(|ways| self.at(map(ways[0]))).collect()
    }

    fn is_turn(&self, image: &[usize]) -> bool {
        let directions = [Direction::X, Direction::Y, Direction::BackX, Direction::BackY];
        directions.iter().all(|&direction| {
            let (next, turned) = (self.next(direction), self.next(direction.turned()));
            (0..image.len()).all(|router| image[next[router]] == turned[image[router]])
        })
    }
}
