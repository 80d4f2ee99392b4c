//! Lower bounds on the number of steps, each with a certificate that can be checked by itself.

mod fields;

use crate::ids::{MessageId, ProcessorId, RouterId};
use crate::list;
use serde::{Deserialize, Serialize};

/// A proved lower bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a bound: an object with steps and reason")]
pub struct Bound {
    /// No schedule has fewer steps.
    pub steps: u32,
    /// The kind of argument: the name of the certificate.
    pub reason: String,
    /// The argument in words, with its numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub explanation: String,
    /// What convinces a checker. A bound without one is a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// What convinces a checker of a bound. All of them speak of the problem read forwards (a gather
/// as its scatter, a reduce as its broadcast, both on the network turned round).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", try_from = "fields::Fields")]
pub enum Certificate {
    /// The holders of one message, each informing as many as its ports allow, cannot be more.
    Growth {
        /// The message.
        message: MessageId,
    },
    /// As growth, but only within a set of routers that the message must first enter.
    CutGrowth {
        /// The message.
        message: MessageId,
        /// The set, without the message's origin.
        routers: Vec<RouterId>,
    },
    /// As cut growth, but within many sets at once, one inside the other: how many must hold the
    /// message in a set so many steps before the end, and how many can after so many steps.
    NestedGrowth {
        /// The message.
        message: MessageId,
        /// The sets, those inside another one before it.
        sets: Vec<NestedSet>,
    },
    /// All messages together: who holds none can pass none on, and a set of routers cannot pass
    /// around inside what has not yet entered it.
    JointGrowth {
        /// The set; all routers if none is listed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        routers: Vec<RouterId>,
    },
    /// The last of several messages of one processor starts to grow only after the others.
    SendGrowth {
        /// The processor.
        processor: ProcessorId,
        /// Only its messages that need at least so many steps from their first send on are
        /// counted.
        growth: u32,
    },
    /// What one processor must take in, over its ports.
    Receive {
        /// The processor.
        processor: ProcessorId,
    },
    /// What one processor must give out, over its ports.
    Send {
        /// The processor.
        processor: ProcessorId,
    },
    /// The hops that all messages need, over the channels there are.
    Distance,
    /// Under store-and-forward, the transfers that all messages need, over the ports there are.
    PortDistance,
    /// Under store-and-forward, the hops from an origin to a destination.
    Eccentricity {
        /// The message.
        message: MessageId,
        /// One of its destinations.
        to: ProcessorId,
    },
    /// Under store-and-forward, what a processor wants from beyond a radius cannot come in before.
    Ball {
        /// The processor that receives.
        processor: ProcessorId,
        /// The radius, in hops.
        radius: u32,
    },
    /// Under store-and-forward, what a processor sends beyond a radius must leave before.
    SendBall {
        /// The processor that sends.
        processor: ProcessorId,
        /// The radius, in hops.
        radius: u32,
    },
    /// The messages that must leave a set of routers, over the channels that leave it.
    Cut {
        /// The set.
        routers: Vec<RouterId>,
    },
    /// What goes from one part of the network to another has to be passed on by a router that joins them.
    Relay {
        /// The router.
        router: RouterId,
    },
    /// The messages into a set of routers enter one after the other, none before it can have come to the border,
    /// and the last must still be spread inside.
    CutQueue {
        /// The set.
        routers: Vec<RouterId>,
    },
    /// Under store-and-forward, what a set of processors must take in, over the most that it can
    /// take in within one step.
    IndependentSet {
        /// The set.
        processors: Vec<ProcessorId>,
    },
    /// The least possible load of the busiest channel: every message pays at least its cheapest
    /// path, and a step can pay no more than all prices together.
    Congestion {
        /// A price for every channel, in the order of their numbers.
        prices: Vec<u64>,
    },
    /// As congestion, under store-and-forward, where every hop also takes a port to send and one
    /// to receive.
    PortCongestion {
        /// A price for every channel, in the order of their numbers.
        channels: Vec<u64>,
        /// A price for sending, for every router: what one send port of a processor there costs.
        sends: Vec<u64>,
        /// A price for receiving, for every router.
        receives: Vec<u64>,
    },
    /// So many steps are too few: the formula that says otherwise has no model.
    Exact {
        /// The steps.
        steps: u32,
        /// Which formula: the number of the encoding.
        encoding: u32,
        /// The file with the proof, in LRAT, beside the schedule file.
        proof: String,
    },
}

/// A set of routers among others that are apart from it, inside it, or around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NestedSet {
    /// Its routers that are in none of the sets inside it.
    #[serde(deserialize_with = "list::bounded")]
    pub routers: Vec<RouterId>,
    /// The smallest set around it, by its place in the list; none if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
}

