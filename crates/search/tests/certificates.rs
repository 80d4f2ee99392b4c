//! The judge accepts every bound that is found, and refuses a bound of one step more: both sides
//! derive the same number from the same certificate with separate code.

use pavane_model::collective::{self, Groups};
use pavane_model::{Bound, Duplex, Model, Ports, Problem, Routing, Switching};
use pavane_networks::topology;
use pavane_search::bounds;
use pavane_verify::{cheap_bound, check_bound};

const NETWORKS: &[&str] = &[
    "ring:5",
    "path:6",
    "star:6",
    "mesh:3x3",
    "torus:3x4",
    "hypercube:3",
    "octagon:8@2",
    "kautz:2,2",
    "petersen",
    "coated-mesh:2x3",
    "random-regular:12,3,5",
    "de-bruijn:2,3",
    "tree:2,3",
    "dgx-1v",
    "complete:4@3",
];

const COLLECTIVES: &[&str] =
    &["oab", "aab", "oas", "aas", "gather", "reduce", "reduce-scatter", "shift:1"];

fn models() -> Vec<Model> {
    let mut models = Vec::new();
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        for routing in [Routing::Minimal, Routing::Any, Routing::Detour(1)] {
            for duplex in [Duplex::Full, Duplex::Half] {
                for ports in [Ports::All, Ports::Limited(1), Ports::Limited(2)] {
                    models.push(Model { switching, routing, duplex, ports });
                }
            }
        }
    }
    models
}

#[test]
fn judge_and_bounds_agree_to_the_step() {
    let mut checked = 0;
    for network in NETWORKS {
        let network = topology::build(network).unwrap();
        for name in COLLECTIVES {
            let collective = collective::build(name, &network, &Groups::default()).unwrap();
            for model in models() {
                let problem = Problem::new(network.clone(), collective[0].clone(), model);
                let Ok(problem) = problem else {
                    assert_eq!(model.switching, Switching::StoreAndForward, "only switches refuse");
                    continue;
                };
                let found = bounds::all(&problem).unwrap();
                assert!(cheap_bound(&problem) <= found.best.steps);
                for bound in found.bounds {
                    let context = format!("{} {name} {model:?} {bound:?}", network.name());
                    assert_eq!(check_bound(&problem, &bound), Ok(bound.steps), "{context}");
                    checked += 1;
                    // Under half duplex the judge also tries each direction of a cut separately.
                    if bound.reason == "cut" && model.duplex == Duplex::Half {
                        continue;
                    }
                    let higher = Bound { steps: bound.steps + 1, ..bound };
                    assert!(check_bound(&problem, &higher).is_err(), "{context}");
                }
            }
        }
    }
    assert!(checked > 10_000, "{checked} bounds were checked");
}
