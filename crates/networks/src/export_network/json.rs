//! The pavane JSON format: the links that come before all other channels of the network, then
//! channels.

use crate::description::{Description, Edge, Form};
use crate::import::own::FORMAT;
use pavane_model::network::{Network, Timing};
use serde::Serialize;
use std::io::{self, Write};

pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let description = Description::of(network);
    write!(out, "{{\n  \"format\": {FORMAT:?}")?;
    field(out, "name", &description.name)?;
    if description.names.is_empty() {
        field(out, "routers", &description.routers)?
    } else {
        field(out, "routers", &description.names)?
    }
    let is_link = |edge: &&Edge| edge.form == Form::Link;
    let links = description.edges.iter().take_while(is_link).count();
    let (links, others) = description.edges.split_at(links);
    field(out, "links", &links.iter().map(|edge| written(edge, None)).collect::<Vec<_>>())?;
    let mut channels = Vec::new();
    let mut number = 2 * links.len() as u32;
    for edge in others {
        match edge.form {
            Form::Channel { link } => channels.push(written(edge, link)),
            // Written as two channels with a link number, which keeps the channel order.
            Form::Link => {
                let back = Edge { tail: edge.head, head: edge.tail, ..*edge };
                channels.extend([written(edge, Some(number)), written(&back, Some(number))]);
            }
        }
        number += edge.form.channels();
    }
    field(out, "channels", &channels)?;
    let is_each = description.homes.iter().copied().eq((0..description.routers).map(Some));
    if is_each {
        field(out, "processors", "each")?
    } else {
        field(out, "processors", &description.homes)?
    }
    if !description.lost.is_empty() {
        field(out, "lost_routers", &description.lost)?;
    }
    if !description.faults.is_empty() {
        field(out, "faults", &description.faults)?;
    }
    if !description.positions.is_empty() {
        field(out, "positions", &description.positions)?;
    }
    if !description.multicast.is_empty() {
        field(out, "multicast", &description.multicast)?;
    }
    writeln!(out, "\n}}")
}

fn field(out: &mut dyn Write, name: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    write!(out, ",\n  \"{name}\": ")?;
    Ok(serde_json::to_writer(out, value)?)
}

#[derive(Serialize)]
#[serde(untagged)]
enum Written {
    Pair(u32, u32),
    Full {
        from: u32,
        to: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ns: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bandwidth_gbytes: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        link: Option<u32>,
    },
}

fn written(edge: &Edge, link: Option<u32>) -> Written {
    let Edge { tail: from, head: to, timing, .. } = *edge;
    if timing == Timing::default() && link.is_none() {
        return Written::Pair(from, to);
    }
    let Timing { latency_ns, bandwidth_gbytes } = timing;
    Written::Full { from, to, latency_ns, bandwidth_gbytes, link }
}
