//! A board that remembers the original place (step and path) of each message, called its home.
//! Messages return home where they can, and evicting a message from its home costs more.

use super::super::guided_search::{Board, GuidedSearch};
use super::board::WormholeBoard;
use super::greedy::Placed;
use crate::budget::Budget;
use crate::rng::Rng;

/// Weight factor of a message that is at home.
const AT_HOME: f32 = 1.5;

/// Probability that a message evicts another one from its home, if that one is not at its own.
const PUSH: f64 = 0.5;

/// Iterations in which the messages evicted by a returning message must find places.
const ITERATIONS: u64 = 60;

/// A board with a home for some messages.
pub(super) struct HomeBoard<'a, 'g, 'h> {
    /// The board without homes.
    pub inner: WormholeBoard<'a, 'g>,
    homes: Vec<Option<&'h Placed>>,
    weight: Vec<f32>,
    /// Whether messages prefer their homes.
    is_homing: bool,
    /// The last accepted place of every message, and the messages that have moved since.
    saved: Vec<Placed>,
    changed: Vec<u32>,
}

impl<'a, 'g, 'h> HomeBoard<'a, 'g, 'h> {
    /// The places in `kept` become the homes of their messages.
    pub fn new(inner: WormholeBoard<'a, 'g>, kept: &'h [Placed], weight: &[f32]) -> Self {
        let mut homes = vec![None; weight.len()];
        for place in kept {
            homes[place.message as usize] = Some(place);
        }
        let (saved, changed) = (Vec::new(), Vec::new());
        Self { inner, homes, weight: weight.to_vec(), is_homing: false, saved, changed }
    }

    fn is_home(&self, message: u32) -> bool {
        self.homes[message as usize].is_some_and(|home| self.inner.is_at(home))
    }

    fn written(&self, message: u32, is_home: bool) -> f32 {
        let weight = self.weight[message as usize];
        if is_home && self.is_homing { AT_HOME * weight } else { weight }
    }

    /// Lets messages prefer their homes from now on.
    fn start_homing(&mut self) {
        self.is_homing = true;
        for message in 0..self.weight.len() as u32 {
            self.reweigh(message, self.weight[message as usize]);
        }
        self.go_home();
        let placed = self.inner.placed();
        self.saved = placed
            .map(|(message, step, path)| Placed { message, step, path: path.to_vec() })
            .collect();
        self.changed.clear();
    }

    /// Of the messages that have moved since the last save: how many are at home now, and how many
    /// were then.
    fn gain(&mut self) -> (usize, usize) {
        self.changed.sort_unstable();
        self.changed.dedup();
        let is = self.changed.iter().filter(|&&message| self.is_home(message)).count();
        let was_home = |&&message: &&u32| {
            let saved = &self.saved[message as usize];
            self.homes[message as usize]
                .is_some_and(|home| home.step == saved.step && home.path == saved.path)
        };
        (is, self.changed.iter().filter(was_home).count())
    }

    /// Moves messages to their homes until no more homes are free.
    fn go_home(&mut self) {
        let mut is_moving = true;
        while is_moving {
            is_moving = false;
            for message in 0..self.homes.len() {
                let Some(home) = self.homes[message] else { continue };
                if !self.inner.is_at(home) && self.inner.occupants(home).next().is_none() {
                    let weight = self.written(home.message, true);
                    self.inner.put(&[home], |_| weight);
                    self.changed.push(home.message);
                    is_moving = true;
                }
            }
        }
    }

