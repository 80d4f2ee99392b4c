//! A hop of a message.

/// A hop from one processor to another, over a channel or within a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct HopEdge {
    pub from: u32,
    pub to: u32,
    pub channel: u32,
}
