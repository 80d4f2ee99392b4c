//! The points of the groups and the classes of the links, chosen such that the gaps of the pattern
//! fall into few steps.
//!
//! A gap is a message whose path through the link between two groups is longer than the routing
//! allows. It occurs at routers of two groups `A` and `B` in all steps in which `c(A, t) ^ c(B, t)`
//! has one value, which depends on the classes of the link at its ends: zero if these are equal. The
//! points `[1, x, y]` of two groups with the same `x` or the same `y` have equal inner products with
//! the same steps, whichever groups they are. So groups with gaps between them get points in a line,
//! and links with gaps the same class at both ends.

use super::arrangement::Arrangement;
use crate::rng::Rng;
use pavane_model::{ChannelId, Network, RouterId};

/// Tries to give more links the same class at both ends.
const TRIES: usize = 4000;

/// Share of the classes of a group that a try removes, and of those elsewhere.
const OWN: f64 = 0.7;
const OTHERS: f64 = 0.01;

const NONE: u32 = u32::MAX;

/// The number of gaps between groups, for every group and other group.
struct Gaps {
    groups: usize,
    counts: Vec<u32>,
}

impl Gaps {
    fn new(arrangement: &Arrangement, network: &Network, detour: u32) -> Self {
        let (size, groups) = (arrangement.size, arrangement.groups as usize);
        let mut counts = vec![0; groups * groups];
        for target in network.routers() {
            let distances = network.distances_to(target);
            let to = (target.0 / size) as usize;
            for from in (0..groups).filter(|&from| from != to) {
                let link = network.channel(arrangement.link(from as u32, to as u32));
                let last = 1 + u32::from(link.head != target);
                let own = (from as u32 * size..(from as u32 + 1) * size).map(RouterId);
                let is_gap = |origin: &RouterId| {
                    let length = u32::from(link.tail != *origin) + last;
                    length > distances[origin.index()].saturating_add(detour)
                };
                counts[from * groups + to] += own.filter(is_gap).count() as u32;
            }
        }
        Self { groups, counts }
    }

    fn between(&self, from: usize, to: usize) -> u32 {
        self.counts[from * self.groups + to]
    }
}

impl Arrangement {
    /// Aligns the gaps of paths at most `detour` channels longer than the shortest.
    pub fn align(&mut self, network: &Network, detour: u32) {
        let gaps = Gaps::new(self, network, detour);
        if gaps.counts.iter().any(|&count| count > 0) {
            self.points = points(&gaps, self.size);
            let mut classes = LinkClasses::new(self, network, &gaps);
            classes.improve(&mut Rng::seeded(0));
            self.classes = classes.all(network);
        }
    }
}

/// Points with groups in a line if there are gaps between them, and with few others in these lines.
fn points(gaps: &Gaps, size: u32) -> Vec<[u32; 3]> {
    let mut free: Vec<[u32; 3]> = (0..size * size).map(|at| [1, at / size, at % size]).collect();
    let mut points: Vec<[u32; 3]> = Vec::new();
    for group in 0..gaps.groups {
        let cost = |point: &[u32; 3]| {
            let aligned = |other: &&[u32; 3]| other[1] == point[1] || other[2] == point[2];
            let others = (0..).zip(&points).filter(|(_, other)| aligned(other));
            let counts =
                others.map(|(other, _)| gaps.between(group, other) + gaps.between(other, group));
            counts.fold((0, 0), |(cost, strangers), count| {
                (cost - i64::from(count), strangers + u32::from(count == 0))
            })
        };
        let best =
            (0..free.len()).min_by_key(|&at| cost(&free[at])).expect("more points than groups");
        points.push(free.remove(best));
    }
    points
}

/// A link with gaps between two groups, in one direction.
struct GapLink {
    channel: usize,
    /// Routers at its ends.
    ends: [usize; 2],
    gaps: u32,
    /// Its class at both ends.
    class: Option<u32>,
}

/// The classes of links with gaps. At a router, all links have different classes; in a group, half of
/// the classes belong to links outwards, the others to those inwards.
struct LinkClasses {
    size: u32,
    links: Vec<GapLink>,
    /// Per router, its used classes as bits.
    used: Vec<u32>,
    /// Per group, class and direction: the number of links.
    counts: Vec<[u32; 2]>,
}