    /// The homes of the messages that are elsewhere. Those that displace the fewest messages from
    /// their own homes come first.
    fn away(&self, rng: &mut Rng) -> Vec<&'h Placed> {
        let homes = self.homes.iter().flatten();
        let mut away: Vec<&'h Placed> =
            homes.filter(|home| !self.inner.is_at(home)).copied().collect();
        rng.shuffle(&mut away);
        away.sort_by_cached_key(|home| {
            let mut others: Vec<u32> = self.inner.occupants(home).collect();
            others.sort_unstable();
            others.dedup();
            (others.iter().filter(|&&other| self.is_home(other)).count(), others.len())
        });
        // Only the better half: displacing several messages from their homes gains little.
        away.truncate(away.len().div_ceil(2));
        away
    }

    /// Accepts the current places.
    fn save(&mut self) {
        for message in self.changed.drain(..) {
            let saved = &mut self.saved[message as usize];
            let (step, path) = self.inner.place(message);
            saved.step = step;
            saved.path.clear();
            saved.path.extend_from_slice(path);
        }
    }

    /// Restores the last accepted places.
    fn restore(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        let places: Vec<&Placed> =
            changed.iter().map(|&message| &self.saved[message as usize]).collect();
        self.inner.put(&places, |message| self.weight[message as usize]);
        for &message in &changed {
            self.inner.reweigh(message, self.written(message, self.is_home(message)));
        }
    }
}

/// Moves messages home, one at a time, until `work` evaluations are spent. A move is kept if all
/// evicted messages find other places and the number of messages at home does not fall.
pub(super) fn polish(
    search: &mut GuidedSearch<HomeBoard<'_, '_, '_>>,
    work: u64,
    each: u64,
    budget: &mut Budget,
    rng: &mut Rng,
) {
    search.board.start_homing();
    let end = budget.spent().saturating_add(work);
    let mut away: Vec<&Placed> = Vec::new();
    let mut at = 0;
    while budget.spent() < end && !budget.is_over() {
        if at == away.len() {
            away = search.board.away(rng);
            if away.is_empty() {
                return;
            }
            at = 0;
        }
        let home = away[at];
        at += 1;
        if search.board.inner.is_at(home) {
            continue;
        }
        search.force(home, rng);
        budget.spend(each);
        let is_complete = search.run(ITERATIONS, each, budget, rng);
        let (is, was) = search.board.gain();
        if is_complete && is >= was {
            search.board.save()
        } else {
            search.pool.clear();
            search.board.restore();
        }
    }
    search.board.go_home();
}

impl GuidedSearch<HomeBoard<'_, '_, '_>> {
    /// Moves a message home and evicts all messages in its way.
    fn force(&mut self, home: &Placed, rng: &mut Rng) {
        self.board.inner.plan_at(home);
        let evicted: Vec<u32> =
            self.board.inner.evicted().iter().copied().filter(|&m| m != home.message).collect();
        for &message in &evicted {
            self.board.evict(message, 2 + rng.below(8) as u32);
        }
        let weight = self.board.written(home.message, true);
        self.board.inner.put(&[home], |_| weight);
        self.board.changed.push(home.message);
        self.pool = evicted;
    }
}

impl Board for HomeBoard<'_, '_, '_> {
    fn plan(&mut self, message: u32, now: u32, blur: f32, rng: &mut Rng) -> bool {
        if let Some(home) = self.homes[message as usize].filter(|_| self.is_homing) {
            let mut others = self.inner.occupants(home);
            let first = others.next();
            let is_lone = first.is_none_or(|first| others.all(|other| other == first));
            drop(others);
            let may_push = |first| !self.is_home(first) && rng.chance(PUSH);
            if is_lone && first.is_none_or(may_push) {
                self.inner.plan_at(home);
                return true;
            }
        }
        self.inner.plan(message, now, blur, rng)
    }

    fn evicted(&self) -> &[u32] {
        self.inner.evicted()
    }

    fn evict(&mut self, message: u32, until: u32) {
        self.changed.push(message);
        self.inner.evict(message, until);
    }

    fn carry_out(&mut self, message: u32, weight: f32) {
        self.weight[message as usize] = weight;
        self.inner.carry_out(message, weight);
        self.changed.push(message);
        self.inner.reweigh(message, self.written(message, self.is_home(message)));
    }

    fn reweigh(&mut self, message: u32, weight: f32) {
        self.weight[message as usize] = weight;
        self.inner.reweigh(message, self.written(message, self.is_home(message)));
    }
}
