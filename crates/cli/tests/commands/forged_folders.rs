//! Folders of `pavane faults --save` whose entries name files for other networks. A bound proved
//! for such a network must not make a schedule optimal.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use super::run;
use pavane_model::strict_json;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A scatter in a network where every single fault leaves a schedule of 2 steps, and two faults at
/// the root one of 3.
const SCATTER: &str = "complete:4 oas --root 0 --routing any";

/// A folder that can be modified.
struct Forged {
    /// Removes the folder when dropped.
    _place: tempfile::TempDir,
    path: PathBuf,
    index: Value,
}

impl Forged {
    /// The output of `pavane faults --save`, which must pass.
    fn new(problem: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("folder");
        succeed(&format!("faults {problem} --save {}", path.display()));
        let index = fs::read_to_string(path.join("index.json")).unwrap();
        let forged = Self { _place: place, path, index: strict_json::from_str(&index).unwrap() };
        assert!(forged.verify()["valid"].as_bool().unwrap(), "{problem}");
        forged
    }

    /// The entry of a fault.
    fn entry(&mut self, fault: &str) -> &mut Value {
        let entries = self.index["collectives"][0]["faults"].as_array_mut().unwrap();
        entries.iter_mut().find(|entry| entry["faults"][0] == fault).unwrap()
    }

    /// Replaces the schedule of a fault by another file.
    fn exchange(&mut self, fault: &str, file: &str) {
        let schedule: Value =
            strict_json::from_str(&fs::read_to_string(self.path.join(file)).unwrap()).unwrap();
        let steps = schedule["steps"].as_array().unwrap().len();
        let entry = self.entry(fault);
        entry["schedule"] = file.into();
        entry["steps"] = steps.into();
    }

    /// Solves a problem into a file in the folder.
    fn solve(&self, problem: &str, file: &str) {
        succeed(&format!("solve {problem} --quiet -o {}", self.path.join(file).display()));
    }

    /// The report of `pavane verify`. It must exit normally, with a matching exit code.
    fn verify(&self) -> Value {
        fs::write(self.path.join("index.json"), self.index.to_string()).unwrap();
        let text = run(&format!("verify {} --json", self.path.display()));
        let json = &text[text.find('{').unwrap()..=text.rfind('}').unwrap()];
        let report: Value = strict_json::from_str(json).unwrap();
        let exit = if report["valid"] == true { "[exit 0]\n" } else { "[exit 1]\n" };
        assert!(text.ends_with(exit), "{text}");
        report
    }

    /// Checks that `verify` and `repair` refuse the entry of one fault because it is for another
    /// network, and that all others count as before.
    fn is_refused(&self, fault: &str, file: &str) {
        let report = self.verify();
        let of = &report["collectives"][0];
        let all = of["faults"].as_u64().unwrap();
        assert_eq!(report["valid"], false, "{report}");
        assert_eq!(
            (&of["valid"], &of["optimal"]),
            (&(all - 1).into(), &(all - 1).into()),
            "{report}"
        );
        let problem = of["problems"][0].as_str().unwrap();
        assert_eq!(of["problems"].as_array().unwrap().len(), 1, "{report}");
        let expected = format!("fault {fault}: {file} is not for ");
        assert!(problem.starts_with(&expected), "{problem}");
        let [tail, head] = [0, 1].map(|at| fault.split(['-', ':']).nth(at).unwrap());
        let separator = if fault.contains(':') { ':' } else { '-' };
        let repaired =
            run(&format!("repair {} --fault r{tail}{separator}r{head}", self.path.display()));
        assert!(repaired.contains(&format!("{file} is not for ")), "{repaired}");
        assert!(repaired.ends_with("[exit 2]\n"), "{repaired}");
    }
}

fn succeed(line: &str) {
    let text = run(line);
    assert!(text.ends_with("[exit 0]\n"), "{text}");
}

#[test]
fn a_smaller_network_proves_nothing_about_a_larger_one() {
    for fault in ["0-1", "0-2"] {
        let mut folder = Forged::new(SCATTER);
        folder.solve(&format!("{SCATTER} --fault 0-1 --fault 0-3"), "smaller.json");
        // The second entry has a renumbering.
        assert_eq!(folder.entry(fault).get("renumbering").is_some(), fault == "0-2");
        folder.exchange(fault, "smaller.json");
        folder.is_refused(fault, "smaller.json");
    }
}

