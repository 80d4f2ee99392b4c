//! Equal parts of messages, *cells*, so that every chunk of a timed schedule is a sequence of them.

use pavane_model::timed::{Chunk, TimedPhase};

/// The most cells per message, unless all messages have as many equal chunks.
const MOST_CELLS: u64 = 1024;

/// Consecutive cells, numbered through all messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cells {
    pub first: u32,
    pub count: u32,
}

/// The cells of all chunks.
pub(super) struct CellTable {
    /// Cells per message.
    pub count: u32,
    /// By phase and chunk.
    pub by_phase: Vec<Vec<Cells>>,
}

/// The chunks of a message, by offset: the number of each and where it ends.
struct Cuts {
    chunks: Vec<(usize, u64)>,
    /// Whether the chunks differ by at most a byte.
    is_equal: bool,
}

/// The fewest cells per message that suit all chunks, up to a byte for every chunk of a message. `None` if
/// it takes too many, or if a message has no chunk.
pub(super) fn cells(phases: &[TimedPhase]) -> Option<CellTable> {
    let cuts: Vec<Vec<Cuts>> = phases.iter().map(cuts).collect::<Option<_>>()?;
    let all = || cuts.iter().flatten();
    let count = if all().all(|cuts| cuts.is_equal) {
        let most = all().map(|cuts| cuts.chunks.len() as u64).max()?.max(MOST_CELLS);
        let common = |count: u64, cuts: &Cuts| {
            let other = cuts.chunks.len() as u64;
            Some(count / gcd(count, other) * other).filter(|&count| count <= most)
        };
        all().try_fold(1, common)?
    } else {
        (2..=MOST_CELLS).find(|&count| all().all(|cuts| cuts.suits(count)))?
    };
    let by_phase = phases.iter().zip(&cuts).map(|(phase, cuts)| {
        let mut of_chunks = vec![Cells { first: 0, count: 0 }; phase.chunks.len()];
        for (message, cuts) in cuts.iter().enumerate() {
            let mut before = 0;
            for (place, &(chunk, _)) in cuts.chunks.iter().enumerate() {
                let after = cuts.cell(place, count);
                let first = u32::try_from(message as u64 * count + before).ok()?;
                of_chunks[chunk] = Cells { first, count: (after - before) as u32 };
                before = after;
            }
        }
        Some(of_chunks)
    });
    Some(CellTable {
        count: u32::try_from(count).ok()?,
        by_phase: by_phase.collect::<Option<_>>()?,
    })
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

fn cuts(phase: &TimedPhase) -> Option<Vec<Cuts>> {
    let mut by_message: Vec<Vec<(u64, u64, usize)>> =
        vec![Vec::new(); phase.problem.messages().len()];
    for (number, &Chunk { message, offset, bytes }) in phase.chunks.iter().enumerate() {
        by_message[message.index()].push((offset, bytes, number));
    }
    let of_message = |mut chunks: Vec<(u64, u64, usize)>| {
        chunks.sort_unstable();
        let sizes = || chunks.iter().map(|&(_, bytes, _)| bytes);
        let is_equal = sizes().max()? <= sizes().min()? + 1;
        let end = |&(offset, bytes, number): &(u64, u64, usize)| (number, offset + bytes);
        Some(Cuts { chunks: chunks.iter().map(end).collect(), is_equal })
    };
    by_message.into_iter().map(of_message).collect()
}

impl Cuts {
    fn bytes(&self) -> u64 {
        self.chunks.last().map_or(0, |&(_, end)| end)
    }

    /// The number of cells up to the end of a chunk.
    fn cell(&self, place: usize, count: u64) -> u64 {
        if self.is_equal {
            return (place as u64 + 1) * count / self.chunks.len() as u64;
        }
        let (end, bytes) = (u128::from(self.chunks[place].1), u128::from(self.bytes().max(1)));
        ((end * u128::from(count) + bytes / 2) / bytes) as u64
    }

    /// Whether every chunk ends where a cell does, or so close that rounding to whole bytes explains it.
    fn suits(&self, count: u64) -> bool {
        let rounding = self.chunks.len() as u64;
        let is_coarse = self.bytes() / count >= 4 * rounding;
        let is_whole = self.is_equal && count.is_multiple_of(rounding);
        let ends_with_a_cell = |place: usize| {
            let cell = u128::from(self.cell(place, count)) * u128::from(self.bytes());
            let start = (cell / u128::from(count)) as u64;
            start.abs_diff(self.chunks[place].1) <= rounding
        };
        let grows =
            |place: usize| place == 0 || self.cell(place, count) > self.cell(place - 1, count);
        let places = || 0..self.chunks.len();
        let fits = is_coarse && !self.is_equal && places().all(ends_with_a_cell);
        is_whole || (fits && self.cell(0, count) > 0 && places().all(grows))
    }
}
