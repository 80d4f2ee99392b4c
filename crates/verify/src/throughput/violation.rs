//! Ways in which a throughput plan is wrong.

use pavane_model::problem::Label;
use pavane_model::{ChannelId, Fraction, ProcessorId, RouterId};
use std::fmt;

/// The rules of throughput plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanRule {
    /// Messages, channels and sizes exist.
    Names,
    /// The weights of a message add up to scale times its size.
    Weights,
    /// A tree goes outwards: a router sends only what has arrived there.
    Order,
    /// A tree enters the router of every receiver exactly once, and goes nowhere for nothing.
    Delivery,
    /// A switch that does not copy uses one outgoing channel per incoming one.
    Switches,
    /// A path leads from its sender to its receiver and visits no router twice.
    Paths,
    /// The plan takes the time that it claims.
    Time,
}

impl fmt::Display for PlanRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Names => "names",
            Self::Weights => "weights",
            Self::Order => "order",
            Self::Delivery => "delivery",
            Self::Switches => "switches",
            Self::Paths => "paths",
            Self::Time => "time",
        })
    }
}

/// A tree or path by its place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteName {
    /// The phase, if there are several.
    pub phase: Option<usize>,
    /// Whether it is a path.
    pub is_path: bool,
    /// Its index in the list of the phase.
    pub index: usize,
    /// The label of its message, if there is such a message.
    pub label: Option<Label>,
}

impl fmt::Display for RouteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(phase) = self.phase {
            write!(f, "phase {phase}, ")?;
        }
        write!(f, "{} {}", if self.is_path { "path" } else { "tree" }, self.index)?;
        match self.label {
            Some(label) => write!(f, " of message {label}"),
            None => Ok(()),
        }
    }
}

