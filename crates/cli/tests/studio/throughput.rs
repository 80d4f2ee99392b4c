//! Throughput plans: computed, repaired and refused.

use super::{Studio, part};
use pavane_model::strict_json;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

#[test]
fn the_throughput_of_a_ring_comes_with_a_plan_that_the_judge_accepts() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-gather"});
    let request = json!({
        "kind": "throughput", "problem": problem, "bytes": "1GB", "bandwidth": "50GB/s",
    });
    let (job, end) = studio.finish(&request);
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert!(data["title"].as_str().unwrap().starts_with("all-gather on ring:4"), "{data}");
    // Three shards enter a processor over two channels.
    let limit = part(&data, "limit");
    assert!(limit.starts_with("3/100 ns per byte of a shard"), "{limit}");
    assert!(
        limit.ends_with("algorithm bandwidth 133.33 GB/s, bus bandwidth 100.00 GB/s"),
        "{limit}"
    );
    assert!(part(&data, "why").contains("3 shards must enter router"), "{data}");
    assert!(part(&data, "plan").ends_with("attains the limit: throughput-optimal"), "{data}");
    assert!(part(&data, "time").starts_with("7500.00 µs for 1000000000 bytes"), "{data}");
    assert_eq!(part(&data, "note"), "");

    let (status, head, plan) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    assert_eq!(status, 200);
    assert!(head.contains("filename=\"all-gather-ring-4-throughput.json\""), "{head}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("studio-throughput.json");
    std::fs::write(&file, &plan).unwrap();
    let plan: Value = strict_json::from_slice(&plan).unwrap();
    assert_eq!(plan["format"], "pavane/throughput/1");
    let judge = Command::new(env!("CARGO_BIN_EXE_pavane")).arg("verify").arg(&file).output();
    let judge = judge.unwrap();
    assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stderr));

    // Pictures, of loads and of one message; no other format.
    let download = |query: &str| {
        let (status, _, body) = studio.ask("GET", &format!("/api/jobs/{job}/download?{query}"), "");
        (status, String::from_utf8_lossy(&body).into_owned())
    };
    let (status, loads) = download("to=svg");
    assert!(status == 200 && loads.contains("f-shade"), "{loads}");
    let (status, trees) = download("to=svg&message=2");
    assert!(status == 200 && !trees.contains("f-shade"), "{trees}");
    for (query, reason) in [
        ("to=svg&message=9", "there is no message 9"),
        ("to=svg&message=x", "message: expected a message such as 3"),
        ("to=svg&phase=1", "there is no phase 1"),
        ("to=msccl", "use json, svg or png"),
    ] {
        let (status, text) = download(query);
        assert!(status == 422 && text.contains(reason), "{query}: {text}");
    }
}

#[test]
fn a_plan_is_repaired_and_judged() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "dgx-1v", "collective": "all-gather"});
    let (before, _) =
        studio.finish(&json!({"kind": "throughput", "problem": problem, "bytes": "8MB"}));
    let repair =
        |faults: Value| studio.finish(&json!({"kind": "repair", "of": before, "faults": faults}));
    let (job, end) = repair(json!(["r0-r1"]));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert!(part(&data, "limit").starts_with("7/125 ns"), "{data}");
    assert!(part(&data, "before").starts_with("7/150 ns"), "{data}");
    assert!(part(&data, "plan").starts_with("repaired; attains the limit"), "{data}");
    assert!(part(&data, "trees").contains("of them still valid"), "{data}");
    let (_, _, plan) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    let plan: Value = strict_json::from_slice(&plan).unwrap();
    assert_eq!(plan["network"]["faults"], json!(["0-1"]));
    let keeping = |keep: u64| {
        studio.finish(&json!({"kind": "repair", "of": before, "faults": ["r0-r1"], "keep": keep}))
    };
    assert_eq!(keeping(90).1["state"], "done");
    let request = json!({"kind": "repair", "of": before, "faults": ["r0-r1"], "keep": 101});
    let (status, _, refusal) = studio.ask("POST", "/api/jobs", &request.to_string());
    let refusal = String::from_utf8(refusal).unwrap();
    let expected = "repairs keep %: 101 is not a whole number from 0 to 100";
    assert!(status == 400 && refusal.contains(expected), "{status} {refusal}");
    for (faults, reason) in [(json!(["r0-r9"]), "routers are 0 to 7"), (json!(["what"]), "what")] {
        let (_, end) = repair(faults);
        assert_eq!(end["state"], "failed", "{end}");
        assert!(end["message"].as_str().unwrap().contains(reason), "{end}");
    }
}

#[test]
fn sizes_are_a_matrix() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "path:3", "collective": "all-to-all"});
    let request = |sizes: &str, bytes: &str| {
        studio.finish(&json!({
            "kind": "throughput", "problem": problem, "sizes": sizes, "bytes": bytes,
            "bandwidth": "8GB/s", "latency": "0.5us",
        }))
    };
    let (job, end) = request("0,4096,0\n0,7,8192\n0,1024,0\n", "");
    assert_eq!(end["state"], "done", "{end}");
    assert!(part(&studio.data(job), "limit").starts_with("1.02 µs"));
    for (sizes, bytes, reason) in [
        ("0,1\n1,0", "", "sizes: it has 2 rows for 3 senders"),
        ("0,x", "", "sizes: line 1, column 2: \"x\" is not a whole number"),
        ("[[1],", "", "sizes: expected a list of rows"),
        ("0,1,1\n1,0,1\n1,1,0", "1GB", "bytes and sizes exclude each other"),
    ] {
        let (_, end) = request(sizes, bytes);
        assert!(end["message"].as_str().unwrap().starts_with(reason), "{end}");
    }
}

