//! Reads the schedules that TE-CCL writes: which chunk crosses which link, or passes through which
//! switches, in which epoch. A file names neither its network nor its size. What it sends is kept, in
//! its order; when each send starts follows from the bandwidths and latencies of the network.

mod file;
mod flow;
mod nodes;
mod shares;

use crate::import::{ImportedError, OtherClaim, UntimedSchedule};
use file::TecclFile;
use flow::Flow;
use nodes::Nodes;
use pavane_model::timed::{BufferSize, Chunk, Send, TimedPhase, TimedSchedule, equal_chunks};
use pavane_model::{
    ChannelId, Collective, Duplex, Fraction, Kind, MessageId, Model, Network, Problem, ProcessorId,
    RouterId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of chunks per message that is read.
const MOST_CHUNKS: u32 = 4096;

/// The most bytes for which a claim is checked.
const MOST_BYTES: u64 = 1 << 40;

/// Whether a text looks like a schedule of TE-CCL.
pub(crate) fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && text.contains("-Epoch_Duration\"")
        && text.contains("-Flows\"")
}

/// Converts a schedule of TE-CCL for messages of a size on a network.
pub(crate) fn read(
    text: &str,
    network: &Network,
    bytes: u64,
) -> Result<UntimedSchedule, ImportedError> {
    let file = TecclFile::read(text)?;
    let nodes = Nodes::new(&file, network)?;
    let group: Vec<ProcessorId> = network.living_processors().collect();
    let (kind, name) = if file.is_personalised {
        (Kind::Scatter, "all-to-all")
    } else {
        (Kind::Broadcast, "all-gather")
    };
    let collective = Collective::between(kind, name, group.clone(), group);
    let problem = Problem::new(network.clone(), collective, Model::default())?;
    let size = BufferSize::Bytes(bytes);
    let sizes = size.of_messages(&problem);
    let case = Case { file: &file, nodes: &nodes, network, problem: &problem, sizes: &sizes };
    let (chunks, sends, met) = if file.is_personalised { case.moved()? } else { case.copied()? };
    let phase = TimedPhase { problem: problem.clone(), chunks, sends };
    let schedule = TimedSchedule {
        name: name.to_owned(),
        phases: vec![phase],
        size,
        duplex: Duplex::Full,
        time_unit_ns: Fraction::ONE,
        time: None,
        bound: None,
    };
    let size_note = size_note(&file, bytes);
    let is_of_this_size = size_note.is_none();
    Ok(UntimedSchedule {
        schedule,
        claimed_ns: is_of_this_size.then_some(file.seconds * 1e9),
        claimed_gbytes: file.gbytes.filter(|_| is_of_this_size),
        other_claim: other_claim(&file).filter(|_| !is_of_this_size),
        demands_met: Some((met, problem.messages().delivery_count() as u64)),
        notes: nodes.notes().into_iter().chain(size_note).collect(),
    })
}

/// Says if the size is not the one that the file claims, in GB/s and seconds.
fn size_note(file: &TecclFile, bytes: u64) -> Option<String> {
    let claimed = file.gbytes? * file.seconds * 1e9;
    let is_other = (claimed - bytes as f64).abs() > 0.01 * claimed;
    is_other.then(|| {
        let (micro, gbytes) = (file.seconds * 1e6, file.gbytes.unwrap_or_default());
        format!(
            "it claims {micro:.4} µs and {gbytes:.4} GB/s for {claimed:.0} bytes, not for {bytes}"
        )
    })
}

/// The claimed time and the size that it is for.
fn other_claim(file: &TecclFile) -> Option<OtherClaim> {
    let bytes = file.gbytes? * file.seconds * 1e9;
    // A schedule for more bytes does not take less time.
    let bytes = (bytes * 0.99).floor().clamp(0.0, MOST_BYTES as f64) as u64;
    (bytes > 0).then_some(OtherClaim { time_ns: file.seconds * 1e9, bytes })
}

/// A file on a network.
struct Case<'a> {
    file: &'a TecclFile,
    nodes: &'a Nodes<'a>,
    network: &'a Network,
    problem: &'a Problem,
    /// The bytes of every message.
    sizes: &'a [u64],
}

/// Chunks, sends in their order, and the number of deliveries that are made.
type Converted = (Vec<Chunk>, Vec<Send>, u64);

