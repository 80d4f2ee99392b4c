//! The network of the form as a network file, for the editor.

use super::Studio;
use pavane_model::strict_json;
use serde_json::{Value, json};

fn file(studio: &Studio, asked: &Value) -> (u16, Value) {
    let (status, _, body) = studio.ask("POST", "/api/network", &asked.to_string());
    (status, strict_json::from_slice(&body).unwrap())
}

#[test]
fn networks_come_as_files_with_positions() {
    let studio = Studio::start("256");
    let (status, mesh) = file(&studio, &json!({"network": "mesh:2x3"}));
    assert_eq!((status, &mesh["format"]), (200, &json!("pavane/network/1")));
    assert_eq!(mesh["links"].as_array().unwrap().len(), 7);
    assert_eq!(mesh["positions"].as_array().unwrap().len(), 6);
    assert_eq!(mesh["positions"][5], json!([2.0, 1.0]));
    let (status, pasted) = file(&studio, &json!({"text": "a b\nb c\n"}));
    assert_eq!((status, &pasted["routers"]), (200, &json!(["a", "b", "c"])));
}

#[test]
fn networks_that_cannot_be_edited_are_refused_with_a_reason() {
    let studio = Studio::start("256");
    for (asked, status, part) in [
        (json!({"network": "mesh:30x30"}), 422, "the editor accepts at most 400"),
        (json!({"network": "mash:3"}), 422, "mash"),
        (json!({"network": "/etc/passwd"}), 422, "passwd"),
        (json!({"file": "x"}), 400, "unknown field"),
        (
            json!({"text": r#"{"format": "pavane/network/1", "routers": 3, "links": [[0, 1]],
                "lost_routers": [2], "faults": ["2"], "processors": [0, 1, null]}"#}),
            422,
            "has faults",
        ),
    ] {
        let (got, answer) = file(&studio, &asked);
        let message = answer["message"].as_str().unwrap();
        assert_eq!(got, status, "{asked}: {message}");
        assert!(message.contains(part), "{asked}: {message}");
    }
}

#[test]
fn the_size_of_a_network_tells_whether_the_studio_opens_it() {
    let studio = Studio::start("256");
    let size = |asked: &Value| {
        let (status, _, body) = studio.ask("POST", "/api/network/size", &asked.to_string());
        (status, strict_json::from_slice::<Value>(&body).unwrap())
    };
    let (status, mesh) = size(&json!({"network": "mesh:30x30"}));
    assert_eq!((status, mesh), (200, json!({"routers": 900, "channels": 3480})));
    for (asked, part) in [
        (json!({"text": "0 0\n", "text_name": "own.txt"}), "own.txt"),
        (json!({"text": "\u{7f}ELF\u{1}", "text_name": "own.bin"}), "own.bin: a binary file"),
        (json!({"network": "ring:5000"}), "at most 4096 routers and 65536 channels"),
        (json!({"network": "hypercube:30"}), "at most 4096 routers and 65536 channels"),
    ] {
        let (status, answer) = size(&asked);
        let message = answer["message"].as_str().unwrap();
        assert!(status == 422 && message.contains(part), "{asked}: {status} {message}");
    }
}

#[test]
fn wrong_numbers_are_named_without_the_place_in_the_request() {
    let studio = Studio::start("256");
    for (asked, part) in [
        (
            json!({"kind": "repair", "of": 1, "faults": [], "keep": "999"}),
            "repairs keep %: 999 is not a whole number from 0 to 100",
        ),
        (
            json!({"kind": "solve", "network": "ring:4", "collective": "aas", "seed": "1e23"}),
            "random seed: 1e23 is not a whole number",
        ),
    ] {
        let (status, _, body) = studio.ask("POST", "/api/jobs", &asked.to_string());
        let answer: Value = strict_json::from_slice(&body).unwrap();
        let message = answer["message"].as_str().unwrap();
        assert!(
            status == 400 && message.contains(part) && !message.contains("column"),
            "{status} {message}"
        );
    }
}
