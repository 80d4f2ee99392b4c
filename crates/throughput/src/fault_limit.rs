//! The throughput limit after some faults.

use crate::answer::{Request, answer, limit};
use crate::rates::Payload;
use crate::reached::ThroughputError;
use pavane_model::{
    AftermathError, CollectiveRequest, Fault, Fraction, Network, Problem, ProcessorId, Renumbering,
};
use serde::{Deserialize, Serialize};

/// What a set of faults leaves of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LimitStatus {
    /// There is a limit.
    Limited,
    /// Some senders can no longer reach their receivers.
    Disconnected,
    /// There is nothing to do, no processor is left to do it, or the limit cannot be computed.
    Impossible,
    /// The run was interrupted before.
    #[default]
    #[serde(rename = "not reached")]
    NotReached,
}

/// The result for a set of faults.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LimitFinding {
    /// Whether there is a limit.
    pub status: LimitStatus,
    /// The limit in nanoseconds per byte of a message.
    pub limit: Option<Fraction>,
    /// The number of messages.
    pub messages: u64,
    /// Why there is no limit; empty if there is one or if processors are disconnected.
    pub why: String,
    /// The disconnected pairs of a sender and a receiver.
    pub pairs: Vec<(ProcessorId, ProcessorId)>,
    /// The processors lost.
    pub missing: Vec<ProcessorId>,
    /// Whether the computation was stopped, so that the true limit may be higher.
    pub is_stopped: bool,
}

impl LimitFinding {
    /// The limit of a collective. `stop` is polled during the computation.
    pub fn of_phases(
        request: &CollectiveRequest,
        phases: &[Problem],
        missing: Vec<ProcessorId>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, ThroughputError> {
        let limit = Some(limit_of(&request.collective, phases, stop)?);
        let messages = Payload { problems: phases, bytes: None, unit: None }.parts();
        let is_stopped = stop();
        let status = LimitStatus::Limited;
        Ok(Self { status, limit, messages, missing, is_stopped, ..Self::default() })
    }

    /// The algorithm bandwidth in GB/s: bytes by time. `None` without a limit, or if no message needs
    /// a channel.
    pub fn bandwidth(&self) -> Option<f64> {
        let limit = self.limit.filter(|limit| !limit.is_zero())?;
        Some(self.messages as f64 / limit.to_f64())
    }

    /// The algorithm bandwidth that is lost, in GB/s.
    pub fn cost(&self, healthy: &Self) -> Option<f64> {
        if self.limit == healthy.limit && self.messages == healthy.messages {
            return self.bandwidth().map(|_| 0.0);
        }
        Some(healthy.bandwidth()? - self.bandwidth()?)
    }

    /// The same as a share of the algorithm bandwidth without faults.
    pub fn loss(&self, healthy: &Self) -> Option<f64> {
        Some(self.cost(healthy)? / healthy.bandwidth()?)
    }

    /// The result for the image of the faults under an automorphism of the network; `None` if it
    /// names a processor that the network does not have.
    pub fn renumbered(&self, image: &Renumbering) -> Option<Self> {
        let mut finding = self.clone();
        finding.missing = image.group(&self.missing)?;
        for (from, to) in &mut finding.pairs {
            (*from, *to) = (image.processor(*from)?, image.processor(*to)?);
        }
        finding.pairs.sort_unstable();
        Some(finding)
    }
}

/// The limit of a collective on a network after some faults. `stop` is polled during the computation.
///
/// ```
/// use pavane_model::collective::Groups;
/// use pavane_model::{CollectiveRequest, Fault, Model};
/// use pavane_throughput::fault_limit::examine;
///
/// let network = pavane_networks::topology::build("ring:4")?;
/// let request = CollectiveRequest {
///     collective: "all-gather".to_owned(),
///     groups: Groups::default(),
///     chunks: 1,
///     model: Model::default(),
///     limit: 1000,
/// };
/// let healthy = examine(&network, &request, &[], &|| false);
/// let broken = examine(&network, &request, &[Fault::parse(&network, "0-1")?], &|| false);
/// // A path is half as fast as a ring.
/// assert_eq!(broken.cost(&healthy), healthy.bandwidth().map(|all| all / 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn examine(
    network: &Network,
    request: &CollectiveRequest,
    faults: &[Fault],
    stop: &dyn Fn() -> bool,
) -> LimitFinding {
    let impossible =
        |why: String, missing| LimitFinding { why, missing, ..LimitFinding::default() };
    let broken = match network.without(faults) {
        Ok(broken) => broken,
        Err(error) => return impossible(error.to_string(), Vec::new()),
    };
    let missing = request.missing(network, &broken);
    match request.on(network, &broken) {
        Ok(left) => {
            let found = LimitFinding::of_phases(request, &left.phases, left.missing, stop);
            found.unwrap_or_else(|error| impossible(error.to_string(), missing))
        }
        Err(AftermathError::Separated(separated)) => LimitFinding {
            status: LimitStatus::Disconnected,
            pairs: separated.pairs,
            missing: separated.missing,
            ..LimitFinding::default()
        },
        Err(error) => impossible(error.to_string(), missing),
    }
}

/// The limit of a collective in nanoseconds per byte of a message. A collective with one phase needs no
/// plan for it.
fn limit_of(
    name: &str,
    phases: &[Problem],
    stop: &dyn Fn() -> bool,
) -> Result<Fraction, ThroughputError> {
    if let [only] = phases {
        return limit(only, stop);
    }
    let request = Request { trees: None, sizes: &[], generators: &[], stop };
    Ok(answer(name, phases, &request)?.limit)
}
