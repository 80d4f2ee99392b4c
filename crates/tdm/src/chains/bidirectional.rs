//! Bidirectional tori: one chain per quadrant, east-north, north-west, west-south and south-east, one
//! after the other. Together they take two periods, so two of them always run at the same time. Each
//! direction is used by two chains, once as the first and once as the second leg; words along its axis
//! fill the two gaps between them. For an even side, half the words with n/2 hops in one dimension go one
//! way and half the other.
//!
//! A chain may also go on with another number of hops than it left off with: a word along an axis of
//! just the difference then fills the gap. Annealing changes the order of the chains until no port is
//! used twice in a slot.

use super::circuit;
use super::torus::{Leg, SquareTorus, Start};
use pavane_search::{Interrupt, Rng};

/// The directions of the first and the second leg of every quadrant; the number of a direction is that
/// of the chain whose first leg it is.
const LEGS: [[usize; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];

/// Moves of one annealing run, and its first and last temperature.
const MOVES: u64 = 1_000_000;
const HOT: f64 = 0.35;
const COLD: f64 = 0.2;

/// One attempt at a schedule with the period of the chains, in at most `limit` moves. Returns the moves
/// that it made, too.
pub(crate) fn search(
    torus: SquareTorus,
    limit: u64,
    rng: &mut Rng,
    interrupt: &Interrupt,
) -> (u64, Option<Vec<Start>>) {
    let mut layout = Layout::random(torus, rng);
    let mut evaluation = Evaluation::new(layout.period);
    let (moves, is_solved) = layout.anneal(&mut evaluation, limit, rng, interrupt);
    if !is_solved {
        return (moves, None);
    }
    let mut starts = Vec::new();
    evaluation.run(&layout, |direction, [first, second], slot| {
        let leg = |leg: usize, hops: i32| Leg { direction: direction[leg], hops: hops as usize };
        starts.push(Start { legs: [leg(0, first), leg(1, second)], slot });
    });
    (moves, Some(starts))
}

/// Hops in the first and in the second direction.
type Hops = [i32; 2];

/// A word along an axis.
#[derive(Debug, Clone, Copy)]
struct Axial {
    hops: i32,
    /// Whether it is before the chain that uses its direction first, rather than after it. Without
    /// meaning while it fills a gap inside a chain.
    is_before: bool,
}

/// The order of all words.
#[derive(Debug, Clone)]
struct Layout {
    period: i32,
    chains: [Vec<Hops>; 4],
    axes: [Vec<Axial>; 4],
}

impl Layout {
    fn random(torus: SquareTorus, rng: &mut Rng) -> Self {
        let (side, period) = (torus.side, torus.chain_period());
        let half = side / 2;
        let is_even = side.is_multiple_of(2);
        let most = if is_even { half - 1 } else { half };
        let mut edges: [Vec<(usize, usize)>; 4] = Default::default();
        let mut axes: [Vec<usize>; 4] = std::array::from_fn(|_| (1..=most).collect());
        for of_quadrant in &mut edges {
            of_quadrant.extend((1..=most).flat_map(|a| (1..=most).map(move |b| (a, b))));
        }
        if is_even {
            let mut order: Vec<usize> = (1..half).collect();
            rng.shuffle(&mut order);
            let chosen = (half - 1).div_ceil(2);
            for (quadrant, of_quadrant) in edges.iter_mut().enumerate() {
                let part = if quadrant % 2 == 0 { &order[..chosen] } else { &order[chosen..] };
                of_quadrant.extend(part.iter().flat_map(|&hops| [(half, hops), (hops, half)]));
            }
            // One word goes n/2 hops in both dimensions; those along one axis go the other way.
            let quadrant = 2 * rng.below(2);
            edges[quadrant].push((half, half));
            for direction in LEGS[quadrant] {
                axes[(direction + 2) % 4].push(half);
            }
        }
        let chain = |of_quadrant: Vec<(usize, usize)>| -> Vec<Hops> {
            let circuit = circuit::random(&of_quadrant, rng);
            circuit.windows(2).map(|pair| [pair[0] as i32, pair[1] as i32]).collect()
        };
        let chains = edges.map(chain);
        let axes = axes.map(|axis| {
            let mut axis: Vec<Axial> = axis
                .iter()
                .map(|&hops| Axial { hops: hops as i32, is_before: rng.chance(0.5) })
                .collect();
            rng.shuffle(&mut axis);
            axis
        });
        Self { period: period as i32, chains, axes }
    }

    /// Anneals until no two words use a port in the same slot. Returns the moves and whether it succeeds.
    fn anneal(
        &mut self,
        evaluation: &mut Evaluation,
        limit: u64,
        rng: &mut Rng,
        interrupt: &Interrupt,
    ) -> (u64, bool) {
        if !(0..100).any(|_| self.fit(evaluation, rng)) {
            return (1, false);
        }
        let mut cost = evaluation.run(self, |_, _, _| {});
        let mut changed = self.clone();
        for number in 0..MOVES.min(limit) {
            if cost == 0 {
                return (number, true);
            }
            if number % 1024 == 0 && interrupt.is_raised() {
                return (number, false);
            }
            let done = number as f64 / MOVES as f64;
            let heat = HOT * (COLD / HOT).powf(done);
            let chain = changed.change(rng);
            let is_fit = changed.fit(evaluation, rng);
            let new = is_fit.then(|| evaluation.run(&changed, |_, _, _| {}));
            let mut is_accepted =
                |new: i32| new <= cost || rng.unit() < (f64::from(cost - new) / heat).exp();
            match new.filter(|&new| is_accepted(new)) {
                Some(new) => {
                    cost = new;
                    self.copy(&changed, chain);
                }
                None => changed.copy(self, chain),
            }
        }
        (MOVES.min(limit), cost == 0)
    }

    /// Copies a chain and the axes.
    fn copy(&mut self, from: &Self, chain: Option<usize>) {
        if let Some(chain) = chain {
            self.chains[chain].copy_from_slice(&from.chains[chain]);
        }
        for (axis, other) in self.axes.iter_mut().zip(&from.axes) {
            axis.copy_from_slice(other);
        }
    }

    /// Changes one thing at random. Returns the chain that changed, if one did.
    fn change(&mut self, rng: &mut Rng) -> Option<usize> {
        if rng.below(4) == 0 {
            let axis = &mut self.axes[rng.below(4)];
            let (one, other) = (rng.below(axis.len()), rng.below(axis.len()));
            axis.swap(one, other);
            return None;
        }
        let number = rng.below(4);
        let chain = &mut self.chains[number];
        let length = chain.len();
        if length < 2 {
            return None;
        }
        // Two neighbouring segments change places. Most ends that do not match are avoided.
        for _ in 0..10 {
            let first = rng.below(length);
            let second = first + 1 + rng.below((length - first).min(length - 1));
            if second >= length {
                continue;
            }
            let third = second + 1 + rng.below(length - second);
            let joins = |one: Option<usize>, other: usize| {
                let Some(one) = one else { return 0 };
                if other == length { 0 } else { usize::from(chain[one][1] != chain[other][0]) }
            };
            let jumps = joins(first.checked_sub(1), second)
                + joins(Some(third - 1), first)
                + joins(Some(second - 1), third);
            if jumps <= rng.below(3) {
                chain[first..third].rotate_left(second - first);
                break;
            }
        }
        Some(number)
    }

    /// Makes the chains end where they began two periods earlier: moves words along the axes to the other
    /// side of their chain. Fails if a few attempts do not suffice.
    fn fit(&mut self, evaluation: &mut Evaluation, rng: &mut Rng) -> bool {
        let Some(excess) = evaluation.excess(self) else { return false };
        let mut left = excess;
        for _ in 0..12 {
            if left == 0 {
                return true;
            }
            // A word that makes the ends meet, or any word.
            let (turn, is_exact) = (rng.below(4), rng.chance(0.7));
            let mut found = None;
            'all: for number in 0..4 {
                let direction = (turn + number) % 4;
                let axis = &self.axes[direction];
                let begin = rng.below(axis.len());
                for at in (begin..axis.len()).chain(0..begin) {
                    let axial = axis[at];
                    let effect = if axial.is_before { -axial.hops } else { axial.hops };
                    let is_free = !evaluation.is_inside(direction, axial.hops);
                    if is_free && (left + effect == 0 || !is_exact && (left > 0) == (effect < 0)) {
                        found = Some((direction, at, effect));
                        break 'all;
                    }
                }
            }
            let Some((direction, at, effect)) = found else { continue };
            self.axes[direction][at].is_before ^= true;
            left += effect;
        }
        left == 0
    }
}

