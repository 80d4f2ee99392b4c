//! The rows of the grid under the group. Rows in the same orbit of the fold merge into one, because
//! they are always occupied together.

use super::super::super::action::Action;
use super::super::super::row_orbits::{RowOrbits, row_orbits};
use super::steps::Steps;

/// Limit on the number of stored row images.
const MOST_IMAGES: usize = 1 << 26;

/// Folded rows, their images, and which of them exclude each other within a step.
pub(super) struct FoldedRows {
    /// Number of folded rows.
    pub count: usize,
    /// The folded row of every row.
    pub of_row: Vec<u32>,
    /// Per folded row, whether two members of the fold map some row to the same row, so that no
    /// message can use it.
    pub is_blocked: Vec<bool>,
    images: Vec<u32>,
    /// Per kind of step, the orbits of the folded rows under the subgroup that fixes such a step.
    orbits: Vec<RowOrbits>,
}

impl FoldedRows {
    /// Returns `None` if there are too many images to store.
    pub fn new(action: &Action<'_>, steps: &Steps) -> Option<Self> {
        let layout = action.layout;
        let image = |member: u32, row: u32| layout.row(action.image(member, row));
        let fold = steps.fold.generators(&action.group);
        let folded =
            row_orbits(layout.rows, steps.fold.order(), fold.len(), |g, row| image(fold[g], row));
        let count = folded.sizes.len();
        if count * steps.acting.len() > MOST_IMAGES {
            return None;
        }
        let mut first = vec![u32::MAX; count];
        for (row, &folded) in (0..).zip(&folded.of_row) {
            if first[folded as usize] == u32::MAX {
                first[folded as usize] = row;
            }
        }
        let mut images = Vec::with_capacity(count * steps.acting.len());
        for &member in &steps.acting {
            images.extend(first.iter().map(|&row| folded.of_row[image(member, row) as usize]));
        }
        let kinds = steps.kinds.iter().map(|kind| {
            let acting = kind.generators(&action.group);
            let acting: Vec<usize> =
                acting.iter().map(|&member| steps.acting_of[member as usize] as usize).collect();
            row_orbits(count, kind.order() / steps.fold.order(), acting.len(), |g, row| {
                images[acting[g] * count + row as usize]
            })
        });
        let orbits = kinds.collect();
        let is_blocked = (0..count).map(|orbit| folded.is_blocked(orbit)).collect();
        let of_row = folded.of_row;
        Some(Self { count, of_row, is_blocked, images, orbits })
    }

    /// Price of each folded row: the average price of its rows, or infinity if it is blocked.
    pub fn prices(&self, price: &[f32]) -> Vec<f32> {
        let mut total = vec![0.0; self.count];
        let mut size = vec![0.0; self.count];
        for (&folded, price) in self.of_row.iter().zip(price) {
            total[folded as usize] += price;
            size[folded as usize] += 1.0;
        }
        for ((total, size), &is_blocked) in total.iter_mut().zip(size).zip(&self.is_blocked) {
            *total = if is_blocked { f32::INFINITY } else { *total / size };
        }
        total
    }

    /// The images of the folded rows under the acting member with this index.
    pub fn images(&self, acting: usize) -> &[u32] {
        &self.images[acting * self.count..(acting + 1) * self.count]
    }

    /// A number that two rows share if their images coincide in a step.
    pub fn orbit(&self, steps: &Steps, step: u32, row: u32) -> u32 {
        let back = self.images(steps.back[step as usize] as usize)[row as usize];
        self.orbits[steps.kind_of[step as usize] as usize].of_row[back as usize]
    }

    /// Whether some row is blocked in any step: a member other than the identity maps it to itself.
    pub fn has_blocked(&self) -> bool {
        self.orbits.iter().any(RowOrbits::is_any_blocked)
    }

    /// Whether the row is blocked in this step: a member other than the identity maps it to itself.
    pub fn is_blocked_in(&self, steps: &Steps, step: u32, row: u32) -> bool {
        let orbit = self.orbit(steps, step, row) as usize;
        self.orbits[steps.kind_of[step as usize] as usize].is_blocked(orbit)
    }
}
