//! Lower bounds on the number of steps, each with a certificate that can be checked on its own.

mod fields;

use crate::ids::{MessageId, ProcessorId, RouterId};
use crate::list;
use fields::Fields;
use serde::{Deserialize, Serialize};

/// A proved lower bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "bound"))]
#[serde(expecting = "a bound: an object with steps and reason")]
pub struct Bound {
    /// No schedule has fewer steps.
    pub steps: u32,
    /// The kind of argument, which is the name of the certificate.
    pub reason: String,
    /// The argument in words, with its numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub explanation: String,
    /// The certificate. A bound without one is only a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Declares the kinds of certificates: for each, its name in a schedule file, and the variant of
/// [`Certificate`] with its fields. A field with `= default` may be missing in a file. A field whose
/// name no other kind uses needs a line in `Fields`.
macro_rules! certificates {
    ($(
        $(#[$about:meta])*
        $name:literal $kind:ident $({ $(
            $(#[$about_field:meta])*
            $field:ident: $type:ty $(= $default:expr)?,
        )* })?,
    )*) => {
        /// Evidence for a bound that a checker can verify. It refers to the problem read forwards: a
        /// gather as a scatter and a reduce as a broadcast, both on the reversed network.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(!try_from, rename = "Certificate"))]
        #[serde(tag = "kind", rename_all = "kebab-case", try_from = "Fields")]
        pub enum Certificate {
            $( $(#[$about])* $kind $({ $( $(#[$about_field])* $field: $type, )* })?, )*
        }

        /// The kinds of certificates, named as in a schedule file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "each is the kind of the certificate of the same name")]
        pub enum CertificateKind {
            $( $kind, )*
        }

        impl CertificateKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$( Self::$kind, )*];

            /// The name in a schedule file.
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$kind => $name, )*
                }
            }
        }

        impl Certificate {
            /// The kind of argument.
            pub fn kind(&self) -> CertificateKind {
                match self {
                    $( Self::$kind { .. } => CertificateKind::$kind, )*
                }
            }
        }

        impl TryFrom<Fields> for Certificate {
            type Error = String;

            fn try_from(fields: Fields) -> Result<Self, String> {
                Ok(match fields.kind {
                    $( CertificateKind::$kind => Self::$kind $({
                        $( $field: fields::value(fields.$field, stringify!($field), fields.kind, default!($($default)?))?, )*
                    })?, )*
                })
            }
        }
    };
}

/// The default of a field, if it has one.
macro_rules! default {
    () => {
        None
    };
    ($default:expr) => {
        Some($default)
    };
}

