//! Writes schedule files as a stream, one step per line.

use super::phases::ALL_REDUCE;
use super::raw::{RawCollective, RawNetwork, RawPhase};
use super::read::pair_opposites;
use super::{FORMAT, PhaseView, REFUTATION};
use crate::bound::Bound;
use crate::collective::Collective;
use crate::ids::ChannelId;
use crate::network::{Network, Timing};
use crate::problem::{Label, Problem};
use crate::schedule::Schedule;
use crate::whole::Whole;
use serde::Serialize;
use std::io::{self, Write};

/// Write buffer size.
const BLOCK: usize = 1 << 16;

/// Writes the phases as one schedule file. `more` holds additional fields, such as the creator;
/// `name` is the name of the collective if there are several phases.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::format::{PhaseView, read, write};
/// use pavane_model::{
///     ChannelId, MessageId, Model, NetworkBuilder, Problem, ProcessorId, Schedule, Transfer,
/// };
///
/// let mut builder = NetworkBuilder::new("two routers", 2);
/// builder.link(0, 1).processor_on_each_router();
/// let network = builder.build()?;
/// let phases = collective::build("oab", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let (message, from, to) = (MessageId(0), ProcessorId(0), ProcessorId(1));
/// let only = (0, Transfer { message, from, to, path: &[ChannelId(0)] });
/// let schedule = Schedule::from_transfers(1, &[only]);
///
/// let mut file = Vec::new();
/// let view = PhaseView { problem: &problem, schedule: &schedule, bound: None };
/// write(&mut file, "oab", &[view], &Default::default())?;
/// let back = read(&file[..], "oab.json", 1000)?;
/// assert_eq!((&back[0].problem, &back[0].schedule), (&problem, &schedule));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    out: &mut dyn Write,
    name: &str,
    phases: &[PhaseView<'_>],
    more: &serde_json::Map<String, serde_json::Value>,
) -> io::Result<()> {
    write_whole(out, name, phases, &Whole::default(), more)
}

/// As [`write()`], with what there is to say about the whole of an all-reduce.
pub fn write_whole(
    out: &mut dyn Write,
    name: &str,
    phases: &[PhaseView<'_>],
    all: &Whole,
    more: &serde_json::Map<String, serde_json::Value>,
) -> io::Result<()> {
    let first = &phases[0];
    writeln!(out, "{{")?;
    field(out, "format", FORMAT)?;
    field(out, "network", &raw_network(first.problem.network()))?;
    field(out, "model", &first.problem.model())?;
    match phases {
        [only] => {
            field(out, "collective", &RawCollective::from(only.problem.collective()))?;
            if let Some(bound) = only.bound {
                field(out, "bound", bound)?;
            }
        }
        several => {
            field(out, "collective", &whole(name, first.problem.collective()))?;
            let parts: Vec<RawPhase> = several.iter().map(raw_phase).collect();
            field(out, "phases", &parts)?;
            if all != &Whole::default() {
                field(out, "whole", all)?;
            }
        }
    }
    for (key, value) in more {
        field(out, key, value)?;
    }
    let rounds: Vec<u32> = phases.iter().flat_map(|it| it.schedule.rounds()).copied().collect();
    if !rounds.is_empty() {
        field(out, "rounds", &rounds)?;
    }
    write!(out, "  \"steps\": [")?;
    let mut separator = "\n";
    for phase in phases {
        for step in 0..phase.schedule.step_count() {
            write!(out, "{separator}    [")?;
            write_step(out, phase.problem, phase.schedule, step)?;
            write!(out, "]")?;
            separator = ",\n";
        }
    }
    writeln!(out, "\n  ]\n}}")
}

/// Writes a refutation: the fields of a schedule file except the steps. The certificate of the
/// bound is the proof.
pub fn write_refutation(
    out: &mut dyn Write,
    problem: &Problem,
    bound: &Bound,
    more: &serde_json::Map<String, serde_json::Value>,
) -> io::Result<()> {
    writeln!(out, "{{")?;
    field(out, "format", REFUTATION)?;
    field(out, "network", &raw_network(problem.network()))?;
    field(out, "model", &problem.model())?;
    field(out, "collective", &RawCollective::from(problem.collective()))?;
    for (key, value) in more {
        field(out, key, value)?;
    }
    write!(out, "  \"bound\": ")?;
    serde_json::to_writer(&mut *out, bound)?;
    writeln!(out, "\n}}")
}

pub(crate) fn field(
    out: &mut dyn Write,
    key: &str,
    value: &(impl Serialize + ?Sized),
) -> io::Result<()> {
    write!(out, "  \"{key}\": ")?;
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out, ",")
}

