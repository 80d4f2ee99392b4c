//! The linear program over paths, up to automorphisms. One commodity stands for each orbit of
//! commodities and one row for each orbit of channels; all images of a path get the same weight.
//!
//! Minimise T so that for every row Σ weight·coefficient·(channels of the path in the row) ≤
//! T·bandwidth, and the weights of each commodity add up to its size.

use super::distances::NONE;
use super::group::Group;
use super::setting::{Commodity, Setting, sources};
use std::ops::Range;

/// The most rows that the simplex method gets. It keeps a dense matrix of this size.
const MOST_ROWS: usize = 640;
/// The most commodities that the simplex method gets.
const MOST_COMMODITIES: usize = 50_000;

/// A linear program.
pub(super) struct PathProgram {
    /// The row of every channel; `NONE` for channels from a router to itself.
    pub row_of: Vec<u32>,
    /// For each row, the number of automorphisms that fix one of its channels.
    pub coefficients: Vec<u64>,
    /// For each row, the bandwidth of its channels.
    pub bandwidths: Vec<u64>,
    /// One commodity of each orbit, sorted by sender and receiver.
    pub commodities: Vec<Commodity>,
    /// The sources, each with its commodities.
    pub sources: Vec<(u32, Range<usize>)>,
}

impl PathProgram {
    pub fn new(setting: &Setting<'_>, group: &Group) -> Self {
        let links = &setting.graph.links;
        let mut row_of = vec![NONE; links.len()];
        let (mut coefficients, mut bandwidths) = (Vec::new(), Vec::new());
        for (channel, link) in links.iter().enumerate().filter(|(_, link)| link.tail != link.head) {
            if row_of[channel] != NONE {
                continue;
            }
            for element in &group.elements {
                row_of[element.channels[channel] as usize] = bandwidths.len() as u32;
            }
            let fixing = group.elements.iter().filter(|e| e.channels[channel] == channel as u32);
            coefficients.push(fixing.count() as u64);
            bandwidths.push(link.bandwidth);
        }
        // The group moves every sender, so each orbit has one commodity from the lowest sender.
        let is_lowest = |from: u32| group.elements.iter().all(|e| e.routers[from as usize] >= from);
        let chosen = setting.commodities.iter().filter(|commodity| is_lowest(commodity.from));
        let commodities: Vec<Commodity> = chosen.copied().collect();
        let sources = sources(&commodities);
        Self { row_of, coefficients, bandwidths, commodities, sources }
    }

    /// Whether the simplex method can solve it in reasonable time.
    pub fn is_small(&self) -> bool {
        self.bandwidths.len() <= MOST_ROWS && self.commodities.len() <= MOST_COMMODITIES
    }

    /// The load that weight 1 on a path puts on the rows, sorted by row.
    pub fn load(&self, channels: &[u32]) -> Vec<(u32, i64)> {
        let mut rows: Vec<u32> =
            channels.iter().map(|&channel| self.row_of[channel as usize]).collect();
        rows.sort_unstable();
        let once = |rows: &[u32]| {
            (rows[0], rows.len() as i64 * self.coefficients[rows[0] as usize] as i64)
        };
        rows.chunk_by(|one, other| one == other).map(once).collect()
    }

    /// Prices of the channels from prices of the rows.
    pub fn channel_prices<T>(&self, rows: &[T], zero: T, multiply: impl Fn(T, u64) -> T) -> Vec<T>
    where
        T: Copy,
    {
        let price = |&row: &u32| {
            if row == NONE {
                zero
            } else {
                multiply(rows[row as usize], self.coefficients[row as usize])
            }
        };
        self.row_of.iter().map(price).collect()
    }
}
