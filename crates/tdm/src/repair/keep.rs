//! Returns words to where they were before the faults. A SAT solver places some words anew, so that more of
//! them are where they were, and the other words stay. Few words are all placed anew at once; then as many
//! as possible return. Otherwise small sets of words take turns, as in large neighbourhood search (Shaw 1998).

use super::formula::{FreedWord, KeepFormula, Spot, uses};
use crate::instance::{Instance, Placement, edges_of};
use crate::table::NONE;
use pavane_model::ChannelId;
use pavane_model::tdm::Word;
use pavane_search::{Budget, Interrupt, Rng};

/// Uses of slots by all starts and routes of the words that are placed anew together, at most.
const MOST_USES: usize = 60_000;
/// Words of the first sets and of the largest ones. Sets grow by a half after so many failures.
const FEWEST_FREED: usize = 24;
const MOST_FREED: usize = 200;
const FAILURES: usize = 12;
/// Evaluations of the solver: all together, for all words, and for a set of words.
const ALL_EVALUATIONS: u64 = 400_000_000;
const TABLE_EVALUATIONS: u64 = 30_000_000;
const SET_EVALUATIONS: u64 = 10_000_000;

/// Evaluations that a use of a slot in a formula counts.
const EVALUATIONS_PER_USE: u64 = 20;
/// Words away from where they were above which a set of words makes no difference.
const MOST_MOVED: usize = 2000;

/// A schedule whose words return to where they were.
pub(super) struct Keeper<'a> {
    instance: &'a Instance,
    /// Per item, where it was and is.
    old: Vec<Option<Spot>>,
    now: Vec<Spot>,
    /// The item that uses each slot.
    owners: Vec<u32>,
}

impl<'a> Keeper<'a> {
    /// `old` lists items with the words that they may become again. `None` if the words may overlap
    /// themselves, or if a route is not one of the instance.
    pub fn new(instance: &'a Instance, old: &[(u32, &Word)], now: &[Placement]) -> Option<Self> {
        if instance.has_detours || instance.mirror.is_some() || instance.phits > instance.period {
            return None;
        }
        let spot = |item: u32, start: u32, path: &[ChannelId]| {
            let routes = &instance.routes[instance.items[item as usize].routes as usize];
            Some(Spot { start, edges: edges_of(routes, path)? })
        };
        let mut places = vec![None; instance.items.len()];
        for &(item, word) in old {
            places[item as usize] = spot(item, word.start, &word.path);
        }
        let now = (0..).zip(now).map(|(item, place)| spot(item, place.start, &place.path));
        let now: Vec<Spot> = now.collect::<Option<_>>()?;
        let owners = vec![NONE; instance.moduli.len() * instance.period as usize];
        let mut keeper = Self { instance, old: places, now, owners };
        (0..keeper.now.len() as u32).for_each(|item| keeper.own(item, item));
        Some(keeper)
    }

    /// Words that are where they were.
    fn kept(&self) -> usize {
        self.old.iter().zip(&self.now).filter(|(old, now)| old.as_ref() == Some(now)).count()
    }

    fn is_kept(&self, item: u32) -> bool {
        self.old[item as usize].as_ref() == Some(&self.now[item as usize])
    }

    /// Enters the uses of an item into the table, or removes them.
    fn own(&mut self, item: u32, owner: u32) {
        let spot = &self.now[item as usize];
        for &edge in &spot.edges {
            for slot in uses(self.instance, item, edge, spot.start) {
                self.owners[slot] = owner;
            }
        }
    }

    /// Uses of slots by all starts and routes of an item.
    fn size(&self, item: u32) -> usize {
        let item = self.instance.items[item as usize];
        let edges = self.instance.routes[item.routes as usize].edges.len();
        edges * item.count.min(self.instance.period) as usize * self.instance.phits as usize
    }

