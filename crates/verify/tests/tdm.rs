//! TDM schedules: the corpus, and random schedules against a table of all slots.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::format::{Stored, open_beside, read_stored_file};
use pavane_model::tdm::{
    TdmCertificate, TdmDemand, TdmMessage, TdmProblem, TdmRefutation, TdmRules, Word, read,
    read_file, read_refutation, write, write_refutation,
};
use pavane_model::{ChannelId, NetworkBuilder, ProcessorId, Routing, TdmSchedule};
use pavane_verify::{
    TdmBoundError, TdmRejection, TdmVerdict, check_refuted_period, check_tdm_with, judge_tdm,
    judge_tdm_within,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tdm").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let named =
        |entry: std::fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
    let mut files: Vec<_> = entries.map(|entry| named(entry.unwrap())).collect();
    files.retain(|(name, _)| name.ends_with(".json"));
    files.sort();
    files
}

fn judged(path: &Path) -> (TdmSchedule, TdmVerdict) {
    let schedule = read_file(path, 1000).unwrap_or_else(|error| panic!("{error}"));
    let verdict = judge_tdm_within(&schedule, &|name| open_beside(path, name), None);
    (schedule, verdict)
}

#[test]
fn valid_schedules_are_valid_and_written_as_read() {
    let files = files("valid");
    assert!(files.len() >= 12);
    for (name, path) in files {
        let (schedule, verdict) = judged(&path);
        assert_eq!(verdict.violations, [], "{name}");
        assert_eq!(verdict.bound_error, None, "{name}");
        let mut bytes = Vec::new();
        write(&mut bytes, &schedule, &Default::default()).unwrap();
        assert_eq!(read(&bytes[..], &name, 1000).unwrap(), schedule);
        assert!(check_tdm_with(schedule, &|name| open_beside(&path, name)).is_ok());
    }
}

#[test]
fn invalid_schedules_break_the_rule_that_they_are_named_after() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for (name, path) in files("invalid") {
        let prefix = name.split('-').next().unwrap().to_owned();
        let (schedule, verdict) = judged(&path);
        assert!(!verdict.is_fine() && !verdict.is_optimal(), "{name}");
        let checked = || check_tdm_with(schedule.clone(), &|name| open_beside(&path, name));
        match prefix.as_str() {
            "bound" => {
                assert_eq!(verdict.violations, [], "{name}");
                assert!(verdict.bound_error.is_some(), "{name}");
                assert!(matches!(checked(), Err(TdmRejection::Bound(_))), "{name}");
            }
            rule => {
                let broken: BTreeSet<String> =
                    verdict.violations.iter().map(|it| it.rule().to_string()).collect();
                assert_eq!(broken, BTreeSet::from([rule.to_owned()]), "{name}");
                assert!(matches!(checked(), Err(TdmRejection::Violation(_))), "{name}");
            }
        }
        *count.entry(prefix).or_default() += 1;
    }
    let rules = [
        "bound",
        "channels",
        "ejection",
        "injection",
        "latency",
        "names",
        "routes",
        "weights",
        "wrap",
    ];
    assert_eq!(count.keys().collect::<Vec<_>>(), rules);
}

#[test]
fn a_certificate_that_costs_too_much_is_not_judged() {
    for (name, path) in files("valid") {
        let schedule = read_file(&path, 1000).unwrap();
        let verdict = judge_tdm_within(&schedule, &|name| open_beside(&path, name), Some(3));
        if schedule.bound.is_some() {
            assert!(verdict.is_valid() && !verdict.is_fine() && !verdict.is_optimal(), "{name}");
            assert!(matches!(verdict.bound_error, Some(TdmBoundError::OverLimit(_))), "{name}");
        }
    }
}

#[test]
fn refuted_periods_of_the_corpus_are_judged() {
    for (folder, is_refuted, least) in [("refuted", true, 3), ("not-refuted", false, 7)] {
        let files = files(folder);
        assert!(files.len() >= least);
        for (name, path) in files {
            let stored = read_stored_file(&path, 1000).unwrap();
            let Stored::TdmRefutation(refutation) = stored else { panic!("{name}: {stored:?}") };
            let open = |name: &str| open_beside(&path, name);
            let verdict = check_refuted_period(&refutation, &open, None);
            assert_eq!(verdict.is_ok(), is_refuted, "{name}: {verdict:?}");
        }
    }
}

