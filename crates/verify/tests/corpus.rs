//! Judges every file of the corpus. A valid file breaks no rule and makes no false claim. An
//! invalid file breaks the rule that its name begins with, and no other.

use pavane_model::format::{open_beside, read_file, read_whole_file};
use pavane_model::problem::DELIVERIES;
use pavane_verify::{Limits, Rule, Verdict, Violation, WholeVerdict, judge, judge_whole};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of a folder with their names, in order.
fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let mut files: Vec<(String, PathBuf)> = entries
        .map(|entry| entry.expect("it can be listed"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    files.sort();
    files
}

fn verdicts(path: &Path) -> Vec<Verdict> {
    let phases = read_file(path, DELIVERIES).unwrap_or_else(|error| panic!("{error}"));
    let open = |name: &str| open_beside(path, name);
    let phases = phases.into_iter();
    phases.map(|p| judge(p.problem, p.schedule, p.bound.as_ref(), &open)).collect()
}

/// The verdict on the whole of an all-reduce with valid phases.
fn whole_verdict(path: &Path, phases: &[Verdict]) -> Option<WholeVerdict> {
    let (_, whole) = read_whole_file(path, DELIVERIES).unwrap_or_else(|error| panic!("{error}"));
    let [reduce, broadcast] = phases else { return None };
    let checked = [reduce.checked.as_ref()?, broadcast.checked.as_ref()?];
    let limits = Limits::of(&broadcast.problem);
    Some(judge_whole(checked, &whole, [reduce.proved, broadcast.proved], limits))
}

#[test]
fn valid_files_are_valid_and_claim_nothing_false() {
    let files = files("valid");
    assert!(files.len() >= 12, "only {} files", files.len());
    for (name, path) in files {
        let phases = verdicts(&path);
        for verdict in &phases {
            assert_eq!(verdict.violations, [], "{name}");
            assert_eq!(verdict.bound_error, None, "{name}");
        }
        if let Some(whole) = whole_verdict(&path, &phases) {
            assert_eq!(whole.violations, [], "{name}");
            assert_eq!(whole.bound_error, None, "{name}");
        }
    }
}

#[test]
fn invalid_files_break_the_rule_that_they_are_named_after() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for (name, path) in files("invalid") {
        let prefix = name.split('-').next().expect("split gives at least one part").to_owned();
        let verdicts = verdicts(&path);
        let whole = whole_verdict(&path, &verdicts);
        match prefix.as_str() {
            "bound" => {
                assert!(verdicts.iter().all(Verdict::is_valid), "{name}");
                let is_whole_refused =
                    whole.is_some_and(|whole| whole.is_valid() && !whole.is_fine());
                let is_refused = verdicts.iter().any(|verdict| !verdict.is_fine());
                assert!(is_refused || is_whole_refused, "{name}");
            }
            rule => {
                let together = whole.iter().flat_map(|whole| &whole.violations);
                let violations = verdicts.iter().flat_map(|v| &v.violations).chain(together);
                let broken: Vec<Rule> = violations.map(Violation::rule).collect();
                assert!(!broken.is_empty(), "{name} is valid");
                let is_it = |found: &Rule| found.to_string().to_lowercase() == rule;
                assert!(broken.iter().all(is_it), "{name}: {broken:?}");
            }
        }
        *count.entry(prefix).or_default() += 1;
    }
    for prefix in ["path", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "bound"] {
        let found = count.get(prefix).copied().unwrap_or(0);
        assert!(found >= 2, "{found} files break {prefix}");
    }
}

