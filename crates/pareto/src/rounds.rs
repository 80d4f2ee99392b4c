//! Channels with different bandwidths: a round is the time in which a channel of the unit carries a chunk,
//! and faster channels count several times.

use crate::front::FrontError;
use pavane_model::network::Timing;
use pavane_model::{ChannelId, Fraction, Network, NetworkBuilder, Problem};

/// The most channels that a network may have after faster ones are counted several times.
const MOST_CHANNELS: u64 = 100_000;

/// The problem on the network in which a channel counts as often as `unit` fits into its bandwidth; without
/// a unit that of the slowest channel. If all count once, the problem stays as it is.
pub fn in_rounds(problem: &Problem, unit: Option<Fraction>) -> Result<Problem, FrontError> {
    let network = problem.network();
    let bandwidths = network.bandwidths()?;
    let Some(unit) = unit.or(bandwidths.iter().copied().min()) else { return Ok(problem.clone()) };
    let mut counts = Vec::new();
    for (channel, bandwidth) in (0..).map(ChannelId).zip(&bandwidths) {
        let times = bandwidth.checked_div(unit).map(|it| it.numerator() / it.denominator());
        let count = times.and_then(|times| u64::try_from(times).ok()).unwrap_or(u64::MAX);
        if count == 0 {
            let ends = network.channel(channel);
            return Err(FrontError::TooSlow {
                tail: network.router_name(ends.tail),
                head: network.router_name(ends.head),
                bandwidth_gbytes: bandwidth.to_f64(),
                unit_gbytes: unit.to_f64(),
            });
        }
        counts.push(count);
    }
    let all = counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
    if all > MOST_CHANNELS {
        return Err(FrontError::TooFine { channels: all, unit_gbytes: unit.to_f64() });
    }
    if counts.iter().all(|&count| count == 1) {
        return Ok(problem.clone());
    }
    let counted = counted(network, &counts, unit)?;
    let collective = problem.collective().clone();
    Ok(Problem::with_limit(counted, collective, problem.model(), u64::MAX)?)
}

/// The network with every channel as often as it counts. Copies of the channels of a link are links, as far
/// as both directions count.
fn counted(network: &Network, counts: &[u64], unit: Fraction) -> Result<Network, FrontError> {
    let name = format!("{} in rounds of {} GB/s", network.name(), unit.to_f64());
    let mut builder = NetworkBuilder::new(name, network.router_count() as u32);
    let mut first: Vec<usize> = Vec::new();
    for (channel, &count) in (0..).map(ChannelId).zip(counts) {
        first.push(builder.channel_count());
        let ends = network.channel(channel);
        let latency_ns = network.timing(channel).latency_ns;
        for _ in 0..count {
            let timing = Timing { latency_ns, bandwidth_gbytes: unit.as_decimal() };
            builder.channel(ends.tail.0, ends.head.0).timing(timing);
        }
    }
    for channel in (0..counts.len() as u32).map(ChannelId) {
        let Some(other) = network.opposite(channel).filter(|&other| channel < other) else {
            continue;
        };
        for copy in 0..counts[channel.index()].min(counts[other.index()]) as usize {
            let copy_of = |it: ChannelId| ChannelId((first[it.index()] + copy) as u32);
            builder.join(copy_of(channel), copy_of(other));
        }
    }
    for processor in 0..network.processor_count() as u32 {
        let home = network.home(pavane_model::ProcessorId(processor));
        builder.processor(home.map(|home| home.0));
    }
    if network.has_router_names() {
        let names = network.routers().map(|router| network.router_name(router));
        builder.router_names(names.collect());
    }
    builder.positions(network.positions().to_vec()).faults(network.faults().to_vec());
    builder.multicast(network.multicast().iter().map(|router| router.0).collect());
    Ok(builder.build()?)
}
