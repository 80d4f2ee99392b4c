//! Reads a log of `pavane traffic run --log` for drawing: which message held which channel, and
//! when.

use crate::output::Failure;
use crate::words;
use pavane_model::quantity;
use pavane_render::gantt::{self, Bar};
use pavane_render::picture::scene::Scene;
use std::collections::BTreeMap;
use std::path::Path;

/// First line of a log.
pub const HEAD: &str = "message,source,destination,length,channel,tail,head,start,end";

/// Maximum number of holds in a chart.
const MOST: usize = 200_000;

/// A log as rows and bars of a chart.
pub struct TrafficLog {
    /// Title of the chart.
    pub title: String,
    rows: Vec<String>,
    bars: Vec<Bar>,
}

impl TrafficLog {
    /// Draws the chart.
    pub fn scene(&self) -> Scene {
        gantt::scene(&self.title, gantt::LINKS_IN_UNITS, &self.rows, &self.bars)
    }
}

/// Reads a log.
pub fn read(path: &Path) -> Result<TrafficLog, Failure> {
    let text = pavane_model::text_file::read(path).map_err(Failure::bad_input)?;
    parse(path, &text)
}

/// Parses the text of a log.
pub fn parse(path: &Path, text: &str) -> Result<TrafficLog, Failure> {
    let wrong = |line: usize, problem: &str| {
        Failure::bad_input(format!("{}: line {line}: {problem}", path.display()))
    };
    let mut channels: BTreeMap<u32, (usize, String)> = BTreeMap::new();
    let mut holds = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(1).filter(|(_, line)| !line.is_empty()) {
        let hold =
            hold(line).ok_or_else(|| wrong(number, &format!("expected the fields {HEAD}")))?;
        if holds.len() == MOST {
            return Err(wrong(
                number,
                &format!("too many lines: a chart shows at most {MOST} channel uses"),
            ));
        }
        channels.entry(hold.channel).or_insert_with(|| (0, hold.name.clone()));
        holds.push(hold);
    }
    if holds.is_empty() {
        return Err(Failure::bad_input(format!(
            "{}: the log is empty: no message used a channel",
            path.display()
        )));
    }
    gantt::check_size(channels.len(), holds.len())
        .map_err(|problem| Failure::bad_input(format!("{}: {problem}", path.display())))?;
    for (row, entry) in channels.values_mut().enumerate() {
        entry.0 = row;
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let last = holds.iter().map(|hold| hold.bar.end).fold(0.0, f64::max);
    let messages = holds.iter().map(|hold| hold.bar.group).max().unwrap_or(0) as usize + 1;
    let bars = holds.into_iter().map(|hold| Bar { row: channels[&hold.channel].0, ..hold.bar });
    Ok(TrafficLog {
        title: format!("{name}: {}, until {last:.2}", words::counted(messages, "message")),
        bars: bars.collect(),
        rows: channels.into_values().map(|(_, name)| name).collect(),
    })
}

struct Hold {
    channel: u32,
    name: String,
    bar: Bar,
}

fn hold(line: &str) -> Option<Hold> {
    let words: Vec<&str> = line.split(',').collect();
    let &[message, source, destination, _, channel, tail, head, start, end] = &words[..] else {
        return None;
    };
    let number = |word: &str| word.trim().parse::<u32>().ok();
    let (start, end) = (quantity::parse(start)?, quantity::parse(end)?);
    let group = number(message)?;
    let label = format!("message {group}: {} to {}", number(source)?, number(destination)?);
    let name = format!("{} → {}", number(tail)?, number(head)?);
    let bar = Bar { row: 0, start, end, label, group };
    (start <= end && group < u32::MAX).then_some(Hold { channel: number(channel)?, name, bar })
}
