//! Reads the traffic of a TDM problem: communication XML of poseidon, or CSV with lines `from,to,weight` or
//! `from,to,weight,max_latency`.

use super::poseidon::{Communication, CommunicationError, read_communication};
use pavane_model::tdm::{TdmDemand, TdmMessage, TdmProblemError};
use pavane_model::words::{counted, excerpt};
use pavane_model::{Network, ProcessorId};
use std::collections::BTreeMap;
use std::num::IntErrorKind;

/// Names of the columns.
const COLUMNS: [&str; 4] = ["from", "to", "weight", "max_latency"];

/// The traffic in a text. A text that starts with `<` is XML. Errors refer to `file`.
pub fn read_traffic(
    text: &str,
    file: &str,
    network: &Network,
) -> Result<Communication, CommunicationError> {
    let wrong = |problem: String| CommunicationError::Text { file: file.to_owned(), problem };
    if text.trim_start().starts_with('<') {
        let found = read_communication(text, file, network)?;
        return found.ok_or_else(|| wrong("there is no <communication>".to_owned()));
    }
    let messages = parse(text, network).map_err(wrong)?;
    Ok(Communication { demand: TdmDemand::Messages(messages), phits: None })
}

/// The lines of CSV. A first line with the names of the columns, empty lines and lines that begin with
/// `#` are skipped.
fn parse(text: &str, network: &Network) -> Result<Vec<TdmMessage>, String> {
    let mut messages = Vec::new();
    let mut lines_of = BTreeMap::new();
    let is_used = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines = (1..).zip(text.lines()).filter(|(_, line)| is_used(line));
    for (at, (number, line)) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if at == 0 && cells.first() == Some(&COLUMNS[0]) {
            check_header(number, &cells)?;
            continue;
        }
        let message = message(number, &cells)?;
        check(&message, network).map_err(|problem| format!("line {number}: {problem}"))?;
        if let Some(other) = lines_of.insert((message.from, message.to), number) {
            let TdmMessage { from, to, .. } = message;
            return Err(format!(
                "line {number}: message {from} -> {to} is also in line {other}; add up its weights"
            ));
        }
        messages.push(message);
    }
    if messages.is_empty() {
        return Err("the file has no message; expected lines from,to,weight".to_owned());
    }
    Ok(messages)
}

/// Fails unless the message has a word and two different processors of the network.
fn check(message: &TdmMessage, network: &Network) -> Result<(), TdmProblemError> {
    for processor in [message.from, message.to] {
        let (name, processors) = (network.name().to_owned(), network.processor_count());
        if processor.index() >= processors {
            let processor = processor.0;
            return Err(TdmProblemError::NoProcessor { network: name, processor, processors });
        }
        if network.home(processor).is_none() {
            return Err(TdmProblemError::Lost { network: name, processor: processor.0 });
        }
    }
    if message.from == message.to {
        return Err(TdmProblemError::ToItself(message.from.0));
    }
    if message.weight == 0 {
        let (from, to) = (message.from.0, message.to.0);
        return Err(TdmProblemError::NoWeight { from, to });
    }
    Ok(())
}

fn check_header(line: usize, cells: &[&str]) -> Result<(), String> {
    if cells == &COLUMNS[..3] || cells == &COLUMNS[..] {
        return Ok(());
    }
    Err(format!("line {line}: expected the columns {}", COLUMNS.join(",")))
}

/// The message of a line.
fn message(line: usize, cells: &[&str]) -> Result<TdmMessage, String> {
    if !(3..=4).contains(&cells.len()) {
        return Err(format!(
            "line {line}: {}, but from,to,weight or from,to,weight,max_latency are expected",
            counted(cells.len(), "column")
        ));
    }
    let number = |column: usize| {
        cells[column].parse::<u32>().map_err(|error| {
            let (cell, name) = (excerpt(cells[column]), COLUMNS[column]);
            let problem = match error.kind() {
                IntErrorKind::PosOverflow => "is too large",
                _ => "is not a whole number",
            };
            format!("line {line}: {cell:?} {problem} for {name}")
        })
    };
    let (from, to, weight) = (ProcessorId(number(0)?), ProcessorId(number(1)?), number(2)?);
    let max_latency = match cells.get(3) {
        None | Some(&"") => None,
        Some(_) => Some(number(3)?),
    };
    Ok(TdmMessage { from, to, weight, max_latency })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_messages() {
        let text = "from,to,weight,max_latency\r\n# a comment\n0,1,2,\r\n\n1, 0, 1, 30\n";
        let messages = parse(text, &pavane_networks::topology::build("ring:3").unwrap()).unwrap();
        let numbers: Vec<_> =
            messages.iter().map(|m| (m.from.0, m.to.0, m.weight, m.max_latency)).collect();
        assert_eq!(numbers, [(0, 1, 2, None), (1, 0, 1, Some(30))]);
    }

    #[test]
    fn wrong_lines_are_refused() {
        for (text, part) in [
            ("", "the file has no message"),
            ("from,to\n0,1", "line 1: expected the columns"),
            ("0,1", "line 1: 2 columns"),
            ("0,1,2,3,4", "line 1: 5 columns"),
            ("0,1,2\n0,x,2", "line 2: \"x\" is not a whole number for to"),
            ("7", "line 1: 1 column, but"),
            ("0,1,1\n# more\n0,99,1", "line 3: ring:3 has no processor 99 (valid: 0 to 2)"),
            ("0,1,1\n2,2,1", "line 2: processor 2 sends to itself"),
            ("0,1,1\n1,0,1\n0,1,2", "line 3: message 0 -> 1 is also in line 1; add up its weights"),
            ("0,1,1\n0,2,0", "line 2: the weight of message 0 -> 2 is 0; leave it out"),
            ("0,1,0,5\n", "line 1: the weight of message 0 -> 1 is 0; leave it out"),
            ("# more\n\nfrom,to\n0,1", "line 3: expected the columns"),
            ("0,1,4294967296", "\"4294967296\" is too large for weight"),
            ("0,1,-2", "\"-2\" is not a whole number for weight"),
            ("0,1,2,soon", "\"soon\" is not a whole number for max_latency"),
        ] {
            let error =
                parse(text, &pavane_networks::topology::build("ring:3").unwrap()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
