//! The places of messages under store-and-forward with few ports. A message has one place at every
//! router of its path: the processor there receives it and sends it on. At a router, these passages
//! are edges between the steps in which messages arrive and those in which they leave. A message
//! that starts here is an edge from its group to the step in which it leaves, and one that ends here
//! is an edge from the step in which it arrives to its group; a group has one message per place. So
//! an edge colouring with one colour per place always exists.
//!
//! A pair of routers has as many messages as pairs of places. The router that is coloured first
//! divides them into groups in order. At the other one, messages with the same place at the first
//! are a group, so that all pairs of places differ.

use super::super::super::splitting::colours_of;
use super::{ExchangeHop, PlaceAssignment, PortVertices};

/// No transfer.
const NONE: u32 = u32::MAX;

impl PlaceAssignment {
    /// Colours the passages, beginnings and ends of messages at every router.
    pub(super) fn colour_relays(&mut self, routers: usize, ports: u32) {
        self.hops = vec![(0, 0); self.repetitions as usize * self.transfers.len()];
        let next = self.next_transfers();
        let sent = self.by_router(routers, |hop| hop.from);
        let received = self.by_router(routers, |hop| hop.to);
        for router in 0..routers {
            let lists = [&sent[router][..], &received[router][..]];
            self.colour_router((router as u32, routers), lists, &next, ports);
        }
    }

    /// Per transfer, the next one of its message.
    fn next_transfers(&self) -> Vec<u32> {
        let mut last = vec![NONE; self.messages];
        let mut next = vec![NONE; self.transfers.len()];
        for (number, hop) in (0..).zip(&self.transfers) {
            let before = std::mem::replace(&mut last[hop.message as usize], number);
            if before != NONE {
                next[before as usize] = number;
            }
        }
        next
    }

    fn colour_router(
        &mut self,
        (router, routers): (u32, usize),
        [sent, received]: [&[u32]; 2],
        next: &[u32],
        ports: u32,
    ) {
        let mut leaving = PortVertices::new(self, ports);
        let steps = leaving.count() as u32;
        // Per repetition and transfer that leaves, its vertex.
        let mut leaves = vec![0; self.repetitions as usize * sent.len()];
        let mut place_of = vec![NONE; self.transfers.len()];
        for (at, &number) in (0..).zip(sent) {
            place_of[number as usize] = at;
        }
        let mut edges = Vec::new();
        // Per edge: the repetition, and the transfers by which its message arrives and leaves.
        let mut passages = Vec::new();
        for (at, (repetition, step, number, hop)) in self.all(sent).enumerate() {
            leaves[at] = leaving.next(step);
            if hop.origin == router {
                let (_, other) = self.ends[self.index(repetition, hop.message)];
                let group = self.group(repetition, hop, (hop.target, router), other);
                edges.push([steps + group, leaves[at]]);
                passages.push((repetition, NONE, number as u32));
            }
        }
        let mut arriving = PortVertices::new(self, ports);
        for (repetition, step, number, hop) in self.all(received) {
            let arrives = arriving.next(step);
            let onward = if hop.target == router {
                let (other, _) = self.ends[self.index(repetition, hop.message)];
                let group = self.group(repetition, hop, (hop.origin, router), other);
                edges.push([arrives, steps + group]);
                NONE
            } else {
                let onward = next[number];
                let at = repetition as usize * sent.len() + place_of[onward as usize] as usize;
                edges.push([arrives, leaves[at]]);
                onward
            };
            passages.push((repetition, number as u32, onward));
        }
        let vertices = steps as usize + routers * self.per_router;
        let places = colours_of([vertices; 2], &edges, self.per_router as u32);
        for ((repetition, arrives, leaves), place) in passages.into_iter().zip(places) {
            if arrives != NONE {
                let index = self.hop_index(repetition, arrives as usize);
                self.hops[index].1 = place;
            }
            if leaves != NONE {
                let index = self.hop_index(repetition, leaves as usize);
                self.hops[index].0 = place;
            }
            if arrives == NONE {
                let message = self.transfers[leaves as usize].message;
                let index = self.index(repetition, message);
                self.ends[index].0 = place;
            } else if leaves == NONE {
                let message = self.transfers[arrives as usize].message;
                let index = self.index(repetition, message);
                self.ends[index].1 = place;
            }
        }
    }

    /// The group of a message at a router: by its place at the other end if that is known, otherwise
    /// in order.
    fn group(&self, repetition: u32, hop: ExchangeHop, ends: (u32, u32), place: u16) -> u32 {
        let (other, router) = ends;
        let per_router = self.per_router as u32;
        let use_number = repetition * self.count + hop.message % self.count;
        let is_known = other < router;
        other * per_router + if is_known { u32::from(place) } else { use_number / per_router }
    }
}