#[test]
fn the_cost_of_every_fault_is_computed() {
    let studio = Studio::start("1024");
    let request = |network: &str, of: &str| {
        let problem = json!({"network": network, "collective": "all-gather"});
        studio.finish(
            &json!({"kind": "fault-limits", "problem": problem, "of": of, "bandwidth": "10GB/s"}),
        )
    };
    let (job, end) = request("ring:4", "");
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    let row = &data["rows"][0];
    assert_eq!((&row["count"], &row["ns_per_byte"]), (&json!(4), &json!("3/10")), "{data}");
    assert_eq!(row["cost_percent"], 50.0);
    let file = |to: &str| {
        let (status, _, body) = studio.ask("GET", &format!("/api/jobs/{job}/download?to={to}"), "");
        (status, String::from_utf8_lossy(&body).into_owned())
    };
    assert_eq!(file("svg").1.matches("-50.0 % bandwidth").count(), 4);
    assert_eq!(file("csv").1.lines().count(), 6);
    assert_eq!(file("png").0, 422);
    let (job, _) = request("path:3", "routers");
    let data = studio.data(job);
    assert_eq!(data["rows"][0]["note"], "disconnects 0 → 2, 2 → 0; missing: processor 1");
    let pairs = json!({"network": "ring:4", "collective": "broadcast"});
    let (pairs_job, end) =
        studio.finish(&json!({"kind": "fault-limits", "problem": pairs, "count": 2}));
    assert_eq!(end["state"], "done", "{end}");
    let counts = studio.data(pairs_job)["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["count"].as_u64())
        .sum::<Option<u64>>();
    assert_eq!(counts, Some(6), "pairs of four links");
    let (_, end) = studio.finish(&json!({"kind": "fault-limits", "problem": pairs, "count": 5}));
    assert!(end["message"].as_str().unwrap().starts_with("count: a set of 5 faults"), "{end}");
    let (_, end) = request("ring:4", "plugs");
    assert!(end["message"].as_str().unwrap().starts_with("of: \"plugs\" cannot fail"), "{end}");
    let (_, end) = studio.finish(&json!({"kind": "repair", "of": job, "faults": ["r0-r1"]}));
    assert!(end["message"].as_str().unwrap().contains("neither a schedule nor a plan"), "{end}");
}

#[test]
fn the_throughput_after_a_fault_is_that_of_the_broken_network() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-gather"});
    let request =
        |faults| json!({"kind": "throughput", "problem": problem, "trees": "1", "faults": faults});
    for (faults, limit, missing) in
        [(json!(["r0-r1"]), "3 ns", ""), (json!(["r3"]), "2 ns", "processor 3")]
    {
        let (job, end) = studio.finish(&request(faults));
        assert_eq!(end["state"], "done", "{end}");
        let data = studio.data(job);
        assert!(part(&data, "limit").starts_with(limit), "{data}");
        assert!(part(&data, "note").contains("1 GB/s"), "{data}");
        assert_eq!(part(&data, "missing"), missing);
    }
}

#[test]
fn bad_throughput_requests_are_refused_with_a_reason() {
    let studio = Studio::start("1024");
    let ring = json!({"network": "ring:4", "collective": "all-gather"});
    let on = |network| json!({"network": network, "collective": "all-to-all"});
    for (problem, field, value, reason) in [
        (&ring, "bytes", json!("-3"), "bytes: \"-3\" is not a size: it is negative"),
        (&ring, "bytes", json!("lots"), "bytes: \"lots\" is not a size"),
        (&ring, "bandwidth", json!("fast"), "bandwidth: \"fast\" is not a bandwidth"),
        (&ring, "latency", json!("-1ns"), "latency: \"-1ns\" is not a time: it is negative"),
        (&ring, "trees", json!("0"), "trees: \"0\" is not a number of trees"),
        (&on("ring:4"), "trees", json!("2"), "trees: messages of all-to-all take paths"),
        (&ring, "faults", json!(["r0-r2"]), "no link from router 0 to router 2"),
        (&on("nowhere:4"), "bytes", json!("1GB"), "nowhere"),
        (&on("hypercube:9"), "bytes", json!("1GB"), "pavane throughput"),
        (&on("/etc/passwd"), "bytes", json!("1GB"), "\"/etc/passwd\""),
    ] {
        let (_, end) =
            studio.finish(&json!({"kind": "throughput", "problem": problem, field: value}));
        assert_eq!(end["state"], "failed", "{field} {value}: {end}");
        assert!(end["message"].as_str().unwrap().contains(reason), "{field} {value}: {end}");
    }
    let unknown = json!({"kind": "throughput", "problem": ring, "size": "1GB"}).to_string();
    let (status, _, body) = studio.ask("POST", "/api/jobs", &unknown);
    assert_eq!(status, 400);
    assert!(String::from_utf8_lossy(&body).contains("unknown field"));
}
