//! A set of routers that changes by one router at a time, with counts of the messages and channels
//! that cross its border.

use super::demand::{Crossing, CutDemand};
use pavane_model::{Duplex, Network, Problem, RouterId};

/// Messages that must cross a border, and channels that cross it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// The messages.
    pub messages: u64,
    /// The channels; under half duplex, the links.
    pub channels: u64,
}

impl Ratio {
    /// Steps that the crossing takes; zero if nothing crosses.
    pub fn steps(self) -> u64 {
        self.messages.div_ceil(self.channels.max(1))
    }

    /// Whether this ratio is larger than the other as a fraction.
    pub fn exceeds(self, other: Self) -> bool {
        let ours = u128::from(self.messages) * u128::from(other.channels.max(1));
        ours > u128::from(other.messages) * u128::from(self.channels.max(1))
    }
}

/// A set of routers.
#[derive(Clone)]
pub struct Side<'a> {
    network: &'a Network,
    duplex: Duplex,
    demand: &'a CutDemand,
    is_inside: Vec<bool>,
    crossing: Crossing,
    channels_leaving: u64,
    channels_entering: u64,
}

impl<'a> Side<'a> {
    /// The empty set.
    pub fn empty(problem: &'a Problem, demand: &'a CutDemand) -> Self {
        Self {
            network: problem.network(),
            duplex: problem.model().duplex,
            demand,
            is_inside: vec![false; problem.network().router_count()],
            crossing: demand.start(),
            channels_leaving: 0,
            channels_entering: 0,
        }
    }

    /// Whether each router is in the set.
    pub fn is_inside(&self) -> &[bool] {
        &self.is_inside
    }

    /// Changes the set to `is_inside`.
    pub fn become_set(&mut self, is_inside: &[bool]) {
        for router in self.network.routers() {
            if self.is_inside[router.index()] != is_inside[router.index()] {
                self.toggle(router);
            }
        }
    }

    /// Adds a router, or removes it.
    pub fn toggle(&mut self, router: RouterId) {
        self.crossing.toggle(self.demand, &self.is_inside, router.index());
        let is_half = self.duplex == Duplex::Half;
        let is_going = self.is_inside[router.index()];
        for &channel in self.network.out_channels(router) {
            let head = self.network.channel(channel).head;
            self.change(is_going, self.is_inside[head.index()], true);
        }
        for &channel in self.network.in_channels(router) {
            // Under half duplex the two channels of a link count as one.
            if !is_half || self.network.opposite(channel).is_none() {
                let tail = self.network.channel(channel).tail;
                self.change(is_going, self.is_inside[tail.index()], false);
            }
        }
        self.is_inside[router.index()] = !is_going;
    }

    /// Counts one channel of a router that changes sides. Under half duplex all crossing channels
    /// count as leaving.
    fn change(&mut self, is_going: bool, is_other_inside: bool, is_out: bool) {
        let crosses_now = is_going == is_other_inside;
        let crossing = match self.duplex {
            Duplex::Half => &mut self.channels_leaving,
            // The channel leaves the set if its tail is the end inside, now or before the change.
            Duplex::Full if is_out == (crosses_now != is_going) => &mut self.channels_leaving,
            Duplex::Full => &mut self.channels_entering,
        };
        if crosses_now { *crossing += 1 } else { *crossing -= 1 }
    }

    /// What must leave the set; under half duplex, what must cross its border.
    pub fn leaving(&self) -> Ratio {
        let messages = match self.duplex {
            Duplex::Full => self.crossing.leaving,
            Duplex::Half => self.crossing.leaving + self.crossing.entering,
        };
        Ratio { messages, channels: self.channels_leaving }
    }

    /// What must enter the set, that is, leave the complement.
    pub fn entering(&self) -> Ratio {
        match self.duplex {
            Duplex::Full => {
                Ratio { messages: self.crossing.entering, channels: self.channels_entering }
            }
            Duplex::Half => self.leaving(),
        }
    }
}
