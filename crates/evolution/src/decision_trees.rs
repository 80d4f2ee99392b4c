//! Binary decision trees as a probabilistic model. Each variable has a tree that tests whether
//! other variables have certain values; each leaf holds the samples with the same test results. The
//! value of a split is its Bayesian–Dirichlet gain minus a penalty for the larger model. After
//! Očenášek, PhD thesis, 2002. The variables have a random ancestral order, and a tree tests only
//! earlier variables.

use pavane_search::Rng;
use rayon::prelude::*;

/// Values of a variable that are distinguished; all rarer ones share a code.
const CODES: usize = 16;

/// The code of the rarer values.
const RARE: u8 = CODES as u8 - 1;

/// Parameters for growing trees.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// Maximum number of leaves of a tree.
    pub leaves: usize,
    /// Cost of a split, in halves of the logarithm of the number of samples.
    pub penalty: f64,
    /// How many randomly chosen variables a tree may test; 0: all earlier ones.
    pub candidates: usize,
}

/// A tree for every variable, and the order in which to draw their values.
#[derive(Debug, Clone)]
pub struct DecisionTrees {
    order: Vec<u32>,
    trees: Vec<DecisionTree>,
}

/// The tree of a variable.
#[derive(Debug, Clone)]
pub struct DecisionTree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    /// Tests whether a variable has a value; continues at the node `yes` or `no`.
    Ask { variable: u32, value: u32, yes: u32, no: u32 },
    /// The samples that reach this leaf.
    Leaf(Vec<u32>),
}

/// The samples, by variable, with a few codes instead of many values.
struct Coded {
    samples: usize,
    codes: Vec<Vec<u8>>,
    /// By variable and code: the value; the code of the rarer values has none.
    values: Vec<Vec<u32>>,
    counts: Vec<usize>,
    /// Logarithms of factorials.
    log_factorials: Vec<f64>,
}

/// The best test at a leaf.
#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    variable: u32,
    code: u8,
}

impl DecisionTrees {
    /// Learns from samples, of which there is at least one and which all have the same length. The
    /// result does not depend on the number of threads.
    pub fn learn(samples: &[Vec<u32>], growth: &Growth, rng: &mut Rng) -> Self {
        Self::learn_until(samples, growth, &|| false, rng)
    }

    /// The same, but trees that are grown after `is_over` returns true have no tests.
    pub fn learn_until(
        samples: &[Vec<u32>],
        growth: &Growth,
        is_over: &(dyn Fn() -> bool + Sync),
        rng: &mut Rng,
    ) -> Self {
        let variables = samples[0].len();
        let coded = Coded::new(samples);
        let mut order: Vec<u32> = (0..variables as u32).collect();
        rng.shuffle(&mut order);
        let seed = rng.bits();
        // Variables that never vary are not worth a test.
        let mut varying = Vec::new();
        let mut before = vec![0; variables];
        for &variable in &order {
            before[variable as usize] = varying.len();
            if coded.counts[variable as usize] > 1 {
                varying.push(variable);
            }
        }
        let grow = |variable: usize| {
            let mut rng = Rng::stream(seed, variable as u64);
            let earlier = &varying[..before[variable]];
            let candidates =
                if is_over() { Vec::new() } else { choose(earlier, growth.candidates, &mut rng) };
            DecisionTree::grow(&coded, variable, &candidates, growth)
        };
        let trees = (0..variables).into_par_iter().map(grow).collect();
        Self { order, trees }
    }

    /// Draws values for all variables; `samples` are those that were learned from.
    pub fn draw(&self, samples: &[Vec<u32>], rng: &mut Rng, values: &mut [u32]) {
        for &variable in &self.order {
            let leaf = self.trees[variable as usize].leaf(values);
            let sample = leaf[rng.below(leaf.len())];
            values[variable as usize] = samples[sample as usize][variable as usize];
        }
    }

    /// The variables that the tree of a variable tests, possibly with repetitions.
    pub fn asked_by(&self, variable: usize) -> Vec<u32> {
        let asked = |node: &Node| match node {
            Node::Ask { variable, .. } => Some(*variable),
            Node::Leaf(_) => None,
        };
        self.trees[variable].nodes.iter().filter_map(asked).collect()
    }
}

/// All of them, or `most` random ones.
fn choose(earlier: &[u32], most: usize, rng: &mut Rng) -> Vec<u32> {
    let mut chosen = earlier.to_vec();
    if most == 0 || chosen.len() <= most {
        return chosen;
    }
    for at in 0..most {
        let other = at + rng.below(chosen.len() - at);
        chosen.swap(at, other);
    }
    chosen.truncate(most);
    chosen
}

impl Coded {
    fn new(samples: &[Vec<u32>]) -> Self {
        pavane_search::start_threads();
        let encode = |variable: usize| encode(samples.iter().map(|sample| sample[variable]));
        let coded: Vec<(Vec<u8>, Vec<u32>)> =
            (0..samples[0].len()).into_par_iter().map(encode).collect();
        let mut log_factorials = vec![0.0];
        for number in 1..=samples.len() + CODES {
            log_factorials.push(log_factorials[number - 1] + (number as f64).ln());
        }
        let count = |codes: &Vec<u8>| codes.iter().max().map_or(0, |&most| usize::from(most) + 1);
        let counts = coded.iter().map(|(codes, _)| count(codes)).collect();
        let (codes, values) = coded.into_iter().unzip();
        Self { samples: samples.len(), codes, values, counts, log_factorials }
    }

