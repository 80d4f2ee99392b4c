//! A cut: what must leave a set of routers, divided by the bandwidth that leaves it.

use super::{LimitError, capacity, ratio};
use crate::cost::Size;
use crate::throughput::view::View;
use pavane_model::{Fraction, Network, RouterId};

/// Operations to check one cut.
pub(super) fn cost(views: &[View<'_>]) -> u64 {
    let of = |view: &View<'_>| {
        let size = Size::of(&view.phase.problem);
        size.neighbours().saturating_add(size.traffic())
    };
    views.iter().map(of).fold(0, u64::saturating_add)
}

pub(super) fn derive(
    routers: &[RouterId],
    views: &[View<'_>],
    bandwidths: &[Fraction],
) -> Result<Fraction, LimitError> {
    let network = views[0].phase.problem.network();
    let inside = set(network, routers)?;
    let prices: Vec<u128> = leaving(network, &inside).map(u128::from).collect();
    let parts = views.iter().map(|&view| must_leave(view, &inside));
    let needed = parts.sum::<Option<u128>>().ok_or(LimitError::Arithmetic)?;
    ratio(needed, capacity(bandwidths, &prices)?)
}

/// Which routers are in the set.
pub(super) fn set(network: &Network, routers: &[RouterId]) -> Result<Vec<bool>, LimitError> {
    let mut inside = vec![false; network.router_count()];
    for &router in routers {
        match inside.get_mut(router.index()) {
            None => return Err(LimitError::Wrong(format!("there is no router {router}"))),
            Some(true) => {
                return Err(LimitError::Wrong(format!("a set lists router {router} twice")));
            }
            Some(is_inside) => *is_inside = true,
        }
    }
    Ok(inside)
}

/// For every channel, whether it leaves the set.
pub(super) fn leaving(network: &Network, inside: &[bool]) -> impl Iterator<Item = bool> {
    network.channels().iter().map(|ends| inside[ends.tail.index()] && !inside[ends.head.index()])
}

/// The total size of the messages that must leave the set. The data of a reduce or gather comes from
/// the contributors, and one copy of the sum suffices. `None` if the total has more than 128 bits.
pub(super) fn must_leave(view: View<'_>, inside: &[bool]) -> Option<u128> {
    let problem = &view.phase.problem;
    let messages = problem.messages();
    let mut sum = 0u128;
    for message in messages.ids() {
        let is_inside = inside[view.root(message).index()];
        // Forwards the origin must be inside and some destination outside, backwards the root
        // outside and some contributor inside.
        if is_inside == view.is_backward() {
            continue;
        }
        let mut others = messages.destinations(message).iter();
        if others.any(|&other| inside[problem.home(other).index()] != is_inside) {
            sum = sum.checked_add(view.phase.size(message).into())?;
        }
    }
    Some(sum)
}
