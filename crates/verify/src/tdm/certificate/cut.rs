//! A cut: every word from inside a set of routers to the outside uses a channel that leaves it.

use super::{TdmBoundError, homes, period_of_load};
use pavane_model::{RouterId, TdmProblem};

pub(super) fn derive(problem: &TdmProblem, routers: &[RouterId]) -> Result<u64, TdmBoundError> {
    let network = problem.network();
    let mut inside = vec![false; network.router_count()];
    for &router in routers {
        match inside.get_mut(router.index()) {
            None => return Err(TdmBoundError::Wrong(format!("there is no router {router}"))),
            Some(true) => {
                return Err(TdmBoundError::Wrong(format!("the set lists router {router} twice")));
            }
            Some(is_inside) => *is_inside = true,
        }
    }
    let mut words = 0u128;
    for message in problem.messages() {
        let (from, to) = homes(problem, message)?;
        if inside[from.index()] && !inside[to.index()] {
            words += u128::from(message.weight);
        }
    }
    let leaves = |tail: RouterId, head: RouterId| inside[tail.index()] && !inside[head.index()];
    let channels = network.channels().iter().filter(|ends| leaves(ends.tail, ends.head)).count();
    period_of_load(problem, words, channels as u128)
}
