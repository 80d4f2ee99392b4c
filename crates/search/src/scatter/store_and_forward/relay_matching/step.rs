//! Chooses the hops of one step: ports with the largest need are served first. Augmenting paths
//! serve further ports without dropping those already served.

use super::super::super::layout::Layout;
use super::super::legs::NONE;
use super::edge::HopEdge;
use super::loads::Loads;
use crate::rng::Rng;
use std::cmp::Reverse;

/// Channels whose need is within 1/`MARGIN` of the largest need are served before all ports. In the
/// last steps, these are only the channels with the largest need.
const MARGIN: u32 = 32;

/// Limit on the displacements in one search for an augmenting path.
const DEEPEST: u32 = 500;

/// No hop.
const FREE: u32 = u32::MAX;

/// The choice for one step. The memory is reused between steps.
pub(super) struct MatchingStep {
    /// Per processor, the hops from it and to it.
    out: Vec<Vec<u32>>,
    into: Vec<Vec<u32>>,
    send_room: Vec<u32>,
    receive_room: Vec<u32>,
    /// Per processor, the chosen hops.
    sends: Vec<Vec<u32>>,
    receives: Vec<Vec<u32>>,
    /// Per row, the hop that holds it.
    holder: Vec<u32>,
    is_open: Vec<bool>,
    is_chosen: Vec<bool>,
    /// Whether the hop may not be displaced.
    is_fixed: Vec<bool>,
    chosen: Vec<u32>,
    seen: Vec<u32>,
    stamp: u32,
    depth: u32,
    senders: Vec<u32>,
    receivers: Vec<u32>,
}

impl MatchingStep {
    pub fn new(layout: &Layout<'_>, edges: &[HopEdge]) -> Self {
        let processors = layout.problem.network().processor_count();
        let (mut out, mut into) = (vec![Vec::new(); processors], vec![Vec::new(); processors]);
        for (number, edge) in (0..).zip(edges) {
            out[edge.from as usize].push(number);
            into[edge.to as usize].push(number);
        }
        let room = |rows: usize| if rows == 0 { u32::MAX } else { rows as u32 };
        let all = || (0..processors as u32).map(pavane_model::ProcessorId);
        let of_some = |ends: &[Vec<u32>]| {
            (0..processors as u32).filter(|&p| !ends[p as usize].is_empty()).collect()
        };
        Self {
            send_room: all().map(|p| room(layout.send_rows(p).len())).collect(),
            receive_room: all().map(|p| room(layout.receive_rows(p).len())).collect(),
            sends: vec![Vec::new(); processors],
            receives: vec![Vec::new(); processors],
            holder: vec![FREE; layout.rows],
            is_open: vec![false; edges.len()],
            is_chosen: vec![false; edges.len()],
            is_fixed: vec![false; edges.len()],
            chosen: Vec::new(),
            seen: vec![0; processors],
            stamp: 0,
            depth: 0,
            senders: of_some(&out),
            receivers: of_some(&into),
            out,
            into,
        }
    }

