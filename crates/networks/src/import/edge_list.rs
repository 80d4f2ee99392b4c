//! Edge lists: one link per line, `u v` or, as NetworkX writes it, `u v {"bandwidth_gbytes": 25}`. A line `directed` makes them channels, `switch u v …`
//! names routers without a processor, `processors u v …` lists the home of each processor.

use super::attributes::{EdgeAttributes, NodeAttributes};
use super::draft::Draft;
use super::{ImportError, line_error};
use pavane_model::words::excerpt;
use std::borrow::Cow;

pub(super) fn parse<'a>(text: &'a str, file: &str) -> Result<Draft<'a>, ImportError> {
    let mut draft = Draft::default();
    let mut is_directed = false;
    let mut has_edges = false;
    for (index, line) in text.lines().enumerate() {
        let wrong = |problem: String| line_error(file, index + 1, line, &problem);
        // `# directed` hides the word from other readers of edge lists. The headers of public
        // collections continue after it, as in `# Directed graph: roads.txt`.
        let comment = line.trim_start().strip_prefix(['#', '%']).map(str::trim);
        let said = comment.unwrap_or(line.trim()).to_ascii_lowercase();
        if matches!(said.as_str(), "directed" | "undirected") {
            if has_edges {
                return Err(wrong(format!("{said} must come before the first edge")));
            }
            is_directed = said == "directed";
            continue;
        }
        if comment.is_some() {
            let word = said.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            if !has_edges && matches!(word, "directed" | "undirected") {
                is_directed = word == "directed";
            }
            continue;
        }
        let mut words = line.split_whitespace().take_while(|word| !word.starts_with(['#', '%']));
        let Some(first) = words.next() else { continue };
        match first {
            word if ["directed", "undirected"].iter().any(|w| word.eq_ignore_ascii_case(w)) => {
                return Err(wrong(format!("{word} is a keyword: write it on a line of its own")));
            }
            "switch" => {
                for word in words {
                    let node = draft.node(Cow::Borrowed(word), NodeAttributes::default);
                    draft.attributes(node).set("switch", "true").map_err(wrong)?;
                }
            }
            "processors" => {
                let nodes =
                    words.map(|word| draft.node(Cow::Borrowed(word), NodeAttributes::default));
                let nodes: Vec<Option<u32>> = nodes.map(Some).collect();
                draft.homes.get_or_insert_default().extend(nodes);
            }
            first => {
                let Some(second) = words.next() else {
                    return Err(wrong("write two nodes, u v".to_owned()));
                };
                let mut attributes = EdgeAttributes::default();
                match words.next() {
                    // NetworkX writes a dictionary after the two nodes.
                    Some(more) if more.starts_with('{') => {
                        for (key, value) in entries(line).filter(|(key, _)| knows(key)) {
                            attributes.set(key, value).map_err(wrong)?;
                        }
                    }
                    Some(more) => {
                        let more = excerpt(more);
                        return Err(wrong(format!(
                            "unexpected {more:?} after the two nodes u v; write a bandwidth as \
                             {{\"bandwidth_gbytes\": 25}}, and a link-count matrix as a .csv file"
                        )));
                    }
                    None => {}
                }
                let tail = draft.node(Cow::Borrowed(first), NodeAttributes::default);
                let head = draft.node(Cow::Borrowed(second), NodeAttributes::default);
                let edge = attributes.edge(tail, head, is_directed);
                draft.edge(edge).map_err(wrong)?;
                has_edges = true;
            }
        }
    }
    Ok(draft)
}

/// The entries of the dictionary at the end of a line, as Python or JSON write it, without quotation
/// marks. What looks different has no entries.
fn entries(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let dictionary = line.trim().split_once('{').and_then(|(_, rest)| rest.strip_suffix('}'));
    let entries = dictionary.unwrap_or_default().split(',');
    entries.filter_map(|entry| entry.split_once(':')).map(|(key, value)| (plain(key), plain(value)))
}

fn plain(word: &str) -> &str {
    word.trim().trim_matches(['"', '\''])
}

/// The attributes that a line can have; links have directions by the keyword.
fn knows(key: &str) -> bool {
    matches!(key, "latency_ns" | "bandwidth_gbytes" | "bandwidth")
}
