//! All formats with their variants, all errors with their messages, and arbitrary input without a
//! panic.

mod machines;
mod mistakes;

use super::*;
use pavane_model::{ChannelId, ProcessorId, RouterId};
use proptest::collection::vec;
use proptest::prelude::*;

fn good(text: &str, kind: FileKind) -> Network {
    parse(text, "dir/net.x", kind).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// `routers: channels | homes | names`, with `-` for a link and `>` for a channel without a link.
fn summary(network: &Network) -> String {
    let mut channels = Vec::new();
    for (number, channel) in network.channels().iter().enumerate() {
        match network.opposite(ChannelId(number as u32)) {
            Some(other) if other.index() < number => {}
            Some(_) => channels.push(format!("{}-{}", channel.tail, channel.head)),
            None => channels.push(format!("{}>{}", channel.tail, channel.head)),
        }
    }
    let homes = (0..network.processor_count() as u32).map(|p| network.home(ProcessorId(p)));
    let homes = homes.map(|home| home.map_or("lost".into(), |router| router.to_string()));
    let names = if network.has_router_names() {
        network.routers().map(|router| network.router_name(router)).collect()
    } else {
        Vec::new()
    };
    let parts = [channels.join(" "), homes.collect::<Vec<_>>().join(" "), names.join(" ")];
    format!("{}: {}", network.router_count(), parts.join(" | "))
}

#[test]
fn every_format_reads_the_same_network() {
    let square = "4: 0-1 1-2 2-3 3-0 | 0 1 2 3 | ";
    for (kind, text) in [
        (FileKind::Toml, "routers = 4\nlinks = [[0, 1], [1, 2], [2, 3], [3, 0]]\n"),
        (
            FileKind::Json,
            r#"{"format": "pavane/network/1", "routers": 4, "links": [[0,1],[1,2],[2,3],[3,0]]}"#,
        ),
        (
            FileKind::Json,
            r#"{"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}],
                "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 2, "target": 3}, {"source": 3, "target": 0}]}"#,
        ),
        (
            FileKind::GraphMl,
            r#"<graphml><graph edgedefault="undirected"><node id="0"/><node id="1"/><edge source="0" target="1"/>
               <edge source="1" target="2"/><edge source="2" target="3"/><edge source="3" target="0"/><node id="3"/><node id="2"/></graph></graphml>"#,
        ),
        (FileKind::Dot, "graph { 0 -- 1 -- 2 -- 3 -- 0 }"),
        (FileKind::EdgeList, "# a square\n0 1\n1 2\n\n2 3\n3 0\n"),
        (
            FileKind::EdgeList,
            "# Directed by hand\n# Undirected graph: x\n0 1 {}\n1 2 {'weight': 3}\n2\t3\n3 0 % back",
        ),
    ] {
        let network = good(text, kind);
        assert_eq!(summary(&network), square, "{text}");
        assert_eq!(network.name(), "net.x");
    }
    let matrix = good("0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n", FileKind::Matrix);
    assert_eq!(summary(&matrix), "4: 0-1 0-3 1-2 2-3 | 0 1 2 3 | ");
}

#[test]
fn edge_lists_have_names_directions_and_switches() {
    for (text, expected) in [
        ("10 7\n7 8", "3: 2-0 0-1 | 0 1 2 | 7 8 10"),
        ("01 7", "2: 0-1 | 0 1 | 01 7"),
        ("b a\na c", "3: 0-1 1-2 | 0 1 2 | b a c"),
        ("directed\n0 1\n1 0", "2: 0>1 1>0 | 0 1 | "),
        ("# directed\n0 1", "2: 0>1 | 0 1 | "),
        ("# Directed graph (saved once): a.txt\n# Nodes: 2\n0\t1", "2: 0>1 | 0 1 | "),
        ("Directed\n0 1", "2: 0>1 | 0 1 | "),
        ("0 1\n0 1\n1 0", "2: 0-1 0-1 1-0 | 0 1 | "),
        ("switch s\na s\nb s", "3: 1-0 2-0 | 1 2 | s a b"),
        ("0 1\n1 2\nprocessors 2 0 2", "3: 0-1 1-2 | 2 0 2 | "),
        ("1,1 1,2", "2: 0-1 | 0 1 | 1,1 1,2"),
    ] {
        assert_eq!(summary(&good(text, FileKind::EdgeList)), expected, "{text}");
    }
}

#[test]
fn edge_lists_have_bandwidths_as_networkx_writes_them() {
    let text = "a b {'weight': 3, 'bandwidth_gbytes': 12.5}\nb c {\"latency_ns\": 700}\nc a {}\n";
    let network = good(text, FileKind::EdgeList);
    assert_eq!(summary(&network), "3: 0-1 1-2 2-0 | 0 1 2 | a b c");
    assert_eq!(network.timing(ChannelId(0)).bandwidth_gbytes, Some(12.5));
    assert_eq!(network.timing(ChannelId(2)).latency_ns, Some(700.0));
    assert_eq!(network.timing(ChannelId(4)).latency_ns, None);
}

#[test]
fn matrices_count_links() {
    for (text, expected) in [
        ("0,2\n2,0", "2: 0-1 0-1 | 0 1 | "),
        ("0 1\n1 0\n", "2: 0-1 | 0 1 | "),
        ("directed\n0;1\n1;0\n", "2: 0>1 1>0 | 0 1 | "),
        ("# comment\n0,1,0\n0,0,2\n0,0,0", "3: 0>1 1>2 1>2 | 0 1 2 | "),
        ("0.0e+00 1.0e+00\n1.000 0.000", "2: 0-1 | 0 1 | "),
        ("0", "1:  | 0 | "),
    ] {
        assert_eq!(summary(&good(text, FileKind::Matrix)), expected, "{text}");
    }
}

#[test]
fn dot_is_read_as_graphviz_reads_it() {
    for (text, expected) in [
        ("digraph g { a -> b; b -> a }", "2: 0>1 1>0 | 0 1 | a b"),
        ("strict graph { a -- b; b -- a; a -- b }", "2: 0-1 | 0 1 | a b"),
        ("graph { a -- b a -- b }", "2: 0-1 0-1 | 0 1 | a b"),
        ("graph { {a b} -- {c d} }", "4: 0-2 0-3 1-2 1-3 | 0 1 2 3 | a b c d"),
        ("graph { a -- {b; c} -- d }", "4: 0-1 0-2 1-3 2-3 | 0 1 2 3 | a b c d"),
        ("digraph { subgraph x { a -> b } -> c }", "3: 0>1 0>2 1>2 | 0 1 2 | a b c"),
        ("graph { a:p1:n -- b:x; }", "2: 0-1 | 0 1 | a b"),
        (
            "graph { \"a \\\"b\" -- -1.5 -- <x<i>y</i>> }",
            "3: 0-1 1-2 | 0 1 2 | a \"b -1.5 x<i>y</i>",
        ),
        ("graph { \"a\" + \"b\" -- c }", "2: 0-1 | 0 1 | ab c"),
        ("// x\n# y\ngraph /* z { */ { 0 -- 1 }\n", "2: 0-1 | 0 1 | "),
        ("GRAPH { 1 -- 0 [weight=3, color=\"red\"; x] [y=z] }", "2: 1-0 | 0 1 | "),
        ("graph { s [processors=0]; a [processors=2] a -- s }", "2: 1-0 | 1 1 | s a"),
        (
            "graph { node [switch=true]; s; {node [type=host switch=false] a} t; a -- s -- t }",
            "3: 1-0 0-2 | 1 | s a t",
        ),
        ("graph { s [type=switch] a -- s }", "2: 1-0 | 1 | s a"),
        ("digraph { 0 -> 1 [dir=both]; 1 -> 2 }", "3: 0-1 1>2 | 0 1 2 | "),
        ("graph { 0 [label=x] 1 [label=y] 0 -- 1 }", "2: 0-1 | 0 1 | x y"),
        ("graph { 0 [label=x] 1 [label=x] 0 -- 1 }", "2: 0-1 | 0 1 | "),
        ("graph { rankdir=LR; graph [bgcolor=red]; edge [color=blue] a; }", "1:  | 0 | a"),
    ] {
        assert_eq!(summary(&good(text, FileKind::Dot)), expected, "{text}");
    }
    assert_eq!(good("graph \"my net\" { a }", FileKind::Dot).name(), "my net");
    assert_eq!(good("graph { label=\"b\\\\c\" a }", FileKind::Dot).name(), "b\\c");
}

#[test]
fn node_link_json_is_read_as_networkx_writes_it() {
    for (text, expected) in [
        (
            r#"{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "b", "target": "a", "key": 0}]}"#,
            "2: 1>0 | 0 1 | a b",
        ),
        (
            r#"{"nodes": [{"id": [0, 0]}, {"id": [0, 1]}], "links": [{"source": [0, 0], "target": [0, 1]}]}"#,
            "2: 0-1 | 0 1 | 0,0 0,1",
        ),
        (
            r#"{"nodes": [{"id": 5, "switch": true}, {"id": 3, "processors": 2, "pos": [1, {"a": 2}]}], "links": [{"source": 5, "target": 3}]}"#,
            "2: 1-0 | 0 0 | 3 5",
        ),
        (
            r#"{"multigraph": true, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 0}]}"#,
            "2: 0-1 1-0 | 0 1 | ",
        ),
    ] {
        assert_eq!(summary(&good(text, FileKind::Json)), expected, "{text}");
    }
}

#[test]
fn graphml_has_keys_and_directions() {
    let comment = "<!-- isn't <this a tag -->".repeat(1000);
    let text = r#"<?xml version="1.0"?><!-- x --><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
        <key id="d0" for="node" attr.name="processors" attr.type="int"><default>2</default></key>
        <key id="d1" for="edge" attr.name="latency_ns" attr.type="double"/>
        <graph id="G" edgedefault="directed"><node id="n0"><data key="d0">0</data></node><node id="n1"/>
        <edge id="e" source="n0" target="n1"><data key="d1"> 2.5 </data></edge>
        <edge source="n1" target="n0" directed="false"/><edge source="n1" target="n0"/></graph></graphml>"#;
    let network = good(&format!("{text}{comment}"), FileKind::GraphMl);
    assert_eq!(summary(&network), "2: 0>1 1-0 1>0 | 1 1 | n0 n1");
    assert_eq!(network.timing(ChannelId(0)).latency_ns, Some(2.5));
    assert_eq!(network.timing(ChannelId(1)).latency_ns, None);
}

#[test]
fn own_files_describe_the_network_completely() {
    let text = r#"
        format = "pavane/network/1"
        name = "two boards"
        routers = ["a", "b", "spine"]
        processors = ["b", 0, 0]
        links = [["a", "spine"], { from = "b", to = 2, latency_ns = 500.0, bandwidth_gbytes = 25 }]
        channels = [[0, 1]]
    "#;
    let network = good(text, FileKind::Toml);
    assert_eq!(summary(&network), "3: 0-2 1-2 0>1 | 1 0 0 | a b spine");
    assert_eq!(network.name(), "two boards");
    let timing = network.timing(ChannelId(3));
    assert_eq!((timing.latency_ns, timing.bandwidth_gbytes), (Some(500.0), Some(25.0)));
    let json = r#"{"routers": 3, "processors": [0, null, 1, 2], "lost_routers": [2], "faults": ["2"],
        "channels": [{"from": 0, "to": 1, "link": 7}, [0, 1], {"from": 1, "to": 0, "link": 7}]}"#;
    let network = good(json, FileKind::Json);
    assert_eq!(summary(&network), "3: 0-1 0>1 | 0 lost 1 lost | ");
    assert!(network.is_lost(RouterId(2)));
    assert_eq!(network.faults(), ["2"]);
    let tables = "routers = 2\nprocessors = 2\n[[links]]\nfrom = 0\nto = 1\n";
    assert_eq!(summary(&good(tables, FileKind::Toml)), "2: 0-1 | 0 0 1 1 | ");
}

