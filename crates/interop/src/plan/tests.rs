//! Small handwritten plans, correct and faulty.

use super::*;

/// Two GPUs exchange their inputs.
const PAIR: &str = r#"<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0" outofplace="1" minBytes="0" maxBytes="1024">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
    <tb id="1" send="1" recv="-1" chan="0"><step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
    <tb id="2" send="-1" recv="1" chan="0"><step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>"#;

fn kinds(text: &str) -> Vec<&'static str> {
    let mut kinds: Vec<_> = read(text).unwrap().faults().iter().map(PlanFault::kind).collect();
    kinds.dedup();
    kinds
}

/// The plan with one replacement, which must match.
fn changed(from: &str, to: &str) -> String {
    assert!(PAIR.contains(from), "{from}");
    PAIR.replacen(from, to, 1)
}

#[test]
fn an_exchange_is_right() {
    assert_eq!(read(PAIR).unwrap().faults(), []);
}

#[test]
fn every_kind_of_fault_is_found() {
    let first_receive = r#"type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1""#;
    let copy = r#"type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0""#;
    let table: &[(&str, String, &[&str])] = &[
        (
            "no rank sends",
            changed(
                r#"type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0""#,
                r#"type="nop" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0""#,
            ),
            &["deadlock"],
        ),
        (
            "no rank receives",
            changed(r#"type="r""#, r#"type="nop""#),
            &["not received", "wrong data"],
        ),
        (
            "it lands elsewhere",
            changed(first_receive, r#"type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0""#),
            &["data race", "wrong data"],
        ),
        (
            "it lands nowhere",
            changed(first_receive, r#"type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="2""#),
            &["misfit", "wrong data"],
        ),
        (
            "nothing is copied",
            changed(copy, r#"type="cpy" srcbuf="o" srcoff="1" dstbuf="o" dstoff="0""#),
            &["missing data", "data race", "wrong data"],
        ),
        (
            "two are sent",
            changed(
                r#"dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
    <tb id="2""#,
                r#"dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/></tb>
    <tb id="2""#,
            ),
            &["misfit"],
        ),
        (
            "added, not copied",
            changed(first_receive, r#"type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1""#),
            &["wrong data"],
        ),
    ];
    for (name, text, wanted) in table {
        assert_eq!(kinds(text), *wanted, "{name}");
    }
}

#[test]
fn dependencies_are_kept() {
    // Two thread blocks wait for each other.
    let circle = changed(
        r#"dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
    <tb id="1" send="1" recv="-1" chan="0"><step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>"#,
        r#"dstoff="0" cnt="1" depid="1" deps="0" hasdep="1"/></tb>
    <tb id="1" send="1" recv="-1" chan="0"><step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0" hasdep="1"/>"#,
    );
    assert_eq!(kinds(&circle), ["deadlock"]);
    let text = read(&circle).unwrap().faults()[0].to_string();
    assert!(
        text.contains("rank 0, thread block 0, step 0 (cpy) waits for rank 0, thread block 1"),
        "{text}"
    );
    // A step that does not signal its completion.
    let silent = circle.replacen("hasdep=\"1\"", "hasdep=\"0\"", 2);
    assert_eq!(kinds(&silent), ["misfit"]);
    // A dependency on a step that does not exist.
    let nowhere = changed(r#"depid="-1" deps="-1""#, r#"depid="7" deps="0""#);
    assert_eq!(kinds(&nowhere), ["misfit"]);
}

#[test]
fn malformed_plans_are_refused() {
    let nested = format!("<algo>{}", "<a>".repeat(100_000));
    let many = format!("<algo{}/>", " a=\"1\"".repeat(10_000));
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;\">]><algo>&c;</algo>".to_owned();
    let huge = PAIR.replacen("s_chunks=\"0\"", "s_chunks=\"2000000000\"", 1);
    let far = PAIR.replacen("cnt=\"1\"", "cnt=\"2000000000\"", 1);
    let twice = PAIR.replacen("send=\"1\" recv=\"-1\"", "send=\"-1\" recv=\"1\"", 1);
    let deep = format!("{{\"collective\": \"allgather\", \"gpus\": {}", "[".repeat(100_000));
    for text in ["", "ring", "<a/>", "{}", "{\"collective\": \"x\", \"gpus\": []}"] {
        assert!(read(text).is_err(), "{text}");
    }
    for text in [nested, many, bomb, huge, far, twice, deep] {
        assert!(read(&text).is_err(), "{}", &text[..60]);
    }
}

/// The runtime accepts 0 to 71 chunks in a step, and any number in a step that does nothing.
#[test]
fn counts_beyond_the_limit_of_the_runtime_are_refused() {
    let with_count = |count: u32| PAIR.replacen("cnt=\"1\"", &format!("cnt=\"{count}\""), 1);
    assert!(read(&with_count(0)).is_ok());
    assert!(read(&with_count(71)).is_ok());
    let error = read(&with_count(72)).unwrap_err();
    assert_eq!(error.problem, "cnt is 72; the runtime accepts 0 to 71");
    assert!(read(&with_count(72).replacen("type=\"cpy\"", "type=\"nop\"", 1)).is_ok());
}

/// Two GPUs put into each other's output, signal and wait.
fn puts(order: &[&str]) -> String {
    let operation = |name: &&str, own: u32| match *name {
        "put" => format!(
            r#"{{"name": "put", "src_buff": [{{"type": "i", "index": 0, "size": 1}}], "dst_buff": [{{"buffer_id": 0, "index": {own}, "size": 1}}], "channel_ids": [0], "channel_type": "memory"}}"#
        ),
        "copy" => format!(
            r#"{{"name": "copy", "src_buff": [{{"type": "i", "index": 0, "size": 1}}], "dst_buff": [{{"type": "o", "index": {own}, "size": 1}}]}}"#
        ),
        "read" => format!(
            r#"{{"name": "copy", "src_buff": [{{"type": "o", "index": {}, "size": 1}}], "dst_buff": [{{"type": "s", "index": 0, "size": 1}}]}}"#,
            1 - own
        ),
        name => format!(r#"{{"name": "{name}", "channel_ids": [0], "channel_type": "memory"}}"#),
    };
    let gpu = |own: u32| {
        let peer = 1 - own;
        let operations: Vec<String> = order.iter().map(|name| operation(name, own)).collect();
        format!(
            r#"{{"id": {own}, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 1,
            "channels": [{{"channel_type": "memory", "connected_to": [{peer}]}}],
            "remote_buffers": [{{"rank": {peer}, "type": "o", "access_channel_types": ["memory"]}}],
            "threadblocks": [{{"id": 0, "ops": [{}], "channels": [{{"channel_type": "memory", "channel_ids": [0]}}],
            "remote_buffer_refs": [{{"access_channel_type": "memory", "remote_buffer_ids": [0]}}]}}]}}"#,
            operations.join(", ")
        )
    };
    format!(
        r#"{{"name": "x", "collective": "allgather", "inplace": false, "gpus": [{}, {}]}}"#,
        gpu(0),
        gpu(1)
    )
}

#[test]
fn puts_are_ordered_by_signals() {
    assert_eq!(kinds(&puts(&["copy", "put", "signal", "wait", "read"])), [] as [&str; 0]);
    assert_eq!(kinds(&puts(&["wait", "copy", "put", "signal", "read"])), ["deadlock"]);
    assert_eq!(
        kinds(&puts(&["copy", "signal", "wait", "read", "put"])),
        ["missing data", "data race"]
    );
    assert_eq!(kinds(&puts(&["copy", "signal", "wait"])), ["wrong data"]);
    assert!(read(&puts(&["pirouette"])).is_err());
}
