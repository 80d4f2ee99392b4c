//! The optimum of a mission over given paths (OPT): a lower bound, a search for a schedule that
//! meets it, and branch and bound if none is found. It is *proved* only if bound and schedule meet
//! or the whole tree was searched.

mod bounds;
mod branch;
mod improve;

pub use bounds::{MissionBounds, link_loads};

use crate::links::Links;
use crate::mission::Mission;
use crate::routing::{LinkOrder, Routes};
use crate::switching::{State, SwitchingMethod};

/// A mission with fixed paths whose optimum is searched.
#[derive(Debug, Clone, Copy)]
pub struct OptimumProblem<'a> {
    /// The messages, without dependencies.
    pub mission: &'a Mission,
    /// The resources that carry one message at a time.
    pub links: &'a Links,
    /// The paths.
    pub routes: &'a Routes,
    /// The possible sequences of links, if the paths come from a table.
    pub order: Option<&'a LinkOrder>,
    /// A switching that [has an optimum](SwitchingMethod::has_optimum).
    pub switching: SwitchingMethod,
}

/// Limits on the work.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of simulator runs.
    pub runs: u32,
    /// Number of nodes of the search tree.
    pub nodes: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self { runs: 150, nodes: 500 }
    }
}

/// The best makespan found and a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimum {
    /// The makespan of the best schedule found, in ticks.
    pub makespan: u64,
    /// Proved lower bound on the makespan, in ticks.
    pub bound: u64,
}

impl Optimum {
    /// Whether the makespan is proved optimal.
    pub fn is_proved(&self) -> bool {
        self.makespan == self.bound
    }
}

/// Searches for the optimum. The same task, seed and effort give the same result.
pub fn optimum(task: &OptimumProblem<'_>, effort: Effort, seed: u64, state: &mut State) -> Optimum {
    debug_assert!(task.switching.has_optimum(), "a run may deadlock and then has no makespan");
    let bound = MissionBounds::of(task).best();
    let start = task.mission.start();
    let mut found = improve::search(task, start + bound, effort.runs, seed, state) - start;
    if found == bound {
        return Optimum { makespan: found, bound };
    }
    let branched = branch::search(task, start + found, start + bound, effort.nodes);
    found = found.min(branched.makespan - start);
    Optimum { makespan: found, bound: if branched.is_exhausted { found } else { bound } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mission::{Message, Uniform};
    use crate::routing::TableMaker;
    use crate::ticks;
    use pavane_model::{Duplex, Network, ProcessorId};
    use pavane_networks::topology;

    fn solve(network: &Network, mission: &Mission, switching: SwitchingMethod) -> Optimum {
        let links = Links::new(network, Duplex::Half);
        let table = TableMaker::find("shortest").unwrap().table(network).unwrap();
        let routes = Routes::of_table(&table, network, mission).unwrap();
        let task =
            OptimumProblem { mission, links: &links, routes: &routes, order: None, switching };
        optimum(&task, Effort { runs: 20, nodes: 200_000 }, 1, &mut State::default())
    }

    /// Messages as (source, destination, length).
    fn mission(network: &Network, list: &[(u32, u32, f64)]) -> Mission {
        let message = |&(source, destination, length)| Message {
            arrival: 0,
            length: ticks::from_units(length),
            source: ProcessorId(source),
            destination: ProcessorId(destination),
        };
        Mission::new(network, list.iter().map(message).collect()).unwrap()
    }

    #[test]
    fn small_missions_have_the_optimum_computed_by_hand() {
        let network = topology::build("path:3").unwrap();
        // Two messages over both links, one over the second: 0-2 of length 3, 0-2 of length 1, 1-2
        // of length 2.
        let list = [(0, 2, 3.0), (0, 2, 1.0), (1, 2, 2.0)];
        let mission = mission(&network, &list);
        let known = [
            // The second link has 6 units of work, but is idle until one of the first two messages
            // reaches it.
            (SwitchingMethod::StoreAndForward, 7.0),
            (SwitchingMethod::Circuit, 6.0),
            (SwitchingMethod::CutThrough, 6.0),
        ];
        for (switching, makespan) in known {
            let best = solve(&network, &mission, switching);
            assert!(best.is_proved(), "{switching:?}");
            assert_eq!(ticks::to_units(best.makespan), makespan, "{switching:?}");
        }
    }

    #[test]
    fn exhausted_trees_prove_what_bounds_do_not() {
        // Under store-and-forward, 0-2 and 2-0, both of length 2, cross the same two links: the
        // load gives 4, which is achievable. With a message of length 1 from 1 to 2, the second
        // link has 5 units of work, and the message from 0 reaches it at time 2.
        let network = topology::build("path:3").unwrap();
        let mission = mission(&network, &[(0, 2, 2.0), (2, 0, 2.0), (1, 2, 1.0), (1, 0, 1.0)]);
        let best = solve(&network, &mission, SwitchingMethod::StoreAndForward);
        assert!(best.is_proved());
        assert_eq!(ticks::to_units(best.makespan), 5.0);
        let circuit = solve(&network, &mission, SwitchingMethod::Circuit);
        assert!(circuit.is_proved());
        assert_eq!(ticks::to_units(circuit.makespan), 5.0);
    }

    #[test]
    fn a_last_message_within_a_router_needs_no_link() {
        let network = topology::build("ring:5@2").unwrap();
        let inner = mission(&network, &[(0, 1, 1.0)]).messages()[0];
        for index in 0..20 {
            let drawn = Uniform::default().draw(&network, 3, index).unwrap();
            let with_inner = [drawn.messages(), &[inner]].concat();
            let with_inner = Mission::new(&network, with_inner).unwrap();
            for &(_, switching) in SwitchingMethod::ALL {
                let (less, more) =
                    (solve(&network, &drawn, switching), solve(&network, &with_inner, switching));
                assert!(more.bound <= less.makespan && less.bound <= more.makespan);
            }
        }
    }

    #[test]
    fn no_policy_beats_the_bound() {
        let network = topology::build("hypercube:3").unwrap();
        for index in 0..20 {
            let mission = Uniform::default().draw(&network, 3, index).unwrap();
            for &(_, switching) in SwitchingMethod::ALL {
                let best = solve(&network, &mission, switching);
                assert!(best.bound <= best.makespan);
            }
        }
    }
}
