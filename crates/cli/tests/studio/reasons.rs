//! Bounds, the cost of faults in steps, deadlocks and traffic.

use super::Studio;
use serde_json::{Value, json};

fn file(studio: &Studio, job: u64, to: &str) -> (u16, String) {
    let (status, _, body) = studio.ask("GET", &format!("/api/jobs/{job}/download?to={to}"), "");
    (status, String::from_utf8_lossy(&body).into_owned())
}

fn lines(data: &Value) -> String {
    data["lines"].to_string()
}

#[test]
fn bounds_name_the_routers_and_channels_of_their_arguments() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "mesh:4x4", "collective": "aas"});
    let (job, end) = studio.finish(&json!({"kind": "bounds", "problem": problem}));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert_eq!(data["steps"], 16);
    let rows = data["rows"].as_array().unwrap();
    let cut = rows.iter().find(|row| row["reason"] == "cut").unwrap();
    // Half of the mesh, and the four channels that leave it.
    assert_eq!(cut["routers"].as_array().unwrap().len(), 8, "{cut}");
    assert_eq!(cut["channels"].as_array().unwrap().len(), 4, "{cut}");
    assert_eq!(rows.iter().filter(|row| row["is_best"] == true).count(), 1);
    let reduce = json!({"network": "ring:4", "collective": "all-reduce"});
    let (job, _) = studio.finish(&json!({"kind": "bounds", "problem": reduce}));
    let data = studio.data(job);
    let rows = data["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["phase"] == "all-gather"), "{data}");
    // The phases may overlap, so that the bounds of the phases do not add up.
    assert_eq!((&rows[0]["phase"], &rows[0]["is_best"]), (&"all-reduce".into(), &true.into()));
    assert_eq!((&data["steps"], &rows[0]["steps"]), (&4.into(), &4.into()), "{data}");
    assert_eq!(file(&studio, job, "svg").0, 422);
}

#[test]
fn the_steps_of_every_fault_are_computed() {
    let studio = Studio::start("1024");
    let request = |network: &str, of: &str, count: u32| {
        let problem = json!({"network": network, "collective": "all-gather", "switching": "sf"});
        studio.finish(&json!({"kind": "faults", "problem": problem, "of": of, "count": count}))
    };
    let (job, end) = request("ring:4", "links", 1);
    assert_eq!(end["state"], "done", "{end}");
    let row = &studio.data(job)["rows"][0];
    // Two steps on the ring, three on the path that remains.
    let figures = [&row["count"], &row["steps"], &row["bound"], &row["more_steps"]];
    assert_eq!(json!(figures), json!([4, 3, 3, 1]));
    assert_eq!(file(&studio, job, "svg").1.matches("+50.0 % steps").count(), 4);
    assert_eq!(file(&studio, job, "csv").1.lines().count(), 5);
    let (job, _) = request("path:3", "routers", 1);
    let note = studio.data(job)["rows"][0]["note"].clone();
    assert_eq!(note, "disconnects 0 → 2, 2 → 0; missing: processor 1");
    for (of, count, reason) in
        [("plugs", 1, "of: \"plugs\" cannot fail"), ("links", 5, "count: a set of 5 faults")]
    {
        let (_, end) = request("ring:4", of, count);
        assert!(end["message"].as_str().unwrap().starts_with(reason), "{end}");
    }
}

#[test]
fn cycles_of_dependencies_and_their_absence_are_found() {
    let studio = Studio::start("1024");
    let problem = json!({"network": "ring:5", "collective": "oab"});
    let request = |routing: &str, faults: Value| {
        studio.finish(&json!({
            "kind": "deadlock", "problem": problem, "routing": routing, "faults": faults,
        }))
    };
    let (job, end) = request("shortest", json!([]));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert_eq!(data["cycle"].as_array().unwrap().len(), 5, "{data}");
    assert!(lines(&data).contains("not deadlock-free: 5 channels"), "{data}");
    assert!(file(&studio, job, "svg").1.contains("#c00"));
    assert!(file(&studio, job, "csv").1.lines().count() > 20);
    // A ring without a link is a path.
    let (job, _) = request("shortest", json!(["r0-r1"]));
    assert!(lines(&studio.data(job)).contains("deadlock-free: no cycle"));
    for name in ["no-such", "/etc/passwd", "Cargo.toml"] {
        let (_, end) = request(name, json!([]));
        let reason = format!("routing: unknown routing {name:?}");
        assert!(end["message"].as_str().unwrap().starts_with(&reason), "{end}");
    }
}

#[test]
fn missions_are_simulated_and_no_files_are_opened() {
    let studio = Studio::start("1024");
    let request = |more: Value| {
        let problem = json!({"network": "hypercube:3", "collective": "all-to-all"});
        let mut request = json!({"kind": "traffic", "problem": problem});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        studio.finish(&request)
    };
    let (job, end) = request(json!({"messages": "collective", "mean": "20"}));
    assert_eq!(end["state"], "done", "{end}");
    let data = studio.data(job);
    assert!(data["title"].as_str().unwrap().starts_with("56 messages on hypercube:3"), "{data}");
    assert!(lines(&data).contains("makespan"), "{data}");
    assert!(file(&studio, job, "svg").1.contains("message 0: 0 → 1"));
    assert!(file(&studio, job, "csv").1.lines().count() > 56);
    for (more, reason) in [
        (json!({"density": "2"}), "density"),
        (json!({"mean": "x"}), "mean: \"x\" is not a number"),
        (json!({"routing": "/etc/passwd"}), "routing: unknown routing \"/etc/passwd\""),
        (json!({"policy": "luck"}), "luck"),
        (json!({"switching": "slow"}), "slow"),
    ] {
        let (_, end) = request(more);
        assert!(end["message"].as_str().unwrap_or_default().contains(reason), "{end}");
    }
}
