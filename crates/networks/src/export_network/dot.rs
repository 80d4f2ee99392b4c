//! Graphviz DOT: a graph if there are only links, otherwise a digraph in which a link is an edge
//! with `dir=both`. Switches are boxes.

use crate::description::{Description, Edge, Form};
use pavane_model::Network;
use std::io::{self, Write};

pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let description = Description::of(network);
    let is_directed = description.edges.iter().any(|edge| edge.form != Form::Link);
    writeln!(out, "{} {{", if is_directed { "digraph" } else { "graph" })?;
    writeln!(out, "  label={};", quoted(&description.name))?;
    if !description.faults.is_empty() {
        writeln!(out, "  faults={};", quoted(&description.faults.join("; ")))?;
    }
    if !description.is_counted() {
        writeln!(out, "  homes=\"{}\";", description.homes_text())?;
    }
    for (router, count) in description.processor_counts().into_iter().enumerate() {
        let mut attributes = Vec::new();
        if let Some(name) = description.names.get(router) {
            attributes.push(format!("label={}", quoted(name)));
        }
        if description.lost.binary_search(&(router as u32)).is_ok() {
            attributes.push("lost=true, style=dashed".to_owned());
        } else if count == 0 {
            attributes.push("processors=0, shape=box".to_owned());
        } else if count > 1 {
            attributes.push(format!("processors={count}"));
        }
        if description.multicast.binary_search(&(router as u32)).is_ok() {
            attributes.push("multicast=true".to_owned());
        }
        if let Some((x, y)) = description.positions.get(router) {
            // The y axis of Graphviz points up; the exclamation mark pins the node.
            attributes.push(format!("pos=\"{x},{}!\"", -y));
        }
        write_with(out, &router.to_string(), &attributes)?;
    }
    for edge in &description.edges {
        write_edge(out, edge, is_directed)?;
    }
    writeln!(out, "}}")
}

fn write_edge(out: &mut dyn Write, edge: &Edge, is_directed: bool) -> io::Result<()> {
    let mut attributes = Vec::new();
    match edge.form {
        Form::Link if is_directed => attributes.push("dir=both".to_owned()),
        Form::Channel { link: Some(link) } => attributes.push(format!("link={link}")),
        _ => {}
    }
    if let Some(latency) = edge.timing.latency_ns {
        attributes.push(format!("latency_ns=\"{latency}\""));
    }
    if let Some(bandwidth) = edge.timing.bandwidth_gbytes {
        attributes.push(format!("bandwidth_gbytes=\"{bandwidth}\""));
    }
    let sign = if is_directed { "->" } else { "--" };
    write_with(out, &format!("{} {sign} {}", edge.tail, edge.head), &attributes)
}

fn write_with(out: &mut dyn Write, what: &str, attributes: &[String]) -> io::Result<()> {
    if attributes.is_empty() {
        writeln!(out, "  {what};")
    } else {
        writeln!(out, "  {what} [{}];", attributes.join(", "))
    }
}

/// Quotes a text for a label.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
