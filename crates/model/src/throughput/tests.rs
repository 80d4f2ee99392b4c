//! What the reader of throughput plans refuses.

use super::{FORMAT, read};

const PLAN: &str = r#"{"format": "pavane/throughput/1",
  "network": {"routers": 2, "channels": [[0, 1], [1, 0]], "processors": [0, 1]},
  "collective": {"kind": "broadcast", "senders": [0, 1], "receivers": [0, 1]},
  "scale": 1,
  "trees": [{"message": [0], "weight": 1, "channels": [0]}],
  "limit": {"ns_per_byte": "1", "certificate": {"kind": "cut", "routers": [0]}}}"#;

#[test]
fn wrong_files_are_refused_with_the_reason() {
    assert!(read(PLAN.as_bytes(), "plan", 10).is_ok());
    for (from, to, part) in [
        (FORMAT, "pavane/throughput/2", "its format is \"pavane/throughput/2\""),
        ("\"scale\": 1", "\"scale\": 0", "its scale is 0"),
        ("\"scale\": 1", "\"scale\": -1", "line 4"),
        ("\"scale\": 1", "\"scale\": 1.5", "line 4"),
        ("\"scale\": 1", "\"scale\": 18446744073709551616", "line 4"),
        ("\"scale\": 1", "\"scale\": 1, \"scale\": 2", "scale"),
        ("\"scale\": 1,", "", "missing field `scale`"),
        ("\"weight\": 1", "\"weight\": -1", "line 5"),
        ("\"weight\": 1, ", "", "missing field `weight`"),
        ("[0], \"weight\"", "[2], \"weight\"", "tree 0: there is no message [2]"),
        ("[0], \"weight\"", "[0, 1], \"weight\"", "tree 0: there is no message [0, 1]"),
        ("[0], \"weight\"", "[], \"weight\"", "a list of one or two numbers"),
        ("[0], \"weight\"", "[0, 1, 2], \"weight\"", "a list of one or two numbers"),
        ("\"channels\": [0]", "\"channels\": [2]", "tree 0: there is no channel 2"),
        ("\"trees\"", "\"paths\"", "needs trees"),
        ("\"trees\"", "\"sizes\": [1], \"trees\"", "1 sizes for 2 messages"),
        ("\"trees\"", "\"paths\": [], \"trees\"", "both trees and paths"),
        ("\"trees\"", "\"phases\": [], \"trees\"", "its trees belong in them"),
        ("broadcast", "scatter", "needs paths"),
        ("broadcast", "all-reduce", "an all-reduce needs phases"),
        ("broadcast", "gossip", "unknown kind of collective"),
        ("\"receivers\": [0, 1]", "\"receivers\": [2]", "has no processor 2"),
        ("\"1\"", "\"1/0\"", "its denominator is 0"),
        ("\"1\"", "\"-1\"", "is not a non-negative fraction"),
        ("\"1\"", "1", "invalid type"),
        ("\"cut\"", "\"hope\"", "known are cut, cuts and prices"),
        ("\"cut\"", "\"prices\"", "needs the field `prices`"),
        ("\"routers\": [0]", "\"routers\": [-1]", "line 6"),
    ] {
        let text = PLAN.replacen(from, to, 1);
        assert_ne!(text, PLAN, "{from}");
        let error = read(text.as_bytes(), "plan", 10).unwrap_err().to_string();
        assert!(error.contains(part), "{to}: {error}");
    }
    let error = read(PLAN.as_bytes(), "plan", 1).unwrap_err().to_string();
    assert!(error.contains("at most 1 are allowed"), "{error}");
}

#[test]
fn every_prefix_is_refused_without_a_panic() {
    for end in 0..PLAN.len() {
        assert!(read(&PLAN.as_bytes()[..end], "plan", 10).is_err());
    }
}