certificates! {
    /// In each step a holder of a message informs at most as many processors as it has ports, which
    /// limits the number of holders.
    "growth" Growth {
        /// The message.
        message: MessageId,
    },
    /// As [`Certificate::Growth`], within a set of routers that the message must first enter over
    /// the channels into the set.
    "cut-growth" CutGrowth {
        /// The message.
        message: MessageId,
        /// The set, without the message's origin.
        routers: Vec<RouterId>,
    },
    /// As [`Certificate::CutGrowth`], within many nested sets at once. Backwards from the end it
    /// counts how many processors of a set must hold the message, forwards from the start how many
    /// can.
    "nested-growth" NestedGrowth {
        /// The message.
        message: MessageId,
        /// The sets; a set inside another one comes before it.
        sets: Vec<NestedSet>,
    },
    /// All messages together: a processor that holds no message cannot send, and a set of routers
    /// can pass on inside only the messages that have entered it.
    "joint-growth" JointGrowth {
        /// The set; all routers if none is listed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        routers: Vec<RouterId> = Vec::new(),
    },
    /// A processor sends several messages, and the last of them starts to grow only after the
    /// others have left.
    "send-growth" SendGrowth {
        /// The processor.
        processor: ProcessorId,
        /// Counts only its messages that need at least this many steps from their first send on.
        growth: u32,
    },
    /// Under store-and-forward, a router informs each of its neighbours at most once and never the
    /// one that informed it, which limits the number of informed routers.
    "neighbour-growth" NeighbourGrowth {
        /// The message.
        message: MessageId,
    },
    /// The messages that one processor must receive, divided by its ports.
    "receive" Receive {
        /// The processor.
        processor: ProcessorId,
    },
    /// The messages that one processor must send, divided by its ports.
    "send" Send {
        /// The processor.
        processor: ProcessorId,
    },
    /// The hops that all messages need, divided by the number of channels.
    "distance" Distance,
    /// Under store-and-forward, the transfers that all messages need, divided by the number of
    /// ports.
    "port-distance" PortDistance,
    /// The entries of messages into routers, divided by the channels into them. An entry in one of
    /// the last steps informs only some of several processors of a router.
    "late-entry" LateEntry {
        /// The set of routers; all routers if none is listed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        routers: Vec<RouterId> = Vec::new(),
    },
    /// Under store-and-forward, the hops from an origin to a destination.
    "eccentricity" Eccentricity {
        /// The message.
        message: MessageId,
        /// One of its destinations.
        to: ProcessorId,
    },
    /// Under store-and-forward, messages from beyond a radius cannot reach a processor in the first
    /// `radius` steps; afterwards they arrive over its ports.
    "ball" Ball {
        /// The processor that receives.
        processor: ProcessorId,
        /// The radius, in hops.
        radius: u32,
    },
    /// Under store-and-forward, messages that a processor sends beyond a radius must leave it, over
    /// its ports, before the last `radius` steps.
    "send-ball" SendBall {
        /// The processor that sends.
        processor: ProcessorId,
        /// The radius, in hops.
        radius: u32,
    },
    /// The messages that must leave a set of routers, divided by the channels that leave it.
    "cut" Cut {
        /// The set.
        routers: Vec<RouterId>,
    },
    /// Messages queue at the channels into a set of routers. None enters before it can have reached
    /// the border, and the last one must still be spread inside.
    "cut-queue" CutQueue {
        /// The set.
        routers: Vec<RouterId>,
    },
    /// Under store-and-forward, the processors of a router that alone joins parts of the network
    /// must receive and send on every message that goes from one part to another.
    "relay" Relay {
        /// The router.
        router: RouterId,
    },
    /// Under wormhole switching, the messages that must pass a set of routers, divided by the most
    /// that can enter and leave its routers in one step. A half-duplex link either enters or
    /// leaves.
    "separator" Separator {
        /// The set.
        routers: Vec<RouterId>,
    },
    /// Under store-and-forward, a router sends a message into the parts behind its bridges one
    /// after another, as its ports allow, and every part needs further steps.
    "branches" Branches {
        /// The message.
        message: MessageId,
    },
    /// Under store-and-forward, the messages that a set of processors must receive, divided by the
    /// most that the set can receive in one step.
    "independent-set" IndependentSet {
        /// The set.
        processors: Vec<ProcessorId>,
    },
    /// The least possible load of the busiest channel. With a price for each channel, every message
    /// pays at least the price of its cheapest path, and a step collects at most the sum of all
    /// prices.
    "congestion" Congestion {
        /// The prices of the channels, by channel number.
        prices: Vec<u64>,
    },
    /// As [`Certificate::Congestion`] under store-and-forward, where every hop also uses a send
    /// port and a receive port.
    "port-congestion" PortCongestion {
        /// The prices of the channels, by channel number.
        channels: Vec<u64>,
        /// For each router, the price of one send port of a processor there.
        sends: Vec<u64>,
        /// For each router, the price of one receive port of a processor there.
        receives: Vec<u64>,
    },
    /// This many steps are too few: the formula for a schedule of this length is unsatisfiable.
    "exact" Exact {
        /// The refuted number of steps.
        steps: u32,
        /// The number of the encoding that gives the formula.
        encoding: u32,
        /// The LRAT proof file, next to the schedule file.
        proof: String,
    },
}

/// A set of routers in a family of sets of which any two are disjoint or nested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NestedSet {
    /// Its routers that belong to none of the sets inside it.
    #[serde(deserialize_with = "list::bounded")]
    pub routers: Vec<RouterId>,
    /// The index of the smallest set that contains it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
}

impl Certificate {
    /// The name of the kind in a schedule file.
    pub fn reason(&self) -> &'static str {
        self.kind().name()
    }
}