    /// The hops of the step.
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Chooses among the hops for which some message waits.
    pub fn choose(
        &mut self,
        layout: &Layout<'_>,
        edges: &[HopEdge],
        loads: &Loads,
        is_open: impl Fn(u32) -> bool,
        rng: &mut Rng,
    ) {
        for edge in self.chosen.drain(..) {
            self.is_chosen[edge as usize] = false;
            self.is_fixed[edge as usize] = false;
        }
        self.sends.iter_mut().chain(&mut self.receives).for_each(Vec::clear);
        self.holder.fill(FREE);
        for edge in 0..edges.len() as u32 {
            self.is_open[edge as usize] = is_open(edge);
        }
        let passing = |edge: HopEdge| loads.need_to_pass(layout, edge.channel);
        for row in &mut self.out {
            rng.shuffle(row);
            row.sort_by_key(|&edge| {
                let edge = edges[edge as usize];
                Reverse(loads.need_to_receive(edge.to, 0).max(passing(edge)))
            });
        }
        for row in &mut self.into {
            rng.shuffle(row);
            row.sort_by_key(|&edge| {
                let edge = edges[edge as usize];
                Reverse(loads.need_to_send(edge.from, 0).max(passing(edge)))
            });
        }
        self.serve_channels(layout, edges, loads, rng);
        let mut senders = std::mem::take(&mut self.senders);
        rng.shuffle(&mut senders);
        self.in_rounds(
            &mut senders,
            |step, sender| {
                let now = step.sends[sender as usize].len();
                let has_room = (now as u32) < step.send_room[sender as usize];
                has_room.then(|| loads.need_to_send(sender, now))
            },
            |step, sender| step.send(layout, edges, sender),
        );
        self.senders = senders;
        let mut receivers = std::mem::take(&mut self.receivers);
        rng.shuffle(&mut receivers);
        self.in_rounds(
            &mut receivers,
            |step, receiver| {
                let now = step.receives[receiver as usize].len();
                let has_room = (now as u32) < step.receive_room[receiver as usize];
                has_room.then(|| loads.need_to_receive(receiver, now))
            },
            |step, receiver| {
                let need = loads.need_to_receive(receiver, step.receives[receiver as usize].len());
                step.receive(layout, edges, loads, receiver, need)
            },
        );
        self.receivers = receivers;
        let all = (0..edges.len() as u32).filter(|&edge| self.is_chosen[edge as usize]);
        self.chosen.extend(all);
    }

    /// Serves the processors in rounds, each at most once per round and largest need first. A
    /// processor stays in the rounds while it is served and has room.
    fn in_rounds(
        &mut self,
        processors: &mut [u32],
        need: impl Fn(&Self, u32) -> Option<u32>,
        serve: impl Fn(&mut Self, u32) -> bool,
    ) {
        let mut left: Vec<u32> = processors.to_vec();
        while !left.is_empty() {
            left.retain(|&processor| need(self, processor).is_some());
            left.sort_by_cached_key(|&processor| Reverse(need(self, processor)));
            left.retain(|&processor| {
                self.stamp += 1;
                self.depth = 0;
                need(self, processor).is_some() && serve(self, processor)
            });
        }
    }

    /// Serves the busiest channels before all ports; their hops cannot be displaced.
    fn serve_channels(
        &mut self,
        layout: &Layout<'_>,
        edges: &[HopEdge],
        loads: &Loads,
        rng: &mut Rng,
    ) {
        let largest = loads.largest_need();
        let least = (largest - largest / MARGIN).max(1);
        let is_busy =
            |edge: &u32| loads.need_to_pass(layout, edges[*edge as usize].channel) >= least;
        let mut busy: Vec<u32> = (0..edges.len() as u32).filter(is_busy).collect();
        rng.shuffle(&mut busy);
        busy.sort_by_key(|&edge| {
            let HopEdge { from, to, channel } = edges[edge as usize];
            let of_ports = loads.need_to_send(from, 0) + loads.need_to_receive(to, 0);
            Reverse((loads.need_to_pass(layout, channel), of_ports))
        });
        for edge in busy {
            let HopEdge { from, to, .. } = edges[edge as usize];
            if self.is_wanted(edge)
                && self.holder_of(layout, edges, edge) == FREE
                && (self.sends[from as usize].len() as u32) < self.send_room[from as usize]
                && (self.receives[to as usize].len() as u32) < self.receive_room[to as usize]
            {
                self.take(layout, edges, edge);
                self.is_fixed[edge as usize] = true;
            }
        }
    }

