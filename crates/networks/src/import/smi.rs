//! The matrix of `nvidia-smi topo -m`. An entry for two GPUs is `NV4` for four NVLinks, or the
//! level of the bus that joins them: `PIX` one bridge, `PXB` several bridges, `PHB` a host bridge,
//! `NODE` a NUMA node, `SYS` the machine.

use super::draft::Draft;
use super::gpus::{MOST_GPUS, Machine, join};
use super::{ImportError, line_error, whole_error};
use pavane_model::words::excerpt;

/// The levels of the bus, from near to far.
const LEVELS: [(&str, &str); 5] =
    [("PIX", "bridge"), ("PXB", "bridges"), ("PHB", "host"), ("NODE", "node"), ("SYS", "system")];

pub(super) fn is_one(text: &str) -> bool {
    text.lines().take(20).any(|line| plain(line).split_whitespace().next() == Some("GPU0"))
}

/// A line without the escape sequences that underline the heading.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.find('m').map_or("", |end| &part[end + 1..]);
    }
    text
}

fn is_gpu(name: &str) -> bool {
    name.strip_prefix("GPU")
        .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty())
}

pub(super) fn parse(text: &str, file: &str) -> Result<Draft<'static>, ImportError> {
    let mut lines = text.lines().enumerate();
    let heading = lines.find(|(_, line)| plain(line).split_whitespace().next() == Some("GPU0"));
    let Some((_, heading)) = heading else {
        return Err(whole_error(file, "no heading that begins with GPU0"));
    };
    let heading = plain(heading);
    // Network cards follow the GPUs; the affinities come last.
    let gpus: Vec<&str> = heading.split_whitespace().take_while(|name| is_gpu(name)).collect();
    if gpus.len() > MOST_GPUS {
        let problem = format!("{} GPUs exceed the maximum of {MOST_GPUS}", gpus.len());
        return Err(whole_error(file, &problem));
    }
    let mut machine = Machine {
        gpus: gpus.iter().map(|name| name.to_ascii_lowercase()).collect(),
        ..Machine::default()
    };
    let mut levels = vec![vec![None; gpus.len()]; gpus.len()];
    let mut row = 0;
    for (index, line) in lines {
        let shown = plain(line);
        let mut words = shown.split_whitespace();
        let wrong = |problem: String| line_error(file, index + 1, &shown, &problem);
        let Some(name) = words.next().filter(|name| is_gpu(name)) else { continue };
        if gpus.get(row) != Some(&name) {
            return Err(wrong(format!("the row of {:?} is out of order", excerpt(name))));
        }
        for (column, of_column) in gpus.iter().enumerate() {
            let Some(word) = words.next() else {
                return Err(wrong(format!("no entry for {of_column}")));
            };
            let entry = entry(word).ok_or_else(|| {
                wrong(format!(
                    "{:?} is neither X, nor NV and a number, nor a bus level",
                    excerpt(word)
                ))
            })?;
            if (row == column) != (entry == MatrixEntry::Itself) {
                return Err(wrong(format!("unexpected {:?} for {of_column}", excerpt(word))));
            }
            match entry {
                MatrixEntry::Itself => {}
                MatrixEntry::Links(count) => {
                    let known =
                        machine.nvlinks.entry((row.min(column), row.max(column))).or_insert(count);
                    if *known != count {
                        return Err(wrong(format!(
                            "{count} NVLinks to {of_column}, but {known} in the other direction"
                        )));
                    }
                }
                MatrixEntry::Bus(level) => levels[row][column] = Some(level),
            }
        }
        row += 1;
    }
    if row != gpus.len() {
        return Err(whole_error(
            file,
            &format!("{} GPUs in the heading, but {row} rows", gpus.len()),
        ));
    }
    machine.buses = buses(&machine.gpus, &levels);
    machine.draft().map_err(|problem| whole_error(file, &problem))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum MatrixEntry {
    Itself,
    Links(u32),
    Bus(u8),
}

fn entry(word: &str) -> Option<MatrixEntry> {
    if word == "X" {
        return Some(MatrixEntry::Itself);
    }
    if let Some(count) = word.strip_prefix("NV") {
        return count.parse().ok().map(MatrixEntry::Links);
    }
    // Older drivers write SOC for SYS.
    let word = if word == "SOC" { "SYS" } else { word };
    LEVELS.iter().position(|(name, _)| *name == word).map(|at| MatrixEntry::Bus(at as u8))
}

/// The bus tree: at each level, a switch joins the GPUs below the same part of the bus. GPUs joined
/// by NVLinks have no bus entry; the last level, the machine, joins all remaining groups.
fn buses(gpus: &[String], levels: &[Vec<Option<u8>>]) -> Vec<(String, String)> {
    let mut buses = Vec::new();
    let mut group: Vec<usize> = (0..gpus.len()).collect();
    let mut top: Vec<String> = gpus.to_vec();
    for (level, (_, word)) in LEVELS.iter().enumerate() {
        let is_last = level + 1 == LEVELS.len();
        let before = group.clone();
        for (one, row) in levels.iter().enumerate() {
            for (other, entry) in row.iter().enumerate().take(one) {
                if is_last || entry.is_some_and(|at| usize::from(at) <= level) {
                    join(&mut group, one, other);
                }
            }
        }
        for first in (0..gpus.len()).filter(|&at| group[at] == at) {
            let mut parts: Vec<usize> =
                (0..gpus.len()).filter(|&at| group[at] == first).map(|at| before[at]).collect();
            parts.sort_unstable();
            parts.dedup();
            if parts.len() > 1 {
                let name = format!("{word} {first}");
                for &part in &parts {
                    buses.push((top[part].clone(), name.clone()));
                }
                top[first] = name;
            }
        }
    }
    buses
}
