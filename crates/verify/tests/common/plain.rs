//! A second implementation of validity, directly from the definition, for tiny problems. It looks
//! up everything in sets of all events and shares only the types of `model` with the judge.

use super::{PlainTransfer, Steps};
use pavane_model::{ChannelId, Duplex, Problem, ProcessorId, Routing, Switching};
use std::collections::{BTreeMap, BTreeSet};

/// A forward problem in plain numbers.
pub struct Facts {
    is_backward: bool,
    channels: Vec<(u32, u32)>,
    /// For each channel, the resource that it occupies: itself, or its link.
    resource: Vec<u32>,
    homes: BTreeMap<u32, u32>,
    ports: BTreeMap<u32, (usize, usize)>,
    messages: Vec<(u32, BTreeSet<u32>)>,
    hops: BTreeMap<(u32, u32), usize>,
    is_wormhole: bool,
    routing: Routing,
}

impl Facts {
    pub fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let is_backward = problem.is_backward();
        let turn = |(tail, head)| if is_backward { (head, tail) } else { (tail, head) };
        let channels: Vec<(u32, u32)> =
            network.channels().iter().map(|c| turn((c.tail.0, c.head.0))).collect();
        let resource = (0..channels.len() as u32)
            .map(|c| match (problem.model().duplex, network.opposite(ChannelId(c))) {
                (Duplex::Half, Some(other)) => c.min(other.0),
                _ => c,
            })
            .collect();
        let homes: BTreeMap<u32, u32> = (0..network.processor_count() as u32)
            .filter_map(|p| network.home(ProcessorId(p)).map(|router| (p, router.0)))
            .collect();
        let ports = homes
            .keys()
            .map(|&p| {
                let both =
                    (problem.send_ports(ProcessorId(p)), problem.receive_ports(ProcessorId(p)));
                let both = if is_backward { (both.1, both.0) } else { both };
                (p, (both.0 as usize, both.1 as usize))
            })
            .collect();
        let all = problem.messages();
        let messages = all
            .ids()
            .map(|m| (all.origin(m).0, all.destinations(m).iter().map(|p| p.0).collect()))
            .collect();
        Self {
            is_backward,
            resource,
            homes,
            ports,
            messages,
            hops: count_hops(network.router_count() as u32, &channels),
            channels,
            is_wormhole: problem.model().switching == Switching::Wormhole,
            routing: problem.model().routing,
        }
    }

    pub fn is_valid(&self, steps: &Steps) -> bool {
        let steps = if self.is_backward { backwards(steps) } else { steps.clone() };
        let all =
            || steps.iter().enumerate().flat_map(|(s, step)| step.iter().map(move |t| (s, t)));
        all().all(|(_, transfer)| self.is_well_formed(transfer))
            && steps.iter().all(|step| self.fits_in_one_step(step))
            && all().all(|(s, transfer)| self.is_held(&steps, s, transfer))
            && all().all(|(s, transfer)| self.is_useful(&steps, s, transfer))
            && (0..self.messages.len()).all(|message| self.is_delivered(&steps, message))
    }

    fn is_well_formed(&self, transfer: &PlainTransfer) -> bool {
        let (Some(&start), Some(&end)) =
            (self.homes.get(&transfer.from), self.homes.get(&transfer.to))
        else {
            return false;
        };
        transfer.from != transfer.to
            && (transfer.message as usize) < self.messages.len()
            && self.is_path(start, end, &transfer.path)
            && (self.is_wormhole || transfer.path.len() <= 1)
    }

    /// Whether the channels lead from start to end, visit no router twice, and are not too many.
    fn is_path(&self, start: u32, end: u32, path: &[u32]) -> bool {
        let mut visited = vec![start];
        for &channel in path {
            let Some(&(tail, head)) = self.channels.get(channel as usize) else { return false };
            if visited.last() != Some(&tail) || visited.contains(&head) {
                return false;
            }
            visited.push(head);
        }
        visited.last() == Some(&end)
            && match self.routing {
                Routing::Any => true,
                Routing::Minimal => path.len() == self.hops[&(start, end)],
                Routing::Detour(extra) => path.len() <= self.hops[&(start, end)] + extra as usize,
            }
    }

    fn fits_in_one_step(&self, step: &[PlainTransfer]) -> bool {
        let mut taken: Vec<u32> =
            step.iter().flat_map(|t| &t.path).map(|&c| self.resource[c as usize]).collect();
        let uses = taken.len();
        taken.sort_unstable();
        taken.dedup();
        uses == taken.len()
            && self.ports.iter().all(|(p, &(send, receive))| {
                step.iter().filter(|t| t.from == *p).count() <= send
                    && step.iter().filter(|t| t.to == *p).count() <= receive
            })
    }

    fn is_held(&self, steps: &Steps, step: usize, transfer: &PlainTransfer) -> bool {
        let before = steps[..step].iter().flatten();
        let mut before = before.filter(|t| t.message == transfer.message);
        self.messages[transfer.message as usize].0 == transfer.from
            || before.any(|t| t.to == transfer.from)
    }

    fn is_useful(&self, steps: &Steps, step: usize, transfer: &PlainTransfer) -> bool {
        let (origin, destinations) = &self.messages[transfer.message as usize];
        let same = |t: &&PlainTransfer| t.message == transfer.message;
        let receipts = steps.iter().flatten().filter(same).filter(|t| t.to == transfer.to).count();
        let mut later = steps[step + 1..].iter().flatten().filter(same);
        transfer.to != *origin
            && receipts == 1
            && (destinations.contains(&transfer.to) || later.any(|t| t.from == transfer.to))
    }

    fn is_delivered(&self, steps: &Steps, message: usize) -> bool {
        let (origin, destinations) = &self.messages[message];
        let transfers: Vec<&PlainTransfer> =
            steps.iter().flatten().filter(|t| t.message as usize == message).collect();
        let is_there = destinations.iter().all(|p| transfers.iter().any(|t| t.to == *p));
        if !is_there || destinations.len() != 1 {
            return is_there;
        }
        let destination = destinations.first().expect("there is one");
        if self.is_wormhole {
            return transfers.len() == 1 && transfers[0].from == *origin;
        }
        let whole: Vec<u32> = transfers.iter().flat_map(|t| t.path.iter().copied()).collect();
        self.is_path(self.homes[origin], self.homes[destination], &whole)
    }
}

fn backwards(steps: &Steps) -> Steps {
    let turn = |transfer: &PlainTransfer| PlainTransfer {
        message: transfer.message,
        from: transfer.to,
        to: transfer.from,
        path: transfer.path.iter().rev().copied().collect(),
    };
    steps.iter().rev().map(|step| step.iter().map(turn).collect()).collect()
}

/// Shortest distances: relaxes all channels until nothing changes (Bellman-Ford).
fn count_hops(routers: u32, channels: &[(u32, u32)]) -> BTreeMap<(u32, u32), usize> {
    let mut hops: BTreeMap<(u32, u32), usize> = (0..routers).map(|r| ((r, r), 0)).collect();
    loop {
        let mut is_changed = false;
        for start in 0..routers {
            for &(tail, head) in channels {
                let Some(&before) = hops.get(&(start, tail)) else { continue };
                let best = hops.entry((start, head)).or_insert(usize::MAX);
                if before + 1 < *best {
                    *best = before + 1;
                    is_changed = true;
                }
            }
        }
        if !is_changed {
            return hops;
        }
    }
}
