//! A line of `Flows`: `Chunk 0 from 14 traveled over 14->13 with volume 0.5 in epoch 3 via switches 0, 17`.

use super::shares;

/// One chunk, or a share of it, travels between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flow {
    /// The number of the chunk.
    pub chunk: u32,
    /// The node where the chunk starts.
    pub origin: u32,
    pub from: u32,
    pub to: u32,
    /// How much of the chunk travels, in [`shares::WHOLE`] parts; `None` if the line does not say.
    pub volume: Option<u64>,
    /// When it is sent.
    pub epoch: u64,
    /// The switches that it passes, in their order.
    pub via: Vec<u32>,
}

impl Flow {
    /// Reads a line; `None` if it has another form.
    pub fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("Chunk ")?;
        let (chunk, rest) = rest.split_once(" from ")?;
        let (origin, rest) = rest.split_once(" traveled over ")?;
        let (rest, via) = match rest.split_once(" via switches ") {
            Some((rest, via)) => (rest, Some(via)),
            None => (rest, None),
        };
        let (rest, epoch) = rest.split_once(" in epoch ")?;
        let (link, volume) = match rest.split_once(" with volume ") {
            Some((link, volume)) => (link, Some(shares::parse(volume)?)),
            None => (rest, None),
        };
        let (from, to) = link.split_once("->")?;
        let nodes = |list: &str| {
            list.split([',', ' ']).filter(|node| !node.is_empty()).map(number).collect()
        };
        Some(Self {
            chunk: number(chunk)?,
            origin: number(origin)?,
            from: number(from)?,
            to: number(to)?,
            volume,
            epoch: epoch.trim().parse().ok()?,
            via: via.map_or(Some(Vec::new()), nodes)?,
        })
    }
}

/// The largest number of a node or chunk.
const LARGEST: u32 = 1 << 20;

fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|&number| number <= LARGEST)
}
