//! The schedule file: what is written reads back, and errors name the problem.

use pavane_model::format::{Phase, Stored, read, read_file, read_stored, write, write_whole};
use pavane_model::problem::DELIVERIES;
use pavane_model::*;
use std::io::Write;

const RING: &str = r#"{
  "format": "pavane/schedule/1",
  "network": {
    "name": "ring:4",
    "routers": 4,
    "channels": [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 0], [0, 3]],
    "processors": [0, 1, 2, 3]
  },
  "model": {"switching": "wormhole", "routing": "minimal", "duplex": "full", "ports": "all"},
  "collective": {"kind": "broadcast", "name": "oab", "senders": [0], "receivers": [1, 2, 3]},
  "bound": {"steps": 2, "reason": "growth"},
  "steps": [
    [{"message": [0], "from": 0, "to": 1, "path": [0]}, {"message": [0], "from": 0, "to": 3, "path": [7]}],
    [{"message": [0], "from": 1, "to": 2, "path": [2]}]
  ]
}"#;

fn parse(text: &str) -> Result<Vec<Phase>, String> {
    read(text.as_bytes(), "x.json", DELIVERIES).map_err(|error| error.to_string())
}

fn written(name: &str, phases: &[Phase]) -> String {
    let mut bytes = Vec::new();
    let views: Vec<_> = phases.iter().map(Phase::view).collect();
    write(&mut bytes, name, &views, &serde_json::Map::new()).expect("memory takes it");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

#[test]
fn the_example_of_the_format_reads() {
    let phases = parse(RING).unwrap();
    let [phase] = &phases[..] else { panic!("one phase") };
    assert_eq!(phase.schedule.step_count(), 2);
    assert_eq!(phase.schedule.transfer_count(), 3);
    assert_eq!(phase.problem.network().opposite(ChannelId(7)), Some(ChannelId(6)));
    assert_eq!(phase.bound.as_ref().unwrap().steps, 2);
}

#[test]
fn what_is_written_reads_back() {
    let phases = parse(RING).unwrap();
    assert_eq!(parse(&written("oab", &phases)).unwrap(), phases);
    assert_eq!(parse(&format!("\u{feff}{RING}")).unwrap(), phases, "with a byte order mark");
}

#[test]
fn bandwidths_and_latencies_are_kept_and_checked() {
    let with = |fields: &str| {
        let marker = "\"processors\": [0, 1, 2, 3]";
        parse(&RING.replacen(marker, &format!("{marker}, {fields}"), 1))
    };
    let eight = "[12.5, 12.5, 25, 25, 25, 25, 0.1, 0.1]";
    let phases = with(&format!("\"bandwidth_gbytes\": {eight}")).unwrap();
    assert_eq!(parse(&written("oab", &phases)).unwrap(), phases);
    let bandwidths = phases[0].problem.network().bandwidths().unwrap();
    let texts: Vec<String> = bandwidths.iter().map(Fraction::to_string).collect();
    assert_eq!(texts, ["25/2", "25/2", "25", "25", "25", "25", "1/10", "1/10"]);
    let some = with("\"latency_ns\": [700]").unwrap();
    let error = some[0].problem.network().latencies().unwrap_err().to_string();
    assert!(error.contains("the channel 1 -> 0 (number 1) has no latency"), "{error}");
    for (fields, part) in [
        ("\"bandwidth_gbytes\": [1, 0]", "channel 1 (1 -> 0): bandwidth_gbytes is 0, but"),
        ("\"bandwidth_gbytes\": [null, -3.5]", "channel 1 (1 -> 0): bandwidth_gbytes is -3.5"),
        ("\"latency_ns\": [-1]", "channel 0 (0 -> 1): latency_ns is -1, but"),
        ("\"latency_ns\": [1e999]", "number out of range"),
        ("\"latency_ns\": [1, 1, 1, 1, 1, 1, 1, 1, 1]", "latency_ns has 9 values for 8 channels"),
    ] {
        let error = with(fields).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn only_switches_copy() {
    let with = |list: &str| {
        let text = r#"{"format": "pavane/schedule/1",
          "network": {"routers": 4, "channels": [[0, 2], [2, 0], [1, 2], [2, 1]], "processors": [0, 1], "multicast": LIST},
          "model": {"switching": "wormhole", "routing": "minimal", "ports": "all"},
          "collective": {"kind": "broadcast", "senders": [0], "receivers": [1]},
          "steps": [[{"message": [0], "from": 0, "to": 1, "path": [0, 3]}]]}"#;
        parse(&text.replace("LIST", list))
    };
    let phases = with("[2]").unwrap();
    assert!(phases[0].problem.network().is_multicast(RouterId(2)));
    assert_eq!(parse(&written("oab", &phases)).unwrap(), phases);
    for (list, part) in [
        ("[1]", "router 1 is listed as multicast, but it has a processor; only switches copy"),
        ("[3]", "router 3 is listed as multicast, but it has no channels"),
        ("[4]", "router 4 is listed as multicast, but there is no such router"),
        ("[2, 2]", "router 2 is listed as multicast, but it is listed twice"),
        ("[-1]", "invalid value"),
        ("true", "invalid type"),
    ] {
        let error = with(list).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn gzipped_files_are_recognised() {
    let path = tempfile::Builder::new().suffix(".json.gz").tempfile().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(path.as_file(), flate2::Compression::fast());
    gzip.write_all(RING.as_bytes()).unwrap();
    gzip.finish().unwrap();
    assert_eq!(read_file(path.path(), DELIVERIES).unwrap(), parse(RING).unwrap());
}

#[test]
fn two_phases_share_the_steps() {
    let broadcast = parse(RING).unwrap().remove(0);
    let collective = broadcast.problem.collective().turned_round();
    let network = broadcast.problem.network().clone();
    let reduce = Phase {
        problem: Problem::new(network, collective, broadcast.problem.model()).unwrap(),
        bound: None,
        schedule: broadcast.schedule.reversed(),
    };
    let phases = [reduce, broadcast];
    assert_eq!(parse(&written("all-reduce", &phases)).unwrap(), phases);
}

/// An all-reduce among three processors with two roots.
const ALL_REDUCE: &str = r#"{
  "format": "pavane/schedule/1",
  "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2]},
  "model": {"switching": "wormhole", "routing": "minimal", "ports": "all"},
  "collective": {"kind": "all-reduce", "senders": [2, 1, 0], "receivers": [0, 1, 2]},
  "bound": {"steps": 2, "reason": "receive"},
  "phases": [
    {"kind": "reduce", "senders": [0, 1, 2], "receivers": [0, 1], "steps": 1},
    {"kind": "broadcast", "senders": [1, 0], "receivers": [0, 1, 2], "steps": 1}
  ],
  "steps": [[], []]
}"#;

#[test]
fn phases_may_overlap() {
    let with = |whole: &str| {
        let phases = "\"phases\": [";
        ALL_REDUCE.replace(phases, &format!("\"whole\": {whole}, {phases}"))
    };
    let stored = |text: &str| read_stored(text.as_bytes(), "test", DELIVERIES);
    let bound = r#"{"steps": 1, "certificate": {"kind": "queue", "routers": [2]}}"#;
    let text = with(&format!("{{\"start\": 1, \"bound\": {bound}}}"));
    let Stored::Schedule(phases, whole) = stored(&text).unwrap() else { panic!("a schedule") };
    assert_eq!((whole.start, whole.steps(1, 1)), (Some(1), 2));
    let mut file = Vec::new();
    let views: Vec<_> = phases.iter().map(Phase::view).collect();
    write_whole(&mut file, "all-reduce", &views, &whole, &Default::default()).unwrap();
    let again = stored(&String::from_utf8(file).unwrap()).unwrap();
    assert_eq!(again, Stored::Schedule(phases, whole));
    for (whole, problem) in [
        ("{\"start\": 2}", "the broadcast starts after 2 steps, but the reduce has only 1"),
        (
            "{\"start\": 0, \"bound\": {\"steps\": 2, \"certificate\": {\"kind\": \"entries\"}}}",
            "its bound claims at least 2 steps, but the all-reduce has 1",
        ),
        (
            "{\"bound\": {\"steps\": 1, \"certificate\": {\"kind\": \"hope\"}}}",
            "unknown variant `hope`",
        ),
    ] {
        let error = stored(&with(whole)).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    let one = RING.replace("\"steps\": [", "\"whole\": {\"start\": 0}, \"steps\": [");
    let error = stored(&one).unwrap_err().to_string();
    assert!(error.contains("only a file with phases has a field `whole`"), "{error}");
}

#[test]
fn phases_are_the_all_reduce_that_they_claim_to_be() {
    let phases = parse(ALL_REDUCE).unwrap();
    assert_eq!(parse(&written("ALLREDUCE", &phases)).unwrap(), phases);
    let cases = [
        ("all-reduce", "aab", "only an all-reduce has phases, but the collective is \"aab\""),
        (
            "\"kind\": \"reduce\"",
            "\"kind\": \"polka\"",
            "the phases of an all-reduce are a reduce and then a broadcast, but there are \
             2: \"polka\", \"broadcast\"",
        ),
        (
            "\"kind\": \"broadcast\"",
            "\"kind\": \"scatter\"",
            "the phases of an all-reduce are a reduce and then a broadcast, but there are \
             2: \"reduce\", \"scatter\"",
        ),
        (
            "\"receivers\": [0, 1, 2], \"steps\": 1}",
            "\"receivers\": [0, 1, 2], \"steps\": 1}, {\"kind\": \"reduce\", \"steps\": 0}",
            "the phases of an all-reduce are a reduce and then a broadcast, but there are \
             3: \"reduce\", \"broadcast\", \"reduce\"",
        ),
        (
            "\"receivers\": [0, 1], ",
            "\"receivers\": [0, 2], ",
            "both phases must have the same roots, but processor 1 is a root of only one of them",
        ),
        (
            "\"senders\": [0, 1, 2]",
            "\"senders\": [0, 1]",
            "in an all-reduce every processor contributes to every sum and receives it, but processor 2 \
             contributes to nothing in the reduce",
        ),
        (
            "\"senders\": [0, 1, 2]",
            "\"senders\": [1, 2]",
            "in an all-reduce every processor contributes to every sum and receives it, but processor 0 \
             contributes to nothing in the reduce",
        ),
        (
            "\"receivers\": [0, 1, 2], \"steps\"",
            "\"receivers\": [0, 1], \"steps\"",
            "in an all-reduce every processor contributes to every sum and receives it, but processor 2 \
             receives nothing in the broadcast",
        ),
        (
            "\"senders\": [2, 1, 0]",
            "\"senders\": [1, 0]",
            "the senders of the all-reduce are not the group of its phases: they differ in \
             processor 2",
        ),
        (
            "\"receivers\": [0, 1, 2]}",
            "\"receivers\": [0, 1, 2, 3]}",
            "the receivers of the all-reduce are not the group of its phases: they differ in \
             processor 3",
        ),
        (
            "\"bound\": {\"steps\": 2",
            "\"bound\": {\"steps\": 3",
            "its bound claims at least 3 steps, but it has 2",
        ),
    ];
    for (from, to, problem) in cases {
        let error = parse(&ALL_REDUCE.replace(from, to)).unwrap_err();
        assert_eq!(error, format!("x.json: {problem}"), "{from} -> {to}");
    }
}

#[test]
fn labels_find_their_messages_in_every_kind() {
    let ids = |list: &[u32]| list.iter().map(|&p| ProcessorId(p)).collect::<Vec<_>>();
    let network = || {
        let mut ring = NetworkBuilder::new("ring:5", 5);
        (0..5).for_each(|i| {
            ring.link(i, (i + 1) % 5);
        });
        ring.processor_on_each_router();
        ring.build().unwrap()
    };
    for kind in [Kind::Broadcast, Kind::Scatter, Kind::Gather, Kind::Reduce] {
        let collective = Collective::between(kind, "x", ids(&[3, 1, 2]), ids(&[4, 2, 0, 3]));
        let problem = Problem::new(network(), collective, Model::default()).unwrap();
        let mut schedule = Schedule::new();
        schedule.start_step();
        for message in problem.messages().ids() {
            let (from, to) = (ProcessorId(0), ProcessorId(1));
            schedule.push(Transfer { message, from, to, path: &[ChannelId(0)] });
        }
        let phase = Phase { problem, bound: None, schedule };
        let phases = [phase];
        assert_eq!(parse(&written("x", &phases)).unwrap(), phases, "{kind:?}");
    }
}

#[test]
fn a_directed_network_stays_directed() {
    let text = RING.replace("\"routers\"", "\"directed\": true, \"routers\"");
    let phases = parse(&text).unwrap();
    assert!(phases[0].problem.network().is_directed());
    assert_eq!(parse(&written("oab", &phases)).unwrap(), phases);
    let contradictory = text.replace("\"routers\"", "\"links\": [[0, 1]], \"routers\"");
    let error = parse(&contradictory).unwrap_err();
    assert!(error.contains("its network is directed but lists links"), "{error}");
}

/// Faults, and the error for a ring in which router 3 is lost and router 2 is a switch.
#[test]
fn a_lost_router_has_no_channels_or_processors() {
    let text = RING
        .replace("[2, 1], [2, 3], [3, 2], [3, 0], [0, 3]]", "[2, 1], [0, 1], [1, 0]]")
        .replace("[0, 1, 2, 3]", "[0, 1, null, null], \"faults\": FAULTS")
        .replace("\"receivers\": [1, 2, 3]", "\"receivers\": [1]");
    let text = format!("{}\"steps\": []}}", &text[..text.find("\"bound\"").unwrap()]);
    let still = |router, what| {
        Some(format!(
            "x.json: router {router} is listed as lost, but the network still has {what} \
             there"
        ))
    };
    let cases = [
        ("[\"3\"]", None),
        ("[\"3\", \"0-1\", \"1>2\", \"spine\", \"9\"]", None),
        ("[\"3\", \"2\"]", still(2, "channels")),
        ("[\"1\"]", still(1, "a processor")),
        // Faults are numbers, whatever the routers are called.
        ("[\"1\"], \"names\": [\"0\", \"1\", \"2\", \"3\"]", still(1, "a processor")),
        ("[\"1\"], \"names\": [\"3\", \"2\", \"0\", \"1\"]", still(1, "a processor")),
    ];
    for (faults, error) in cases {
        assert_eq!(parse(&text.replace("FAULTS", faults)).err(), error, "{faults}");
    }
}

#[test]
fn wrong_files_say_what_is_wrong() {
    let cases = [
        (
            "schedule/1",
            "schedule/7",
            "x.json: unknown format \"pavane/schedule/7\"; known are pavane/schedule/1, pavane/refutation/1, pavane/throughput/1, pavane/timed/1, pavane/tdm/1, pavane/tdm-refutation/1",
        ),
        ("\"path\": [2]", "\"path\": [8]", "x.json: step 1, transfer 0: there is no channel 8"),
        ("\"to\": 2", "\"to\": 4", "x.json: step 1, transfer 0: there is no processor 4"),
        (
            "\"message\": [0], \"from\": 1",
            "\"message\": [1], \"from\": 1",
            "x.json: step 1, transfer 0: there is no message [1]",
        ),
        (
            "\"message\": [0], \"from\": 1",
            "\"message\": [0, 2], \"from\": 1",
            "x.json: step 1, transfer 0: there is no message [0, 2]",
        ),
        (
            "\"message\": [0], \"from\": 1",
            "\"message\": [], \"from\": 1",
            "x.json: not a schedule file: invalid length 0, expected a message label of one or two numbers at line 14 column 19",
        ),
        ("[0, 3]]", "[0, 9]]", "x.json: ring:4: channel 0 -> 9 names router 9 (valid: 0 to 3)"),
        (
            "\"senders\": [0]",
            "\"senders\": [7]",
            "x.json: ring:4 has no processor 7 (valid: 0 to 3)",
        ),
        ("\"senders\": [0]", "\"senders\": []", "x.json: oab: the group of senders is empty"),
        (
            "\"kind\": \"broadcast\"",
            "\"kind\": \"polka\"",
            "x.json: unknown kind of collective \"polka\"; known are broadcast, scatter, gather, reduce and messages",
        ),
        (
            "\"ports\": \"all\"",
            "\"ports\": 0",
            "x.json: 0 ports: a processor needs at least one; try 1 or all",
        ),
    ];
    for (from, to, message) in cases {
        assert_eq!(parse(&RING.replace(from, to)).unwrap_err(), message, "{from} -> {to}");
    }
    assert!(parse(&RING[..300]).unwrap_err().contains("line"));
    assert!(parse(&"[".repeat(1 << 20)).unwrap_err().contains("line 1"));
    assert!(parse("{\"a\": 1}").unwrap_err().contains("missing field `format`"));
}
