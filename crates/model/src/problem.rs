//! A problem: a network, a collective on it, and the rules under which a schedule is valid.

use crate::collective::{Chunks, Collective, Kind, Messages};
use crate::ids::{MessageId, ProcessorId, RouterId};
use crate::network::Network;
use crate::reachable::{self, Obstacle};
use crate::rules::{Duplex, Model, Ports, Switching};
use crate::words;
use std::fmt;

/// The default limit on the number of deliveries.
pub const DELIVERIES: u64 = 50_000_000;

/// Why a network, a collective and rules do not form a valid problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// Store-and-forward on a network with switches, which cannot store messages.
    #[error(
        "store-and-forward needs a processor on every router, but router {router} of {network} is \
         a switch; use wormhole switching, which crosses switches without storing messages"
    )]
    SwitchCannotStore {
        /// The network.
        network: String,
        /// A switch.
        router: String,
    },
    /// A processor that does not exist or is lost.
    #[error(
        "{network} has no processor {processor} ({})",
        if *.is_lost { "lost to a fault".to_owned() } else { format!("valid: 0 to {last}") }
    )]
    NoSuchProcessor {
        /// The processor.
        processor: ProcessorId,
        /// The network.
        network: String,
        /// The highest processor number.
        last: usize,
        /// Whether it was lost to a fault.
        is_lost: bool,
    },
    /// No senders, no receivers, or no messages.
    #[error("{collective}: {what}")]
    Nothing {
        /// The collective.
        collective: String,
        /// What is missing.
        what: String,
    },
    /// A processor listed twice.
    #[error("{collective}: {what} lists processor {processor} twice")]
    Twice {
        /// The collective.
        collective: String,
        /// The group or message that lists it.
        what: String,
        /// The processor.
        processor: ProcessorId,
    },
    /// A receiver that its sender cannot reach.
    #[error(
        "processor {from} cannot reach processor {to} in {}{}; leave one of them out of the \
         senders or receivers{}",
        words::excerpt(.network),
        if *.has_faults { " with these faults" } else { "" },
        if *.has_faults { ", or remove a fault" } else { "" }
    )]
    Unreachable {
        /// The sender.
        from: ProcessorId,
        /// The receiver.
        to: ProcessorId,
        /// The network.
        network: String,
        /// Whether the network has faults.
        has_faults: bool,
    },
    /// The network is not strongly connected and has so many origins that checking reachability
    /// takes too long.
    #[error(
        "{network} is not strongly connected, and searching {channels} channels from each of \
         {searches} origins takes too long; use fewer senders"
    )]
    TooManySearches {
        /// The network.
        network: String,
        /// The number of origins to search from.
        searches: u64,
        /// The number of channels of the network.
        channels: usize,
    },
    /// More deliveries than the limit.
    #[error(
        "{collective} on {network} has {messages} messages and {deliveries} deliveries; at \
         most {limit} are allowed"
    )]
    TooLarge {
        /// The collective.
        collective: String,
        /// The network.
        network: String,
        /// The number of messages.
        messages: u64,
        /// The number of deliveries.
        deliveries: u64,
        /// The limit.
        limit: u64,
    },
    /// Zero ports.
    #[error("0 ports: a processor needs at least one; try 1 or all")]
    NoPorts,
}

/// The label of a message in a schedule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// `[origin]` in a broadcast, `[root]` in a reduce, `[index]` in a list.
    One(u32),
    /// `[origin, destination]` in a scatter, `[contributor, root]` in a gather.
    Two(u32, u32),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(a) => write!(f, "[{a}]"),
            Self::Two(a, b) => write!(f, "[{a}, {b}]"),
        }
    }
}

/// A network, a collective on it, and the rules. Every receiver can be reached from its sender.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::{Model, NetworkBuilder, Ports, Problem, Switching};
///
/// let mut builder = NetworkBuilder::new("ring", 4);
/// builder.link(0, 1).link(1, 2).link(2, 3).link(3, 0).processor_on_each_router();
/// let ring = builder.build()?;
/// let gather = collective::build("gather", &ring, &Groups::default())?;
/// let rules = Model {
///     switching: Switching::StoreAndForward,
///     ports: Ports::Limited(1),
///     ..Model::default()
/// };
/// let problem = Problem::new(ring, gather[0].clone(), rules)?;
/// assert_eq!(problem.messages().len(), 3);
/// assert!(problem.is_backward());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    network: Network,
    collective: Collective,
    model: Model,
    messages: Messages,
}

