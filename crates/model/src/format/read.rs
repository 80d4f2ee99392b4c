//! Reads schedule files, plain or gzipped, and resolves every label in them.

use super::labels::LabelIndex;
use super::open::open;
use super::phases;
use super::raw::{RawFile, RawNetwork};
use super::raw_steps::{RawHead, RawSteps};
use super::recognise::format_at_start;
use super::rounds;
use super::{FORMAT, FormatError, Phase, REFUTATION, Refutation};
use crate::bound::Bound;
use crate::collective::Collective;
use crate::ids::{ChannelId, MessageId, ProcessorId, RouterId};
use crate::network::{Network, NetworkBuilder, Timing};
use crate::problem::{Label, Problem};
use crate::rules::Model;
use crate::schedule::Schedule;
use crate::strict_json;
use crate::tdm::{self, TdmRefutation, TdmSchedule};
use crate::text_file::BYTE_ORDER_MARK;
use crate::throughput::{self, ThroughputPlan};
use crate::timed::{self, TimedSchedule};
use crate::whole::Whole;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// A schedule: its phases, two for an all-reduce and otherwise one, and what the file says about the
    /// whole.
    Schedule(Vec<Phase>, Whole),
    /// A proof that no schedule has fewer steps than a bound.
    Refutation(Box<Refutation>),
    /// A throughput plan.
    Throughput(Box<ThroughputPlan>),
    /// A timed schedule.
    Timed(Box<TimedSchedule>),
    /// A periodic schedule of a TDM network on chip.
    Tdm(Box<TdmSchedule>),
    /// A proof that no TDM schedule has a period.
    TdmRefutation(Box<TdmRefutation>),
}

/// Reads a schedule file, plain or gzipped; its phases are valid one after the other, even if they overlap
/// in the file. `limit` is the maximum number of deliveries.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<Phase>, FormatError> {
    read_stored_file(path, limit)?.into_schedule(&path.display().to_string())
}

/// As [`read_file`], with what the file says about the whole of an all-reduce.
pub fn read_whole_file(path: &Path, limit: u64) -> Result<(Vec<Phase>, Whole), FormatError> {
    let name = path.display().to_string();
    match read_stored_file(path, limit)? {
        Stored::Schedule(phases, whole) => Ok((phases, whole)),
        other => Ok((other.into_schedule(&name)?, Whole::default())),
    }
}

/// As [`read_file`], but the file may have any format.
pub fn read_stored_file(path: &Path, limit: u64) -> Result<Stored, FormatError> {
    let name = path.display().to_string();
    let file = open(path).map_err(|source| FormatError::Io { path: name.clone(), source })?;
    read_stored(file, &name, limit)
}

impl Stored {
    /// The phases of a schedule; fails if the file `name` is something else.
    pub fn into_schedule(self, name: &str) -> Result<Vec<Phase>, FormatError> {
        let found = match self {
            Self::Schedule(phases, _) => return Ok(phases),
            Self::Refutation(_) => REFUTATION,
            Self::Throughput(_) => throughput::FORMAT,
            Self::Timed(_) => timed::FORMAT,
            Self::Tdm(_) => tdm::FORMAT,
            Self::TdmRefutation(_) => tdm::REFUTATION,
        };
        Err(FormatError::Foreign { path: name.to_owned(), found: found.to_owned() })
    }
}

