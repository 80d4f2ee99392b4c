//! Rows under a group of automorphisms that fixes every step. All images of a message travel in the
//! same step, so the rows of an orbit merge into one.

use super::super::action::Action;
use super::super::row_orbits::{RowOrbits, row_orbits};
use super::{Distances, Layout, PORT_PRICE};
use crate::budget::Interrupt;
use pavane_model::{ChannelId, Problem, ProcessorId};
use std::ops::Range;

impl Layout<'_> {
    /// Rows for the base messages only, one per orbit of the group; `bases` is the problem with
    /// those messages.
    pub fn folded<'b>(
        &self,
        action: &Action<'_>,
        bases: &'b Problem,
        interrupt: &Interrupt,
    ) -> Layout<'b> {
        let generators = action.group.generators();
        let orbits = row_orbits(self.rows, action.group.order(), generators.len(), |g, row| {
            self.row(action.image(generators[g], row))
        });
        let layout = Layout {
            problem: bases,
            rows: 0,
            price: Vec::new(),
            row_of_channel: Vec::new(),
            send_rows: Vec::new(),
            receive_rows: Vec::new(),
            distances: Distances::new(bases, interrupt),
            inner: Vec::new(),
        };
        let first_row = vec![u32::MAX; orbits.sizes.len()];
        let mut folding = Folding { orbits, first_row, layout };
        folding.fold_channels(self);
        for processor in (0..self.send_rows.len() as u32).map(ProcessorId) {
            folding.fold_ports(self, processor);
        }
        let Folding { mut layout, .. } = folding;
        layout.price.resize(layout.rows, PORT_PRICE);
        layout
    }
}

/// A folded layout under construction.
struct Folding<'b> {
    orbits: RowOrbits,
    /// The first folded row of every orbit that has one.
    first_row: Vec<u32>,
    layout: Layout<'b>,
}

impl Folding<'_> {
    fn fold_channels(&mut self, whole: &Layout<'_>) {
        for channel in 0..whole.row_of_channel.len() as u32 {
            let row = whole.row(channel) as usize;
            let orbit = self.orbits.of_row[row] as usize;
            if self.first_row[orbit] == u32::MAX {
                self.first_row[orbit] = self.layout.rows as u32;
                self.layout.rows += 1;
                // Under half duplex, if a member of the group reverses a link, the images of a
                // transfer collide.
                let is_blocked = self.orbits.is_blocked(orbit);
                let price = if is_blocked { f32::INFINITY } else { whole.price[row] };
                self.layout.price.push(price);
            }
            self.layout.row_of_channel.push(self.first_row[orbit]);
        }
    }

    fn fold_ports(&mut self, whole: &Layout<'_>, processor: ProcessorId) {
        let network = whole.problem.network();
        let channels = |of: fn(&_, _) -> &[ChannelId]| {
            network.home(processor).map_or(&[][..], |home| of(network, home))
        };
        let (leaving, coming) = (
            channels(pavane_model::Network::out_channels),
            channels(pavane_model::Network::in_channels),
        );
        let sends = self.fold_rows(whole.send_rows(processor), leaving);
        let receives = self.fold_rows(whole.receive_rows(processor), coming);
        self.layout.send_rows.push(sends);
        self.layout.receive_rows.push(receives);
    }

    /// Folds the ports of a processor. Images that pass through the same processor need a port
    /// each; if it has too few ports for all of them, its channels become unusable.
    fn fold_rows(&mut self, rows: Range<u32>, channels: &[ChannelId]) -> Range<u32> {
        if rows.is_empty() {
            return 0..0;
        }
        let orbit = self.orbits.of_row[rows.start as usize] as usize;
        let count = rows.len() / self.orbits.overlap(orbit);
        if count == 0 {
            for channel in channels {
                let row = self.layout.row(channel.0) as usize;
                self.layout.price[row] = f32::INFINITY;
            }
            return 0..0;
        }
        if self.first_row[orbit] == u32::MAX {
            self.first_row[orbit] = self.layout.rows as u32;
            self.layout.rows += count;
        }
        self.first_row[orbit]..self.first_row[orbit] + count as u32
    }
}
