//! Bounds in words.

use pavane_model::printable::printable;
use pavane_model::timed::{TimeCertificate, TimedSchedule};
use pavane_model::words::counted;

/// The argument for the bound of a schedule; empty if it has none.
pub fn explanation(schedule: &TimedSchedule) -> String {
    let network = schedule.phases[0].problem.network();
    let Some(bound) = &schedule.bound else { return String::new() };
    match &bound.certificate {
        TimeCertificate::Cut { routers, receiver } => {
            let count = routers.len();
            let named: Vec<String> = routers
                .iter()
                .take(8)
                .map(|&router| printable(&network.router_name(router)).into_owned())
                .collect();
            let more = if count > named.len() { ", …" } else { "" };
            format!(
                "what processor {receiver} exchanges with the {} {}{more} must cross the channels \
                 between them, after and before the latencies on the way",
                counted(count as u64, "router"),
                named.join(", ")
            )
        }
        TimeCertificate::Prices { prices } => {
            let count = prices.iter().filter(|&&price| price > 0).count();
            format!(
                "weighted congestion on {}, after and before the latencies on the way",
                counted(count as u64, "channel")
            )
        }
        TimeCertificate::Throughput { .. } => {
            "the throughput limit, without latencies (see `pavane throughput`)".to_owned()
        }
    }
}
