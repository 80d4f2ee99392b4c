//! Places sorted into square cells, so that those near a point are found without looking at all of them.

use super::Place;

/// Places in square cells.
pub(crate) struct Cells {
    low: Place,
    size: f64,
    columns: usize,
    rows: usize,
    /// Where the members of every cell start, row by row, and the end of the last one.
    first: Vec<usize>,
    members: Vec<usize>,
}

impl Cells {
    /// Cells of at least this size; larger ones if there would be many more cells than places.
    pub(crate) fn new(places: &[Place], size: f64) -> Self {
        let (low, high) = corners(places);
        let (wide, high) = (high.0 - low.0, high.1 - low.1);
        let most = 4.0 * places.len() as f64 + 16.0;
        let size = size.max((wide * high / most).sqrt()).max(wide.max(high) / most).max(1e-9);
        let count = |length: f64| (length / size) as usize + 1;
        let (columns, rows) = (count(wide), count(high));
        let mut cells = Self {
            low,
            size,
            columns,
            rows,
            first: vec![0; columns * rows + 1],
            members: vec![0; places.len()],
        };
        let own: Vec<usize> = places.iter().map(|&place| cells.number(cells.cell(place))).collect();
        own.iter().for_each(|&cell| cells.first[cell + 1] += 1);
        for cell in 0..columns * rows {
            cells.first[cell + 1] += cells.first[cell];
        }
        let mut next = cells.first.clone();
        for (place, &cell) in own.iter().enumerate() {
            cells.members[next[cell]] = place;
            next[cell] += 1;
        }
        cells
    }

    /// The places in all cells that a rectangle touches: those inside of it, and some others.
    pub(crate) fn near(&self, low: Place, high: Place) -> impl Iterator<Item = usize> {
        let ((left, top), (right, bottom)) = (self.cell(low), self.cell(high));
        (top..=bottom).flat_map(move |row| {
            let (from, to) = (self.number((left, row)), self.number((right, row)));
            self.members[self.first[from]..self.first[to + 1]].iter().copied()
        })
    }

    /// Column and row of the cell nearest to a point.
    fn cell(&self, (x, y): Place) -> (usize, usize) {
        let at =
            |offset: f64, count: usize| ((offset / self.size).max(0.0) as usize).min(count - 1);
        (at(x - self.low.0, self.columns), at(y - self.low.1, self.rows))
    }

    fn number(&self, (column, row): (usize, usize)) -> usize {
        row * self.columns + column
    }
}

/// The corners of the smallest rectangle around all places.
fn corners(places: &[Place]) -> (Place, Place) {
    let mut places = places.iter();
    let Some(&first) = places.next() else { return ((0.0, 0.0), (0.0, 0.0)) };
    places.fold((first, first), |(low, high), &(x, y)| {
        ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)))
    })
}

/// The distance from every place to the nearest other one.
pub(crate) fn nearest_distances(places: &[Place]) -> Vec<f64> {
    let (low, high) = corners(places);
    let is_wide = high.0 - low.0 >= high.1 - low.1;
    // Along the longer side, only a few places are nearer than the nearest one.
    let along = |place: Place| if is_wide { place.0 } else { place.1 };
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&one, &other| along(places[one]).total_cmp(&along(places[other])));
    let mut nearest = vec![f64::MAX; places.len()];
    for (at, &one) in order.iter().enumerate() {
        let mut least = f64::MAX;
        let mut see = |other: usize| {
            let (dx, dy) = (places[one].0 - places[other].0, places[one].1 - places[other].1);
            least = least.min(dx.hypot(dy));
            (along(places[one]) - along(places[other])).abs() < least
        };
        // Both loops end at a place that is too far along the side.
        order[at + 1..].iter().take_while(|&&other| see(other)).for_each(drop);
        order[..at].iter().rev().take_while(|&&other| see(other)).for_each(drop);
        nearest[one] = least;
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(count: u32) -> Vec<Place> {
        let at = |number: u32, turn: f64| (f64::from(number) * turn).sin() * 30.0;
        (0..count).map(|number| (at(number, 1.7), at(number, 0.9))).collect()
    }

    #[test]
    fn all_places_in_a_rectangle_are_found() {
        let places = scattered(300);
        let cells = Cells::new(&places, 2.0);
        for &(x, y) in &places {
            let (low, high) = ((x - 3.0, y - 5.0), (x + 4.0, y + 1.0));
            let found: Vec<usize> = cells.near(low, high).collect();
            for (number, place) in places.iter().enumerate() {
                let is_inside =
                    (low.0..=high.0).contains(&place.0) && (low.1..=high.1).contains(&place.1);
                assert!(!is_inside || found.contains(&number));
            }
            assert!(found.len() < 60, "{}", found.len());
        }
    }

    #[test]
    fn nearest_distances_are_those_of_all_pairs() {
        let places = scattered(200);
        for (one, distance) in nearest_distances(&places).into_iter().enumerate() {
            let others = (0..places.len()).filter(|&other| other != one);
            let far = |other: usize| {
                (places[one].0 - places[other].0).hypot(places[one].1 - places[other].1)
            };
            assert_eq!(distance, others.map(far).fold(f64::MAX, f64::min));
        }
        assert_eq!(nearest_distances(&[(1.0, 1.0), (1.0, 3.0), (1.0, 3.5)]), [2.0, 0.5, 0.5]);
    }
}
