//! The description of a problem in the index: the network by name and the options of the command line.

use crate::entry::AtlasModel;
use crate::error::AtlasError;
use pavane_model::collective::Groups;
use pavane_model::problem::DELIVERIES;
use pavane_model::tdm::{TdmDemand, TdmRules};
use pavane_model::{
    CollectiveRequest, Duplex, Fault, Fraction, Model, Network, Ports, Problem, Routing, Switching,
    TdmProblem,
};
use pavane_networks::{import, topology};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path};

/// The maximum number of routers, channels or processors of a network in the index.
const LARGEST_NETWORK: u64 = 1 << 20;

/// A problem as the index describes it. Absent fields have the defaults of the command line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AtlasProblem {
    /// The network: a name, or a file relative to the folder of the atlas.
    pub network: String,
    /// The faults, as for `--fault`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The collective; absent for TDM, which is always all-to-all here.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub collective: String,
    /// The root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The senders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senders: Option<String>,
    /// The receivers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receivers: Option<String>,
    /// The number of chunks of each message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u32>,
    /// The ports of a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<String>,
    /// The switching method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switching: Option<String>,
    /// The allowed paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing: Option<String>,
    /// Whether both channels of a link work at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplex: Option<String>,
    /// The size of the buffer in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The bandwidth of every channel in gigabytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Fraction>,
    /// The latency of every channel in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Fraction>,
    /// TDM: slots per hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// TDM: slots that a word occupies a port or channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phits: Option<u32>,
    /// TDM: whether every word arrives before the next period begins.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_wrap: bool,
}

/// The problem that a description denotes.
#[derive(Debug, Clone, PartialEq)]
pub enum BuiltProblem {
    /// A collective: one problem per phase. `bytes` is the size of the buffer, for the time model.
    Collective {
        /// The problems.
        phases: Vec<Problem>,
        /// The size of the buffer.
        bytes: Option<u64>,
        /// Whether both channels of a link work at the same time, for the time model.
        duplex: Duplex,
    },
    /// A TDM problem.
    Tdm(Box<TdmProblem>),
}

impl BuiltProblem {
    /// The network.
    pub fn network(&self) -> &Network {
        match self {
            Self::Collective { phases, .. } => phases[0].network(),
            Self::Tdm(problem) => problem.network(),
        }
    }
}

impl AtlasProblem {
    /// The network with its faults and timings. `folder` is that of the atlas.
    pub fn network(&self, folder: &Path) -> Result<(Network, Network), AtlasError> {
        let refused = |error: &dyn std::fmt::Display| AtlasError::Problem(error.to_string());
        let healthy = match import::file_of(&self.network) {
            None => topology::build_within(&self.network, LARGEST_NETWORK)
                .map_err(|error| refused(&error))?,
            Some(path) => {
                let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
                if !is_inside {
                    let reason =
                        format!("{:?} is not a file in the folder of the atlas", self.network);
                    return Err(AtlasError::Problem(reason));
                }
                let network = import::read(&folder.join(path)).map_err(|error| refused(&error))?;
                network.named(self.network.clone())
            }
        };
        let mut faults = Vec::new();
        for text in &self.faults {
            faults.push(Fault::parse(&healthy, text).map_err(|error| refused(&error))?);
        }
        let broken = healthy.without(&faults).map_err(|error| refused(&error))?;
        let broken = broken.with_timing(self.bandwidth, self.latency);
        Ok((healthy, broken.map_err(|error| refused(&error))?))
    }

    /// The rules for steps.
    fn model(&self) -> Result<Model, AtlasError> {
        fn rule<T>(text: Option<&String>, default: T) -> Result<T, AtlasError>
        where
            T: std::str::FromStr,
            T::Err: std::fmt::Display,
        {
            let parsed = text.map_or(Ok(default), |text| text.parse());
            parsed.map_err(|error| AtlasError::Problem(error.to_string()))
        }
        let usual = Model::default();
        Ok(Model {
            switching: rule::<Switching>(self.switching.as_ref(), usual.switching)?,
            routing: rule::<Routing>(self.routing.as_ref(), usual.routing)?,
            duplex: rule::<Duplex>(self.duplex.as_ref(), usual.duplex)?,
            ports: rule::<Ports>(self.ports.as_ref(), usual.ports)?,
        })
    }

