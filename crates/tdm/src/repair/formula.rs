//! A formula about words that are placed anew between words that stay: each of them has a place, no slot is
//! used twice, and at least a given number of them is where it was.

use crate::instance::Instance;
use pavane_search::exact::find_model;
use pavane_search::{Budget, Rng};
use rustc_hash::FxHashMap;

/// Up to this many literals, at-most-one is encoded pairwise.
const PAIRWISE: usize = 5;

/// The start of a word and the edges of its route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub start: u32,
    pub edges: Vec<u32>,
}

/// The slots that an edge uses, as indices of row × period + slot.
pub(super) fn uses(
    instance: &Instance,
    item: u32,
    edge: u32,
    start: u32,
) -> impl Iterator<Item = usize> + use<> {
    let routes = &instance.routes[instance.items[item as usize].routes as usize];
    let (block, stride) = (routes.edges[edge as usize].block as usize, instance.stride);
    let offset = 64 * (block % stride) + routes.edges[edge as usize].bit() as usize;
    let (row, period) = (block / stride, instance.period as usize);
    let first = start as usize + offset;
    (0..instance.phits as usize).map(move |phit| row * period + (first + phit) % period)
}

/// A word to place: its item, and where it was if it may return there.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreedWord<'a> {
    pub item: u32,
    pub old: Option<&'a Spot>,
}

/// The formula and the meaning of its variables.
pub(super) struct KeepFormula<'a> {
    instance: &'a Instance,
    words: &'a [FreedWord<'a>],
    clauses: Vec<Vec<i32>>,
    variables: i32,
    /// Per word: the literals of its edges by start, and the literal that it is where it was.
    edges: Vec<FxHashMap<(u32, u32), i32>>,
    kept: Vec<Option<i32>>,
}

