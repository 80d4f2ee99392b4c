//! Relay: under store-and-forward, a message that crosses a cut router is received by its
//! processors and sent on, once into every component that it must reach and that only this router
//! connects. After the first send into a component the message must spread there. Its hops limit
//! how fast; a message for every router of the component also reaches the parts behind the bridges
//! of each router there one after another, as in `branches.rs`.

use super::branches::{bridges_cost, steps_behind_bridges};
use super::queue::{Crossings, most_steps, queue_cost};
use super::{Argument, Claim, Refusal, check_store_and_forward};
use crate::cost::{Cost, Size, sorting};
use crate::distance::{Neighbours, UNREACHABLE, distances_from, distances_to};
use pavane_model::{Certificate, Problem, RouterId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let &Certificate::Relay { router } = claim.certificate else { return None };
    Some(Box::new(Relay { router }))
}

struct Relay {
    router: RouterId,
}

impl Argument for Relay {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        let linear = bridges_cost(size)
            + 6 * size.neighbours()
            + 8 * size.search()
            + 2 * size.traffic()
            + 2 * sorting(size.deliveries);
        let network = problem.network();
        if self.router.index() >= network.router_count() {
            return Cost::of(linear);
        }
        let deepest = |hops: Vec<u32>| {
            let reached = hops.into_iter().filter(|&hops| hops != UNREACHABLE);
            2 + u64::from(reached.max().unwrap_or(0))
        };
        let befores = deepest(distances_to(network, self.router));
        // A message is sent at most once into every component, and every component has a neighbour
        // of the router.
        let (out, into) = (network.out_channels(self.router), network.in_channels(self.router));
        let parts = (out.len() + into.len()) as u64;
        // The steps after a send are the hops to the furthest destination, or the steps to spread
        // in a whole component.
        let afters = deepest(distances_from(network, self.router)) + parts;
        let crossings = size.messages.saturating_mul(parts.max(1)).min(size.deliveries);
        let queues = 2 * queue_cost(crossings, befores, afters);
        Cost::of(linear.saturating_add(queues))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        Ok(derive(problem, self.router)?)
    }
}

fn derive(problem: &Problem, router: RouterId) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    let (network, messages) = (problem.network(), problem.messages());
    if router.index() >= network.router_count() {
        return Err(format!("there is no router {router}"));
    }
    let part = parts_without(problem, |other| other == router);
    let (towards, away) = (distances_to(network, router), distances_from(network, router));
    let spreads = Spread::of_parts(problem, router, &part, &away);
    let (mut sends, mut receives) = (Crossings::default(), Crossings::default());
    for message in messages.ids() {
        let origin = problem.home(messages.origin(message));
        let own = part[origin.index()];
        let homes = messages.destinations(message).iter().map(|&to| problem.home(to));
        let mut reached: Vec<(Option<usize>, u64, RouterId)> =
            homes.map(|home| (part[home.index()], away[home.index()].into(), home)).collect();
        reached.retain(|(part, ..)| *part != own);
        if let Some(&(_, furthest, _)) = reached.iter().max_by_key(|(_, hops, _)| *hops)
            && own.is_some()
        {
            receives.push((u64::from(towards[origin.index()]) - 1, furthest));
        }
        // The furthest destination in every other component is the last entry of its group.
        reached.sort_unstable();
        reached.dedup();
        for group in reached.chunk_by(|one, other| one.0 == other.0) {
            let (Some(part), furthest, _) = group[group.len() - 1] else { continue };
            let spread = &spreads[part];
            let is_for_all = group.len() == spread.routers;
            let after = if is_for_all { spread.steps.max(furthest - 1) } else { furthest - 1 };
            sends.push((u64::from(towards[origin.index()]), after));
        }
    }
    let residents = network.residents(router).iter();
    let sent = residents.clone().map(|&processor| u64::from(problem.send_ports(processor))).sum();
    let received = residents.map(|&processor| u64::from(problem.receive_ports(processor))).sum();
    Ok(most_steps(&sends, sent)?.max(most_steps(&receives, received)?))
}

/// How a message spreads in one component after it was first sent into it.
#[derive(Clone, Default)]
struct Spread {
    /// Number of routers in the component.
    routers: usize,
    /// Steps until a message for all of them can have arrived.
    steps: u64,
}

impl Spread {
    /// For every component that the removal of a router leaves. A router that is `away` hops away
    /// holds the message at the earliest after `away - 1` further steps, and then sends it into the
    /// parts behind its bridges.
    fn of_parts(
        problem: &Problem,
        removed: RouterId,
        part: &[Option<usize>],
        away: &[u32],
    ) -> Vec<Self> {
        let mut spreads = vec![Self::default(); part.len()];
        let behind = steps_behind_bridges(problem, removed, vec![true; part.len()]);
        for (router, &part) in part.iter().enumerate() {
            let Some(part) = part else { continue };
            let spread = &mut spreads[part];
            spread.routers += 1;
            if behind[router] > 0 && away[router] != UNREACHABLE {
                let steps = u64::from(away[router]) - 1 + behind[router];
                spread.steps = spread.steps.max(steps);
            }
        }
        spreads
    }
}

/// For every router, its component when some routers are removed; `None` for these themselves.
pub(super) fn parts_without(
    problem: &Problem,
    is_removed: impl Fn(RouterId) -> bool,
) -> Vec<Option<usize>> {
    let network = problem.network();
    let (along, against) = (Neighbours::along(network), Neighbours::against(network));
    let mut part = vec![None; network.router_count()];
    let mut count = 0;
    for start in network.routers().filter(|&start| !is_removed(start)) {
        if part[start.index()].is_some() {
            continue;
        }
        part[start.index()] = Some(count);
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            // Ignores the direction of channels, so that no channel joins two components.
            for &next in along.of(at).iter().chain(against.of(at)) {
                if !is_removed(next) && part[next.index()].is_none() {
                    part[next.index()] = Some(count);
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    part
}
