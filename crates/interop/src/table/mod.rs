//! A schedule as a table in the papers' form: one line per step, each transfer as the routers that
//! it visits. `073` goes from router 0 via 7 to 3.

pub(crate) mod latex;
pub(crate) mod markdown;

use pavane_model::printable::printable;
use pavane_model::{Label, MessageId, Network, Problem, Transfer};
use pavane_verify::CheckedSchedule;
use std::io::{self, Write};

/// Writes the table. Broadcasts of several messages put the message's label before the path, chunks
/// with their number after a point: `[3.0]` is the first chunk of the message of processor 3. Networks
/// with fat nodes put the two processors before the path.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{ChannelId, MessageId, Model, Problem, ProcessorId, Schedule, Transfer};
/// use pavane_networks::topology;
///
/// let network = topology::build("path:2")?;
/// let phases = collective::build("oab", &network, &Groups::default())?;
/// let problem = Problem::new(network, phases[0].clone(), Model::default())?;
/// let (message, from, to) = (MessageId(0), ProcessorId(0), ProcessorId(1));
/// let only = (0, Transfer { message, from, to, path: &[ChannelId(0)] });
/// let schedule = Schedule::from_transfers(1, &[only]);
/// let checked = pavane_verify::verify(problem, schedule).map_err(|_| "not valid")?;
///
/// let mut table = Vec::new();
/// pavane_interop::table::write(&checked, &mut table)?;
/// assert_eq!(String::from_utf8(table)?, "step  transfers\n0     01\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(checked: &CheckedSchedule, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "step  transfers")?;
    for (step, transfers) in rows(checked).enumerate() {
        writeln!(out, "{step:<4}  {}", transfers.join(", "))?;
    }
    Ok(())
}

/// The transfers of every step, as written in the table.
pub fn rows(checked: &CheckedSchedule) -> impl Iterator<Item = Vec<String>> + '_ {
    let (problem, schedule) = (checked.problem(), checked.schedule());
    let style = Style::of(problem);
    (0..schedule.step_count()).map(move |step| {
        schedule.step(step).map(|transfer| style.transfer(problem, &transfer)).collect()
    })
}

/// What a transfer has to show to be unambiguous.
struct Style {
    /// Separator between the routers of a path; empty if every router is one digit.
    joint: &'static str,
    has_labels: bool,
    has_processors: bool,
}

impl Style {
    fn of(problem: &Problem) -> Self {
        let network = problem.network();
        let messages = problem.messages();
        let is_slim = network.routers().all(|router| network.residents(router).len() <= 1);
        let first = network.routers().next().map(|router| network.router_name(router));
        let has_one_digit = network.router_count() <= 10
            && !network.has_router_names()
            && first.is_some_and(|name| name == "0");
        Self {
            joint: if has_one_digit { "" } else { "-" },
            has_labels: messages.len() > 1 && messages.ids().any(|m| !messages.is_personalised(m)),
            has_processors: !is_slim,
        }
    }

    fn transfer(&self, problem: &Problem, transfer: &Transfer<'_>) -> String {
        let mut text = String::new();
        if self.has_labels {
            text += &format!("{} ", label(problem, transfer.message));
        }
        if self.has_processors {
            text += &format!("p{}>p{} ", transfer.from, transfer.to);
        }
        text + &self.path(problem.network(), transfer)
    }

    fn path(&self, network: &Network, transfer: &Transfer<'_>) -> String {
        let Some(start) = network.home(transfer.from) else { return String::new() };
        let heads = transfer.path.iter().map(|&channel| network.channel(channel).head);
        let names = std::iter::once(start)
            .chain(heads)
            .map(|router| printable(&network.router_name(router)).into_owned());
        names.collect::<Vec<_>>().join(self.joint)
    }
}

/// The label of a message. A chunk has that of the whole message and its own number.
fn label(problem: &Problem, message: MessageId) -> String {
    match problem.chunk_label(message) {
        (whole, None) => whole.to_string(),
        (Label::One(one), Some(chunk)) => format!("[{one}.{chunk}]"),
        (Label::Two(one, two), Some(chunk)) => format!("[{one}, {two}.{chunk}]"),
    }
}
