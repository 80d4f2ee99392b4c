//! Schedule files that the user opens, and the choice of an engine.

use super::{Studio, part};
use serde_json::{Value, json};

/// A download of a job as text.
fn file(studio: &Studio, job: u64) -> String {
    let (status, _, bytes) = studio.ask("GET", &format!("/api/jobs/{job}/download"), "");
    assert_eq!(status, 200);
    String::from_utf8(bytes).unwrap()
}

fn open(text: &str) -> Value {
    json!({"kind": "open", "name": "mine.json", "text": text})
}

#[test]
fn a_schedule_file_is_judged_shown_and_repaired() {
    let studio = Studio::start("1024");
    for (request, form) in [
        (
            json!({"network": "mesh:2x3", "collective": "aas", "switching": "sf", "ports": "1"}),
            json!({"network": "mesh:2x3", "collective": "aas", "switching": "sf", "ports": "1",
                   "routing": "minimal", "duplex": "full", "chunks": "1"}),
        ),
        (
            json!({"network": "ring:4", "collective": "broadcast", "root": "2", "chunks": "2"}),
            json!({"network": "ring:4", "collective": "broadcast", "root": "p2", "chunks": "2",
                   "switching": "wormhole", "routing": "minimal", "duplex": "full", "ports": "all"}),
        ),
        (
            json!({"network": "ring:4", "collective": "mns", "senders": "0,1", "receivers": "2,3",
                   "routing": "+1"}),
            json!({"network": "ring:4", "collective": "mns", "senders": "p0,p1",
                   "receivers": "p2,p3", "chunks": "1", "switching": "wormhole", "routing": "+1",
                   "duplex": "full", "ports": "all"}),
        ),
        (
            json!({"network": "ring:4", "collective": "all-reduce"}),
            json!({"network": "ring:4", "collective": "all-reduce", "chunks": "1", "ports": "all",
                   "switching": "wormhole", "routing": "minimal", "duplex": "full"}),
        ),
    ] {
        let mut solve = request.clone();
        solve["kind"] = json!("solve");
        let (found, end) = studio.finish(&solve);
        assert_eq!(end["state"], "done", "{end}");
        let (job, end) = studio.finish(&open(&file(&studio, found)));
        assert_eq!(end["state"], "done", "{end}");
        let (found, opened) = (studio.data(found), studio.data(job));
        assert_eq!(opened["steps"], found["steps"], "{request}");
        let summary = &opened["summary"];
        assert_eq!(summary["steps"], found["summary"]["steps"]);
        assert_eq!(summary["bound"], found["summary"]["bound"]);
        assert_eq!((&summary["file"], &summary["form"]), (&json!("mine.json"), &form));
        let (_, end) = studio.finish(&json!({"kind": "repair", "of": job, "faults": ["r0-r1"]}));
        assert_eq!(end["state"], "done", "{end}");
    }
}

#[test]
fn a_network_with_a_false_name_fills_the_form_as_text() {
    let studio = Studio::start("1024");
    let solve = json!({"kind": "solve", "network": "ring:4", "collective": "all-gather"});
    let (job, _) = studio.finish(&solve);
    let renamed = file(&studio, job).replace("\"ring:4\"", "\"ring:5\"");
    let (job, end) = studio.finish(&open(&renamed));
    assert_eq!(end["state"], "done", "{end}");
    let form = &studio.data(job)["summary"]["form"];
    assert_eq!((&form["network"], &form["collective"]), (&Value::Null, &json!("all-gather")));
    let text = form["text"].as_str().unwrap();
    let again = json!({"kind": "solve", "text": text, "collective": "all-gather"});
    assert_eq!(studio.finish(&again).1["state"], "done");
}

#[test]
fn timed_and_tdm_schedules_are_opened() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:4", "collective": "all-gather"});
    let machine = json!({"problem": problem, "faults": [], "bandwidth": "1GB/s"});
    let (found, _) = studio.finish(&json!({"kind": "timed", "machine": machine, "bytes": "1KB"}));
    let (job, end) = studio.finish(&open(&file(&studio, found)));
    assert_eq!(end["state"], "done", "{end}");
    let (found, opened) = (studio.data(found), studio.data(job));
    assert_eq!(opened["microseconds"], found["microseconds"]);
    assert_eq!(part(&opened, "bound"), part(&found, "bound"));
    assert_eq!(part(&opened, "read from"), "mine.json");
    let (found, _) = studio.finish(&json!({"kind": "tdm", "problem": problem}));
    let (job, end) = studio.finish(&open(&file(&studio, found)));
    assert_eq!(
        (&end["state"], &end["best"], &end["bound"]),
        (&json!("done"), &json!(4), &json!(4))
    );
    assert_eq!(studio.data(job)["steps"], studio.data(found)["steps"]);
}

#[test]
fn files_that_are_wrong_are_refused_with_a_reason() {
    let studio = Studio::start("1024");
    let solve = json!({"kind": "solve", "network": "ring:4", "collective": "all-gather"});
    let (job, _) = studio.finish(&solve);
    let mut forged: Value = pavane_model::strict_json::from_str(&file(&studio, job)).unwrap();
    forged["steps"].as_array_mut().unwrap().pop();
    let problem = json!({"network": "ring:4", "collective": "all-gather"});
    let (plan, _) = studio.finish(&json!({"kind": "throughput", "problem": problem, "faults": []}));
    for (text, why) in [
        (forged.to_string(), "not a valid schedule"),
        (file(&studio, plan), "a throughput plan"),
        ("{".to_owned(), "mine.json"),
        ("{\"format\": \"pavane/schedule/9\"}".to_owned(), "mine.json"),
    ] {
        let (_, end) = studio.finish(&open(&text));
        assert_eq!(end["state"], "failed", "{end}");
        assert!(end["message"].as_str().unwrap().contains(why), "{why}: {end}");
    }
}

#[test]
fn the_engine_can_be_chosen() {
    let studio = Studio::start("1024");
    let (status, _, choices) = studio.ask("GET", "/api/choices", "");
    assert_eq!(status, 200);
    let choices: Value = pavane_model::strict_json::from_slice(&choices).unwrap();
    let engines = choices["engines"].as_array().unwrap();
    assert!(engines.iter().any(|engine| engine[0] == "umda"), "{engines:?}");
    let request = |engine: &str| json!({"kind": "solve", "network": "ring:5", "collective": "all-to-all", "engine": engine});
    for engine in ["polygons", "ejection"] {
        let (job, end) = studio.finish(&request(engine));
        assert_eq!(end["state"], "done", "{end}");
        assert_eq!(studio.data(job)["summary"]["engine"], engine);
    }
    let (_, end) = studio.finish(&request("none"));
    assert!(end["message"].as_str().unwrap().contains("none"), "{end}");
}
