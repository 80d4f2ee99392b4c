//! The checker of GPU plans: runs MSCCL XML and MSCCL++ JSON, from Pavane or other tools, on buffers
//! whose chunks are symbolic sums of inputs. It finds deadlocks, missing or wrong data, and
//! unordered accesses to the same chunk. It shares no code with the exports and needs no GPU.

mod definition;
mod machine;
mod order;
mod schedule;
#[cfg(test)]
mod tests;
mod value;

pub use definition::{Definition, ListedChunk};
pub use machine::{Carried, PlanRun};
pub use schedule::from_plan;
pub(crate) use schedule::read_foreign;
pub use value::Value;

use crate::{msccl, mscclpp};
use std::fmt;

/// Maximum size of a plan in bytes.
pub const LARGEST_PLAN: usize = 64 << 20;

/// Maximum number of operations, and of chunks in all buffers together.
pub(crate) const LARGEST: usize = 1 << 20;

/// Why a file is not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct PlanError {
    /// Location in the file.
    pub place: String,
    /// What is wrong, with the value.
    pub problem: String,
}

impl PlanError {
    pub(crate) fn new(place: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self { place: place.to_string(), problem: problem.into() }
    }
}

/// Why a plan cannot be checked as demanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DemandError {
    /// The root is no rank.
    #[error("root {root}: the plan has no such rank (valid: 0 to {last})")]
    NoRank {
        /// The root.
        root: u32,
        /// The last rank.
        last: usize,
    },
    /// The name of the collective is not known.
    #[error(
        "collective {name:?}: unknown collective; use allgather, alltoall, allreduce, reduce_scatter, broadcast \
         or reduce"
    )]
    Unknown {
        /// The name.
        name: String,
    },
}

/// A buffer of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Buffer {
    /// The data that the rank starts with.
    Input,
    /// The data that it must end with.
    Output,
    /// Space for data that it forwards.
    Scratch,
}

impl Buffer {
    pub(crate) fn parse(text: &str) -> Option<Self> {
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

/// Consecutive chunks of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The rank that owns the buffer.
    pub rank: u32,
    /// The buffer.
    pub buffer: Buffer,
    /// The first chunk.
    pub offset: u32,
    /// Number of chunks.
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

/// An operation of a thread. It takes entries from queues, adds up its sources and the data taken,
/// stores the sum, and sends it to other queues.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operation {
    /// Its name in the file.
    pub name: String,
    /// Its index in its thread block.
    pub number: u32,
    /// Operations that must be complete before it, as (thread, operation) indices in the plan.
    pub after: Vec<(usize, usize)>,
    /// Queues from which it takes an entry.
    pub takes: Vec<usize>,
    /// Number of chunks that it expects in a data entry.
    pub received: Option<u32>,
    pub sources: Vec<Span>,
    pub stores: Vec<Span>,
    /// Queues to which it adds an entry.
    pub gives: Vec<usize>,
    /// Whether its entries carry data.
    pub is_data: bool,
    /// Whether other operations may wait for it.
    pub tells: bool,
    /// A barrier of its rank, and the number of threads that it joins.
    pub barrier: Option<(u32, u32)>,
}

/// A thread block: a sequence of operations.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub rank: u32,
    /// Its number in the file.
    pub id: u32,
    pub operations: Vec<Operation>,
}

/// Description of a queue, for reports.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    pub name: String,
    /// Number of entries at the start.
    pub start: u32,
    /// The ranks at its two ends.
    pub ends: (u32, u32),
}

/// Buffer sizes of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sizes {
    pub input: u32,
    pub output: u32,
    pub scratch: u32,
}

/// A plan: the operations of every rank.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// `MSCCL` or `MSCCL++`.
    pub format: &'static str,
    /// Name of its collective in the file.
    pub collective: String,
    /// What it must do: by its stored definition, or by the name of its collective.
    pub definition: Option<Definition>,
    /// Whether input and output share one buffer.
    pub is_in_place: bool,
    /// Number of sends that may be in flight from one thread block to another; a further one waits.
    /// `None`: unlimited.
    pub slots: Option<u32>,
    pub(crate) ranks: Vec<Sizes>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) queues: Vec<Queue>,
    /// Faults found before it runs.
    pub(crate) noted: Vec<PlanFault>,
}

/// A fault of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanFault {
    /// Threads wait for each other, or for data that is never sent.
    Deadlock {
        /// Every thread that is stuck, and what it waits for.
        stuck: Vec<String>,
    },
    /// An operation reads a chunk that is empty.
    Missing {
        /// The operation.
        operation: String,
        /// The chunk that it reads.
        chunk: String,
    },
    /// An operation exceeds a buffer or is inconsistent.
    Misfit {
        /// The operation.
        operation: String,
        /// What is inconsistent.
        problem: String,
    },
    /// Two unordered operations access a chunk, and at least one of them writes.
    Race {
        /// One operation.
        first: String,
        /// The other operation.
        second: String,
        /// The chunk.
        chunk: String,
    },
    /// Sent entries are never received.
    Unreceived {
        /// The queue.
        queue: String,
        /// Number of entries left.
        count: usize,
    },
    /// A chunk of an output differs from the definition of the collective.
    Wrong {
        /// The chunk.
        chunk: String,
        /// What it must hold.
        wanted: String,
        /// What it holds.
        found: String,
    },
    /// The plan is too large for a check.
    TooLarge {
        /// What was not checked.
        what: &'static str,
    },
}

