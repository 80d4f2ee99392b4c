//! Bounds in words.

use pavane_model::printable::printable;
use pavane_model::throughput::LimitCertificate;
use pavane_model::timed::{TimeCertificate, TimedSchedule};
use pavane_model::words::{counted, listed};
use pavane_model::{Network, RouterId};

/// The most routers or channels that are named.
const NAMED: usize = 8;

/// The argument for the bound of a schedule, with the names of the bottleneck; empty if it has none.
pub fn explanation(schedule: &TimedSchedule) -> String {
    let network = schedule.phases[0].problem.network();
    let Some(bound) = &schedule.bound else { return String::new() };
    let roots = if schedule.phases.len() > 1 { ", whichever processors sum" } else { "" };
    match &bound.certificate {
        TimeCertificate::Cut { routers, receiver } => {
            let name = network.processor_name(*receiver);
            let name = printable(&name);
            let what = match schedule.phases.last() {
                Some(last) if last.problem.is_backward() => {
                    format!("what processor {name} contributes must leave {}", named(network, routers))
                }
                _ => format!("what processor {name} wants from {} must leave", named(network, routers)),
            };
            format!("{what}, after and before the latencies on the way")
        }
        TimeCertificate::Roots => {
            "every byte is summed at some processor: the latency from the farthest processor to it and \
             from it to the farthest one"
                .to_owned()
        }
        TimeCertificate::Prices { prices } => format!(
            "weighted congestion on {}, after and before the latencies on the way",
            priced(network, prices)
        ),
        TimeCertificate::Throughput { limit } => match limit {
            LimitCertificate::Cut { routers } => format!(
                "the bandwidth of the channels that leave {}, without latencies{roots}",
                named(network, routers)
            ),
            LimitCertificate::Cuts { cuts, .. } => {
                let smallest = cuts.iter().min_by_key(|cut| cut.routers.len());
                let such = smallest.map(|cut| named(network, &cut.routers)).unwrap_or_default();
                format!(
                    "the bandwidth of the channels across {}, such as that around {such}, without \
                     latencies{roots}",
                    counted(cuts.len(), "weighted cut")
                )
            }
            LimitCertificate::Prices { prices } => {
                format!("weighted congestion on {}, without latencies", priced(network, prices))
            }
        },
    }
}

/// `router 3`, or `the 8 routers a, b, …`.
fn named(network: &Network, routers: &[RouterId]) -> String {
    let name = |&router: &RouterId| printable(&network.router_name(router)).into_owned();
    let more = (routers.len() > NAMED).then(|| "…".to_owned());
    let names: Vec<String> = routers.iter().take(NAMED).map(name).chain(more).collect();
    match routers.len() {
        1 => format!("router {}", names[0]),
        count => format!("the {count} routers {}", listed(&names)),
    }
}

/// `8 channels, most of all on a → b, …`, or the channels themselves if they are few.
fn priced(network: &Network, prices: &[u64]) -> String {
    let count = prices.iter().filter(|&&price| price > 0).count();
    let most = prices.iter().copied().max().unwrap_or(0);
    let dearest = (0..prices.len()).filter(|&at| prices[at] == most);
    let name = |router| printable(&network.router_name(router)).into_owned();
    let channel = |at: usize| {
        let ends = network.channels()[at];
        format!("{} → {}", name(ends.tail), name(ends.head))
    };
    let names: Vec<String> = dearest.clone().take(NAMED).map(channel).collect();
    let more = if dearest.count() > NAMED { ", …" } else { "" };
    format!("{}, most of all {}{more}", counted(count, "channel"), names.join(", "))
}
