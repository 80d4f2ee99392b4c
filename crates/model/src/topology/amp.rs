//! AMP, A Minimum Path: networks of processors with four links each, made for the least average
//! distance; two ports are kept for the system controller, so two routers have three links. The
//! published wiring is lost. These are our own, found once by annealing and kept in `amp.txt`;
//! `examples/find_amp.rs` finds them again.

use super::parameters::Parameters;
use crate::network::{Network, NetworkError};

/// Lines of the form `n: a-b c-d ...`, and comments.
const WIRINGS: &str = include_str!("amp.txt");

pub fn build(parameters: &Parameters<'_>) -> Result<Network, NetworkError> {
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
