//! The judge of timed schedules: a valid file, and one for every way to be wrong.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::timed;
use pavane_verify::{TimedVerdict, judge_timed};

/// A broadcast along a path of three routers in two chunks. Bytes take 1/25 ns, channels 700 ns.
const BROADCAST: &str = r#"{"format": "pavane/timed/1",
  "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2],
              "bandwidth_gbytes": [25, 25, 25, 25], "latency_ns": [700, 700, 700, 700]},
  "collective": {"kind": "broadcast", "senders": [0], "receivers": [1, 2]},
  "bytes": 1000000, "time_unit_ns": "1",
  "chunks": [{"message": [0], "offset": 0, "bytes": 500000},
             {"message": [0], "offset": 500000, "bytes": 500000}],
  "sends": [[0, 0, 0], [1, 0, 20000], [0, 2, 20700], [1, 2, 40700]],
  "time": 61400,
  "bound": {"time": 41400, "certificate": {"kind": "cut", "routers": [0], "receiver": 2}}}"#;

/// The same backwards: a reduce to processor 0.
const REDUCE: &str = r#"{"format": "pavane/timed/1",
  "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2],
              "bandwidth_gbytes": [25, 25, 25, 25], "latency_ns": [700, 700, 700, 700]},
  "collective": {"kind": "reduce", "senders": [1, 2], "receivers": [0]},
  "bytes": 1000000, "time_unit_ns": "1",
  "chunks": [{"message": [0], "offset": 0, "bytes": 500000},
             {"message": [0], "offset": 500000, "bytes": 500000}],
  "sends": [[0, 3, 0], [1, 3, 20000], [0, 1, 20700], [1, 1, 40700]],
  "time": 61400,
  "bound": {"time": 41400, "certificate": {"kind": "cut", "routers": [1, 2], "receiver": 2}}}"#;

/// Two processors behind a switch, and a third: the switch must not copy.
const SWITCH: &str = r#"{"format": "pavane/timed/1",
  "network": {"routers": 4, "channels": [[0, 3], [3, 1], [3, 2], [1, 3]], "processors": [0, 1, 2],
              "bandwidth_gbytes": [1, 1, 1, 1], "latency_ns": [10, 10, 10, 10]},
  "collective": {"kind": "broadcast", "senders": [0], "receivers": [1, 2]},
  "bytes": 100, "time_unit_ns": "1",
  "chunks": [{"message": [0], "offset": 0, "bytes": 100}],
  "sends": [[0, 0, 0], [0, 0, 100], [0, 1, 110], [0, 2, 210]],
  "time": 320,
  "bound": {"time": 120, "certificate": {"kind": "prices", "prices": [1, 0, 1, 0]}}}"#;

/// An all-reduce of two processors with one root each.
const ALL_REDUCE: &str = r#"{"format": "pavane/timed/1",
  "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1],
              "bandwidth_gbytes": [1, 1], "latency_ns": [5, 5]},
  "collective": {"kind": "all-reduce", "name": "all-reduce"},
  "bytes": 100, "time_unit_ns": "1/2",
  "time": 220,
  "bound": {"time": 210, "certificate": {"kind": "cut", "routers": [0], "receiver": 1}},
  "phases": [
    {"kind": "reduce", "senders": [0, 1], "receivers": [0, 1],
     "chunks": [{"message": [0], "offset": 0, "bytes": 50}, {"message": [1], "offset": 0, "bytes": 50}],
     "sends": [[1, 0, 0], [0, 1, 0]]},
    {"kind": "broadcast", "senders": [0, 1], "receivers": [0, 1],
     "chunks": [{"message": [0], "offset": 0, "bytes": 50}, {"message": [1], "offset": 0, "bytes": 50}],
     "sends": [[0, 0, 110], [1, 1, 110]]}]}"#;

/// An all-gather along a path of three routers under half duplex: every link carries three chunks.
const HALF_DUPLEX: &str = r#"{"format": "pavane/timed/1", "duplex": "half",
  "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2],
              "bandwidth_gbytes": [1, 1, 1, 1], "latency_ns": [10, 10, 10, 10]},
  "collective": {"kind": "broadcast", "senders": [0, 1, 2], "receivers": [0, 1, 2]},
  "bytes": 300, "time_unit_ns": "1",
  "chunks": [{"message": [0], "offset": 0, "bytes": 100}, {"message": [1], "offset": 0, "bytes": 100},
             {"message": [2], "offset": 0, "bytes": 100}],
  "sends": [[0, 0, 0], [2, 3, 0], [1, 1, 100], [1, 2, 100], [2, 1, 200], [0, 2, 200]],
  "time": 310,
  "bound": {"time": 310, "certificate": {"kind": "prices", "prices": [1, 1, 1, 1]}}}"#;

fn verdict(file: &str) -> TimedVerdict {
    judge_timed(&timed::read(file.as_bytes(), "file", 1000).unwrap()).unwrap()
}

