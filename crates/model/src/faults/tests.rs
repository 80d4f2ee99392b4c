//! What faults remove, how they are written, and their errors.

use super::*;
use crate::network::NetworkBuilder;

fn network(links: &[(u32, u32)], channels: &[(u32, u32)], names: &[&str]) -> Network {
    let ends = links.iter().chain(channels).flat_map(|&(a, b)| [a, b]);
    let mut builder = NetworkBuilder::new("net", ends.max().unwrap() + 1);
    for &(a, b) in links {
        builder.link(a, b);
    }
    for &(a, b) in channels {
        builder.channel(a, b);
    }
    builder.processor_on_each_router();
    builder.router_names(names.iter().map(|&name| name.to_owned()).collect());
    builder.build().unwrap()
}

/// Applies the faults; a leading `>` marks the fault of a single channel.
fn broken(network: &Network, texts: &str) -> Result<Network, FaultError> {
    let parse = |text: &str| match text.strip_prefix('>') {
        Some(text) => Fault::parse_channel(network, text),
        None => Fault::parse(network, text),
    };
    network.without(&texts.split_whitespace().map(parse).collect::<Result<Vec<_>, _>>()?)
}

fn ends(network: &Network) -> Vec<(u32, u32)> {
    network.channels().iter().map(|channel| (channel.tail.0, channel.head.0)).collect()
}

#[test]
fn faults_remove_the_named_parts() {
    let double = network(&[(0, 1), (0, 1), (1, 2)], &[], &[]);
    let directed = network(&[], &[(0, 1), (1, 2), (2, 0), (0, 2)], &[]);
    let both = vec![(0, 1), (1, 0)];
    // Network, faults, remaining channels, faults recorded.
    for (net, texts, left, words) in [
        (&double, "0-1", [both.clone(), vec![(1, 2), (2, 1)]].concat(), "0-1"),
        (&double, "0-1 1-0", vec![(1, 2), (2, 1)], "0-1 1-0"),
        (&double, "2", [both.clone(), both.clone()].concat(), "2"),
        (&double, ">1-0 2", [vec![(0, 1)], both.clone()].concat(), "1:0 2"),
        (&double, "1>0 >1-0 2", vec![(0, 1), (0, 1)], "1:0 1:0 2"),
        (&double, "1>0 0-1 2", vec![(0, 1)], "1:0 0-1 2"),
        (&double, "1:2 2:1", [both.clone(), both.clone()].concat(), "1:2 2:1"),
        (&double, ">1-2 >2:1", [both.clone(), both.clone()].concat(), "1:2 2:1"),
        (&double, "1:2 2-1", [both.clone(), both.clone()].concat(), "1:2 2:1"),
        (&double, "r0 1-2", vec![], "1-2 0"),
        (&double, "0–1 2→1", [both.clone(), vec![(1, 2)]].concat(), "0-1 2:1"),
        // A router takes its links with it, whichever comes first.
        (&double, "2 1-2", [both.clone(), both.clone()].concat(), "1-2 2"),
        (&double, "2 >2-1 1-0", both.clone(), "2:1 1-0 2"),
        (&directed, "0-2", vec![(0, 1), (1, 2), (2, 0)], "0-2"),
        (&directed, ">2-0", vec![(0, 1), (1, 2), (0, 2)], "2-0"),
    ] {
        let network = broken(net, texts).unwrap();
        assert_eq!(ends(&network), left, "{texts}");
        assert_eq!(network.faults().join(" "), words);
    }
    let half = broken(&double, ">1-0").unwrap();
    assert_eq!(half.opposite(ChannelId(0)), None);
    assert_eq!(half.opposite(ChannelId(1)), Some(ChannelId(2)));
    let without_router = broken(&double, "2").unwrap();
    assert_eq!(without_router.home(crate::ProcessorId(2)), None);
    assert!(without_router.is_lost(RouterId(2)));
}

#[test]
fn names_win_over_numbers_and_may_contain_dashes_and_commas() {
    let named = network(&[(0, 1), (1, 2), (2, 3)], &[], &["1", "a-b", "1,2", "a"]);
    for (text, expected) in [
        ("1", Fault::Router(RouterId(0))),
        ("r1", Fault::Router(RouterId(1))),
        ("a-b", Fault::Router(RouterId(1))),
        ("a-1,2", Fault::Link(RouterId(3), RouterId(2))),
        ("1,2-a-b", Fault::Link(RouterId(2), RouterId(1))),
        ("a-b-1", Fault::Link(RouterId(1), RouterId(0))),
        ("r3-r2", Fault::Link(RouterId(3), RouterId(2))),
        ("a-b:1", Fault::Channel(RouterId(1), RouterId(0))),
        ("a>1,2", Fault::Channel(RouterId(3), RouterId(2))),
    ] {
        assert_eq!(Fault::parse(&named, text).unwrap(), expected, "{text}");
    }
    let twofold = network(&[(0, 1), (2, 3)], &[], &["a", "b-c", "a-b", "c"]);
    assert!(matches!(Fault::parse(&twofold, "a-b-c"), Err(FaultError::Ambiguous { .. })));
    let colons = network(&[(0, 1), (2, 3)], &[], &["a", "b:c", "a-b", "c"]);
    assert!(matches!(Fault::parse(&colons, "a-b:c"), Err(FaultError::Ambiguous { .. })));
    let once = network(&[(0, 1), (2, 1), (1, 3)], &[], &["a", "b-c", "a-b", "c"]);
    assert_eq!(
        Fault::parse(&once, "a-b-c").unwrap(),
        Fault::Link(RouterId(0), RouterId(1)),
        "only one of the two pairs has a link"
    );
}

