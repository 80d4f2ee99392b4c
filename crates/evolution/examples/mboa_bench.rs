//! How many decision trees MBOA learns in a second, on one thread and on all:
//! `mboa_bench [SAMPLES [CANDIDATES [VALUES [VARIABLES]]]]`, by default 500, 30, 8 and 400.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_evolution::decision_trees::{DecisionTrees, Growth};
use pavane_search::Rng;
use pavane_search::budget::Clock;

fn main() {
    let arguments: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    let argument = |at: usize, otherwise: usize| arguments.get(at).copied().unwrap_or(otherwise);
    let (samples, candidates) = (argument(0, 500), argument(1, 30));
    let (values, variables) = (argument(2, 8), argument(3, 400));
    let rng = &mut Rng::seeded(1);
    // Every variable follows its left neighbour half of the time, so that trees have much to ask.
    let sample = |rng: &mut Rng| {
        let mut sample: Vec<u32> = Vec::new();
        for _ in 0..variables {
            let last = sample.last().copied();
            sample.push(match last {
                Some(last) if rng.chance(0.5) => last,
                _ => rng.below(values) as u32,
            });
        }
        sample
    };
    let data: Vec<Vec<u32>> = (0..samples).map(|_| sample(rng)).collect();
    let growth = Growth { leaves: 8, penalty: 1.0, candidates };
    for threads in [1, 0] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let clock = Clock::start();
        let mut trees = 0;
        let mut questions = 0;
        while clock.elapsed().as_secs_f64() < 2.0 {
            let model = pool.install(|| DecisionTrees::learn(&data, &growth, rng));
            trees += variables;
            questions += (0..variables).map(|at| model.asked_by(at).len()).sum::<usize>();
        }
        println!(
            "{} threads: {:.0} trees/s of {:.1} questions each ({samples} samples, {candidates} candidates, {values} values)",
            pool.current_num_threads(),
            trees as f64 / clock.elapsed().as_secs_f64(),
            questions as f64 / trees as f64,
        );
    }
}