impl Problem {
    /// Checks and builds a problem with the default limit on deliveries.
    pub fn new(
        network: Network,
        collective: Collective,
        model: Model,
    ) -> Result<Self, ProblemError> {
        Self::with_limit(network, collective, model, DELIVERIES)
    }

    /// Checks and builds a problem: all processors must exist, and every receiver must be reachable
    /// from its sender.
    pub fn with_limit(
        network: Network,
        collective: Collective,
        model: Model,
        limit: u64,
    ) -> Result<Self, ProblemError> {
        check_model(&network, model)?;
        check_groups(&network, &collective)?;
        Self::check_size(&network, &collective, 1, limit)?;
        if collective.size().deliveries == 0 {
            let what = "no processor has a message for another processor".to_owned();
            return Err(ProblemError::Nothing { collective: collective.name.clone(), what });
        }
        // A gather or reduce has the messages of its reversed collective.
        let messages = if collective.is_backward() {
            collective.turned_round().messages()
        } else {
            collective.messages()
        };
        let problem = Self { network, collective, model, messages };
        problem.check_reachable()?;
        Ok(problem)
    }

    /// Refuses a collective that exceeds a limit on deliveries when each message is cut into `chunks`
    /// chunks.
    pub fn check_size(
        network: &Network,
        collective: &Collective,
        chunks: u32,
        limit: u64,
    ) -> Result<(), ProblemError> {
        let size = collective.size();
        let [messages, deliveries] =
            [size.messages, size.deliveries].map(|count| count.saturating_mul(u64::from(chunks)));
        if deliveries.max(messages) > limit.min(u64::from(u32::MAX)) {
            return Err(ProblemError::TooLarge {
                collective: collective.name.clone(),
                network: network.name().to_owned(),
                messages,
                deliveries,
                limit,
            });
        }
        Ok(())
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Whether `network` equals the network of this problem as far as the rules are concerned, so
    /// that schedules and bounds of this problem hold on `network`. The pairing of channels into
    /// links matters only under half duplex.
    pub fn is_on(&self, network: &Network) -> bool {
        match self.model.duplex {
            Duplex::Half => self.network.is_same_as(network),
            Duplex::Full => self.network.has_same_channels_as(network),
        }
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        &self.collective
    }

    /// The rules.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The messages; for gather and reduce, those of the reversed collective (scatter or
    /// broadcast).
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Whether it runs backwards in time: a gather or a reduce.
    pub fn is_backward(&self) -> bool {
        self.collective.is_backward()
    }

    /// Turns a gather or reduce into the equivalent scatter or broadcast on the reversed network.
    /// Message numbers stay the same. Engines and bounds only handle forward problems.
    pub fn forward(&self) -> Self {
        if self.is_backward() {
            Self {
                network: self.network.reversed(),
                collective: self.collective.turned_round(),
                model: self.model,
                messages: self.messages.clone(),
            }
        } else {
            self.clone()
        }
    }

    /// The same problem under other rules.
    pub fn under(&self, model: Model) -> Result<Self, ProblemError> {
        check_model(&self.network, model)?;
        Ok(Self { model, ..self.clone() })
    }

    /// The router that hosts a processor of this problem.
    pub fn home(&self, processor: ProcessorId) -> RouterId {
        self.network.home(processor).expect("a problem's processors were checked to be alive")
    }

    /// The number of transfers that a processor may send in one step.
    pub fn send_ports(&self, processor: ProcessorId) -> u32 {
        match self.model.ports {
            Ports::Limited(ports) => ports,
            Ports::All => self.network.out_channels(self.home(processor)).len() as u32,
        }
    }

    /// The number of transfers that a processor may receive in one step.
    pub fn receive_ports(&self, processor: ProcessorId) -> u32 {
        match self.model.ports {
            Ports::Limited(ports) => ports,
            Ports::All => self.network.in_channels(self.home(processor)).len() as u32,
        }
    }

    /// The label of a message in a schedule file.
    pub fn label(&self, message: MessageId) -> Label {
        let origin = self.messages.origin(message).0;
        match self.collective.kind {
            Kind::Broadcast | Kind::Reduce => Label::One(origin),
            Kind::Scatter => Label::Two(origin, self.messages.destinations(message)[0].0),
            Kind::Gather => Label::Two(self.messages.destinations(message)[0].0, origin),
            Kind::Messages => Label::One(message.0),
        }
    }

    /// The label of the message that a chunk is part of, and the number of the chunk, from 0. For a
    /// whole message, its own label and no number.
    pub fn chunk_label(&self, message: MessageId) -> (Label, Option<u32>) {
        let Some(Chunks { count, of }) = self.collective.chunks else {
            return (self.label(message), None);
        };
        let origin = self.messages.origin(message).0;
        let whole = match of {
            Kind::Broadcast | Kind::Reduce => Label::One(origin),
            Kind::Scatter | Kind::Gather => {
                Label::Two(origin, self.messages.destinations(message)[0].0)
            }
            Kind::Messages => Label::One(message.0 / count),
        };
        (whole, Some(message.0 % count))
    }

    fn check_reachable(&self) -> Result<(), ProblemError> {
        let unreachable = |from: ProcessorId, to: ProcessorId| {
            // In a backward problem, the origin of a message is its receiver.
            let (from, to) = if self.is_backward() { (to, from) } else { (from, to) };
            let network = self.network.name().to_owned();
            let has_faults = !self.network.faults().is_empty();
            Err(ProblemError::Unreachable { from, to, network, has_faults })
        };
        let checked = if self.is_backward() {
            reachable::check(&self.network.reversed(), &self.messages)
        } else {
            reachable::check(&self.network, &self.messages)
        };
        match checked {
            Ok(()) => self.check_ports(unreachable),
            Err(Obstacle::NoWay(from, to)) => unreachable(from, to),
            Err(Obstacle::TooManySearches(searches)) => Err(ProblemError::TooManySearches {
                network: self.network.name().to_owned(),
                searches,
                channels: self.network.channel_count(),
            }),
        }
    }

    /// Refuses messages between processors of a router without channels, because all-port
    /// processors have no ports there.
    fn check_ports(
        &self,
        unreachable: impl Fn(ProcessorId, ProcessorId) -> Result<(), ProblemError>,
    ) -> Result<(), ProblemError> {
        if self.model.ports != Ports::All {
            return Ok(());
        }
        for message in self.messages.ids() {
            let origin = self.messages.origin(message);
            let home = self.home(origin);
            let stuck = self.network.out_channels(home).is_empty()
                || self.network.in_channels(home).is_empty();
            for &to in self.messages.destinations(message) {
                if stuck && self.home(to) == home {
                    return unreachable(origin, to);
                }
                if !stuck {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Refuses rules that cannot apply on a network.
fn check_model(network: &Network, model: Model) -> Result<(), ProblemError> {
    if model.ports == Ports::Limited(0) {
        return Err(ProblemError::NoPorts);
    }
    if model.switching == Switching::StoreAndForward
        && let Some(switch) = network.first_switch()
    {
        let router = network.router_name(switch);
        let network = network.name().to_owned();
        return Err(ProblemError::SwitchCannotStore { network, router });
    }
    Ok(())
}

fn check_groups(network: &Network, collective: &Collective) -> Result<(), ProblemError> {
    let nothing = |what: &str| {
        let what = what.to_owned();
        Err(ProblemError::Nothing { collective: collective.name.clone(), what })
    };
    let check_all = |what: &str, group: &[ProcessorId]| {
        let mut sorted = group.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let collective = collective.name.clone();
            return Err(ProblemError::Twice { collective, what: what.into(), processor: pair[0] });
        }
        match sorted.iter().find(|&&p| network.home(p).is_none()) {
            None => Ok(()),
            Some(&processor) => Err(ProblemError::NoSuchProcessor {
                processor,
                network: network.name().to_owned(),
                last: network.processor_count() - 1,
                is_lost: processor.index() < network.processor_count(),
            }),
        }
    };
    if collective.kind == Kind::Messages {
        if collective.list.is_empty() {
            return nothing("the list of messages is empty");
        }
        for (index, message) in collective.list.iter().enumerate() {
            check_all("the origin", &[message.from])?;
            check_all(&format!("message {index}"), &message.to)?;
            if message.to.is_empty() {
                return nothing(&format!("message {index} has no destination"));
            }
            if message.to.contains(&message.from) {
                return nothing(&format!("message {index} goes to its own origin"));
            }
        }
        let whole = collective.whole_kind();
        return if whole == Kind::Messages {
            Ok(())
        } else {
            check_groups(network, &collective.whole())
        };
    }
    if collective.senders.is_empty() {
        return nothing("the group of senders is empty");
    }
    if collective.receivers.is_empty() {
        return nothing("the group of receivers is empty");
    }
    check_all("the group of senders", &collective.senders)?;
    check_all("the group of receivers", &collective.receivers)
}
