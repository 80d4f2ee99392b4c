//! MSCCL XML: one thread block per peer and direction, one step per send and receive. Transfers go
//! from rank to rank; the routers and channels on their paths are not part of the format.

use crate::export::{ExportError, File, MOST_BYTES, one_file};
use crate::lowering::{Carry, Place, as_json, lower, runtime_name};
use crate::whole::Whole;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Limits of the runtime.
const STEPS_OF_BLOCK: usize = 256;
const BLOCKS_OF_GPU: usize = 216;
const BLOCKS_OF_CHANNEL: usize = 32;
const CHANNELS: usize = 32;
const NAME: usize = 63;

/// One step of a thread block.
struct BlockStep {
    kind: &'static str,
    source: Place,
    target: Place,
    /// The block and the step that must be complete before.
    after: Option<(usize, usize)>,
    has_dependant: bool,
}

/// A thread block.
struct Block {
    send: i64,
    receive: i64,
    channel: usize,
    steps: Vec<BlockStep>,
    /// By other block: the last step that this one has waited for.
    waited: BTreeMap<usize, usize>,
}

/// The thread blocks of a GPU; those for peers by peer and direction.
#[derive(Default)]
struct Gpu {
    blocks: Vec<Block>,
    to: BTreeMap<u32, usize>,
    from: BTreeMap<u32, usize>,
    in_channel: Vec<usize>,
}

impl Gpu {
    fn block(&mut self, send: i64, receive: i64, channel: usize) -> usize {
        let (steps, waited) = (Vec::new(), BTreeMap::new());
        self.blocks.push(Block { send, receive, channel, steps, waited });
        self.in_channel.resize(self.in_channel.len().max(channel + 1), 0);
        self.in_channel[channel] += 1;
        self.blocks.len() - 1
    }

    fn has_room(&self, channel: usize) -> bool {
        self.in_channel.get(channel).is_none_or(|&count| count < BLOCKS_OF_CHANNEL)
    }

    /// Adds a step and returns its block and number. Steps that the same block executed before, or
    /// has already waited for, need no dependency.
    fn step(
        &mut self,
        block: usize,
        kind: &'static str,
        [source, target]: [Place; 2],
        after: Option<(usize, usize)>,
    ) -> (usize, usize) {
        let waited = &mut self.blocks[block].waited;
        let after = after.filter(|(other, step)| {
            *other != block && waited.get(other).is_none_or(|known| known < step)
        });
        if let Some((other, step)) = after {
            waited.insert(other, step);
            self.blocks[other].steps[step].has_dependant = true;
        }
        let steps = &mut self.blocks[block].steps;
        steps.push(BlockStep { kind, source, target, after, has_dependant: false });
        (block, steps.len() - 1)
    }
}

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let (layout, carries) = lower(whole);
    let mut gpus: Vec<Gpu> = (0..whole.rank_count()).map(|_| Gpu::default()).collect();
    for &(rank, source, target) in &layout.copies {
        let gpu = &mut gpus[rank as usize];
        if gpu.blocks.is_empty() {
            gpu.block(-1, -1, 0);
        }
        gpu.step(0, "cpy", [source, target], None);
    }
    let mut arrived: Vec<(usize, usize)> = Vec::with_capacity(carries.len());
    for carry in &carries {
        let (sending, receiving) = blocks_of(&mut gpus, carry);
        let Carry { source, landing, .. } = *carry;
        let after = carry.send_after.map(|number| arrived[number]);
        gpus[carry.from as usize].step(sending, "s", [source, landing], after);
        let after = carry.receive_after.map(|number| arrived[number]);
        let gpu = &mut gpus[carry.to as usize];
        arrived.push(match carry.adds {
            Some(sum) => gpu.step(receiving, "rrc", [sum, landing], after),
            None => gpu.step(receiving, "r", [source, landing], None),
        });
    }
    check(&gpus)?;
    let mut text = head(whole, &gpus, &layout.inputs);
    for (id, gpu) in gpus.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  <gpu id=\"{id}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">",
            layout.inputs[id], layout.outputs[id], layout.scratch[id]
        );
        for (id, block) in gpu.blocks.iter().enumerate() {
            write_block(&mut text, id, block);
        }
        text += "  </gpu>\n";
    }
    text += "</algo>\n";
    Ok(one_file(text))
}

