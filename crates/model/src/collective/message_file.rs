//! Message files: JSON (`{"messages": [{"from": 0, "to": [1, 2]}]}`, or just the list), or lines of
//! text, `0 -> 1,2` or `0,1,2`, with `#` comments. `0 -> all` means all other processors.

use super::build::CollectiveError;
use super::{Collective, ListedMessage, group};
use crate::entry_place::EntryPlace;
use crate::ids::ProcessorId;
use crate::network::Network;
use crate::strict_json;
use crate::text_file;
use crate::words::excerpt;
use serde::Deserialize;
use std::path::Path;

const EXTENSIONS: &[&str] = &["json", "txt", "csv", "messages"];

/// The maximum number of destinations in a file, over all messages: about a gigabyte of memory.
/// Ranges let a short file name very many.
const MOST_DESTINATIONS: usize = 1 << 28;

/// Whether a name denotes a message file: it contains a path separator, ends in an extension of
/// message files, or names an existing file. The content of a message file stands for the file.
pub(super) fn is_one(name: &str) -> bool {
    if is_content(name) {
        return true;
    }
    let path = Path::new(name);
    let has_extension = path.extension().is_some_and(|e| EXTENSIONS.iter().any(|x| e == *x));
    has_extension || name.contains(std::path::is_separator) || path.is_file()
}

/// Whether a text is the content of a message file, which has lines or is JSON, and no name.
pub fn is_content(name: &str) -> bool {
    name.starts_with(['[', '{']) || name.contains('\n')
}

/// Reads the messages of a file, or of its content.
pub(super) fn read(path: &str, network: &Network) -> Result<Collective, CollectiveError> {
    if is_content(path) {
        return parse("messages", path, network);
    }
    let text = text_file::read(Path::new(path))?;
    parse(path, &text, network)
}

/// Parses the messages that a text lists. Errors refer to `file`, whose last path component becomes
/// the name of the collective.
pub fn parse(file: &str, text: &str, network: &Network) -> Result<Collective, CollectiveError> {
    let list = if text.trim_start().starts_with(['{', '[']) {
        parse_json(file, text, network)?
    } else {
        parse_lines(file, text, network)?
    };
    if list.is_empty() {
        return Err(wrong(file, "the whole file", "it lists no message"));
    }
    let name = Path::new(file).file_name().map_or(file.into(), |name| name.to_string_lossy());
    Ok(Collective::listed(&name, list))
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a processor number or a list of them")]
enum To {
    One(u32),
    Several(Vec<u32>),
}

#[derive(Deserialize)]
#[serde(expecting = "a message: an object with from and to", deny_unknown_fields)]
struct JsonMessage {
    from: u32,
    to: To,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with messages")]
struct JsonFile {
    messages: Vec<JsonMessage>,
}

fn parse_json(
    file: &str,
    text: &str,
    network: &Network,
) -> Result<Vec<ListedMessage>, CollectiveError> {
    let is_list = text.trim_start().starts_with('[');
    let messages = if is_list {
        strict_json::from_str(text)
    } else {
        strict_json::from_str(text).map(|file: JsonFile| file.messages)
    };
    let messages: Vec<JsonMessage> = messages.map_err(|error| {
        let (line, column, problem) = text_file::json_problem(&error);
        wrong(file, &format!("line {line}, column {column}"), problem)
    })?;
    let mut list = Vec::with_capacity(messages.len());
    for (index, JsonMessage { from, to }) in messages.into_iter().enumerate() {
        let to = match to {
            To::One(to) => vec![to],
            To::Several(to) => to,
        };
        let to = to.into_iter().map(ProcessorId).collect();
        let message = ListedMessage { from: ProcessorId(from), to };
        check(&message, network).map_err(|problem| {
            let place = if is_list {
                EntryPlace::Item(index)
            } else {
                EntryPlace::In(&["messages"], index)
            };
            let line =
                place.line_in_json(text).map_or(String::new(), |line| format!("line {line}: "));
            wrong(file, &format!("{line}message {index}"), problem)
        })?;
        list.push(message);
    }
    Ok(list)
}

fn parse_lines(
    file: &str,
    text: &str,
    network: &Network,
) -> Result<Vec<ListedMessage>, CollectiveError> {
    let mut list = Vec::new();
    let mut destinations = 0;
    for (index, whole) in text.lines().enumerate() {
        let line = whole.split('#').next().unwrap_or_default().trim();
        let is_header = list.is_empty() && line.eq_ignore_ascii_case("from,to");
        if line.is_empty() || is_header {
            continue;
        }
        let wrong = |problem: &str| {
            wrong(file, &format!("line {}", index + 1), format!("{:?}: {problem}", excerpt(line)))
        };
        let sides = line.split_once("->").or_else(|| line.split_once(','));
        let Some((from, to)) = sides else {
            return Err(wrong("write 0 -> 1,2 or 0,1,2: the sender, then the receivers"));
        };
        let from = group::processor(network, from).map_err(|error| wrong(&error.to_string()))?;
        let is_all = to.trim().eq_ignore_ascii_case("all");
        let to = group::processors(network, to).map_err(|error| wrong(&error.to_string()))?;
        let to: Vec<ProcessorId> = to.into_iter().filter(|p| !is_all || *p != from).collect();
        destinations += to.len();
        if destinations > MOST_DESTINATIONS {
            return Err(wrong(&format!("more than {MOST_DESTINATIONS} destinations in total")));
        }
        let message = ListedMessage { from, to };
        check(&message, network).map_err(|problem| wrong(&problem))?;
        list.push(message);
    }
    Ok(list)
}

fn check(message: &ListedMessage, network: &Network) -> Result<(), String> {
    let ListedMessage { from, to } = message;
    if to.is_empty() {
        return Err(format!("the message of processor {from} has no destination"));
    }
    if to.contains(from) {
        return Err(format!("the message of processor {from} goes to processor {from} itself"));
    }
    let last = network.processor_count() - 1;
    for processor in std::iter::once(from).chain(to) {
        if processor.index() > last {
            return Err(format!("there is no processor {processor} (valid: 0 to {last})"));
        }
        if network.home(*processor).is_none() {
            return Err(format!("processor {processor} is lost to a fault"));
        }
    }
    let mut sorted = to.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("destination {} is named twice", pair[0])),
        None => Ok(()),
    }
}

fn wrong(file: &str, place: &str, problem: impl ToString) -> CollectiveError {
    let (file, place) = (file.to_owned(), place.to_owned());
    CollectiveError::Message { file, place, problem: problem.to_string() }
}
