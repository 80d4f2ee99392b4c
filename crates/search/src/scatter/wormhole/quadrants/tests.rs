use super::*;
use pavane_model::Model;
use pavane_model::collective::{self, Groups};
use pavane_networks::topology;
use pavane_verify::verify;

fn all_to_all(name: &str, model: Model) -> Problem {
    let network = topology::build(name).unwrap();
    let all = collective::build("all-to-all", &network, &Groups::default()).unwrap().remove(0);
    Problem::new(network, all, model).unwrap()
}

/// Network, and the bound under full duplex. On `midimew:29` every channel is used in every step, and
/// two offsets have several shortest ways; on `torus:5x7` no quarter turn maps links to links.
const FULL: &[(&str, u32)] = &[("midimew:29", 18), ("torus:5x7", 30)];

#[test]
fn quadrants_fill_all_channels() {
    for &(name, steps) in FULL {
        for (duplex, steps) in [(Duplex::Full, steps), (Duplex::Half, 2 * steps)] {
            let problem = all_to_all(name, Model { duplex, ..Model::default() });
            assert!(Quadrants.takes(&problem), "{name}");
            let context = Context::new(problem.clone());
            let (mut budget, mut rng) = (Budget::evaluations(1_000_000_000), Rng::seeded(1));
            let Attempt::Found(found) = Quadrants.attempt(&context, steps, &mut budget, &mut rng)
            else {
                panic!("{name} {duplex:?}")
            };
            assert!(found.step_count() <= steps, "{name} {duplex:?}");
            assert!(verify(problem, found).is_ok(), "{name} {duplex:?}");
        }
    }
}

#[test]
fn other_networks_have_no_lattice() {
    for name in ["torus:4x4", "hypercube:4", "petersen", "mesh:5x5", "random-regular:15,4,1"] {
        let context = Context::new(all_to_all(name, Model::default()));
        assert!(Lattice::new(&context, &Interrupt::never()).is_none(), "{name}");
    }
}