    /// Returns as many words as the solver can. The placements that result are at least as good.
    pub fn improve(
        &mut self,
        evaluations: u64,
        rng: &mut Rng,
        interrupt: &Interrupt,
    ) -> Vec<Placement> {
        let all: Vec<u32> = (0..self.now.len() as u32).collect();
        let mut left = evaluations.min(ALL_EVALUATIONS);
        if all.iter().map(|&item| self.size(item)).sum::<usize>() <= MOST_USES {
            let (mut low, mut high) = (self.kept(), self.old.iter().flatten().count());
            while low < high && left > 0 && !interrupt.is_raised() {
                let target = low + (high - low).div_ceil(2);
                let quota = TABLE_EVALUATIONS.min(left);
                let (spent, is_better) = self.place_anew(&all, target, quota, rng, interrupt);
                left = left.saturating_sub(spent);
                (low, high) = if is_better { (self.kept(), high) } else { (low, target - 1) };
            }
        }
        if self.old.iter().flatten().count() - self.kept() > MOST_MOVED {
            return self.placements();
        }
        let (mut failures, mut most) = (0, FEWEST_FREED);
        while left > 0 && most <= MOST_FREED && !interrupt.is_raised() {
            let Some(freed) = self.choose(most, rng) else { break };
            let target = freed.iter().filter(|&&item| self.is_kept(item)).count() + 1;
            let quota = SET_EVALUATIONS.min(left);
            let (spent, is_better) = self.place_anew(&freed, target, quota, rng, interrupt);
            left = left.saturating_sub(spent);
            failures = if is_better { 0 } else { failures + 1 };
            if failures == FAILURES {
                (failures, most) = (0, most + most / 2);
            }
        }
        self.placements()
    }

    /// A word that is not where it was, the words in its way, and words that share ports or slots with them.
    fn choose(&self, most: usize, rng: &mut Rng) -> Option<Vec<u32>> {
        let moved: Vec<u32> = (0..self.now.len() as u32)
            .filter(|&item| self.old[item as usize].is_some() && !self.is_kept(item))
            .collect();
        if rng.below(3) == 0 {
            let mut moved = moved;
            if moved.is_empty() {
                return None;
            }
            rng.shuffle(&mut moved);
            moved.truncate(most);
            return Some(moved);
        }
        let first = *moved.get(rng.below(moved.len().max(1)))?;
        let mut freed = vec![first];
        let mut size = self.size(first);
        let mut at = 0;
        while let (Some(&item), true) = (freed.get(at), freed.len() < most) {
            at += 1;
            let mut near: Vec<u32> = Vec::new();
            // Words in the way of its old place, then moved words that meet its ports.
            if let Some(old) = self.old[item as usize].as_ref().filter(|_| !self.is_kept(item)) {
                let slots = old.edges.iter();
                let slots = slots.flat_map(|&edge| uses(self.instance, item, edge, old.start));
                near.extend(slots.map(|slot| self.owners[slot]).filter(|&owner| owner != NONE));
            }
            let of =
                |item: u32| self.instance.pairs[self.instance.items[item as usize].routes as usize];
            let (from, to) = of(item);
            let meets = |&&other: &&u32| of(other).0 == from || of(other).1 == to;
            let mut others: Vec<u32> = moved.iter().filter(meets).copied().collect();
            rng.shuffle(&mut others);
            near.extend(others.into_iter().take(3));
            near.push(rng.below(self.now.len()) as u32);
            for other in near {
                let more = self.size(other);
                if size + more <= MOST_USES && freed.len() < most && !freed.contains(&other) {
                    freed.push(other);
                    size += more;
                }
            }
        }
        Some(freed)
    }

    /// Places some items anew so that at least `target` of them are where they were. Returns the evaluations
    /// and whether that succeeds.
    fn place_anew(
        &mut self,
        freed: &[u32],
        target: usize,
        quota: u64,
        rng: &mut Rng,
        interrupt: &Interrupt,
    ) -> (u64, bool) {
        freed.iter().for_each(|&item| self.own(item, NONE));
        let word = |&item: &u32| FreedWord { item, old: self.old[item as usize].as_ref() };
        let words: Vec<FreedWord<'_>> = freed.iter().map(word).collect();
        let is_free = |slot: usize| self.owners[slot] == NONE;
        let mut budget = Budget::evaluations(quota).interrupted_by(interrupt.clone());
        // Writing the formula takes time too.
        budget.spend(
            EVALUATIONS_PER_USE * freed.iter().map(|&item| self.size(item) as u64).sum::<u64>(),
        );
        let formula = KeepFormula::new(self.instance, &words, is_free, target);
        let found = formula.solve(rng, &mut budget);
        let is_better = found.is_some();
        for (&item, spot) in freed.iter().zip(found.into_iter().flatten()) {
            self.now[item as usize] = spot;
        }
        freed.iter().for_each(|&item| self.own(item, item));
        (budget.spent().max(1), is_better)
    }

    fn placements(&self) -> Vec<Placement> {
        let placement = |(item, spot): (usize, &Spot)| {
            let routes = &self.instance.routes[self.instance.items[item].routes as usize];
            let path = spot.edges.iter().filter_map(|&edge| routes.channels[edge as usize]);
            Placement { start: spot.start, path: path.collect() }
        };
        self.now.iter().enumerate().map(placement).collect()
    }
}
