//! AMP (A Minimum Path): networks of routers with four links each and a small average distance. Two
//! ports are reserved for the system controller, so two routers have three links. The published
//! wiring is lost. The wirings in `amp.txt` were found by annealing; `examples/find_amp.rs`
//! reproduces them.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

/// Lines `n: a-b c-d ...`, and comments.
const WIRINGS: &str = include_str!("amp.txt");

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [n] = parameters.numbers()?;
    let lines = WIRINGS.lines().filter_map(|line| line.split_once(": "));
    let mut wirings = lines.filter_map(|(size, links)| Some((size.parse().ok()?, links)));
    let Some((_, links)) = wirings.clone().find(|(size, _): &(u64, &str)| *size == n) else {
        let sizes: Vec<String> = wirings.by_ref().map(|(size, _)| size.to_string()).collect();
        return Err(parameters.wrong(format!("n is {n}, but must be one of {}", sizes.join(", "))));
    };
    let ends = |link: &str| {
        let (a, b) = link.split_once('-')?;
        Some((a.parse().ok()?, b.parse().ok()?))
    };
    parameters.direct(n.into(), 2 * u128::from(n) - 1, links.split(' ').filter_map(ends))
}
