//! The fewest steps of an all-reduce on a tiny network with one processor on every router, by
//! breadth-first search over who has sent and who holds every sum. It follows the definitions directly
//! and shares only the types of `model` with the code that it checks.

use pavane_model::{ChannelId, Duplex, Network, Problem, Switching};
use std::collections::BTreeSet;

/// For each sum, the processors that have sent their contribution, and those that hold the sum, as bits.
type WholeState = Vec<(u8, u8)>;

/// A transfer from one processor to another with the channels (or links) that it uses, as bits.
struct Hop {
    from: usize,
    to: usize,
    uses: u64,
}

/// A step under construction.
struct Stepping<'a> {
    broadcast: &'a Problem,
    before: &'a WholeState,
    hops: &'a [Hop],
    effort: &'a mut u64,
    next: &'a mut BTreeSet<WholeState>,
}

/// The fewest steps; `None` if more than `effort` sets of transfers would have to be examined.
pub fn fewest_steps(broadcast: &Problem, mut effort: u64) -> Option<u32> {
    let network = broadcast.network();
    let count = network.processor_count();
    let hops = hops(broadcast);
    let all = (1u8 << count) - 1;
    let start: WholeState = (0..count).map(|_| (0, 0)).collect();
    let mut frontier = BTreeSet::from([start]);
    let mut seen = BTreeSet::new();
    for step in 0..64 {
        if frontier.iter().any(|state| state.iter().all(|&(_, holders)| holders == all)) {
            return Some(step);
        }
        let mut next = BTreeSet::new();
        for before in &frontier {
            let (effort, next) = (&mut effort, &mut next);
            let mut stepping = Stepping { broadcast, before, hops: &hops, effort, next };
            let after = before.clone();
            stepping.choose(0, 0, &mut vec![0; 2 * count], &after, &vec![0; count])?;
        }
        seen.append(&mut frontier);
        frontier = next.difference(&seen).cloned().collect();
    }
    None
}

impl Stepping<'_> {
    /// Decides about the transfers of sum and hop number `at` and later. `received` has, for every sum, the
    /// processors that receive a contribution in this step.
    fn choose(
        &mut self,
        at: usize,
        used: u64,
        ports: &mut Vec<u32>,
        after: &WholeState,
        received: &[u8],
    ) -> Option<()> {
        *self.effort = self.effort.checked_sub(1)?;
        let count = self.before.len();
        if at == count * self.hops.len() {
            let all = (1u8 << count) - 1;
            let complete = |(root, &(sent, holders)): (usize, &(u8, u8))| {
                let is_complete = sent | 1 << root == all;
                (sent, if is_complete { holders | 1 << root } else { holders })
            };
            self.next.insert(after.iter().enumerate().map(complete).collect());
            return Some(());
        }
        self.choose(at + 1, used, ports, after, received)?;
        let (sum, hop) = (at / self.hops.len(), &self.hops[at % self.hops.len()]);
        let (from, to) = (1u8 << hop.from, 1u8 << hop.to);
        let (sent_before, held_before) = self.before[sum];
        let mut state = after.clone();
        let mut received = received.to_vec();
        if held_before == 0 {
            let is_possible = hop.from != sum
                && state[sum].0 & from == 0
                && state[sum].0 & to == 0
                && received[sum] & from == 0
                && sent_before & from == 0;
            if !is_possible {
                return Some(());
            }
            state[sum].0 |= from;
            received[sum] |= to;
        } else {
            if held_before & from == 0 || state[sum].1 & to != 0 {
                return Some(());
            }
            state[sum].1 |= to;
        }
        let processors: Vec<_> = self.broadcast.network().living_processors().collect();
        let limits = [
            self.broadcast.send_ports(processors[hop.from]),
            self.broadcast.receive_ports(processors[hop.to]),
        ];
        let places = [hop.from, count + hop.to];
        if used & hop.uses != 0 || (0..2).any(|side| ports[places[side]] >= limits[side]) {
            return Some(());
        }
        places.iter().for_each(|&place| ports[place] += 1);
        let done = self.choose(at + 1, used | hop.uses, ports, &state, &received);
        places.iter().for_each(|&place| ports[place] -= 1);
        done
    }
}

/// All transfers: one channel under store-and-forward, otherwise any shortest path.
fn hops(problem: &Problem) -> Vec<Hop> {
    let network = problem.network();
    let mut hops = Vec::new();
    for from in network.routers() {
        let mut paths = vec![(from.index(), 0u64, 0u32)];
        while let Some((at, uses, length)) = paths.pop() {
            let distance = network.distances_from(from)[at];
            if length > 0 {
                hops.push(Hop { from: from.index(), to: at, uses });
            }
            let is_single = problem.model().switching == Switching::StoreAndForward;
            if distance < length || length == 1 && is_single {
                continue;
            }
            for (number, ends) in (0..).zip(network.channels()) {
                let head = ends.head.index();
                let is_further = network.distances_from(from)[head] == length + 1;
                if ends.tail.index() == at && is_further {
                    paths.push((head, uses | use_of(problem, network, number), length + 1));
                }
            }
        }
    }
    hops
}

fn use_of(problem: &Problem, network: &Network, channel: u32) -> u64 {
    let other = match problem.model().duplex {
        Duplex::Half => network.opposite(ChannelId(channel)),
        Duplex::Full => None,
    };
    1 << channel | other.map_or(0, |other| 1 << other.0)
}