/// Places the words of a layout.
struct Evaluation {
    period: i32,
    /// Per direction, the words along its axis that fill gaps inside chains, as bits by hops.
    inside: [u64; 4],
    /// Slots of the injection and of the ejection port.
    ports: [Vec<u64>; 2],
}

impl Evaluation {
    fn new(period: i32) -> Self {
        let blocks = (period as usize).div_ceil(64);
        Self { period, inside: [0; 4], ports: [vec![0; blocks], vec![0; blocks]] }
    }

    fn is_inside(&self, direction: usize, hops: i32) -> bool {
        self.inside[direction] >> hops & 1 == 1
    }

    /// By how much the four chains together are longer than two periods. `None` if a gap inside a chain
    /// cannot be filled.
    fn excess(&mut self, layout: &Layout) -> Option<i32> {
        let lengths = layout
            .axes
            .each_ref()
            .map(|axis| axis.iter().fold(0u64, |all, axial| all | 1 << axial.hops));
        self.inside = [0; 4];
        let mut length = -2 * self.period;
        for (quadrant, chain) in layout.chains.iter().enumerate() {
            let [first, second] = LEGS[quadrant];
            for pair in chain.windows(2) {
                let gap = pair[1][0] - pair[0][1];
                length += pair[0][0];
                if gap == 0 {
                    continue;
                }
                let direction = if gap < 0 { first } else { second };
                let bit = 1 << gap.abs();
                if lengths[direction] & bit == 0 || self.inside[direction] & bit != 0 {
                    return None;
                }
                self.inside[direction] |= bit;
                length += (-gap).max(0);
            }
            let last = chain[chain.len() - 1];
            length += last[0] + last[1];
        }
        for (direction, axis) in layout.axes.iter().enumerate() {
            for axial in axis {
                if axial.is_before && !self.is_inside(direction, axial.hops) {
                    length += axial.hops;
                }
            }
        }
        Some(length)
    }

