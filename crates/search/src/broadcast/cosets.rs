//! Broadcast along a chain of groups. The holders after a step are the images of the origin under a
//! group that acts freely on the processors, and each group is a subgroup of the next one. The
//! origin sends to one processor of every coset, and every other holder sends along the images of
//! the same paths. Solves cases without slack, where randomly chosen holders never fit.

use super::lifted::LiftedRouter;
use super::one_message::{OneMessage, Send};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use crate::symmetry::{ChannelOrder, FreeGroup, Freedom, Subgroup, find_free_group};
use pavane_model::{Duplex, ProcessorId, RouterId};
use pavane_networks::symmetry::{self, Symmetries};

/// Largest network, in routers: a group is stored as a table of this size squared.
const MOST_ROUTERS: usize = 4096;

/// Chains tried before another free group is drawn.
const CHAINS: usize = 16;

/// Subgroups tried for one step of a chain.
const SUBGROUPS: usize = 16;

/// Random members drawn before the search for a subgroup of a given order gives up.
const MEMBERS: usize = 40;

/// Chains of groups for a broadcast to all processors of a network with one processor per router.
pub(super) struct Cosets<'a> {
    task: &'a OneMessage<'a>,
    symmetries: Symmetries,
    group: FreeGroup,
    chains: usize,
    growth: usize,
    channels: ChannelOrder<'a>,
    router: LiftedRouter<'a>,
    routers: Vec<RouterId>,
}

/// The orders that the group of holders may have before the last of `steps` steps: an order divides
/// `whole`, that many holders can grow to `wanted` in one step, and they can themselves be reached
/// in the steps before.
fn orders(whole: usize, wanted: usize, growth: usize, steps: u32) -> Vec<usize> {
    if steps <= 1 {
        return if steps == 1 && wanted <= growth { vec![1] } else { Vec::new() };
    }
    let least = wanted.div_ceil(growth);
    let is_fit = |order: &usize| {
        whole.is_multiple_of(*order) && !orders(*order, *order, growth, steps - 1).is_empty()
    };
    (least..=whole.min(wanted)).filter(is_fit).collect()
}

impl<'a> Cosets<'a> {
    /// Returns `None` if no chain of groups has this many steps, or at an interrupt.
    pub fn new(
        task: &'a OneMessage<'a>,
        steps: u32,
        interrupt: &Interrupt,
        rng: &mut Rng,
    ) -> Option<Self> {
        let network = task.network;
        let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
        let growth = task.ports[task.origin.index()] as usize + 1;
        let is_even = task.problem.model().duplex == Duplex::Full
            && routers.len() <= MOST_ROUTERS
            && task.destinations.len() + 1 == routers.len()
            && routers.iter().all(|&router| network.residents(router).len() == 1);
        if !is_even || orders(routers.len(), routers.len(), growth, steps).is_empty() {
            return None;
        }
        let marks = vec![0; network.router_count()];
        let is_over = || interrupt.is_raised();
        let symmetries = symmetry::symmetries_keeping_unless(network, &marks, &is_over)?;
        let group = find_free_group(network, &symmetries, Freedom::Processors, interrupt, rng);
        let is_enough = !orders(group.order(), routers.len(), growth, steps).is_empty();
        is_enough.then(|| Self {
            task,
            symmetries,
            group,
            chains: 0,
            growth,
            channels: ChannelOrder::new(network),
            router: LiftedRouter::new(network, task.home(task.origin)),
            routers,
        })
    }

    /// The last steps of a schedule, last first, as far as a chain of groups was found. Each entry
    /// has the holders before the step, without the origin, and the sends of the step.
    pub fn last_steps(
        &mut self,
        steps: u32,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Vec<(Vec<ProcessorId>, Vec<Send>)> {
        self.chains += 1;
        if self.chains.is_multiple_of(CHAINS) {
            let (network, freedom) = (self.task.network, Freedom::Processors);
            let interrupt = budget.interrupt();
            self.group = find_free_group(network, &self.symmetries, freedom, interrupt, rng);
        }
        let home = self.task.home(self.task.origin);
        let mut within = Subgroup::whole(&self.group);
        let mut next = self.routers.clone();
        let mut found = Vec::new();
        for step in (0..steps).rev() {
            let Some(subgroup) = self.subgroup_before(step, &within, &next, budget, rng) else {
                break;
            };
            let images = subgroup.members().iter().map(|&member| self.group.image(member, home));
            next = images.collect();
            let holders = next.iter().map(|&router| self.task.network.residents(router)[0]);
            let others = holders.filter(|&p| p != self.task.origin).collect();
            found.push((others, self.translated(&subgroup)));
            within = subgroup;
        }
        found
    }

    /// Finds a subgroup such that the images of the origin can serve all of `next` in one step.
    fn subgroup_before(
        &mut self,
        step: u32,
        within: &Subgroup,
        next: &[RouterId],
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Subgroup> {
        let orders = orders(within.order(), next.len(), self.growth, step + 1);
        let tries = if step == 0 { 1 } else { SUBGROUPS };
        for _ in 0..if orders.is_empty() { 0 } else { tries } {
            let order = orders[rng.below(orders.len())];
            let Some(subgroup) = subgroup(&self.group, within, order, rng) else { continue };
            if self.router.route(&self.group, &self.channels, &subgroup, next, budget, rng) {
                return Some(subgroup);
            }
            if budget.is_over() {
                return None;
            }
        }
        None
    }

    /// The images of the origin's sends under all members of the subgroup.
    fn translated(&self, subgroup: &Subgroup) -> Vec<Send> {
        let network = self.task.network;
        let paths = self.router.paths();
        let mut sends = Vec::with_capacity(subgroup.order() * paths.len());
        for &member in subgroup.members() {
            for path in paths {
                let image = |&channel| self.channels.image(&self.group, member, channel);
                let path: Vec<_> = path.iter().map(image).collect();
                let (first, last) = (path[0], path[path.len() - 1]);
                let from = network.residents(network.channel(first).tail)[0];
                let to = network.residents(network.channel(last).head)[0];
                sends.push(Send { from, to, path });
            }
        }
        sends
    }
}

/// A subgroup of the given order within another one, generated by random members.
fn subgroup(group: &FreeGroup, within: &Subgroup, order: usize, rng: &mut Rng) -> Option<Subgroup> {
    let mut subgroup = Subgroup::trivial();
    for _ in 0..MEMBERS {
        if subgroup.order() == order {
            return Some(subgroup);
        }
        let drawn = within.members()[rng.below(within.order())];
        let exponent = [1, 1, 1, 2, 3, 5][rng.below(6)];
        let member = (1..exponent).fold(drawn, |power, _| group.product(power, drawn));
        let larger = subgroup.with(group, member);
        if order.is_multiple_of(larger.order()) {
            subgroup = larger;
        }
    }
    None
}
