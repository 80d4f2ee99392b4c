//! Automorphisms of a network that respect its bandwidths.

use pavane_model::{NetworkBuilder, Problem, RouterId};
use pavane_networks::symmetry::symmetries_keeping_unless;

/// The most different bandwidths for which automorphisms are searched.
const MOST_CLASSES: usize = 8;

/// Generators of the automorphisms of a network that respect its bandwidths, for a collective of one
/// phase: entry `r` is the image of router `r`. None if `stop` ends the search or it would take long.
pub fn generators(problems: &[Problem], stop: &dyn Fn() -> bool) -> Vec<Vec<u32>> {
    let [problem] = problems else { return Vec::new() };
    let network = problem.network();
    let Ok(bandwidths) = network.bandwidths() else { return Vec::new() };
    let mut classes = bandwidths.clone();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > MOST_CLASSES {
        return Vec::new();
    }
    // Automorphisms preserve the number of parallel channels, so a faster class has more of them.
    let mut builder = NetworkBuilder::new("classes", network.router_count() as u32);
    for (ends, bandwidth) in network.channels().iter().zip(&bandwidths) {
        let class = classes.binary_search(bandwidth).unwrap_or(0);
        (0..=class).for_each(|_| _ = builder.channel(ends.tail.0, ends.head.0));
    }
    for processor in network.living_processors() {
        builder.processor(network.home(processor).map(|home| home.0));
    }
    let Ok(proxy) = builder.build() else { return Vec::new() };
    let marks = vec![0; network.router_count()];
    let found = symmetries_keeping_unless(&proxy, &marks, stop);
    let numbers = |image: Vec<RouterId>| image.into_iter().map(|router| router.0).collect();
    found.map_or_else(Vec::new, |found| found.generators.into_iter().map(numbers).collect())
}
