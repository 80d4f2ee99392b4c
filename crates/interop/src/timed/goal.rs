//! GOAL: the sends and receives of every rank with their bytes and dependencies. A send waits for what
//! it carries. Every first channel of a rank is a `nic`, on which sends keep their order.

use super::hops::{hops, ranks, sends};
use super::too_fine;
use crate::export::{ExportError, File, one_file};
use pavane_verify::CheckedTimed;
use std::collections::HashMap;
use std::fmt::Write;

pub(super) fn write(checked: &CheckedTimed) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let sends = sends(schedule).ok_or_else(|| too_fine("goal"))?;
    let ranks = ranks(schedule);
    let network = checked.network();
    let mut lines = vec![String::new(); ranks.len()];
    let mut last = HashMap::new();
    for (number, hop) in hops(schedule, &sends).iter().enumerate() {
        let nics = network.out_channels(ranks[hop.from]);
        let nic = nics.iter().position(|channel| *channel == hop.channel).unwrap_or(0);
        let (from, to, bytes) = (hop.from, hop.to, hop.bytes);
        // Writing to a string cannot fail.
        let _ =
            writeln!(lines[from], "s{number}: send {bytes}b to {to} tag {number} cpu 0 nic {nic}");
        let before = last.insert(hop.channel, number).map(|before| format!("s{before}"));
        for earlier in hop.after.iter().map(|at| format!("r{at}")).chain(before) {
            let _ = writeln!(lines[from], "s{number} requires {earlier}");
        }
        let _ =
            writeln!(lines[to], "r{number}: recv {bytes}b from {from} tag {number} cpu 0 nic 0");
    }
    let mut text = format!("num_ranks {}\n", ranks.len());
    for (rank, lines) in lines.iter().enumerate() {
        let _ = write!(text, "\nrank {rank} {{\n{lines}}}\n");
    }
    Ok(one_file(text))
}
