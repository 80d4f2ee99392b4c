//! A network as the algorithms of this crate see it: routers and channels with integer bandwidths.

/// An exact fraction.
pub type Ratio = num_rational::Ratio<u128>;

/// A channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The router that sends.
    pub tail: u32,
    /// The router that receives.
    pub head: u32,
    /// Bandwidth in units of the graph; positive.
    pub bandwidth: u64,
}

/// Routers and channels. Parallel channels are separate; a channel keeps its index everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Number of routers.
    pub routers: u32,
    /// Channels.
    pub links: Vec<Link>,
}

impl Graph {
    /// The graph with every channel turned around; channels keep their indices.
    ///
    /// A reduction is a broadcast on the reversed graph.
    pub fn reversed(&self) -> Graph {
        let turn = |link: &Link| Link { tail: link.head, head: link.tail, ..*link };
        Graph { routers: self.routers, links: self.links.iter().map(turn).collect() }
    }
}
