//! Reads MSCCL++ execution plans: thread blocks put into the memory of other GPUs, signal and wait.
//! The k-th signal on a channel is matched with the k-th wait at its other end.

use crate::plan::{
    Buffer, Definition, LARGEST, Operation, Plan, PlanError, Queue, Sizes, Span, Thread,
};
use pavane_model::strict_json;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

const MOST_GPUS: usize = 4096;

#[derive(Deserialize)]
#[serde(expecting = "a plan: an object with collective and gpus")]
struct RawPlan {
    #[serde(default)]
    name: Option<String>,
    collective: String,
    #[serde(default)]
    inplace: bool,
    gpus: Vec<RawGpu>,
    #[serde(default)]
    pavane: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct RawGpu {
    id: u32,
    #[serde(default)]
    input_chunks: u32,
    #[serde(default)]
    output_chunks: u32,
    #[serde(default)]
    scratch_chunks: u32,
    #[serde(default)]
    channels: Vec<RawChannels>,
    #[serde(default)]
    remote_buffers: Vec<RawRemote>,
    #[serde(default)]
    semaphores: Vec<RawSemaphore>,
    #[serde(default)]
    threadblocks: Vec<RawBlock>,
}

#[derive(Deserialize)]
struct RawChannels {
    channel_type: String,
    #[serde(default)]
    connected_to: Vec<u32>,
    #[serde(default)]
    channel_ids: Vec<usize>,
}

#[derive(Deserialize)]
struct RawRemote {
    rank: u32,
    #[serde(rename = "type")]
    buffer: String,
}

#[derive(Deserialize)]
struct RawSemaphore {
    #[serde(default)]
    init_value: u32,
}

#[derive(Deserialize)]
struct RawBlock {
    id: u32,
    #[serde(default)]
    channels: Vec<RawChannels>,
    #[serde(default)]
    remote_buffer_refs: Vec<RawReferences>,
    #[serde(default)]
    ops: Vec<RawOperation>,
}

#[derive(Deserialize)]
struct RawReferences {
    access_channel_type: String,
    remote_buffer_ids: Vec<usize>,
}

#[derive(Deserialize)]
struct RawOperation {
    name: String,
    #[serde(default)]
    channel_type: String,
    #[serde(default)]
    channel_ids: Vec<usize>,
    #[serde(default)]
    src_buff: Vec<RawChunk>,
    #[serde(default)]
    dst_buff: Vec<RawChunk>,
    #[serde(default)]
    semaphore_ids: Vec<usize>,
    #[serde(default)]
    barrier_id: u32,
    #[serde(default)]
    num_threadblocks: u32,
    #[serde(default)]
    tbg_info: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct RawChunk {
    #[serde(rename = "type", default)]
    buffer: Option<String>,
    #[serde(default)]
    buffer_id: Option<usize>,
    index: u32,
    size: u32,
}

/// Queues by the ranks at their ends, their type and their index among those of the pair, and the
/// semaphores of every rank.
struct Queues {
    list: Vec<Queue>,
    signals: BTreeMap<(u32, u32, String, usize), usize>,
    semaphores: Vec<Vec<usize>>,
}

pub(crate) fn read(text: &str) -> Result<Plan, PlanError> {
    let raw: RawPlan = strict_json::from_str(text)
        .map_err(|error| PlanError::new("the file", format!("not an MSCCL++ plan: {error}")))?;
    let definition = match &raw.pavane {
        Some(value) => Definition::carried(&raw.collective, &value.to_string())?,
        None => Definition::named(&raw.collective, None),
    };
    let ranks = sizes(&raw.gpus)?;
    let mut queues = Queues { list: Vec::new(), signals: BTreeMap::new(), semaphores: Vec::new() };
    for (rank, gpu) in (0..).zip(&raw.gpus) {
        let semaphore = |(number, raw): (usize, &RawSemaphore)| {
            let name = format!("semaphore {number} of rank {rank}");
            queues.list.push(Queue {
                name,
                start: raw.init_value.min(1 << 10),
                ends: (rank, rank),
            });
            queues.list.len() - 1
        };
        let semaphores = gpu.semaphores.iter().enumerate().map(semaphore).collect();
        queues.semaphores.push(semaphores);
    }
    let mut threads = Vec::new();
    for gpu in &raw.gpus {
        for block in &gpu.threadblocks {
            let mut reader =
                BlockReader { gpu, block, gpus: &raw.gpus, queues: &mut queues, at: 0 };
            let operations = reader.operations()?;
            threads.push(Thread { rank: gpu.id, id: block.id, operations });
        }
    }
    let operations: usize = threads.iter().map(|thread| thread.operations.len()).sum();
    if operations > LARGEST {
        let problem = format!("{operations} operations exceed the maximum of {LARGEST}");
        return Err(PlanError::new("the file", problem));
    }
    Ok(Plan {
        name: raw.name.unwrap_or_default(),
        format: "MSCCL++",
        collective: raw.collective,
        definition,
        is_in_place: raw.inplace,
        slots: None,
        ranks,
        threads,
        queues: queues.list,
        noted: Vec::new(),
    })
}

fn sizes(gpus: &[RawGpu]) -> Result<Vec<Sizes>, PlanError> {
    if gpus.is_empty() || gpus.len() > MOST_GPUS {
        let problem = format!("{} gpus; there must be 1 to {MOST_GPUS}", gpus.len());
        return Err(PlanError::new("gpus", problem));
    }
    let mut ranks = Vec::new();
    let mut chunks = 0u64;
    for (at, gpu) in gpus.iter().enumerate() {
        if gpu.id as usize != at {
            let problem = format!("expected gpu {at}, found gpu {}", gpu.id);
            return Err(PlanError::new("gpus", problem));
        }
        let sizes = [gpu.input_chunks, gpu.output_chunks, gpu.scratch_chunks];
        chunks += sizes.iter().map(|&size| u64::from(size)).sum::<u64>();
        let [input, output, scratch] = sizes;
        ranks.push(Sizes { input, output, scratch });
    }
    if chunks > LARGEST as u64 {
        let problem = format!("{chunks} chunks exceed the maximum of {LARGEST}");
        Err(PlanError::new("gpus", problem))
    } else {
        Ok(ranks)
    }
}

/// Reads one thread block.
struct BlockReader<'a> {
    gpu: &'a RawGpu,
    block: &'a RawBlock,
    gpus: &'a [RawGpu],
    queues: &'a mut Queues,
    at: usize,
}

impl BlockReader<'_> {
    fn error(&self, problem: impl Into<String>) -> PlanError {
        let (gpu, block, at) = (self.gpu.id, self.block.id, self.at);
        PlanError::new(format!("gpu {gpu}, threadblock {block}, operation {at}"), problem)
    }

