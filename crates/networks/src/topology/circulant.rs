//! Circulant network: router `i` is linked to `i ± a`, `i ± b` and so on, modulo `n`.

use super::error::TopologyError;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let list = parameters.list()?;
    let (n, offsets) = (list[0], &list[1..]);
    parameters.at_least("n", n, 2)?;
    if offsets.is_empty() {
        return Err(parameters.wrong("the offsets after n are missing".into()));
    }
    for &offset in offsets {
        parameters.within("an offset", offset, 1, n - 1)?;
    }
    from_offsets(parameters, n, offsets)
}

/// The circulant network with these offsets, all between 1 and `n - 1`.
pub fn from_offsets(
    parameters: &Parameters<'_>,
    n: u64,
    offsets: &[u64],
) -> Result<Network, TopologyError> {
    // Offsets a and n - a give the same links.
    let mut steps: Vec<u64> = offsets.iter().map(|&offset| offset.min(n - offset)).collect();
    steps.sort_unstable();
    if let Some(pair) = steps.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(parameters.wrong(format!("two offsets give the same links, ±{}", pair[0])));
    }
    let factor = steps.iter().fold(n, |divisor, &step| greatest_common_divisor(divisor, step));
    if factor > 1 {
        let problem = format!("n and the offsets are all multiples of {factor}: not connected");
        return Err(parameters.wrong(problem));
    }
    let ends = |step: u64| if 2 * u128::from(step) == n.into() { n / 2 } else { n };
    let link_count = steps.iter().map(|&step| u128::from(ends(step))).sum();
    let links = steps
        .iter()
        .flat_map(|&step| (0..ends(step)).map(move |i| (i as u32, ((i + step) % n) as u32)));
    parameters.direct(n.into(), link_count, links)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
