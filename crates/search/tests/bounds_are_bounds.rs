//! No bound exceeds the true optimum of a problem, and the judge derives every bound.

use crate::common::brute_force;
use crate::faulty;
use pavane_search::bounds;
use pavane_verify::check_bound;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_bound_exceeds_the_optimum(problem in faulty::problem()) {
        let found = bounds::all(&problem).unwrap();
        prop_assert!(found.skipped.is_empty(), "{:?}", found.skipped);
        let optimum = brute_force::fewest_steps(&problem, 200_000);
        for bound in &found.bounds {
            if let Some(optimum) = optimum {
                prop_assert!(bound.steps <= optimum, "{optimum} steps are enough, but {bound:?}");
            }
            prop_assert_eq!(check_bound(&problem, bound), Ok(bound.steps));
        }
    }
}
