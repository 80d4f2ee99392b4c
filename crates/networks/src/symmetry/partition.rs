//! Ordered partitions of the points into cells, refined until the points of a cell have the same
//! number of channels to and from each cell.

use super::graph::Graph;

/// Points in cells; a cell is identified by its start.
#[derive(Debug, Clone)]
pub struct Partition {
    /// The points, cell by cell.
    order: Vec<u32>,
    /// The position of each point in that order.
    position: Vec<u32>,
    /// The start of the cell of each point.
    start: Vec<u32>,
    /// The length of the cell that starts here.
    length: Vec<u32>,
}

impl Partition {
    /// Puts points of the same colour into one cell, smaller colours first.
    pub fn by_colour<T: Ord + Copy>(colours: &[T]) -> Self {
        let points = colours.len();
        let mut order: Vec<u32> = (0..points as u32).collect();
        order.sort_by_key(|&point| colours[point as usize]);
        let (mut position, mut start) = (vec![0; points], vec![0; points]);
        let mut length = vec![0; points];
        let mut cell = 0;
        for (at, &point) in order.iter().enumerate() {
            if colours[point as usize] != colours[order[cell] as usize] {
                cell = at;
            }
            position[point as usize] = at as u32;
            start[point as usize] = cell as u32;
            length[cell] += 1;
        }
        Self { order, position, start, length }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The points of a cell.
    pub fn cell(&self, start: u32) -> &[u32] {
        &self.order[start as usize..(start + self.length[start as usize]) as usize]
    }

    /// The first of the smallest cells that have more than one point.
    pub fn smallest_cell(&self) -> Option<u32> {
        self.starts()
            .filter(|&start| self.length[start as usize] > 1)
            .min_by_key(|&start| self.length[start as usize])
    }

    /// The starts of all cells.
    fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        let next = |&start: &u32| {
            let next = start + self.length[start as usize];
            ((next as usize) < self.len()).then_some(next)
        };
        std::iter::successors(Some(0), next)
    }

    /// For two discrete partitions, maps each point of this one to the point at the same position
    /// of the other.
    pub fn mapping_to(&self, other: &Self) -> Vec<u32> {
        let mut image = vec![0; self.len()];
        for (from, to) in self.order.iter().zip(&other.order) {
            image[*from as usize] = *to;
        }
        image
    }

    /// Moves a point to a position in the order, swapping it with the point there.
    fn move_to(&mut self, point: u32, place: u32) {
        let (old, other) = (self.position[point as usize], self.order[place as usize]);
        self.order.swap(old as usize, place as usize);
        self.position[point as usize] = place;
        self.position[other as usize] = old;
    }

    /// Makes the last `count` points of a cell a new cell, and returns its start.
    fn split_off(&mut self, start: u32, count: u32) -> u32 {
        let rest = self.length[start as usize] - count;
        let new = start + rest;
        self.length[start as usize] = rest;
        self.length[new as usize] = count;
        for at in new..new + count {
            self.start[self.order[at as usize] as usize] = new;
        }
        new
    }
}

/// The events of a refinement, independent of the numbering of the points.
#[derive(Debug)]
pub enum Trace<'t> {
    /// Records the events.
    Record(Vec<u64>),
    /// Compares the events with recorded ones, up to an index; `usize::MAX` after a difference.
    Compare(&'t [u64], usize),
}

impl Trace<'_> {
    /// Adds an event; returns false if it differs from the recorded one.
    fn note(&mut self, value: u64) -> bool {
        match self {
            Self::Record(values) => {
                values.push(value);
                true
            }
            Self::Compare(values, at) => {
                let is_same = values.get(*at) == Some(&value);
                *at = if is_same { *at + 1 } else { usize::MAX };
                is_same
            }
        }
    }

    /// The recorded events.
    pub fn into_events(self) -> Vec<u64> {
        match self {
            Self::Record(values) => values,
            Self::Compare(values, _) => values.to_vec(),
        }
    }

    /// Whether exactly the recorded events happened.
    pub fn is_matched(&self) -> bool {
        match self {
            Self::Record(_) => true,
            Self::Compare(values, at) => *at == values.len(),
        }
    }
}

/// Work between two checks for an interrupt.
const LOOK_EVERY: u64 = 1 << 12;

/// The remaining work of a search, and its interrupt.
pub struct Limit<'a> {
    work_left: u64,
    next_look: u64,
    is_over: &'a dyn Fn() -> bool,
}

impl<'a> Limit<'a> {
    /// Allows this much work, unless `is_over` interrupts the search.
    pub fn new(work: u64, is_over: &'a dyn Fn() -> bool) -> Self {
        Self { work_left: work, next_look: work, is_over }
    }

    /// Deducts work; `None` if not enough is left or the search is interrupted.
    fn charge(&mut self, work: u64) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        if self.work_left <= self.next_look {
            self.next_look = self.work_left.saturating_sub(LOOK_EVERY);
            return (!(self.is_over)()).then_some(());
        }
        Some(())
    }
}

/// Refines partitions within a limit on the work.
pub struct Refiner<'a> {
    graph: &'a Graph,
    limit: Limit<'a>,
    leaving: Vec<u64>,
    entering: Vec<u64>,
    touched: Vec<u32>,
    queue: std::collections::VecDeque<u32>,
    is_queued: Vec<bool>,
}

