//! Schedules as text: one transfer per line, with the names of the routers on its path.

use crate::words::counted;
use pavane_model::printable::printable;
use pavane_model::{Kind, Label, Network, Problem, ProcessorId, Transfer, claims};
use pavane_verify::CheckedSchedule;
use std::io::{self, Write};

/// Up to this many transfers are written unless the user asks for all.
const SHOWN: usize = 60;

/// Writes all phases, or says how to see them if they are long. The second phase of an all-reduce may start
/// after `overlapping` steps, before the end of the first.
pub fn write_all(
    phases: &[&CheckedSchedule],
    overlapping: Option<u32>,
    is_all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count: usize = phases.iter().map(|phase| phase.schedule().transfer_count()).sum();
    if count > SHOWN && !is_all {
        let count = counted(count as u64, "transfer");
        return writeln!(
            out,
            "  transfers {count}; --all lists them, -o FILE writes or draws them"
        );
    }
    let texts: Vec<PhaseText<'_>> = {
        let (mut end, mut texts) = (0, Vec::new());
        for (number, phase) in phases.iter().enumerate() {
            let start = overlapping.filter(|_| number == 1).unwrap_or(end);
            texts.push(PhaseText::new(phase, start, phases.len() > 1));
            end = start + phase.schedule().step_count();
        }
        texts
    };
    let end = texts.iter().map(PhaseText::end).max().unwrap_or(0);
    for step in 0..end {
        let now: Vec<&PhaseText<'_>> = texts.iter().filter(|text| text.has(step)).collect();
        // A blank line before every phase that starts after the others.
        if now.iter().all(|text| text.start == step) {
            writeln!(out)?;
        }
        let names: Vec<&str> = now.iter().filter_map(|text| text.name.as_deref()).collect();
        match &names[..] {
            [] => writeln!(out, "step {step}")?,
            names => writeln!(out, "step {step} ({})", printable(&names.join(", ")))?,
        }
        for text in &now {
            let name = text.name.as_deref().filter(|_| now.len() > 1);
            text.write(step - text.start, name, out)?;
        }
    }
    Ok(())
}

/// A phase to write: when it starts, its name if there are several, and the labels of its messages.
struct PhaseText<'a> {
    checked: &'a CheckedSchedule,
    start: u32,
    name: Option<String>,
    /// Empty if paths say which message it is.
    labels: Vec<String>,
}

impl<'a> PhaseText<'a> {
    fn new(checked: &'a CheckedSchedule, start: u32, is_named: bool) -> Self {
        let problem = checked.problem();
        let messages = problem.messages();
        let name = is_named.then(|| claims::collective_in_words(problem));
        // Where a message has one origin and one destination, its path says which one it is.
        let has_labels = messages.len() > 1 && messages.ids().any(|m| !messages.is_personalised(m));
        let label = |message| match problem.chunk_label(message) {
            (label, Some(chunk)) => {
                format!("message {}, chunk {chunk}", message_name(problem, label))
            }
            (label, None) => format!("message {}", message_name(problem, label)),
        };
        let labels = if has_labels { messages.ids().map(label).collect() } else { Vec::new() };
        Self { checked, start, name, labels }
    }

    fn end(&self) -> u32 {
        self.start + self.checked.schedule().step_count()
    }

    fn has(&self, step: u32) -> bool {
        (self.start..self.end()).contains(&step)
    }

    /// Writes the transfers of one of its own steps; with a name if another phase has the same step.
    fn write(&self, step: u32, name: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        let problem = self.checked.problem();
        let width = self.labels.iter().map(String::len).max().unwrap_or(0);
        let mut transfers: Vec<Transfer<'_>> = self.checked.schedule().step(step).collect();
        let channels = |transfer: &Transfer<'_>| {
            let ends = transfer.path.iter().map(|&channel| problem.network().channel(channel));
            ends.map(|ends| (ends.tail, ends.head)).collect::<Vec<_>>()
        };
        transfers.sort_by_cached_key(|transfer| {
            let message = (!self.labels.is_empty()).then_some(transfer.message);
            (message, problem.network().home(transfer.from), channels(transfer))
        });
        if let Some(name) = name {
            writeln!(out, "  {}", printable(name))?;
        }
        for transfer in transfers {
            let path = path(problem.network(), &transfer);
            match self.labels.get(transfer.message.index()) {
                Some(label) => writeln!(out, "  {label:<width$}  {path}")?,
                None => writeln!(out, "  {path}")?,
            }
        }
        Ok(())
    }
}

/// The label of a message, with the names of processors as in pictures.
pub fn message_name(problem: &Problem, label: Label) -> String {
    let name = |number: u32| match problem.collective().whole_kind() {
        Kind::Messages => number.to_string(),
        _ => printable(&problem.network().processor_name(ProcessorId(number))).into_owned(),
    };
    match label {
        Label::One(one) => name(one),
        Label::Two(from, to) => format!("{} to {}", name(from), name(to)),
    }
}

/// The routers of a path. Where several processors share a router, the processors are named too.
fn path(network: &Network, transfer: &Transfer<'_>) -> String {
    let Some(start) = network.home(transfer.from) else { return String::new() };
    let heads = transfer.path.iter().map(|&channel| network.channel(channel).head);
    let names = std::iter::once(start)
        .chain(heads)
        .map(|router| printable(&network.router_name(router)).into_owned());
    let path = names.collect::<Vec<_>>().join(" \u{2192} ");
    if network.routers().all(|router| network.residents(router).len() <= 1) {
        path
    } else {
        let name = |processor| printable(&network.processor_name(processor)).into_owned();
        format!("{path} (processor {} to {})", name(transfer.from), name(transfer.to))
    }
}
