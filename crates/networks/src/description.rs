//! The description of a network in a file: the intermediate form between readers, writers and
//! [`NetworkBuilder`].

use pavane_model::network::{Network, NetworkBuilder, NetworkError, Position, Timing};
use pavane_model::words::counted;
use pavane_model::{ChannelId, ProcessorId, RouterId};
use rustc_hash::FxHashMap;

/// Why a description is not a valid network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// Routers, channels or processors do not fit together.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A link number that does not belong to exactly two opposite channels.
    #[error("link {link} has {found}; a link has two opposite channels")]
    NoLink {
        /// The link number.
        link: u32,
        /// The channels that have this number, in words.
        found: String,
    },
    /// A lost router that does not exist.
    #[error("there is no router {router} that could be lost (valid: 0 to {last})")]
    NoSuchRouter {
        /// The router.
        router: u32,
        /// The highest router number.
        last: u32,
    },
}

/// One edge of a description.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    pub tail: u32,
    pub head: u32,
    pub form: Form,
    pub timing: Timing,
}

/// The kind of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Two opposite channels with consecutive numbers.
    Link,
    /// One channel. Its opposite is the channel with the same link number, if any.
    Channel { link: Option<u32> },
}

/// A network, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Description {
    pub name: String,
    pub routers: u32,
    /// One per router, or empty.
    pub names: Vec<String>,
    pub edges: Vec<Edge>,
    /// The home of every processor; `None` for a lost one.
    pub homes: Vec<Option<u32>>,
    pub lost: Vec<u32>,
    pub faults: Vec<String>,
    /// One per router, or empty.
    pub positions: Vec<Position>,
    /// The switches that copy.
    pub multicast: Vec<u32>,
}

impl Description {
    /// The description of a network. A link becomes one edge if its channels have consecutive
    /// numbers and the same timing.
    pub fn of(network: &Network) -> Self {
        let mut edges = Vec::new();
        let mut next = 0;
        while next < network.channel_count() as u32 {
            let id = ChannelId(next);
            let (channel, timing) = (network.channel(id), network.timing(id));
            let opposite = network.opposite(id);
            let follows =
                |other: &ChannelId| other.0 == next + 1 && network.timing(*other) == timing;
            let form = match opposite {
                Some(other) if follows(&other) => Form::Link,
                Some(other) => Form::Channel { link: Some(other.0.min(next)) },
                None => Form::Channel { link: None },
            };
            edges.push(Edge { tail: channel.tail.0, head: channel.head.0, form, timing });
            next += form.channels();
        }
        let routers = network.routers();
        let names = if network.has_router_names() {
            routers.clone().map(|router| network.router_name(router)).collect()
        } else {
            Vec::new()
        };
        let home = |p| network.home(ProcessorId(p)).map(|router| router.0);
        Self {
            name: network.name().to_owned(),
            routers: network.router_count() as u32,
            names,
            edges,
            homes: (0..network.processor_count() as u32).map(home).collect(),
            lost: routers
                .filter(|&router| network.is_lost(router))
                .map(|router| router.0)
                .collect(),
            faults: network.faults().to_vec(),
            positions: network.positions().to_vec(),
            multicast: network.multicast().iter().map(|router| router.0).collect(),
        }
    }

    /// Whether processors are numbered in router order and none was lost, so that the number of
    /// processors per router describes them completely.
    pub fn is_counted(&self) -> bool {
        self.homes.iter().all(Option::is_some) && self.homes.is_sorted()
    }

    /// The number of processors on each router.
    pub fn processor_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.routers as usize];
        for &home in self.homes.iter().flatten() {
            counts[home as usize] += 1;
        }
        counts
    }

    /// The homes of the processors as graph formats write them: router numbers, and `-` for a lost
    /// processor.
    pub fn homes_text(&self) -> String {
        let word = |home: &Option<u32>| home.map_or("-".to_owned(), |router| router.to_string());
        self.homes.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Builds the network.
    pub fn build(self) -> Result<Network, DescriptionError> {
        let mut builder = NetworkBuilder::new(self.name, self.routers);
        for edge in &self.edges {
            match edge.form {
                Form::Link => builder.link(edge.tail, edge.head),
                Form::Channel { .. } => builder.channel(edge.tail, edge.head),
            };
            if edge.timing != Timing::default() {
                builder.timing(edge.timing);
            }
        }
        join_links(&mut builder, &self.edges)?;
        for home in self.homes {
            builder.processor(home);
        }
        builder.router_names(self.names);
        builder.faults(self.faults);
        builder.positions(self.positions);
        builder.multicast(self.multicast);
        let network = builder.build()?;
        if self.lost.is_empty() {
            return Ok(network);
        }
        let last = self.routers - 1;
        if let Some(&router) = self.lost.iter().find(|&&router| router > last) {
            return Err(DescriptionError::NoSuchRouter { router, last });
        }
        let lost: Vec<RouterId> = self.lost.into_iter().map(RouterId).collect();
        Ok(network.without_parts(&[], &lost, Vec::new())?)
    }
}

impl Form {
    /// The number of channels.
    pub fn channels(self) -> u32 {
        match self {
            Self::Link => 2,
            Self::Channel { .. } => 1,
        }
    }
}

/// Pairs the channels that share a link number.
fn join_links(builder: &mut NetworkBuilder, edges: &[Edge]) -> Result<(), DescriptionError> {
    let numbered = || {
        let starts = edges.iter().scan(0, |next, edge| {
            let number = ChannelId(*next);
            *next += edge.form.channels();
            Some((number, edge))
        });
        starts.filter_map(|(number, edge)| match edge.form {
            Form::Channel { link: Some(link) } => Some((link, number, edge)),
            _ => None,
        })
    };
    let mut members: FxHashMap<u32, Vec<(ChannelId, &Edge)>> = FxHashMap::default();
    for (link, number, edge) in numbered() {
        members.entry(link).or_default().push((number, edge));
    }
    for (link, _, _) in numbered() {
        match members[&link][..] {
            [(one, there), (other, back)] if there.tail == back.head && there.head == back.tail => {
                builder.join(one, other);
            }
            [_, _] => {
                let found = "two channels that are not opposite".to_owned();
                return Err(DescriptionError::NoLink { link, found });
            }
            ref others => {
                let found = counted(others.len(), "channel");
                return Err(DescriptionError::NoLink { link, found });
            }
        }
    }
    Ok(())
}