#[test]
fn valid_schedules_are_accepted_with_their_bounds() {
    for (file, ns, bound) in [
        (BROADCAST, "61400", "41400"),
        (REDUCE, "61400", "41400"),
        (SWITCH, "320", "120"),
        (ALL_REDUCE, "110", "105"),
        (HALF_DUPLEX, "310", "310"),
    ] {
        let verdict = verdict(file);
        assert_eq!(verdict.violations, [], "{file}");
        assert_eq!(verdict.bound_error, None, "{file}");
        assert_eq!(verdict.time_ns.to_string(), ns);
        assert_eq!(verdict.proved_ns.unwrap().to_string(), bound);
    }
}

#[test]
fn every_way_to_be_wrong_is_named() {
    for (file, from, to, rule) in [
        (BROADCAST, "[1, 0, 20000]", "[1, 0, 19999]", "channels"),
        (BROADCAST, "[0, 2, 20700]", "[0, 2, 20699]", "holding"),
        (BROADCAST, "[1, 2, 40700]", "[1, 2, 39000]", "channels"),
        (BROADCAST, ", [1, 2, 40700]", "", "delivery"),
        (BROADCAST, ", [1, 2, 40700]", ", [1, 2, 40700], [1, 0, 70000]", "delivery"),
        (BROADCAST, ", [1, 2, 40700]", ", [1, 2, 40700], [1, 1, 70000]", "delivery"),
        (BROADCAST, ", [1, 2, 40700]", ", [1, 2, 40700], [1, 3, 40700]", "holding"),
        (BROADCAST, r#""offset": 500000"#, r#""offset": 500001"#, "chunks"),
        (BROADCAST, r#""offset": 500000"#, r#""offset": 499999"#, "chunks"),
        (BROADCAST, r#""bytes": 1000000"#, r#""bytes": 1000001"#, "chunks"),
        (BROADCAST, r#""offset": 0, "bytes": 500000"#, r#""offset": 0, "bytes": 0"#, "chunks"),
        (BROADCAST, "61400", "61399", "time"),
        (BROADCAST, r#""time_unit_ns": "1""#, r#""time_unit_ns": "2""#, "time"),
        (BROADCAST, r#""latency_ns": [700"#, r#""latency_ns": [701"#, "holding"),
        (REDUCE, "[0, 1, 20700]", "[0, 1, 20699]", "holding"),
        (REDUCE, "[1, 3, 20000]", "[1, 3, 19000]", "channels"),
        (REDUCE, "[0, 3, 0], ", "", "delivery"),
        (SWITCH, "[0, 0, 100], ", "", "switches"),
        (SWITCH, "[0, 2, 210]", "[0, 2, 209]", "switches"),
        (ALL_REDUCE, "[0, 0, 110]", "[0, 0, 109]", "order"),
        (ALL_REDUCE, "[0, 0, 110]", "[0, 0, 99]", "channels"),
        (ALL_REDUCE, "[1, 0, 0], ", "", "delivery"),
    ] {
        let damaged = file.replacen(from, to, 1);
        assert_ne!(damaged, file, "{from}");
        let verdict = verdict(&damaged);
        let rules: Vec<String> =
            verdict.violations.iter().map(|violation| violation.rule().to_string()).collect();
        assert!(rules.iter().any(|found| found == rule), "{from} to {to}: {rules:?}");
    }
}

#[test]
fn false_bounds_are_refused() {
    for (file, from, to, expected) in [
        (BROADCAST, r#""time": 41400"#, r#""time": 41401"#, "proves 41400"),
        (BROADCAST, r#""routers": [0], "#, r#""routers": [0, 2], "#, "side that the data leaves"),
        (BROADCAST, r#""routers": [0], "#, r#""routers": [1], "#, "wants nothing"),
        (BROADCAST, r#""routers": [0], "#, r#""routers": [9], "#, "no router 9"),
        (BROADCAST, r#""receiver": 2"#, r#""receiver": 7"#, "no processor 7"),
        (SWITCH, "[1, 0, 1, 0]", "[1, 0, 1]", "3 prices for 4 channels"),
        (SWITCH, "[1, 0, 1, 0]", "[0, 0, 0, 0]", "nothing has to cross"),
        // No message pays for this channel, so its latency proves nothing.
        (SWITCH, "[1, 0, 1, 0]", "[0, 0, 0, 1]", "nothing has to cross"),
        (ALL_REDUCE, r#""time": 210"#, r#""time": 211"#, "proves 105"),
    ] {
        let damaged = file.replacen(from, to, 1);
        assert_ne!(damaged, file, "{from}");
        let error = verdict(&damaged).bound_error.expect("a false bound").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Under full duplex the same certificate proves only half: each direction carries what it can.
#[test]
fn half_duplex_links_are_counted_once() {
    let full = HALF_DUPLEX.replace("\"duplex\": \"half\",", "");
    let error = verdict(&full).bound_error.unwrap().to_string();
    assert!(
        error.contains("claims a bound of 310 ns") && error.contains("proves 160 ns"),
        "{error}"
    );
}
