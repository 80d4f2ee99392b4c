//! Occupancy table under store-and-forward: which message holds which row in which step, stored row
//! by row, and the cost of a hop in every step.

use super::super::layout::Layout;
use super::legs::{Leg, NONE};
use crate::budget::{Budget, Interrupt};
use pavane_model::ProcessorId;
use std::ops::Range;

/// No message holds this row in this step.
pub(super) const FREE: u32 = u32::MAX;

/// All rows in all steps.
pub(super) struct HopGrid {
    steps: usize,
    weight: Vec<f32>,
    occupant: Vec<u32>,
    port_cost: Vec<f32>,
}

impl HopGrid {
    /// An empty grid; `None` on interrupt.
    pub fn new(rows: usize, steps: u32, interrupt: &Interrupt) -> Option<Self> {
        let steps = steps as usize;
        let mut pace = Budget::unlimited(interrupt);
        let mut weight = Vec::with_capacity(rows * steps);
        let mut occupant = Vec::with_capacity(rows * steps);
        for row in 1..=rows {
            if !pace.spend(steps as u64) {
                return None;
            }
            weight.resize(row * steps, 0.0);
            occupant.resize(row * steps, FREE);
        }
        Some(Self { steps, weight, occupant, port_cost: Vec::new() })
    }

    /// The message that holds the row in the step, or [`FREE`].
    pub fn occupant(&self, row: u32, step: u32) -> u32 {
        self.occupant[row as usize * self.steps + step as usize]
    }

    /// Gives the rows of a leg to a message with the given weight, or frees them.
    pub fn set(&mut self, layout: &Layout<'_>, leg: &Leg, occupant: u32, weight: f32) {
        for row in rows_of(layout, leg) {
            let cell = row as usize * self.steps + leg.step as usize;
            self.occupant[cell] = occupant;
            self.weight[cell] = weight;
        }
    }

    fn row(&self, row: u32) -> Range<usize> {
        row as usize * self.steps..(row as usize + 1) * self.steps
    }

    /// Writes the cost of a hop in every step, without its price: the weights of the messages it
    /// would evict.
    pub fn price_hop(
        &mut self,
        layout: &Layout<'_>,
        from: ProcessorId,
        to: ProcessorId,
        channel: u32,
        cost: &mut [f32],
    ) {
        let channel_row = (channel != NONE).then(|| self.row(layout.row(channel)));
        match &channel_row {
            Some(row) => cost.copy_from_slice(&self.weight[row.clone()]),
            None => cost.fill(0.0),
        }
        for ports in [layout.send_rows(from), layout.receive_rows(to)] {
            if ports.is_empty() {
                continue;
            }
            self.port_cost.clear();
            self.port_cost.resize(self.steps, f32::INFINITY);
            for port in ports {
                let port = self.row(port);
                let (weight, occupant) = (&self.weight[port.clone()], &self.occupant[port]);
                let least = self.port_cost.iter_mut().zip(weight);
                match &channel_row {
                    Some(row) => {
                        let users = occupant.iter().zip(&self.occupant[row.clone()]);
                        for ((least, &weight), (port_user, channel_user)) in least.zip(users) {
                            // A message evicted from the channel frees its port as well.
                            let added = if port_user == channel_user { 0.0 } else { weight };
                            *least = lesser(*least, added);
                        }
                    }
                    None => least.for_each(|(least, &weight)| *least = lesser(*least, weight)),
                }
            }
            for (cost, port) in cost.iter_mut().zip(&self.port_cost) {
                *cost += port;
            }
        }
    }

    /// The leg for a hop in a step, through the ports that are cheapest to take.
    pub fn leg(
        &self,
        layout: &Layout<'_>,
        from: ProcessorId,
        to: ProcessorId,
        channel: u32,
        step: u32,
    ) -> Leg {
        let already = match channel {
            NONE => FREE,
            channel => self.occupant(layout.row(channel), step),
        };
        let cheapest = |ports: Range<u32>| {
            let cost = |&port: &u32| {
                if self.occupant(port, step) == already {
                    0.0
                } else {
                    self.weight[port as usize * self.steps + step as usize]
                }
            };
            ports.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(NONE)
        };
        let send_row = cheapest(layout.send_rows(from));
        let receive_row = cheapest(layout.receive_rows(to));
        Leg { step, from: from.0, to: to.0, channel, send_row, receive_row }
    }
}

/// The rows that a leg takes.
pub(super) fn rows_of(layout: &Layout<'_>, leg: &Leg) -> impl Iterator<Item = u32> + use<> {
    let channel_row = if leg.channel == NONE { NONE } else { layout.row(leg.channel) };
    [channel_row, leg.send_row, leg.receive_row].into_iter().filter(|&row| row != NONE)
}

fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