/// File and expected report. Steps and transfers are numbered as in the file, even if it is judged
/// backwards.
const WORDS: &[(&str, &str)] = &[
    (
        "v7-sent-on-in-the-same-step",
        "step 1: transfer 0 (message [0] from 1 to 2): processor 1 receives this message in the same \
         synchronous step 0",
    ),
    (
        "v7-reduce-sent-on-in-the-same-step",
        "step 0: transfer 0 (message [0] from 2 to 1): processor 1 sends this message on in the same \
         synchronous step 0",
    ),
    (
        "v1-channel-used-twice",
        "step 0: channel 2 (1 -> 2) is used by transfer 0 (message [0, 2] from 0 to 2) and \
         transfer 1 (message [1, 2] from 1 to 2)",
    ),
    (
        "v1-gather-channel-used-twice",
        "step 0: channel 1 (1 -> 0) is used by transfer 0 (message [1, 0] from 1 to 0) and \
         transfer 1 (message [2, 0] from 2 to 0)",
    ),
    (
        "v1-half-duplex-link-both-ways",
        "step 0: channel 0 (0 -> 1) is used by transfer 0 (message [0, 1] from 0 to 1), and the \
         opposite channel 1 (1 -> 0) of the same half-duplex link by transfer 1 (message [1, 0] \
         from 1 to 0)",
    ),
    ("v2-one-port-sends-twice", "step 0: processor 0 sends 2 times over 1 port"),
    ("v2-gather-root-receives-twice", "step 0: processor 0 receives 2 times over 1 port"),
    (
        "v3-sends-in-the-same-step",
        "step 0: transfer 1 (message [0] from 1 to 2): processor 1 receives this message in step \
         0, not before",
    ),
    (
        "v3-reduce-sends-too-early",
        "step 1: transfer 0 (message [0] from 2 to 1): processor 1 forwards this message in step \
         0, not after step 1",
    ),
    (
        "v4-detour-too-long",
        "step 0: transfer 0 (message [0, 1] from 0 to 1): its path has 3 channels, but the \
         shortest path has 1 and at most 2 are allowed",
    ),
    (
        "v4-sf-hops-go-round",
        "step 2: transfer 0 (message [0, 1] from 2 to 1): the hops of this message, of which this \
         is the last, together have 3 channels, but the shortest path has 1 and at most 1 is \
         allowed",
    ),
    (
        "v5-gather-in-one-go",
        "step 0: transfer 0 (message [2, 0] from 2 to 0): its path has 2 channels; under \
         store-and-forward at most 1 is allowed",
    ),
    ("v6-gather-missing", "message [2, 0]: processor 2 never sends its part of it"),
    (
        "v6-reduce-from-nobody",
        "step 1: transfer 1 (message [0] from 3 to 0): processor 3 neither contributes to this \
         message nor received a part of it before",
    ),
    (
        "path-gather-starts-elsewhere",
        "step 0: transfer 0 (message [2, 0] from 2 to 0): its path starts at router 1, but \
         processor 2 is on router 2",
    ),
];

#[test]
fn violations_are_told_in_the_words_of_the_file() {
    let files: BTreeMap<String, PathBuf> = files("invalid").into_iter().collect();
    for (name, words) in WORDS {
        let verdicts = verdicts(&files[&format!("{name}.json")]);
        let told: Vec<String> =
            verdicts.iter().flat_map(|v| &v.violations).map(ToString::to_string).collect();
        assert_eq!(told, [*words], "{name}");
    }
}

/// File, step, channel, transfers within the step.
type Fields = (&'static str, Option<u32>, Option<u32>, &'static [usize]);

const FIELDS: &[Fields] = &[
    ("v1-channel-used-twice", Some(0), Some(2), &[0, 1]),
    ("v1-half-duplex-link-both-ways", Some(0), Some(0), &[0, 1]),
    ("v2-one-port-sends-twice", Some(0), None, &[]),
    ("v3-reduce-sends-too-early", Some(1), None, &[0]),
    ("v6-gather-missing", None, None, &[]),
    ("v6-reduce-from-nobody", Some(1), None, &[1]),
];

#[test]
fn violations_are_told_in_fields_as_well() {
    let files: BTreeMap<String, PathBuf> = files("invalid").into_iter().collect();
    for &(name, step, channel, transfers) in FIELDS {
        let verdict = &verdicts(&files[&format!("{name}.json")])[0];
        let [violation] = &verdict.violations[..] else { panic!("{name}") };
        let fields = (violation.step(), violation.channel().map(|c| c.0), violation.transfers());
        assert_eq!(fields, (step, channel, transfers.to_vec()), "{name}");
    }
}

/// File, number of steps, whether the judge calls it optimal.
const OPTIMAL: &[(&str, u32, bool)] = &[
    ("octagon-aas-table4", 4, true),
    ("broadcast-ring4", 2, true),
    ("gather-path3-one-port", 2, true),
    ("exchange-half-duplex", 2, true),
    ("all-to-all-one-way-ring3", 4, false),
    ("scatter-sf-path4-hop-by-hop", 3, true),
];

#[test]
fn only_what_is_proved_is_called_optimal() {
    let files: BTreeMap<String, PathBuf> = files("valid").into_iter().collect();
    for &(name, steps, is_optimal) in OPTIMAL {
        let verdict = &verdicts(&files[&format!("{name}.json")])[0];
        assert_eq!((verdict.steps, verdict.is_optimal()), (steps, is_optimal), "{name}");
    }
}
