//! The sizes of an all-to-all-v: a matrix of bytes in CSV or JSON, one row per sender and one column
//! per receiver.

use crate::output::Failure;
use pavane_model::collective::Kind;
use pavane_model::words::excerpt;
use pavane_model::{Problem, strict_json, text_file};
use std::path::Path;

/// The sizes of all messages.
pub struct Sizes {
    /// The size of each message, by its number, in units.
    pub relative: Vec<u64>,
    /// The bytes of a unit: the greatest common divisor of all sizes.
    pub unit: u64,
}

/// Reads the sizes of the messages of a collective.
pub fn read(path: &Path, problems: &[Problem]) -> Result<Sizes, Failure> {
    let wrong =
        |problem: String| Failure::bad_input(format!("--sizes {}: {problem}", path.display()));
    let [problem] = problems else {
        return Err(wrong("an all-reduce has one size; use --bytes".to_owned()));
    };
    let collective = problem.collective();
    if !matches!(collective.kind, Kind::Scatter | Kind::Gather) {
        let name = &collective.name;
        return Err(wrong(format!("{name} has messages of one size; use --bytes, or all-to-all")));
    }
    let text = text_file::read(path).map_err(Failure::bad_input)?;
    let rows = if text.trim_start().starts_with('[') {
        strict_json::from_str(&text)
            .map_err(|error| wrong(format!("expected a list of rows: {error}")))?
    } else {
        parse_csv(&text).map_err(wrong)?
    };
    let sizes = of_messages(problem, &rows).map_err(wrong)?;
    let unit = sizes.iter().fold(0, |unit, &size| greatest_common_divisor(unit, size));
    if unit == 0 {
        return Err(wrong("all sizes are 0, so there is nothing to send".to_owned()));
    }
    Ok(Sizes { relative: sizes.into_iter().map(|size| size / unit).collect(), unit })
}

fn parse_csv(text: &str) -> Result<Vec<Vec<u64>>, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let row = |(number, line): (usize, &str)| {
        let cell = |(column, cell): (usize, &str)| {
            let cell = cell.trim();
            cell.parse().map_err(|_| {
                format!(
                    "line {number}, column {column}: {:?} is not a whole number of bytes of at most {}",
                    excerpt(cell),
                    u64::MAX
                )
            })
        };
        (1..).zip(line.split(',')).map(cell).collect()
    };
    lines.map(row).collect()
}

/// The size of each message, by its number. What a processor sends to itself is ignored.
fn of_messages(problem: &Problem, rows: &[Vec<u64>]) -> Result<Vec<u64>, String> {
    let collective = problem.collective();
    let (senders, receivers) = (&collective.senders, &collective.receivers);
    if rows.len() != senders.len() {
        return Err(format!("it has {} rows for {} senders", rows.len(), senders.len()));
    }
    for (row, (cells, sender)) in (1..).zip(rows.iter().zip(senders)) {
        if cells.len() != receivers.len() {
            return Err(format!(
                "row {row} (processor {sender}) has {} columns for {} receivers",
                cells.len(),
                receivers.len()
            ));
        }
    }
    let messages = problem.messages();
    let place = |group: &[pavane_model::ProcessorId]| {
        let mut places = vec![usize::MAX; problem.network().processor_count()];
        group.iter().enumerate().for_each(|(at, processor)| places[processor.index()] = at);
        places
    };
    let (row_of, column_of) = (place(senders), place(receivers));
    let size = |message| {
        let (origin, other) = (messages.origin(message), messages.destinations(message)[0]);
        let (from, to) = if problem.is_backward() { (other, origin) } else { (origin, other) };
        rows[row_of[from.index()]][column_of[to.index()]]
    };
    Ok(messages.ids().map(size).collect())
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
