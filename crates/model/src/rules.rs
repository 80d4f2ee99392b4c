//! The rules under which a schedule is valid: switching, routing, duplex and ports. Each is read
//! from text by `FromStr` and written by `Display`; schedule files use the same words, except for
//! the short `sf` and for detours, which are objects.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a transfer uses its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "\"wormhole\" or \"store-and-forward\" (short: \"sf\")")]
pub enum Switching {
    /// A path of any length in one step; the transfer holds all its channels.
    #[serde(rename = "wormhole", alias = "wh")]
    Wormhole,
    /// At most one channel in one step.
    #[serde(rename = "sf", alias = "store-and-forward")]
    StoreAndForward,
}

/// Which paths are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(expecting = "\"minimal\", \"any\" or {\"detour\": hops}", rename_all = "lowercase")]
pub enum Routing {
    /// Shortest paths of the network after faults.
    Minimal,
    /// Any simple path.
    Any,
    /// Simple paths that are at most this many channels longer than the shortest.
    Detour(u32),
}

/// Whether the two channels of a link work at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(expecting = "\"full\" or \"half\"", rename_all = "lowercase")]
pub enum Duplex {
    /// They do.
    Full,
    /// They exclude each other within a step.
    Half,
}

/// The number of transfers that a processor can send, and receive, in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(into = "PortsInFile", from = "PortsInFile")]
pub enum Ports {
    /// As many as its home has outgoing, and incoming, channels.
    All,
    /// At most this many.
    Limited(u32),
}

/// The rules under which a schedule is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "model"))]
#[serde(expecting = "a model: an object with switching, routing and ports")]
pub struct Model {
    /// How a transfer uses its path.
    pub switching: Switching,
    /// Which paths are allowed.
    pub routing: Routing,
    /// Whether the two channels of a link exclude each other.
    #[serde(default = "full_duplex")]
    pub duplex: Duplex,
    /// The number of transfers that a processor can send, and receive, in one step.
    pub ports: Ports,
}

impl Model {
    /// The rules of problems with bandwidths, where processors have no ports: none of them matters.
    pub fn without_ports() -> Self {
        Self { ports: Ports::Limited(u32::MAX), ..Self::default() }
    }
}

impl Default for Model {
    fn default() -> Self {
        Self {
            switching: Switching::Wormhole,
            routing: Routing::Minimal,
            duplex: Duplex::Full,
            ports: Ports::All,
        }
    }
}

fn full_duplex() -> Duplex {
    Duplex::Full
}

/// A text that denotes no rule of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a valid {rule}; use {known}")]
pub struct RuleError {
    /// The kind of rule: `switching method`, `routing`, `duplex` or `number of ports`.
    pub rule: &'static str,
    /// The text.
    pub text: String,
    /// The valid texts.
    pub known: &'static str,
}

impl Switching {
    /// The name and its abbreviation of each method, in the order of the variants.
    pub const NAMES: [[&'static str; 2]; 2] = [["wormhole", "wh"], ["store-and-forward", "sf"]];

    /// The valid texts.
    pub const KNOWN: &'static str = "wormhole or store-and-forward";

    /// The word in files and labels: `wormhole` or `sf`.
    pub fn short(self) -> &'static str {
        match self {
            Self::Wormhole => "wormhole",
            Self::StoreAndForward => "sf",
        }
    }
}

impl Routing {
    /// The valid texts.
    pub const KNOWN: &'static str = "minimal, any, or +H such as +2";
}

impl Duplex {
    /// The names, in the order of the variants.
    pub const NAMES: [&'static str; 2] = ["full", "half"];

    /// The valid texts.
    pub const KNOWN: &'static str = "full or half";
}

impl Ports {
    /// The valid texts.
    pub const KNOWN: &'static str = "all or a number from 1 to 4294967295";
}

/// Derived, it would not allow the other names that files may use.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Switching {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "switching".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "enum": Self::NAMES.concat(),
        })
    }
}

impl FromStr for Switching {
    type Err = RuleError;

    /// Reads `wormhole` or `wh`, `store-and-forward` or `sf`.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        match Self::NAMES.iter().position(|names| names.contains(&text)) {
            Some(0) => Ok(Self::Wormhole),
            Some(_) => Ok(Self::StoreAndForward),
            None => Err(wrong("switching method", text, Self::KNOWN)),
        }
    }
}

impl FromStr for Routing {
    type Err = RuleError;

    /// Reads `minimal`, `any`, or `+2` for detours of at most two channels.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        match text {
            "minimal" => Ok(Self::Minimal),
            "any" => Ok(Self::Any),
            _ => match text.strip_prefix('+').map(str::parse) {
                Some(Ok(hops)) => Ok(Self::Detour(hops)),
                _ => Err(wrong("routing", text, Self::KNOWN)),
            },
        }
    }
}

