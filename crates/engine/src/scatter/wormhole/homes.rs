//! A board that remembers where messages were before: they go home where they can, and those at home
//! are the last to be evicted.

use super::super::ejection::{Board, Ejection};
use super::board::WormholeBoard;
use super::greedy::Placed;
use crate::budget::Budget;
use crate::rng::Rng;

/// How much dearer it is to evict a message from its home.
const AT_HOME: f32 = 1.5;

/// How often a message pushes one that is not at home out of its own home.
const PUSH: f64 = 0.5;

/// Iterations in which those that had to make room for one going home must find places.
const ITERATIONS: u64 = 60;

/// A board with homes.
pub(super) struct HomeBoard<'a, 'g, 'h> {
    /// The board.
    pub inner: WormholeBoard<'a, 'g>,
    homes: Vec<Option<&'h Placed>>,
    weight: Vec<f32>,
    /// Whether messages prefer their homes.
    is_homing: bool,
    /// Where every message was when things were last found good, and which have moved since.
    saved: Vec<Placed>,
    changed: Vec<u32>,
}

impl<'a, 'g, 'h> HomeBoard<'a, 'g, 'h> {
    /// For messages that were at these places.
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

    /// From now on messages prefer their homes.
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

    /// How many of those that have moved are at home, and how many of them were.
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

    /// Sends messages home, again and again, as long as there is room.
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

    /// The homes of those that are not there, those first where the fewest would be driven from
    /// their own homes.
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
        // Where several would lose their homes, little is gained.
        away.truncate(away.len().div_ceil(2));
        away
    }

    /// Finds good how things are.
    fn save(&mut self) {
        for message in self.changed.drain(..) {
            let saved = &mut self.saved[message as usize];
            let (step, path) = self.inner.place(message);
            saved.step = step;
            saved.path.clear();
            saved.path.extend_from_slice(path);
        }
    }

    /// Back to how things were when they were good.
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

/// Sends one message after the other home, if those who must make room for it find other places and
/// no fewer are at home then; until so much work is done.
pub(super) fn polish(
    search: &mut Ejection<HomeBoard<'_, '_, '_>>,
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
        match is_complete && is >= was {
            true => search.board.save(),
            false => {
                search.pool.clear();
                search.board.restore();
            }
        }
    }
    search.board.go_home();
}

impl Ejection<HomeBoard<'_, '_, '_>> {
    /// Sends a message home, whoever is there.
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