impl fmt::Display for PlanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlock { stuck } => write!(f, "deadlock: {}", stuck.join("; ")),
            Self::Missing { operation, chunk } => {
                write!(f, "missing data: {operation} reads {chunk}, which has not been written")
            }
            Self::Misfit { operation, problem } => write!(f, "misfit: {operation}: {problem}"),
            Self::Race { first, second, chunk } => {
                write!(f, "data race: {first} and {second} access {chunk} in no defined order")
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

impl PlanFault {
    /// Short name of its kind.
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

/// Reads a plan: MSCCL if XML, MSCCL++ if JSON.
///
/// ```
/// let copy = r#"<algo name="one" ngpus="1" coll="allgather"><gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
///   <tb id="0" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"
///     cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu></algo>"#;
/// assert!(pavane_interop::plan::read(copy)?.faults().is_empty());
/// let idle = copy.replace("cpy", "nop");
/// assert_eq!(pavane_interop::plan::read(&idle)?.faults()[0].kind(), "wrong data");
/// # Ok::<(), pavane_interop::plan::PlanError>(())
/// ```
pub fn read(text: &str) -> Result<Plan, PlanError> {
    if text.len() > LARGEST_PLAN {
        let problem = format!("{} bytes exceed the maximum of {LARGEST_PLAN}", text.len());
        return Err(PlanError::new("the file", problem));
    }
    let mut plan = match text.trim_start().chars().next() {
        Some('<') => msccl::read(text),
        Some('{') => mscclpp::read(text),
        _ => Err(PlanError::new("the file", "neither MSCCL XML nor MSCCL++ JSON")),
    }?;
    plan.complete_sizes();
    Ok(plan)
}

impl Plan {
    /// In place, a file may give the size of the shared buffer only: input chunks are 0 for an
    /// all-gather, output chunks for an all-reduce. Sets the other size.
    fn complete_sizes(&mut self) {
        let is_divided = match &self.definition {
            _ if !self.is_in_place => return,
            Some(Definition::AllGather | Definition::ReduceScatter) => true,
            Some(Definition::AllReduce | Definition::AllToAll) => false,
            _ => return,
        };
        let ranks = self.ranks.len() as u32;
        let part = |whole: u32| if is_divided { whole / ranks } else { whole };
        let is_gather = self.definition == Some(Definition::AllGather);
        for sizes in &mut self.ranks {
            match (sizes.input, sizes.output) {
                (0, whole) if is_gather || !is_divided => sizes.input = part(whole),
                (whole, 0) if !is_gather => sizes.output = part(whole),
                _ => {}
            }
        }
    }

    /// Replaces what the file states: the collective by its name in a runtime, its root, and the number of sends
    /// that may be in flight.
    pub fn demand(
        &mut self,
        collective: Option<&str>,
        root: Option<u32>,
        slots: Option<u32>,
    ) -> Result<(), DemandError> {
        let last = self.rank_count().saturating_sub(1);
        if let Some(root) = root.filter(|&root| root as usize > last) {
            return Err(DemandError::NoRank { root, last });
        }
        match (collective, root) {
            (None, None) => {}
            (None, root) => self.definition = Definition::named(&self.collective, root),
            (Some(name), root) => {
                let definition = Definition::named(name, root);
                let unknown = || DemandError::Unknown { name: name.to_owned() };
                self.definition = Some(definition.ok_or_else(unknown)?);
            }
        }
        // Puts of MSCCL++ write into existing memory, so its plans have no slots.
        self.slots = self.slots.map(|usual| slots.unwrap_or(usual));
        Ok(())
    }

    /// Number of ranks.
    pub fn rank_count(&self) -> usize {
        self.ranks.len()
    }

    /// Number of operations.
    pub fn operation_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.operations.len()).sum()
    }

    /// Runs it to the end, or until no thread can proceed.
    pub fn run(&self) -> PlanRun {
        machine::run(self)
    }

    /// Everything that is wrong with it. Outputs are compared with the definition, if it is known.
    pub fn faults(&self) -> Vec<PlanFault> {
        let run = self.run();
        let mut faults = [&self.noted[..], &run.faults].concat();
        faults.extend(order::races(self, &run));
        // After a deadlock most output is missing; reporting that would add nothing.
        let is_complete = !faults.iter().any(|fault| matches!(fault, PlanFault::Deadlock { .. }));
        if let Some(definition) = self.definition.as_ref().filter(|_| is_complete) {
            faults.extend(definition.compare(self, &run));
        }
        faults
    }

    /// The contents of the outputs after a run, as (rank, value).
    pub fn outputs(&self, run: &PlanRun) -> Vec<(u32, Value)> {
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

    /// The name of an operation in reports.
    pub(crate) fn operation_name(&self, (thread, operation): (usize, usize)) -> String {
        let Thread { rank, id, operations } = &self.threads[thread];
        let Operation { name, number, .. } = &operations[operation];
        format!("rank {rank}, thread block {id}, step {number} ({name})")
    }

    /// The index of a chunk among all chunks of its rank, if it exists. In place, the smaller of
    /// input and output is part of the other.
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
