//! When the channels of a timed schedule are in use, as bars of a Gantt chart.

use crate::gantt::Bar;
use pavane_model::ChannelId;
use pavane_verify::CheckedTimed;
use std::collections::BTreeMap;

/// The most bars of a channel; more are merged.
const MOST_BARS: usize = 300;

/// The uses of the busiest channels, at most `most` of them, in the order of their numbers. Times are in
/// microseconds, and bars have row 0.
pub fn busiest(checked: &CheckedTimed, most: usize) -> Vec<(ChannelId, Vec<Bar>)> {
    let schedule = checked.schedule();
    let bandwidths = checked.network().bandwidths().unwrap_or_default();
    let unit = schedule.time_unit_ns.to_f64() / 1000.0;
    let mut uses: BTreeMap<ChannelId, Vec<Bar>> = BTreeMap::new();
    for phase in &schedule.phases {
        for send in &phase.sends {
            let chunk = &phase.chunks[send.chunk as usize];
            let start = send.start as f64 * unit;
            let bandwidth = bandwidths[send.channel.index()].to_f64();
            let end = start + chunk.bytes as f64 / bandwidth / 1000.0;
            let label = format!("message {}, {} bytes", chunk.message, chunk.bytes);
            let bar = Bar { row: 0, start, end, label, group: chunk.message.0 };
            uses.entry(send.channel).or_default().push(bar);
        }
    }
    let busy = |bars: &[Bar]| bars.iter().map(|bar| bar.end - bar.start).sum::<f64>();
    let mut all: Vec<(ChannelId, Vec<Bar>)> = uses.into_iter().collect();
    all.sort_by(|a, b| busy(&b.1).total_cmp(&busy(&a.1)).then(a.0.cmp(&b.0)));
    all.truncate(most);
    all.sort_by_key(|(channel, _)| *channel);
    for (_, bars) in &mut all {
        bars.sort_by(|a, b| a.start.total_cmp(&b.start));
        *bars = merged(std::mem::take(bars));
    }
    all
}

/// Joins neighbouring bars if there are too many to see.
fn merged(bars: Vec<Bar>) -> Vec<Bar> {
    if bars.len() <= MOST_BARS {
        return bars;
    }
    let last = bars.last().map_or(0.0, |bar| bar.end);
    let mut joined: Vec<Bar> = Vec::new();
    for bar in bars {
        match joined.last_mut() {
            Some(before)
                if bar.start - before.end < last * 1e-3
                    && bar.end - before.start < last / MOST_BARS as f64 =>
            {
                before.end = bar.end;
                before.label = "several messages".to_owned();
            }
            _ => joined.push(bar),
        }
    }
    joined
}
