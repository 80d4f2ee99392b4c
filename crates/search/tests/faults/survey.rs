//! What faults cost.

use super::{options, request, sets};
use pavane_model::{CollectiveRequest, Fault, Network, Problem, Routing};
use pavane_networks::topology;
use pavane_search::fault::{Job, JobAnswer, Part, Parts, answer, classes};
use pavane_verify::verify;

fn answers(network: &Network, request: &CollectiveRequest, sets: &[Vec<Fault>]) -> Vec<JobAnswer> {
    let solve = |faults: &Vec<Fault>| {
        let job = Job { request: request.clone(), faults: faults.clone() };
        answer(network, &job, &options(20_000_000, 1))
    };
    sets.iter().map(solve).collect()
}

/// The papers' tables of faults, as far as they hold: how many faults lead to how many steps, each
/// at the bound.
#[test]
fn every_fault_of_the_papers_is_solved_at_the_bound() {
    let (any, minimal) = (Routing::Any, Routing::Minimal);
    for (network, collective, root, routing, kind, expected) in [
        ("kautz:3,2", "oab", Some("01"), minimal, Part::Channels, vec![(2, 33), (3, 3)]),
        ("kautz:3,2", "aab@sf", None, minimal, Part::Channels, vec![(6, 36)]),
        ("kautz:3,2", "oas", Some("01"), minimal, Part::Channels, vec![(4, 31), (5, 2), (6, 3)]),
        ("kautz:3,2", "oas", Some("01"), any, Part::Channels, vec![(4, 33), (6, 3)]),
        ("kautz:3,2", "aas", None, minimal, Part::Channels, vec![(9, 36)]),
        ("kautz:3,2", "aas", None, any, Part::Channels, vec![(8, 36)]),
        ("mesh:4x4", "oab", None, minimal, Part::Links, vec![(3, 24)]),
        ("mesh:4x4", "aab@sf", None, minimal, Part::Links, vec![(8, 16), (15, 8)]),
        ("mesh:4x4", "oas", None, minimal, Part::Links, vec![(8, 22), (15, 2)]),
        ("mesh:4x4", "aas", None, minimal, Part::Links, vec![(16, 16), (22, 8)]),
        ("mesh:4x4", "aab@sf", None, minimal, Part::Routers, vec![(7, 8), (14, 8)]),
        ("mesh:4x4", "aas", None, any, Part::Routers, vec![(14, 4), (19, 12)]),
    ] {
        let healthy = topology::build(network).unwrap();
        let request = request(collective, root, routing);
        let parts = Parts::new(&healthy, &[kind]);
        let phases = request.on(&healthy, &healthy).unwrap().phases;
        let sets = sets(&parts, 1).sets;
        let found = classes(&phases, &parts, &sets);
        let first: Vec<Vec<Fault>> =
            found.classes.iter().map(|class| parts.set(&sets[class.members[0].set])).collect();
        let mut steps = std::collections::BTreeMap::new();
        for (class, answer) in found.classes.iter().zip(answers(&healthy, &request, &first)) {
            let JobAnswer::Solved(solved) = answer else {
                panic!("{network} {collective}: {answer:?}")
            };
            assert_eq!(solved.steps(), solved.bound(), "{network} {collective} {routing}");
            *steps.entry(solved.steps()).or_insert(0) += class.members.len();
            // The schedule of the first member, renumbered, is valid for all members.
            for at in 0..class.members.len() {
                let image = found.renumbering(class, at, &healthy);
                let checked = &solved.phases[0].checked;
                let faults = parts.set(&sets[class.members[at].set]);
                let broken = healthy.without(&faults).unwrap();
                let collective = image.collective(checked.problem().collective()).unwrap();
                let problem = Problem::new(broken, collective, request.model).unwrap();
                let schedule =
                    image.schedule(checked.problem(), checked.schedule(), &problem).unwrap();
                assert!(verify(problem, schedule).is_ok(), "{network} {faults:?}");
            }
        }
        assert_eq!(steps.into_iter().collect::<Vec<_>>(), expected, "{network} {collective}");
    }
}

#[test]
fn faults_that_separate_name_every_pair() {
    let path = topology::build("path:4").unwrap();
    let cut = Fault::parse(&path, "1-2").unwrap();
    let all = answers(&path, &request("aas", None, Routing::Minimal), &[vec![cut], vec![]]);
    let JobAnswer::Separated(separated) = &all[0] else { panic!("{:?}", all[0]) };
    assert_eq!(separated.pairs.len(), 8);
    assert!(matches!(all[1], JobAnswer::Solved(_)));
}
