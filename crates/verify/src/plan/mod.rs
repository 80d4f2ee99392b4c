//! The judge of plans: MSCCL XML and MSCCL++ JSON, ours or of others, run on buffers whose chunks are sums of
//! inputs. It finds deadlocks, data that is missing or wrong, and accesses to the same chunk that nothing puts in order.
//! It shares no code with the exports, and needs no GPU.

mod definition;
mod machine;
mod msccl;
mod mscclpp;
mod order;
#[cfg(test)]
mod tests;
mod value;

pub use definition::{Definition, ListedChunk};
pub use machine::{Carried, Run};
pub use value::Value;

use std::fmt;

/// The most bytes that a plan may have.
pub const LARGEST_PLAN: usize = 64 << 20;

/// The most operations, and the most chunks in all buffers together.
pub(crate) const LARGEST: usize = 1 << 20;

/// Why a file is no plan at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct PlanError {
    /// Where in the file.
    pub place: String,
    /// What is wrong, with the value.
    pub problem: String,
}

impl PlanError {
    fn new(place: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self { place: place.to_string(), problem: problem.into() }
    }
}

/// A buffer of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Buffer {
    /// What it has at the start.
    Input,
    /// What it must have in the end.
    Output,
    /// Room for what it passes on.
    Scratch,
}

impl Buffer {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "i" | "input" => Some(Self::Input),
            "o" | "output" => Some(Self::Output),
            "s" | "scratch" => Some(Self::Scratch),
            _ => None,
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Scratch => "scratch",
        })
    }
}

/// Chunks of a buffer that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The rank whose buffer it is.
    pub rank: u32,
    /// The buffer.
    pub buffer: Buffer,
    /// The first chunk.
    pub offset: u32,
    /// How many chunks.
    pub count: u32,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, buffer, offset, count } = self;
        match count {
            1 => write!(f, "chunk {offset} of the {buffer} of rank {rank}"),
            _ => write!(
                f,
                "chunks {offset} to {} of the {buffer} of rank {rank}",
                u64::from(*offset) + u64::from(*count) - 1
            ),
        }
    }
}

/// One operation of a thread. It takes from its queue, adds up its sources and what it took, stores the sum,
/// and gives it to the other queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operation {
    /// What the file calls it.
    pub name: String,
    /// Its place in its thread block.
    pub number: u32,
    /// Threads and operations that must be done before, by their numbers in the plan.
    pub after: Vec<(usize, usize)>,
    /// Queues that it takes an entry from.
    pub takes: Vec<usize>,
    /// Chunks that it expects of a data entry.
    pub received: Option<u32>,
    pub sources: Vec<Span>,
    pub stores: Vec<Span>,
    /// Queues that it gives an entry to.
    pub gives: Vec<usize>,
    /// Whether its entries carry data.
    pub is_data: bool,
    /// Whether others may wait for it.
    pub tells: bool,
    /// A barrier of its rank, and how many threads it joins.
    pub barrier: Option<(u32, u32)>,
}

/// A thread block: operations one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub rank: u32,
    /// What the file calls it.
    pub id: u32,
    pub operations: Vec<Operation>,
}

/// What a queue is, for reports.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    pub name: String,
    /// Entries that are there at the start.
    pub start: u32,
    /// The ranks at its ends.
    pub ends: (u32, u32),
}

/// Sizes of the buffers of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sizes {
    pub input: u32,
    pub output: u32,
    pub scratch: u32,
}

/// A plan: what every rank does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// `MSCCL` or `MSCCL++`.
    pub format: &'static str,
    /// What it calls its collective.
    pub collective: String,
    /// What it must do: by the definition that it carries, or by the name of its collective.
    pub definition: Option<Definition>,
    /// Whether input and output are one buffer.
    pub is_in_place: bool,
    /// Sends from one thread block to another that may be under way at a time: one more waits. `None`: any number.
    pub slots: Option<u32>,
    pub(crate) ranks: Vec<Sizes>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) queues: Vec<Queue>,
    /// What is wrong with it before it runs.
    pub(crate) noted: Vec<Fault>,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Threads wait for each other, or for what nobody sends.
    Deadlock {
        /// Every thread that is stuck, and what it waits for.
        stuck: Vec<String>,
    },
    /// An operation reads a chunk that nothing has been put into.
    Missing {
        /// The operation.
        operation: String,
        /// What it reads.
        chunk: String,
    },
    /// An operation reaches beyond a buffer, or fits nothing.
    Misfit {
        /// The operation.
        operation: String,
        /// What does not fit.
        problem: String,
    },
    /// Two operations access a chunk, at least one of them writes, and nothing puts them in order.
    Race {
        /// The one.
        first: String,
        /// The other.
        second: String,
        /// The chunk.
        chunk: String,
    },
    /// Something is sent that nobody takes.
    Unreceived {
        /// The queue.
        queue: String,
        /// How many entries are left.
        count: usize,
    },
    /// A chunk of an output is not what the collective asks for.
    Wrong {
        /// The chunk.
        chunk: String,
        /// What it must be.
        wanted: String,
        /// What it is.
        found: String,
    },
    /// Too much work to say more.
    TooLarge {
        /// What was not looked at.
        what: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlock { stuck } => write!(f, "deadlock: {}", stuck.join("; ")),
            Self::Missing { operation, chunk } => {
                write!(f, "missing data: {operation} reads {chunk}, where nothing has been put")
            }
            Self::Misfit { operation, problem } => write!(f, "misfit: {operation}: {problem}"),
            Self::Race { first, second, chunk } => {
                write!(f, "data race: {first} and {second} access {chunk} in no order")
            }
            Self::Unreceived { queue, count } => {
                write!(f, "not received: {queue}, {count} times")
            }
            Self::Wrong { chunk, wanted, found } => {
                write!(f, "wrong data: {chunk} must be {wanted}, but is {found}")
            }
            Self::TooLarge { what } => write!(f, "too large: {what} was not checked"),
        }
    }
}

