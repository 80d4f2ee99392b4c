//! MSCCL++ execution plan: thread blocks per peer, which put data into the peer's memory, signal,
//! and wait for the peer's signals. If one block receives what another sends on, a semaphore
//! synchronises them.

use crate::export::{ExportError, File, one_file};
use crate::lowering::{Carry, Layout, Place, as_json, lower, runtime_name};
use crate::whole::Whole;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of operations in a thread block.
const OPERATIONS: usize = 64;

/// Maximum number of operations that one transfer adds to a block, at either end.
const OF_TRANSFER: usize = 7;

/// A thread block of a GPU that communicates with one peer over one channel.
#[derive(Default)]
struct PeerBlock {
    operations: Vec<Value>,
    /// The peer's buffers that it writes to, by their index on this GPU.
    remote: Vec<usize>,
}

/// A GPU being planned.
#[derive(Default)]
struct PlannedGpu {
    /// The peers of its channels, in the order of channels; block `k` uses channel `k`.
    peers: Vec<u32>,
    blocks: Vec<PeerBlock>,
    remote_buffers: Vec<(u32, char)>,
    semaphores: usize,
}

impl PlannedGpu {
    /// The index of a peer's buffer among those that a block may use.
    fn remote(&mut self, block: usize, peer: u32, buffer: char) -> usize {
        let known = self.remote_buffers.iter().position(|known| *known == (peer, buffer));
        let number = known.unwrap_or_else(|| {
            self.remote_buffers.push((peer, buffer));
            self.remote_buffers.len() - 1
        });
        let remote = &mut self.blocks[block].remote;
        remote.iter().position(|&known| known == number).unwrap_or_else(|| {
            remote.push(number);
            remote.len() - 1
        })
    }

    fn add(&mut self, block: usize, operations: impl IntoIterator<Item = Value>) {
        self.blocks[block].operations.extend(operations);
    }
}

/// The blocks of a transfer at its two ends, where it lands, and its semaphores.
struct Ends {
    from: usize,
    to: usize,
    landing: Place,
    /// The semaphores that the sender and the receiver wait for.
    send_after: Option<usize>,
    receive_after: Option<usize>,
    /// The semaphores that the receiver releases.
    releases: Vec<usize>,
}

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let (mut layout, carries) = lower(whole);
    let mut gpus: Vec<PlannedGpu> =
        (0..whole.rank_count()).map(|_| PlannedGpu::default()).collect();
    let ends = plan(&mut gpus, &mut layout, &carries);
    let mut start = 0;
    while start < carries.len() {
        let step = carries[start].step;
        let end = start + carries[start..].partition_point(|carry| carry.step == step);
        // All sends of a step come before all waits, so no block waits before it has signalled.
        for (carry, ends) in carries[start..end].iter().zip(&ends[start..end]) {
            send(&mut gpus[carry.from as usize], carry, ends);
        }
        for (carry, ends) in carries[start..end].iter().zip(&ends[start..end]) {
            receive(&mut gpus[carry.to as usize], carry, ends);
        }
        start = end;
    }
    let gpus: Vec<Value> =
        gpus.iter().enumerate().map(|(id, gpu)| gpu_json(id, gpu, &layout)).collect();
    let (least, most) = whole.options.sizes.unwrap_or((0, u64::MAX));
    let value = json!({
        "name": whole.title(),
        "collective": runtime_name(whole).replace("reduce_scatter", "reducescatter"),
        "protocol": "Simple",
        "inplace": false,
        "reuse_resources": false,
        "gpus": gpus,
        "num_threads_per_block": 1024,
        "use_double_scratch_buffer": false,
        "buffer_alignment": 16,
        "min_message_size": least,
        "max_message_size": most,
        "pavane": as_json(whole),
    });
    Ok(one_file(format!("{value:#}\n")))
}

