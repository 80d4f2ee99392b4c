//! Runs many missions under many combinations of switching, routing and policy. Reports means,
//! confidence intervals and the ratio to the optimum. The result does not depend on the number of
//! threads.

use crate::error::TrafficError;
use crate::mission::{Mission, Uniform};
use crate::optimal::{Effort, OptimumProblem, optimum};
use crate::policy::Policy;
use crate::routed_simulator::RoutedSimulator;
use crate::simulator::Memory;
use crate::statistics::Estimate;
use crate::switching::SwitchingMethod;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What to compare.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// Distribution of the missions.
    pub uniform: Uniform,
    /// Number of missions.
    pub missions: u64,
    /// Random seed.
    pub seed: u64,
    /// Simulators, each with the switchings that use it.
    pub simulators: &'a [RoutedSimulator],
    /// All switchings, in the order of the rows.
    pub switchings: &'a [SwitchingMethod],
    /// The policies.
    pub policies: &'a [Policy],
    /// Number of missions for which the optimum is searched.
    pub optimal: u64,
    /// Effort per optimum.
    pub effort: Effort,
}

/// Result of one combination.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The switching.
    pub switching: SwitchingMethod,
    /// The routing.
    pub routing: String,
    /// What the routing is and why it was chosen; `None` if it was requested.
    pub reason: Option<&'static str>,
    /// The policy; `opt` for the optimum over the paths of the routing.
    pub policy: &'static str,
    /// Mean makespan of the missions that finished; `None` if none did. It is the mean of all
    /// missions only if [`unfinished`](Self::unfinished) is 0: see [`mean`](Self::mean).
    pub makespan: Option<Estimate>,
    /// Mean makespan of the missions whose optimum was searched, divided by the mean optimum;
    /// `None` if a mission did not finish.
    pub ratio: Option<f64>,
    /// For the optimum: the number of missions for which it is proved, and the mean bound.
    pub proved: Option<(u64, f64)>,
    /// Number of missions that deadlocked. They have no makespan.
    pub unfinished: u64,
    /// Number of missions that drew no message. They have no makespan either, and are not part of the
    /// mean.
    pub empty: u64,
}

impl Row {
    /// Number of missions that finished.
    pub fn finished(&self) -> u64 {
        self.makespan.map_or(0, |makespan| makespan.count as u64)
    }

    /// Mean makespan of all missions with messages; `None` if one of them did not finish.
    pub fn mean(&self) -> Option<Estimate> {
        self.makespan.filter(|_| self.unfinished == 0)
    }
}

/// Result of one mission under every combination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissionOutcome {
    /// By combination; `u64::MAX` for a deadlock or an optimum that was not searched. Empty if the
    /// mission has no message.
    makespans: Vec<u64>,
    bounds: Vec<u64>,
}

/// Runs all missions under all combinations. `done` counts finished missions.
pub fn compare(comparison: &Comparison<'_>, done: &AtomicU64) -> Result<Vec<Row>, TrafficError> {
    comparison.rows(&outcomes(comparison, 0..comparison.missions, done)?)
}

/// Runs a range of the missions under all combinations.
pub fn outcomes(
    comparison: &Comparison<'_>,
    missions: Range<u64>,
    done: &AtomicU64,
) -> Result<Vec<MissionOutcome>, TrafficError> {
    outcomes_until(comparison, missions, done, &AtomicBool::new(false))
}

/// Runs a range of the missions under all combinations; skips those that have not started when `stop` is
/// raised.
pub fn outcomes_until(
    comparison: &Comparison<'_>,
    missions: Range<u64>,
    done: &AtomicU64,
    stop: &AtomicBool,
) -> Result<Vec<MissionOutcome>, TrafficError> {
    for routed in comparison.simulators {
        comparison.uniform.check(routed.simulator.network())?;
    }
    missions
        .into_par_iter()
        .map_init(
            || (Memory::default(), Mission::default()),
            |(memory, mission), index| {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                let outcome = comparison.run(index, memory, mission);
                done.fetch_add(1, Ordering::Relaxed);
                Some(outcome)
            },
        )
        .flatten_iter()
        .collect()
}