    fn operations(&mut self) -> Result<Vec<Operation>, PlanError> {
        let block = self.block;
        let mut operations = Vec::new();
        for (at, raw) in block.ops.iter().enumerate() {
            self.at = at;
            if raw.tbg_info.is_some() {
                return Err(self.error("groups of thread blocks (tbg_info) are not supported"));
            }
            let mut made = self.operation(raw)?;
            for one in &mut made {
                one.name = raw.name.chars().take(20).collect();
                one.number = at as u32;
            }
            operations.append(&mut made);
        }
        Ok(operations)
    }

    fn operation(&mut self, raw: &RawOperation) -> Result<Vec<Operation>, PlanError> {
        let mut one = Operation::default();
        match raw.name.as_str() {
            "nop" => {}
            "flush" => self.peers(raw).map(|_| ())?,
            "signal" | "rlxsignal" => one.gives = self.channels(raw, true)?,
            "wait" | "rlxwait" => one.takes = self.channels(raw, false)?,
            "sem_acquire" => one.takes = self.semaphores(raw)?,
            "sem_release" => one.gives = self.semaphores(raw)?,
            "barrier" => one.barrier = Some((raw.barrier_id, raw.num_threadblocks)),
            "copy" => return self.pairs(raw),
            "put" | "get" => {
                let made = self.pairs(raw)?;
                self.check_peers(raw, &made)?;
                return Ok(made);
            }
            "pws" | "pwsf" => {
                let mut made = self.pairs(raw)?;
                self.check_peers(raw, &made)?;
                one.gives = self.channels(raw, true)?;
                made.push(one);
                return Ok(made);
            }
            "re" | "rre" | "res" | "rres" => {
                one.sources = self.spans(raw, &raw.src_buff)?;
                one.stores = self.spans(raw, &raw.dst_buff)?;
            }
            other => {
                let shown: String = other.chars().take(20).collect();
                return Err(self.error(format!("the operation {shown:?} is not supported")));
            }
        }
        Ok(vec![one])
    }

    /// The peers of an operation's channels.
    fn peers(&self, raw: &RawOperation) -> Result<Vec<u32>, PlanError> {
        let peer = |&id: &usize| self.channel(&raw.channel_type, id).map(|(peer, _)| peer);
        raw.channel_ids.iter().map(peer).collect()
    }

    /// Fails unless every remote span lies at the other end of a channel of the operation. There is
    /// one channel per part, or one for all.
    fn check_peers(&self, raw: &RawOperation, made: &[Operation]) -> Result<(), PlanError> {
        let peers = self.peers(raw)?;
        for (at, one) in made.iter().enumerate() {
            let spans = one.sources.iter().chain(&one.stores);
            for span in spans.filter(|span| span.rank != self.gpu.id) {
                let peer = if peers.len() == 1 { peers.first() } else { peers.get(at) };
                match peer {
                    Some(&peer) if peer == span.rank => {}
                    Some(peer) => {
                        let problem =
                            format!("{span} is not at the other end of a channel to gpu {peer}");
                        return Err(self.error(problem));
                    }
                    None => return Err(self.error(format!("no channel leads to {span}"))),
                }
            }
        }
        Ok(())
    }

