//! The picture of a timed schedule: when every channel is in use, and when every processor has what
//! it wants.

use super::check_size;
use super::draw::{DrawError, Page};
use super::ink::{Ink, LOADS};
use super::labels::{self, faults, has_short_names, labels};
use super::scene::{Anchor, Item, Scene, Style, Text, fitted, rectangle, text_width};
use super::tdm::broken_lines;
use crate::channel_uses::busiest;
use crate::gantt::{self, Bar};
use pavane_model::timed::BufferSize;
use pavane_model::units::size_in_words;
use pavane_model::{ProcessorId, RouterId};
use pavane_verify::CheckedTimed;
use std::collections::BTreeMap;

/// The most channels of the chart; the busiest ones are shown.
const MOST_ROWS: usize = 64;

/// The most processors of the table of arrivals.
const MOST_PROCESSORS: usize = 128;

/// The size of a cell of the table, with short and with long names, unless there are many.
const CELL: f64 = 22.0;
const WIDEST_CELL: f64 = 32.0;

/// The largest font size of names.
const FONT_SIZE: f64 = 10.5;

/// The least and the greatest room for the names beside the table, and the room for a line of names above it.
const LEFT: f64 = 90.0;
const WIDEST_LEFT: f64 = 200.0;
const LINE: f64 = 12.0;
const TOP: f64 = 8.0;

/// The title of a picture or page.
pub fn title(checked: &CheckedTimed) -> String {
    crate::title::title(&checked.schedule().name, checked.network())
}

/// Time, bound and size in words.
pub(crate) fn facts(checked: &CheckedTimed) -> Vec<(&'static str, String)> {
    let micro = |time: pavane_model::Fraction| format!("{:.4} µs", time.to_f64() / 1000.0);
    let mut time = micro(checked.time_ns());
    if checked.is_optimal() {
        time += ", optimal";
    }
    let mut facts = vec![("time", time)];
    if let Some((bound, _)) = checked.proved_ns() {
        facts.push(("bound", micro(bound)));
    }
    if let BufferSize::Bytes(bytes) = checked.schedule().size {
        facts.push(("size", size_in_words(bytes)));
    }
    let phases = &checked.schedule().phases;
    let chunks: usize = phases.iter().map(|phase| phase.chunks.len()).sum();
    let sends: usize = phases.iter().map(|phase| phase.sends.len()).sum();
    facts.push(("chunks", chunks.to_string()));
    facts.push(("sends", sends.to_string()));
    facts
}

/// Draws a timed schedule. `reason` explains the bound.
pub fn timed(checked: &CheckedTimed, reason: &str) -> Result<Scene, DrawError> {
    let network = checked.network();
    check_size(network)?;
    let title = title(checked);
    let mut page = Page::new(title.clone(), gantt::WIDTH);
    page.line(18.0, Ink::Text, true, &title);
    let facts: Vec<String> =
        facts(checked).into_iter().map(|(name, fact)| format!("{name} {fact}")).collect();
    page.line(13.0, Ink::Text, false, &facts.join("; "));
    for line in broken_lines(reason, 11.0, gantt::WIDTH) {
        page.line(11.0, Ink::Faint, false, &line);
    }
    if !network.faults().is_empty() {
        page.line(11.0, Ink::Broken, false, &format!("broken {}", faults(network)));
    }
    let names = labels(network);
    let name = |router: RouterId| &names[router.index()];
    let used = busiest(checked, usize::MAX).len();
    let mut rows = Vec::new();
    let mut bars = Vec::new();
    for (row, (channel, uses)) in busiest(checked, MOST_ROWS).into_iter().enumerate() {
        let ends = network.channel(channel);
        rows.push(format!("{} → {}", name(ends.tail), name(ends.head)));
        bars.extend(uses.into_iter().map(|bar| Bar { row, ..bar }));
    }
    let shown = if used > rows.len() {
        format!("The {} busiest of {used} channels", rows.len())
    } else {
        "The channels".to_owned()
    };
    let remark = format!("{shown} in use, in µs; every message has its colour");
    page.line(12.0, Ink::Text, true, &remark);
    page.place(gantt::chart(gantt::CHANNELS_IN_MICROSECONDS, &rows, &[], &bars));
    if let Some((table, last)) = arrivals(checked) {
        let remark = format!(
            "When every processor (row) has received the last byte from each origin (column): pale is early, dark is {last:.4} µs"
        );
        page.line(12.0, Ink::Text, true, &remark);
        page.place(table);
    }
    Ok(page.finish())
}