/// The thread blocks of a transfer at sender and receiver, on a channel where both have room.
fn blocks_of(gpus: &mut [Gpu], carry: &Carry) -> (usize, usize) {
    let (from, to) = (carry.from as usize, carry.to as usize);
    if let (Some(&one), Some(&other)) =
        (gpus[from].to.get(&carry.to), gpus[to].from.get(&carry.from))
    {
        return (one, other);
    }
    let has_room = |&channel: &usize| gpus[from].has_room(channel) && gpus[to].has_room(channel);
    let channel = (0..).find(has_room).unwrap_or(0);
    let one = gpus[from].block(carry.to.into(), -1, channel);
    let other = gpus[to].block(-1, carry.from.into(), channel);
    gpus[from].to.insert(carry.to, one);
    gpus[to].from.insert(carry.from, other);
    (one, other)
}

fn check(gpus: &[Gpu]) -> Result<(), ExportError> {
    let most = |count: fn(&Gpu) -> usize| gpus.iter().map(count).max().unwrap_or(0);
    let figures = [
        ("thread blocks on a GPU", most(|gpu| gpu.blocks.len()), BLOCKS_OF_GPU),
        ("channels", most(|gpu| gpu.in_channel.len()), CHANNELS),
        (
            "steps in a thread block",
            most(|gpu| gpu.blocks.iter().map(|block| block.steps.len()).max().unwrap_or(0)),
            STEPS_OF_BLOCK,
        ),
    ];
    for (what, count, limit) in figures {
        if count > limit {
            return Err(ExportError::TooLarge {
                format: "msccl",
                problem: format!(
                    "the runtime allows {limit} {what}, but this schedule needs {count}"
                ),
                remedy: "export a schedule with fewer chunks, or one among fewer processors",
            });
        }
    }
    Ok(())
}

fn head(whole: &Whole<'_>, gpus: &[Gpu], inputs: &[u32]) -> String {
    let collective = runtime_name(whole);
    let gpu_count = gpus.len();
    let chunks = inputs.iter().max().copied().unwrap_or(1) as usize
        * if collective == "allgather" { gpu_count } else { 1 };
    let channels = gpus.iter().map(|gpu| gpu.in_channel.len()).max().unwrap_or(1);
    let title = whole.comment();
    // The name attribute allows few characters.
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = whole.title().chars().map(letter).take(NAME).collect();
    let (least, most) = whole.options.sizes.unwrap_or((0, MOST_BYTES));
    format!(
        "<!-- {title}, by pavane. Each send goes from rank to rank; the paths over channels and the steps \
         that keep them free of conflicts are not part of this format. -->\n\
         <!-- pavane {} -->\n\
         <algo name=\"{name}\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{chunks}\" \
         ngpus=\"{gpu_count}\" coll=\"{collective}\" inplace=\"0\" outofplace=\"1\" minBytes=\"{least}\" \
         maxBytes=\"{most}\">\n",
        as_json(whole)
    )
}

fn write_block(text: &mut String, id: usize, block: &Block) {
    let Block { send, receive, channel, steps, .. } = block;
    let _ = writeln!(
        text,
        "    <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">"
    );
    for (number, step) in steps.iter().enumerate() {
        let (depid, deps) = match step.after {
            Some((block, step)) => (block as i64, step as i64),
            None => (-1, -1),
        };
        let _ = writeln!(
            text,
            "      <step s=\"{number}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" \
             dstoff=\"{}\" cnt=\"1\" depid=\"{depid}\" deps=\"{deps}\" hasdep=\"{}\"/>",
            step.kind,
            step.source.buffer,
            step.source.offset,
            step.target.buffer,
            step.target.offset,
            u8::from(step.has_dependant)
        );
    }
    *text += "    </tb>\n";
}
