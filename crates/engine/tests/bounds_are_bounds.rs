//! No bound exceeds the true optimum of a problem, and the judge derives every one of them.

mod common;

use common::{brute_force, tiny};
use pavane_engine::bounds;
use pavane_model::{ChannelId, Problem, RouterId};
use pavane_verify::check_bound;
use proptest::prelude::*;

/// Any tiny problem, as it is or with one channel or router broken if it can still be solved then.
fn problem() -> impl Strategy<Value = Problem> {
    let fault = prop_oneof![2 => Just(None), 1 => (any::<bool>(), 0u32..8).prop_map(Some)];
    (tiny::problem(), fault).prop_map(|(problem, fault)| {
        let network = problem.network();
        let broken = fault.map(|(is_channel, number)| {
            let channels = (0..network.channel_count() as u32).map(ChannelId);
            let lost_channels: Vec<ChannelId> = channels.filter(|c| c.0 == number).collect();
            let lost_routers = [RouterId(number % network.router_count() as u32)];
            let faults = vec!["something".to_owned()];
            match is_channel {
                true => network.without_parts(&lost_channels, &[], faults),
                false => network.without_parts(&[], &lost_routers, faults),
            }
        });
        let Some(Ok(network)) = broken else { return problem };
        let collective = problem.collective().clone();
        Problem::new(network, collective, problem.model()).unwrap_or(problem)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bound_exceeds_the_optimum(problem in problem()) {
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
