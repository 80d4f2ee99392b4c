//! GraphML: nodes and edges, directed or not, with the data keys `processors`, `switch`, `label`,
//! `multicast`, `latency_ns` and `bandwidth_gbytes`.

use super::attributes::{EdgeAttributes, NodeAttributes};
use super::draft::Draft;
use super::{ImportError, offset_error, place_error, whole_error};
use pavane_model::words::excerpt;
use roxmltree::{Document, Node, ParsingOptions};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The maximum number of elements and texts: about a gigabyte of memory.
const MOST_NODES: u32 = 1 << 23;

/// The maximum length of a tag in bytes. The parser compares every attribute with all others of its
/// tag, so a huge tag would take hours.
const LONGEST_TAG: usize = 1 << 13;

/// Parses XML, within limits on memory and time.
pub(crate) fn document<'a>(text: &'a str, file: &str) -> Result<Document<'a>, ImportError> {
    if let Some(offset) = overlong_tag(text) {
        let problem = format!("a tag of more than {LONGEST_TAG} bytes");
        return Err(offset_error(file, text, offset, &problem));
    }
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::NodesLimitReached => {
            let problem = format!("more than {MOST_NODES} elements; write it as JSON");
            whole_error(file, &problem)
        }
        error => {
            let place = error.pos();
            place_error(
                file,
                &format!("line {}, column {}", place.row, place.col),
                &error.to_string(),
            )
        }
    })
}

pub(super) fn parse(text: &str, file: &str) -> Result<Draft<'static>, ImportError> {
    let document = document(text, file)?;
    let root = document.root_element();
    let mut graphs = root.children().filter(|node| has_name(node, "graph"));
    let graph = match (graphs.next(), graphs.next()) {
        (Some(graph), None) if has_name(&root, "graphml") => graph,
        (Some(_), Some(second)) => {
            let problem = "a second graph; one file is one network";
            return Err(offset_error(file, text, second.range().start, problem));
        }
        _ => return Err(whole_error(file, "no <graph> inside of <graphml>")),
    };
    let keys = Keys::of(&root);
    let mut draft = Draft::default();
    // Edges may precede their nodes.
    for node in graph.descendants().filter(|node| has_name(node, "node")) {
        add_node(&mut draft, &node, &keys)
            .map_err(|problem| offset_error(file, text, node.range().start, &problem))?;
    }
    for edge in graph.descendants() {
        add_edge(&mut draft, &edge, &graph, &keys)
            .map_err(|problem| offset_error(file, text, edge.range().start, &problem))?;
    }
    for (key, value) in keys.data(&graph, "graph") {
        match key {
            "name" => draft.name = Some(value.to_owned()),
            "faults" => draft.set_faults(value),
            "homes" => draft
                .set_homes(value)
                .map_err(|problem| offset_error(file, text, graph.range().start, &problem))?,
            _ => {}
        }
    }
    Ok(draft)
}

/// The offset of the first tag that exceeds the length limit.
fn overlong_tag(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let others = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        at = match others.iter().find(|(open, _)| rest.starts_with(open)) {
            Some((_, close)) => start + rest.find(close)?,
            None => match tag_end(&rest.as_bytes()[..rest.len().min(LONGEST_TAG)]) {
                Some(end) => start + end,
                None => return (rest.len() > LONGEST_TAG).then_some(start),
            },
        };
    }
    None
}

/// The closing bracket of a tag, ignoring brackets in quotes.
fn tag_end(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    tag.iter().position(|&byte| {
        match quote {
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            Some(open) if byte == open => quote = None,
            _ => {}
        }
        quote.is_none() && byte == b'>'
    })
}

fn has_name(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn add_node(
    draft: &mut Draft<'static>,
    node: &Node<'_, '_>,
    keys: &Keys<'_>,
) -> Result<(), String> {
    let id = node.attribute("id").ok_or("a node without an id")?;
    if draft.find(id).is_some() {
        return Err(format!("two nodes have the id {:?}", excerpt(id)));
    }
    let mut attributes = NodeAttributes::default();
    for (key, value) in keys.data(node, "node") {
        attributes.set(key, value)?;
    }
    // yEd stores the position of the upper left corner.
    let geometry = node.descendants().find(|part| part.tag_name().name() == "Geometry");
    for (key, value) in
        geometry.iter().flat_map(|geometry| geometry.attributes()).map(|a| (a.name(), a.value()))
    {
        if key == "x" || key == "y" {
            attributes.set(key, value)?;
        }
    }
    draft.node(Cow::Owned(id.to_owned()), || attributes);
    Ok(())
}

/// Adds an edge. Other elements are ignored, except hyperedges, which are an error.
fn add_edge(
    draft: &mut Draft<'static>,
    edge: &Node<'_, '_>,
    graph: &Node<'_, '_>,
    keys: &Keys<'_>,
) -> Result<(), String> {
    if has_name(edge, "hyperedge") {
        return Err("<hyperedge> is not supported; write links to a switch".to_owned());
    }
    if !has_name(edge, "edge") {
        return Ok(());
    }
    let end = |which: &str| {
        let id = edge.attribute(which).ok_or_else(|| format!("an edge without a {which}"))?;
        draft
            .find(id)
            .ok_or_else(|| format!("{which} is {:?}, but no node has that id", excerpt(id)))
    };
    let (tail, head) = (end("source")?, end("target")?);
    let is_directed = match (edge.attribute("directed"), graph.attribute("edgedefault")) {
        (Some("true"), _) | (None, Some("directed")) => true,
        (Some("false"), _) | (None, Some("undirected") | None) => false,
        (Some(other), _) => return Err(format!("directed is {:?}", excerpt(other))),
        (None, Some(other)) => return Err(format!("edgedefault is {:?}", excerpt(other))),
    };
    let mut attributes = EdgeAttributes::default();
    for (key, value) in keys.data(edge, "edge") {
        attributes.set(key, value)?;
    }
    draft.edge(attributes.edge(tail, head, is_directed))
}

/// The names of the data keys by id, and their default values.
struct Keys<'a> {
    names: FxHashMap<&'a str, &'a str>,
    defaults: Vec<(&'a str, &'a str, &'a str)>,
}

impl<'a> Keys<'a> {
    fn of(root: &Node<'a, '_>) -> Self {
        let (mut names, mut defaults) = (FxHashMap::default(), Vec::new());
        for key in root.children().filter(|node| has_name(node, "key")) {
            let id = key.attribute("id").unwrap_or_default();
            let name = key.attribute("attr.name").unwrap_or(id);
            names.insert(id, name);
            if let Some(value) = key.children().find(|node| has_name(node, "default")) {
                let element = key.attribute("for").unwrap_or("all");
                defaults.push((element, name, value.text().unwrap_or_default()));
            }
        }
        Self { names, defaults }
    }

    /// The defaults for an element, followed by the names and values of its own data.
    fn data(
        &self,
        node: &Node<'a, '_>,
        element: &'static str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let defaults = self.defaults.iter().filter(move |(of, ..)| *of == element || *of == "all");
        let defaults = defaults.map(|&(_, name, value)| (name, value));
        let data = node.children().filter(|child| has_name(child, "data"));
        defaults.chain(data.map(|data| {
            let id = data.attribute("key").unwrap_or_default();
            (self.names.get(id).copied().unwrap_or(id), data.text().unwrap_or_default())
        }))
    }
}