    /// Builds the problem. `folder` is that of the atlas.
    pub fn build(&self, model: AtlasModel, folder: &Path) -> Result<BuiltProblem, AtlasError> {
        let refused = |error: &dyn std::fmt::Display| AtlasError::Problem(error.to_string());
        let (healthy, broken) = self.network(folder)?;
        let rules = self.model()?;
        if model == AtlasModel::Tdm {
            let usual = TdmRules::default();
            let rules = TdmRules {
                depth: self.depth.unwrap_or(usual.depth),
                phits: self.phits.unwrap_or(usual.phits),
                wraps: !self.no_wrap,
                routing: rules.routing,
            };
            let problem = TdmProblem::new(broken, TdmDemand::AllToAll, rules, DELIVERIES);
            let problem = problem.map_err(|error| refused(&error))?;
            return Ok(BuiltProblem::Tdm(Box::new(problem)));
        }
        let request = CollectiveRequest {
            collective: self.collective.clone(),
            groups: Groups {
                root: self.root.clone(),
                senders: self.senders.clone(),
                receivers: self.receivers.clone(),
            },
            chunks: self.chunks.unwrap_or(1),
            model: if model == AtlasModel::Steps { rules } else { Model::without_ports() },
            limit: DELIVERIES,
        };
        // The name could also be that of a file of messages, anywhere.
        if !pavane_model::collective::is_name(&self.collective) {
            let reason = format!("unknown collective {:?}", self.collective);
            return Err(AtlasError::Problem(reason));
        }
        let left = request.on(&healthy, &broken).map_err(|error| refused(&error))?;
        let duplex = rules.duplex;
        Ok(BuiltProblem::Collective { phases: left.phases, bytes: self.bytes, duplex })
    }

    /// The command that solves the problem, from a place where the atlas is in `folder`.
    pub fn command_beside(&self, model: AtlasModel, folder: &Path) -> String {
        match import::file_of(&self.network) {
            None => self.command(model),
            Some(path) => {
                let network = folder.join(path).display().to_string();
                Self { network, ..self.clone() }.command(model)
            }
        }
    }

    /// The command that solves the problem, without options of the search, in the folder of the atlas.
    pub fn command(&self, model: AtlasModel) -> String {
        let mut words = vec!["pavane".to_owned()];
        let verb = match model {
            AtlasModel::Steps | AtlasModel::Time => "solve",
            AtlasModel::Throughput => "throughput",
            AtlasModel::Tdm => "tdm",
        };
        words.extend([verb.to_owned(), self.network.clone()]);
        if model != AtlasModel::Tdm {
            words.push(self.collective.clone());
        }
        let mut option = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        for fault in &self.faults {
            option("--fault", Some(fault.clone()));
        }
        option("--root", self.root.clone());
        option("--senders", self.senders.clone());
        option("--receivers", self.receivers.clone());
        option("--chunks", self.chunks.map(|count| count.to_string()));
        option("--ports", self.ports.clone());
        option("--switching", self.switching.clone());
        option("--routing", self.routing.clone());
        option("--duplex", self.duplex.clone());
        option("--minimize", (model == AtlasModel::Time).then(|| "time".to_owned()));
        option("--bytes", self.bytes.map(|bytes| bytes.to_string()));
        let decimal = |value: Fraction| value.as_decimal().unwrap_or_else(|| value.to_f64());
        option("--bandwidth", self.bandwidth.map(|value| format!("{}GB/s", decimal(value))));
        option("--latency", self.latency.map(|value| format!("{}ns", decimal(value))));
        option("--depth", self.depth.map(|depth| depth.to_string()));
        option("--phits", self.phits.map(|phits| phits.to_string()));
        if self.no_wrap {
            words.push("--no-wrap".to_owned());
        }
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// The name of an entry for this problem: the words of its command, joined by hyphens.
    pub fn id(&self, model: AtlasModel) -> String {
        let command = self.command(model);
        let words = command.strip_prefix("pavane ").unwrap_or(&command);
        let words = words.strip_prefix("solve ").unwrap_or(words).to_lowercase();
        let parts =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("-")
    }
}

/// A word of a command line, in quotes if a shell would change it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:/@+=,%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
