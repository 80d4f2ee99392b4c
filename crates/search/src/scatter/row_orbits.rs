//! Orbits of the rows of the grid under a group.

/// Rows grouped into orbits.
pub(super) struct RowOrbits {
    /// The orbit of every row.
    pub of_row: Vec<u32>,
    /// The number of rows of each orbit.
    pub sizes: Vec<usize>,
    order: usize,
}

impl RowOrbits {
    /// Whether an orbit is smaller than the group, so that two members map some row to the same
    /// row.
    pub fn is_blocked(&self, orbit: usize) -> bool {
        self.sizes[orbit] < self.order
    }

    /// Whether any orbit is blocked.
    pub fn is_any_blocked(&self) -> bool {
        (0..self.sizes.len()).any(|orbit| self.is_blocked(orbit))
    }

    /// How many members of the group map a row of the orbit to the same row.
    pub fn overlap(&self, orbit: usize) -> usize {
        self.order / self.sizes[orbit]
    }
}

/// The orbits of the rows under a group of the given order, from the images under its generators.
pub(super) fn row_orbits(
    rows: usize,
    order: usize,
    generators: usize,
    image: impl Fn(usize, u32) -> u32,
) -> RowOrbits {
    let mut of_row = vec![u32::MAX; rows];
    let mut sizes: Vec<usize> = Vec::new();
    let mut queue = Vec::new();
    for start in 0..rows as u32 {
        if of_row[start as usize] != u32::MAX {
            continue;
        }
        let orbit = sizes.len() as u32;
        of_row[start as usize] = orbit;
        sizes.push(0);
        queue.push(start);
        while let Some(row) = queue.pop() {
            sizes[orbit as usize] += 1;
            for generator in 0..generators {
                let next = image(generator, row);
                if of_row[next as usize] == u32::MAX {
                    of_row[next as usize] = orbit;
                    queue.push(next);
                }
            }
        }
    }
    RowOrbits { of_row, sizes, order }
}
