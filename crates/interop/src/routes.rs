//! Routing tables as CSV: for every router and step, which input is connected to which output. `p3`
//! is processor 3; any other name is a channel.

use crate::export::{ExportError, File, one_file};
use crate::whole::Whole;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let network = whole.network();
    let mut rows: BTreeSet<(u32, u32, u32, String)> = BTreeSet::new();
    for (number, one) in (0..).zip(whole.moves()) {
        let (from, to) = (whole.processors[one.from as usize], whole.processors[one.to as usize]);
        let mut at = network.home(from).map_or(0, |router| router.0);
        let mut input = format!("p{from}");
        for &channel in one.path {
            rows.insert((at, one.step, number, format!("{input},{channel},{from},{to}")));
            at = network.channel(channel).head.0;
            input = channel.to_string();
        }
        rows.insert((at, one.step, number, format!("{input},p{to},{from},{to}")));
    }
    let mut text = String::from("router,step,in,out,from,to\n");
    for (router, step, _, row) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{router},{step},{row}");
    }
    Ok(one_file(text))
}