/// For every processor and origin of messages, the last arrival in nanoseconds.
pub(crate) fn last_arrivals(checked: &CheckedTimed) -> BTreeMap<(ProcessorId, ProcessorId), f64> {
    let schedule = checked.schedule();
    let network = checked.network();
    let (bandwidths, latencies) =
        (network.bandwidths().unwrap_or_default(), network.latencies().unwrap_or_default());
    let unit = schedule.time_unit_ns.to_f64();
    let mut last: BTreeMap<(ProcessorId, ProcessorId), f64> = BTreeMap::new();
    for phase in &schedule.phases {
        let messages = phase.problem.messages();
        for send in &phase.sends {
            let chunk = &phase.chunks[send.chunk as usize];
            let channel = send.channel.index();
            let time = send.start as f64 * unit
                + chunk.bytes as f64 / bandwidths[channel].to_f64()
                + latencies[channel].to_f64();
            let origin = messages.origin(chunk.message);
            for &processor in network.residents(network.channel(send.channel).head) {
                let known = last.entry((processor, origin)).or_insert(0.0);
                *known = known.max(time);
            }
        }
    }
    last
}

/// The table of arrivals, and its last time in microseconds; `None` if it would be too large.
fn arrivals(checked: &CheckedTimed) -> Option<(Scene, f64)> {
    let network = checked.network();
    let processors: Vec<ProcessorId> = network.living_processors().collect();
    if processors.len() > MOST_PROCESSORS {
        return None;
    }
    let place: BTreeMap<ProcessorId, usize> =
        processors.iter().enumerate().map(|(at, &processor)| (processor, at)).collect();
    let last = last_arrivals(checked);
    let end = last.values().fold(1e-9, |end: f64, &time| end.max(time));
    let has_short_names = has_short_names(network);
    let name = |&processor: &ProcessorId| labels::processor(network, processor, has_short_names);
    let names: Vec<String> = processors.iter().map(name).collect();
    let widest = names.iter().map(|name| text_width(name, FONT_SIZE) + 8.0).fold(LEFT, f64::max);
    let left = widest.min(WIDEST_LEFT);
    let longest = names.iter().map(|name| labels::longest_line(name)).max().unwrap_or(1);
    let wide = text_width(&"0".repeat(longest), FONT_SIZE) + 2.0;
    let cell = wide.clamp(CELL, WIDEST_CELL).min((gantt::WIDTH - left) / processors.len() as f64);
    let size = (cell * 0.55).min(FONT_SIZE);
    // A name of a box and a part of it has two lines. Where cells are narrower than names, some columns have none.
    let line_count = names.iter().map(|name| labels::lines(name).count()).max().unwrap_or(1);
    let stride = (text_width(&"0".repeat(longest), size) / cell).ceil().max(1.0) as usize;
    let top = TOP + LINE * line_count as f64;
    let side = cell * processors.len() as f64;
    let mut scene = Scene { width: left + side, height: top + side, ..Scene::default() };
    let background = rectangle(left, top, side, side);
    scene.path(&background, Style::area(Ink::Idle));
    for (at, name) in names.iter().enumerate() {
        let middle = cell * (at as f64 + 0.5);
        let text = |x, y, anchor, text| {
            Item::Text(Text { x, y, size, anchor, is_bold: false, ink: Ink::Faint, text })
        };
        let (y, row) = (top + middle + size * 0.35, fitted(name, size, left - 8.0));
        scene.items.push(text(left - 6.0, y, Anchor::End, row));
        if at % stride > 0 {
            continue;
        }
        let first = top - 5.0 - LINE * (labels::lines(name).count() - 1) as f64;
        for (line, part) in labels::lines(name).enumerate() {
            let y = first + LINE * line as f64;
            scene.items.push(text(left + middle, y, Anchor::Middle, part.to_owned()));
        }
    }
    for (&(to, origin), &time) in &last {
        let (row, column) = (place.get(&to)?, place.get(&origin)?);
        let level = ((time / end * f64::from(LOADS)) as u32).min(LOADS - 1);
        let (x, y) = (left + cell * *column as f64, top + cell * *row as f64);
        let square = rectangle(x + 0.5, y + 0.5, cell - 1.0, cell - 1.0).to_vec();
        let note = format!("processor {to}, from {origin}: {:.4} µs", time / 1000.0);
        scene.path_saying(square, Style::area(Ink::Load(level)), note);
    }
    Some((scene, end / 1000.0))
}
