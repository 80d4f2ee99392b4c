//! Chakra execution traces: a node for every send and receive of a rank, with the bytes of its chunk. A
//! send depends on the receives of what it carries, and on the send before it on the same channel.

use super::hops::{hops, ranks, sends};
use super::too_fine;
use crate::chakra::{BOOL, INT32, INT64, Message, RECEIVE, SEND, append};
use crate::export::{ExportError, File};
use pavane_verify::CheckedTimed;
use std::collections::HashMap;

pub(super) fn write(checked: &CheckedTimed) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let sends = sends(schedule).ok_or_else(|| too_fine("chakra"))?;
    let hops = hops(schedule, &sends);
    if hops.len() > i32::MAX as usize {
        return Err(ExportError::TooLarge {
            format: "chakra",
            problem: format!("{} transfers exceed the number of tags", hops.len()),
            remedy: "export a smaller schedule",
        });
    }
    let metadata = Message::default().bytes(1, b"0.0.4");
    let mut streams: Vec<Message> = ranks(schedule).iter().map(|_| Message::default()).collect();
    streams.iter_mut().for_each(|stream| append(stream, &metadata));
    let mut last = HashMap::new();
    for (number, hop) in (0u64..).zip(&hops) {
        let data: Vec<u64> = hop.after.iter().map(|&at| 2 * at as u64 + 1).collect();
        let order: Vec<u64> = last.insert(hop.channel, 2 * number).into_iter().collect();
        let sides = [
            (hop.from, SEND, "send", 2 * number, order, data),
            (hop.to, RECEIVE, "recv", 2 * number + 1, Vec::new(), Vec::new()),
        ];
        for (rank, kind, word, id, order, data) in sides {
            let name = format!("{word}_{}_to_{}", hop.from, hop.to);
            let node = Message::default()
                .number(1, id)
                .bytes(2, name.as_bytes())
                .number(3, kind)
                .numbers(4, &order)
                .numbers(5, &data)
                .attribute("is_cpu_op", BOOL, 0)
                .attribute("comm_size", INT64, hop.bytes)
                .attribute("comm_src", INT32, hop.from as u64)
                .attribute("comm_dst", INT32, hop.to as u64)
                .attribute("comm_tag", INT32, number);
            append(&mut streams[rank], &node);
        }
    }
    let file =
        |(rank, stream): (usize, Message)| File { suffix: format!(".{rank}.et"), bytes: stream.0 };
    Ok(streams.into_iter().enumerate().map(file).collect())
}
