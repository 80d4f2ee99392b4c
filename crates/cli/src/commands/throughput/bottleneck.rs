//! The cut that proves a throughput limit, for JSON.

use crate::report::throughput::BottleneckReport;
use pavane_model::Network;
use pavane_throughput::answer::{Answer, Reason};

/// The cut of a limit, if it is one.
pub fn bottleneck(network: &Network, found: &Answer) -> Option<BottleneckReport> {
    let (Reason::Cut(cut) | Reason::Phase { cut, .. }) = found.reason.as_ref()? else {
        return None;
    };
    let residents = cut.routers.iter().flat_map(|&router| network.residents(router));
    Some(BottleneckReport {
        routers: cut.routers.iter().map(|&router| network.router_name(router)).collect(),
        processors: residents.map(|processor| processor.0).collect(),
        messages: cut.messages,
        channels: cut.channels.len(),
        bandwidth_gbytes: cut.bandwidth.to_string(),
    })
}
