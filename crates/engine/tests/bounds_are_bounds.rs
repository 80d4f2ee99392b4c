//! No bound exceeds the true optimum of a problem.

mod common;

use common::{brute_force, tiny};
use pavane_engine::bounds;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bound_exceeds_the_optimum(problem in tiny::problem()) {
        let found = bounds::all(&problem);
        prop_assert!(found.skipped.is_empty(), "{:?}", found.skipped);
        if let Some(optimum) = brute_force::fewest_steps(&problem, 200_000) {
            for bound in &found.bounds {
                prop_assert!(bound.steps <= optimum, "{optimum} steps are enough, but {bound:?}");
            }
        }
    }
}
