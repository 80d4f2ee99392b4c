//! The elements of a specification. poseidon accepts files that are not well-formed XML: without a
//! common root, and with a declaration that lacks a space.

use crate::import::{ImportError, document};
use pavane_model::words::excerpt;
use roxmltree::Node;

/// Levels of elements that are read: a platform, its topology, and links.
const LEVELS: u32 = 3;

/// Names of elements at the top of a file. The last two are those of old files.
const TOP: [&str; 4] = ["platform", "communication", "topology", "channels"];

/// An element of a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecificationElement {
    /// Its name.
    pub name: String,
    /// The line in which it begins.
    pub line: usize,
    /// The elements in it.
    pub children: Vec<Self>,
    attributes: Vec<(String, String)>,
}

impl SpecificationElement {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A whole number, or the reason why an attribute is not one.
    pub fn number(&self, name: &str) -> Result<Option<u32>, String> {
        let wrong =
            |text: &str| format!("{name} is {:?}, but it must be a whole number", excerpt(text));
        let parse = |text: &str| text.trim().parse().map_err(|_| wrong(text));
        self.attribute(name).map(parse).transpose()
    }

    /// The column and row of a tile, such as `(0,2)`.
    pub fn tile(&self, name: &str) -> Result<(u32, u32), String> {
        let Some(text) = self.attribute(name) else {
            return Err(format!("<{}> has no {name}", excerpt(&self.name)));
        };
        let parse = || {
            let (x, y) = text.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
            Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
        };
        parse().ok_or_else(|| {
            format!("{name} is {:?}, but it must be a tile such as (0,2)", excerpt(text))
        })
    }

    /// `breaks` are the offsets of all line breaks.
    fn of(node: Node<'_, '_>, breaks: &[usize], levels: u32) -> Self {
        let inner = node.children().filter(|child| child.is_element() && levels > 1);
        let text = |text: &str| text.to_owned();
        Self {
            name: text(node.tag_name().name()),
            line: breaks.partition_point(|&end| end < node.range().start) + 1,
            children: inner.map(|child| Self::of(child, breaks, levels - 1)).collect(),
            attributes: node
                .attributes()
                .map(|one| (text(one.name()), text(one.value())))
                .collect(),
        }
    }
}

/// The elements at the top of a text. Errors refer to `file`.
pub fn specification(text: &str, file: &str) -> Result<Vec<SpecificationElement>, ImportError> {
    let rest = without_declarations(text);
    // The same lines, in one element. Its name appears in errors about elements that are not closed.
    let before = text[..text.len() - rest.len()].matches('\n').count();
    let whole = format!("<end-of-file>{}{rest}</end-of-file>", "\n".repeat(before));
    let document = document(&whole, file)?;
    let breaks: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at).collect();
    let top = document.root_element().children().filter(Node::is_element);
    Ok(top.map(|node| SpecificationElement::of(node, &breaks, LEVELS)).collect())
}

/// Whether a text looks like a specification.
pub(crate) fn is_specification(text: &str) -> bool {
    let mut rest = without_declarations(text);
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|rest| rest.split_once("-->")) {
        rest = after.trim_start();
    }
    let Some((tag, _)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
        return false;
    };
    let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
    // SimGrid has platforms without a size.
    TOP.contains(&name) && (name != "platform" || tag.contains("width") || tag.contains("height"))
}

/// The text after declarations such as `<?xml version="1.0"?>`, whatever they contain.
fn without_declarations(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some((_, after)) = rest.strip_prefix("<?").and_then(|rest| rest.split_once("?>")) {
        rest = after.trim_start();
    }
    rest
}
