//! CSV: one line for every send.

use super::hops::sends;
use super::too_fine;
use crate::export::{ExportError, File, one_file};
use pavane_verify::CheckedTimed;
use std::fmt::Write;

pub(super) fn write(checked: &CheckedTimed) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let network = checked.network();
    let mut text = String::from("phase,message,offset,bytes,channel,from,to,start_ns,arrival_ns\n");
    for send in sends(schedule).ok_or_else(|| too_fine("csv"))? {
        let phase = &schedule.phases[send.phase];
        let chunk = &phase.chunks[send.chunk];
        let label = phase.problem.label(chunk.message).to_string();
        let label = label.trim_matches(['[', ']']).replace(", ", " ");
        let ends = network.channel(send.channel);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{label},{},{},{},{},{},{},{}",
            send.phase,
            chunk.offset,
            chunk.bytes,
            send.channel,
            ends.tail,
            ends.head,
            send.start_ns,
            send.arrival_ns
        );
    }
    Ok(one_file(text))
}
