use super::*;

const FILE: &str = r#"{"format": "pavane/timed/1",
  "network": {"routers": 3, "channels": [[0, 1], [1, 0], [1, 2], [2, 1]], "processors": [0, 1, 2],
              "bandwidth_gbytes": [25, 25, 25, 25], "latency_ns": [700, 700, 700, 700]},
  "collective": {"kind": "broadcast", "senders": [0], "receivers": [1, 2]},
  "bytes": 1000000, "time_unit_ns": "1",
  "chunks": [{"message": [0], "offset": 0, "bytes": 500000},
             {"message": [0], "offset": 500000, "bytes": 500000}],
  "sends": [[0, 0, 0], [1, 0, 20000], [0, 2, 20700], [1, 2, 40700]],
  "time": 61400,
  "bound": {"time": 41400, "certificate": {"kind": "cut", "routers": [0], "receiver": 2}}}"#;

fn refusal(file: &str) -> String {
    read(file.as_bytes(), "file", 1000).expect_err(file).to_string()
}

#[test]
fn files_are_read_as_they_were_written() {
    let schedule = read(FILE.as_bytes(), "file", 1000).unwrap();
    assert_eq!(schedule.size, BufferSize::Bytes(1_000_000));
    assert_eq!(schedule.phases[0].sends[2].start, 20700);
    let mut copy = Vec::new();
    write(&mut copy, &schedule, &Default::default()).unwrap();
    assert_eq!(read(&copy[..], "copy", 1000).unwrap(), schedule);
}

#[test]
fn whatever_does_not_exist_is_refused() {
    for (from, to, expected) in [
        ("[1, 2, 40700]", "[2, 2, 40700]", "send 3: there is no chunk 2"),
        ("[1, 2, 40700]", "[1, 4, 40700]", "send 3: there is no channel 4"),
        ("[1, 2, 40700]", "[1, 2, -1]", "not a timed schedule"),
        (r#"[0], "offset": 500000"#, r#"[1], "offset": 500000"#, "chunk 1: there is no message"),
        (r#""1""#, r#""0""#, "time_unit_ns is 0"),
        (r#""bytes": 1000000, "#, "", "bytes or sizes"),
        (r#""bytes": 1000000"#, r#""sizes": [1, 2]"#, "2 sizes for 1 messages"),
        ("timed/1", "timed/2", "its format is"),
        (r#""sends""#, r#""others""#, "both chunks and sends"),
        (r#""kind": "cut""#, r#""kind": "hope""#, "unknown kind of certificate"),
    ] {
        let file = FILE.replacen(from, to, 1);
        assert_ne!(file, FILE, "{from}");
        let error = refusal(&file);
        assert!(error.contains(expected), "{error}");
    }
}
