//! Chromosomes: incrementally updated counts agree with a full recount after any operation, and the
//! judge accepts a chromosome without conflicts as a schedule.

use crate::common::tiny;
use pavane_evolution::chromosome::{
    BroadcastTree, Chromosome, PathTables, Repair, Scatter, ScatterGenome, StepEncoding,
    StoreAndForward, StoreAndForwardGenome, TreeGenome, longest_detour,
};
use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Ports, Problem, Switching};
use pavane_search::{Context, Rng};
use pavane_verify::verify;
use proptest::prelude::*;

/// Operations applied to every individual.
const MOVES: u32 = 40;

/// Applies every operation of chromosomes; the conflict counts must match a full recount each time.
fn exercise<C: Chromosome>(problem: &Problem, random: impl Fn(&mut Rng) -> C, seed: u64) {
    let rng = &mut Rng::seeded(seed);
    let (mut one, mut other) = (random(rng), random(rng));
    let genes = one.gene_count();
    assert_eq!(one.components(genes - 1).end, one.read().len());
    for turn in 0..MOVES {
        let gene = rng.below(genes);
        match turn % 4 {
            0 => one.mutate(gene, rng),
            1 => one.take_over(gene..genes, &other, rng),
            2 => {
                let limits: Vec<u32> = (0..other.read().len()).map(|c| other.limit(c)).collect();
                let values: Vec<u32> =
                    limits.iter().map(|&limit| rng.below(limit as usize) as u32).collect();
                other.assign(&values, rng);
                assert!(other.read().iter().zip(&limits).all(|(value, limit)| value < limit));
            }
            _ => {
                let before = one.conflicts() as i32;
                let change = one.try_move(rng.below(3) as i32 - 1, rng);
                assert_eq!(one.conflicts() as i32, before + change);
            }
        }
        assert_eq!(one.conflicts(), one.recount());
        assert_eq!(other.conflicts(), other.recount());
        judge(problem, &one);
        judge(problem, &other);
    }
    while one.conflicts() > 0 && rng.below(200) > 0 {
        one.try_move(0, rng);
    }
    judge(problem, &one);
    let values = one.read();
    other.assign(&values, rng);
    assert_eq!(other.read(), values, "what is read can be written");
    other.copy_from(&one);
    assert_eq!((other.read(), other.conflicts()), (values, one.conflicts()));
}

fn judge<C: Chromosome>(problem: &Problem, chromosome: &C) {
    match chromosome.schedule() {
        None => assert!(chromosome.conflicts() > 0),
        Some(schedule) => {
            let steps = schedule.step_count();
            assert!(steps <= chromosome.last_step());
            if let Err(violations) = verify(problem.clone(), schedule) {
                panic!("without conflicts, but not valid: {violations:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 384, max_global_rejects: 100_000, ..Default::default() })]

    #[test]
    fn scatter(problem in tiny::problem(), steps in 1u32..6, seed in any::<u64>()) {
        let context = Context::new(problem.forward());
        let problem = context.problem();
        let messages = problem.messages();
        prop_assume!(problem.model().switching == Switching::Wormhole);
        prop_assume!(messages.ids().all(|message| messages.is_personalised(message)));
        let tables = context.facts_of::<PathTables>();
        let paths = tables.get(problem, longest_detour(problem));
        let genome = ScatterGenome::new(problem, steps, paths);
        let random = |rng: &mut Rng| -> Scatter<'_> { genome.random(rng) };
        exercise(problem, random, seed);
    }

    #[test]
    fn tree(problem in tiny::problem(), steps in 1u32..6, delays in any::<bool>(), seed in any::<u64>()) {
        let context = Context::new(problem.forward());
        let problem = context.problem();
        prop_assume!(problem.model().switching == Switching::Wormhole);
        let repair = if delays { Repair::Delay } else { Repair::Replace };
        let tables = context.facts_of::<PathTables>();
        let paths = tables.get(problem, longest_detour(problem));
        let genome = TreeGenome::new(problem, steps, paths, repair).changing_slots(0.5);
        let random = |rng: &mut Rng| -> BroadcastTree<'_> { genome.random(rng) };
        exercise(problem, random, seed);
    }

    #[test]
    fn tree_by_hops(network in tiny::network(), more in 0u32..4, ports in 0u32..3, seed in any::<u64>()) {
        let ports = if ports == 0 { Ports::All } else { Ports::Limited(ports) };
        let model = Model { switching: Switching::StoreAndForward, ports, ..Model::default() };
        let collective = collective::build("aab", &network, &Groups::default());
        let Ok(collective) = collective.map(|mut phases| phases.remove(0)) else { return Ok(()) };
        let Ok(problem) = Problem::new(network, collective, model) else { return Ok(()) };
        let context = Context::new(problem);
        let problem = context.problem();
        let tables = context.facts_of::<PathTables>();
        let genome = |steps| TreeGenome::by_hops(problem, steps, tables.get(problem, 0));
        let Some(least) = (1..10).find(|&steps| genome(steps).is_some()) else { return Ok(()) };
        let Some(genome) = genome(least + more) else { return Ok(()) };
        let random = |rng: &mut Rng| -> BroadcastTree<'_> { genome.random(rng) };
        exercise(problem, random, seed);
    }

    #[test]
    fn hops(problem in tiny::problem(), steps in 1u32..6, kind in 0..4, seed in any::<u64>()) {
        let problem = problem.forward();
        let model = Model { switching: Switching::StoreAndForward, ..problem.model() };
        let Ok(problem) = problem.under(model) else { return Ok(()) };
        let context = Context::new(problem);
        let problem = context.problem();
        let timing = match kind {
            0 => StepEncoding::Start,
            _ => StepEncoding::Window { at_once: kind == 1 },
        };
        let tables = context.facts_of::<PathTables>();
        let paths = tables.get(problem, longest_detour(problem));
        let Some(genome) = StoreAndForwardGenome::new(problem, steps, paths, timing) else { return Ok(()) };
        let random = |rng: &mut Rng| -> StoreAndForward<'_> {
            genome.random(rng).joining(if kind == 3 { 0.5 } else { 0.0 })
        };
        exercise(problem, random, seed);
    }
}