    /// The log-likelihood of these counts, integrated over all frequencies: the Bayesian–Dirichlet
    /// score with one pseudo-count per kind.
    fn score(&self, counts: impl Iterator<Item = usize>, kinds: usize, total: usize) -> f64 {
        let each: f64 = counts.map(|count| self.log_factorials[count]).sum();
        each + self.log_factorials[kinds - 1] - self.log_factorials[total + kinds - 1]
    }
}

/// The codes, by decreasing frequency, and the value of each code.
fn encode(column: impl Iterator<Item = u32> + Clone) -> (Vec<u8>, Vec<u32>) {
    let mut sorted: Vec<u32> = column.clone().collect();
    sorted.sort_unstable();
    let mut counts: Vec<(usize, u32)> =
        sorted.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
    counts.sort_unstable_by_key(|&(count, value)| (std::cmp::Reverse(count), value));
    if counts.len() > CODES {
        counts.truncate(CODES - 1);
    }
    let values: Vec<u32> = counts.into_iter().map(|(_, value)| value).collect();
    let code = |value| values.iter().position(|&v| v == value).map_or(RARE, |at| at as u8);
    (column.map(code).collect(), values)
}

impl DecisionTree {
    /// Grows the tree of a variable from a single leaf, best split first.
    fn grow(coded: &Coded, variable: usize, candidates: &[u32], growth: &Growth) -> Self {
        let all: Vec<u32> = (0..coded.samples as u32).collect();
        let penalty = growth.penalty * 0.5 * (coded.samples as f64).ln();
        let best = |samples: &[u32]| best_split(coded, variable, candidates, samples, penalty);
        let mut tree = Self { nodes: vec![Node::Leaf(all)] };
        if coded.counts[variable] < 2 {
            return tree;
        }
        let mut open: Vec<(usize, Option<Split>)> = vec![(0, best(tree.samples(0)))];
        while open.len() < growth.leaves {
            let gain = |split: &Option<Split>| split.map_or(0.0, |split| split.gain);
            let Some(place) =
                (0..open.len()).max_by(|&a, &b| gain(&open[a].1).total_cmp(&gain(&open[b].1)))
            else {
                break;
            };
            let (node, Some(split)) = open[place] else { break };
            let first = tree.nodes.len();
            tree.split(coded, node, split);
            open[place] = (first, best(tree.samples(first)));
            open.push((first + 1, best(tree.samples(first + 1))));
        }
        tree
    }

    fn samples(&self, node: usize) -> &[u32] {
        match &self.nodes[node] {
            Node::Leaf(samples) => samples,
            Node::Ask { .. } => &[],
        }
    }

    /// Turns a leaf into a test with two new leaves, appended at the end.
    fn split(&mut self, coded: &Coded, node: usize, split: Split) {
        let codes = &coded.codes[split.variable as usize];
        let has_it = |&sample: &u32| codes[sample as usize] == split.code;
        let (with, without): (Vec<u32>, Vec<u32>) =
            self.samples(node).iter().partition(|s| has_it(s));
        let yes = self.nodes.len() as u32;
        let value = coded.values[split.variable as usize][usize::from(split.code)];
        self.nodes[node] = Node::Ask { variable: split.variable, value, yes, no: yes + 1 };
        self.nodes.extend([Node::Leaf(with), Node::Leaf(without)]);
    }

    /// The samples that pass all tests in the same way as these values.
    fn leaf(&self, values: &[u32]) -> &[u32] {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                Node::Leaf(samples) => return samples,
                Node::Ask { variable, value, yes, no } => {
                    let is_so = values[*variable as usize] == *value;
                    at = if is_so { *yes } else { *no } as usize;
                }
            }
        }
    }
}

/// The test of any of the candidates with the largest gain, if any has a positive gain.
fn best_split(
    coded: &Coded,
    variable: usize,
    candidates: &[u32],
    samples: &[u32],
    penalty: f64,
) -> Option<Split> {
    let kinds = coded.counts[variable];
    let own: Vec<u8> = samples.iter().map(|&s| coded.codes[variable][s as usize]).collect();
    let mut totals = [0u16; CODES];
    own.iter().for_each(|&code| totals[usize::from(code)] += 1);
    // If all have the same value, a split cannot gain anything.
    if totals.iter().filter(|&&total| total > 0).count() < 2 {
        return None;
    }
    let all = totals[..kinds].iter().map(|&total| usize::from(total));
    let before = coded.score(all, kinds, samples.len()) + penalty;
    let mut best: Option<Split> = None;
    for &candidate in candidates {
        let codes = &coded.codes[candidate as usize];
        // Counts by the candidate's code and the variable's.
        let mut table = [[0u16; CODES]; CODES];
        for (&sample, &own) in samples.iter().zip(&own) {
            table[usize::from(codes[sample as usize])][usize::from(own)] += 1;
        }
        // There is no test for the rarer values: they are many values, not one.
        for (code, row) in table.iter().enumerate().take(coded.values[candidate as usize].len()) {
            let with: usize = row[..kinds].iter().map(|&count| usize::from(count)).sum();
            if with == 0 || with == samples.len() {
                continue;
            }
            let inside = row[..kinds].iter().map(|&count| usize::from(count));
            let pairs = totals[..kinds].iter().zip(row);
            let outside = pairs.map(|(&total, &count)| usize::from(total - count));
            let gain = coded.score(inside, kinds, with)
                + coded.score(outside, kinds, samples.len() - with)
                - before;
            if gain > best.map_or(0.0, |best| best.gain) {
                best = Some(Split { gain, variable: candidate, code: code as u8 });
            }
        }
    }
    best
}
