//! When every algorithm uses which channel: Gantt charts with a common axis.

use super::contest::SizeResult;
use pavane_baselines::Simulated;
use pavane_model::ChannelId;
use pavane_model::units::size_in_words;
use pavane_render::gantt::{self, Bar};
use std::collections::BTreeMap;

/// The busiest channels of each algorithm that are drawn.
const MOST_CHANNELS: usize = 16;

/// The most bars of a channel; more are merged.
const MOST_BARS: usize = 300;

/// Draws the chart, in microseconds.
pub fn draw(collective: &str, result: &SizeResult) -> String {
    let mut rows: Vec<String> = Vec::new();
    let mut bars: Vec<Bar> = Vec::new();
    for entry in &result.entries {
        let time = entry.time_ns().to_f64() / 1000.0;
        rows.push(format!("{}: {time:.2} µs", entry.name));
        for (channel, mut uses) in busiest(entry) {
            let ends = entry.checked.network().channel(channel);
            rows.push(format!("{} → {}", ends.tail, ends.head));
            uses.sort_by(|a, b| a.start.total_cmp(&b.start));
            let row = rows.len() - 1;
            bars.extend(merged(uses).into_iter().map(|bar| Bar { row, ..bar }));
        }
    }
    let network = result.entries[0].checked.network().name();
    let size = size_in_words(result.bytes);
    let title = format!("{collective} of {size} on {network}: busiest channels, in µs");
    gantt::draw(&title, &rows, &bars)
}

/// The uses of the busiest channels, in the order of their numbers.
fn busiest(entry: &Simulated) -> Vec<(ChannelId, Vec<Bar>)> {
    let schedule = entry.checked.schedule();
    let network = entry.checked.network();
    let bandwidths = network.bandwidths().unwrap_or_default();
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
    all.truncate(MOST_CHANNELS);
    all.sort_by_key(|(channel, _)| *channel);
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