impl<'a> KeepFormula<'a> {
    /// At least `least` of the words are where they were, and all keep off slots that are not free.
    pub fn new(
        instance: &'a Instance,
        words: &'a [FreedWord<'a>],
        is_free: impl Fn(usize) -> bool,
        least: usize,
    ) -> Self {
        let (clauses, edges, kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut formula = Self { instance, words, clauses, variables: 0, edges, kept };
        let mut users: FxHashMap<usize, Vec<i32>> = FxHashMap::default();
        for word in words {
            formula.add_word(*word, &is_free, &mut users);
        }
        // The order of a hash map must not matter.
        let mut slots: Vec<(usize, Vec<i32>)> = users.into_iter().collect();
        slots.sort_unstable();
        for (_, literals) in slots {
            formula.at_most_one(&literals);
        }
        let kept: Vec<i32> = formula.kept.iter().flatten().copied().collect();
        formula.at_least(least, &kept);
        formula
    }

    /// A place for every word, or `None` if there is none or the budget is spent.
    pub fn solve(&self, rng: &mut Rng, budget: &mut Budget) -> Option<Vec<Spot>> {
        let clauses = self.clauses.iter().map(Vec::as_slice);
        let model = find_model(clauses, self.variables, rng.below(1 << 20) as u32, budget)?;
        let holds = |literal: i32| model[literal as usize];
        (0..self.words.len()).map(|word| self.spot(word, &holds)).collect()
    }

    fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// Edges of a word are literals; each one needs one before it, and one of the last ones is true.
    fn add_word(
        &mut self,
        word: FreedWord<'_>,
        is_free: &impl Fn(usize) -> bool,
        users: &mut FxHashMap<usize, Vec<i32>>,
    ) {
        let instance = self.instance;
        let item = instance.items[word.item as usize];
        let routes = &instance.routes[item.routes as usize];
        let mut literals: FxHashMap<(u32, u32), i32> = FxHashMap::default();
        let mut last = Vec::new();
        for at in 0..item.count.min(instance.period) {
            let start = (item.first + at) % instance.period;
            for edge in 0..routes.edges.len() as u32 {
                if !uses(instance, word.item, edge, start).all(is_free) {
                    continue;
                }
                let node = routes.edges[edge as usize].from();
                if node > 0 {
                    let before = routes.ends[node - 1]..routes.ends[node];
                    let mut clause: Vec<i32> =
                        before.filter_map(|edge| literals.get(&(edge, start)).copied()).collect();
                    if clause.is_empty() {
                        continue;
                    }
                    clause.push(-(self.variables + 1));
                    self.clauses.push(clause);
                }
                let literal = self.variable();
                literals.insert((edge, start), literal);
                for slot in uses(instance, word.item, edge, start) {
                    users.entry(slot).or_default().push(literal);
                }
                if edge >= routes.ends[routes.ends.len() - 2] {
                    last.push(literal);
                }
            }
        }
        self.clauses.push(last);
        let kept = word.old.and_then(|old| {
            let of_edge = |edge: &u32| literals.get(&(*edge, old.start)).copied();
            let edges: Vec<i32> = old.edges.iter().map(of_edge).collect::<Option<_>>()?;
            let kept = self.variable();
            self.clauses.extend(edges.iter().map(|&edge| vec![-kept, edge]));
            Some(kept)
        });
        self.kept.push(kept);
        self.edges.push(literals);
    }

    fn at_most_one(&mut self, literals: &[i32]) {
        if literals.len() <= PAIRWISE {
            for (at, &one) in literals.iter().enumerate() {
                self.clauses.extend(literals[at + 1..].iter().map(|&other| vec![-one, -other]));
            }
            return;
        }
        // A sequential counter: `before` says that one of the literals so far is true.
        let mut before = literals[0];
        for &literal in &literals[1..] {
            self.clauses.push(vec![-before, -literal]);
            let now = self.variable();
            self.clauses.push(vec![-before, now]);
            self.clauses.push(vec![-literal, now]);
            before = now;
        }
    }

    /// A sequential counter: index i of `so_far` needs at least i true literals.
    fn at_least(&mut self, least: usize, literals: &[i32]) {
        if least > literals.len() {
            self.clauses.push(Vec::new());
            return;
        }
        let mut so_far: Vec<i32> = Vec::new();
        for &literal in literals {
            let mut next = Vec::new();
            for count in 0..least.min(so_far.len() + 1) {
                let reached = self.variable();
                let more = so_far.get(count).copied();
                self.clauses.push([-reached, literal].into_iter().chain(more).collect());
                if count > 0 {
                    let fewer = so_far[count - 1];
                    self.clauses.push([-reached, fewer].into_iter().chain(more).collect());
                }
                next.push(reached);
            }
            so_far = next;
        }
        if let Some(&reached) = least.checked_sub(1).and_then(|at| so_far.get(at)) {
            self.clauses.push(vec![reached]);
        }
    }

    /// Where a word is in a model: where it was, if the model says so.
    fn spot(&self, word: usize, holds: &impl Fn(i32) -> bool) -> Option<Spot> {
        if let (Some(old), Some(kept)) = (self.words[word].old, self.kept[word])
            && holds(kept)
        {
            return Some(old.clone());
        }
        let item = self.instance.items[self.words[word].item as usize];
        let routes = &self.instance.routes[item.routes as usize];
        let is_taken = |edge: u32, start: u32| {
            self.edges[word].get(&(edge, start)).is_some_and(|&literal| holds(literal))
        };
        let into = |node: usize| routes.ends[node - 1]..routes.ends[node];
        let end = routes.ends.len() - 1;
        let (start, last) = (0..self.instance.period).find_map(|start| {
            into(end).find(|&edge| is_taken(edge, start)).map(|edge| (start, edge))
        })?;
        let mut edges = vec![last];
        let mut node = routes.edges[last as usize].from();
        while node > 0 {
            let edge = into(node).find(|&edge| is_taken(edge, start))?;
            edges.push(edge);
            node = routes.edges[edge as usize].from();
        }
        edges.reverse();
        Some(Spot { start, edges })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]
mod tests {
    use super::*;
    use crate::instance::edges_of;
    use crate::symmetry::Symmetry;
    use pavane_model::TdmProblem;
    use pavane_model::tdm::{TdmDemand, TdmRules};
    use pavane_search::Interrupt;

    #[test]
    fn the_demanded_number_of_words_is_kept_exactly_if_that_is_possible() {
        let network = pavane_networks::topology::build("ring:4").unwrap();
        let problem =
            TdmProblem::new(network, TdmDemand::AllToAll, TdmRules::default(), 100).unwrap();
        let options = crate::TdmOptions { slots: Some(5), ..crate::TdmOptions::default() };
        let found = crate::solve(&problem, &options).unwrap().schedule.unwrap();
        let symmetry = Symmetry::trivial(&problem);
        let instance = Instance::in_slots(&problem, &symmetry, 5, &Interrupt::never()).unwrap();
        let spots: Vec<Spot> = (0..)
            .zip(&found.schedule().words)
            .map(|(item, word)| {
                let routes = &instance.routes[instance.items[item].routes as usize];
                Spot { start: word.start, edges: edges_of(routes, &word.path).unwrap() }
            })
            .collect();
        let words: Vec<FreedWord<'_>> =
            (0..).zip(&spots).map(|(item, spot)| FreedWord { item, old: Some(spot) }).collect();
        let solve = |least: usize, is_free: &dyn Fn(usize) -> bool| {
            let formula = KeepFormula::new(&instance, &words, is_free, least);
            formula.solve(&mut Rng::stream(1, 1), &mut Budget::evaluations(10_000_000))
        };
        let all = words.len();
        assert_eq!(solve(all, &|_| true).as_ref(), Some(&spots));
        assert_eq!(solve(all + 1, &|_| true), None);
        // The slot of the first injection is taken, so that one word at least must move.
        let taken = uses(&instance, 0, spots[0].edges[0], spots[0].start).next().unwrap();
        assert_eq!(solve(all, &|slot| slot != taken), None);
        let moved = solve(0, &|slot| slot != taken).unwrap();
        for (item, spot) in (0..).zip(&moved) {
            for &edge in &spot.edges {
                assert!(uses(&instance, item, edge, spot.start).all(|slot| slot != taken));
            }
        }
    }
}
