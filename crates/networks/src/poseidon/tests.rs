//! Platforms as networks.

use crate::import::{FileKind, parse};
use crate::name_check::is_network_right;
use crate::poseidon::read_platform;
use pavane_model::{ChannelId, Network};

fn network(text: &str) -> Network {
    assert_eq!(FileKind::of("some.xml".as_ref(), text), FileKind::Poseidon);
    parse(text, "some.xml", FileKind::Poseidon).unwrap()
}

#[test]
fn meshes_and_tori_are_families() {
    for (kind, name) in [("mesh", "mesh:3x4"), ("bitorus", "torus:3x4")] {
        let text = format!(
            "<?xmlversion=\"1.0\"?>\n<!-- a <comment> -->\n<platform width=\"4\" height=\"3\">\
             <topology type=\"{kind}\" routerDepth=\"2\" linkDepth=\"1\"/></platform>\
             <communication type=\"all2all\"/>"
        );
        let found = network(&text);
        assert_eq!(found.name(), name);
        assert!(is_network_right(&found));
        let platform = read_platform(&text, "some.xml").unwrap().unwrap();
        assert_eq!((platform.width, platform.height, platform.depth), (4, 3, 3));
    }
    let old = "<topology width=\"4\" height=\"3\"><graph type=\"bitorus\"/></topology>";
    assert_eq!(network(old).name(), "torus:3x4");
}

#[test]
fn two_tiles_alone_in_a_row_have_two_links() {
    let text = "<platform width=\"2\" height=\"2\"><topology topoType=\"bitorus\"/></platform>";
    let found = network(text);
    assert_eq!((found.router_count(), found.channel_count()), (4, 16));
    assert!((0..16).all(|channel| found.opposite(ChannelId(channel)).is_some()));
}

#[test]
fn a_custom_platform_has_the_links_of_its_list() {
    let text = "<platform width=\"3\" height=\"2\"><topology type=\"custom\">\
                <link source=\"(0,0)\" sink=\"(1,0)\"/><link source=\"(1,0)\" sink=\"(1,1)\"/>\
                <link source=\"(1,0)\" sink=\"(0,0)\"/></topology></platform>";
    let found = network(text);
    let channels: Vec<_> = found.channels().iter().map(|c| (c.tail.0, c.head.0)).collect();
    assert_eq!(channels, [(0, 1), (1, 4), (1, 0)]);
    assert_eq!(found.opposite(ChannelId(0)), Some(ChannelId(2)));
    assert_eq!(found.opposite(ChannelId(1)), None);
    // Tiles without a link have no processor.
    assert_eq!((found.router_count(), found.processor_count()), (6, 3));
    assert_eq!(found.router_name(pavane_model::RouterId(4)), "1,1");
}

#[test]
fn other_xml_is_not_a_specification() {
    for text in [
        "<platform version=\"4.1\"><zone/></platform>",
        "<graphml><graph/></graphml>",
        "<system version=\"1\"/>",
        "<platforms width=\"2\"/>",
    ] {
        assert_ne!(FileKind::of("some.xml".as_ref(), text), FileKind::Poseidon, "{text}");
    }
}

#[test]
fn mistakes_are_named_with_their_line() {
    let platform =
        |inner: &str| format!("<platform width=\"2\"\n height=\"2\">\n{inner}</platform>");
    for (text, part) in [
        (platform(""), "line 1: <platform> has no <topology>"),
        (platform("<topology/>"), "line 3: <topology> has no type"),
        (platform("<topology type=\"ring\"/>"), "line 3: the type is \"ring\"; known are"),
        (platform("<topology type=\"mesh\" routerDepth=\"x\"/>"), "routerDepth is \"x\""),
        (platform("<topology type=\"custom\"/>"), "there is no <link>"),
        (
            platform(
                "<topology type=\"custom\">\n<link source=\"(0,0)\" sink=\"(2,0)\"/></topology>",
            ),
            "line 4: there is no tile (2,0); the last one is (1,1)",
        ),
        (
            platform(
                "<topology type=\"custom\"><link source=\"(0,0)\" sink=\"(0,0)\"/></topology>",
            ),
            "from a tile to itself",
        ),
        (
            platform("<topology type=\"custom\"><link source=\"0\" sink=\"(0,0)\"/></topology>"),
            "source is \"0\", but it must be a tile such as (0,2)",
        ),
        (
            platform(
                "<topology type=\"custom\"><link source=\"(0,0)\" sink=\"(1,0)\" depth=\"3\"/><link source=\"(1,0)\" sink=\"(0,0)\"/></topology>",
            ),
            "this link takes 0 slots, but those before it take 3; all links must have the same depth",
        ),
        ("<platform height=\"2\"><topology type=\"mesh\"/></platform>".into(), "has no width"),
        ("<platform width=\"2\" height=\"2\"><topology".into(), "line 1"),
        ("<communication type=\"all2all\"/>".into(), "with --traffic"),
    ] {
        let error = parse(&text, "some.xml", FileKind::Poseidon).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn links_that_all_have_the_same_depth_are_read() {
    let links = "<link source=\"(0,0)\" sink=\"(1,0)\" depth=\"2\"/><link source=\"(1,0)\" sink=\"(0,0)\" depth=\"2\"/>";
    let text = format!(
        "<platform width=\"2\" height=\"1\"><topology type=\"custom\" routerDepth=\"3\">{links}</topology></platform>"
    );
    let platform = super::read_platform(&text, "some.xml").unwrap().unwrap();
    assert_eq!(platform.depth, 5);
}