fn write_step(
    out: &mut dyn Write,
    problem: &Problem,
    schedule: &Schedule,
    step: u32,
) -> io::Result<()> {
    // A schedule may have millions of transfers, so they are buffered.
    let mut block: Vec<u8> = Vec::with_capacity(BLOCK + BLOCK / 4);
    for (index, transfer) in schedule.step(step).enumerate() {
        block.extend_from_slice(if index == 0 { b"{\"message\": [" } else { b", {\"message\": [" });
        match problem.label(transfer.message) {
            Label::One(one) => push_number(&mut block, one),
            Label::Two(one, two) => {
                push_number(&mut block, one);
                block.extend_from_slice(b", ");
                push_number(&mut block, two);
            }
        }
        block.extend_from_slice(b"], \"from\": ");
        push_number(&mut block, transfer.from.0);
        block.extend_from_slice(b", \"to\": ");
        push_number(&mut block, transfer.to.0);
        block.extend_from_slice(b", \"path\": [");
        for (at, channel) in transfer.path.iter().enumerate() {
            if at > 0 {
                block.extend_from_slice(b", ");
            }
            push_number(&mut block, channel.0);
        }
        block.extend_from_slice(b"]}");
        if block.len() >= BLOCK {
            out.write_all(&block)?;
            block.clear();
        }
    }
    out.write_all(&block)
}

fn push_number(block: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0; 10];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    block.extend_from_slice(&digits[first..]);
}

/// The whole all-reduce: every participant of its reduce sends and receives.
pub(crate) fn whole(name: &str, reduce: &Collective) -> RawCollective {
    let mut group = [&reduce.senders[..], &reduce.receivers].concat();
    group.sort_unstable();
    group.dedup();
    RawCollective {
        kind: ALL_REDUCE.to_owned(),
        name: name.to_owned(),
        senders: group.clone(),
        receivers: group,
        messages: Vec::new(),
        chunks: None,
    }
}

fn raw_phase(phase: &PhaseView<'_>) -> RawPhase {
    RawPhase {
        collective: RawCollective::from(phase.problem.collective()),
        steps: phase.schedule.step_count(),
        bound: phase.bound.cloned(),
    }
}

pub(crate) fn raw_network(network: &Network) -> RawNetwork {
    let channels: Vec<(u32, u32)> =
        network.channels().iter().map(|c| (c.tail.0, c.head.0)).collect();
    let ids = || (0..channels.len() as u32).map(ChannelId);
    let mut links: Vec<(u32, u32)> = ids()
        .filter_map(|c| network.opposite(c).map(|other| (c.0, other.0)))
        .filter(|(one, other)| one < other)
        .collect();
    let mut guessed = pair_opposites(&channels);
    links.sort_unstable();
    guessed.sort_unstable();
    let names = if network.has_router_names() {
        network.routers().map(|router| network.router_name(router)).collect()
    } else {
        Vec::new()
    };
    let timings: Vec<Timing> = ids().map(|channel| network.timing(channel)).collect();
    let column = |pick: fn(&Timing) -> Option<f64>| {
        if timings.iter().any(|t| pick(t).is_some()) {
            timings.iter().map(pick).collect()
        } else {
            Vec::new()
        }
    };
    RawNetwork {
        name: network.name().to_owned(),
        routers: network.router_count() as u32,
        directed: network.is_directed(),
        links: (!network.is_directed() && links != guessed).then_some(links),
        processors: (0..network.processor_count() as u32)
            .map(|p| network.home(crate::ids::ProcessorId(p)).map(|router| router.0))
            .collect(),
        names,
        positions: network.positions().to_vec(),
        latency_ns: column(|timing| timing.latency_ns),
        bandwidth_gbytes: column(|timing| timing.bandwidth_gbytes),
        multicast: network.multicast().iter().map(|router| router.0).collect(),
        faults: network.faults().to_vec(),
        channels,
    }
}
