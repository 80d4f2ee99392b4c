//! Words of several phits in step: if every router has a phase such that every hop leads to the phase that is
//! later by the depth, modulo the phits of a word, all words may start in the phase of their routers. Uses of
//! a channel then never overlap in part, and so many slots are one unit of time.

use crate::symmetry::Symmetry;
use pavane_model::{RouterId, TdmProblem};
use std::collections::VecDeque;

/// The slots of a unit of time, and the phase of every router in it.
#[derive(Debug, Clone)]
pub(crate) struct Phases {
    pub unit: u32,
    of_routers: Vec<u32>,
}

impl Phases {
    /// Every slot is a unit.
    pub fn single() -> Self {
        Self { unit: 1, of_routers: Vec::new() }
    }

    /// `None` if words have one phit, routers have no such phases, or a latency is demanded: then words have
    /// windows of single slots.
    pub fn of(problem: &TdmProblem) -> Option<Self> {
        let (network, rules) = (problem.network(), problem.rules());
        let unit = rules.phits;
        let is_demanding = problem.messages().iter().any(|message| message.max_latency.is_some());
        if unit == 1 || is_demanding {
            return None;
        }
        let mut phases = vec![None; network.router_count()];
        let step = rules.depth % unit;
        for root in network.routers() {
            if phases[root.index()].is_some() {
                continue;
            }
            phases[root.index()] = Some(0);
            let mut queue = VecDeque::from([root]);
            while let Some(router) = queue.pop_front() {
                let phase = phases[router.index()].unwrap_or(0);
                let after = network.successors(router).iter().map(|&next| (next, step));
                let before = network.predecessors(router).iter().map(|&last| (last, unit - step));
                for (other, difference) in after.chain(before) {
                    let expected = (phase + difference) % unit;
                    match phases[other.index()] {
                        None => {
                            phases[other.index()] = Some(expected);
                            queue.push_back(other);
                        }
                        Some(known) if known != expected => return None,
                        Some(_) => {}
                    }
                }
            }
        }
        Some(Self { unit, of_routers: phases.into_iter().flatten().collect() })
    }

    /// The phase of a router.
    pub fn at(&self, router: RouterId) -> u32 {
        self.of_routers.get(router.index()).copied().unwrap_or(0)
    }

    /// Whether a member of a symmetry keeps all phases.
    pub fn are_kept(&self, problem: &TdmProblem, symmetry: &Symmetry, member: usize) -> bool {
        let channels = problem.network().channels();
        let images = &symmetry.members[member].channels;
        let keeps = |(channel, image): (&pavane_model::Channel, &pavane_model::ChannelId)| {
            self.at(channel.tail) == self.at(channels[image.index()].tail)
        };
        channels.iter().zip(images).all(keeps)
    }

    /// Whether a period and a symmetry can be used in units.
    pub fn suit(&self, problem: &TdmProblem, symmetry: &Symmetry, period: u32) -> bool {
        let members = 0..symmetry.order();
        period.is_multiple_of(self.unit)
            && (period / self.unit).is_multiple_of(symmetry.parts)
            && symmetry.opposites.is_none()
            && members.into_iter().all(|member| self.are_kept(problem, symmetry, member))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use pavane_model::tdm::{TdmDemand, TdmRules};

    #[test]
    fn hops_lead_to_the_phase_that_is_later_by_the_depth() {
        for (spec, depth, phits, has_phases) in [
            ("mesh:3x4", 1, 2, true),
            ("mesh:3x4", 2, 4, true),
            ("mesh:3x4", 1, 3, false),
            ("mesh:3x4", 3, 3, true),
            ("ring:5", 1, 2, false),
            ("unidirectional-torus:6x6", 1, 3, true),
            ("unidirectional-torus:4x4", 1, 3, false),
        ] {
            let network = pavane_networks::topology::build(spec).unwrap();
            let rules = TdmRules { depth, phits, ..TdmRules::default() };
            let problem = TdmProblem::new(network, TdmDemand::AllToAll, rules, 10_000).unwrap();
            let phases = Phases::of(&problem);
            assert_eq!(phases.is_some(), has_phases, "{spec} {depth} {phits}");
            let Some(phases) = phases else { continue };
            for channel in problem.network().channels() {
                let (from, to) = (phases.at(channel.tail), phases.at(channel.head));
                assert_eq!((from + depth) % phits, to, "{spec}");
            }
        }
    }
}