impl FromStr for Duplex {
    type Err = RuleError;

    /// Reads `full` or `half`.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        match Self::NAMES.iter().position(|name| *name == text) {
            Some(0) => Ok(Self::Full),
            Some(_) => Ok(Self::Half),
            None => Err(wrong("duplex", text, Self::KNOWN)),
        }
    }
}

impl FromStr for Ports {
    type Err = RuleError;

    /// Reads `all` or a positive number.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        match (text, text.parse()) {
            ("all", _) => Ok(Self::All),
            (_, Ok(ports)) if ports > 0 => Ok(Self::Limited(ports)),
            _ => Err(wrong("number of ports", text, Self::KNOWN)),
        }
    }
}

fn wrong(rule: &'static str, text: &str, known: &'static str) -> RuleError {
    RuleError { rule, text: text.to_owned(), known }
}

impl fmt::Display for Switching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES[*self as usize][0])
    }
}

impl fmt::Display for Routing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minimal => f.write_str("minimal"),
            Self::Any => f.write_str("any"),
            Self::Detour(hops) => write!(f, "+{hops}"),
        }
    }
}

impl fmt::Display for Duplex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES[*self as usize])
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Limited(ports) => write!(f, "{ports}"),
        }
    }
}

/// The rules as text: `wormhole, minimal routing, full duplex, all-port`.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { switching, routing, duplex, ports } = self;
        match routing {
            Routing::Detour(1) => write!(f, "{switching}, detours of at most 1 hop")?,
            Routing::Detour(hops) => write!(f, "{switching}, detours of at most {hops} hops")?,
            routing => write!(f, "{switching}, {routing} routing")?,
        }
        write!(f, ", {duplex} duplex, {ports}-port")
    }
}

/// Ports in a file: a number or `"all"`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(expecting = "ports must be a number of ports or \"all\"", untagged)]
enum PortsInFile {
    Limited(#[cfg_attr(feature = "schema", schemars(range(min = 1)))] u32),
    Word(AllPorts),
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "lowercase")]
enum AllPorts {
    All,
}

impl From<Ports> for PortsInFile {
    fn from(ports: Ports) -> Self {
        match ports {
            Ports::All => Self::Word(AllPorts::All),
            Ports::Limited(ports) => Self::Limited(ports),
        }
    }
}

impl From<PortsInFile> for Ports {
    fn from(ports: PortsInFile) -> Self {
        match ports {
            PortsInFile::Word(AllPorts::All) => Self::All,
            PortsInFile::Limited(ports) => Self::Limited(ports),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_read_as_it_is_written() {
        fn check<T: FromStr<Err = RuleError> + fmt::Display + fmt::Debug + PartialEq>(rules: &[T]) {
            for rule in rules {
                assert_eq!(rule.to_string().parse::<T>().as_ref(), Ok(rule));
            }
        }
        check(&[Switching::Wormhole, Switching::StoreAndForward]);
        check(&[Routing::Minimal, Routing::Any, Routing::Detour(0), Routing::Detour(u32::MAX)]);
        check(&[Duplex::Full, Duplex::Half]);
        check(&[Ports::All, Ports::Limited(1), Ports::Limited(u32::MAX)]);
    }

    #[test]
    fn files_use_the_same_words() {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let word = serde_json::to_value(switching).unwrap();
            assert_eq!(word, switching.short());
            assert_eq!(word.as_str().unwrap().parse(), Ok(switching));
        }
        for duplex in [Duplex::Full, Duplex::Half] {
            assert_eq!(serde_json::to_value(duplex).unwrap(), duplex.to_string());
        }
        for routing in [Routing::Minimal, Routing::Any] {
            assert_eq!(serde_json::to_value(routing).unwrap(), routing.to_string());
        }
        let detour = serde_json::to_value(Routing::Detour(2)).unwrap();
        assert_eq!(detour, serde_json::json!({"detour": 2}));
        for (ports, file) in [(Ports::All, "\"all\""), (Ports::Limited(3), "3")] {
            assert_eq!(serde_json::to_string(&ports).unwrap(), file);
            assert_eq!(crate::strict_json::from_str::<Ports>(file).unwrap(), ports);
        }
    }

    #[test]
    fn a_wrong_text_is_refused_with_the_valid_ones() {
        let error = "circuit".parse::<Switching>().unwrap_err().to_string();
        assert_eq!(
            error,
            "\"circuit\" is not a valid switching method; use wormhole or store-and-forward"
        );
        for text in ["", "2", "+", "+-1", "Minimal"] {
            assert!(text.parse::<Routing>().is_err(), "{text:?}");
        }
        for text in ["", "0", "-1", "4294967296", "All"] {
            assert!(text.parse::<Ports>().is_err(), "{text:?}");
        }
        assert!("".parse::<Duplex>().is_err());
    }
}
