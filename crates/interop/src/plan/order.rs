//! Data races: two operations access the same chunk, one of them writes, and nothing orders them:
//! neither their thread block, nor dependencies, queue entries or barriers. The end of a rank
//! counts as a read of its output, because the user of the output does not wait for writes of other
//! ranks.

use super::machine::PlanRun;
use super::{Buffer, LARGEST, Plan, PlanFault, Span};

/// Maximum number of races listed.
const MOST_RACES: usize = 100;

/// Maximum number of operations visited in the search for an order.
const MOST_VISITS: usize = 512 * LARGEST;

/// The last accesses to a chunk, as indices of completed operations.
#[derive(Clone, Default)]
struct Accesses {
    write: Option<u32>,
    reads: Vec<u32>,
}

struct RaceSearch<'a> {
    plan: &'a Plan,
    run: &'a PlanRun,
    /// For every completed operation, the index of the preceding one of its thread.
    previous: Vec<Option<u32>>,
    /// The number of the search that last visited each operation.
    mark: Vec<u32>,
    marks: u32,
    visits: usize,
    faults: Vec<PlanFault>,
}

pub(crate) fn races(plan: &Plan, run: &PlanRun) -> Vec<PlanFault> {
    let mut last = vec![None; plan.threads.len()];
    let mut previous = Vec::with_capacity(run.done.len());
    for (place, &(thread, _)) in (0..).zip(&run.done) {
        previous.push(last[thread].replace(place));
    }
    let mark = vec![0; run.done.len()];
    let (marks, visits, faults) = (0, 0, Vec::new());
    let mut search = RaceSearch { plan, run, previous, mark, marks, visits, faults };
    let mut chunks: Vec<Vec<Accesses>> =
        run.chunks.iter().map(|chunks| vec![Accesses::default(); chunks.len()]).collect();
    for (place, &(thread, operation)) in (0..).zip(&run.done) {
        let operation = &plan.threads[thread].operations[operation];
        for &span in &operation.sources {
            for (rank, at, chunk) in search.places(span) {
                let accesses = &mut chunks[rank][at];
                search.demand(accesses.write, place, chunk);
                accesses.reads.push(place);
            }
        }
        for &span in &operation.stores {
            for (rank, at, chunk) in search.places(span) {
                let accesses = std::mem::take(&mut chunks[rank][at]);
                search.demand(accesses.write, place, chunk);
                for &read in &accesses.reads {
                    search.demand(Some(read), place, chunk);
                }
                chunks[rank][at].write = Some(place);
            }
        }
    }
    let is_complete = plan.operation_count() == run.done.len();
    for rank in (0..plan.rank_count() as u32).filter(|_| is_complete) {
        search.end(rank, &chunks[rank as usize]);
    }
    if search.visits > MOST_VISITS {
        search.faults.push(PlanFault::TooLarge { what: "the order of all accesses" });
    }
    search.faults
}

impl RaceSearch<'_> {
    /// The existing chunks of a span.
    fn places(&self, span: Span) -> Vec<(usize, usize, Span)> {
        let offsets = span.offset..span.offset.saturating_add(span.count);
        let chunk = |offset| {
            let at = self.plan.chunk(span.rank, span.buffer, offset)?;
            Some((span.rank as usize, at, Span { offset, count: 1, ..span }))
        };
        offsets.filter_map(chunk).collect()
    }

    /// Reports writes into the output of a rank that may happen after the rank has ended.
    fn end(&mut self, rank: u32, chunks: &[Accesses]) {
        self.marks += 1;
        let mut open: Vec<u32> = Vec::new();
        for (place, &(thread, _)) in (0..).zip(&self.run.done) {
            if self.plan.threads[thread].rank == rank {
                self.mark[place as usize] = self.marks;
                open.push(place);
            }
        }
        while let Some(place) = open.pop() {
            self.visits += 1;
            if self.visits > MOST_VISITS {
                return;
            }
            let before = self.run.before[place as usize].iter().copied();
            for next in before.chain(self.previous[place as usize]) {
                if self.mark[next as usize] != self.marks {
                    self.mark[next as usize] = self.marks;
                    open.push(next);
                }
            }
        }
        let count = self.plan.ranks[rank as usize].output;
        for (_, at, chunk) in self.places(Span { rank, buffer: Buffer::Output, offset: 0, count }) {
            let write = chunks[at].write.filter(|&write| self.mark[write as usize] != self.marks);
            if let Some(write) = write.filter(|_| self.faults.len() < MOST_RACES) {
                let first = self.plan.operation_name(self.run.done[write as usize]);
                let (second, chunk) = (format!("the end of rank {rank}"), chunk.to_string());
                self.faults.push(PlanFault::Race { first, second, chunk });
            }
        }
    }

    /// Reports a race unless the first operation precedes the second.
    fn demand(&mut self, first: Option<u32>, second: u32, chunk: Span) {
        let Some(first) = first.filter(|&first| first != second) else { return };
        if self.faults.len() >= MOST_RACES || self.is_before(first, second) {
            return;
        }
        let name = |place: u32| self.plan.operation_name(self.run.done[place as usize]);
        let (first, second, chunk) = (name(first), name(second), chunk.to_string());
        self.faults.push(PlanFault::Race { first, second, chunk });
    }

    /// Whether the first operation precedes the second. Operations completed before the first
    /// cannot lead to it.
    fn is_before(&mut self, first: u32, second: u32) -> bool {
        let (thread, _) = self.run.done[first as usize];
        self.marks += 1;
        let mut open = vec![second];
        while let Some(place) = open.pop() {
            if self.run.done[place as usize].0 == thread && place >= first {
                return true;
            }
            self.visits += 1;
            if self.visits > MOST_VISITS {
                return true;
            }
            let before = self.run.before[place as usize].iter().copied();
            for next in before.chain(self.previous[place as usize]) {
                if next >= first && self.mark[next as usize] != self.marks {
                    self.mark[next as usize] = self.marks;
                    open.push(next);
                }
            }
        }
        false
    }
}