/// One way in which a plan is wrong. Tails, heads and order are those of the file; in a reduce or
/// gather the data travels towards the root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanViolation {
    /// A message number that the problem does not have.
    #[error("{route}: there is no such message")]
    NoSuchMessage {
        /// The tree or path.
        route: RouteName,
    },
    /// A channel that the network does not have.
    #[error("{route}: there is no channel {channel}")]
    NoSuchChannel {
        /// The tree or path.
        route: RouteName,
        /// The channel.
        channel: ChannelId,
    },
    /// Not one size per message.
    #[error("there are {sizes} sizes for {messages} messages")]
    Sizes {
        /// Number of sizes.
        sizes: usize,
        /// Number of messages.
        messages: usize,
    },
    /// A tree or path without weight.
    #[error("{route}: its weight is 0")]
    NoWeight {
        /// The tree or path.
        route: RouteName,
    },
    /// The weights of a message do not add up.
    #[error("the weights of message {label}{} add up to {sum}, not to {expected}", in_phase(.phase))]
    Sum {
        /// The phase, if there are several.
        phase: Option<usize>,
        /// The message.
        label: Label,
        /// The sum of the weights.
        sum: u128,
        /// Scale times size.
        expected: u128,
    },
    /// A channel whose tail does not have the data.
    #[error(
        "{route}: router {router} has nothing for channel {channel} (entry {entry} of its channels); \
         list channels in the order of travel"
    )]
    NotThere {
        /// The tree.
        route: RouteName,
        /// The router.
        router: RouterId,
        /// The channel.
        channel: ChannelId,
        /// Its index in the list of channels.
        entry: usize,
    },
    /// A switch that would have to copy.
    #[error(
        "{route}: switch {router} does not {}, but it would have to for channel {channel} (entry \
         {entry} of its channels)",
        if *.is_backward { "add" } else { "copy" }
    )]
    Copies {
        /// The tree.
        route: RouteName,
        /// The switch.
        router: RouterId,
        /// The channel.
        channel: ChannelId,
        /// Its index in the list of channels.
        entry: usize,
        /// Whether the data travels towards the root.
        is_backward: bool,
    },
    /// A switch whose numbers of incoming and outgoing channels differ.
    #[error("{route}: switch {router} is entered {entered} times and left {left} times")]
    Unbalanced {
        /// The tree.
        route: RouteName,
        /// The switch.
        router: RouterId,
        /// Number of channels of the tree that enter it.
        entered: u64,
        /// Number of channels of the tree that leave it.
        left: u64,
    },
    /// The origin (in a reduce: the root) gets its own message.
    #[error(
        "{route}: channel {channel} {} its own router {router}",
        if *.is_backward { "leaves the root from" } else { "brings the message back to" }
    )]
    BackHome {
        /// The tree.
        route: RouteName,
        /// The router.
        router: RouterId,
        /// The channel.
        channel: ChannelId,
        /// Whether the data travels towards the root.
        is_backward: bool,
    },
    /// A router gets (in a reduce: gives) the same data again.
    #[error(
        "{route}: router {router} is {} again by channel {channel}",
        if *.is_backward { "left" } else { "entered" }
    )]
    Twice {
        /// The tree.
        route: RouteName,
        /// The router.
        router: RouterId,
        /// The channel.
        channel: ChannelId,
        /// Whether the data travels towards the root.
        is_backward: bool,
    },
    /// Receivers (in a reduce: contributors) that a tree does not reach.
    #[error(
        "{route}: it does not {} processor {processor}{}",
        if *.is_backward { "collect from" } else { "reach" },
        match .routers { 1 => String::new(), n => format!(" (and the receivers of {} more routers)", n - 1) }
    )]
    Missing {
        /// The tree.
        route: RouteName,
        /// One of them.
        processor: ProcessorId,
        /// Number of routers with such processors.
        routers: u64,
        /// Whether the data travels towards the root.
        is_backward: bool,
    },
    /// A router that gets the data, does not want it and does not pass it on.
    #[error(
        "{route}: router {router} {}",
        if *.is_backward { "contributes nothing but is left" } else { "neither wants the message nor passes it on" }
    )]
    Useless {
        /// The tree.
        route: RouteName,
        /// The router.
        router: RouterId,
        /// Whether the data travels towards the root.
        is_backward: bool,
    },
    /// A path with a gap, or that starts elsewhere.
    #[error(
        "{route}: channel {channel} (entry {entry} of its channels) starts at router {tail}, but the \
         path is at router {at}"
    )]
    Gap {
        /// The path.
        route: RouteName,
        /// The channel.
        channel: ChannelId,
        /// Its index in the list of channels.
        entry: usize,
        /// Where the channel starts.
        tail: RouterId,
        /// Where the path is.
        at: RouterId,
    },
    /// A path that ends elsewhere.
    #[error("{route}: it ends at router {at}, not at router {home} of its receiver")]
    EndsElsewhere {
        /// The path.
        route: RouteName,
        /// Where it ends.
        at: RouterId,
        /// The router of the receiver.
        home: RouterId,
    },
    /// A path that visits a router again.
    #[error("{route}: it visits router {router} twice")]
    Loop {
        /// The path.
        route: RouteName,
        /// The router.
        router: RouterId,
    },
    /// The plan takes another time than it claims.
    #[error("the plan claims {claimed} ns per byte, but takes {time}")]
    OtherTime {
        /// The claimed time.
        claimed: Fraction,
        /// The time it takes.
        time: Fraction,
    },
    /// Violations that are counted but not listed.
    #[error("{count} more")]
    More {
        /// The rule.
        rule: PlanRule,
        /// Number of violations.
        count: u64,
    },
}

fn in_phase(phase: &Option<usize>) -> String {
    phase.map_or_else(String::new, |phase| format!(" in phase {phase}"))
}

impl PlanViolation {
    /// The rule that is broken.
    pub fn rule(&self) -> PlanRule {
        match self {
            Self::NoSuchMessage { .. } | Self::NoSuchChannel { .. } | Self::Sizes { .. } => {
                PlanRule::Names
            }
            Self::NoWeight { .. } | Self::Sum { .. } => PlanRule::Weights,
            Self::NotThere { .. } => PlanRule::Order,
            Self::Copies { .. } | Self::Unbalanced { .. } => PlanRule::Switches,
            Self::BackHome { .. }
            | Self::Twice { .. }
            | Self::Missing { .. }
            | Self::Useless { .. } => PlanRule::Delivery,
            Self::Gap { .. } | Self::EndsElsewhere { .. } | Self::Loop { .. } => PlanRule::Paths,
            Self::OtherTime { .. } => PlanRule::Time,
            Self::More { rule, .. } => *rule,
        }
    }

    /// Number of violations that this one represents.
    pub fn count(&self) -> u64 {
        if let Self::More { count, .. } = self { *count } else { 1 }
    }
}
