//! Compares the judge with a second implementation on valid schedules that are damaged at random:
//! both must agree on which are valid.

use crate::common::plain::Facts;
use crate::common::{PlainTransfer, Rng, Steps, generate, to_schedule};
use pavane_model::{Problem, ProcessorId};
use pavane_verify::verify;

const BASES: usize = 1_000;
const MUTANTS_OF_EACH: usize = 100;

#[test]
fn judge_and_second_opinion_agree_on_every_mutant() {
    let mut rng = Rng(1);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..BASES {
        let (problem, steps) = generate::problem_with_schedule(&mut rng);
        let facts = Facts::new(&problem);
        let verdict = verify(problem.clone(), to_schedule(&steps));
        assert!(verdict.is_ok(), "{problem:?}\n{steps:?}\n{verdict:?}");
        assert!(facts.is_valid(&steps), "{problem:?}\n{steps:?}");
        for _ in 0..MUTANTS_OF_EACH {
            let mut mutant = steps.clone();
            for _ in 0..1 + rng.below(2) {
                mutate(&mut rng, &problem, &mut mutant);
            }
            let verdict = verify(problem.clone(), to_schedule(&mutant));
            assert_eq!(
                verdict.is_ok(),
                facts.is_valid(&mutant),
                "{problem:?}\n{mutant:?}\n{verdict:?}"
            );
            if verdict.is_ok() { valid += 1 } else { invalid += 1 }
        }
    }
    // Both verdicts must occur often enough.
    assert!(valid > 5_000 && invalid > 50_000, "{valid} valid, {invalid} not");
}

fn mutate(rng: &mut Rng, problem: &Problem, steps: &mut Steps) {
    if rng.one_in(20) {
        steps.insert(rng.below(steps.len() + 1), Vec::new());
    }
    let full: Vec<usize> = (0..steps.len()).filter(|&step| !steps[step].is_empty()).collect();
    if full.is_empty() {
        return;
    }
    let step = rng.pick(&full);
    let index = rng.below(steps[step].len());
    let target = rng.below(steps.len());
    match rng.below(11) {
        0 | 1 => {
            let transfer = steps[step].remove(index);
            steps[target].push(transfer);
        }
        2 => {
            steps[step].remove(index);
        }
        3 => {
            let transfer = steps[step][index].clone();
            steps[target].push(transfer);
        }
        4 => steps.swap(step, target),
        5 => {
            let other = rng.below(steps[target].len().max(1));
            if let Some(path) = steps[target].get(other).map(|t| t.path.clone()) {
                steps[step][index].path = path;
            }
        }
        6 => reroute(rng, problem, &mut steps[step][index]),
        7 => stop_over(rng, problem, steps, step, index),
        8 => skip_stop(steps, step, index),
        _ => mutate_transfer(rng, problem, &mut steps[step][index]),
    }
}

/// Reroutes a transfer along another path, allowed or not.
fn reroute(rng: &mut Rng, problem: &Problem, transfer: &mut PlainTransfer) {
    let network = problem.network();
    let homes = [transfer.from, transfer.to].map(|p| network.home(ProcessorId(p)));
    let [Some(start), Some(end)] = homes else { return };
    if network.distances_from(start)[end.index()] != u32::MAX {
        let extra = rng.below(4) as u32;
        let path = generate::path_with_detour(rng, network, start, end, extra);
        transfer.path = path.iter().map(|channel| channel.0).collect();
    }
}

/// Splits a transfer at a random processor and puts its second half into a new step.
fn stop_over(rng: &mut Rng, problem: &Problem, steps: &mut Steps, step: usize, index: usize) {
    let stop = rng.below(problem.network().processor_count()) as u32;
    let mut second = steps[step][index].clone();
    steps[step][index].to = stop;
    second.from = stop;
    reroute(rng, problem, &mut steps[step][index]);
    reroute(rng, problem, &mut second);
    steps.insert(step + 1, vec![second]);
}

/// Merges a transfer with a later one that forwards the message.
fn skip_stop(steps: &mut Steps, step: usize, index: usize) {
    let first = steps[step][index].clone();
    for later in &mut steps[step + 1..] {
        let follows = |t: &&mut PlainTransfer| t.message == first.message && t.from == first.to;
        if let Some(second) = later.iter_mut().find(follows) {
            second.from = first.from;
            second.path = [first.path, std::mem::take(&mut second.path)].concat();
            steps[step].remove(index);
            return;
        }
    }
}

fn mutate_transfer(rng: &mut Rng, problem: &Problem, transfer: &mut PlainTransfer) {
    // One too many, so that a name occasionally refers to nothing.
    let channels = problem.network().channel_count() + 1;
    let processors = problem.network().processor_count() + 1;
    let at = rng.below(transfer.path.len().max(1));
    let channel = rng.below(channels) as u32;
    match rng.below(8) {
        0 if !transfer.path.is_empty() => transfer.path[at] = channel,
        1 => transfer.path.insert(at, channel),
        2 => {
            transfer.path.pop();
        }
        3 if !transfer.path.is_empty() => {
            transfer.path.remove(at);
        }
        4 => transfer.message = rng.below(problem.messages().len() + 1) as u32,
        5 => transfer.from = rng.below(processors) as u32,
        6 => transfer.to = rng.below(processors) as u32,
        _ => std::mem::swap(&mut transfer.from, &mut transfer.to),
    }
}
