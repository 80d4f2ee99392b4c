//! Mission files: CSV with the columns arrival, source, destination and length, or JSON with the
//! same names, `{"messages": [{"arrival": 0, "source": 0, "destination": 1, "length": 10}]}`.

use super::{Message, Mission, check_arrival, check_count, check_length, check_pair};
use crate::error::TrafficError;
use crate::ticks;
use pavane_model::{Network, ProcessorId, strict_json, text_file};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

/// The columns of a CSV file, in order.
const HEAD: &str = "arrival,source,destination,length";

/// A message in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with arrival, source, destination and length")]
struct MessageEntry {
    #[serde(default)]
    arrival: f64,
    source: u64,
    destination: u64,
    length: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with messages")]
struct File {
    messages: Vec<MessageEntry>,
}

/// Reads a mission from a file.
pub fn read(path: &Path, network: &Network) -> Result<Mission, TrafficError> {
    let text = text_file::read(path)?;
    parse(&path.display().to_string(), &text, network)
}

/// Parses a mission; errors refer to it as `file`. All lengths must be positive, so that messages have
/// the numbers of their lines.
pub fn parse(file: &str, text: &str, network: &Network) -> Result<Mission, TrafficError> {
    let entries = if text.trim_start().starts_with(['{', '[']) {
        parse_json(file, text)?
    } else {
        parse_csv(file, text)?
    };
    if entries.is_empty() {
        return Err(TrafficError::NothingIn { file: file.to_owned() });
    }
    check_count(entries.len() as u64)?;
    let mut messages = Vec::with_capacity(entries.len());
    for (place, entry) in entries {
        let place = || format!("{file}: {place}");
        let processor = |number: u64| ProcessorId(u32::try_from(number).unwrap_or(u32::MAX));
        let (source, destination) = (processor(entry.source), processor(entry.destination));
        check_pair(network, source, destination, place)?;
        check_length(entry.length, place)?;
        check_arrival(entry.arrival, place)?;
        messages.push(Message {
            arrival: ticks::from_units(entry.arrival),
            length: ticks::from_units(entry.length),
            source,
            destination,
        });
    }
    Mission::new(network, messages)
}

fn parse_json(file: &str, text: &str) -> Result<Vec<(String, MessageEntry)>, TrafficError> {
    let entries: Result<Vec<MessageEntry>, serde_json::Error> =
        if text.trim_start().starts_with('[') {
            strict_json::from_str(text)
        } else {
            strict_json::from_str(text).map(|file: File| file.messages)
        };
    let entries = entries.map_err(|error| TrafficError::Syntax {
        file: file.to_owned(),
        place: format!("line {}", error.line()),
        problem: error.to_string(),
    })?;
    Ok(entries.into_iter().enumerate().map(|(i, entry)| (format!("message {i}"), entry)).collect())
}

fn parse_csv(file: &str, text: &str) -> Result<Vec<(String, MessageEntry)>, TrafficError> {
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let fields: Vec<&str> = content.split(',').map(bare).collect();
        if entries.is_empty() && fields == HEAD.split(',').collect::<Vec<_>>() {
            continue;
        }
        let place = format!("line {}", index + 1);
        match csv_entry(&fields) {
            Ok(entry) => entries.push((place, entry)),
            Err(problem) => {
                return Err(TrafficError::Syntax { file: file.to_owned(), place, problem });
            }
        }
    }
    Ok(entries)
}

/// A field without surrounding spaces and quotes.
fn bare(field: &str) -> &str {
    let field = field.trim();
    let inner = field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(field).trim()
}

