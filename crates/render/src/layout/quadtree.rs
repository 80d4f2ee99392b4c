//! Repulsion between many bodies: far ones count as one body at their centre of mass (Barnes and Hut, 1986).

use super::Place;

/// A cell counts as one body for those outside of it if its width is at most this multiple of its distance.
const FAR: f64 = 0.8;

/// Bodies that are closer do not push more.
const NEAREST: f64 = 0.01;

/// Maximum number of bodies in a cell that is not divided, and of divisions.
const FEW: usize = 8;
const DEEPEST: usize = 24;

/// Bodies in cells, each divided into four.
pub(super) struct Quadtree<'a> {
    bodies: &'a [(Place, f64)],
    /// The bodies, cell by cell.
    order: Vec<usize>,
    cells: Vec<Quarter>,
}

struct Quarter {
    /// The centre of mass.
    centre: Place,
    mass: f64,
    /// The upper left corner.
    low: Place,
    width: f64,
    /// Its bodies, in the order.
    from: usize,
    to: usize,
    /// The numbers of its parts; 0 for none.
    parts: [usize; 4],
}

impl<'a> Quadtree<'a> {
    /// Sorts bodies, each with its mass.
    pub(super) fn new(bodies: &'a [(Place, f64)]) -> Self {
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for &((x, y), _) in bodies {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let width = (high.0 - low.0).max(high.1 - low.1).max(1e-9);
        let mut tree = Self { bodies, order: (0..bodies.len()).collect(), cells: Vec::new() };
        tree.divide((0, bodies.len()), low, width, 0);
        tree
    }

    /// Adds the cell of a part of the order and its parts; returns its number.
    fn divide(
        &mut self,
        (from, to): (usize, usize),
        low: Place,
        width: f64,
        depth: usize,
    ) -> usize {
        let (mut centre, mut mass) = ((0.0, 0.0), 0.0);
        for &body in &self.order[from..to] {
            let ((x, y), own) = self.bodies[body];
            (centre.0, centre.1, mass) = (centre.0 + x * own, centre.1 + y * own, mass + own);
        }
        centre = (centre.0 / mass, centre.1 / mass);
        let number = self.cells.len();
        self.cells.push(Quarter { centre, mass, low, width, from, to, parts: [0; 4] });
        if to - from <= FEW || depth == DEEPEST {
            return number;
        }
        let half = width / 2.0;
        let middle = (low.0 + half, low.1 + half);
        let bodies = self.bodies;
        let quarter = |body: usize| {
            let (x, y) = bodies[body].0;
            usize::from(x >= middle.0) + 2 * usize::from(y >= middle.1)
        };
        self.order[from..to].sort_by_key(|&body| quarter(body));
        let mut start = from;
        for part in 0..4 {
            let end = start + self.order[start..to].partition_point(|&body| quarter(body) <= part);
            if end > start {
                let x = if part % 2 == 1 { middle.0 } else { low.0 };
                let y = if part / 2 == 1 { middle.1 } else { low.1 };
                self.cells[number].parts[part] = self.divide((start, end), (x, y), half, depth + 1);
            }
            start = end;
        }
        number
    }

    /// The force on a body: the masses of all others, each divided by the square of its distance, away from them.
    pub(super) fn push(&self, body: usize) -> Place {
        let (place, _) = self.bodies[body];
        let mut sum = (0.0, 0.0);
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            let cell = &self.cells[number];
            if cell.is_far(place) {
                add_push(&mut sum, place, cell.centre, cell.mass);
            } else if cell.parts == [0; 4] {
                for &other in self.order[cell.from..cell.to].iter().filter(|&&other| other != body)
                {
                    add_push(&mut sum, place, self.bodies[other].0, self.bodies[other].1);
                }
            } else {
                open.extend(cell.parts.into_iter().filter(|&part| part > 0));
            }
        }
        sum
    }
}

impl Quarter {
    /// Whether it counts as one body for a body at this place.
    fn is_far(&self, (x, y): Place) -> bool {
        let (dx, dy) = (x - self.centre.0, y - self.centre.1);
        let is_within = |offset: f64| (0.0..=self.width).contains(&offset);
        self.width * self.width < FAR * FAR * (dx * dx + dy * dy)
            && !(is_within(x - self.low.0) && is_within(y - self.low.1))
    }
}

/// The push of a mass on a body.
fn add_push(sum: &mut Place, place: Place, other: Place, mass: f64) {
    let (dx, dy) = (place.0 - other.0, place.1 - other.1);
    let square = (dx * dx + dy * dy).max(NEAREST * NEAREST);
    let strength = mass / (square * square.sqrt());
    *sum = (sum.0 + dx * strength, sum.1 + dy * strength);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_bodies_count_almost_as_if_each_were_there() {
        let at = |number: u32, turn: f64| (f64::from(number) * turn).sin() * 30.0;
        let body = |number: u32| ((at(number, 1.7), at(number, 0.9)), f64::from(1 + number % 3));
        let bodies: Vec<_> = (0..400).map(body).collect();
        let tree = Quadtree::new(&bodies);
        let mut all = 0.0;
        for one in 0..bodies.len() {
            let (mut exact, mut size) = ((0.0, 0.0), 0.0);
            for (other, &(place, mass)) in bodies.iter().enumerate() {
                if other != one {
                    let mut push = (0.0, 0.0);
                    add_push(&mut push, bodies[one].0, place, mass);
                    exact = (exact.0 + push.0, exact.1 + push.1);
                    size += push.0.hypot(push.1);
                }
            }
            let found = tree.push(one);
            let error = (found.0 - exact.0).hypot(found.1 - exact.1);
            assert!(error < 0.2 * size, "{one}: {error} of {size}");
            all += error / size / bodies.len() as f64;
        }
        assert!(all < 0.02, "{all}");
    }
}
