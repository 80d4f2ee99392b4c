//! The best schedule for every size.

use super::{run, snapshot};
use serde_json::Value;

#[test]
fn bad_tune() {
    snapshot(
        "bad-tune",
        &[
            "tune ring:4 all-gather --bytes 1KB..1MB",
            "tune ring:4 all-gather -o tuned",
            "tune ring:4 all-gather --bytes 1KB -o tuned",
            "tune ring:4 all-gather --bytes 1MB..1KB -o tuned",
            "tune ring:4 all-gather --bytes 1KB..much -o tuned",
            "tune ring:4 all-gather --bytes 1KB..1MB --factor 1 -o tuned",
            "tune ring:4 nonsense --bytes 1KB..1MB -o tuned",
            "tune ring:4 all-gather --bytes 1KB..1MB -o tdm-traffic.csv/tuned",
        ],
    );
}

#[test]
fn a_tuned_folder_has_plans_for_all_sizes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, collective) in ["all-gather", "all-reduce", "all-to-all"].iter().enumerate() {
        let place = folder.path().join(number.to_string());
        let line = format!(
            "tune ring:4 {collective} --bytes 1KB..1MB --factor 32 --latency 1us --evaluations 1 \
             --threads 1 -o {} --json",
            place.display()
        );
        assert!(run(&line).contains("[exit 0]"), "{line}");
        let text = std::fs::read_to_string(place.join("tuning.json")).expect("the table");
        let tuning: Value = pavane_model::strict_json::from_str(&text).expect("it is JSON");
        let ranges = tuning["ranges"].as_array().expect("ranges");
        assert_eq!(ranges[0]["min_bytes"], 0);
        for range in ranges {
            let files = range["files"].as_array().expect("files");
            for file in files.iter().filter_map(Value::as_str) {
                let file = place.join(file);
                let command = match file.extension().and_then(|ending| ending.to_str()) {
                    Some("xml") => "check-plan",
                    Some("c") => continue,
                    _ if file.components().any(|it| it.as_os_str() == "mscclpp") => "check-plan",
                    _ => "verify",
                };
                let printed = run(&format!("{command} {}", file.display()));
                assert!(printed.contains("[exit 0]"), "{printed}");
                if command == "check-plan" {
                    let text = std::fs::read_to_string(&file).expect("a plan");
                    let least = range["min_bytes"].to_string();
                    let is_named = text.contains(&format!("minBytes=\"{least}\""))
                        || text.contains(&format!("\"min_message_size\": {least}"));
                    assert!(is_named, "{}", file.display());
                }
            }
        }
        for size in tuning["sizes"].as_array().expect("sizes") {
            let time = |name: &str| size[name].as_f64().expect("a time");
            assert!(time("microseconds") >= time("bound_microseconds") - 1e-9);
            let timed = place.join(size["timed_file"].as_str().expect("a file"));
            assert!(run(&format!("verify {}", timed.display())).contains("[exit 0]"));
        }
        for name in ["time.svg", "bandwidth.svg"] {
            let svg = std::fs::read_to_string(place.join(name)).expect("a plot");
            assert!(svg.starts_with("<svg") && svg.contains(">tuned<"), "{name}");
        }
    }
}