/// Opens a file, plain or gzipped, that a schedule file names and that is in the same directory.
pub fn open_beside(schedule: &Path, name: &str) -> io::Result<Box<dyn BufRead>> {
    if Path::new(name).file_name() != Some(name.as_ref()) {
        let problem = "it is not the name of a file in the folder of the schedule";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    open(&schedule.with_file_name(name))
}

/// The file for the proof of a schedule file: `x.lrat.gz` for `x.json` and `x.json.gz`, and `x.1.lrat.gz`
/// and so on for several phases.
pub fn proof_beside(schedule: &Path, phase: Option<usize>) -> PathBuf {
    let mut stem = schedule.to_owned();
    for ending in ["gz", "json"] {
        if stem.extension().is_some_and(|extension| extension == ending) {
            stem.set_extension("");
        }
    }
    let mut name: OsString = stem.file_name().unwrap_or_default().to_owned();
    name.push(phase.map_or(String::new(), |phase| format!(".{phase}")) + ".lrat.gz");
    schedule.with_file_name(name)
}

/// Reads the phases of a schedule: two for an all-reduce, otherwise one. `limit` is the maximum
/// number of deliveries.
pub fn read(reader: impl BufRead, name: &str, limit: u64) -> Result<Vec<Phase>, FormatError> {
    read_stored(reader, name, limit)?.into_schedule(name)
}

/// Reads a file of any format. Throughput plans, timed schedules and TDM schedules are recognised if their
/// `format` is among the first bytes, as in files of this program. `limit` is the maximum number of deliveries.
pub fn read_stored(
    mut reader: impl BufRead,
    name: &str,
    limit: u64,
) -> Result<Stored, FormatError> {
    read_any(&mut reader, name, limit)
}

/// As [`read_stored`], compiled once for all readers.
fn read_any(reader: &mut dyn BufRead, name: &str, limit: u64) -> Result<Stored, FormatError> {
    let path = || name.to_owned();
    let inconsistent = |problem: String| FormatError::Inconsistent { path: path(), problem };
    let start = reader.fill_buf();
    let start = start.map_err(|source| FormatError::Io { path: path(), source })?;
    if start.starts_with(BYTE_ORDER_MARK) {
        reader.consume(BYTE_ORDER_MARK.len());
    }
    let start = reader.fill_buf();
    let start = start.map_err(|source| FormatError::Io { path: path(), source })?;
    match format_at_start(start).as_deref() {
        Some(throughput::FORMAT) => {
            let plan = throughput::read(reader, name, limit)?;
            return Ok(Stored::Throughput(Box::new(plan)));
        }
        Some(timed::FORMAT) => {
            let schedule = timed::read(reader, name, limit)?;
            return Ok(Stored::Timed(Box::new(schedule)));
        }
        Some(tdm::FORMAT) => {
            return Ok(Stored::Tdm(Box::new(tdm::read(reader, name, limit)?)));
        }
        Some(tdm::REFUTATION) => {
            let refutation = tdm::read_refutation(reader, name, limit)?;
            return Ok(Stored::TdmRefutation(Box::new(refutation)));
        }
        Some(other) if other.starts_with("pavane/") && ![FORMAT, REFUTATION].contains(&other) => {
            return Err(FormatError::UnknownFormat { path: path(), found: other.to_owned() });
        }
        _ => {}
    }
    let json = |source: serde_json::Error| {
        if source.is_io() {
            FormatError::Io { path: path(), source: source.into() }
        } else {
            FormatError::Json { path: path(), source }
        }
    };
    let mut file: RawFile = strict_json::from_reader(reader).map_err(json)?;
    if file.format == REFUTATION {
        return read_refutation(file, name, limit).map(|it| Stored::Refutation(Box::new(it)));
    }
    if file.format != FORMAT {
        return Err(FormatError::UnknownFormat { path: path(), found: file.format });
    }
    let missing = || json(serde::de::Error::missing_field("steps"));
    let mut raw_steps = file.steps.take().ok_or_else(missing)?;
    let total = raw_steps.step_ends.len() as u32;
    if !file.phases.is_empty() {
        phases::check(&file, total).map_err(inconsistent)?;
    } else if file.whole != Whole::default() {
        let what = "only a file with phases has a field `whole`, because phases overlap in it";
        return Err(inconsistent(what.to_owned()));
    }
    let whole = std::mem::take(&mut file.whole);
    let network = build_network(file.network, file.faults).map_err(inconsistent)?;
    let model = file.model;
    let parts = if file.phases.is_empty() {
        vec![(file.collective, total, file.bound)]
    } else {
        file.phases.into_iter().map(|p| (p.collective, p.steps, p.bound)).collect()
    };
    if parts.iter().map(|(_, steps, _)| u64::from(*steps)).sum::<u64>() != u64::from(total) {
        return Err(inconsistent(format!("the steps of its phases do not add up to {total}")));
    }
    let lengths: Vec<u32> = parts.iter().map(|(_, steps, _)| *steps).collect();
    let rounds = rounds::by_phase(&file.rounds, &lengths).map_err(inconsistent)?;
    let mut start = 0;
    let mut phases = Vec::new();
    for ((collective, steps, bound), rounds) in parts.into_iter().zip(rounds) {
        let collective = collective.into_collective().map_err(inconsistent)?;
        let part = Part { network: network.clone(), collective, model, bound };
        let mut phase = part.into_phase(&mut raw_steps, start..start + steps, name, limit)?;
        phase.schedule = phase.schedule.with_rounds(rounds);
        phases.push(phase);
        start += steps;
    }
    Ok(Stored::Schedule(phases, whole))
}

fn read_refutation(file: RawFile, name: &str, limit: u64) -> Result<Refutation, FormatError> {
    let path = || name.to_owned();
    let inconsistent = |problem: String| FormatError::Inconsistent { path: path(), problem };
    if file.steps.is_some() || !file.phases.is_empty() {
        return Err(inconsistent("a refutation has neither steps nor phases".to_owned()));
    }
    let Some(bound) = file.bound else {
        return Err(inconsistent("a refutation needs a bound".to_owned()));
    };
    let network = build_network(file.network, file.faults).map_err(inconsistent)?;
    let collective = file.collective.into_collective().map_err(inconsistent)?;
    let problem = Problem::with_limit(network, collective, file.model, limit)
        .map_err(|source| FormatError::Problem { path: path(), source })?;
    Ok(Refutation { problem, bound })
}

/// One phase of a file without its steps.
struct Part {
    network: Network,
    collective: Collective,
    model: Model,
    bound: Option<Bound>,
}

impl Part {
    fn into_phase(
        self,
        steps: &mut RawSteps,
        range: Range<u32>,
        name: &str,
        limit: u64,
    ) -> Result<Phase, FormatError> {
        let problem = Problem::with_limit(self.network, self.collective, self.model, limit)
            .map_err(|source| FormatError::Problem { path: name.to_owned(), source })?;
        let schedule = build_schedule(&problem, steps, range)
            .map_err(|problem| FormatError::Inconsistent { path: name.to_owned(), problem })?;
        Ok(Phase { problem, bound: self.bound, schedule })
    }
}

pub(crate) fn build_network(raw: RawNetwork, more_faults: Vec<String>) -> Result<Network, String> {
    let channel_count = raw.channels.len();
    for (what, values) in
        [("latency_ns", raw.latency_ns.len()), ("bandwidth_gbytes", raw.bandwidth_gbytes.len())]
    {
        if values > channel_count {
            return Err(format!("{what} has {values} values for {channel_count} channels"));
        }
    }
    let mut builder = NetworkBuilder::new(raw.name, raw.routers);
    for (channel, &(tail, head)) in raw.channels.iter().enumerate() {
        builder.channel(tail, head);
        let timing = Timing {
            latency_ns: raw.latency_ns.get(channel).copied().flatten(),
            bandwidth_gbytes: raw.bandwidth_gbytes.get(channel).copied().flatten(),
        };
        if timing != Timing::default() {
            builder.timing(timing);
        }
    }
    let links = match raw.links {
        Some(links) if raw.directed && !links.is_empty() => {
            let what = "its network is directed but lists links; remove one of the two fields";
            return Err(what.to_owned());
        }
        Some(links) => links,
        None if raw.directed => Vec::new(),
        None => pair_opposites(&raw.channels),
    };
    let mut is_joined = vec![false; channel_count];
    for (one, other) in links {
        let ends = |c: u32| raw.channels.get(c as usize).copied();
        match (ends(one), ends(other)) {
            (Some(a), Some(b)) if a == (b.1, b.0) => {}
            _ => return Err(format!("channels {one} and {other} do not form a link")),
        }
        for channel in [one, other] {
            if std::mem::replace(&mut is_joined[channel as usize], true) {
                return Err(format!("channel {channel} is in two links"));
            }
        }
        builder.join(ChannelId(one), ChannelId(other));
    }
    for home in raw.processors {
        builder.processor(home);
    }
    builder.router_names(raw.names);
    builder.positions(raw.positions);
    builder.multicast(raw.multicast);
    builder.faults(raw.faults.into_iter().chain(more_faults).collect());
    let network = builder.build().map_err(|error| error.to_string())?;
    check_faults(&network)?;
    Ok(network)
}

/// Checks that a router among the faults has neither channels nor a processor. Faults are numbers in a
/// file, whatever the routers are called. Lost links and channels are not checked: there may be a
/// parallel one that works.
fn check_faults(network: &Network) -> Result<(), String> {
    let routers = network.router_count() as u32;
    let numbers = network.faults().iter().filter_map(|fault| fault.parse().ok());
    for router in numbers.filter(|&number| number < routers).map(RouterId) {
        if network.is_lost(router) {
            continue;
        }
        let what = if network.residents(router).is_empty() { "channels" } else { "a processor" };
        return Err(format!(
            "router {router} is listed as lost, but the network still has {what} there"
        ));
    }
    Ok(())
}

/// Pairs every channel with the first unpaired opposite one. Sorts instead of hashing, because a
/// file could choose channels whose hashes collide.
pub(super) fn pair_opposites(channels: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let ends = |channel: u32| {
        let (tail, head) = channels[channel as usize];
        (tail.min(head), tail.max(head))
    };
    let is_up = |channel: u32| channels[channel as usize].0 < channels[channel as usize].1;
    let mut order: Vec<u32> = (0..channels.len() as u32).collect();
    order.sort_unstable_by_key(|&channel| (ends(channel), !is_up(channel), channel));
    let mut links = Vec::new();
    for group in order.chunk_by(|&one, &other| ends(one) == ends(other)) {
        let (up, down) = group.split_at(group.partition_point(|&channel| is_up(channel)));
        links.extend(up.iter().zip(down).map(|(&one, &other)| (one.min(other), one.max(other))));
    }
    links.sort_unstable_by_key(|&(_, later)| later);
    links
}

/// Builds the schedule of a phase from the steps in `range`. If these are all steps, their memory
/// is reused.
fn build_schedule(
    problem: &Problem,
    steps: &mut RawSteps,
    range: Range<u32>,
) -> Result<Schedule, String> {
    let mut steps = if range.len() == steps.step_ends.len() {
        std::mem::take(steps)
    } else {
        steps.part(range.start as usize..range.end as usize)
    };
    let first_step = range.start;
    let at = |step_ends: &[u32], number: usize| {
        let step = step_ends.partition_point(|&end| end as usize <= number);
        let first = if step == 0 { 0 } else { step_ends[step - 1] };
        format!("step {}, transfer {}", step + first_step as usize, number - first as usize)
    };
    let index = LabelIndex::new(problem);
    let step_ends = std::mem::take(&mut steps.step_ends);
    let mut problem_found = None;
    let heads = std::mem::take(&mut steps.heads).into_iter().enumerate();
    let heads = heads.map_while(|(number, head)| {
        let found = find_head(problem, &index, &head);
        found.map_err(|what| problem_found = Some((number, what))).ok()
    });
    let heads: Vec<_> = heads.collect();
    // Report the first error in the file.
    let channels = problem.network().channel_count() as u32;
    if let Some(bad) = steps.paths.iter().position(|&channel| channel >= channels) {
        let number = steps.path_ends.partition_point(|&end| end as usize <= bad);
        if problem_found.as_ref().is_none_or(|(other, _)| number < *other) {
            problem_found = Some((number, format!("there is no channel {}", steps.paths[bad])));
        }
    }
    if let Some((number, what)) = problem_found {
        return Err(format!("{}: {what}", at(&step_ends, number)));
    }
    let paths = steps.paths.into_iter().map(ChannelId).collect();
    Ok(Schedule::from_blocks(step_ends, heads, steps.path_ends, paths))
}

/// Resolves the message and the processors of a transfer; the error names the one that does not
/// exist.
fn find_head(
    problem: &Problem,
    index: &LabelIndex,
    head: &RawHead,
) -> Result<(MessageId, ProcessorId, ProcessorId), String> {
    let label = match head.label {
        [one, u32::MAX] => Label::One(one),
        [one, two] => Label::Two(one, two),
    };
    let message = index.find(label).ok_or_else(|| format!("there is no message {label}"))?;
    for processor in [head.from, head.to] {
        if problem.network().home(ProcessorId(processor)).is_none() {
            return Err(format!("there is no processor {processor}"));
        }
    }
    Ok((message, ProcessorId(head.from), ProcessorId(head.to)))
}
