//! The written form of a certificate: one struct with the fields of all kinds. A derived reader for
//! a tagged enum would first buffer every value in a tree, which takes 16 times the memory of a
//! list of numbers.

use super::{Certificate, CertificateKind, NestedSet};
use crate::ids::{MessageId, ProcessorId, RouterId};
use crate::list;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(expecting = "a certificate: an object with a kind")]
pub(super) struct Fields {
    kind: CertificateKind,
    message: Option<MessageId>,
    #[serde(default, deserialize_with = "list::optional")]
    routers: Option<Vec<RouterId>>,
    #[serde(default, deserialize_with = "list::optional")]
    sets: Option<Vec<NestedSet>>,
    processor: Option<ProcessorId>,
    growth: Option<u32>,
    to: Option<ProcessorId>,
    radius: Option<u32>,
    router: Option<RouterId>,
    #[serde(default, deserialize_with = "list::optional")]
    processors: Option<Vec<ProcessorId>>,
    #[serde(default, deserialize_with = "list::optional")]
    prices: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    channels: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    sends: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    receives: Option<Vec<u64>>,
    steps: Option<u32>,
    encoding: Option<u32>,
    proof: Option<String>,
}

impl TryFrom<Fields> for Certificate {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let kind = fields.kind;
        let name = kind.name();
        let message = || needed(fields.message, "message", name);
        let processor = || needed(fields.processor, "processor", name);
        let radius = || needed(fields.radius, "radius", name);
        Ok(match kind {
            CertificateKind::Growth => Self::Growth { message: message()? },
            CertificateKind::CutGrowth => Self::CutGrowth {
                message: message()?,
                routers: needed(fields.routers, "routers", name)?,
            },
            CertificateKind::NestedGrowth => {
                Self::NestedGrowth { message: message()?, sets: needed(fields.sets, "sets", name)? }
            }
            CertificateKind::JointGrowth => {
                Self::JointGrowth { routers: fields.routers.unwrap_or_default() }
            }
            CertificateKind::SendGrowth => Self::SendGrowth {
                processor: processor()?,
                growth: needed(fields.growth, "growth", name)?,
            },
            CertificateKind::Receive => Self::Receive { processor: processor()? },
            CertificateKind::Send => Self::Send { processor: processor()? },
            CertificateKind::Distance => Self::Distance,
            CertificateKind::PortDistance => Self::PortDistance,
            CertificateKind::Eccentricity => {
                Self::Eccentricity { message: message()?, to: needed(fields.to, "to", name)? }
            }
            CertificateKind::Ball => Self::Ball { processor: processor()?, radius: radius()? },
            CertificateKind::SendBall => {
                Self::SendBall { processor: processor()?, radius: radius()? }
            }
            CertificateKind::Cut => Self::Cut { routers: needed(fields.routers, "routers", name)? },
            CertificateKind::CutQueue => {
                Self::CutQueue { routers: needed(fields.routers, "routers", name)? }
            }
            CertificateKind::Relay => {
                Self::Relay { router: needed(fields.router, "router", name)? }
            }
            CertificateKind::IndependentSet => {
                Self::IndependentSet { processors: needed(fields.processors, "processors", name)? }
            }
            CertificateKind::Congestion => {
                Self::Congestion { prices: needed(fields.prices, "prices", name)? }
            }
            CertificateKind::PortCongestion => Self::PortCongestion {
                channels: needed(fields.channels, "channels", name)?,
                sends: needed(fields.sends, "sends", name)?,
                receives: needed(fields.receives, "receives", name)?,
            },
            CertificateKind::Exact => Self::Exact {
                steps: needed(fields.steps, "steps", name)?,
                encoding: needed(fields.encoding, "encoding", name)?,
                proof: needed(fields.proof, "proof", name)?,
            },
        })
    }
}

fn needed<T>(field: Option<T>, name: &str, kind: &str) -> Result<T, String> {
    field.ok_or_else(|| format!("a certificate of kind {kind} needs the field `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strict_json;

    /// One certificate of each kind, with its required fields.
    const CERTIFICATES: &[(&str, &[&str])] = &[
        (r#"{"kind":"growth","message":1}"#, &["message"]),
        (r#"{"kind":"cut-growth","message":1,"routers":[0,2]}"#, &["message", "routers"]),
        (
            r#"{"kind":"nested-growth","message":1,"sets":[{"routers":[0],"within":1},{"routers":[2]}]}"#,
            &["message", "sets"],
        ),
        (r#"{"kind":"joint-growth","routers":[3]}"#, &[]),
        (r#"{"kind":"send-growth","processor":4,"growth":2}"#, &["processor", "growth"]),
        (r#"{"kind":"receive","processor":4}"#, &["processor"]),
        (r#"{"kind":"send","processor":4}"#, &["processor"]),
        (r#"{"kind":"distance"}"#, &[]),
        (r#"{"kind":"port-distance"}"#, &[]),
        (r#"{"kind":"eccentricity","message":1,"to":5}"#, &["message", "to"]),
        (r#"{"kind":"ball","processor":4,"radius":3}"#, &["processor", "radius"]),
        (r#"{"kind":"send-ball","processor":4,"radius":3}"#, &["processor", "radius"]),
        (r#"{"kind":"cut","routers":[0]}"#, &["routers"]),
        (r#"{"kind":"cut-queue","routers":[0]}"#, &["routers"]),
        (r#"{"kind":"relay","router":6}"#, &["router"]),
        (r#"{"kind":"independent-set","processors":[7]}"#, &["processors"]),
        (r#"{"kind":"congestion","prices":[1,18446744073709551615]}"#, &["prices"]),
        (
            r#"{"kind":"port-congestion","channels":[1],"sends":[2],"receives":[3]}"#,
            &["channels", "sends", "receives"],
        ),
        (
            r#"{"kind":"exact","steps":3,"encoding":1,"proof":"x.lrat"}"#,
            &["steps", "encoding", "proof"],
        ),
    ];

    #[test]
    fn every_kind_reads_what_it_writes_and_names_what_it_lacks() {
        let mut kinds = Vec::new();
        for (text, fields) in CERTIFICATES {
            let certificate: Certificate = strict_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&certificate).unwrap(), *text);
            assert!(text.contains(&format!("\"kind\":\"{}\"", certificate.reason())), "{text}");
            kinds.push(certificate.kind());
            for field in *fields {
                let without = text.replace(&format!("\"{field}\":"), "\"other\":");
                let error = strict_json::from_str::<Certificate>(&without).unwrap_err().to_string();
                assert!(error.contains(&format!("needs the field `{field}`")), "{error}");
            }
        }
        assert_eq!(kinds, CertificateKind::ALL);
    }

    #[test]
    fn an_unknown_kind_is_named_and_more_fields_are_not_minded() {
        let read = |text: &str| strict_json::from_str::<Certificate>(text);
        let error = read(r#"{"kind":"hope"}"#).unwrap_err().to_string();
        assert!(error.contains("unknown variant `hope`, expected one of `growth`"), "{error}");
        assert!(read("{}").unwrap_err().to_string().contains("missing field `kind`"));
        assert_eq!(read(r#"{"why":[],"kind":"distance"}"#).unwrap(), Certificate::Distance);
        // A missing field and a null field mean the same.
        let all = r#"{"kind":"joint-growth","routers":null}"#;
        assert_eq!(read(all).unwrap(), Certificate::JointGrowth { routers: Vec::new() });
    }
}
