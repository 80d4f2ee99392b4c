//! Schedules with steps, slot tables, and jobs that are stopped.

use super::Studio;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

#[test]
fn the_slot_table_of_a_ring_can_be_played_and_downloaded() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-to-all"});
    let request = |more: Value| {
        let mut request = json!({"kind": "tdm", "problem": problem});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let (job, end) = studio.finish(&request(json!({"traffic": "0,2,2\n2,0,1", "phits": "2"})));
    assert_eq!(
        (&end["state"], &end["best"], &end["bound"]),
        (&json!("done"), &json!(4), &json!(4))
    );
    let data = studio.data(job);
    assert_eq!(data["words"], json!(["slot", "receiver"]));
    assert_eq!(data["steps"].as_array().unwrap().len(), 4);
    for (format, name) in [
        ("json", "tdm-ring-4.json"),
        ("svg", "tdm-ring-4.svg"),
        ("html", "tdm-ring-4.html"),
        ("csv", "tdm-ring-4.csv"),
        ("systemverilog", "tdm-ring-4-systemverilog.tar"),
    ] {
        let place = format!("/api/jobs/{job}/download?to={format}");
        let (status, head, _) = studio.ask("GET", &place, "");
        assert!(status == 200 && head.contains(&format!("filename=\"{name}\"")), "{head}");
    }
    let (_, _, file) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    let schedule = pavane_model::tdm::read(&file[..], "file", 10).unwrap();
    assert!(pavane_verify::check_tdm(schedule).unwrap().is_optimal());
    assert_eq!(studio.ask("GET", &format!("/api/jobs/{job}/download?to=shd"), "").0, 422);
    let (_, end) = studio.finish(&json!({"kind": "repair", "of": job, "faults": ["r0-r1"]}));
    assert!(end["message"].as_str().unwrap().contains("neither a schedule nor a plan"), "{end}");
    for (more, part) in [
        (json!({"traffic": "0,9,1"}), "has no processor 9"),
        (json!({"depth": "deep"}), "depth: \"deep\" is not a whole number"),
        (json!({"phits": "0"}), "the number of phits is 0"),
    ] {
        let (_, end) = studio.finish(&request(more));
        assert!(end["message"].as_str().unwrap().contains(part), "{end}");
    }
}

#[test]
fn chunks_are_solved_and_their_gain_is_shown() {
    let studio = Studio::start("1024");
    let request = |chunks: &str| json!({"kind": "solve", "network": "ring:4", "collective": "all-gather", "chunks": chunks});
    let (job, end) = studio.finish(&request("2"));
    assert_eq!(end["state"], "done", "{end}");
    let summary = &studio.data(job)["summary"];
    assert_eq!(summary["steps"], 3);
    let gain = "2 per message: 3/2 steps per message; equals the throughput limit 3/2";
    assert_eq!(summary["chunks"], gain);
    let (job, _) = studio.finish(&request("auto"));
    assert_eq!(studio.data(job)["summary"]["chunks"], gain);
    let (job, _) = studio.finish(&request("1"));
    assert_eq!(studio.data(job)["summary"]["chunks"], Value::Null);
    for chunks in ["0", "4097", "-1", "many"] {
        let (_, end) = studio.finish(&request(chunks));
        let reason = format!("chunks: {chunks:?} is not a number from 1 to 4096, or auto");
        assert_eq!(end["message"], reason, "{end}");
    }
}

#[test]
fn a_job_that_is_stopped_keeps_its_best_schedule() {
    let studio = Studio::start("1024");
    let job = studio.add(&json!({
        "kind": "solve", "network": "random-regular:100,3,1", "collective": "aas",
    }));
    let path = format!("/api/jobs/{job}/events");
    let mut events = BufReader::new(studio.send(&studio.request("GET", &path, "", "")));
    let is_found = |news: &str| news.contains("\"best\":") && !news.contains("\"best\":0,");
    let mut news = String::new();
    while !is_found(&news) {
        news.clear();
        assert_ne!(events.read_line(&mut news).unwrap(), 0, "the stream ended early");
    }
    assert_eq!(studio.ask("POST", &format!("/api/jobs/{job}/stop"), "").0, 200);
    let is_over = |news: &str| news.contains("\"done\"") || news.contains("\"failed\"");
    while !is_over(&news) {
        news.clear();
        assert_ne!(events.read_line(&mut news).unwrap(), 0, "the stream ended early");
    }
    assert!(news.contains("\"done\""), "{news}");
    assert!(studio.data(job)["summary"]["steps"].as_u64().unwrap() > 0);
}