fn csv_entry(fields: &[&str]) -> Result<MessageEntry, String> {
    let &[arrival, source, destination, length] = fields else {
        let fields = match fields.len() {
            1 => "1 field".to_owned(),
            count => format!("{count} fields"),
        };
        return Err(format!("{fields} instead of {HEAD}"));
    };
    let number = |text: &str| {
        let wrong = || format!("{text:?} is not a number; the columns are {HEAD}");
        text.parse::<f64>().map_err(|_| wrong())
    };
    let processor = |text: &str| text.parse().map_err(|_| format!("{text:?} is not a processor"));
    Ok(MessageEntry {
        arrival: number(arrival)?,
        source: processor(source)?,
        destination: processor(destination)?,
        length: number(length)?,
    })
}

/// Writes a mission as CSV. Reading it back gives the same mission to the tick.
pub fn write_csv(mission: &Mission, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    for entry in mission.messages().iter().map(MessageEntry::of) {
        let MessageEntry { arrival, source, destination, length } = entry;
        writeln!(out, "{arrival},{source},{destination},{length}")?;
    }
    Ok(())
}

/// Writes a mission as JSON.
pub fn write_json(mission: &Mission, out: &mut dyn Write) -> io::Result<()> {
    let messages = mission.messages().iter().map(MessageEntry::of).collect();
    serde_json::to_writer(&mut *out, &File { messages })?;
    writeln!(out)
}

impl MessageEntry {
    fn of(message: &Message) -> Self {
        Self {
            arrival: ticks::to_units(message.arrival),
            source: u64::from(message.source.0),
            destination: u64::from(message.destination.0),
            length: ticks::to_units(message.length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Uniform;
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn what_is_written_is_read_again_to_the_tick() {
        let network = topology::build("hypercube:4").unwrap();
        let uniform = Uniform { window: 3.0, ..Uniform::default() };
        let mission = uniform.draw(&network, 5, 0).unwrap();
        for write in [write_csv, write_json] {
            let mut bytes = Vec::new();
            write(&mission, &mut bytes).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(parse("it", &text, &network).unwrap(), mission);
        }
    }

    #[test]
    fn quotes_spaces_and_endings_of_lines_do_not_matter() {
        let network = topology::build("ring:4").unwrap();
        let plain = parse("it", "arrival,source,destination,length\n0,0,1,5\n", &network).unwrap();
        for text in [
            "0,0,1,5",
            " 0 , 0 ,1, 5 \r\n\r\n",
            "\"arrival\",\"source\",\"destination\",\"length\"\r\n\"0\",\"0\",\"1\",\"5\"\r\n",
            "# by hand\n0,0,1,5 # the only one",
        ] {
            assert_eq!(parse("it", text, &network).unwrap(), plain, "{text:?}");
        }
    }

    #[test]
    fn bad_files_are_refused_with_their_place() {
        let network = topology::build("ring:4").unwrap();
        let cases = [
            ("0,0,1,-3", "it: line 1: the length is -3"),
            ("0,0,1,NaN", "it: line 1: the length is NaN"),
            ("0,0,1,inf", "it: line 1: the length is inf"),
            ("arrival,source,destination,length\n0,0,1,3\n-1,0,1,3", "line 3: the arrival is -1"),
            ("0,0,4,1", "processor 4 (valid: 0 to 3)"),
            ("0,0,99999999999,1", "valid: 0 to 3"),
            ("0,2,2,1", "from processor 2 to itself"),
            ("0,0,1", "3 fields instead of arrival,source,destination,length"),
            ("0,a,1,2", "\"a\" is not a processor"),
            ("", "it has no message; write a line"),
            ("arrival,source,destination,length\n", "it has no message"),
            ("0,0,1,5\n0,0,1,0", "it: line 2: the length is 0, but must be more than 0"),
            ("[]", "it has no message"),
            ("0;0;1;3", "1 field instead of"),
            (
                "length,source,destination,arrival\n3,0,1,0",
                "\"length\" is not a number; the columns",
            ),
            ("0,0,1,1e300", "the length is 1e300, but"),
            ("[{\"source\": 0}]", "it: line 1: "),
        ];
        for (text, expected) in cases {
            let error = parse("it", text, &network).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
