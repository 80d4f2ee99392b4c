//! GraphML: links are undirected edges, channels directed ones, in the order of the network.

use crate::description::{Description, Edge, Form};
use pavane_model::Network;
use std::io::{self, Write};

/// The data keys: what each applies to, its name and type.
const KEYS: &[(&str, &str, &str)] = &[
    ("graph", "name", "string"),
    ("graph", "faults", "string"),
    ("graph", "homes", "string"),
    ("node", "label", "string"),
    ("node", "processors", "int"),
    ("node", "lost", "boolean"),
    ("node", "multicast", "boolean"),
    ("node", "x", "double"),
    ("node", "y", "double"),
    ("edge", "latency_ns", "double"),
    ("edge", "bandwidth_gbytes", "double"),
    ("edge", "link", "int"),
];

pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let description = Description::of(network);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    for (element, name, kind) in KEYS {
        let types = format!("attr.name=\"{name}\" attr.type=\"{kind}\"");
        writeln!(out, "  <key id=\"{name}\" for=\"{element}\" {types}/>")?;
    }
    let is_directed = network.is_directed();
    let default = if is_directed { "directed" } else { "undirected" };
    write!(out, "  <graph edgedefault=\"{default}\">\n    ")?;
    write_data(out, "name", &description.name)?;
    if !description.faults.is_empty() {
        write_data(out, "faults", &description.faults.join("; "))?;
    }
    if !description.is_counted() {
        write_data(out, "homes", &description.homes_text())?;
    }
    writeln!(out)?;
    for (router, count) in description.processor_counts().into_iter().enumerate() {
        write!(out, "    <node id=\"{router}\">")?;
        if let Some(name) = description.names.get(router) {
            write_data(out, "label", name)?;
        }
        if description.lost.binary_search(&(router as u32)).is_ok() {
            write_data(out, "lost", "true")?;
        } else if count != 1 {
            write_data(out, "processors", &count.to_string())?;
        }
        if description.multicast.binary_search(&(router as u32)).is_ok() {
            write_data(out, "multicast", "true")?;
        }
        if let Some((x, y)) = description.positions.get(router) {
            write_data(out, "x", &x.to_string())?;
            write_data(out, "y", &y.to_string())?;
        }
        writeln!(out, "</node>")?;
    }
    for edge in &description.edges {
        write_edge(out, edge, is_directed)?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}

fn write_edge(out: &mut dyn Write, edge: &Edge, is_directed: bool) -> io::Result<()> {
    write!(out, "    <edge source=\"{}\" target=\"{}\"", edge.tail, edge.head)?;
    if is_directed == (edge.form == Form::Link) {
        write!(out, " directed=\"{}\"", !is_directed)?;
    }
    write!(out, ">")?;
    if let Form::Channel { link: Some(link) } = edge.form {
        write_data(out, "link", &link.to_string())?;
    }
    if let Some(latency) = edge.timing.latency_ns {
        write_data(out, "latency_ns", &latency.to_string())?;
    }
    if let Some(bandwidth) = edge.timing.bandwidth_gbytes {
        write_data(out, "bandwidth_gbytes", &bandwidth.to_string())?;
    }
    writeln!(out, "</edge>")
}

fn write_data(out: &mut dyn Write, key: &str, value: &str) -> io::Result<()> {
    write!(out, "<data key=\"{key}\">{}</data>", escaped(value)?)
}

/// Escapes a text for XML; fails on characters that XML cannot represent.
fn escaped(text: &str) -> io::Result<String> {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML parsers turn a bare carriage return into a line feed.
            '\r' => escaped.push_str("&#13;"),
            '\t' | '\n' => escaped.push(letter),
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => {
                let problem = format!("{text:?} cannot be written as XML; use JSON or DOT");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
            }
            letter => escaped.push(letter),
        }
    }
    Ok(escaped)
}
