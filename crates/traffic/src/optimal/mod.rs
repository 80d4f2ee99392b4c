//! The optimum of a mission over given paths (OPT): a bound below, a search for a schedule that meets it,
//! and branch and bound where it does not. Says *proved* only where bound and schedule meet, or where
//! every alternative was tried.

mod bounds;
mod branch;
mod improve;

pub use bounds::{Bounds, link_loads};

use crate::links::Links;
use crate::mission::Mission;
use crate::routing::{LinkOrder, Routes};
use crate::switching::{State, Switching};

/// A mission with fixed paths whose optimum is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The messages; none of them waits for others.
    pub mission: &'a Mission,
    /// What carries one message at a time.
    pub links: &'a Links,
    /// The paths.
    pub routes: &'a Routes,
    /// How links follow each other, if the paths are those of a table.
    pub order: Option<&'a LinkOrder>,
    /// How a message holds links: one that [has an optimum](Switching::has_optimum).
    pub switching: Switching,
}

/// How much work may be spent.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Runs of the simulator.
    pub runs: u32,
    /// Nodes of the search tree.
    pub nodes: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self { runs: 150, nodes: 500 }
    }
}

/// The best makespan found, and what is proved about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimum {
    /// The makespan of the best schedule found, in ticks.
    pub makespan: u64,
    /// No schedule has a smaller one, in ticks.
    pub bound: u64,
}

impl Optimum {
    /// Whether nothing better exists.
    pub fn is_proved(&self) -> bool {
        self.makespan == self.bound
    }
}

/// Searches for the optimum. The same task, seed and effort give the same answer.
pub fn optimum(task: &Task<'_>, effort: Effort, seed: u64, state: &mut State) -> Optimum {
    debug_assert!(task.switching.has_optimum(), "a run may deadlock and then has no makespan");
    let bound = Bounds::of(task).best();
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
    use pavane_model::{Duplex, Network, ProcessorId, topology};

    fn solve(network: &Network, mission: &Mission, switching: Switching) -> Optimum {
        let links = Links::new(network, Duplex::Half);
        let table = TableMaker::find("shortest").unwrap().table(network).unwrap();
        let routes = Routes::of_table(&table, network, mission).unwrap();
        let task = Task { mission, links: &links, routes: &routes, order: None, switching };
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
    fn small_missions_have_the_optimum_of_a_pencil() {
        let network = topology::build("path:3").unwrap();
        // Two messages over both links, one over the second: 0-2 of 3, 0-2 of 1, 1-2 of 2.
        let list = [(0, 2, 3.0), (0, 2, 1.0), (1, 2, 2.0)];
        let mission = mission(&network, &list);
        let known = [
            // The second link has work for 6, but stands idle before one of the first two comes to it.
            (Switching::Message, 7.0),
            (Switching::Circuit, 6.0),
            (Switching::CutThrough, 6.0),
        ];
        for (switching, makespan) in known {
            let best = solve(&network, &mission, switching);
            assert!(best.is_proved(), "{switching:?}");
            assert_eq!(ticks::to_units(best.makespan), makespan, "{switching:?}");
        }
    }

    #[test]
    fn exhausted_trees_prove_what_bounds_do_not() {
        // Under message switching 0-2 of 2 and 2-0 of 2 cross the same two links: 4 by the load, and 4
        // is reached; with a third message from 1 to 2 of 1 the second link has work for 5, and the
        // message from 0 comes to it at 2.
        let network = topology::build("path:3").unwrap();
        let mission = mission(&network, &[(0, 2, 2.0), (2, 0, 2.0), (1, 2, 1.0), (1, 0, 1.0)]);
        let best = solve(&network, &mission, Switching::Message);
        assert!(best.is_proved());
        assert_eq!(ticks::to_units(best.makespan), 5.0);
        let circuit = solve(&network, &mission, Switching::Circuit);
        assert!(circuit.is_proved());
        assert_eq!(ticks::to_units(circuit.makespan), 5.0);
    }

    #[test]
    fn no_policy_beats_the_bound() {
        let network = topology::build("hypercube:3").unwrap();
        for index in 0..20 {
            let mission = Uniform::default().draw(&network, 3, index).unwrap();
            for &(_, switching) in Switching::ALL {
                let best = solve(&network, &mission, switching);
                assert!(best.bound <= best.makespan);
            }
        }
    }
}
