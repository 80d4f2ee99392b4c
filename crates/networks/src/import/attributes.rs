//! Attributes of nodes and edges, shared by several file formats.

use crate::description::{Edge, Form};
use pavane_model::network::{Position, Timing};
use pavane_model::words::excerpt;
use std::str::FromStr;

/// The known attributes of a node; others are ignored.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeAttributes {
    processors: Option<u32>,
    is_switch: Option<bool>,
    pub label: Option<String>,
    pub is_lost: bool,
    /// Whether it is a switch that copies.
    pub copies: bool,
    x: Option<f64>,
    y: Option<f64>,
}

impl NodeAttributes {
    /// The attributes of a switch, or of a router with one processor.
    pub fn switch(is_switch: bool) -> Self {
        Self { is_switch: Some(is_switch), ..Self::default() }
    }

    /// Whether an attribute has a meaning here; positions are handled separately.
    pub fn knows(key: &str) -> bool {
        matches!(key, "processors" | "switch" | "type" | "label" | "lost" | "multicast")
    }

    /// Sets one attribute.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "processors" => self.processors = Some(number(key, value)?),
            "switch" => self.is_switch = Some(yes_or_no(key, value)?),
            "type" if value.eq_ignore_ascii_case("switch") => self.is_switch = Some(true),
            "label" => self.label = Some(value.to_owned()),
            "lost" => self.is_lost = yes_or_no(key, value)?,
            "multicast" => self.copies = yes_or_no(key, value)?,
            // Positions only affect drawings, so invalid ones are ignored.
            "x" => self.x = value.trim().parse().ok(),
            "y" => self.y = value.trim().parse().ok(),
            "pos" => {
                let mut numbers = value.split([',', ' ']).filter(|word| !word.is_empty());
                let mut next =
                    || numbers.next().and_then(|word| word.trim_end_matches('!').parse().ok());
                // As in Graphviz, the y axis of `pos` points up.
                (self.x, self.y) = (next(), next().map(|y: f64| -y));
            }
            _ => {}
        }
        Ok(())
    }

    /// The position of the node in drawings, if given.
    pub fn position(&self) -> Option<Position> {
        self.x.zip(self.y)
    }

    /// The number of processors on the node, by default one.
    pub fn processor_count(&self) -> Result<u32, String> {
        match (self.processors, self.is_switch) {
            _ if self.is_lost => Ok(0),
            (Some(count @ 1..), Some(true)) => {
                Err(format!("it is a switch and has processors={count}; give only one of the two"))
            }
            (Some(count), _) => Ok(count),
            (None, Some(true)) => Ok(0),
            (None, _) => Ok(1),
        }
    }
}

/// The known attributes of an edge; others are ignored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EdgeAttributes {
    timing: Timing,
    link: Option<u32>,
    is_both_ways: bool,
}

impl EdgeAttributes {
    /// Whether an attribute has a meaning here.
    pub fn knows(key: &str) -> bool {
        matches!(key, "latency_ns" | "bandwidth_gbytes" | "bandwidth" | "link" | "dir")
    }

    /// Sets one attribute.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "latency_ns" => self.timing.latency_ns = Some(number(key, value)?),
            "bandwidth_gbytes" | "bandwidth" => {
                self.timing.bandwidth_gbytes = Some(number(key, value)?);
            }
            "link" => self.link = Some(number(key, value)?),
            "dir" => self.is_both_ways = value == "both",
            _ => {}
        }
        self.timing.check()
    }

    /// The edge with these attributes. A directed edge is a channel unless it has `dir=both`.
    pub fn edge(self, tail: u32, head: u32, is_directed: bool) -> Edge {
        let form = if is_directed && !self.is_both_ways {
            Form::Channel { link: self.link }
        } else {
            Form::Link
        };
        Edge { tail, head, form, timing: self.timing }
    }
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, String> {
    let value = value.trim();
    value.parse().map_err(|_| format!("{key} is {:?}, not a number in range", excerpt(value)))
}

fn yes_or_no(key: &str, value: &str) -> Result<bool, String> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Ok(true),
        "false" | "no" | "0" | "" => Ok(false),
        other => Err(format!("{key} is {:?}, neither true nor false", excerpt(other))),
    }
}