impl Fault {
    /// One word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Deadlock { .. } => "deadlock",
            Self::Missing { .. } => "missing data",
            Self::Misfit { .. } => "misfit",
            Self::Race { .. } => "data race",
            Self::Unreceived { .. } => "not received",
            Self::Wrong { .. } => "wrong data",
            Self::TooLarge { .. } => "too large",
        }
    }
}

/// Reads a plan: XML is MSCCL's, JSON is MSCCL++'s.
///
/// ```
/// let copy = r#"<algo name="one" ngpus="1" coll="allgather"><gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
///   <tb id="0" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"
///     cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu></algo>"#;
/// assert!(pavane_verify::plan::read(copy)?.faults().is_empty());
/// let idle = copy.replace("cpy", "nop");
/// assert_eq!(pavane_verify::plan::read(&idle)?.faults()[0].kind(), "wrong data");
/// # Ok::<(), pavane_verify::plan::PlanError>(())
/// ```
pub fn read(text: &str) -> Result<Plan, PlanError> {
    if text.len() > LARGEST_PLAN {
        let problem =
            format!("{} bytes are more than the {LARGEST_PLAN} that are read", text.len());
        return Err(PlanError::new("the file", problem));
    }
    match text.trim_start().chars().next() {
        Some('<') => msccl::read(text),
        Some('{') => mscclpp::read(text),
        _ => Err(PlanError::new("the file", "neither MSCCL XML nor MSCCL++ JSON")),
    }
}

impl Plan {
    /// How many ranks it is for.
    pub fn rank_count(&self) -> usize {
        self.ranks.len()
    }

    /// How many operations it has.
    pub fn operation_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.operations.len()).sum()
    }

    /// Runs it to the end, or as far as it goes.
    pub fn run(&self) -> Run {
        machine::run(self)
    }

    /// Everything that is wrong with it, compared with what it must do if that is known.
    pub fn faults(&self) -> Vec<Fault> {
        let run = self.run();
        let mut faults = [&self.noted[..], &run.faults].concat();
        faults.extend(order::races(self, &run));
        // After a deadlock everything is missing, which says nothing more.
        let is_complete = !faults.iter().any(|fault| matches!(fault, Fault::Deadlock { .. }));
        if let Some(definition) = self.definition.as_ref().filter(|_| is_complete) {
            faults.extend(definition.compare(self, &run));
        }
        faults
    }

    /// What the outputs hold after a run: the ranks and the values.
    pub fn outputs(&self, run: &Run) -> Vec<(u32, Value)> {
        let mut outputs = Vec::new();
        for (rank, sizes) in (0..).zip(&self.ranks) {
            for offset in 0..sizes.output {
                let at = self.chunk(rank, Buffer::Output, offset);
                let value = at.and_then(|at| run.chunks[rank as usize][at].clone());
                outputs.extend(value.map(|value| (rank, value)));
            }
        }
        outputs
    }

    /// What an operation is called in reports.
    pub(crate) fn operation_name(&self, (thread, operation): (usize, usize)) -> String {
        let Thread { rank, id, operations } = &self.threads[thread];
        let Operation { name, number, .. } = &operations[operation];
        format!("rank {rank}, thread block {id}, step {number} ({name})")
    }

    /// The place of a chunk among all chunks of its rank, if there is one. In place, the smaller of input and
    /// output is a part of the other.
    pub(crate) fn chunk(&self, rank: u32, buffer: Buffer, offset: u32) -> Option<usize> {
        let Sizes { input, output, scratch } = *self.ranks.get(rank as usize)?;
        let (size, start) = match buffer {
            Buffer::Input => (input, 0),
            Buffer::Output => (output, input),
            Buffer::Scratch => (scratch, input + output),
        };
        if offset >= size {
            return None;
        }
        let at = (start + offset) as usize;
        if !self.is_in_place {
            return Some(at);
        }
        let own = |part: u32, whole: u32| if part < whole { rank * part } else { 0 };
        Some(match buffer {
            Buffer::Input if input <= output => {
                let shared = own(input, output) + offset;
                if shared < output { (input + shared) as usize } else { at }
            }
            Buffer::Output if output < input => {
                let shared = own(output, input) + offset;
                if shared < input { shared as usize } else { at }
            }
            _ => at,
        })
    }
}