#[test]
fn a_larger_network_proves_nothing_about_a_smaller_one() {
    for fault in ["0-1", "0-2", "1-2"] {
        let mut folder = Forged::new(SCATTER);
        folder.exchange(fault, "oas-no-fault.json");
        folder.is_refused(fault, "oas-no-fault.json");
    }
}

#[test]
fn networks_of_other_sizes_are_refused() {
    for (network, more) in
        [("complete:5", ""), ("complete:3", ""), ("complete:4@2", ""), ("ring:64", "--ports 1")]
    {
        for fault in ["0-1", "0-3"] {
            let mut folder = Forged::new(SCATTER);
            folder.solve(&format!("{network} oas --root 0 {more}"), "other.json");
            folder.exchange(fault, "other.json");
            folder.is_refused(fault, "other.json");
        }
    }
}

#[test]
fn a_renumbering_has_to_be_the_right_one() {
    for (images, problem) in [
        // Permutations that do not map the network without 0-1 to the one without 0-3.
        (&[0, 1, 2, 3][..], "oas-1.json is not for complete:4 with these faults"),
        (&[0, 2, 1, 3], "oas-1.json is not for complete:4 with these faults"),
        (&[3, 0, 1, 2], "the schedule does not serve exactly the remaining processors"),
        // Not a permutation of four routers.
        (&[0, 1, 2], "the renumbering of the entry does not fit the network"),
        (&[0, 1, 2, 2], "the renumbering of the entry does not fit the network"),
        (&[0, 3, 2, 4], "the renumbering of the entry does not fit the network"),
        (&[0, 3, 1, 2, 4], "the renumbering of the entry does not fit the network"),
    ] {
        let mut folder = Forged::new(SCATTER);
        let images = Value::from(images);
        let entry = folder.entry("0-3");
        assert_eq!(entry["schedule"], "oas-1.json");
        entry["renumbering"] = serde_json::json!({"routers": images, "processors": images});
        let report = folder.verify();
        let of = &report["collectives"][0];
        assert_eq!((&of["valid"], &of["optimal"]), (&5.into(), &5.into()), "{images}: {report}");
        let found = of["problems"][0].as_str().unwrap();
        assert!(found.starts_with(&format!("fault 0-3: {problem}")), "{images}: {report}");
    }
}

/// kautz:2,2 with its opposite channels paired into links, so that half duplex takes more steps.
const LINKED: &str = r#"{"format": "pavane/network/1", "name": "kautz:2,2", "routers": 6, "processors": "each",
    "links": [[0,2],[1,4],[3,5]], "channels": [[0,3],[1,5],[2,1],[3,4],[4,0],[5,2]]}"#;

#[test]
fn other_links_are_another_network() {
    let mut folder = Forged::new("kautz:2,2 aas --duplex half --of channels");
    let linked = folder.path.with_extension("network.json");
    fs::write(&linked, LINKED).unwrap();
    let before = folder.entry("0:2")["steps"].as_u64();
    folder.solve(&format!("{} aas --duplex half --fault 0:2", linked.display()), "linked.json");
    folder.exchange("0:2", "linked.json");
    assert!(folder.entry("0:2")["steps"].as_u64() > before, "links must cost a step");
    folder.is_refused("0:2", "linked.json");
}

#[test]
fn a_bound_without_a_proof_makes_nothing_optimal() {
    let folder = Forged::new("ring:6 aas");
    let strip = |path: &Path| {
        let mut file: Value = strict_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        file["bound"].as_object_mut().unwrap().remove("certificate").unwrap();
        fs::write(path, file.to_string()).unwrap();
    };
    strip(&folder.path.join("aas-1.json"));
    let report = folder.verify();
    let of = &report["collectives"][0];
    assert_eq!((&of["valid"], &of["optimal"]), (&6.into(), &0.into()), "{report}");
}

#[test]
fn a_network_with_faults_from_the_start_passes_under_its_name() {
    let folder = Forged::new("complete:4 oab --fault 0-1");
    succeed(&format!("verify {} --network complete:4", folder.path.display()));
    let other = run(&format!("verify {} --network ring:4", folder.path.display()));
    assert!(other.contains(", not for ") && other.ends_with("[exit 1]\n"), "{other}");
}