impl LinkClasses {
    fn new(arrangement: &Arrangement, network: &Network, gaps: &Gaps) -> Self {
        let size = arrangement.size;
        let groups = gaps.groups;
        let pairs = (0..groups).flat_map(|from| (0..groups).map(move |to| (from, to)));
        let links = pairs.filter(|&(from, to)| gaps.between(from, to) > 0).map(|(from, to)| {
            let channel = arrangement.link(from as u32, to as u32);
            let ends = network.channel(channel);
            let ends = [ends.tail, ends.head].map(RouterId::index);
            GapLink { channel: channel.index(), ends, gaps: gaps.between(from, to), class: None }
        });
        let used = vec![0; network.router_count()];
        let counts = vec![[0; 2]; groups * size as usize];
        Self { size, links: links.collect(), used, counts }
    }

    /// Index in `counts`.
    fn place(&self, router: usize, class: u32) -> usize {
        let size = self.size as usize;
        router / size * size + class as usize
    }

    /// Whether a class is possible at one end of a link.
    fn is_open(&self, router: usize, direction: usize, class: u32) -> bool {
        let first = self.place(router, 0);
        let of_group = &self.counts[first..first + self.size as usize];
        let own = of_group[class as usize];
        let in_use = || of_group.iter().filter(|counts| counts[direction] > 0).count() as u32;
        self.used[router] >> class & 1 == 0
            && own[1 - direction] == 0
            && (own[direction] > 0 || in_use() < self.size / 2)
    }

    /// Gives a class to a link at both ends, or takes it away.
    fn set(&mut self, link: usize, class: Option<u32>) {
        let GapLink { ends, class: old, .. } = self.links[link];
        for (direction, router) in ends.into_iter().enumerate() {
            if let Some(old) = old {
                let place = self.place(router, old);
                self.used[router] &= !(1 << old);
                self.counts[place][direction] -= 1;
            }
            if let Some(class) = class {
                let place = self.place(router, class);
                self.used[router] |= 1 << class;
                self.counts[place][direction] += 1;
            }
        }
        self.links[link].class = class;
    }

    /// Gives classes to the links without one, in random order, as far as possible.
    fn fill(&mut self, rng: &mut Rng) {
        let mut open: Vec<usize> =
            (0..self.links.len()).filter(|&at| self.links[at].class.is_none()).collect();
        rng.shuffle(&mut open);
        for link in open {
            let [tail, head] = self.links[link].ends;
            let fits = |&class: &u32| self.is_open(tail, 0, class) && self.is_open(head, 1, class);
            let fitting: Vec<u32> = (0..self.size).filter(fits).collect();
            if !fitting.is_empty() {
                self.set(link, Some(fitting[rng.below(fitting.len())]));
            }
        }
    }

    /// The gaps of links without a class, squared for every group and direction, so that no group has
    /// many.
    fn cost(&self) -> u32 {
        let mut lost = vec![[0; 2]; self.counts.len() / self.size as usize];
        for link in self.links.iter().filter(|link| link.class.is_none()) {
            for (direction, router) in link.ends.into_iter().enumerate() {
                lost[router / self.size as usize][direction] += link.gaps;
            }
        }
        lost.iter().flatten().map(|lost| lost * lost).sum()
    }

    /// Takes away the classes around one group and fills again; the result is kept if it is no worse.
    fn improve(&mut self, rng: &mut Rng) {
        self.fill(rng);
        let groups = self.counts.len() / self.size as usize;
        let mut best = self.cost();
        for _ in 0..TRIES {
            if best == 0 {
                return;
            }
            let before: Vec<Option<u32>> = self.links.iter().map(|link| link.class).collect();
            let group = rng.below(groups);
            for link in 0..self.links.len() {
                let ends = self.links[link].ends.map(|router| router / self.size as usize);
                if rng.chance(if ends.contains(&group) { OWN } else { OTHERS }) {
                    self.set(link, None);
                }
            }
            self.fill(rng);
            let cost = self.cost();
            if cost <= best {
                best = cost;
                continue;
            }
            (0..before.len()).for_each(|link| self.set(link, None));
            before.into_iter().enumerate().for_each(|(link, class)| self.set(link, class));
        }
    }

    /// The classes of all channels between groups, at the tail and at the head.
    fn all(&self, network: &Network) -> Vec<[u32; 2]> {
        let mut classes = vec![[NONE; 2]; network.channel_count()];
        for link in &self.links {
            if let Some(class) = link.class {
                classes[link.channel] = [class; 2];
            }
        }
        for router in network.routers() {
            let outwards = self.outwards(router.index());
            let group = |router: RouterId| router.0 / self.size;
            for direction in [0, 1] {
                let channels =
                    [network.out_channels(router), network.in_channels(router)][direction];
                let is_between = |channel: &&ChannelId| {
                    let ends = network.channel(**channel);
                    group(ends.tail) != group(ends.head)
                };
                let own = channels.iter().filter(is_between).map(|channel| channel.index());
                let mut rest = if direction == 0 { outwards } else { !outwards };
                let (chosen, open): (Vec<usize>, Vec<usize>) =
                    own.partition(|&channel| classes[channel][direction] != NONE);
                for channel in chosen {
                    rest &= !(1 << classes[channel][direction]);
                }
                for channel in open {
                    classes[channel][direction] = rest.trailing_zeros();
                    rest &= rest - 1;
                }
            }
        }
        classes
    }

