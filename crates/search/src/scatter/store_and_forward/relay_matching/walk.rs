//! Removes the last excess uses of ports and channels. Each move takes the message through an
//! overloaded entry whose best other path fills the fewest full entries; this shifts the excess until
//! it meets an entry with room.

use super::super::super::layout::Layout;
use super::costs::Costs;
use super::loads::Loads;
use super::paths::Paths;
use super::tolls::Tolls;
use crate::budget::Budget;
use crate::rng::Rng;

/// Messages that are compared in a move.
const SAMPLE: usize = 60;

/// A message that was moved stays for at least this many moves, and at most twice as many.
const TENURE: usize = 20;

/// Moves without fewer excess uses than ever, per excess use, after which the walk ends.
const PATIENCE: usize = 150;

/// Moves of every walk without progress.
const LEAST_PATIENCE: usize = 1000;

/// The messages of every hop.
struct Users(Vec<Vec<u32>>);

impl Users {
    fn of(paths: &Paths) -> Self {
        let mut users = Self(vec![Vec::new(); paths.edges().len()]);
        (0..paths.count() as u32).for_each(|message| users.add(paths.of(message), message));
        users
    }

    fn add(&mut self, path: &[u32], message: u32) {
        for &edge in path {
            if self.0.len() <= edge as usize {
                self.0.resize(edge as usize + 1, Vec::new());
            }
            self.0[edge as usize].push(message);
        }
    }

    fn remove(&mut self, path: &[u32], message: u32) {
        for &edge in path {
            let users = &mut self.0[edge as usize];
            if let Some(at) = users.iter().position(|&user| user == message) {
                users.swap_remove(at);
            }
        }
    }
}

impl Paths {
    /// Moves messages until all loads fit into `steps`, or until that stops making progress.
    pub fn walk(&mut self, layout: &Layout<'_>, steps: u32, budget: &mut Budget, rng: &mut Rng) {
        self.set_costs(Costs::Tolls(Tolls::of_full_entries(&self.loads, steps)));
        let mut users = Users::of(self);
        let mut free_from = vec![0; self.count()];
        let mut excess = self.loads.excess(steps);
        let (mut least, mut last) = (excess.total, 0);
        let mut step = 0;
        while let Some(at) = excess.any(rng) {
            let patience = LEAST_PATIENCE.max(PATIENCE * excess.total as usize);
            if step > last + patience || !budget.spend(SAMPLE as u64) {
                return;
            }
            step += 1;
            let Some((message, path)) = self.best_move(layout, &users, &free_from, at, step, rng)
            else {
                continue;
            };
            free_from[message as usize] = step + TENURE + rng.below(TENURE);
            let before = self.take_off(message);
            users.remove(&before, message);
            users.add(&path, message);
            self.put_on(message, path);
            excess = self.loads.excess(steps);
            if let Costs::Tolls(tolls) = &mut self.costs
                && self.loads.is_too_much(at, steps)
            {
                tolls.raise(at);
                self.price_entry(at);
            }
            if excess.total < least {
                (least, last) = (excess.total, step);
            }
        }
    }

    /// The best of a sample of the messages that use an entry, with another path.
    fn best_move(
        &mut self,
        layout: &Layout<'_>,
        users: &Users,
        free_from: &[usize],
        at: usize,
        step: usize,
        rng: &mut Rng,
    ) -> Option<(u32, Vec<u32>)> {
        let uses_it = |edge: &u32| self.entries[*edge as usize].contains(&at);
        let through: Vec<u32> = (0..users.0.len() as u32).filter(uses_it).collect();
        let messages: Vec<u32> =
            through.iter().flat_map(|&edge| users.0[edge as usize].iter().copied()).collect();
        let mut best: Option<(f32, u32, Vec<u32>)> = None;
        for _ in 0..SAMPLE.min(messages.len()) {
            let message = messages[rng.below(messages.len())];
            if free_from[message as usize] > step {
                continue;
            }
            let before = self.take_off(message);
            let old = self.price(&before);
            self.route(layout, message, rng)?;
            let path = self.take_off(message);
            let gain = self.price(&path) - old;
            let is_best = best.as_ref().is_none_or(|(least, ..)| gain < *least);
            if path != before && is_best {
                best = Some((gain, message, path));
            }
            self.put_on(message, before);
        }
        best.map(|(_, message, path)| (message, path))
    }
}

/// The entries with too many uses.
pub(super) struct Excess {
    entries: Vec<usize>,
    /// Uses beyond the limits.
    pub total: u64,
}

impl Excess {
    fn any(&self, rng: &mut Rng) -> Option<usize> {
        (!self.entries.is_empty()).then(|| self.entries[rng.below(self.entries.len())])
    }
}

impl Loads {
    /// The entries with more uses than fit into `steps`.
    pub fn excess(&self, steps: u32) -> Excess {
        let beyond = |at: &usize| {
            u64::from(self.most(*at, steps).map_or(0, |most| self.uses(*at).saturating_sub(most)))
        };
        let entries: Vec<usize> = (0..self.len()).filter(|at| beyond(at) > 0).collect();
        let total = entries.iter().map(beyond).sum();
        Excess { entries, total }
    }
}
