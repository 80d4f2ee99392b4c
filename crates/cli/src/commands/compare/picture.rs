//! When every algorithm uses which channel: Gantt charts with a common axis.

use pavane_model::Fault;
use pavane_model::units::size_in_words;
use pavane_render::channel_uses::busiest;
use pavane_render::gantt::{self, Bar};
use pavane_tuning::compare::ComparedSize;

/// The busiest channels of each algorithm that are drawn.
const MOST_CHANNELS: usize = 16;

/// Draws the chart, in microseconds.
pub fn draw(collective: &str, result: &ComparedSize) -> String {
    let mut rows: Vec<String> = Vec::new();
    let mut headings: Vec<usize> = Vec::new();
    let mut bars: Vec<Bar> = Vec::new();
    for entry in result.entries.iter().map(|entry| &entry.simulated) {
        let time = entry.time_ns().to_f64() / 1000.0;
        headings.push(rows.len());
        rows.push(format!("{}: {time:.2} µs", entry.name));
        for (channel, uses) in busiest(&entry.checked, MOST_CHANNELS) {
            let network = entry.checked.network();
            let ends = network.channel(channel);
            rows.push(Fault::Channel(ends.tail, ends.head).label(network));
            let row = rows.len() - 1;
            bars.extend(uses.into_iter().map(|bar| Bar { row, ..bar }));
        }
    }
    let network = result.entries[0].simulated.checked.network().name();
    let size = size_in_words(result.bytes);
    let title = format!("{collective} of {size} on {network}: busiest channels");
    gantt::draw(&title, gantt::CHANNELS_IN_MICROSECONDS, &rows, &headings, &bars)
}