    /// Finds a hop for a sender; other senders may be moved to other hops.
    fn send(&mut self, layout: &Layout<'_>, edges: &[HopEdge], sender: u32) -> bool {
        for at in 0..self.out[sender as usize].len() {
            let edge = self.out[sender as usize][at];
            let to = edges[edge as usize].to as usize;
            if !self.is_wanted(edge) || self.seen[to] == self.stamp {
                continue;
            }
            self.seen[to] = self.stamp;
            let has_room = (self.receives[to].len() as u32) < self.receive_room[to];
            let others = match self.holder_of(layout, edges, edge) {
                FREE if has_room => {
                    self.take(layout, edges, edge);
                    return true;
                }
                FREE => self.receives[to].clone(),
                holder if has_room => vec![holder],
                _ => continue,
            };
            let moved = self.instead(layout, edges, edge, others, |step, other| {
                step.send(layout, edges, edges[other as usize].from)
            });
            if moved {
                return true;
            }
        }
        false
    }

    /// Finds a hop for a receiver; a receiver with less need may lose its hop.
    fn receive(
        &mut self,
        layout: &Layout<'_>,
        edges: &[HopEdge],
        loads: &Loads,
        receiver: u32,
        need: u32,
    ) -> bool {
        for at in 0..self.into[receiver as usize].len() {
            let edge = self.into[receiver as usize][at];
            let from = edges[edge as usize].from as usize;
            if !self.is_wanted(edge) || self.seen[from] == self.stamp {
                continue;
            }
            self.seen[from] = self.stamp;
            let has_room = (self.sends[from].len() as u32) < self.send_room[from];
            let others = match self.holder_of(layout, edges, edge) {
                FREE if has_room => {
                    self.take(layout, edges, edge);
                    return true;
                }
                FREE => self.sends[from].clone(),
                _ => continue,
            };
            let moved = self.instead(layout, edges, edge, others, |step, other| {
                let loser = edges[other as usize].to;
                let now = step.receives[loser as usize].len();
                loads.need_to_receive(loser, now) < need
                    || step.receive(layout, edges, loads, loser, need)
            });
            if moved {
                return true;
            }
        }
        false
    }

    /// Takes a hop in place of one of `others`, if `find` finds a replacement for the displaced
    /// hop.
    fn instead(
        &mut self,
        layout: &Layout<'_>,
        edges: &[HopEdge],
        edge: u32,
        others: Vec<u32>,
        find: impl Fn(&mut Self, u32) -> bool,
    ) -> bool {
        if self.depth == DEEPEST {
            return false;
        }
        self.depth += 1;
        for other in others {
            if self.is_fixed[other as usize] {
                continue;
            }
            self.drop(layout, edges, other);
            self.take(layout, edges, edge);
            if find(self, other) {
                return true;
            }
            self.drop(layout, edges, edge);
            self.take(layout, edges, other);
        }
        self.depth -= 1;
        false
    }

    /// Whether a message waits for this hop and it is not chosen yet.
    fn is_wanted(&self, edge: u32) -> bool {
        self.is_open[edge as usize] && !self.is_chosen[edge as usize]
    }

    /// The hop that holds the channel of this one, or [`FREE`].
    fn holder_of(&self, layout: &Layout<'_>, edges: &[HopEdge], edge: u32) -> u32 {
        match edges[edge as usize].channel {
            NONE => FREE,
            channel => self.holder[layout.row(channel) as usize],
        }
    }

    fn take(&mut self, layout: &Layout<'_>, edges: &[HopEdge], edge: u32) {
        let HopEdge { from, to, channel } = edges[edge as usize];
        self.is_chosen[edge as usize] = true;
        self.sends[from as usize].push(edge);
        self.receives[to as usize].push(edge);
        if channel != NONE {
            self.holder[layout.row(channel) as usize] = edge;
        }
    }

    fn drop(&mut self, layout: &Layout<'_>, edges: &[HopEdge], edge: u32) {
        let HopEdge { from, to, channel } = edges[edge as usize];
        self.is_chosen[edge as usize] = false;
        self.sends[from as usize].retain(|&other| other != edge);
        self.receives[to as usize].retain(|&other| other != edge);
        if channel != NONE {
            self.holder[layout.row(channel) as usize] = FREE;
        }
    }
}
