//! Reads timed schedules, plain or gzipped, and resolves every label in them.

use super::raw::{RawChunk, RawTimed};
use super::{BufferSize, Chunk, FORMAT, Send, TimeBound, TimedPhase, TimedSchedule};
use crate::format::FormatError;
use crate::format::labels::LabelIndex;
use crate::format::open::open;
use crate::format::parse::parse;
use crate::format::phases;
use crate::format::raw::RawCollective;
use crate::format::read::build_network;
use crate::ids::ChannelId;
use crate::network::Network;
use crate::problem::{Problem, ProblemError};
use crate::rules::{Duplex, Model};
use crate::words::excerpt;
use std::io::BufRead;
use std::path::Path;

/// Reads a timed schedule, plain or gzipped. `limit` is the maximum number of deliveries.
pub fn read_file(path: &Path, limit: u64) -> Result<TimedSchedule, FormatError> {
    let name = path.display().to_string();
    let file = open(path).map_err(|source| FormatError::Io { path: name.clone(), source })?;
    read(file, &name, limit)
}

/// Reads a timed schedule. `limit` is the maximum number of deliveries.
pub fn read(
    mut reader: impl BufRead,
    name: &str,
    limit: u64,
) -> Result<TimedSchedule, FormatError> {
    read_any(&mut reader, name, limit)
}

/// As [`read`], compiled once for all readers.
fn read_any(
    reader: &mut dyn BufRead,
    name: &str,
    limit: u64,
) -> Result<TimedSchedule, FormatError> {
    let path = || name.to_owned();
    let schedule: RawTimed = parse(reader, name, "a timed schedule")?;
    if schedule.format != FORMAT {
        let problem = format!("its format is {:?}, not {FORMAT:?}", excerpt(&schedule.format));
        return Err(FormatError::Inconsistent { path: path(), problem });
    }
    resolve(schedule, limit).map_err(|problem| match problem {
        Refusal::Words(problem) => FormatError::Inconsistent { path: path(), problem },
        Refusal::Problem(source) => FormatError::Problem { path: path(), source },
    })
}

/// Why a file is refused.
enum Refusal {
    Words(String),
    Problem(ProblemError),
}

impl From<String> for Refusal {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<&str> for Refusal {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

/// Chunks and sends as they are in a file.
type Parts = (Vec<RawChunk>, Vec<(u32, u32, u64)>);

fn resolve(raw: RawTimed, limit: u64) -> Result<TimedSchedule, Refusal> {
    if raw.time_unit_ns.is_zero() {
        return Err("its time_unit_ns is 0, but it must be more than 0".into());
    }
    let network = build_network(raw.network, Vec::new())?;
    let name = if raw.collective.name.is_empty() {
        raw.collective.kind.clone()
    } else {
        raw.collective.name.clone()
    };
    let size = match (raw.bytes, raw.sizes) {
        (Some(_), Some(_)) => return Err("it has both bytes and sizes".into()),
        (Some(bytes), None) => BufferSize::Bytes(bytes),
        (None, Some(_)) if raw.phases.is_some() => {
            return Err("a schedule with phases has bytes, not sizes".into());
        }
        (None, Some(sizes)) => BufferSize::Each(sizes),
        (None, None) => return Err("it needs the size of the messages: bytes or sizes".into()),
    };
    let phases = match (raw.phases, raw.chunks, raw.sends) {
        (Some(parts), None, None) => {
            let parts: Vec<_> = parts.into_iter().map(|phase| phase.split()).collect();
            let collectives: Vec<&RawCollective> = parts.iter().map(|(one, ..)| one).collect();
            phases::check_collectives(&raw.collective, &collectives)?;
            let build = |(collective, chunks, sends)| {
                phase(network.clone(), collective, (chunks, sends), limit)
            };
            parts.into_iter().map(build).collect::<Result<Vec<_>, Refusal>>()?
        }
        (Some(_), ..) => {
            return Err("it has phases, so its chunks and sends belong in them".into());
        }
        (None, Some(_), Some(_)) if raw.collective.kind == phases::ALL_REDUCE => {
            return Err("an all-reduce needs phases with chunks and sends".into());
        }
        (None, Some(chunks), Some(sends)) => {
            vec![phase(network, raw.collective, (chunks, sends), limit)?]
        }
        (None, ..) => return Err("it needs both chunks and sends, or phases".into()),
    };
    let messages = phases[0].problem.messages().len();
    if let BufferSize::Each(sizes) = &size
        && sizes.len() != messages
    {
        return Err(format!("it has {} sizes for {messages} messages", sizes.len()).into());
    }
    Ok(TimedSchedule {
        name,
        phases,
        size,
        duplex: raw.duplex.unwrap_or(Duplex::Full),
        time_unit_ns: raw.time_unit_ns,
        time: raw.time,
        bound: raw
            .bound
            .map(|bound| TimeBound { time: bound.time, certificate: bound.certificate }),
    })
}

fn phase(
    network: Network,
    collective: RawCollective,
    (raw_chunks, raw_sends): Parts,
    limit: u64,
) -> Result<TimedPhase, Refusal> {
    if collective.chunks.is_some() {
        return Err("a timed schedule lists its chunks, so the collective has none".into());
    }
    let collective = collective.into_collective()?;
    let problem = Problem::with_limit(network, collective, Model::without_ports(), limit)
        .map_err(Refusal::Problem)?;
    let index = LabelIndex::new(&problem);
    let mut chunks = Vec::with_capacity(raw_chunks.len());
    for (number, RawChunk { message, offset, bytes }) in raw_chunks.into_iter().enumerate() {
        let label = message.0;
        let Some(message) = index.find(label) else {
            return Err(format!("chunk {number}: there is no message {label}").into());
        };
        chunks.push(Chunk { message, offset, bytes });
    }
    let channels = problem.network().channel_count();
    let mut sends = Vec::with_capacity(raw_sends.len());
    for (number, (chunk, channel, start)) in raw_sends.into_iter().enumerate() {
        if chunk as usize >= chunks.len() {
            return Err(format!("send {number}: there is no chunk {chunk}").into());
        }
        if channel as usize >= channels {
            return Err(format!("send {number}: there is no channel {channel}").into());
        }
        sends.push(Send { chunk, channel: ChannelId(channel), start });
    }
    Ok(TimedPhase { problem, chunks, sends })
}
