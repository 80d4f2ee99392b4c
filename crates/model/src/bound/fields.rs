//! The written form of a certificate: one struct with the fields of all kinds. A derived reader for
//! a tagged enum would first buffer every value in a tree, which takes 16 times the memory of a
//! list of numbers.

use super::{CertificateKind, NestedSet};
use crate::ids::{MessageId, ProcessorId, RouterId};
use crate::list;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(expecting = "a certificate: an object with a kind")]
pub(super) struct Fields {
    pub(super) kind: CertificateKind,
    pub(super) message: Option<MessageId>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) routers: Option<Vec<RouterId>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) sets: Option<Vec<NestedSet>>,
    pub(super) processor: Option<ProcessorId>,
    pub(super) growth: Option<u32>,
    pub(super) to: Option<ProcessorId>,
    pub(super) radius: Option<u32>,
    pub(super) router: Option<RouterId>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) processors: Option<Vec<ProcessorId>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) prices: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) channels: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) sends: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "list::optional")]
    pub(super) receives: Option<Vec<u64>>,
    pub(super) steps: Option<u32>,
    pub(super) encoding: Option<u32>,
    pub(super) proof: Option<String>,
}

/// The value of a field, or its default. Fails if the field is missing and has no default.
pub(super) fn value<T>(
    field: Option<T>,
    name: &str,
    kind: CertificateKind,
    default: Option<T>,
) -> Result<T, String> {
    let missing = || format!("a certificate of kind {} needs the field `{name}`", kind.name());
    field.or(default).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Certificate;
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
        (r#"{"kind":"neighbour-growth","message":1}"#, &["message"]),
        (r#"{"kind":"receive","processor":4}"#, &["processor"]),
        (r#"{"kind":"send","processor":4}"#, &["processor"]),
        (r#"{"kind":"distance"}"#, &[]),
        (r#"{"kind":"port-distance"}"#, &[]),
        (r#"{"kind":"late-entry","routers":[3]}"#, &[]),
        (r#"{"kind":"eccentricity","message":1,"to":5}"#, &["message", "to"]),
        (r#"{"kind":"ball","processor":4,"radius":3}"#, &["processor", "radius"]),
        (r#"{"kind":"send-ball","processor":4,"radius":3}"#, &["processor", "radius"]),
        (r#"{"kind":"cut","routers":[0]}"#, &["routers"]),
        (r#"{"kind":"cut-queue","routers":[0]}"#, &["routers"]),
        (r#"{"kind":"relay","router":6}"#, &["router"]),
        (r#"{"kind":"separator","routers":[0]}"#, &["routers"]),
        (r#"{"kind":"branches","message":1}"#, &["message"]),
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
    fn unknown_kinds_are_refused_and_unknown_fields_ignored() {
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
