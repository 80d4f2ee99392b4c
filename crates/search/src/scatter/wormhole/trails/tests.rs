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

fn found(problem: &Problem, steps: u32) -> Schedule {
    let context = Context::new(problem.clone());
    let mut budget = Budget::evaluations(Trails.first_quota(problem, steps));
    match Trails.attempt(&context, steps, &mut budget, &mut Rng::seeded(1)) {
        Attempt::Found(schedule) | Attempt::Longer(schedule) => schedule,
        other => panic!("{other:?}"),
    }
}

/// Network, and the steps of a first attempt.
const REACHED: &[(&str, u32)] = &[("random-regular:60,4,1", 63), ("mesh:6x6", 60)];

#[test]
fn steps_are_packed() {
    for &(name, most) in REACHED {
        let problem = all_to_all(name, Model::default());
        let schedule = found(&problem, most);
        assert!(schedule.step_count() <= most, "{name}: {}", schedule.step_count());
        assert_eq!(schedule, found(&problem, most), "{name}");
        assert!(verify(problem, schedule).is_ok(), "{name}");
    }
}

#[test]
fn other_networks_are_packed() {
    // Routers of de Bruijn networks may have more channels in one direction than in the other.
    for name in ["random-regular:60,4,1", "de-bruijn:2,4", "star:7", "path:9"] {
        let problem = all_to_all(name, Model::default());
        assert!(Trails.takes(&problem), "{name}");
        let schedule = found(&problem, 1);
        assert!(verify(problem, schedule).is_ok(), "{name}");
    }
}

#[test]
fn a_bottleneck_has_the_highest_price() {
    // The middle link of a path carries the most messages.
    let pairs =
        PairTable::new(&all_to_all("path:10", Model::default()), &Interrupt::never()).unwrap();
    let (mut packing, mut balance) = (TrailPacking::new(&pairs, EVEN), LoadPrices::new(&pairs));
    packing.reprice(&mut balance, 0.0);
    let most = balance.price.iter().copied().fold(0.0, f32::max);
    for (channel, price) in balance.price.iter().enumerate() {
        let is_middle = pairs.tail[channel].min(pairs.head[channel]) == 4;
        assert_eq!(*price == most, is_middle, "{channel}");
    }
}

#[test]
fn other_rules_are_refused() {
    let takes = |name: &str, model: Model| Trails.takes(&all_to_all(name, model));
    let usual = Model::default();
    assert!(takes("random-regular:20,4,1", usual));
    assert!(!takes("random-regular:20,4,1@2", usual));
    assert!(!takes("random-regular:20,4,1", Model { duplex: Duplex::Half, ..usual }));
    assert!(!takes("random-regular:20,4,1", Model { routing: Routing::Any, ..usual }));
}