    /// Places all words of a layout that fits. Returns the number of words too many in the slots of both
    /// ports.
    fn run(&mut self, layout: &Layout, mut told: impl FnMut([usize; 2], Hops, usize)) -> i32 {
        for port in &mut self.ports {
            port.fill(0);
        }
        let period = self.period;
        let [injection, ejection] = &mut self.ports;
        let mut collisions = 0;
        let mut take = |port: &mut [u64], slot: i32| {
            let (block, bit) = (slot as usize / 64, 1 << (slot % 64));
            collisions += i32::from(port[block] & bit != 0);
            port[block] |= bit;
        };
        let mut place = |directions: [usize; 2], hops: Hops, slot: i32| {
            let mut slot = slot;
            while slot >= period {
                slot -= period;
            }
            take(injection, slot);
            let mut last = slot + hops[0] + hops[1] + 1;
            while last >= period {
                last -= period;
            }
            take(ejection, last);
            told(directions, hops, slot as usize);
        };
        let mut at = 0;
        for (quadrant, chain) in layout.chains.iter().enumerate() {
            let [first, second] = LEGS[quadrant];
            for (number, &hops) in chain.iter().enumerate() {
                place([first, second], hops, at);
                at += hops[0];
                let Some(next) = chain.get(number + 1) else { continue };
                let gap = next[0] - hops[1];
                if gap > 0 {
                    place([second, second], [gap, 0], at + hops[1]);
                } else if gap < 0 {
                    place([first, first], [-gap, 0], at);
                    at -= gap;
                }
            }
            // After the first leg of the chain, and between its second leg and the next chain.
            let mut after = at;
            for axial in layout.axes[first].iter().filter(|axial| !axial.is_before) {
                if self.inside[first] >> axial.hops & 1 == 0 {
                    place([first, first], [axial.hops, 0], after);
                    after += axial.hops;
                }
            }
            at += chain[chain.len() - 1][1];
            for axial in layout.axes[second].iter().filter(|axial| axial.is_before) {
                if self.inside[second] >> axial.hops & 1 == 0 {
                    place([second, second], [axial.hops, 0], at);
                    at += axial.hops;
                }
            }
        }
        collisions
    }
}
