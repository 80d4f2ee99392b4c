//! CSV: one line per channel use. A transfer between two processors of one router uses no channel
//! and has one line with empty channel, tail and head.

use crate::export::{ExportError, File, one_file};
use crate::whole::Whole;
use std::fmt::Write;

pub(super) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let network = whole.network();
    let mut text = String::from("step,message,from,to,hop,channel,tail,head\n");
    for one in whole.moves() {
        let label = whole.phases[one.phase].problem().label(one.message).to_string();
        let label = label.trim_matches(['[', ']']).replace(", ", ">");
        let (from, to) = (whole.processors[one.from as usize], whole.processors[one.to as usize]);
        // Writing to a string cannot fail.
        let start = format!("{},{label},{from},{to}", one.step);
        if one.path.is_empty() {
            let _ = writeln!(text, "{start},0,,,");
        }
        for (hop, &channel) in one.path.iter().enumerate() {
            let ends = network.channel(channel);
            let _ = writeln!(text, "{start},{hop},{channel},{},{}", ends.tail, ends.head);
        }
    }
    Ok(one_file(text))
}
