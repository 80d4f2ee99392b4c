//! Which paths are listed for a problem, and the tables of those that are.

use super::path_table::PathTable;
use pavane_model::{Problem, RouterId, Routing, Switching};
use pavane_search::Interrupt;
use pavane_search::facts::Known;

/// Longest detour for which paths are listed.
pub const LONGEST_DETOUR: u32 = 4;

/// Maximum number of router pairs for which paths are listed.
const MOST_PAIRS: usize = 1 << 21;

/// The longest detour that the routing allows and paths are listed for.
pub fn longest_detour(problem: &Problem) -> u32 {
    match problem.model().routing {
        Routing::Minimal => 0,
        Routing::Detour(hops) => hops.min(LONGEST_DETOUR),
        Routing::Any => LONGEST_DETOUR,
    }
}

/// The paths of a problem by length of detour, listed on first use. A fact that all searches for a
/// problem share: `context.facts_of::<PathTables>()`.
#[derive(Debug, Default)]
pub struct PathTables([Known<PathTable>; LONGEST_DETOUR as usize + 1]);

impl PathTables {
    /// The paths at most `detour` channels longer than the shortest.
    pub fn get(&self, problem: &Problem, detour: u32) -> &PathTable {
        self.get_until(problem, detour, &Interrupt::never()).expect("it is never interrupted")
    }

    /// The same; `None` at an interrupt.
    pub fn get_until(
        &self,
        problem: &Problem,
        detour: u32,
        interrupt: &Interrupt,
    ) -> Option<&PathTable> {
        let detour = detour.min(LONGEST_DETOUR);
        self.0[detour as usize].get(|| {
            let (network, (sources, targets)) = (problem.network(), ends(problem));
            PathTable::new_until(network, &sources, &targets, detour, interrupt)
        })
    }
}

/// Whether the problem has few enough router pairs to list all paths.
pub fn can_list_paths(problem: &Problem) -> bool {
    let (sources, targets) = ends(problem);
    sources.len().saturating_mul(targets.len()) <= MOST_PAIRS
}

/// The routers that paths may start from, and those that they may lead to.
fn ends(problem: &Problem) -> (Vec<RouterId>, Vec<RouterId>) {
    let messages = problem.messages();
    let network = problem.network();
    let mut is_source = vec![false; network.router_count()];
    let mut is_target = vec![false; network.router_count()];
    let is_wormhole = problem.model().switching == Switching::Wormhole;
    for message in messages.ids() {
        is_source[problem.home(messages.origin(message)).index()] = true;
        for &to in messages.destinations(message) {
            is_target[problem.home(to).index()] = true;
            // A destination of a multi-destination message may pass it on.
            is_source[problem.home(to).index()] |=
                is_wormhole && !messages.is_personalised(message);
        }
    }
    let listed = |marks: &[bool]| network.routers().filter(|r| marks[r.index()]).collect();
    (listed(&is_source), listed(&is_target))
}
