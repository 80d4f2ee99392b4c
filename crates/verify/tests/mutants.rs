//! Compares the judge with a second implementation on valid schedules that are damaged at random:
//! both must agree on which are valid.

mod common;

use common::plain::Facts;
use common::{Chance, PlainTransfer, Steps, generate, to_schedule};
use pavane_model::{Problem, ProcessorId};
use pavane_verify::verify;

const BASES: usize = 1_000;
const MUTANTS_OF_EACH: usize = 100;

#[test]
fn judge_and_second_opinion_agree_on_every_mutant() {
    let mut chance = Chance(1);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..BASES {
        let (problem, steps) = generate::problem_with_schedule(&mut chance);
        let facts = Facts::new(&problem);
        let verdict = verify(problem.clone(), to_schedule(&steps));
        assert!(verdict.is_ok(), "{problem:?}\n{steps:?}\n{verdict:?}");
        assert!(facts.is_valid(&steps), "{problem:?}\n{steps:?}");
        for _ in 0..MUTANTS_OF_EACH {
            let mut mutant = steps.clone();
            for _ in 0..1 + chance.below(2) {
                mutate(&mut chance, &problem, &mut mutant);
            }
            let verdict = verify(problem.clone(), to_schedule(&mutant));
            assert_eq!(
                verdict.is_ok(),
                facts.is_valid(&mutant),
                "{problem:?}\n{mutant:?}\n{verdict:?}"
            );
            match verdict.is_ok() {
                true => valid += 1,
                false => invalid += 1,
            }
        }
    }
    // Both verdicts must occur often enough.
    assert!(valid > 5_000 && invalid > 50_000, "{valid} valid, {invalid} not");
}

fn mutate(chance: &mut Chance, problem: &Problem, steps: &mut Steps) {
    if chance.one_in(20) {
        steps.insert(chance.below(steps.len() + 1), Vec::new());
    }
    let full: Vec<usize> = (0..steps.len()).filter(|&step| !steps[step].is_empty()).collect();
    if full.is_empty() {
        return;
    }
    let step = chance.pick(&full);
    let index = chance.below(steps[step].len());
    let target = chance.below(steps.len());
    match chance.below(11) {
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
            let other = chance.below(steps[target].len().max(1));
            if let Some(path) = steps[target].get(other).map(|t| t.path.clone()) {
                steps[step][index].path = path;
            }
        }
        6 => reroute(chance, problem, &mut steps[step][index]),
        7 => stop_over(chance, problem, steps, step, index),
        8 => skip_stop(steps, step, index),
        _ => mutate_transfer(chance, problem, &mut steps[step][index]),
    }
}

/// Reroutes a transfer along another path, allowed or not.
fn reroute(chance: &mut Chance, problem: &Problem, transfer: &mut PlainTransfer) {
    let network = problem.network();
    let homes = [transfer.from, transfer.to].map(|p| network.home(ProcessorId(p)));
    let [Some(start), Some(end)] = homes else { return };
    if network.distances_from(start)[end.index()] != u32::MAX {
        let extra = chance.below(4) as u32;
        let path = generate::path_with_detour(chance, network, start, end, extra);
        transfer.path = path.iter().map(|channel| channel.0).collect();
    }
}

/// Splits a transfer at a random processor and puts its second half into a new step.
fn stop_over(chance: &mut Chance, problem: &Problem, steps: &mut Steps, step: usize, index: usize) {
    let stop = chance.below(problem.network().processor_count()) as u32;
    let mut second = steps[step][index].clone();
    steps[step][index].to = stop;
    second.from = stop;
    reroute(chance, problem, &mut steps[step][index]);
    reroute(chance, problem, &mut second);
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

fn mutate_transfer(chance: &mut Chance, problem: &Problem, transfer: &mut PlainTransfer) {
    // One too many, so that a name occasionally refers to nothing.
    let channels = problem.network().channel_count() + 1;
    let processors = problem.network().processor_count() + 1;
    let at = chance.below(transfer.path.len().max(1));
    let channel = chance.below(channels) as u32;
    match chance.below(8) {
        0 if !transfer.path.is_empty() => transfer.path[at] = channel,
        1 => transfer.path.insert(at, channel),
        2 => {
            transfer.path.pop();
        }
        3 if !transfer.path.is_empty() => {
            transfer.path.remove(at);
        }
        4 => transfer.message = chance.below(problem.messages().len() + 1) as u32,
        5 => transfer.from = chance.below(processors) as u32,
        6 => transfer.to = chance.below(processors) as u32,
        _ => std::mem::swap(&mut transfer.from, &mut transfer.to),
    }
}
