//! All-to-all on rings with an odd number of routers. The messages in one direction are the sides
//! of polygons that go once around the ring, so a polygon takes every channel of its direction once.
//! The polygons of a ring with two routers more are those of the smaller ring, and new ones through
//! the two new routers, which lie opposite each other.

use super::super::weights::is_personalised;
use super::pairs::Pairs;
use crate::attempt::{Context, Engine, Suitability, Traits};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{
    ChannelId, Duplex, Ports, Problem, ProcessorId, RouterId, Schedule, Switching, Transfer,
};

/// Corners of a polygon, as positions on the ring, in their order around it.
type Polygon = Vec<usize>;

/// Polygons around an odd ring, one in each direction per step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Polygons;

impl Suitability for Polygons {
    fn takes(&self, problem: &Problem) -> bool {
        problem.model().switching == Switching::Wormhole
            && is_personalised(problem)
            && Ring::new(problem).is_some()
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        8 * problem.messages().len() as u64
    }
}

impl Engine for Polygons {
    fn describe(&self) -> Traits {
        Traits {
            name: "polygons",
            purpose: "polygons around a ring with an odd number of routers; all-to-all, wormhole",
            wants_prices: false,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        let problem = context.problem();
        let ring = Ring::new(problem)?;
        let forward = polygons(ring.routers.len());
        let length = ring.routers.len();
        // The messages in the other direction: the mirror image.
        let mirrored = |polygon: &Polygon| -> Polygon {
            polygon.iter().map(|&corner| (length - corner) % length).collect()
        };
        let backward: Vec<Polygon> = forward.iter().map(mirrored).collect();
        let mut schedule = Schedule::new();
        if problem.model().duplex == Duplex::Half {
            for (polygons, is_forward) in [(&forward, true), (&backward, false)] {
                for polygon in polygons {
                    schedule.start_step();
                    ring.send(polygon, is_forward, budget, &mut schedule)?;
                }
            }
            return Some(schedule);
        }
        let partner = match problem.model().ports {
            Ports::Limited(1) => match_apart(&forward, &backward, length, budget)?,
            _ => (0..forward.len()).collect(),
        };
        for (polygon, &partner) in forward.iter().zip(&partner) {
            schedule.start_step();
            ring.send(polygon, true, budget, &mut schedule)?;
            ring.send(&backward[partner], false, budget, &mut schedule)?;
        }
        Some(schedule)
    }
}

/// A ring with one processor on each router, and the message for every pair of them.
struct Ring {
    /// The routers in their order around the ring.
    routers: Vec<RouterId>,
    processors: Vec<ProcessorId>,
    /// By position, the channels to the next and to the previous router.
    channels: Vec<[ChannelId; 2]>,
    messages: Pairs,
}

impl Ring {
    /// `None` unless the problem is an all-to-all on a ring with an odd number of routers.
    fn new(problem: &Problem) -> Option<Self> {
        let (network, messages) = (problem.network(), problem.messages());
        let count = network.router_count();
        if count < 3 || count.is_multiple_of(2) || messages.len() != count * (count - 1) {
            return None;
        }
        let mut routers = vec![network.routers().next()?];
        let mut channels: Vec<[ChannelId; 2]> = Vec::with_capacity(count);
        let mut position = vec![usize::MAX; count];
        while routers.len() <= count {
            let here = *routers.last()?;
            let before = routers.len().checked_sub(2).map(|index| routers[index]);
            let &[one, other] = network.out_channels(here) else { return None };
            let is_back = before.map_or(position[here.index()] != usize::MAX, |before| {
                network.channel(one).head == before
            });
            let [next, back] = if is_back { [other, one] } else { [one, other] };
            if position[here.index()] != usize::MAX {
                break;
            }
            if before.is_some_and(|before| network.channel(back).head != before) {
                return None;
            }
            position[here.index()] = routers.len() - 1;
            channels.push([next, back]);
            routers.push(network.channel(next).head);
        }
        let last = routers.pop()?;
        if routers.len() != count || last != routers[0] {
            return None;
        }
        let home = |router: &RouterId| match network.residents(*router) {
            &[processor] => Some(processor),
            _ => None,
        };
        let processors: Vec<ProcessorId> = routers.iter().map(home).collect::<Option<_>>()?;
        Some(Self { routers, processors, channels, messages: Pairs::new(problem)? })
    }

