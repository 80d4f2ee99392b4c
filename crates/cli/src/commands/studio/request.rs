//! Requests of a page and their conversion to problems. Networks and collectives come by name or as
//! text: nothing here opens a file.

use super::bounds::BoundsAsked;
use super::contest::ContestAsked;
use super::deadlock::DeadlockAsked;
use super::fault_limits::FaultLimitsAsked;
use super::fault_steps::FaultStepsAsked;
use super::front::FrontAsked;
use super::numbers;
use super::opened::OpenAsked;
use super::tdm::TdmAsked;
use super::throughput::ThroughputAsked;
use super::timed::TimedAsked;
use super::traffic::TrafficAsked;
use super::tuning::TuningAsked;
use crate::args::problem::{ChunkCount, MOST_CHUNKS};
use pavane_model::collective::{self, Groups, message_file};
use pavane_model::strict_json::{self, Object};
use pavane_model::{
    Aftermath, AftermathError, CollectiveRequest, Duplex, Fault, Model, Network, NetworkError,
    Problem, ProblemError, RuleError,
};
use pavane_networks::import::{self, FileKind};
use pavane_networks::topology::{self, TopologyError};
use serde::Deserialize;
use std::path::Path;
use std::str::FromStr;

/// Limits of the studio on routers, channels and deliveries: somewhat more than a browser can show.
const MOST_ROUTERS: usize = 4_096;
const MOST_CHANNELS: usize = 65_536;
pub const MOST_DELIVERIES: u64 = 300_000;

/// A request of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum JobRequest {
    /// Find a schedule.
    Solve(Box<Asked>),
    /// Open a schedule file.
    Open(Box<OpenAsked>),
    /// Repair the schedule or the throughput plan of an earlier job after faults.
    Repair {
        /// The job.
        of: u64,
        /// The faults.
        faults: Vec<String>,
        /// How many per cent must stay as they are, from 0 to 100, as `pavane repair --keep`.
        #[serde(default, deserialize_with = "numbers::per_cent")]
        keep: Option<u8>,
        /// Accept only schedules with at most as many steps as before, as `pavane repair --keep-steps`.
        #[serde(default)]
        keep_steps: bool,
    },
    /// Compute the throughput of a collective.
    Throughput(Box<ThroughputAsked>),
    /// Compute the throughput that every fault costs.
    FaultLimits(Box<FaultLimitsAsked>),
    /// Compute the steps that every fault costs.
    Faults(Box<FaultStepsAsked>),
    /// Explain the bounds on the number of steps.
    Bounds(Box<BoundsAsked>),
    /// Examine whether a routing can deadlock.
    Deadlock(Box<DeadlockAsked>),
    /// Simulate a mission of concurrent messages.
    Traffic(Box<TrafficAsked>),
    /// Find the slot table of a network on chip.
    Tdm(Box<TdmAsked>),
    /// Find a quick schedule.
    Timed(Box<TimedAsked>),
    /// Find k-synchronous schedules.
    Pareto(Box<FrontAsked>),
    /// Compare the algorithms of libraries.
    Compare(Box<ContestAsked>),
    /// Find the best schedule for every size.
    Tune(Box<TuningAsked>),
    /// Reproduce a table of the papers.
    Table {
        /// Its name.
        table: String,
        /// Number of runs per problem.
        #[serde(deserialize_with = "numbers::runs")]
        runs: u64,
    },
}

impl JobRequest {
    /// Parses a request.
    pub fn parse(body: &[u8]) -> serde_json::Result<Self> {
        strict_json::from_slice(body).map(|Object(request)| request)
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Solve(asked) => asked.size(),
            Self::Open(asked) => asked.size(),
            Self::Throughput(asked) => asked.size(),
            Self::FaultLimits(asked) => asked.size(),
            Self::Faults(asked) => asked.size(),
            Self::Bounds(asked) => asked.size(),
            Self::Deadlock(asked) => asked.size(),
            Self::Traffic(asked) => asked.size(),
            Self::Tdm(asked) => asked.size(),
            Self::Timed(asked) => asked.size(),
            Self::Pareto(asked) => asked.size(),
            Self::Compare(asked) => asked.size(),
            Self::Tune(asked) => asked.size(),
            Self::Repair { faults, .. } => {
                faults.iter().map(|fault| size_of::<String>() + fault.len()).sum()
            }
            Self::Table { table, .. } => table.len(),
        }
    }
}