/// Plans blocks for every pair of ranks, as many as their transfers need, and semaphores between
/// blocks.
fn plan(gpus: &mut [PlannedGpu], layout: &mut Layout, carries: &[Carry]) -> Vec<Ends> {
    // By pair: its newest blocks, and their number of transfers.
    let mut newest: BTreeMap<(u32, u32), (usize, usize, usize)> = BTreeMap::new();
    let mut ends: Vec<Ends> = Vec::with_capacity(carries.len());
    for carry in carries {
        let pair = (carry.from.min(carry.to), carry.from.max(carry.to));
        let entry = newest.entry(pair).or_insert((0, 0, usize::MAX));
        if entry.2 >= OPERATIONS / OF_TRANSFER {
            for (gpu, peer) in [(pair.0, pair.1), (pair.1, pair.0)] {
                gpus[gpu as usize].peers.push(peer);
                gpus[gpu as usize].blocks.push(PeerBlock::default());
            }
            let last = |gpu: u32| gpus[gpu as usize].blocks.len() - 1;
            *entry = (last(pair.0), last(pair.1), 0);
        }
        entry.2 += 1;
        let (low, high, _) = *entry;
        let (from, to) = if carry.from < carry.to { (low, high) } else { (high, low) };
        let mut wait = |gpu: u32, block: usize, after: Option<usize>| {
            let earlier = &mut ends[after?];
            if earlier.to == block {
                return None;
            }
            let semaphore = gpus[gpu as usize].semaphores;
            gpus[gpu as usize].semaphores += 1;
            earlier.releases.push(semaphore);
            Some(semaphore)
        };
        let send_after = wait(carry.from, from, carry.send_after);
        let receive_after = wait(carry.to, to, carry.receive_after);
        // A partial sum is put into scratch and added by the receiver.
        let landing = match carry.adds {
            Some(_) => layout.scratch(carry.to),
            None => carry.landing,
        };
        ends.push(Ends { from, to, landing, send_after, receive_after, releases: Vec::new() });
    }
    ends
}

fn send(gpu: &mut PlannedGpu, carry: &Carry, ends: &Ends) {
    let remote = gpu.remote(ends.from, carry.to, ends.landing.buffer);
    gpu.add(ends.from, ends.send_after.map(acquire).into_iter().flatten());
    let put = json!({
        "name": "put",
        "src_buff": [local(carry.source)],
        "dst_buff": [{"buffer_id": remote, "index": ends.landing.offset, "size": 1}],
        "channel_ids": [0],
        "channel_type": "port",
    });
    gpu.add(ends.from, [put, nop(), on_channel("signal"), on_channel("flush")]);
}

fn receive(gpu: &mut PlannedGpu, carry: &Carry, ends: &Ends) {
    gpu.add(ends.to, [on_channel("wait"), nop()]);
    if let Some(sum) = carry.adds {
        gpu.add(ends.to, ends.receive_after.map(acquire).into_iter().flatten());
        let reduce = json!({
            "name": "re",
            "src_buff": [local(sum), local(ends.landing)],
            "dst_buff": [local(carry.landing)],
            "reduce_op": "sum",
        });
        gpu.add(ends.to, [reduce, nop()]);
    }
    if !ends.releases.is_empty() {
        gpu.add(ends.to, [json!({"name": "sem_release", "semaphore_ids": ends.releases})]);
    }
}

fn nop() -> Value {
    json!({"name": "nop"})
}

fn on_channel(name: &str) -> Value {
    json!({"name": name, "channel_ids": [0], "channel_type": "port"})
}

fn acquire(semaphore: usize) -> [Value; 2] {
    [json!({"name": "sem_acquire", "semaphore_ids": [semaphore]}), nop()]
}

fn local(place: Place) -> Value {
    json!({"type": place.buffer.to_string(), "index": place.offset, "size": 1})
}

fn gpu_json(id: usize, gpu: &PlannedGpu, layout: &Layout) -> Value {
    let mut blocks: Vec<Value> = Vec::new();
    for (channel, block) in gpu.blocks.iter().enumerate() {
        blocks.push(json!({
            "id": blocks.len(),
            "ops": block.operations,
            "channels": [{"channel_type": "port", "channel_ids": [channel]}],
            "remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": block.remote}],
        }));
    }
    let own: Vec<_> = layout.copies.iter().filter(|copy| copy.0 as usize == id).collect();
    for part in own.chunks(OPERATIONS) {
        let copy = |(_, source, target): &&(u32, Place, Place)| json!({"name": "copy", "src_buff": [local(*source)], "dst_buff": [local(*target)]});
        blocks.push(json!({
            "id": blocks.len(),
            "ops": part.iter().map(copy).collect::<Vec<_>>(),
            "channels": [],
            "remote_buffer_refs": [],
        }));
    }
    let remote = gpu.remote_buffers.iter().map(|(rank, buffer)| {
        json!({"rank": rank, "type": buffer.to_string(), "access_channel_types": ["port"]})
    });
    json!({
        "id": id,
        "input_chunks": layout.inputs[id],
        "output_chunks": layout.outputs[id],
        "scratch_chunks": layout.scratch[id],
        "channels": [{"channel_type": "port", "connected_to": gpu.peers}],
        "remote_buffers": remote.collect::<Vec<_>>(),
        "semaphores": vec![json!({"init_value": 0}); gpu.semaphores],
        "threadblocks": blocks,
    })
}