/// The kinds of certificates, as they are called in a schedule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the kind of the certificate of the same name")]
pub enum CertificateKind {
    Growth,
    CutGrowth,
    NestedGrowth,
    JointGrowth,
    SendGrowth,
    Receive,
    Send,
    Distance,
    PortDistance,
    Eccentricity,
    Ball,
    SendBall,
    Cut,
    CutQueue,
    Relay,
    IndependentSet,
    Congestion,
    PortCongestion,
    Exact,
}

impl CertificateKind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Growth,
        Self::CutGrowth,
        Self::NestedGrowth,
        Self::JointGrowth,
        Self::SendGrowth,
        Self::Receive,
        Self::Send,
        Self::Distance,
        Self::PortDistance,
        Self::Eccentricity,
        Self::Ball,
        Self::SendBall,
        Self::Cut,
        Self::CutQueue,
        Self::Relay,
        Self::IndependentSet,
        Self::Congestion,
        Self::PortCongestion,
        Self::Exact,
    ];

    /// The name in a schedule file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Growth => "growth",
            Self::CutGrowth => "cut-growth",
            Self::NestedGrowth => "nested-growth",
            Self::JointGrowth => "joint-growth",
            Self::SendGrowth => "send-growth",
            Self::Receive => "receive",
            Self::Send => "send",
            Self::Distance => "distance",
            Self::PortDistance => "port-distance",
            Self::Eccentricity => "eccentricity",
            Self::Ball => "ball",
            Self::SendBall => "send-ball",
            Self::Cut => "cut",
            Self::CutQueue => "cut-queue",
            Self::Relay => "relay",
            Self::IndependentSet => "independent-set",
            Self::Congestion => "congestion",
            Self::PortCongestion => "port-congestion",
            Self::Exact => "exact",
        }
    }
}

impl Certificate {
    /// The kind of argument.
    pub fn kind(&self) -> CertificateKind {
        match self {
            Self::Growth { .. } => CertificateKind::Growth,
            Self::CutGrowth { .. } => CertificateKind::CutGrowth,
            Self::NestedGrowth { .. } => CertificateKind::NestedGrowth,
            Self::JointGrowth { .. } => CertificateKind::JointGrowth,
            Self::SendGrowth { .. } => CertificateKind::SendGrowth,
            Self::Receive { .. } => CertificateKind::Receive,
            Self::Send { .. } => CertificateKind::Send,
            Self::Distance => CertificateKind::Distance,
            Self::PortDistance => CertificateKind::PortDistance,
            Self::Eccentricity { .. } => CertificateKind::Eccentricity,
            Self::Ball { .. } => CertificateKind::Ball,
            Self::SendBall { .. } => CertificateKind::SendBall,
            Self::Cut { .. } => CertificateKind::Cut,
            Self::CutQueue { .. } => CertificateKind::CutQueue,
            Self::Relay { .. } => CertificateKind::Relay,
            Self::IndependentSet { .. } => CertificateKind::IndependentSet,
            Self::Congestion { .. } => CertificateKind::Congestion,
            Self::PortCongestion { .. } => CertificateKind::PortCongestion,
            Self::Exact { .. } => CertificateKind::Exact,
        }
    }

    /// The name of the kind, as it stands in a schedule file.
    pub fn reason(&self) -> &'static str {
        self.kind().name()
    }
}