#[test]
fn faults_that_leave_no_processor_pass_without_a_schedule() {
    let place = tempfile::tempdir().unwrap();
    let network = place.path().join("network.toml");
    fs::write(&network, "routers = 2\nlinks = [[0, 1]]\nprocessors = [1, 1]\n").unwrap();
    let mut folder = Forged::new(&format!("{} oab --of routers --ports 1", network.display()));
    let of = &folder.verify()["collectives"][0];
    assert_eq!((&of["valid"], &of["optimal"]), (&1.into(), &1.into()), "{of}");
    folder.exchange("1", "oab-1.json");
    let report = folder.verify();
    let problem = report["collectives"][0]["problems"][0].as_str().unwrap();
    assert!(problem.contains("has no processors"), "{report}");
}

/// The text of `pavane verify` on a folder.
fn verdict(forged: &Forged, options: &str) -> String {
    fs::write(forged.path.join("index.json"), forged.index.to_string()).unwrap();
    run(&format!("verify {} {options}", forged.path.display()))
}

#[test]
fn names_in_the_index_are_claims() {
    let mut forged = Forged::new("ring:4 oab --time 1s");
    forged.index["collectives"][0]["collective"] = "all-to-all".into();
    let text = verdict(&forged, "");
    assert!(text.contains("a collective called \"all-to-all\": 4 faults"), "{text}");
    forged.index["collectives"][0]["collective"] = "oab".into();
    forged.index["network"] = "hypercube:10".into();
    let files: Vec<PathBuf> =
        fs::read_dir(&forged.path).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in files.iter().filter(|path| !path.ends_with("index.json")) {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.replace("ring:4", "hypercube:10")).unwrap();
    }
    let text = verdict(&forged, "");
    let unchecked =
        "schedules for faults of \"hypercube:10\" (4 routers, 8 channels, 4 processors)";
    assert!(text.contains(unchecked), "{text}");
    let text = verdict(&forged, "--network ring:4");
    assert!(text.contains(": valid, schedules for faults of ring:4\n"), "{text}");
    let text = verdict(&forged, "--network ring:4 --json");
    assert!(text.contains("\"network\": \"ring:4\""), "{text}");
    let text = verdict(&forged, "--network ring:5");
    assert!(text.contains(": NOT VALID, schedules for faults of \"hypercube:10\""), "{text}");
}

#[test]
fn faults_from_the_start_are_named() {
    let forged = Forged::new(&format!("{SCATTER} --fault 0-1"));
    let text = verdict(&forged, "--network complete:4");
    assert!(text.contains("schedules for faults of complete:4 without 0–1\n"), "{text}");
}

#[test]
fn a_sample_has_different_sets_of_the_right_size_and_kind() {
    let forged = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut forged = Forged::new(SCATTER);
        forged.index["is_sample"] = true.into();
        change(forged.index["collectives"][0]["faults"].as_array_mut().unwrap());
        verdict(&forged, "")
    };
    let text = forged(&|entries| entries.truncate(2));
    assert!(text.contains(": valid,"), "{text}");
    let text = forged(&|entries| entries.push(entries[0].clone()));
    assert!(text.contains("NOT VALID") && text.contains("too often"), "{text}");
    let text = forged(&|entries| entries[0]["faults"] = Value::Array(Vec::new()));
    assert!(text.contains("NOT VALID") && text.contains("a set of 0 faults"), "{text}");
    let text = forged(&|entries| entries[0]["faults"] = vec!["1"].into());
    assert!(text.contains("NOT VALID") && text.contains("not among its kinds"), "{text}");
}

#[test]
fn a_folder_over_the_limits_is_not_judged_and_files_after_it_are() {
    let forged = Forged::new(SCATTER);
    forged.solve("ring:4 aas", "other.json");
    let other = forged.path.join("other.json");
    let text = verdict(&forged, &format!("{} --max-work 0", other.display()));
    assert!(text.contains(": NOT JUDGED, schedules"), "{text}");
    assert!(text.contains("other.json: valid in"), "{text}");
    assert!(text.ends_with("[exit 2]\n"), "{text}");
}
