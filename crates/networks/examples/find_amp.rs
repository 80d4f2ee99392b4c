//! Finds the wirings of the `amp` family by simulated annealing: `n` routers with 4 ports each and
//! the smallest average distance found. Two ports, on two different routers, stay free for a system
//! controller, so there are 2n − 1 links. A move swaps the ends of two links, or moves an end of a
//! link to a free port. Prints lines for `src/topology/amp.txt`:
//! ```text
//! cargo run --release -p pavane-networks --example find_amp -- N SEED EVALUATIONS
//! ```

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::io::Write;

const DEGREE: usize = 4;

type Link = (usize, usize);
type Links = Vec<Link>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<u64> =
        std::env::args().skip(1).map(|argument| argument.parse()).collect::<Result<_, _>>()?;
    let [n, seed, evaluations] = arguments[..] else {
        return Err("three numbers are needed: N SEED EVALUATIONS".into());
    };
    if !(5..=4096).contains(&n) {
        return Err(format!("N is {n}, but must be from 5 to 4096").into());
    }
    let n = n as usize;
    let links = renumbered(n, &anneal(n, seed, evaluations));
    let near = neighbours(n, &links);
    let (total, _, diameter) = Distances::new(n).measure(&near);
    let average = total as f64 / (n * (n - 1)) as f64;
    let ((from_0, _), _) = breadth_first(&near, 0);
    let mut out = std::io::stdout().lock();
    write!(out, "# find_amp {n} {seed} {evaluations}: average distance {average:.4}, ")?;
    writeln!(out, "diameter {diameter}, {from_0} hops from router 0")?;
    let words: Vec<String> = links.iter().map(|(a, b)| format!("{a}-{b}")).collect();
    writeln!(out, "{n}: {}", words.join(" "))?;
    Ok(())
}

/// Anneals from a ring with chords and returns the best links found.
fn anneal(n: usize, seed: u64, evaluations: u64) -> Links {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut distances = Distances::new(n);
    let mut links: Links =
        (1..=2).flat_map(|step| (0..n).map(move |i| (i, (i + step) % n))).collect();
    links.pop();
    let near = neighbours(n, &links);
    let mut wiring = Wiring { links, near };
    let mut cost = distances.cost(&wiring.near);
    let mut best = (cost, wiring.links.clone());
    for evaluation in 0..evaluations {
        let left = 1.0 - evaluation as f64 / evaluations as f64;
        let temperature = 0.3 * n as f64 * left + 0.01;
        let old = wiring.change(&mut random);
        if old.is_empty() {
            continue;
        }
        let new_cost = distances.cost(&wiring.near);
        if new_cost <= cost || random.random::<f64>() < ((cost - new_cost) / temperature).exp() {
            cost = new_cost;
            if cost < best.0 {
                best = (cost, wiring.links.clone());
            }
        } else {
            wiring.set(&old);
        }
    }
    best.1
}

/// Links, as a list and as the neighbours of each router.
struct Wiring {
    links: Links,
    near: Vec<Vec<usize>>,
}

impl Wiring {
    /// Changes one or two links at random and returns their old values. Changes nothing and returns
    /// an empty list if the move would create a loop or a parallel link.
    fn change(&mut self, random: &mut Xoshiro256PlusPlus) -> Vec<(usize, Link)> {
        let is_free = |a: usize, b: usize| a != b && !self.near[a].contains(&b);
        let is_open = |router: usize| self.near[router].len() < DEGREE;
        let [one, other] = [0; 2].map(|_| random.random_range(0..self.links.len()));
        let (mut a, mut b) = self.links[one];
        if random.random::<bool>() {
            std::mem::swap(&mut a, &mut b);
        }
        let (c, d) = self.links[other];
        let new = if random.random_range(0..8) == 0 {
            let open: Vec<usize> = (0..self.near.len()).filter(|&r| is_open(r)).collect();
            let controller = open[random.random_range(0..open.len())];
            // Both free ports on one router would leave it with only two links.
            let can_move = !is_open(b) && is_free(a, controller);
            if can_move { vec![(one, (a, controller))] } else { Vec::new() }
        } else {
            let can_exchange = one != other && is_free(a, c) && is_free(b, d);
            if can_exchange { vec![(one, (a, c)), (other, (b, d))] } else { Vec::new() }
        };
        let old = new.iter().map(|&(at, _)| (at, self.links[at])).collect();
        self.set(&new);
        old
    }