/// A problem as the page describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Name of a network.
    #[serde(default)]
    pub network: String,
    /// A network file as text, instead of a name.
    #[serde(default)]
    pub text: String,
    /// The name of this file, if it was opened.
    #[serde(default)]
    text_name: String,
    /// The collective.
    pub collective: String,
    #[serde(default)]
    root: String,
    #[serde(default)]
    senders: String,
    #[serde(default)]
    receivers: String,
    #[serde(default)]
    chunks: String,
    #[serde(default)]
    ports: String,
    #[serde(default)]
    switching: String,
    #[serde(default)]
    routing: String,
    #[serde(default)]
    duplex: String,
    #[serde(default)]
    engine: String,
    /// Random seed.
    #[serde(default = "first_seed", deserialize_with = "numbers::seed")]
    pub seed: u64,
}

fn first_seed() -> u64 {
    1
}

impl Asked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let texts = [
            &self.network,
            &self.text,
            &self.text_name,
            &self.collective,
            &self.root,
            &self.senders,
            &self.receivers,
            &self.chunks,
            &self.ports,
            &self.switching,
            &self.routing,
            &self.duplex,
            &self.engine,
        ];
        texts.into_iter().map(String::len).sum()
    }

    /// The phases of the problem with this number of chunks, or why it is invalid.
    pub fn problems(&self, chunks: u32) -> Result<Vec<Problem>, String> {
        let network = self.load()?;
        let request = CollectiveRequest { chunks, model: self.model()?, ..self.whole()? };
        Ok(remaining(&request, &network, &network)?.phases)
    }

    /// The collective with whole messages, for bandwidths.
    pub fn whole(&self) -> Result<CollectiveRequest, String> {
        check_collective(&self.collective)?;
        let given = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let groups = Groups {
            root: given(&self.root),
            senders: given(&self.senders),
            receivers: given(&self.receivers),
        };
        let (collective, model) = (self.collective.trim().to_owned(), Model::without_ports());
        Ok(CollectiveRequest { collective, groups, chunks: 1, model, limit: MOST_DELIVERIES })
    }

    /// The network, or why it is invalid.
    pub fn load(&self) -> Result<Network, String> {
        load_network(&self.network, &self.text, &self.text_name)
    }

    /// The name of the text, for messages.
    pub fn name_of_text(&self) -> &str {
        name_of_text(&self.text_name)
    }

    /// The number of chunks of each message.
    pub fn chunks(&self) -> Result<ChunkCount, String> {
        Ok(chunk_count(&self.chunks)?.unwrap_or(ChunkCount::Fixed(1)))
    }

    /// The name of the only engine to use, if one is chosen. It matters to schedules by steps alone.
    pub fn engine(&self) -> Option<String> {
        Some(self.engine.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Whether both directions of a link can be used at the same time.
    pub fn duplex(&self) -> Result<Duplex, String> {
        rule(&self.duplex, Model::default().duplex)
    }

    /// The rules.
    pub fn model(&self) -> Result<Model, String> {
        let rules = Model::default();
        Ok(Model {
            switching: rule(&self.switching, rules.switching)?,
            routing: rule(&self.routing, rules.routing)?,
            duplex: self.duplex()?,
            ports: rule(&self.ports, rules.ports)?,
        })
    }
}

/// The name of a text, for messages: that of its file, or `pasted`.
fn name_of_text(file: &str) -> &str {
    match file.trim() {
        "" => "pasted",
        name => name,
    }
}

/// The largest network.
fn limits() -> String {
    format!(
        "the studio accepts at most {MOST_ROUTERS} routers and {MOST_CHANNELS} channels; use `pavane solve` \
         for larger networks"
    )
}

/// The network with a name, or of a file as text if there is one; or why it is invalid.
pub fn load_network(name: &str, text: &str, text_name: &str) -> Result<Network, String> {
    let network = match text.trim() {
        // Networks that are far too large are refused before memory is allocated.
        "" => topology::build_within(name.trim(), MOST_CHANNELS as u64).map_err(
            |error| match error {
                TopologyError::Network(NetworkError::TooLarge { name, count, what, .. }) => {
                    format!("{name} has {count} {what}; {}", limits())
                }
                error => error.to_string(),
            },
        )?,
        text => {
            let file = name_of_text(text_name);
            if is_binary(text) {
                return Err(format!(
                    "{file}: a binary file; the studio opens networks and schedules as text"
                ));
            }
            let kind = FileKind::of(Path::new(file), text);
            import::parse(text, file, kind).map_err(|error| error.to_string())?
        }
    };
    check_size(&network)?;
    Ok(network)
}

/// Whether a text is that of a binary file: it has control characters, or bytes that are no characters.
pub fn is_binary(text: &str) -> bool {
    let is_space = |character: char| matches!(character, '\t' | '\n' | '\r' | '\u{c}');
    text.chars().any(|character| {
        (character.is_control() && !is_space(character)) || character == char::REPLACEMENT_CHARACTER
    })
}

/// Refuses a network that is too large for the studio.
pub fn check_size(network: &Network) -> Result<(), String> {
    let (routers, channels) = (network.router_count(), network.channel_count());
    if routers > MOST_ROUTERS || channels > MOST_CHANNELS {
        return Err(format!(
            "{} has {routers} routers and {channels} channels; {}",
            network.name(),
            limits()
        ));
    }
    Ok(())
}

/// Parses a number of chunks, or `auto`; an empty text is `None`.
pub fn chunk_count(text: &str) -> Result<Option<ChunkCount>, String> {
    match text.trim() {
        "" => Ok(None),
        "auto" => Ok(Some(ChunkCount::Auto)),
        text => {
            let count = text.parse().ok().filter(|count| (1..=MOST_CHUNKS).contains(count));
            count.map(ChunkCount::Fixed).map(Some).ok_or_else(|| {
                format!("chunks: {text:?} is not a number from 1 to {MOST_CHUNKS}, or auto")
            })
        }
    }
}

/// The problems of a request on `broken`, which is `healthy` after faults.
pub fn remaining(
    request: &CollectiveRequest,
    healthy: &Network,
    broken: &Network,
) -> Result<Aftermath, String> {
    request.on(healthy, broken).map_err(|error| match error {
        error @ AftermathError::Problem(ProblemError::TooLarge { .. }) => {
            format!("{error} in the studio; `pavane solve` and `pavane throughput` take more")
        }
        error => error.to_string(),
    })
}

/// Parses a rule; an empty text is the default.
fn rule<T: FromStr<Err = RuleError>>(text: &str, default: T) -> Result<T, String> {
    match text {
        "" => Ok(default),
        text => text.parse().map_err(|error: RuleError| error.to_string()),
    }
}

/// Accepts only named collectives and lists of messages: the command line also accepts files, a page must not.
fn check_collective(name: &str) -> Result<(), String> {
    if collective::is_name(name) || message_file::is_content(name) {
        Ok(())
    } else {
        let known: Vec<&str> = collective::names().map(|(name, _)| name).collect();
        Err(format!("unknown collective {name:?}; the collectives are {}", known.join(", ")))
    }
}

/// Parses the faults of a page.
pub fn faults(network: &Network, texts: &[String]) -> Result<Vec<Fault>, String> {
    let fault = |text: &String| Fault::parse(network, text).map_err(|error| error.to_string());
    texts.iter().map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(json: &str) -> Result<Vec<Problem>, String> {
        let request = JobRequest::parse(json.as_bytes()).map_err(|error| error.to_string())?;
        let JobRequest::Solve(asked) = request else { return Err("not a problem".to_owned()) };
        asked.problems(1)
    }

    #[test]
    fn names_and_texts_become_problems() {
        let mesh =
            asked(r#"{"kind": "solve", "network": "mesh:2x2", "collective": "aas"}"#).unwrap();
        assert_eq!(mesh[0].network().router_count(), 4);
        let pasted =
            r#"{"kind": "solve", "text": "0 1\n1 2\n", "collective": "oab", "ports": "1"}"#;
        assert_eq!(asked(pasted).unwrap()[0].model().ports, pavane_model::Ports::Limited(1));
        for text in ["routers = 3\\nlinks = [[0, 1], [1, 2]]", "0,1,0\\n1,0,1\\n0,1,0"] {
            let json = format!(r#"{{"kind": "solve", "text": "{text}", "collective": "oab"}}"#);
            assert_eq!(asked(&json).unwrap()[0].network().channel_count(), 4, "{text}");
        }
    }

    #[test]
    fn nothing_opens_a_file() {
        let own = file!();
        for (network, collective) in [
            ("/etc/passwd", "oab"),
            ("../Cargo.toml", "oab"),
            ("ring:4", "/etc/passwd"),
            ("ring:4", "Cargo.toml"),
            ("ring:4", own),
        ] {
            let json = format!(
                r#"{{"kind": "solve", "network": {network:?}, "collective": {collective:?}}}"#
            );
            let error = asked(&json).unwrap_err();
            // The name is quoted as an unknown name; a failed attempt to read a file is reported
            // without quotes.
            let name = if network == "ring:4" { collective } else { network };
            assert!(error.contains(&format!("{name:?}")), "{error}");
        }
    }

    #[test]
    fn what_is_too_large_or_unknown_is_refused_with_a_reason() {
        for (json, part) in [
            (
                r#"{"kind": "solve", "network": "hypercube:13", "collective": "oab"}"#,
                "pavane solve",
            ),
            (r#"{"kind": "solve", "network": "hypercube:20", "collective": "oab"}"#, "studio"),
            (r#"{"kind": "solve", "network": "ring:4@100000", "collective": "oab"}"#, "processors"),
            (r#"{"kind": "solve", "network": "hypercube:10", "collective": "aas"}"#, "at most"),
            (
                r#"{"kind": "solve", "network": "ring:4", "collective": "aas", "ports": "0"}"#,
                "ports",
            ),
            (
                r#"{"kind": "solve", "network": "ring:5000", "collective": "aas"}"#,
                "at most 4096 routers and 65536 channels",
            ),
            (
                r#"{"kind": "solve", "network": "hypercube:30", "collective": "aas"}"#,
                "at most 4096 routers and 65536 channels",
            ),
            (r#"{"kind": "solve", "text": "{", "collective": "aas"}"#, "pasted"),
            (
                r#"{"kind": "solve", "text": "{", "text_name": "mine.json", "collective": "aas"}"#,
                "mine.json",
            ),
            (
                r#"{"kind": "solve", "text": "a\u0001", "text_name": "x.bin", "collective": "aas"}"#,
                "x.bin: a binary file",
            ),
            (
                r#"{"kind": "solve", "network": "ring:4", "collective": "aas", "seed": 1e23}"#,
                "random seed: 1e+23 is not a whole number from 0",
            ),
            (
                r#"{"kind": "solve", "network": "ring:4", "collective": "aas", "seed": "x"}"#,
                "random seed: x is not",
            ),
            (
                r#"{"kind": "repair", "of": 1, "faults": [], "keep": 999}"#,
                "repairs keep %: 999 is not a whole number from 0 to 100",
            ),
            (
                r#"{"kind": "table", "table": "x", "runs": "1.5"}"#,
                "runs: 1.5 is not a whole number",
            ),
            (r#"{"kind": "solve", "collective": "aas", "file": "x"}"#, "unknown field"),
        ] {
            let error = asked(json).unwrap_err();
            assert!(error.contains(part), "{json}: {error}");
        }
    }
}
