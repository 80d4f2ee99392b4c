//! Small files whose claims would take days or too much memory to check are refused on an estimate.
//! The error names the cost and the limit.

mod adversary;

use adversary::Adversary;
use pavane_model::format::{Stored, read_stored, read_stored_file, write_refutation};
use pavane_model::problem::DELIVERIES;
use pavane_model::{Bound, CertificateKind};
use pavane_verify::{BoundError, Limits, OverLimit, check_bound_within, cost_of, judge};
use std::io;
use std::path::Path;

/// Writes a claim to a file, reads it back and judges it.
fn judged(adversary: &Adversary) -> Result<u32, BoundError> {
    let mut file = Vec::new();
    let bound = adversary.bound();
    write_refutation(&mut file, &adversary.problem, &bound, &Default::default())
        .expect("memory takes it");
    let stored = read_stored(&file[..], "adversary", DELIVERIES).expect("it can be read");
    let Stored::Refutation(refutation) = stored else { panic!("it is a refutation") };
    assert_eq!(refutation.bound, bound);
    let limits = Limits::of(&refutation.problem).with_operations(adversary.max_work);
    check_bound_within(&refutation.problem, &refutation.bound, &no_proof, limits)
}

fn no_proof(_: &str) -> io::Result<Box<dyn io::BufRead>> {
    panic!("no proof is opened for what is too large")
}

#[test]
fn every_kind_of_certificate_is_refused_where_it_costs_too_much() {
    for &kind in CertificateKind::ALL {
        for adversary in adversary::of(kind) {
            assert_eq!(adversary.certificate.kind(), kind);
            let error = judged(&adversary).expect_err(kind.name());
            let BoundError::OverLimit { reason, ref over } = error else {
                panic!("{}: {error}", kind.name())
            };
            assert_eq!(reason, kind.name());
            let (cost, limit) = match *over {
                OverLimit::Operations { cost, limit } | OverLimit::Bytes { cost, limit } => {
                    (cost, limit)
                }
                ref other => panic!("{}: {other}", kind.name()),
            };
            assert!(cost > limit, "{}: {over}", kind.name());
            let told = error.to_string();
            let start = format!("the {} certificate was not checked: it would take", kind.name());
            assert!(told.starts_with(&start) && told.contains("at most"), "{told}");
        }
    }
}

/// An argument that visits every part of a problem a few times is never refused, for problems of
/// any size.
#[test]
fn arguments_in_proportion_to_the_problem_stay_within_the_limits() {
    for &kind in CertificateKind::ALL {
        for adversary in adversary::of(kind).iter().filter(|one| one.max_work.is_some()) {
            let parts = adversary.parts();
            let cost = cost_of(&adversary.problem, &adversary.bound()).unwrap();
            assert!(cost.operations < 150 * parts, "{}: {cost:?} for {parts}", kind.name());
            assert_eq!(cost.bytes, 0, "{}", kind.name());
        }
    }
}

#[test]
fn the_files_of_the_corpus_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/adversarial");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        count += 1;
        let bound_error = match read_stored_file(&path, DELIVERIES).unwrap() {
            Stored::Refutation(refutation) => {
                let (problem, bound): (_, &Bound) = (&refutation.problem, &refutation.bound);
                check_bound_within(problem, bound, &no_proof, Limits::of(problem)).err()
            }
            Stored::Schedule(phases, _) => phases.into_iter().find_map(|p| {
                judge(p.problem, p.schedule, p.bound.as_ref(), &no_proof).bound_error
            }),
            Stored::Throughput(_)
            | Stored::Timed(_)
            | Stored::Tdm(_)
            | Stored::TdmRefutation(_) => {
                panic!("{name} has no steps")
            }
        };
        let error = bound_error.unwrap_or_else(|| panic!("{name} is believed"));
        assert!(error.over_limit().is_some(), "{name}: {error}");
    }
    assert!(count >= 3, "only {count} files");
}
