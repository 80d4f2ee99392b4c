//! Chooses the subgroups that fix steps. Small subgroups restrict paths least, but their coset
//! spaces are large, and the sizes of all coset spaces must add up to the number of steps.

use super::super::super::action::Action;
use super::super::super::row_orbits::row_orbits;
use super::super::graph::{Graph, GraphBuilder};
use crate::rng::Rng;
use crate::symmetry::{Subgroup, subgroup_chain};
use pavane_model::MessageId;

/// Number of subgroup chains to examine, and number of draws of subgroups with one and with two
/// random generators.
const CHAINS: usize = 4;
const DRAWN: usize = 24;

/// Probability of stopping at a subgroup order although more steps of that kind would fit.
const SKIPPED: f64 = 0.05;

/// Number of messages whose paths are sampled, and paths per message.
const SAMPLED: usize = 128;
const PATHS: usize = 4;

/// Tournament size when a subgroup is drawn.
const TOURNAMENT: usize = 3;

/// Share of collision-free paths from which a subgroup counts as roomy, and the number of orders of
/// roomy subgroups to consider besides the smallest order.
const ROOMY: f64 = 0.95;
const SPARE: usize = 3;

/// Subgroups, each with the share of sampled paths that do not collide with their own images.
pub(super) struct Palette {
    entries: Vec<(Subgroup, f64)>,
    order: usize,
}

impl Palette {
    /// Subgroups of the acting group, smallest first.
    pub fn new(action: &Action<'_>, rng: &mut Rng) -> Self {
        let group = &action.group;
        let mut subgroups = Vec::new();
        for _ in 0..CHAINS {
            subgroups.extend(subgroup_chain(group, rng));
        }
        for _ in 0..DRAWN {
            let member = rng.below(group.order()) as u32;
            let drawn = Subgroup::trivial().with(group, member);
            let other = rng.below(group.order()) as u32;
            subgroups.push(drawn.with(group, other));
            subgroups.push(drawn);
        }
        subgroups.sort_by_cached_key(|subgroup| (subgroup.order(), subgroup.clone()));
        subgroups.dedup();
        let paths = sample_paths(action, rng);
        let entry = |subgroup: Subgroup| {
            let share = clean_share(action, &subgroup, &paths);
            (subgroup, share)
        };
        Self { entries: subgroups.into_iter().map(entry).collect(), order: group.order() }
    }

    /// One subgroup for all steps: of the smallest order whose coset space divides the steps, or of
    /// one of the next orders that are roomy. A larger subgroup folds the network and makes the
    /// search smaller.
    pub fn uniform(&self, steps: u32, rng: &mut Rng) -> Option<Vec<Subgroup>> {
        let is_roomy = |order: usize| {
            self.entries.iter().any(|entry| entry.0.order() == order && entry.1 >= ROOMY)
        };
        let mut fitting =
            self.orders().filter(|&order| (steps as usize).is_multiple_of(self.order / order));
        let smallest = fitting.next()?;
        let roomy: Vec<usize> = fitting.filter(|&order| is_roomy(order)).take(SPARE).collect();
        let order = if roomy.is_empty() || rng.chance(0.4) {
            smallest
        } else {
            roomy[rng.below(roomy.len())]
        };
        let chosen = self.pick(order, rng)?;
        Some(vec![chosen; steps as usize / (self.order / order)])
    }

    /// Several subgroups, small ones first, until the steps are used up.
    pub fn mixed(&self, steps: u32, rng: &mut Rng) -> Vec<Subgroup> {
        let mut copies = Vec::new();
        let mut rest = steps as usize;
        for order in self.orders().collect::<Vec<_>>() {
            let size = self.order / order;
            while size <= rest {
                let is_skipped = size > 1 && rng.chance(SKIPPED);
                let Some(chosen) = self.pick(order, rng).filter(|_| !is_skipped) else { break };
                copies.push(chosen);
                rest -= size;
            }
        }
        copies
    }

    /// A proper subgroup to act in place of the whole group; its order divides the number of steps.
    pub fn smaller(&self, steps: u32, rng: &mut Rng) -> Option<Subgroup> {
        let fits: Vec<usize> = self
            .orders()
            .filter(|&order| order > 1 && order < self.order)
            .filter(|&order| (steps as usize).is_multiple_of(order))
            .collect();
        let order = match fits.last() {
            Some(&largest) if rng.chance(0.7) => largest,
            Some(_) => fits[rng.below(fits.len())],
            None => return None,
        };
        self.pick(order, rng)
    }

    fn orders(&self) -> impl Iterator<Item = usize> {
        let mut last = 0;
        let orders = self.entries.iter().map(|(subgroup, _)| subgroup.order());
        orders.filter(move |&order| std::mem::replace(&mut last, order) != order)
    }

    /// The best of a few random subgroups of an order; `None` if no sampled path is collision-free
    /// under any of them.
    fn pick(&self, order: usize, rng: &mut Rng) -> Option<Subgroup> {
        let alike: Vec<&(Subgroup, f64)> =
            self.entries.iter().filter(|entry| entry.0.order() == order && entry.1 > 0.0).collect();
        if alike.is_empty() {
            return None;
        }
        let drawn = (0..TOURNAMENT).map(|_| alike[rng.below(alike.len())]);
        drawn.max_by(|a, b| a.1.total_cmp(&b.1)).map(|entry| entry.0.clone())
    }
}

/// Random shortest paths of some base messages.
fn sample_paths(action: &Action<'_>, rng: &mut Rng) -> Vec<Vec<u32>> {
    let mut builder = GraphBuilder::default();
    let mut paths = Vec::new();
    for _ in 0..SAMPLED {
        let message = action.bases[rng.below(action.bases.len())];
        let graph = builder.build(action.layout, MessageId(message), 0);
        paths.extend((0..PATHS).map(|_| random_path(graph, rng)));
    }
    paths
}

fn random_path(graph: Graph<'_>, rng: &mut Rng) -> Vec<u32> {
    let mut path = Vec::new();
    let mut next = graph.last..graph.edges.len();
    while !next.is_empty() {
        let edge = graph.edges[next.start + rng.below(next.len())];
        path.push(edge.row);
        next = edge.before();
    }
    path
}

/// Share of the paths that do not collide with their own images under a subgroup.
fn clean_share(action: &Action<'_>, subgroup: &Subgroup, paths: &[Vec<u32>]) -> f64 {
    if subgroup.order() == 1 {
        return 1.0;
    }
    let generators = subgroup.generators(&action.group);
    let orbits =
        row_orbits(action.layout.rows, subgroup.order(), generators.len(), |generator, row| {
            action.layout.row(action.image(generators[generator], row))
        });
    let mut met = Vec::new();
    let clean = paths.iter().filter(|path| {
        met.clear();
        met.extend(path.iter().map(|&row| orbits.of_row[row as usize]));
        met.sort_unstable();
        met.windows(2).all(|pair| pair[0] != pair[1])
            && met.iter().all(|&orbit| !orbits.is_blocked(orbit as usize))
    });
    clean.count() as f64 / paths.len() as f64
}
