//! All errors with their messages, and input that is nested too deeply or too large.

use super::*;

#[test]
fn mistakes_are_named_with_their_place() {
    use FileKind::*;
    let table = [
        (Toml, "routers = ", "net.x: line 1, column"),
        (
            Toml,
            "routers = 2\nlinks = [[0, 1], [0]]",
            "net.x: line 2, column 18: invalid length 1, expected two routers, such as [0, 1], or",
        ),
        (Toml, "routers = 2\nlink = []", "line 2, column 1: unknown field `link`"),
        (Toml, "links = []", "missing field `routers`"),
        (Toml, "routers = -1", "routers must be a number of routers or a list"),
        (
            Toml,
            "routers = 2\nlinks = [[0, 1], [0, 2]]",
            "links[1]: there is no router 2 (valid: 0 to 1)",
        ),
        (Toml, "routers = 2\nlinks = [[0, \"a\"]]", "links[0]: router \"a\" is given by name, but"),
        (Toml, "routers = [\"a\"]\nlinks = [[0, \"b\"]]", "no router is called \"b\""),
        (Toml, "routers = [\"a\", \"a\"]", "two routers are called \"a\""),
        (Toml, "routers = 2\nlinks = [[1, 1]]", "links[0]: it leads from router 1 to itself"),
        (Toml, "routers = 4000000000", "4000000000 routers; the maximum is"),
        (Toml, "routers = 30000\nprocessors = 30000", "900000000 processors; the maximum is"),
        (Toml, "routers = 2\nprocessors = \"all\"", "processors: \"all\" is neither \"each\""),
        (Toml, "routers = 2\nprocessors = []", "has no processors"),
        (Toml, "routers = 0", "has no routers"),
        (Toml, "format = \"x\"\nrouters = 2", "its format is \"x\""),
        (Toml, "routers = 2\nlinks = [{from = 0, to = 1, latency_ns = -1.0}]", "latency_ns is -1"),
        (
            Toml,
            "routers = 2\nlinks = [[0, 1],\n{from = 0, to = 1, bandwidth_gbytes = 0}]",
            "line 3: links[1]: bandwidth_gbytes is 0, but it must be finite and more than 0",
        ),
        (
            Toml,
            "routers = 2\nchannels = [{from = 0, to = 1, bandwidth_gbytes = inf}]",
            "channels[0]: bandwidth_gbytes is inf",
        ),
        (
            Toml,
            "routers = 2\nlinks = [{from = 0, to = 1, latency_ns = nan}]",
            "links[0]: latency_ns is NaN",
        ),
        (
            Json,
            r#"{"routers": 2, "links": [{"from": 0, "to": 1, "bandwidth_gbytes": -2.5}]}"#,
            "links[0]: bandwidth_gbytes is -2.5",
        ),
        (
            Json,
            r#"{"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1, "bandwidth": 0}]}"#,
            "line 1, column 86: bandwidth_gbytes is 0",
        ),
        (
            GraphMl,
            "<graphml><graph><node id='a'/><node id='b'/>\n<edge source='a' target='b'><data \
             key='bandwidth_gbytes'>-1</data></edge></graph></graphml>",
            "line 2, column 1: bandwidth_gbytes is -1",
        ),
        (Dot, "graph {\na -- b [latency_ns=inf] }", "line 2, column 1: latency_ns is inf"),
        (Dot, "graph { a -- b [bandwidth=nan] }", "bandwidth_gbytes is NaN"),
        (
            InfiniBand,
            "Switch 2 \"S-1\"\n[1] \"H-1\"[1] # 0xEDR\nCa 1 \"H-1\"\n[1] \"S-1\"[1]\n",
            "bandwidth_gbytes is 0",
        ),
        (
            Toml,
            "routers = 3\nlinks = [[0, 2], [1, 2]]\nprocessors = [0, 1]\nmulticast = [2, 1]",
            "line 4: multicast[1]: router 1 has a processor; only switches copy",
        ),
        (
            Toml,
            "routers = 2\nprocessors = [0]\nmulticast = [2]",
            "multicast[0]: there is no router 2",
        ),
        (
            Json,
            r#"{"routers": 3, "links": [[0, 1]], "processors": [0], "multicast": [1, 1]}"#,
            "router 1 is listed as multicast, but it is listed twice",
        ),
        (
            Json,
            r#"{"routers": 3, "links": [[0, 1]], "processors": [0], "multicast": [2]}"#,
            "router 2 is listed as multicast, but it has no channels; only switches copy",
        ),
        (
            Dot,
            "graph { a -- b; b [multicast=true] }",
            "router b is listed as multicast, but it has a processor",
        ),
        (
            Dot,
            "graph { a -- b; b [multicast=perhaps] }",
            "multicast is \"perhaps\", neither true nor",
        ),
        (Toml, "routers = 2\nlinks = [{from = 0, to = 1, link = 1}]", "is not allowed in `links`"),
        (Json, "{\"routers\": 4, \"links\": [[0,", "net.x: line 1, column 28: it ends too early"),
        (Json, "{\"routers\": 4,\n\"links\": 7}", "net.x: line 2, column 10"),
        (Json, "[1]", "line 1, column"),
        (Json, "{}", "neither a Pavane network"),
        (Json, "", "net.x is empty; expected a network"),
        (Json, r#"{"format": "pavane/schedule/1"}"#, "its format is \"pavane/schedule/1\""),
        (Json, r#"{"nodes": [{"id": 0}]}"#, "missing field `links`"),
        (Json, r#"{"nodes": [{"name": 0}], "links": []}"#, "missing field `id`"),
        (Json, r#"{"nodes": [{"id": null}], "links": []}"#, "must not be null"),
        (
            Json,
            r#"{"nodes": [{"id": 0}, {"id": "0"}], "links": []}"#,
            "nodes[1]: two nodes have the id \"0\"",
        ),
        (
            Json,
            r#"{"nodes": [{"id": 0}], "links": [{"source": 0, "target": 1}]}"#,
            "links[0]: no node has the id \"1\"",
        ),
        (
            Json,
            r#"{"nodes": [{"id": 0}], "links": [{"source": 0, "target": 0}]}"#,
            "links[0]: an edge leads from \"0\" to itself",
        ),
        (
            Json,
            r#"{"nodes": [{"id": 0, "processors": "many"}], "links": []}"#,
            "processors is \"many\", not a number",
        ),
        (
            Json,
            r#"{"nodes": [{"id": 0, "processors": 2, "switch": true}], "links": []}"#,
            "node \"0\": it is a switch and has processors=2",
        ),
        (
            Json,
            r#"{"nodes": [{"id": 0, "processors": 4000000000}], "links": []}"#,
            "more than 33554432 processors",
        ),
        (
            Json,
            r#"{"multigraph": false, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 0}]}"#,
            "links[1]: \"1\" and \"0\" are joined twice",
        ),
        (GraphMl, "<graphml>\n<graph></grph></graphml>", "net.x: line 2, column"),
        (GraphMl, "<graphml/>", "no <graph> inside of <graphml>"),
        (GraphMl, "<svg><graph/></svg>", "no <graph> inside of <graphml>"),
        (GraphMl, "<graphml><graph/><graph/></graphml>", "line 1, column 18: a second graph"),
        (
            GraphMl,
            "<graphml><graph>\n <node/></graph></graphml>",
            "line 2, column 2: a node without an id",
        ),
        (
            GraphMl,
            "<graphml><graph><node id='a'/><node id='a'/></graph></graphml>",
            "two nodes have the id \"a\"",
        ),
        (
            GraphMl,
            "<graphml><graph><node id='a'/><edge source='a'/></graph></graphml>",
            "an edge without a target",
        ),
        (
            GraphMl,
            "<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
            "target is \"b\", but no node has that id",
        ),
        (
            GraphMl,
            "<graphml><graph edgedefault='both'><node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>",
            "edgedefault is \"both\"",
        ),
        (GraphMl, "<graphml><graph><hyperedge/></graph></graphml>", "<hyperedge> is not supported"),
        (GraphMl, "<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>", "line 1"),
        (
            Dot,
            "digraph {\n a -> ;\n}",
            "net.x: line 2, column 7: expected the node that the edge leads to, found `;`",
        ),
        (Dot, "digraph { a -> }", "found `}`"),
        (Dot, "graph { a -> b }", "line 1, column 11: the edges of a graph are written `--`"),
        (Dot, "digraph { a -- b }", "the edges of a digraph are written `->`"),
        (Dot, "graph { a -- b", "expected `}`, found the end of the file"),
        (Dot, "graph { a -- a }", "an edge leads from \"a\" to itself"),
        (Dot, "graph { 1a -- b }", "\"1a\" is neither a number nor a name; put it in quotes"),
        (Dot, "graph { \"a }", "line 1, column 9: this string has no closing quote"),
        (Dot, "graph { /* a }", "this comment is not closed"),
        (Dot, "graph { <a }", "this `<` is not closed"),
        (Dot, "graph { a } graph { b }", "one file is one network"),
        (Dot, "tree { a }", "expected `graph` or `digraph`, found \"tree\""),
        (Dot, "graph { a [processors=x] }", "processors is \"x\", not a number"),
        (Dot, "graph { a [x }", "expected an attribute or `]`"),
        (Dot, "graph { a & b }", "line 1, column 11: unexpected '&'"),
        (Dot, "graph { subgraph s -- a }", "expected `{`"),
        (Dot, "graph { homes=\"0 x\"; 0 }", "a processor is placed on \"x\", which is not a node"),
        (Dot, "graph { }", "has no routers"),
        (EdgeList, "0 1\n2\n", "net.x: line 2: \"2\": write two nodes, u v"),
        (EdgeList, "0 1 2\n", "line 1: \"0 1 2\": unexpected \"2\" after the two nodes"),
        (EdgeList, "0 0\n", "line 1: \"0 0\": an edge leads from \"0\" to itself"),
        (EdgeList, "0 1\ndirected\n", "line 2: \"directed\": directed must come before"),
        (EdgeList, "directed 0\n0 1\n", "line 1: \"directed 0\": directed is a keyword"),
        (EdgeList, "", "net.x is empty; expected a network"),
        (EdgeList, " \n\n", "net.x is empty; expected a network"),
        (EdgeList, "switch a b", "has no processors"),
        (Matrix, "0,1\n1,0,0", "net.x: line 2: \"1,0,0\": 3 entries, but the first row has 2"),
        (Matrix, "0,1\n1,0\n0,0", "3 rows of 2 entries are not a square matrix"),
        (Matrix, "0,x\n1,0", "line 1: \"0,x\": \"x\" is not a number of links"),
        (Matrix, "0,-1\n1,0", "\"-1\" is not a number of links"),
        (Matrix, "0,0.5\n1,0", "\"0.5\" is not a number of links"),
        (Matrix, "0,1\n1,2", "line 2: \"1,2\": router 1 has 2 links to itself"),
        (Matrix, "0,4000000000\n4000000000,0", "exceed the maximum of 65536"),
        (Matrix, "undirected\n0,1\n0,0", "it says undirected, but the matrix is not symmetric"),
        (Matrix, "", "net.x is empty; expected a network"),
    ];
    for (kind, text, expected) in table {
        let error = parse(text, "net.x", kind).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?} gave {error:?}");
        assert!(error.contains("net.x"), "{error}");
    }
}

#[test]
fn what_is_deep_or_huge_is_refused() {
    let deep = 200_000;
    for (kind, text, expected) in [
        (
            FileKind::Dot,
            format!("graph {}", "{".repeat(deep)),
            "subgraphs nested more than 100 levels deep",
        ),
        (FileKind::Json, format!("{{\"nodes\": {}", "[".repeat(deep)), "line 1"),
        (FileKind::Json, format!("{{\"routers\": {}", "[".repeat(deep)), "line 1"),
        (FileKind::Toml, format!("routers = {}", "[".repeat(deep)), "line 1"),
        (FileKind::Toml, " ".repeat(17 << 20), "TOML is read up to 16 MiB"),
        (FileKind::GraphMl, "<a>".repeat(deep), "line 1"),
        (
            FileKind::GraphMl,
            format!("<graphml {}/>", (0..5000).map(|i| format!("a{i}='>' ")).collect::<String>()),
            "a tag of more than 8192 bytes",
        ),
        (
            FileKind::Dot,
            {
                let nodes = |letter| (0..7000).map(|i| format!("{letter}{i} ")).collect::<String>();
                format!("digraph {{ {{{}}} -> {{{}}} }}", nodes('a'), nodes('b'))
            },
            "more than 33554432 channels",
        ),
    ] {
        let error = parse(&text, "net.x", kind).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
