//! Timed schedules, k-synchronous schedules, comparisons and tunings.

use super::archives::entries;
use super::{Studio, part};
use pavane_model::strict_json;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A request about an all-gather, with more fields.
fn request(kind: &str, network: &str, more: Value) -> Value {
    let problem = json!({"network": network, "collective": "all-gather"});
    let mut request = json!({"kind": kind, "machine": {"problem": problem}});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

/// A file of a job.
fn file(studio: &Studio, job: u64, query: &str) -> (u16, Vec<u8>) {
    let (status, _, body) = studio.ask("GET", &format!("/api/jobs/{job}/download?{query}"), "");
    (status, body)
}

/// What the judge of the command line says about a file.
fn judged(name: &str, file: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).unwrap();
    let judge = Command::new(env!("CARGO_BIN_EXE_pavane")).arg("verify").arg(&path).output();
    let judge = judge.unwrap();
    assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stderr));
    String::from_utf8(judge.stdout).unwrap()
}

/// The reason why a request is refused.
fn refused(studio: &Studio, request: &Value) -> String {
    let (_, end) = studio.finish(request);
    assert_eq!(end["state"], "failed", "{request}: {end}");
    end["message"].as_str().unwrap().to_owned()
}

#[test]
fn the_quickest_schedule_can_be_played_downloaded_and_repaired() {
    let studio = Studio::start("1024");
    let asked = json!({"bytes": "1MB", "chunks": "auto"});
    let (job, end) = studio.finish(&request("timed", "ring:4", asked));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    // Three shards of 250 kB enter every processor over two channels of 1 GB/s.
    assert!(part(&data, "time").starts_with("375.0000 µs: optimal; algorithm bandwidth"), "{data}");
    assert!(part(&data, "bound").starts_with("375.0000 µs: "), "{data}");
    assert!(part(&data, "note").contains("1 GB/s"), "{data}");
    let motion = &data["player"]["motion"];
    assert_eq!(motion["microseconds"], 375.0);
    let sends = motion["sends"].as_array().unwrap();
    assert_eq!(part(&data, "schedule"), format!("8 chunks, {} sends", sends.len()));
    assert!(sends.iter().all(|send| send[1].as_f64() < send[2].as_f64()), "{motion}");
    assert!(sends.iter().all(|send| send[2].as_f64().unwrap() <= 120.0), "{motion}");

    let (status, schedule) = file(&studio, job, "to=json");
    assert_eq!(status, 200);
    assert!(judged("studio-timed.json", &schedule).contains("optimal"));
    for format in ["svg", "png", "html", "csv", "goal", "simgrid", "chakra"] {
        let (status, body) = file(&studio, job, &format!("to={format}"));
        assert!(status == 200 && !body.is_empty(), "{format}");
    }
    assert_eq!(file(&studio, job, "to=msccl").0, 200);

    let repair = json!({"kind": "repair", "of": job, "faults": ["r0-r1"]});
    let (mended, end) = studio.finish(&repair);
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(mended);
    assert!(part(&data, "time").starts_with("750.0000 µs, 375.0000 µs before: optimal"), "{data}");
    assert!(part(&data, "sends").contains("of them still valid"), "{data}");
    let (_, schedule) = file(&studio, mended, "");
    let schedule: Value = strict_json::from_slice(&schedule).unwrap();
    assert_eq!(schedule["network"]["faults"], json!(["0-1"]));
}

#[test]
fn bad_timed_requests_are_refused_with_a_reason() {
    let studio = Studio::start("1024");
    for (more, reason) in [
        (json!({}), "bytes: give the size of the messages"),
        (json!({"bytes": "much"}), "bytes: \"much\" is not a size"),
        (json!({"bytes": "0"}), "bytes: \"0\" is not a size"),
        (json!({"bytes": "1MB", "chunks": "0"}), "chunks: \"0\" is not a number from 1 to 4096"),
        (json!({"bytes": "1MB", "sizes": "1,2"}), "bytes and sizes exclude each other"),
        (json!({"sizes": "0,1"}), "sizes: "),
    ] {
        let text = refused(&studio, &request("timed", "ring:4", more));
        assert!(text.starts_with(reason), "{text}");
    }
    let many = ["1B"; 17].join(",");
    for (kind, more, reason) in [
        ("compare", json!({"bytes": ""}), "bytes: "),
        ("compare", json!({"bytes": "1MB,0"}), "bytes: \"0\" is not a size"),
        ("compare", json!({"bytes": many}), "bytes: the studio compares at most 16"),
        ("tune", json!({"bytes": "1KB"}), "bytes: expected two sizes"),
        ("tune", json!({"bytes": "0..1KB"}), "bytes: \"0\" is not a size"),
        ("tune", json!({"bytes": "1KB..1MB", "factor": "1"}), "factor: \"1\" is not a number"),
        ("pareto", json!({"max_chunks": "65"}), "max_chunks: \"65\" is not a number from 1 to 64"),
        ("pareto", json!({"max_steps": "0"}), "max_steps: \"0\" is not a number from 1 to 1000"),
    ] {
        let text = refused(&studio, &request(kind, "ring:4", more));
        assert!(text.starts_with(reason), "{text}");
    }
    let switches = refused(&studio, &request("pareto", "dgx-a100:1", json!({})));
    assert!(switches.starts_with("k-synchronous schedules need a processor"), "{switches}");
    let unknown = request("tune", "ring:4", json!({"bytes": "1KB..1MB", "file": "x"})).to_string();
    assert_eq!(studio.ask("POST", "/api/jobs", &unknown).0, 400);
}