#[test]
fn extensions_and_content_say_the_format() {
    for (path, text, expected) in [
        ("a.toml", "", FileKind::Toml),
        ("a.JSON", "", FileKind::Json),
        ("a.graphml", "", FileKind::GraphMl),
        ("a.xml", "", FileKind::GraphMl),
        ("a.gv", "", FileKind::Dot),
        ("a.csv", "0 1", FileKind::Matrix),
        ("a.el", "0 1", FileKind::EdgeList),
        ("a", "0 1", FileKind::EdgeList),
        ("a.txt", "\n {\"nodes\": []}", FileKind::Json),
        ("a.out", "<?xml", FileKind::GraphMl),
        ("a", "strict digraph {", FileKind::Dot),
        ("a.txt", "graph b\nb c", FileKind::EdgeList),
    ] {
        assert_eq!(FileKind::of(Path::new(path), text), expected, "{path} {text}");
    }
}

#[test]
fn a_network_argument_is_a_name_or_a_file() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("ring");
    std::fs::write(&path, "0 1\n").unwrap();
    assert_eq!(load(path.to_str().unwrap()).unwrap().router_count(), 2);
    assert_eq!(load("ring:5").unwrap().router_count(), 5);
    assert_eq!(load("ring:5@2").unwrap().processor_count(), 10);
    for (text, expected) in [
        ("none.dot", "none.dot: there is no such file"),
        ("./ring", "./ring: there is no such file"),
        ("rnig:4", "the nearest is ring"),
        (place.path().to_str().unwrap(), "is a directory"),
    ] {
        let error = load(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_examples_of_the_documentation_are_read() {
    let pages = include_str!("../../../../docs/network-files.md");
    let mut read = Vec::new();
    for block in pages.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        let kind = match language {
            "toml" => FileKind::Toml,
            "json" => FileKind::Json,
            "xml" => FileKind::GraphMl,
            "dot" => FileKind::Dot,
            "csv" => FileKind::Matrix,
            "smi" => FileKind::Smi,
            _ => FileKind::EdgeList,
        };
        read.push(summary(&good(text, kind)));
    }
    let expected = [
        "3: 0-2 1-2 0>1 | 0 0 1 | a b spine",
        "3: 0-1 1-2 | 0 lost 2 | ",
        "7: 0-1 1-4 2-3 3-5 4-6 5-6 | 0 1 2 3 | box0/gpu0 box0/gpu1 box1/gpu0 box1/gpu1 box0/nic0 \
         box1/nic0 switch0",
        "3: 0-2 1-2 | 0 1 | left right core",
        "3: 0-2 1-2 0>1 | 0 1 | left right core",
        "4: 1-0 2-0 3-0 1-2 2-3 | 1 1 2 2 3 3 | core a b c",
        "3: 0>1 1>2 2>0 | 0 2 | left core right",
        "3: 0-1 0-1 0-2 1-2 | 0 1 2 | ",
        "4: 0-1 0-2 0-3 0-3 1-2 1-2 1-3 2-3 | 0 1 2 3 | gpu0 gpu1 gpu2 gpu3",
    ];
    assert_eq!(read, expected);
}

/// One file of each kind, which the tests corrupt.
const SAMPLES: [(FileKind, &str); 10] = [
    (
        FileKind::Toml,
        "routers = [\"a\", \"b\"]\nlinks = [[0, 1], {from = \"a\", to = 1, latency_ns = 2.0}]\nprocessors = [0]\n",
    ),
    (
        FileKind::Json,
        r#"{"directed": true, "nodes": [{"id": "a", "processors": 2}, {"id": 1}], "links": [{"source": "a", "target": 1}]}"#,
    ),
    (
        FileKind::GraphMl,
        "<graphml><key id='k' for='node' attr.name='processors'/><graph edgedefault='directed'><node id='a'><data key='k'>2</data></node><node id='b'/><edge source='a' target='b'/></graph></graphml>",
    ),
    (
        FileKind::Dot,
        "strict digraph \"g\" { node [processors=2]; {a b} -> c:p -> \"d\\\"\" [link=1]; homes=\"a -\" /* x */ }",
    ),
    (FileKind::EdgeList, "# directed\n0 1\nswitch 2\n1 2 {}\nprocessors 0 1\n"),
    (FileKind::Matrix, "directed\n0,1,2\n1,0,0\n2,0.0,0\n"),
    (
        FileKind::Poseidon,
        "<?xmlversion='1.0'?><platform width='2' height='2'><topology type='custom' linkDepth='1'><link source='(0,0)' sink='(1,0)'/>\n<link source='(1,0)' sink='(0,1)'/></topology></platform><communication/>",
    ),
    (FileKind::Nccl, machines::NCCL),
    (FileKind::Smi, machines::SMI),
    (FileKind::InfiniBand, machines::FABRIC),
];

#[test]
fn every_format_has_a_sample_that_it_recognises() {
    let kinds: Vec<FileKind> = formats::FORMATS.iter().map(|format| format.kind).collect();
    assert_eq!(kinds.len(), SAMPLES.len());
    for (kind, text) in SAMPLES {
        assert!(kinds.contains(&kind));
        assert_eq!(FileKind::of(Path::new("sample"), text), kind, "{text}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for format in formats::FORMATS {
            let _ = parse(&text, "x", format.kind);
        }
    }

    #[test]
    fn no_spoilt_file_makes_a_reader_panic(
        sample in 0..SAMPLES.len(),
        changes in vec((any::<prop::sample::Index>(), 0..4u8, "[ -~\n\u{e9}]"), 1..5),
    ) {
        let mut letters: Vec<char> = SAMPLES[sample].1.chars().collect();
        for (at, change, with) in changes {
            let at = at.index(letters.len() + 1);
            match change {
                0 => letters.truncate(at),
                1 if at < letters.len() => { letters.remove(at); }
                2 if at < letters.len() => letters[at] = with.chars().next().unwrap(),
                _ => letters.splice(at..at, with.chars()).for_each(drop),
            }
        }
        let text: String = letters.into_iter().collect();
        if let Err(error) = parse(&text, "x", SAMPLES[sample].0) {
            let text = error.to_string();
            prop_assert!(text.starts_with("x: ") || text.starts_with("x is empty"), "{}", text);
        }
    }
}

#[test]
fn every_format_with_attributes_marks_switches_that_copy() {
    for (text, kind) in [
        ("graph { s [processors=0, multicast=true]; a -- s -- b }", FileKind::Dot),
        (
            r#"{"nodes": [{"id": "s", "switch": true, "multicast": true}, {"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "s"}, {"source": "s", "target": "b"}]}"#,
            FileKind::Json,
        ),
        (
            "<graphml><graph><node id='s'><data key='switch'>true</data><data key='multicast'>true\
             </data></node><node id='a'/><node id='b'/><edge source='a' target='s'/><edge \
             source='s' target='b'/></graph></graphml>",
            FileKind::GraphMl,
        ),
        (
            "routers = [\"s\", \"a\", \"b\"]\nlinks = [[1, 0], [0, 2]]\nprocessors = [1, 2]\n\
             multicast = [\"s\"]",
            FileKind::Toml,
        ),
    ] {
        assert_eq!(good(text, kind).multicast(), [pavane_model::RouterId(0)], "{text}");
    }
}

#[test]
fn positions_are_kept_if_every_node_has_one() {
    let expected = [(1.0, -2.0), (3.5, 4.0)];
    let geometry =
        |x: f64, y: f64| format!("<data key=\"g\"><y:Geometry x=\"{x}\" y=\"{y}\"/></data>");
    let yed = format!(
        "<graphml xmlns:y=\"http://y\"><graph><node id=\"a\">{}</node><node id=\"b\">{}</node>\
         <edge source=\"a\" target=\"b\"/></graph></graphml>",
        geometry(1.0, -2.0),
        geometry(3.5, 4.0)
    );
    for (text, kind) in [
        ("graph { a [pos=\"1,2!\"]; b [pos=\"3.5,-4\"]; a -- b }", FileKind::Dot),
        (r#"{"routers": 2, "links": [[0, 1]], "positions": [[1, -2], [3.5, 4]]}"#, FileKind::Json),
        (
            r#"{"nodes": [{"id": 0, "x": 1, "y": -2}, {"id": 1, "y": "4", "x": 3.5}], "links": [{"source": 0, "target": 1}]}"#,
            FileKind::Json,
        ),
        (
            r#"{"nodes": [{"id": "a", "pos": [1, 2]}, {"id": "b", "pos": "3.5,-4"}], "edges": [{"source": "a", "target": "b"}]}"#,
            FileKind::Json,
        ),
        (&yed, FileKind::GraphMl),
    ] {
        assert_eq!(good(text, kind).positions(), expected, "{text}");
    }
    for text in [
        "graph { a [pos=\"1,2\"]; b; a -- b }",
        "graph { a [pos=\"1,2\"]; b [pos=\"somewhere\"]; a -- b }",
        "graph { a [pos=\"1,2\"]; b [pos=\"nan,1e300\"]; a -- b }",
    ] {
        assert_eq!(good(text, FileKind::Dot).positions(), [], "{text}");
    }
    for pos in ["null", "{\"x\": 1}", "[1]", "[[1, 2]]", "true", "[\"a\", 2]"] {
        let text = format!(
            r#"{{"nodes": [{{"id": 0, "pos": {pos}}}, {{"id": 1, "pos": [1, 2]}}], "links": [{{"source": 0, "target": 1}}]}}"#
        );
        assert_eq!(good(&text, FileKind::Json).positions(), [], "{text}");
    }
}
