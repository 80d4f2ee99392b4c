//! Tree: every router above depth `depth` has `b` children. Routers are numbered level by level
//! from the root, so the children of `i` are `b·i + 1` to `b·i + b`.

use super::error::TopologyError;
use super::hypercube::power;
use super::parameters::Parameters;
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [children, depth] = parameters.numbers()?;
    parameters.at_least("b", children, 2)?;
    parameters.at_least("depth", depth, 1)?;
    let routers = match power(children, depth.saturating_add(1)) {
        u128::MAX => u128::MAX,
        next_level => (next_level - 1) / (u128::from(children) - 1),
    };
    let links = (1..routers as u32).map(|i| ((i - 1) / children as u32, i));
    parameters.direct(routers, routers - 1, links)
}