    fn set(&mut self, links: &[(usize, Link)]) {
        for &(at, new) in links {
            let (a, b) = std::mem::replace(&mut self.links[at], new);
            self.near[a].retain(|&end| end != b);
            self.near[b].retain(|&end| end != a);
            self.near[new.0].push(new.1);
            self.near[new.1].push(new.0);
        }
    }
}

fn neighbours(n: usize, links: &[Link]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::with_capacity(DEGREE + 1); n];
    for &(a, b) in links {
        near[a].push(b);
        near[b].push(a);
    }
    near
}

/// Breadth-first search from all routers at once: the routers that each one reaches, as bit sets.
struct Distances {
    n: usize,
    depth: u64,
    words: usize,
    reached: Vec<u64>,
    next: Vec<u64>,
}

impl Distances {
    fn new(n: usize) -> Self {
        let words = n.div_ceil(64);
        let (mut depth, mut routers, mut level) = (0, 1, DEGREE);
        while routers < n {
            (depth, routers, level) = (depth + 1, routers + level, level * (DEGREE - 1));
        }
        Self { n, depth, words, reached: vec![0; n * words], next: vec![0; n * words] }
    }

    /// The objective of the annealing: the sum of all distances. Hops beyond the depth of a full
    /// tree of `n` routers count fourfold, which also keeps the diameter small.
    fn cost(&mut self, near: &[Vec<usize>]) -> f64 {
        let (total, beyond, _) = self.measure(near);
        (total + 3 * beyond) as f64
    }

    /// The sum of the distances of all ordered pairs, the part of it beyond the depth of a full
    /// tree, and the diameter. Unconnected pairs count as `n` hops.
    fn measure(&mut self, near: &[Vec<usize>]) -> (u64, u64, u64) {
        let Self { n, words, .. } = *self;
        self.reached.fill(0);
        for router in 0..n {
            self.reached[router * words + router / 64] |= 1 << (router % 64);
        }
        let (mut total, mut beyond, mut hops) = (0, 0, 0);
        let mut missing = (n * (n - 1)) as u64;
        while missing > 0 && hops < n as u64 {
            total += missing;
            if hops >= self.depth {
                beyond += missing;
            }
            hops += 1;
            self.next.copy_from_slice(&self.reached);
            for (row, ends) in self.next.chunks_exact_mut(words).zip(near) {
                for &end in ends {
                    let far = &self.reached[end * words..(end + 1) * words];
                    row.iter_mut().zip(far).for_each(|(word, far)| *word |= far);
                }
            }
            std::mem::swap(&mut self.reached, &mut self.next);
            let ones: u64 = self.reached.iter().map(|word| u64::from(word.count_ones())).sum();
            missing = (n * n) as u64 - ones;
        }
        (total, beyond, hops)
    }
}

/// Renumbers the routers breadth first, starting from one with the smallest eccentricity.
fn renumbered(n: usize, links: &[Link]) -> Links {
    let near = neighbours(n, links);
    let orders = (0..n).map(|start| breadth_first(&near, start));
    let (_, order) = orders.min_by_key(|(hops, _)| *hops).unwrap_or_default();
    let mut number = vec![0; n];
    for (new, &old) in order.iter().enumerate() {
        number[old] = new;
    }
    let new = links.iter().map(|&(a, b)| (number[a].min(number[b]), number[a].max(number[b])));
    let mut links: Links = new.collect();
    links.sort_unstable();
    links
}

/// The eccentricity of a router and the sum of its distances, and the routers in order of distance.
fn breadth_first(near: &[Vec<usize>], start: usize) -> ((usize, usize), Vec<usize>) {
    let mut hops = vec![usize::MAX; near.len()];
    hops[start] = 0;
    let mut order = vec![start];
    let mut at = 0;
    while at < order.len() {
        let router = order[at];
        at += 1;
        for &next in &near[router] {
            if hops[next] == usize::MAX {
                hops[next] = hops[router] + 1;
                order.push(next);
            }
        }
    }
    let most = order.last().map_or(0, |&last| hops[last]);
    ((most, order.iter().map(|&router| hops[router]).sum()), order)
}
