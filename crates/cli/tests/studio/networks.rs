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
