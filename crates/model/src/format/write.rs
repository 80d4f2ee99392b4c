//! Writes schedule files, one step per line, without building them in memory.

use super::phases::ALL_REDUCE;
use super::raw::{RawCollective, RawModel, RawNetwork, RawPhase};
use super::read::pair_opposites;
use super::{FORMAT, PhaseView};
use crate::collective::Collective;
use crate::ids::ChannelId;
use crate::network::{Network, Timing};
use crate::problem::{Label, Problem};
use crate::schedule::Schedule;
use serde::Serialize;
use std::io::{self, Write};

/// Writes the phases as one schedule file. `more` are fields besides those that every file has,
/// such as who made it; `name` is the collective's when there are several phases.
pub fn write(
    out: &mut dyn Write,
    name: &str,
    phases: &[PhaseView<'_>],
    more: &serde_json::Map<String, serde_json::Value>,
) -> io::Result<()> {
    let first = &phases[0];
    writeln!(out, "{{")?;
    field(out, "format", FORMAT)?;
    field(out, "network", &raw_network(first.problem.network()))?;
    field(out, "model", &RawModel::from(first.problem.model()))?;
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
        }
    }
    for (key, value) in more {
        field(out, key, value)?;
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

fn field(out: &mut dyn Write, key: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
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
    // A schedule has millions of these, so each is put together before it is written.
    let mut line = String::new();
    for (index, transfer) in schedule.step(step).enumerate() {
        line.clear();
        line.push_str(if index == 0 { "{\"message\": [" } else { ", {\"message\": [" });
        match problem.label(transfer.message) {
            Label::One(one) => push_number(&mut line, one),
            Label::Two(one, two) => {
                push_number(&mut line, one);
                line.push_str(", ");
                push_number(&mut line, two);
            }
        }
        line.push_str("], \"from\": ");
        push_number(&mut line, transfer.from.0);
        line.push_str(", \"to\": ");
        push_number(&mut line, transfer.to.0);
        line.push_str(", \"path\": [");
        for (at, channel) in transfer.path.iter().enumerate() {
            line.push_str(if at == 0 { "" } else { ", " });
            push_number(&mut line, channel.0);
        }
        line.push_str("]}");
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn push_number(line: &mut String, number: u32) {
    let rest = number / 10;
    if rest > 0 {
        push_number(line, rest);
    }
    line.push(char::from(b'0' + (number % 10) as u8));
}

/// An all-reduce, whatever its name: everybody who takes part in its reduce sends and receives.
fn whole(name: &str, reduce: &Collective) -> RawCollective {
    let mut group = [&reduce.senders[..], &reduce.receivers].concat();
    group.sort_unstable();
    group.dedup();
    RawCollective {
        kind: ALL_REDUCE.to_owned(),
        name: name.to_owned(),
        senders: group.clone(),
        receivers: group,
        messages: Vec::new(),
    }
}

fn raw_phase(phase: &PhaseView<'_>) -> RawPhase {
    RawPhase {
        collective: RawCollective::from(phase.problem.collective()),
        steps: phase.schedule.step_count(),
        bound: phase.bound.cloned(),
    }
}

fn raw_network(network: &Network) -> RawNetwork {
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
    let names = match network.has_router_names() {
        true => network.routers().map(|router| network.router_name(router)).collect(),
        false => Vec::new(),
    };
    let timings: Vec<Timing> = ids().map(|channel| network.timing(channel)).collect();
    let column = |pick: fn(&Timing) -> Option<f64>| match timings.iter().any(|t| pick(t).is_some())
    {
        true => timings.iter().map(pick).collect(),
        false => Vec::new(),
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
        latency_ns: column(|timing| timing.latency_ns),
        bandwidth_gbytes: column(|timing| timing.bandwidth_gbytes),
        faults: network.faults().to_vec(),
        channels,
    }
}