impl Case<'_> {
    /// The channels of a flow, in their order; parallel channels are taken in turn.
    fn route(&self, flow: &Flow, uses: &mut [u64]) -> Result<Vec<ChannelId>, ImportedError> {
        let mut route = Vec::new();
        let stops: Vec<u32> =
            [flow.from].into_iter().chain(flow.via.iter().copied()).chain([flow.to]).collect();
        for pair in stops.windows(2) {
            let (from, to) = (self.nodes.router(pair[0])?, self.nodes.router(pair[1])?);
            let leads = |channel: &&ChannelId| self.network.channel(**channel).head == to;
            let channels = self.network.out_channels(from).iter().filter(leads);
            let Some(&channel) = channels.min_by_key(|channel| uses[channel.index()]) else {
                return Err(ImportedError::DoesNotFit(format!(
                    "a chunk travels over {}->{}, but {} has no channel from {} to {}",
                    pair[0],
                    pair[1],
                    self.network.name(),
                    self.network.router_name(from),
                    self.network.router_name(to)
                )));
            };
            uses[channel.index()] += 1;
            route.push(channel);
        }
        Ok(route)
    }

    /// All-gather: every node on the way keeps a copy.
    fn copied(&self) -> Result<Converted, ImportedError> {
        let count = self.file.flows.iter().map(|flow| flow.chunk + 1).max().unwrap_or(1);
        if count > MOST_CHUNKS {
            return Err(ImportedError::Unreadable(format!(
                "it has a chunk {}, and at most {MOST_CHUNKS} chunks per message are read",
                count - 1
            )));
        }
        let messages = self.problem.messages();
        let message_of: BTreeMap<RouterId, MessageId> =
            messages.ids().map(|id| (self.problem.home(messages.origin(id)), id)).collect();
        let (chunks, numbers) = equal_chunks(self.sizes, count);
        let place = |message: MessageId, part: u32| message.0 * count + part;
        let mut uses = vec![0; self.network.channel_count()];
        let mut has: BTreeSet<(u32, RouterId)> = BTreeSet::new();
        // What arrives at the end of a flow, not what passes through.
        let mut delivered: BTreeSet<(u32, RouterId)> = BTreeSet::new();
        for (&home, message) in &message_of {
            has.extend((0..count).map(|part| (place(*message, part), home)));
        }
        let mut sends = Vec::new();
        for flow in &self.file.flows {
            if flow.volume.is_some_and(|volume| volume != shares::WHOLE) {
                return Err(ImportedError::DoesNotFit(format!(
                    "a part of chunk {} from {} is sent; an all-gather sends whole chunks",
                    flow.chunk, flow.origin
                )));
            }
            let origin = self.nodes.router(flow.origin)?;
            let Some(message) = message_of.get(&origin) else {
                return Err(ImportedError::DoesNotFit(format!(
                    "chunk {} is from {}, which is no processor of {}",
                    flow.chunk,
                    flow.origin,
                    self.network.name()
                )));
            };
            let part = place(*message, flow.chunk);
            delivered.insert((part, self.nodes.router(flow.to)?));
            for channel in self.route(flow, &mut uses)? {
                let head = self.network.channel(channel).head;
                let is_known = !has.insert((part, head));
                if let Some(chunk) = numbers[part as usize]
                    && !(is_known && self.network.is_multicast(head))
                {
                    sends.push(Send { chunk, channel, start: sends.len() as u64 });
                }
            }
        }
        let met = messages.ids().map(|message| {
            let arrived = |to: &&ProcessorId| {
                let home = self.problem.home(**to);
                (0..count).all(|part| delivered.contains(&(place(message, part), home)))
            };
            messages.destinations(message).iter().filter(arrived).count() as u64
        });
        let met = met.sum();
        Ok((chunks, sends, met))
    }

    /// All-to-all: shares of a message move on and leave nothing behind.
    fn moved(&self) -> Result<Converted, ImportedError> {
        let messages = self.problem.messages();
        let home = |processor| self.problem.home(processor);
        let message_of: BTreeMap<(RouterId, RouterId), MessageId> = messages
            .ids()
            .map(|id| ((home(messages.origin(id)), home(messages.destinations(id)[0])), id))
            .collect();
        let mut flows: Vec<Vec<usize>> = vec![Vec::new(); messages.len()];
        for (at, flow) in self.file.flows.iter().enumerate() {
            let to = self.file.destination(flow)?;
            let ends = (self.nodes.router(flow.origin)?, self.nodes.router(to)?);
            let Some(message) = message_of.get(&ends) else {
                return Err(ImportedError::DoesNotFit(format!(
                    "chunk {} goes from {} to {to}, which are not two processors of {}",
                    flow.chunk,
                    flow.origin,
                    self.network.name()
                )));
            };
            flows[message.index()].push(at);
        }
        let mut chunks = Vec::new();
        // The chunks that every flow carries.
        let mut carried: Vec<Vec<u32>> = vec![Vec::new(); self.file.flows.len()];
        let mut met = 0;
        for message in messages.ids() {
            let mine: Vec<&Flow> =
                flows[message.index()].iter().map(|&at| &self.file.flows[at]).collect();
            let to = home(messages.destinations(message)[0]);
            let origin = home(messages.origin(message));
            let router = |node: u32| self.nodes.router(node);
            let split = shares::split(&mine, origin, &router)?;
            met += u64::from(split.at(to) == shares::WHOLE);
            let bytes = self.sizes[message.index()];
            let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
            for (from, to) in split.pieces() {
                let (offset, end) = (shares::bytes(from, bytes), shares::bytes(to, bytes));
                if offset < end {
                    numbers.insert(from, chunks.len() as u32);
                    chunks.push(Chunk { message, offset, bytes: end - offset });
                }
            }
            for (&at, ranges) in flows[message.index()].iter().zip(&split.carried) {
                let pieces = ranges.iter().flat_map(|&(from, to)| numbers.range(from..to));
                carried[at].extend(pieces.map(|(_, &chunk)| chunk));
            }
        }
        let mut uses = vec![0; self.network.channel_count()];
        let mut sends = Vec::new();
        for (flow, carried) in self.file.flows.iter().zip(&carried) {
            for channel in self.route(flow, &mut uses)? {
                let start = sends.len() as u64;
                sends.extend(carried.iter().map(|&chunk| Send { chunk, channel, start }));
            }
        }
        Ok((chunks, sends, met))
    }
}