impl Comparison<'_> {
    /// Runs one mission under every combination.
    fn run(
        &self,
        index: u64,
        memory: &mut Memory,
        mission: &mut Mission,
    ) -> Result<MissionOutcome, TrafficError> {
        let mut outcome = MissionOutcome { makespans: Vec::new(), bounds: Vec::new() };
        for RoutedSimulator { simulator, switchings, .. } in self.simulators {
            self.uniform.draw_into(simulator.network(), self.seed, index, mission);
            if mission.is_empty() {
                return Ok(outcome);
            }
            mission.check_clock(simulator.network())?;
            let start = mission.start();
            let is_fixed = simulator.route(mission, self.mix(index), &mut memory.routes)?;
            for &switching in switchings {
                if self.has_optimum() {
                    let is_wanted = is_fixed && index < self.optimal && switching.has_optimum();
                    let best = is_wanted.then(|| {
                        let task = OptimumProblem {
                            mission,
                            links: simulator.links(),
                            routes: &memory.routes,
                            order: simulator.order(),
                            switching,
                        };
                        optimum(&task, self.effort, self.mix(index), &mut memory.state)
                    });
                    outcome.makespans.push(best.map_or(u64::MAX, |best| best.makespan));
                    outcome.bounds.push(best.map_or(0, |best| best.bound));
                }
                for &policy in self.policies {
                    let run = simulator.run(mission, switching, policy, memory, &mut ())?;
                    let is_stuck = memory.state.completions.contains(&u64::MAX);
                    outcome.makespans.push(if is_stuck {
                        u64::MAX
                    } else {
                        run.end - start.min(run.end)
                    });
                    outcome.bounds.push(0);
                }
            }
        }
        Ok(outcome)
    }

    fn has_optimum(&self) -> bool {
        self.optimal > 0
    }

    fn mix(&self, index: u64) -> u64 {
        self.seed.wrapping_mul(0x9E37_79B9).wrapping_add(index)
    }

    /// The result rows, given the outcomes of all missions in order. Fails if no mission has a message.
    pub fn rows(&self, outcomes: &[MissionOutcome]) -> Result<Vec<Row>, TrafficError> {
        let drawn = outcomes.iter().filter(|outcome| !outcome.makespans.is_empty());
        let drawn: Vec<&MissionOutcome> = drawn.collect();
        if drawn.is_empty() {
            return Err(TrafficError::Empty);
        }
        let empty = (outcomes.len() - drawn.len()) as u64;
        let mut rows: Vec<Row> = Vec::new();
        let mut cell = 0;
        for routed in self.simulators {
            for &switching in &routed.switchings {
                let optimum = self.has_optimum().then_some(cell);
                for policy in self.names() {
                    let row = self.row(&drawn, cell, optimum, switching, routed, policy);
                    rows.extend(row.map(|row| Row { empty, ..row }));
                    cell += 1;
                }
            }
        }
        rows.sort_by_key(|row| self.switchings.iter().position(|s| *s == row.switching));
        Ok(rows)
    }

    /// The policies in the rows of one routing and switching.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let optimum = self.has_optimum().then_some("opt");
        optimum.into_iter().chain(self.policies.iter().map(|policy| policy.name))
    }

    /// A row; `None` for an optimum that was not searched.
    fn row(
        &self,
        outcomes: &[&MissionOutcome],
        cell: usize,
        optimum: Option<usize>,
        switching: SwitchingMethod,
        routed: &RoutedSimulator,
        policy: &'static str,
    ) -> Option<Row> {
        let known = |outcome: &&&MissionOutcome| outcome.makespans[cell] != u64::MAX;
        let makespan = Estimate::of(outcomes.iter().filter(known).map(|o| o.makespans[cell]));
        let is_optimum = optimum == Some(cell);
        if is_optimum && makespan.is_none() {
            return None;
        }
        let both = optimum.map(|best| {
            let both = outcomes
                .iter()
                .filter(known)
                .filter(|outcome| outcome.makespans[best] != u64::MAX)
                .map(|outcome| (outcome.makespans[cell] as f64, outcome.makespans[best] as f64));
            both.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
        });
        let proved = is_optimum.then(|| {
            let bounds = Estimate::of(outcomes.iter().filter(known).map(|o| o.bounds[cell]));
            let met = outcomes.iter().filter(known).filter(|o| o.bounds[cell] == o.makespans[cell]);
            (met.count() as u64, bounds.map_or(0.0, |bounds| bounds.mean))
        });
        let stuck = outcomes.iter().filter(|outcome| outcome.makespans[cell] == u64::MAX);
        let unfinished = if is_optimum { 0 } else { stuck.count() as u64 };
        let both = both.filter(|(_, best)| *best > 0.0 && unfinished == 0);
        Some(Row {
            switching,
            routing: routed.name.clone(),
            reason: routed.reason,
            policy,
            makespan,
            ratio: both.map(|(mean, best)| mean / best),
            proved,
            unfinished,
            empty: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::Duplex;
    use pavane_networks::topology;

    fn comparison<'a>(
        simulators: &'a [RoutedSimulator],
        switchings: &'a [SwitchingMethod],
        uniform: Uniform,
    ) -> Comparison<'a> {
        Comparison {
            uniform,
            missions: 20,
            seed: 1,
            simulators,
            switchings,
            policies: &[],
            optimal: 0,
            effort: Effort::default(),
        }
    }

    #[test]
    fn missions_without_messages_are_counted_and_are_not_part_of_the_mean() {
        let network = topology::build("path:2").unwrap();
        let switchings = [SwitchingMethod::StoreAndForward];
        let names = ["shortest".to_owned()];
        let simulators =
            RoutedSimulator::list(&network, Duplex::Half, &names, &switchings).unwrap();
        let fifo = [Policy::find("fifo").unwrap()];
        let rare = Uniform { density: 0.2, sigma: 0.0, ..Uniform::default() };
        let rare = Comparison { policies: &fifo, ..comparison(&simulators, &switchings, rare) };
        let [row] = &compare(&rare, &AtomicU64::new(0)).unwrap()[..] else { panic!("one row") };
        assert!(row.empty > 0, "{row:?}");
        assert_eq!(row.finished() + row.empty, 20);
        // A message takes 10 units.
        assert!(row.mean().unwrap().mean >= 10.0, "{row:?}");
        let none = Uniform { density: 1e-9, ..Uniform::default() };
        let none = Comparison { policies: &fifo, ..comparison(&simulators, &switchings, none) };
        assert_eq!(compare(&none, &AtomicU64::new(0)), Err(TrafficError::Empty));
    }

    fn rows(missions: u64, window: f64, policies: &[Policy]) -> Vec<Row> {
        let network = topology::build("ring:5").unwrap();
        let switchings = [SwitchingMethod::StoreAndForward, SwitchingMethod::Wormhole(1)];
        let names = ["shortest".to_owned()];
        let simulators =
            RoutedSimulator::list(&network, Duplex::Half, &names, &switchings).unwrap();
        let uniform = Uniform { window, ..Uniform::default() };
        let comparison = Comparison {
            missions,
            policies,
            optimal: 2,
            ..comparison(&simulators, &switchings, uniform)
        };
        compare(&comparison, &AtomicU64::new(0)).unwrap()
    }

    #[test]
    fn deadlocked_missions_are_counted_and_have_no_mean() {
        let lbf = Policy::find("lbf").unwrap();
        let rows = rows(20, 0.0, &[lbf]);
        // There is no optimum under wormhole switching, where a run may deadlock and has no
        // makespan.
        let names: Vec<_> = rows.iter().map(|row| (row.switching.name(), row.policy)).collect();
        assert_eq!(
            names,
            [("store-and-forward", "opt"), ("store-and-forward", "lbf"), ("wormhole", "lbf")]
        );
        let counts: Vec<_> = rows.iter().map(|row| (row.finished(), row.unfinished)).collect();
        assert_eq!(counts, [(2, 0), (20, 0), (0, 20)]);
        assert_eq!((rows[2].makespan, rows[2].ratio), (None, None));
    }

    #[test]
    fn a_row_with_unfinished_missions_has_no_mean_of_all() {
        let lbf = Policy::find("lbf").unwrap();
        let row = rows(20, 30.0, &[lbf]).pop().unwrap();
        assert!(row.finished() > 0 && row.unfinished > 0);
        assert_eq!(row.finished() + row.unfinished, 20);
        assert_eq!((row.mean(), row.ratio), (None, None));
        // Lower bound: the load of the busiest link.
        assert!(row.makespan.unwrap().mean > 20.0);
    }
}
