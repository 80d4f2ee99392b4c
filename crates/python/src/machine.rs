//! Collectives on networks with bandwidths and latencies.

use crate::errors::nothing_left;
use crate::members::Group;
use crate::network::Network;
use crate::quantity;
use pavane_model::{CollectiveRequest, Model, Problem};
use pyo3::prelude::*;

/// The phases of a collective on a network with these bandwidths and latencies, or with its own. At most `limit`
/// deliveries are allowed.
pub fn problems(
    network: &Network,
    collective: &str,
    group: Group<'_>,
    bandwidth: Option<&Bound<'_, PyAny>>,
    latency: Option<&Bound<'_, PyAny>>,
    (model, limit): (Model, u64),
) -> PyResult<Vec<Problem>> {
    let request = CollectiveRequest {
        collective: collective.to_owned(),
        groups: group.on(&network.healthy)?,
        chunks: 1,
        model,
        limit,
    };
    let timed = quantity::with_timing(network.broken.clone(), bandwidth, latency)?;
    Ok(request.on(&network.healthy, &timed).map_err(nothing_left)?.phases)
}