#[test]
fn an_unknown_fault_is_refused_with_the_valid_range() {
    let ring = network(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[], &[]);
    let directed = network(&[], &[(0, 1), (1, 2), (2, 0)], &[]);
    for (net, texts, expected) in [
        (
            &ring,
            "0-2",
            "no link from router 0 to router 2 to break; channels from router 0 lead to 1, 3",
        ),
        (&ring, ">0-2", "no channel from router 0 to router 2 to break"),
        (
            &ring,
            "0-1 0-1",
            "no link from router 0 to router 1 left to break; channels from router 0 lead to 3",
        ),
        (&ring, "1 0-1 1-0", "no link from router 1 to router 0 left"),
        (&ring, "0-1 3-0 0-1", "no channel leaves router 0"),
        (&ring, "0-0", "no link from router 0 to router 0"),
        (&ring, "2 2", "router 2 is already lost"),
        (&ring, "4", "\"4\" is neither a router"),
        (&ring, "4", "write 0 for a router, 0-1 for a link or 0:1 for one direction of it"),
        (&ring, "0-4", "\"0-4\" is neither a router nor a pair of routers of net"),
        (&ring, "-", "(routers are 0 to 3)"),
        (&ring, ">2", "\"2\" is neither a router"),
        (&ring, "99999999999999999999", "is neither a router"),
        (&ring, "0 1 2 3", "net has no processors"),
        (
            &directed,
            "1-0",
            "no link from router 1 to router 0 to break; channels from router 1 lead to 2",
        ),
    ] {
        let error = broken(net, texts).unwrap_err().to_string();
        assert!(error.contains(expected), "{texts:?} gave {error:?}");
    }
    let twice = broken(&ring, "2").unwrap();
    assert!(broken(&twice, "2").unwrap_err().to_string().contains("is already lost"));
}

#[test]
fn a_file_has_a_fault_per_line() {
    let named = network(&[(0, 1), (1, 2), (2, 0)], &[], &["a", "b#1", "c"]);
    let faults = file::parse("f", "# all\n\na-b#1 # a link\n  c\t# a router\nc:a\n", &named);
    let (a, b, c) = (RouterId(0), RouterId(1), RouterId(2));
    assert_eq!(faults.unwrap(), [Fault::Link(a, b), Fault::Router(c), Fault::Channel(c, a)]);
    let error = file::parse("f", "a-c\nb-c", &named).unwrap_err().to_string();
    assert!(error.starts_with("f, line 2: \"b-c\" is neither a router"), "{error}");
}

#[test]
fn numbers_in_a_schedule_file_are_never_names() {
    for names in [["1", "2", "0"], ["r1", "r2", "r0"]] {
        let named = network(&[(0, 1), (1, 2), (2, 0)], &[], &names);
        for text in ["1-2", "2:0", "1"] {
            let fault = Fault::parse_numbers(&named, text).unwrap();
            assert_eq!(fault.numbers(), text);
            assert_eq!(Fault::parse(&named, &fault.name(&named)).unwrap(), fault);
        }
        for text in ["", "3", "1-3", "r1", "a", "1-", "-"] {
            assert!(Fault::parse_numbers(&named, text).is_err(), "{text:?}");
        }
    }
}

#[test]
fn remaining_channels_are_renumbered() {
    let double = network(&[(0, 1), (0, 1), (1, 2)], &[], &[]);
    for (text, expected) in [
        ("0-1", [None, None, Some(0), Some(1), Some(2), Some(3)]),
        ("2", [Some(0), Some(1), Some(2), Some(3), None, None]),
        ("1>0", [Some(0), None, Some(1), Some(2), Some(3), Some(4)]),
    ] {
        let fault = Fault::parse(&double, text).unwrap();
        let after = double.channels_after(&[fault]).unwrap();
        assert_eq!(after, expected.map(|number: Option<u32>| number.map(ChannelId)), "{text}");
        let broken = double.without(&[fault]).unwrap();
        for (old, new) in (0..).zip(after) {
            if let Some(new) = new {
                assert_eq!(double.channel(ChannelId(old)), broken.channel(new));
            }
        }
    }
}
