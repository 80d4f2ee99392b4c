//! All-to-all on rings and tori whose sides are multiples of four. In a ring, two routers and the
//! routers opposite them are the corners of a rectangle; the messages along its sides take every
//! channel of one direction once. A round of disjoint rectangles has every router as a corner. The
//! product of one rectangle per dimension gives messages that take every line through its corners
//! once, and a step consists of products that share no line.

use super::super::weights::is_personalised;
use crate::attempt::{Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{
    ChannelId, Duplex, MessageId, Ports, Problem, ProcessorId, RouterId, Schedule, Switching,
    Transfer,
};

/// No message.
const NONE: MessageId = MessageId(u32::MAX);

/// Products of rectangles around the rings of a torus.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rectangles;

impl Suitability for Rectangles {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole
            && is_personalised(problem)
            && Torus::sides_of(problem).is_some()
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        problem.network().router_count() as u64 * problem.messages().len() as u64
    }
}

impl Engine for Rectangles {
    fn describe(&self) -> Traits {
        Traits {
            name: "rectangles",
            purpose: "rectangles around rings and tori with sides that are multiples of four; all-to-all, wormhole",
            wants_prices: false,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        let problem = context.problem();
        let torus = Torus::new(problem)?;
        let model = problem.model();
        let shifts = torus.sides.iter().max()? / 4;
        // With one port, the messages in opposite directions need different corners.
        let (apart, is_alone) = match (model.duplex, model.ports) {
            (Duplex::Half, _) => (0, true),
            (Duplex::Full, Ports::Limited(1)) => (1, shifts == 1),
            _ => (0, false),
        };
        let dimensions = torus.sides.len();
        let all = (1_usize << dimensions) - 1;
        let rounds: Vec<Vec<RectangleRound>> =
            torus.sides.iter().map(|&side| rounds(side)).collect();
        let mut schedule = Schedule::new();
        for choice in Counter::new(rounds.iter().map(Vec::len).collect()) {
            let chosen: Vec<&RectangleRound> =
                rounds.iter().zip(&choice).map(|(rounds, &number)| &rounds[number]).collect();
            for shift in 0..shifts {
                for forward in 0..=all / 2 {
                    schedule.start_step();
                    torus.send(&chosen, shift, forward, budget, &mut schedule)?;
                    if is_alone {
                        schedule.start_step();
                    }
                    let other = (shift + apart) % shifts;
                    torus.send(&chosen, other, all - forward, budget, &mut schedule)?;
                }
            }
        }
        Some(schedule)
    }
}

/// Disjoint rectangles with all positions of a ring as corners. A rectangle `(a, b)` has the
/// corners `a`, `b` and the positions opposite them.
struct RectangleRound {
    rectangles: Vec<(usize, usize)>,
    /// Whether messages go to the opposite position, half of them in each direction; the other
    /// corners send to themselves.
    is_opposite: bool,
}

/// The rounds of a ring: every two positions of its first half are in one rectangle, and one more
/// round has the messages to opposite positions.
fn rounds(side: usize) -> Vec<RectangleRound> {
    let half = side / 2;
    let mut rounds = Vec::with_capacity(half);
    // A round-robin tournament: one position stays, the others rotate.
    for turn in 0..half - 1 {
        let player = |place: usize| (turn + place) % (half - 1);
        let mut rectangles = vec![(half - 1, player(0))];
        rectangles.extend((1..half / 2).map(|place| (player(place), player(half - 1 - place))));
        rounds.push(RectangleRound { rectangles, is_opposite: false });
    }
    let rectangles = (0..half / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect();
    rounds.push(RectangleRound { rectangles, is_opposite: true });
    rounds
}

/// The hops from a corner of a rectangle of a ring to the corner that receives its message.
fn hops(
    round: &RectangleRound,
    rectangle: usize,
    corner: usize,
    side: usize,
    is_forward: bool,
) -> usize {
    let half = side / 2;
    let (one, other) = round.rectangles[rectangle];
    let is_one = corner % half == one;
    if round.is_opposite {
        return if is_one == is_forward { half } else { 0 };
    }
    let to = if is_one { other } else { one };
    let ahead = (to + side - corner) % half;
    if is_forward { ahead } else { half - ahead }
}

/// A torus with one processor on each router, and the message for every pair of them.
struct Torus {
    sides: Vec<usize>,
    processors: Vec<ProcessorId>,
    /// Per router and dimension, the channels to the next and to the previous router.
    channels: Vec<[ChannelId; 2]>,
    /// The message from one router to another, in one list.
    messages: Vec<MessageId>,
}

impl Torus {
    /// The sides of the torus; `None` unless the problem is an all-to-all on a torus whose sides are
    /// multiples of four and whose routers are numbered line by line.
    fn sides_of(problem: &Problem) -> Option<Vec<usize>> {
        let network = problem.network();
        let count = network.router_count();
        let degree = network.out_channels(network.routers().next()?).len();
        if degree == 0
            || degree % 2 != 0
            || count.checked_mul(degree) != Some(network.channel_count())
            || count.checked_mul(count - 1) != Some(problem.messages().len())
        {
            return None;
        }
        let mut candidates = Vec::new();
        factor(count, degree / 2, &mut Vec::new(), &mut candidates);
        candidates.into_iter().find(|sides| is_torus(problem, sides))
    }

    fn new(problem: &Problem) -> Option<Self> {
        let (network, messages) = (problem.network(), problem.messages());
        let sides = Self::sides_of(problem)?;
        let count = network.router_count();
        let mut channels = Vec::with_capacity(count * sides.len());
        let mut processors = Vec::with_capacity(count);
        for router in network.routers() {
            let &[processor] = network.residents(router) else { return None };
            processors.push(processor);
            for dimension in 0..sides.len() {
                let ways = [1, sides[dimension] - 1]
                    .map(|ahead| moved(router.index(), &sides, dimension, ahead));
                let [Some(next), Some(back)] = ways.map(|to| channel_between(problem, router, to))
                else {
                    return None;
                };
                channels.push([next, back]);
            }
        }
        let mut table = vec![NONE; count * count];
        for message in messages.ids() {
            let [to] = messages.destinations(message) else { return None };
            let [from, to] =
                [messages.origin(message), *to].map(|processor| problem.home(processor).index());
            let entry = &mut table[from * count + to];
            if from == to || std::mem::replace(entry, message) != NONE {
                return None;
            }
        }
        Some(Self { sides, processors, channels, messages: table })
    }

    /// Adds the messages of the products of rectangles whose numbers add up to `shift`. Bit `d` of
    /// `forward` is the direction in dimension `d`. `None` on interrupt.
    fn send(
        &self,
        rounds: &[&RectangleRound],
        shift: usize,
        forward: usize,
        budget: &mut Budget,
        schedule: &mut Schedule,
    ) -> Option<()> {
        let dimensions = self.sides.len();
        let shifts = self.sides.iter().max()? / 4;
        let count = self.processors.len();
        let mut path = Vec::new();
        for rectangles in Counter::new(self.sides.iter().map(|side| side / 4).collect()) {
            if rectangles.iter().sum::<usize>() % shifts != shift {
                continue;
            }
            for corners in Counter::new(vec![4; dimensions]) {
                let position = |dimension: usize| {
                    let (one, other) = rounds[dimension].rectangles[rectangles[dimension]];
                    let corner = corners[dimension];
                    let first = if corner % 2 == 0 { one } else { other };
                    first + (corner / 2) * (self.sides[dimension] / 2)
                };
                let from = (0..dimensions).fold(0, |router, dimension| {
                    router * self.sides[dimension] + position(dimension)
                });
                path.clear();
                let mut at = from;
                for dimension in 0..dimensions {
                    let side = self.sides[dimension];
                    let is_forward = forward >> dimension & 1 == 1;
                    let (way, ahead) = if is_forward { (0, 1) } else { (1, side - 1) };
                    let (round, rectangle) = (rounds[dimension], rectangles[dimension]);
                    for _ in 0..hops(round, rectangle, position(dimension), side, is_forward) {
                        path.push(self.channels[at * dimensions + dimension][way]);
                        at = moved(at, &self.sides, dimension, ahead);
                    }
                }
                budget.spend(1 + path.len() as u64);
                if at != from {
                    let message = self.messages[from * count + at];
                    let (from, to) = (self.processors[from], self.processors[at]);
                    schedule.push(Transfer { message, from, to, path: &path });
                }
            }
        }
        (!budget.is_stopped()).then_some(())
    }
}

/// Lists the ways to write `rest` as an ordered product of `more` multiples of four.
fn factor(rest: usize, more: usize, sides: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if more == 0 {
        if rest == 1 {
            all.push(sides.clone());
        }
        return;
    }
    for side in (4..=rest).step_by(4).filter(|&side| rest.is_multiple_of(side)) {
        sides.push(side);
        factor(rest / side, more - 1, sides, all);
        sides.pop();
    }
}

/// Whether every router has a channel to each neighbour of a torus with these sides.
fn is_torus(problem: &Problem, sides: &[usize]) -> bool {
    problem.network().routers().all(|router| {
        (0..sides.len()).all(|dimension| {
            [1, sides[dimension] - 1].into_iter().all(|ahead| {
                let to = moved(router.index(), sides, dimension, ahead);
                channel_between(problem, router, to).is_some()
            })
        })
    })
}

fn channel_between(problem: &Problem, from: RouterId, to: usize) -> Option<ChannelId> {
    let network = problem.network();
    let ways = network.out_channels(from).iter();
    ways.copied().find(|&channel| network.channel(channel).head.index() == to)
}

/// The router that is `ahead` routers further in a dimension. The last dimension varies fastest.
fn moved(router: usize, sides: &[usize], dimension: usize, ahead: usize) -> usize {
    let stride: usize = sides[dimension + 1..].iter().product();
    let position = router / stride % sides[dimension];
    router - position * stride + (position + ahead) % sides[dimension] * stride
}

/// All combinations of numbers below the given limits.
struct Counter {
    limits: Vec<usize>,
    next: Option<Vec<usize>>,
}

impl Counter {
    fn new(limits: Vec<usize>) -> Self {
        let first = limits.iter().all(|&limit| limit > 0).then(|| vec![0; limits.len()]);
        Self { limits, next: first }
    }
}

impl Iterator for Counter {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let mut next = current.clone();
        for (number, &limit) in next.iter_mut().zip(&self.limits).rev() {
            *number += 1;
            if *number < limit {
                self.next = Some(next);
                break;
            }
            *number = 0;
        }
        Some(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_positions_is_in_one_message() {
        for side in [4, 8, 12, 20, 64] {
            let mut is_sent = vec![false; side * side];
            for round in rounds(side) {
                for is_forward in [true, false] {
                    let mut uses = vec![0; side];
                    for (number, &(one, other)) in round.rectangles.iter().enumerate() {
                        for corner in [one, other, one + side / 2, other + side / 2] {
                            let hops = hops(&round, number, corner, side, is_forward);
                            let to = (corner + if is_forward { hops } else { side - hops }) % side;
                            assert!(!std::mem::replace(&mut is_sent[corner * side + to], true));
                            uses[number] += hops;
                        }
                    }
                    assert!(uses[..side / 4].iter().all(|&uses| uses == side));
                }
            }
            assert!(!is_sent.contains(&false), "{side}");
        }
    }
}