    /// Adds the transfers along the sides of a polygon; `None` on interrupt.
    fn send(
        &self,
        polygon: &[usize],
        is_forward: bool,
        budget: &mut Budget,
        schedule: &mut Schedule,
    ) -> Option<()> {
        let count = self.routers.len();
        let (step, way) = if is_forward { (1, 0) } else { (count - 1, 1) };
        let mut path = Vec::new();
        for (index, &from) in polygon.iter().enumerate() {
            let to = polygon[(index + 1) % polygon.len()];
            path.clear();
            let mut at = from;
            while at != to {
                path.push(self.channels[at][way]);
                at = (at + step) % count;
            }
            budget.spend(1 + path.len() as u64);
            let message = self.messages.message(self.routers[from], self.routers[to])?;
            let (from, to) = (self.processors[from], self.processors[to]);
            schedule.push(Transfer { message, from, to, path: &path });
        }
        (!budget.is_stopped()).then_some(())
    }
}

/// Polygons around a ring of odd length such that every two positions are a side of exactly one of
/// them, on the shorter way between both.
fn polygons(length: usize) -> Vec<Polygon> {
    // The routers, numbered as they are added, in their order around the ring.
    let mut ring = vec![0, 1, 2];
    let mut polygons = vec![vec![0, 1, 2]];
    while ring.len() < length {
        let half = ring.len() / 2;
        let (x, y) = (ring.len(), ring.len() + 1);
        let (near, far) = ring.split_at(half);
        polygons.extend(near.iter().zip(far).map(|(&a, &b)| vec![x, a, y, b]));
        polygons.push(vec![x, y, far[half]]);
        ring = [&[x], near, &[y], far].concat();
    }
    let mut position = vec![0; length];
    for (at, &number) in ring.iter().enumerate() {
        position[number] = at;
    }
    polygons.iter_mut().flatten().for_each(|corner| *corner = position[*corner]);
    polygons
}

/// For every polygon a different one of `others` that shares no corner with it; `None` if there is
/// no such assignment, or on interrupt. Augmenting paths.
fn match_apart(
    polygons: &[Polygon],
    others: &[Polygon],
    length: usize,
    budget: &mut Budget,
) -> Option<Vec<usize>> {
    let corners = |polygon: &Polygon| {
        let mut is_corner = vec![false; length];
        polygon.iter().for_each(|&corner| is_corner[corner] = true);
        is_corner
    };
    let mut options = Vec::with_capacity(polygons.len());
    for polygon in polygons {
        let is_corner = corners(polygon);
        let is_apart = |other: &Polygon| !other.iter().any(|&corner| is_corner[corner]);
        options.push((0..others.len()).filter(|&other| is_apart(&others[other])).collect());
        budget.spend(others.len() as u64);
        if budget.is_stopped() {
            return None;
        }
    }
    let mut owner = vec![usize::MAX; others.len()];
    for polygon in 0..polygons.len() {
        if budget.is_stopped()
            || !assign(polygon, &options, &mut owner, &mut vec![false; others.len()])
        {
            return None;
        }
    }
    let mut partner = vec![0; polygons.len()];
    for (other, &polygon) in owner.iter().enumerate() {
        partner[polygon] = other;
    }
    Some(partner)
}

/// Assigns one of its options to a polygon; others may get a new one.
fn assign(
    polygon: usize,
    options: &[Vec<usize>],
    owner: &mut [usize],
    is_asked: &mut [bool],
) -> bool {
    let free = options[polygon].iter().find(|&&other| owner[other] == usize::MAX);
    if let Some(&other) = free {
        owner[other] = polygon;
        return true;
    }
    for &other in &options[polygon] {
        if !std::mem::replace(&mut is_asked[other], true)
            && assign(owner[other], options, owner, is_asked)
        {
            owner[other] = polygon;
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_a_side_of_one_polygon() {
        for length in [3, 5, 7, 9, 31, 101] {
            let polygons = polygons(length);
            assert_eq!(polygons.len(), (length * length - 1) / 8);
            let mut is_side = vec![false; length * length];
            for polygon in polygons {
                let mut around = 0;
                for (index, &from) in polygon.iter().enumerate() {
                    let to = polygon[(index + 1) % polygon.len()];
                    let distance = (to + length - from) % length;
                    assert!(distance <= length / 2, "not the shorter way");
                    assert!(!std::mem::replace(&mut is_side[from * length + to], true));
                    around += distance;
                }
                assert_eq!(around, length);
            }
            assert_eq!(is_side.iter().filter(|&&side| side).count(), length * (length / 2));
        }
    }
}