    /// One operation for each pair of a source and a target.
    fn pairs(&self, raw: &RawOperation) -> Result<Vec<Operation>, PlanError> {
        let (sources, targets) = (self.spans(raw, &raw.src_buff)?, self.spans(raw, &raw.dst_buff)?);
        if sources.len() != targets.len() {
            let problem = format!("{} sources, but {} targets", sources.len(), targets.len());
            return Err(self.error(problem));
        }
        let pair = |(source, target)| Operation {
            sources: vec![source],
            stores: vec![target],
            ..Operation::default()
        };
        Ok(sources.into_iter().zip(targets).map(pair).collect())
    }

    fn spans(&self, raw: &RawOperation, chunks: &[RawChunk]) -> Result<Vec<Span>, PlanError> {
        chunks.iter().map(|chunk| self.span(raw, chunk)).collect()
    }

    fn span(&self, raw: &RawOperation, chunk: &RawChunk) -> Result<Span, PlanError> {
        if chunk.size > LARGEST as u32 {
            return Err(self.error(format!("{} chunks at once are too many", chunk.size)));
        }
        let buffer = |word: &str| {
            let shown: String = word.chars().take(20).collect();
            Buffer::parse(word).ok_or_else(|| self.error(format!("unknown buffer type {shown:?}")))
        };
        let (rank, buffer) = match (&chunk.buffer, chunk.buffer_id) {
            (Some(word), None) => (self.gpu.id, buffer(word)?),
            (None, Some(id)) => {
                let references = self.block.remote_buffer_refs.iter();
                let mut of_type = references
                    .filter(|refs| {
                        raw.channel_type.is_empty() || refs.access_channel_type == raw.channel_type
                    })
                    .flat_map(|refs| &refs.remote_buffer_ids);
                let remote =
                    of_type.nth(id).and_then(|&number| self.gpu.remote_buffers.get(number));
                let remote =
                    remote.ok_or_else(|| self.error(format!("there is no remote buffer {id}")))?;
                if remote.rank as usize >= self.gpus.len() {
                    return Err(self.error(format!("there is no gpu {}", remote.rank)));
                }
                (remote.rank, buffer(&remote.buffer)?)
            }
            _ => return Err(self.error("a chunk must have either a type or a buffer_id")),
        };
        Ok(Span { rank, buffer, offset: chunk.index, count: chunk.size })
    }

    fn semaphores(&self, raw: &RawOperation) -> Result<Vec<usize>, PlanError> {
        let own = &self.queues.semaphores[self.gpu.id as usize];
        let find = |&id: &usize| {
            own.get(id).copied().ok_or_else(|| self.error(format!("there is no semaphore {id}")))
        };
        raw.semaphore_ids.iter().map(find).collect()
    }

    /// The queues of an operation's channels, towards the peer for a signal and from it otherwise.
    fn channels(&mut self, raw: &RawOperation, is_signal: bool) -> Result<Vec<usize>, PlanError> {
        let mut found = Vec::new();
        for &id in &raw.channel_ids {
            let (peer, number) = self.channel(&raw.channel_type, id)?;
            let own = self.gpu.id;
            let (from, to) = if is_signal { (own, peer) } else { (peer, own) };
            let list = &mut self.queues.list;
            let key = (from, to, raw.channel_type.clone(), number);
            found.push(*self.queues.signals.entry(key).or_insert_with(|| {
                let kind = &raw.channel_type;
                let name =
                    format!("a signal from rank {from} to rank {to} on {kind} channel {number}");
                list.push(Queue { name, start: 0, ends: (from, to) });
                list.len() - 1
            }));
        }
        Ok(found)
    }

    /// The peer of a channel of this block, and the index of the channel among those between the
    /// two.
    fn channel(&self, kind: &str, id: usize) -> Result<(u32, usize), PlanError> {
        let own = self.block.channels.iter().filter(|channels| channels.channel_type == kind);
        let number = own.flat_map(|channels| &channels.channel_ids).nth(id).copied();
        let missing = || self.error(format!("there is no {kind:?} channel {id}"));
        let number = number.ok_or_else(missing)?;
        let peers = |gpu: &RawGpu| -> Vec<u32> {
            let of_kind = gpu.channels.iter().filter(|channels| channels.channel_type == kind);
            of_kind.flat_map(|channels| channels.connected_to.iter().copied()).collect()
        };
        let mine = peers(self.gpu);
        let peer = mine.get(number).copied().ok_or_else(missing)?;
        let place = mine[..number].iter().filter(|&&other| other == peer).count();
        let theirs = self.gpus.get(peer as usize).map(peers).unwrap_or_default();
        let back = theirs.iter().filter(|&&other| other == self.gpu.id).count();
        if place < back {
            Ok((peer, place))
        } else {
            Err(self.error(format!("gpu {peer} has no {kind} channel back")))
        }
    }
}