#[test]
fn periods_are_refuted_by_proofs_and_by_bounds() {
    let named = |(name, _): &(String, PathBuf)| name == "ring4-no-wrap-exact.json";
    let (name, path) = files("valid").into_iter().find(named).unwrap();
    let schedule = read_file(&path, 1000).unwrap();
    let proved = schedule.bound.unwrap().certificate;
    let TdmCertificate::Exact(exact) = &proved else { panic!("{proved:?}") };
    let ports = *exact.below.clone().unwrap();
    let problem = schedule.problem;
    let refuted = |period: u32, certificate: &TdmCertificate, work| {
        let (problem, certificate) = (problem.clone(), certificate.clone());
        let refutation = TdmRefutation { problem, period, certificate };
        let mut bytes = Vec::new();
        write_refutation(&mut bytes, &refutation, &Default::default()).unwrap();
        assert_eq!(read_refutation(&bytes[..], &name, 1000).unwrap(), refutation);
        assert!(read(&bytes[..], &name, 1000).is_err());
        check_refuted_period(&refutation, &|name| open_beside(&path, name), work)
    };
    // The proof is about five slots only; the ports need five.
    assert_eq!(refuted(5, &proved, None), Ok(()));
    assert_eq!(refuted(4, &ports, None), Ok(()));
    for period in [4, 6] {
        assert!(matches!(refuted(period, &proved, None), Err(TdmBoundError::Wrong(_))));
    }
    let less = Err(TdmBoundError::ProvesLess { claimed: 6, proved: 5 });
    assert_eq!(refuted(5, &ports, None), less);
    assert!(matches!(refuted(5, &proved, Some(3)), Err(TdmBoundError::OverLimit(_))));
    let mut lost = exact.clone();
    lost.proof = "absent.lrat".to_owned();
    let lost = TdmCertificate::Exact(lost);
    assert!(matches!(refuted(5, &lost, None), Err(TdmBoundError::NoProof { .. })));
    let mut wider = exact.clone();
    wider.to = 6;
    let wider = TdmCertificate::Exact(wider);
    assert!(matches!(refuted(6, &wider, None), Err(TdmBoundError::Wrong(_))));
}

#[test]
fn schedules_that_no_file_can_hold_are_reported() {
    let (_, path) = files("valid").remove(0);
    let mut schedule = read_file(&path, 1000).unwrap();
    schedule.words[0].from = ProcessorId(99);
    schedule.words[1].path = vec![ChannelId(99)];
    schedule.words[2].start = schedule.period;
    let verdict = judge_tdm(&schedule);
    let names = verdict.violations.iter().filter(|it| it.rule().to_string() == "names").count();
    assert_eq!(names, 3);
    schedule.period = 0;
    assert!(!judge_tdm(&schedule).is_valid());
}

/// A ring of five routers with the shortest clockwise or counter-clockwise path of every word.
fn random_schedule() -> impl Strategy<Value = TdmSchedule> {
    let words = prop::collection::vec((0u32..5, 1u32..5, 0u32..64), 1..8);
    (words, 1u32..12, 1u32..4, 1u32..4, any::<bool>()).prop_map(
        |(words, period, depth, phits, wraps)| {
            let mut builder = NetworkBuilder::new("ring", 5);
            for router in 0..5 {
                builder.link(router, (router + 1) % 5);
            }
            builder.processor_on_each_router();
            let network = builder.build().unwrap();
            let mut weights: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut list = Vec::new();
            for (from, by, start) in words {
                let to = (from + by) % 5;
                *weights.entry((from, to)).or_default() += 1;
                // Channel 2r leads from router r to the next one, channel 2r + 1 back.
                let path: Vec<ChannelId> = if by <= 2 {
                    (0..by).map(|hop| ChannelId(2 * ((from + hop) % 5))).collect()
                } else {
                    (0..5 - by).map(|hop| ChannelId(2 * ((from + 4 - hop) % 5) + 1)).collect()
                };
                let (from, to) = (ProcessorId(from), ProcessorId(to));
                list.push(Word { from, to, start: start % period, path });
            }
            let message = |((from, to), weight)| TdmMessage {
                from: ProcessorId(from),
                to: ProcessorId(to),
                weight,
                max_latency: None,
            };
            let demand = TdmDemand::Messages(weights.into_iter().map(message).collect());
            let rules = TdmRules { depth, phits, wraps, routing: Routing::Minimal };
            let problem = TdmProblem::new(network, demand, rules, 1000).unwrap();
            TdmSchedule { problem, period, words: list, bound: None }
        },
    )
}

/// Marks every slot of every resource in a table.
fn is_valid_by_table(schedule: &TdmSchedule) -> bool {
    let rules = schedule.problem.rules();
    let mut used = BTreeSet::new();
    for word in &schedule.words {
        let mut slot = word.start;
        let channels = word.path.iter().map(|channel| ("channel", channel.0));
        let uses = [("injection", word.from.0)].into_iter().chain(channels);
        for (what, number) in uses.chain([("ejection", word.to.0)]) {
            for phit in 0..rules.phits {
                if !rules.wraps && slot + phit >= schedule.period {
                    return false;
                }
                if !used.insert((what, number, (slot + phit) % schedule.period)) {
                    return false;
                }
            }
            slot += rules.depth;
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_judge_agrees_with_a_table_of_all_slots(schedule in random_schedule()) {
        let verdict = judge_tdm(&schedule);
        prop_assert_eq!(verdict.is_valid(), is_valid_by_table(&schedule), "{:?}", verdict.violations);
    }
}
