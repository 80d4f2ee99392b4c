//! InfiniBand fabrics in the output format of `ibnetdiscover`: hosts (`Ca`) are routers with a
//! processor, switches are switches. Every cable is listed at both ends and is one link.

use super::attributes::{EdgeAttributes, NodeAttributes};
use super::draft::Draft;
use super::{ImportError, line_error};
use pavane_model::words::excerpt;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A node and its port number.
type Port<'a> = (&'a str, u32);

/// A node of the file.
struct Node<'a> {
    id: &'a str,
    description: &'a str,
    is_switch: bool,
}

/// Whether a text looks like output of `ibnetdiscover`.
pub(super) fn is_one(text: &str) -> bool {
    text.lines().take(2000).any(|line| head(line).is_some())
}

/// Parses `Switch 36 "S-…" # "description" …` or `Ca 2 "H-…" # "description"`.
fn head(line: &str) -> Option<Node<'_>> {
    let mut words = line.split_whitespace();
    let kind = words.next()?;
    if !["Switch", "Ca", "Rt"].contains(&kind) || words.next()?.parse::<u32>().is_err() {
        return None;
    }
    let mut quoted = line.split('"');
    let id = quoted.nth(1)?;
    Some(Node { id, description: quoted.nth(1).unwrap_or(id), is_switch: kind != "Ca" })
}

pub(super) fn parse<'a>(text: &'a str, file: &str) -> Result<Draft<'a>, ImportError> {
    let nodes: Vec<Node<'a>> = text.lines().filter_map(head).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    nodes.iter().for_each(|node| *seen.entry(node.description).or_default() += 1);
    let mut draft = Draft::default();
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    for node in &nodes {
        // Descriptions are the familiar names, but several nodes may share one.
        let name = if seen[node.description] == 1 { node.description } else { node.id };
        let number = draft.node(Cow::Borrowed(name), || NodeAttributes::switch(node.is_switch));
        numbers.insert(node.id, number);
    }
    let mut cables: BTreeSet<(Port<'a>, Port<'a>)> = BTreeSet::new();
    let mut at: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let wrong = |problem: String| line_error(file, index + 1, line, &problem);
        if let Some(node) = head(line) {
            at = Some(node.id);
            continue;
        }
        if !line.trim_start().starts_with('[') {
            continue;
        }
        let Some(node) = at else {
            return Err(wrong("a port before any Switch or Ca".to_owned()));
        };
        let (port, peer) = ends(line).ok_or_else(|| {
            wrong("a port is written [1] \"S-…\"[2], its own number first".to_owned())
        })?;
        if !numbers.contains_key(peer.0) {
            return Err(wrong(format!("no Switch or Ca is called {:?}", excerpt(peer.0))));
        }
        let own = (node, port);
        if cables.insert((own.min(peer), own.max(peer))) {
            let mut attributes = EdgeAttributes::default();
            if let Some(bandwidth) = bandwidth(line) {
                attributes.set("bandwidth_gbytes", &bandwidth.to_string()).map_err(wrong)?;
            }
            let edge = attributes.edge(numbers[node], numbers[peer.0], false);
            draft.edge(edge).map_err(wrong)?;
        }
    }
    Ok(draft)
}

/// Parses `[4](guid) "H-…"[1](guid) # …`: the node's own port, and the peer with its port.
fn ends(line: &str) -> Option<(u32, Port<'_>)> {
    let (own, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let mut quoted = rest.split('"');
    let peer = quoted.nth(1)?;
    let (port, _) = quoted.next()?.strip_prefix('[')?.split_once(']')?;
    Some((own.parse().ok()?, (peer, port.parse().ok()?)))
}

/// The bandwidth of `4xEDR` in gigabytes per second: the width times the data rate of a lane.
fn bandwidth(line: &str) -> Option<f64> {
    const LANES: &[(&str, f64)] = &[
        ("SDR", 2.0),
        ("DDR", 4.0),
        ("QDR", 8.0),
        ("FDR10", 10.0),
        ("FDR", 13.64),
        ("EDR", 25.0),
        ("HDR", 50.0),
        ("NDR", 100.0),
        ("XDR", 200.0),
    ];
    let (width, rate) = line.split_whitespace().last()?.split_once('x')?;
    let lane = LANES.iter().find(|(name, _)| *name == rate)?.1;
    Some(width.parse::<u8>().ok().map(f64::from)? * lane / 8.0)
}
