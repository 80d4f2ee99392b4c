//! Throughput plans, timed schedules and TDM schedules as text: one tree, path, send or word per line, with the
//! names of routers.

use crate::schedule_text::message_name;
use pavane_model::printable::printable;
use pavane_model::tdm::Word;
use pavane_model::throughput::ThroughputPlan;
use pavane_model::timed::TimedSchedule;
use pavane_model::{ChannelId, Fraction, Network, ProcessorId, TdmSchedule};
use std::io::{self, Write};

/// Writes the trees or paths of a plan, each with its share of the message and its channels.
pub fn write_plan(plan: &ThroughputPlan, out: &mut dyn Write) -> io::Result<()> {
    for phase in &plan.phases {
        writeln!(out)?;
        heading(&phase.problem, plan.phases.len(), out)?;
        let network = phase.problem.network();
        for route in &phase.routes {
            let whole = plan.scale.saturating_mul(phase.size(route.message)).max(1);
            let share = Fraction::new(route.weight.into(), whole.into()).unwrap_or(Fraction::ONE);
            let share = if share == Fraction::ONE { String::new() } else { format!(", {share}") };
            let name = message_name(&phase.problem, phase.problem.label(route.message));
            let channels = route.channels.iter();
            let channels: Vec<String> = if phase.has_paths() {
                vec![path(network, &route.channels)]
            } else {
                channels.map(|&channel| ends(network, channel)).collect()
            };
            writeln!(out, "  message {name}{share}: {}", channels.join(", "))?;
        }
    }
    Ok(())
}

/// Writes the sends of a timed schedule: when they start and arrive, in microseconds, the chunk and the
/// channel.
pub fn write_sends(schedule: &TimedSchedule, out: &mut dyn Write) -> io::Result<()> {
    for phase in &schedule.phases {
        writeln!(out)?;
        heading(&phase.problem, schedule.phases.len(), out)?;
        writeln!(out, "  start µs    arrival µs  bytes")?;
        let network = phase.problem.network();
        for send in &phase.sends {
            let chunk = phase.chunks[send.chunk as usize];
            let start = send.start as f64 * schedule.time_unit_ns.to_f64();
            let timing = network.timing(send.channel);
            let gbytes = timing.bandwidth_gbytes.unwrap_or(1.0);
            let latency = timing.latency_ns.unwrap_or(0.0);
            let arrival = start + chunk.bytes as f64 / gbytes + latency;
            let name = message_name(&phase.problem, phase.problem.label(chunk.message));
            writeln!(
                out,
                "  {:<10.4}  {:<10.4}  {} to {} of message {name}: {}",
                start / 1000.0,
                arrival / 1000.0,
                chunk.offset,
                (chunk.offset + chunk.bytes).saturating_sub(1),
                ends(network, send.channel)
            )?;
        }
    }
    Ok(())
}

/// Writes the words of a TDM schedule: when they start, their pair and their route.
pub fn write_words(schedule: &TdmSchedule, out: &mut dyn Write) -> io::Result<()> {
    let network = schedule.problem.network();
    let mut words: Vec<&Word> = schedule.words.iter().collect();
    words.sort_by_key(|word| (word.start, word.from, word.to));
    writeln!(out, "  {:>6}  {:>6}  {:>6}  route", "start", "from", "to")?;
    for word in words {
        let (from, to) = (processor(network, word.from), processor(network, word.to));
        let route = path(network, &word.path);
        writeln!(out, "  {:>6}  {from:>6}  {to:>6}  {route}", word.start)?;
    }
    Ok(())
}

/// The name of a processor as in pictures.
pub fn processor(network: &Network, processor: ProcessorId) -> String {
    printable(&network.processor_name(processor)).into_owned()
}

/// The name of a phase, if there are several.
fn heading(problem: &pavane_model::Problem, count: usize, out: &mut dyn Write) -> io::Result<()> {
    if count > 1 {
        writeln!(out, "{}", printable(&problem.collective().name))?;
    }
    Ok(())
}

fn name(network: &Network, router: pavane_model::RouterId) -> String {
    printable(&network.router_name(router)).into_owned()
}

/// `0,0 → 0,1`.
fn ends(network: &Network, channel: ChannelId) -> String {
    let ends = network.channel(channel);
    format!("{} → {}", name(network, ends.tail), name(network, ends.head))
}

/// `0,0 → 0,1 → 0,2`.
fn path(network: &Network, channels: &[ChannelId]) -> String {
    let first = channels.first().map(|&channel| network.channel(channel).tail);
    let heads = channels.iter().map(|&channel| network.channel(channel).head);
    let names: Vec<String> = first.into_iter().chain(heads).map(|r| name(network, r)).collect();
    names.join(" → ")
}
