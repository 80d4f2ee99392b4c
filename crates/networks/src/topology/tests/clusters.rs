//! Bandwidths, latencies and cuts of the machines of several boxes.

use super::*;
use pavane_model::{ChannelId, Fraction};
use std::collections::BTreeMap;

fn sum(values: impl Iterator<Item = Fraction>) -> Fraction {
    values.fold(Fraction::ZERO, |sum, value| sum.checked_add(value).expect("small numbers"))
}

/// The bandwidth of the channels into a set of routers.
fn entering(network: &Network, is_inside: impl Fn(RouterId) -> bool) -> Fraction {
    let bandwidths = network.bandwidths().expect("all channels have one");
    let channels = network.channels().iter().zip(bandwidths);
    sum(channels
        .filter(|(channel, _)| !is_inside(channel.tail) && is_inside(channel.head))
        .map(|(_, bandwidth)| bandwidth))
}

/// The bandwidths of all channels, each with how many channels have it.
fn bandwidths(network: &Network) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<Fraction, usize> = BTreeMap::new();
    for bandwidth in network.bandwidths().expect("all channels have one") {
        *counts.entry(bandwidth).or_default() += 1;
    }
    counts.into_iter().map(|(bandwidth, count)| (bandwidth.to_string(), count)).collect()
}

/// A machine, its bandwidths with how many channels have each, and the sum over all channels.
type Expected = (&'static str, &'static [(&'static str, usize)], &'static str);

#[test]
fn bandwidths_are_the_published_ones() {
    let table: &[Expected] = &[
        ("dgx-a100:1", &[("300", 16)], "4800"),
        ("dgx-a100:2", &[("25", 64), ("300", 32)], "11200"),
        ("dgx-a100:4", &[("25", 128), ("300", 64)], "22400"),
        ("dgx-h100:4", &[("50", 128), ("200", 16), ("450", 64)], "38400"),
        ("dgx2:2", &[("25/2", 16), ("125", 64)], "8200"),
        ("ndv2:1", &[("25", 16), ("50", 16)], "1200"),
        ("ndv2:2", &[("25/2", 2), ("25", 32), ("50", 32)], "2425"),
        ("ndv2:4", &[("25/2", 8), ("25", 64), ("50", 64)], "4900"),
        ("mi250:1", &[("50", 112)], "5600"),
        ("mi250:2", &[("16", 64), ("50", 224)], "12224"),
    ];
    for (spec, counts, total) in table {
        let network = build(spec).expect(spec);
        let expected: Vec<(String, usize)> =
            counts.iter().map(|&(bandwidth, count)| (bandwidth.to_owned(), count)).collect();
        assert_eq!(bandwidths(&network), expected, "{spec}");
        let all = sum(network.bandwidths().expect("all").into_iter());
        assert_eq!(all.to_string(), *total, "{spec}");
    }
}

#[test]
fn latencies_are_the_published_ones() {
    for (spec, inside, between) in [("dgx2:2", "350", "2600"), ("ndv2:4", "700", "1300")] {
        let network = build(spec).expect(spec);
        let latencies = network.latencies().expect("all channels have one");
        for (channel, latency) in (0..).map(ChannelId).zip(latencies) {
            let is_link = network.opposite(channel).is_some();
            assert_eq!(latency.to_string(), if is_link { inside } else { between }, "{spec}");
        }
    }
    let plain = build("mi250:2").expect("33 routers");
    assert!(plain.latencies().expect("none").into_iter().all(Fraction::is_zero));
}

/// Lower bounds on the time of an all-gather per byte of a shard: what a GPU, or a box, must
/// receive over the bandwidth into it. For these machines the larger one is the known optimum.
#[test]
fn cuts_give_the_known_limits_of_an_all_gather() {
    for (spec, per_box, expected) in [
        ("dgx-a100:1", 8, "7/300"),
        ("dgx-a100:2", 8, "3/65"),
        ("dgx-a100:4", 8, "3/25"),
        ("mi250:4", 16, "3/16"),
        ("ndv2:2", 8, "16/25"),
        ("ndv2:4", 8, "48/25"),
        ("dgx2:2", 16, "31/125"),
    ] {
        let network = build(spec).expect(spec);
        let processors = network.processor_count() as u64;
        let prefix = |router| network.router_name(router).split('/').next().map(str::to_owned);
        let time = |missing: u64, bandwidth| {
            Fraction::from(missing).checked_div(bandwidth).expect("a cut has bandwidth")
        };
        let mut limit = Fraction::ZERO;
        for gpu in (0..processors as u32).map(RouterId) {
            limit = limit.max(time(processors - 1, entering(&network, |router| router == gpu)));
            if processors > per_box {
                let of_box = |router| prefix(router) == prefix(gpu);
                limit = limit.max(time(processors - per_box, entering(&network, of_box)));
            }
        }
        assert_eq!(limit.to_string(), expected, "{spec}");
    }
}

#[test]
fn names_and_positions() {
    let network = build("dgx-h100:3").expect("3 boxes");
    let find = |name: &str| network.find_router(name).expect(name);
    for (name, to, bandwidth) in [
        ("box2/gpu3", "box2/nvswitch", 450.0),
        ("box2/gpu3", "box2/nic3", 50.0),
        ("box1/nic3", "rail3", 50.0),
        ("rail3", "spine", 150.0),
    ] {
        let mut channels = network.channels_between(find(name), find(to));
        let channel = channels.next().expect(name);
        assert_eq!(network.timing(channel).bandwidth_gbytes, Some(bandwidth), "{name} -> {to}");
        assert_eq!(channels.next(), None);
    }
    assert_eq!(network.home(ProcessorId(19)), Some(find("box2/gpu3")));
    for spec in ["dgx-a100:1", "dgx-a100:3", "dgx-h100:3", "dgx2:2", "ndv2:2", "ndv2:3", "mi250:2"]
    {
        let network = build(spec).expect(spec);
        let mut places: Vec<(i64, i64)> = network
            .positions()
            .iter()
            .map(|&(x, y)| ((x * 1000.0) as i64, (y * 1000.0) as i64))
            .collect();
        assert_eq!(places.len(), network.router_count(), "{spec}");
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), network.router_count(), "{spec}: two routers at one place");
    }
    assert!(build("mi250:1024").is_ok());
}

#[test]
fn an_ndv2_box_has_the_links_of_a_dgx_1v() {
    let (ndv2, dgx) = (build("ndv2:1").expect("8 GPUs"), build("dgx-1v").expect("8 GPUs"));
    let speed = |network: &Network, a, b| {
        let channels = network.channels_between(RouterId(a), RouterId(b));
        channels.filter_map(|c| network.timing(c).bandwidth_gbytes).sum::<f64>()
    };
    for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
        assert_eq!(speed(&ndv2, a, b), speed(&dgx, a, b), "{a} - {b}");
    }
}