impl<'a> Refiner<'a> {
    /// Creates a refiner that stops at `limit`.
    pub fn new(graph: &'a Graph, limit: Limit<'a>) -> Self {
        let points = graph.point_count();
        Self {
            graph,
            limit,
            leaving: vec![0; points],
            entering: vec![0; points],
            touched: Vec::new(),
            queue: std::collections::VecDeque::new(),
            is_queued: vec![false; points],
        }
    }

    /// Deducts work; `None` if not enough is left or the search is interrupted.
    pub fn charge(&mut self, work: u64) -> Option<()> {
        self.limit.charge(work)
    }

    /// Refines with respect to all cells. Stops where the trace differs from the recorded one.
    pub fn refine_all(&mut self, partition: &mut Partition, trace: &mut Trace<'_>) -> Option<()> {
        for start in partition.starts() {
            self.enqueue(start);
        }
        self.refine(partition, trace)
    }

    /// Individualises a point: makes it a cell of its own, behind the rest of its old cell, and
    /// refines. Stops where the trace differs from the recorded one.
    pub fn set_apart(
        &mut self,
        partition: &mut Partition,
        point: u32,
        trace: &mut Trace<'_>,
    ) -> Option<()> {
        let start = partition.start[point as usize];
        let last = start + partition.length[start as usize] - 1;
        partition.move_to(point, last);
        let new = partition.split_off(start, 1);
        self.enqueue(new);
        self.refine(partition, trace)
    }

    fn enqueue(&mut self, start: u32) {
        if !std::mem::replace(&mut self.is_queued[start as usize], true) {
            self.queue.push_back(start);
        }
    }

    fn refine(&mut self, partition: &mut Partition, trace: &mut Trace<'_>) -> Option<()> {
        let mut is_same = true;
        while let Some(cell) = self.queue.pop_front() {
            self.is_queued[cell as usize] = false;
            if is_same {
                self.count_channels(partition, cell)?;
                is_same = self.split_touched(partition, trace);
            }
        }
        Some(())
    }

    /// Counts the channels from every point to a cell, and from the cell to every point.
    fn count_channels(&mut self, partition: &Partition, cell: u32) -> Option<()> {
        let mut work = 0;
        for &point in partition.cell(cell) {
            let (leaving, entering) = (self.graph.leaving(point), self.graph.entering(point));
            for &(end, weight) in entering {
                self.touch(end);
                self.leaving[end as usize] += weight;
            }
            for &(end, weight) in leaving {
                self.touch(end);
                self.entering[end as usize] += weight;
            }
            work += (leaving.len() + entering.len() + 1) as u64;
        }
        self.charge(4 * work)
    }

    /// Lists a point before its first count.
    fn touch(&mut self, point: u32) {
        if self.leaving[point as usize] == 0 && self.entering[point as usize] == 0 {
            self.touched.push(point);
        }
    }

    /// Splits all cells by the counts; returns false if the trace differs.
    fn split_touched(&mut self, partition: &mut Partition, trace: &mut Trace<'_>) -> bool {
        let mut touched = std::mem::take(&mut self.touched);
        let (leaving, entering) = (&self.leaving, &self.entering);
        let counts = |point: u32| (leaving[point as usize], entering[point as usize]);
        let mut keyed: Vec<(u32, (u64, u64), u32)> =
            touched.iter().map(|&r| (partition.start[r as usize], counts(r), r)).collect();
        for &point in &touched {
            self.leaving[point as usize] = 0;
            self.entering[point as usize] = 0;
        }
        touched.clear();
        self.touched = touched;
        keyed.sort_unstable();
        let mut is_same = true;
        for group in keyed.chunk_by(|one, other| one.0 == other.0) {
            is_same = is_same && self.split_cell(partition, group, trace);
        }
        is_same
    }

    /// Splits one cell: points without a count come first, the others follow by their counts.
    fn split_cell(
        &mut self,
        partition: &mut Partition,
        group: &[(u32, (u64, u64), u32)],
        trace: &mut Trace<'_>,
    ) -> bool {
        let start = group[0].0;
        let mut parts = vec![start];
        for part in group.chunk_by(|one, other| one.1 == other.1).rev() {
            let count = part.len() as u32;
            let (leaving, entering) = part[0].1;
            let noted = [u64::from(start) << 32 | u64::from(count), leaving, entering];
            if !noted.into_iter().all(|value| trace.note(value)) {
                return false;
            }
            let length = partition.length[start as usize];
            if count == length {
                break;
            }
            for (&(_, _, point), place) in part.iter().zip((start..start + length).rev()) {
                partition.move_to(point, place);
            }
            parts.push(partition.split_off(start, count));
        }
        // The largest part need not be queued, because its counts follow from those of the whole
        // cell.
        let is_queued = self.is_queued[start as usize];
        let largest = parts
            .iter()
            .copied()
            .max_by_key(|&part| (partition.length[part as usize], std::cmp::Reverse(part)));
        for part in parts {
            if is_queued || Some(part) != largest {
                self.enqueue(part);
            }
        }
        true
    }
}
