//! CSV: one line for every word. Routers and channels are numbers, separated by spaces. `end` is the
//! slot of the ejection, counted from the slot 0 in which the period of its start begins.

use crate::export::{ExportError, File, one_file};
use pavane_model::{ChannelId, RouterId};
use pavane_verify::CheckedTdm;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

pub(super) fn write(checked: &CheckedTdm) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let network = schedule.problem.network();
    let depth = u64::from(schedule.problem.rules().depth);
    let mut text = String::from("from,to,word,start,end,routers,channels\n");
    let mut order: Vec<_> = schedule.words.iter().collect();
    order.sort_by_key(|word| (word.from, word.to, word.start));
    let mut numbers = BTreeMap::new();
    for word in order {
        let number: &mut u32 = numbers.entry((word.from, word.to)).or_default();
        let first = network.home(word.from).into_iter();
        let others = word.path.iter().map(|&channel| network.channel(channel).head);
        let routers = listed::<RouterId>(first.chain(others));
        let channels = listed::<ChannelId>(word.path.iter().copied());
        let end = u64::from(word.start) + depth * (word.path.len() as u64 + 1);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{number},{},{end},{routers},{channels}",
            word.from, word.to, word.start
        );
        *number += 1;
    }
    Ok(one_file(text))
}

fn listed<T: Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}
