//! What the reader of TDM schedules refuses, and latencies.

use super::{FORMAT, read};

const FILE: &str = r#"{"format": "pavane/tdm/1",
  "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
  "period": 4, "depth": 1, "phits": 1, "wrap": true, "routing": "minimal",
  "demand": [[0, 1, 2, 6], [1, 0, 1]],
  "words": [{"message": [0, 1], "start": 0, "path": [0]},
            {"message": [0, 1], "start": 1, "path": [0]},
            {"message": [1, 0], "start": 0, "path": [1]}],
  "bound": {"period": 2, "reason": "capacity", "certificate": {"kind": "capacity"}}}"#;

#[test]
fn wrong_files_are_refused_with_the_reason() {
    assert!(read(FILE.as_bytes(), "file", 10).is_ok());
    for (from, to, part) in [
        (FORMAT, "pavane/tdm/2", "its format is \"pavane/tdm/2\""),
        ("\"period\": 4", "\"period\": 0", "its period is 0"),
        ("\"period\": 4", "\"period\": 4294967295", "its period is 4294967295"),
        ("\"period\": 4", "\"period\": -1", "line 3"),
        ("\"period\": 4", "\"period\": 4, \"period\": 4", "period"),
        ("\"period\": 4, ", "", "missing field `period`"),
        ("\"depth\": 1", "\"depth\": 0", "depth is 0"),
        ("\"phits\": 1", "\"phits\": 0", "the number of phits is 0"),
        ("\"phits\": 1", "\"phits\": 70000", "the number of phits is 70000"),
        ("\"wrap\": true", "\"wrap\": 1", "line 3"),
        ("\"minimal\"", "\"XY\"", "line 3"),
        ("[[0, 1, 2, 6], [1, 0, 1]]", "\"ring\"", "all-to-all"),
        ("[[0, 1, 2, 6], [1, 0, 1]]", "[]", "there is no message"),
        ("[0, 1, 2, 6]", "[0, 1]", "a list of from, to, weight"),
        ("[0, 1, 2, 6]", "[0, 1, 2, 6, 7]", "a list of from, to, weight"),
        ("[0, 1, 2, 6]", "[0, 1, 0]", "the weight of message 0 -> 1 is 0"),
        ("[0, 1, 2, 6]", "[0, 1, 11]", "12 words per period, but at most 10"),
        ("[0, 1, 2, 6]", "[0, 0, 2]", "processor 0 sends to itself"),
        ("[0, 1, 2, 6]", "[0, 2, 2]", "has no processor 2 (valid: 0 to 1)"),
        ("[0, 1, 2, 6]", "[1, 0, 2]", "message 1 -> 0 is listed twice"),
        ("[[0, 1], [1, 0]]", "[[0, 1]]", "has no path from processor 1 to processor 0"),
        ("\"processors\": [0, 1]", "\"processors\": [0, 1, null]", ""),
        // Left to the judge.
        ("{\"message\": [1, 0]", "{\"message\": [1, 1]", ""),
        ("\"start\": 1", "\"start\": 4", ""),
        ("\"path\": [1]", "\"path\": [2]", ""),
        ("\"reason\": \"capacity\"", "\"reason\": \"cut\"", "the certificate is of kind"),
        ("\"kind\": \"capacity\"", "\"kind\": \"hope\"", "known are ports, capacity, cut"),
        ("\"kind\": \"capacity\"", "\"kind\": \"cut\"", "needs the field `routers`"),
        ("\"kind\": \"capacity\"", "\"kind\": \"prices\"", "needs the field `prices`"),
        ("\"kind\": \"capacity\"", "\"kind\": \"ports\"", "needs the field `processor`"),
        ("\"kind\": \"capacity\"", "\"kind\": \"exact\"", "needs the field `from`"),
        (
            "\"kind\": \"capacity\"",
            "\"kind\": \"exact\", \"below\": {\"kind\": \"exact\", \"from\": 1, \"to\": 1, \"encoding\": 1, \"proof\": \"x\"}",
            "may not be of kind exact",
        ),
    ] {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE, "{from}");
        match read(text.as_bytes(), "file", 10) {
            Ok(_) => assert!(part.is_empty(), "{to}"),
            Err(error) => {
                let error = error.to_string();
                assert!(!part.is_empty() && error.contains(part), "{to}: {error}");
            }
        }
    }
}

#[test]
fn every_prefix_is_refused_without_a_panic() {
    for end in 0..FILE.len() {
        assert!(read(&FILE.as_bytes()[..end], "file", 10).is_err());
    }
}

#[test]
fn the_latency_is_the_longest_wait_and_the_way() {
    let mut schedule = read(FILE.as_bytes(), "file", 10).unwrap();
    // Gaps of 3 and 1 slots; one hop takes a slot, ejection another one, and the word itself one.
    assert_eq!(schedule.latencies(), [Some(3 + 3), Some(4 + 3)]);
    schedule.words.truncate(1);
    assert_eq!(schedule.latencies(), [Some(4 + 3), None]);
}
