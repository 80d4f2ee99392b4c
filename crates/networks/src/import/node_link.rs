//! NetworkX node-link JSON: `nodes` with ids, `links` (or `edges`) with source and target, and the
//! flags `directed` and `multigraph`.

use super::attributes::{EdgeAttributes, NodeAttributes};
use super::draft::Draft;
use super::own::json_error;
use super::{ImportError, entry_error};
use pavane_model::entry_place::EntryPlace;
use pavane_model::strict_json;
use pavane_model::words::excerpt;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

#[derive(Deserialize)]
#[serde(expecting = "an object with `nodes` and `links`")]
struct NodeLinkGraph {
    #[serde(default)]
    directed: bool,
    /// Parallel links are allowed unless the file says `false`.
    multigraph: Option<bool>,
    nodes: Vec<NodeLinkNode>,
    #[serde(alias = "edges")]
    links: Vec<NodeLinkEdge>,
}

pub(super) fn parse(text: &str, file: &str) -> Result<Draft<'static>, ImportError> {
    let graph: NodeLinkGraph =
        strict_json::from_str(text).map_err(|error| json_error(file, &error))?;
    let mut draft = Draft::default();
    for (index, node) in graph.nodes.into_iter().enumerate() {
        if draft.find(&node.id).is_some() {
            let problem = format!("two nodes have the id {:?}", excerpt(&node.id));
            let place = EntryPlace::In(&["nodes"], index);
            return Err(entry_error(file, place, place.line_in_json(text), &problem));
        }
        draft.node(Cow::Owned(node.id), || node.attributes);
    }
    let mut seen = FxHashSet::default();
    for (index, link) in graph.links.into_iter().enumerate() {
        let wrong = |problem: String| {
            let place = EntryPlace::In(&["links", "edges"], index);
            entry_error(file, place, place.line_in_json(text), &problem)
        };
        let find = |id: &str| {
            draft.find(id).ok_or_else(|| wrong(format!("no node has the id {:?}", excerpt(id))))
        };
        let (tail, head) = (find(&link.source)?, find(&link.target)?);
        let key = if graph.directed { (tail, head) } else { (tail.min(head), tail.max(head)) };
        if graph.multigraph == Some(false) && !seen.insert(key) {
            let (source, target) = (excerpt(&link.source), excerpt(&link.target));
            return Err(wrong(format!(
                "{source:?} and {target:?} are joined twice, but multigraph is false"
            )));
        }
        draft.edge(link.attributes.edge(tail, head, graph.directed)).map_err(wrong)?;
    }
    Ok(draft)
}

struct NodeLinkNode {
    id: String,
    attributes: NodeAttributes,
}

/// A coordinate or a pair of them as text; empty for any other value.
fn place(value: &Value) -> String {
    let number = |value: &Value| value.as_f64().map(|number| number.to_string());
    match value {
        Value::String(text) => text.clone(),
        Value::Array(pair) => pair.iter().filter_map(number).collect::<Vec<_>>().join(","),
        other => number(other).unwrap_or_default(),
    }
}

struct NodeLinkEdge {
    source: String,
    target: String,
    attributes: EdgeAttributes,
}

impl<'de> Deserialize<'de> for NodeLinkNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = NodeLinkNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node with an id")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeLinkNode, A::Error> {
        let (mut id, mut attributes) = (None, NodeAttributes::default());
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key == "id" {
                id = Some(map.next_value::<Text>()?.id()?);
            } else if NodeAttributes::knows(&key) {
                if let Text(Some(value)) = map.next_value()? {
                    attributes.set(&key, &value).map_err(A::Error::custom)?;
                }
            } else if matches!(&*key, "x" | "y" | "pos") {
                let value = map.next_value::<Value>()?;
                attributes.set(&key, &place(&value)).map_err(A::Error::custom)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let id = id.ok_or_else(|| A::Error::missing_field("id"))?;
        Ok(NodeLinkNode { id, attributes })
    }
}

impl<'de> Deserialize<'de> for NodeLinkEdge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LinkVisitor)
    }
}

struct LinkVisitor;

impl<'de> Visitor<'de> for LinkVisitor {
    type Value = NodeLinkEdge;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a link with a source and a target")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeLinkEdge, A::Error> {
        let (mut source, mut target) = (None, None);
        let mut attributes = EdgeAttributes::default();
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key == "source" {
                source = Some(map.next_value::<Text>()?.id()?);
            } else if key == "target" {
                target = Some(map.next_value::<Text>()?.id()?);
            } else if EdgeAttributes::knows(&key) {
                if let Text(Some(value)) = map.next_value()? {
                    attributes.set(&key, &value).map_err(A::Error::custom)?;
                }
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let source = source.ok_or_else(|| A::Error::missing_field("source"))?;
        let target = target.ok_or_else(|| A::Error::missing_field("target"))?;
        Ok(NodeLinkEdge { source, target, attributes })
    }
}

/// A value as text: a string, a number or a boolean. A list becomes its items separated by commas
/// (in NetworkX the nodes of a grid are pairs). Null is `None`.
struct Text(Option<String>);

impl Text {
    fn id<E: Error>(self) -> Result<String, E> {
        self.0.ok_or_else(|| E::custom("the id of a node must not be null"))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_bool<E: Error>(self, is_so: bool) -> Result<Text, E> {
        Ok(Text(Some(is_so.to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Text, A::Error> {
        let mut words = Vec::new();
        while let Some(item) = items.next_element::<Text>()? {
            words.push(item.id()?);
        }
        Ok(Text(Some(words.join(","))))
    }
}