#[test]
fn the_points_of_a_front_have_schedules_that_the_judge_accepts() {
    let studio = Studio::start("1024");
    let (job, end) = studio.finish(&request("pareto", "dgx-1v", json!({"max_chunks": "2"})));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    let points = data["points"].as_array().unwrap();
    let name =
        |point: &Value| [&point["chunks"], &point["steps"], &point["rounds"]].map(Value::clone);
    let names: Vec<[Value; 3]> = points.iter().map(name).collect();
    assert_eq!(json!(names), json!([[1, 2, 2], [2, 2, 3], [2, 3, 3]]));
    assert_eq!(data["limit"], "7/6");
    assert_eq!(data["fewer_in_words"][1], "(2, 2, 2) is below the throughput limit");
    let places = data["places"].as_array().unwrap();
    let is_inside = |share: &Value| (0.0..=1.0).contains(&share.as_f64().unwrap());
    assert!(places.len() == 3 && places.iter().all(|it| is_inside(&it[0]) && is_inside(&it[1])));
    // The point with the most rounds per chunk is the highest.
    assert!(places[0][1].as_f64() < places[1][1].as_f64(), "{places:?}");

    let (status, _, played) = studio.ask("GET", &format!("/api/jobs/{job}/data?point=1"), "");
    let played: Value = strict_json::from_slice(&played).unwrap();
    assert_eq!((status, &played["facts"][1]), (200, &json!(["rounds", "3 (1+2)"])));
    assert_eq!(played["steps"].as_array().unwrap().len(), 3);
    assert_eq!(studio.ask("GET", &format!("/api/jobs/{job}/data?point=9"), "").0, 422);
    let (_, schedule) = file(&studio, job, "to=json&point=1");
    assert!(judged("studio-front.json", &schedule).contains("valid"));
    assert!(file(&studio, job, "to=svg").1.starts_with(b"<svg"));
    let names: Vec<String> =
        entries(&file(&studio, job, "to=tar").1).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["1-2-2.json", "2-2-3.json", "2-3-3.json", "front.svg", "front.json"]);
}

#[test]
fn algorithms_are_compared_drawn_and_played() {
    let studio = Studio::start("1024");
    let (job, end) = studio.finish(&request("compare", "ring:4", json!({"bytes": "64KB, 1MB"})));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert_eq!(data["sizes_in_words"], json!(["64 KB", "1 MB"]));
    let algorithms = data["sizes"][1]["algorithms"].as_array().unwrap();
    assert_eq!(algorithms[0]["microseconds"], 375.0);
    let names: Vec<&str> = algorithms.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(["pavane", "ring", "bruck"].iter().all(|name| names.contains(name)), "{names:?}");
    let chart = String::from_utf8(file(&studio, job, "to=svg&size=1").1).unwrap();
    assert!(chart.contains("bruck: ") && chart.contains("1 MB on ring:4"), "{chart}");
    let (_, schedule) = file(&studio, job, "to=json&size=1&algorithm=bruck");
    assert!(judged("studio-bruck.json", &schedule).contains("valid"));
    let place = format!("/api/jobs/{job}/data?size=0&algorithm=ring");
    let (status, _, played) = studio.ask("GET", &place, "");
    let played: Value = strict_json::from_slice(&played).unwrap();
    assert_eq!((status, &played["title"]), (200, &json!("ring: all-gather on ring:4")));
    assert_eq!(studio.ask("GET", &place.replace("ring", "no"), "").0, 422);
    assert_eq!(file(&studio, job, "to=svg&size=2").0, 422);
}

#[test]
fn a_tuning_offers_the_files_of_the_folder() {
    let studio = Studio::start("1024");
    let asked = json!({"bytes": "1KB..1MB", "factor": "1024"});
    let (job, end) = studio.finish(&request("tune", "ring:4", asked));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert_eq!(data["sizes_in_words"], json!(["1 KB", "1 MB"]));
    assert_eq!(
        (&data["complete"], &data["sizes"][1]["timed_microseconds"]),
        (&json!(true), &json!(375.0))
    );
    let archive = entries(&file(&studio, job, "to=tar").1);
    let names: Vec<&str> = archive.iter().map(|(name, _)| name.as_str()).collect();
    for range in data["ranges"].as_array().unwrap() {
        for name in range["files"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            assert!(names.contains(&name), "{name} is not in {names:?}");
            let (status, body) = file(&studio, job, &format!("to=file&file={name}"));
            let (_, size) = archive.iter().find(|(known, _)| known == name).unwrap();
            assert!(status == 200 && body.len() == *size, "{name}");
        }
    }
    for name in ["timed/1000.json.gz", "tuning.json", "time.svg", "bandwidth.svg"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let (_, plan) = file(&studio, job, "to=file&file=timed/1000.json.gz");
    assert!(judged("studio-tuned.json.gz", &plan).contains("valid"));
    assert_eq!(file(&studio, job, "to=file&file=../Cargo.toml").0, 422);
}