    /// The classes of links outwards in the group of a router, as bits: half of all.
    fn outwards(&self, router: usize) -> u32 {
        let first = self.place(router, 0);
        let counts = &self.counts[first..first + self.size as usize];
        let chosen = |direction: usize| {
            let used = (0..self.size).filter(move |&class| counts[class as usize][direction] > 0);
            used.fold(0_u32, |bits, class| bits | 1 << class)
        };
        let (mut outwards, inwards) = (chosen(0), chosen(1));
        for class in 0..self.size {
            if outwards.count_ones() < self.size / 2 && inwards >> class & 1 == 0 {
                outwards |= 1 << class;
            }
        }
        outwards
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    fn aligned(name: &str) -> (Network, Arrangement) {
        let network = topology::build(name).expect("a known network");
        let mut arrangement = Arrangement::new(&network).expect("a balanced dragonfly");
        arrangement.align(&network, 0);
        (network, arrangement)
    }

    /// The gaps of every step.
    fn gaps(network: &Network, arrangement: &Arrangement) -> Vec<usize> {
        let distances: Vec<Vec<u32>> =
            network.routers().map(|router| network.distances_to(router)).collect();
        let is_gap = |from: u32, to: u32, step: u32| {
            let channel = arrangement.link(from, to);
            let (link, classes) = (network.channel(channel), arrangement.classes[channel.index()]);
            let first = classes[0] ^ arrangement.shift(from, step);
            let last = classes[1] ^ arrangement.shift(to, step);
            let length = 1 + u32::from(first > 0) + u32::from(last > 0);
            let (origin, target) = (link.tail.0 ^ first, link.head.0 ^ last);
            length > distances[target as usize][origin as usize]
        };
        let groups = arrangement.groups;
        let of_step = (0..arrangement.size.pow(3)).map(|step| {
            let pairs = (0..groups).flat_map(|from| (0..groups).map(move |to| (from, to)));
            pairs.filter(|&(from, to)| from != to && is_gap(from, to, step)).count()
        });
        of_step.collect()
    }

    #[test]
    fn nearly_all_gaps_fall_into_a_quarter_of_the_steps() {
        let (network, arrangement) = aligned("dragonfly:4,8,4");
        let mut gaps = gaps(&network, &arrangement);
        gaps.sort_unstable_by(|one, other| other.cmp(one));
        let (most, all) = (gaps[..128].iter().sum::<usize>(), gaps.iter().sum::<usize>());
        assert!(all > 0 && most * 100 >= 95 * all, "{most} of {all}");
    }

    #[test]
    fn links_of_a_router_have_different_classes_and_those_of_a_group_half_in_each_direction() {
        for name in ["dragonfly:2,2,1", "dragonfly:2,4,2", "dragonfly:4,8,4"] {
            let (network, arrangement) = aligned(name);
            let size = arrangement.size;
            let mut of_group = vec![[None; 2]; arrangement.groups as usize];
            for router in network.routers() {
                let channels = [network.out_channels(router), network.in_channels(router)];
                for (direction, channels) in channels.into_iter().enumerate() {
                    let leads_on = |channel: &&ChannelId| {
                        let ends = network.channel(**channel);
                        ends.tail.0 / size != ends.head.0 / size
                    };
                    let between = channels.iter().filter(leads_on);
                    let classes = between.map(|c| arrangement.classes[c.index()][direction]);
                    let bits = classes.fold(0_u32, |bits, class| bits | 1 << class);
                    assert_eq!(bits.count_ones(), size / 2, "{name}");
                    let known = &mut of_group[(router.0 / size) as usize][direction];
                    assert_eq!(*known.get_or_insert(bits), bits, "{name}");
                }
            }
            for [outwards, inwards] in of_group {
                assert_eq!(outwards.zip(inwards).map(|(out, into)| out & into), Some(0), "{name}");
            }
        }
    }

    #[test]
    fn points_of_groups_differ() {
        let (_, arrangement) = aligned("dragonfly:4,8,4");
        let mut points = arrangement.points.clone();
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len() as u32, arrangement.groups);
    }
}
