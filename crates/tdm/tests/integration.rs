//! Schedules of small and random networks, with all options, against exhaustive search.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use pavane_model::tdm::{TdmBound, TdmCertificate, TdmDemand, TdmMessage, TdmRules};
use pavane_model::{Fault, Network, NetworkBuilder, ProcessorId, Routing, TdmProblem};
use pavane_networks::topology;
use pavane_search::{Interrupt, Rng};
use pavane_tdm::bounds::bounds;
use pavane_tdm::{TdmOptions, TdmOutcome, repair, solve};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn all_to_all(spec: &str, rules: TdmRules) -> TdmProblem {
    let network = topology::build(spec).unwrap();
    TdmProblem::new(network, TdmDemand::AllToAll, rules, 100_000).unwrap()
}

fn solved(problem: &TdmProblem, seed: u64, evaluations: u64) -> TdmOutcome {
    let evaluations = Some(evaluations);
    solve(problem, &TdmOptions { seed, evaluations, ..TdmOptions::default() }).unwrap()
}

#[test]
fn known_periods_are_reached_and_proved() {
    for (spec, period) in [
        ("torus:3x3", 9),
        ("torus:4x4", 16),
        ("torus:5x5", 25),
        ("torus:7x7", 49),
        ("torus:8x8", 64),
        ("torus:9x9", 90),
        ("torus:10x10", 125),
        ("mesh:3x3", 8),
        ("mesh:4x4", 16),
        ("hypercube:4", 16),
        ("unidirectional-torus:3x3", 9),
        ("unidirectional-torus:8x8", 224),
        ("ring:4", 4),
        ("path:3", 2),
    ] {
        let outcome = solved(&all_to_all(spec, TdmRules::default()), 1, 20_000_000);
        let found = outcome.schedule.unwrap();
        assert_eq!(found.schedule().period, period, "{spec}");
        assert!(found.is_optimal(), "{spec}");
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let problem = all_to_all("mesh:3x4", TdmRules::default());
    let with = |threads: usize| {
        let evaluations = Some(50_000);
        let options = TdmOptions { threads, evaluations, ..TdmOptions::default() };
        solve(&problem, &options).unwrap().schedule.unwrap().schedule().clone()
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn an_interrupted_search_keeps_its_best() {
    let problem = all_to_all("mesh:5x5", TdmRules::default());
    let interrupt = Interrupt::after_polls(10_000);
    let options = TdmOptions { interrupt, evaluations: None, ..TdmOptions::default() };
    let outcome = solve(&problem, &options).unwrap();
    assert!(outcome.is_interrupted);
    assert!(outcome.schedule.is_some());
}

#[test]
fn words_of_several_phits_are_scaled() {
    let rules = TdmRules { depth: 3, phits: 3, ..TdmRules::default() };
    let outcome = solved(&all_to_all("torus:3x3", rules), 1, 50_000);
    assert!(outcome.schedule.unwrap().schedule().period <= 27);
}

#[test]
fn words_of_several_phits_reach_their_bound() {
    for (spec, depth, phits, period) in [
        ("torus:3x3", 1, 2, 17),
        ("torus:3x3", 1, 3, 25),
        ("torus:3x3", 1, 4, 33),
        ("mesh:8x8", 1, 2, 256),
        ("mesh:8x8", 2, 4, 512),
    ] {
        let rules = TdmRules { depth, phits, ..TdmRules::default() };
        let found = solved(&all_to_all(spec, rules), 1, 300_000).schedule.unwrap();
        assert_eq!(found.schedule().period, period, "{spec} {depth} {phits}");
        assert!(found.is_optimal(), "{spec}");
    }
}

#[test]
fn a_period_below_the_bound_is_refused() {
    let problem = all_to_all("torus:3x3", TdmRules::default());
    let options = TdmOptions { slots: Some(8), ..TdmOptions::default() };
    assert!(solve(&problem, &options).unwrap().schedule.is_none());
    let options = TdmOptions { slots: Some(12), ..TdmOptions::default() };
    let found = solve(&problem, &options).unwrap().schedule.unwrap();
    assert_eq!(found.schedule().period, 12);
}

#[test]
fn small_periods_are_refuted() {
    let no_wrap = TdmRules { wraps: false, ..TdmRules::default() };
    for (spec, rules, period) in
        [("path:5", no_wrap, 9), ("ring:5", TdmRules { phits: 3, ..TdmRules::default() }, 14)]
    {
        let problem = all_to_all(spec, rules);
        let options =
            TdmOptions { prove: true, evaluations: Some(100_000), ..TdmOptions::default() };
        let outcome = solve(&problem, &options).unwrap();
        let found = outcome.schedule.as_ref().unwrap();
        assert_eq!((found.schedule().period, found.is_optimal()), (period, true), "{spec}");
        assert!(outcome.excludes(period - 1) && !outcome.excludes(period));
        assert!(outcome.bounds.without_proof().period < period);
        let outcome = solve(&problem, &TdmOptions { slots: Some(period - 1), ..options }).unwrap();
        assert!(outcome.schedule.is_none() && outcome.excludes(period - 1));
    }
}

#[test]
fn without_wrap_the_offsets_prove_optimal_periods() {
    let rules = TdmRules { wraps: false, ..TdmRules::default() };
    for (spec, period) in
        [("torus:6x6", 40), ("torus:7x7", 53), ("torus:8x8", 69), ("hypercube:3", 10)]
    {
        let found = solved(&all_to_all(spec, rules), 1, 2_000_000).schedule.unwrap();
        let bound = found.schedule().bound.as_ref().unwrap();
        assert_eq!((found.schedule().period, bound.certificate.reason()), (period, "offsets"));
        assert!(found.is_optimal(), "{spec}");
    }
}

#[test]
fn a_loose_latency_costs_nothing_without_wrap() {
    let network = topology::build("path:2").unwrap();
    let rules = TdmRules { depth: 3, wraps: false, ..TdmRules::default() };
    let (from, to) = (ProcessorId(0), ProcessorId(1));
    let period = |max_latency| {
        let demand = TdmDemand::Messages(vec![TdmMessage { from, to, weight: 2, max_latency }]);
        let problem = TdmProblem::new(network.clone(), demand, rules, 10).unwrap();
        let outcome = solved(&problem, 1, 1000);
        (outcome.schedule.map(|found| found.schedule().period), outcome.unmet)
    };
    // Seven slots for the way of a word, and the second word starts one slot later.
    assert_eq!(period(None), (Some(8), None));
    assert_eq!(period(Some(18)), (Some(8), None));
    // The second word arrives before the next period starts.
    let (found, unmet) = period(Some(10));
    let unmet = unmet.unwrap();
    assert_eq!((found, unmet.way, unmet.wait, unmet.period), (None, 7, 7, 8));
    let text = unmet.to_string();
    assert!(text.contains("at most 10 slots from 0 to 1: the way takes 7 slots"), "{text}");
}

/// Weights from 1 to 5 between half of the pairs.
fn random_messages(processors: u32, seed: u64) -> Vec<TdmMessage> {
    let mut rng = Rng::stream(seed, 1);
    let mut messages = Vec::new();
    for from in 0..processors {
        for to in (0..processors).filter(|&to| to != from) {
            if rng.unit() < 0.5 {
                let (from, to) = (ProcessorId(from), ProcessorId(to));
                let weight = 1 + rng.below(5) as u32;
                messages.push(TdmMessage { from, to, weight, max_latency: None });
            }
        }
    }
    messages
}

#[test]
fn random_traffic_reaches_the_bound_of_the_ports() {
    let network = topology::build("torus:8x8").unwrap();
    let messages = random_messages(64, 1);
    for (wraps, extra) in [(true, 0), (false, 12)] {
        let rules = TdmRules { wraps, ..TdmRules::default() };
        let demand = TdmDemand::Messages(messages.clone());
        let problem = TdmProblem::new(network.clone(), demand, rules, 100_000).unwrap();
        let found = solved(&problem, 1, 400_000).schedule.unwrap();
        let schedule = found.schedule();
        let bound = schedule.bound.as_ref().unwrap().period;
        assert!(schedule.period <= bound + extra, "{} {bound}", schedule.period);
    }
}

#[test]
fn busy_channels_and_full_ports_take_few_placements() {
    let network = topology::build("torus:10x10").unwrap();
    // Cuts are busy for 97 % of the bound of the ports.
    let demand = TdmDemand::Messages(random_messages(100, 7));
    let problem = TdmProblem::new(network, demand, TdmRules::default(), 100_000).unwrap();
    let found = solved(&problem, 1, 600_000).schedule.unwrap();
    assert!(found.is_optimal(), "{}", found.schedule().period);
    let bound = found.schedule().bound.as_ref().unwrap();
    assert!(matches!(bound.certificate, TdmCertificate::Ports { .. }));
}

#[test]
fn a_first_schedule_needs_no_effort() {
    for (spec, rules) in [
        ("mesh:7x7", TdmRules::default()),
        ("torus:6x6", TdmRules { wraps: false, depth: 3, ..TdmRules::default() }),
        ("hypercube:5", TdmRules { phits: 4, depth: 2, ..TdmRules::default() }),
        ("fat-tree:4", TdmRules { routing: Routing::Any, ..TdmRules::default() }),
    ] {
        let interrupt = Interrupt::after_polls(2000);
        let options = TdmOptions { interrupt, evaluations: None, ..TdmOptions::default() };
        let outcome = solve(&all_to_all(spec, rules), &options).unwrap();
        assert!(outcome.schedule.is_some(), "{spec}");
    }
}

#[test]
fn words_out_of_step_may_have_a_shorter_period() {
    let message = |from, weight| TdmMessage {
        from: ProcessorId(from),
        to: ProcessorId(0),
        weight,
        max_latency: None,
    };
    let rules = TdmRules { phits: 2, wraps: false, ..TdmRules::default() };
    let demand = TdmDemand::Messages(vec![message(1, 1), message(2, 1)]);
    let network = topology::build("path:3").unwrap();
    let problem = TdmProblem::new(network, demand, rules, 10).unwrap();
    // In step, the second word would have to wait for the third slot after the first one.
    let found = solved(&problem, 1, 20_000).schedule.unwrap();
    assert_eq!(by_force(&problem, found.schedule().period), Some(found.schedule().period));
}

#[test]
fn a_solver_finishes_tiny_problems() {
    let detour = TdmRules { routing: Routing::Detour(2), ..TdmRules::default() };
    for (network, rules, slots) in [("ring:4", detour, 3), ("ring:8", TdmRules::default(), 8)] {
        let found = solve(&all_to_all(network, rules), &TdmOptions::default()).unwrap();
        let found = found.schedule.unwrap();
        assert!(found.is_optimal() && found.schedule().period == slots, "{network}");
    }
}

#[test]
fn a_demand_to_keep_words_makes_the_period_grow() {
    let problem = all_to_all("torus:4x4", TdmRules::default());
    let found = solved(&problem, 1, 100_000).schedule.unwrap();
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    let [shortest, kept] =
        [0.0, 1.0].map(|keep| repair(&found, &[fault], keep, &TdmOptions::default()).unwrap());
    assert!(shortest.changes.kept_share() < 1.0 && kept.changes.kept_share() == 1.0);
    assert!(shortest.schedule.schedule().period < kept.schedule.schedule().period);
}

#[test]
fn a_repair_moves_little() {
    let problem = all_to_all("torus:4x4", TdmRules::default());
    let options = TdmOptions { slots: Some(20), ..TdmOptions::default() };
    let found = solve(&problem, &options).unwrap().schedule.unwrap();
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    let repaired = repair(&found, &[fault], 0.0, &TdmOptions::default()).unwrap();
    let changes = repaired.changes;
    assert_eq!(changes.before, 240);
    assert_eq!(changes.kept + changes.rerouted + changes.moved, 240);
    assert!(changes.kept >= 200, "{changes:?}");
    let router = Fault::parse(problem.network(), "r5").unwrap();
    let repaired = repair(&found, &[router], 0.0, &TdmOptions::default()).unwrap();
    assert_eq!(repaired.missing, [ProcessorId(5)]);
    assert_eq!(repaired.changes.dropped, 30);
}

#[test]
fn a_repair_moves_words_in_short_chains() {
    let problem = all_to_all("torus:6x6", TdmRules::default());
    let options = TdmOptions { slots: Some(38), ..TdmOptions::default() };
    let found = solve(&problem, &options).unwrap().schedule.unwrap();
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    let repaired = repair(&found, &[fault], 0.0, &TdmOptions::default()).unwrap();
    assert_eq!(repaired.schedule.schedule().period, 38);
    let changes = repaired.changes;
    assert!(changes.untouched - changes.kept <= 120, "{changes:?}");
}

#[test]
fn a_repair_of_busy_channels_starts_from_the_old_schedule() {
    let problem = all_to_all("mesh:5x5", TdmRules::default());
    let options = TdmOptions { slots: Some(31), ..TdmOptions::default() };
    let found = solve(&problem, &options).unwrap().schedule.unwrap();
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    let repaired = repair(&found, &[fault], 0.0, &TdmOptions::default()).unwrap();
    assert_eq!(repaired.schedule.schedule().period, 31);
    let changes = repaired.changes;
    // Placing all words anew keeps about ten.
    assert!(changes.kept >= changes.before / 2, "{changes:?}");
}

#[test]
fn a_repair_of_busy_ports_keeps_the_period_and_many_words() {
    let problem = all_to_all("torus:6x6", TdmRules::default());
    let found = solved(&problem, 1, 100_000).schedule.unwrap();
    assert_eq!(found.schedule().period, 36);
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    let repaired = repair(&found, &[fault], 0.0, &TdmOptions::default()).unwrap();
    assert_eq!(repaired.schedule.schedule().period, 36);
    let changes = repaired.changes;
    assert!(changes.kept >= 200, "{changes:?}");
}

#[test]
fn prices_bound_irregular_networks_tightly() {
    let problem = all_to_all("random-regular:64,3,2", TdmRules::default());
    let bounds = bounds(&problem, &Interrupt::never());
    assert!(matches!(bounds.best.certificate, TdmCertificate::Prices { .. }));
    assert_eq!(bounds.best.period, 120);
    let found = solved(&problem, 1, 1_000_000).schedule.unwrap();
    assert!(found.is_optimal());
}

#[test]
fn a_period_grows_only_if_it_must() {
    let problem = all_to_all("mesh:3x3", TdmRules::default());
    let found = solved(&problem, 1, 50_000).schedule.unwrap();
    assert_eq!(found.schedule().period, 8);
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    // Nine slots are the bound after the fault.
    let repaired = repair(&found, &[fault], 0.0, &TdmOptions::default()).unwrap();
    assert_eq!(repaired.schedule.schedule().period, 9);
    assert!(repaired.excludes(8) && !repaired.excludes(9));
    let changes = repaired.changes;
    assert!(changes.kept >= 45, "{changes:?}");
}

#[test]
fn busy_ports_give_words_of_several_phits_one_residue() {
    for (spec, depth, phits, period) in [
        ("torus:4x4", 2, 3, Some(46)),
        ("mesh:3x3", 1, 3, Some(25)),
        // The ways between two routers of a mesh are all even or all odd, and with three slots per hop of
        // three phits every way suits.
        ("mesh:3x3", 1, 2, None),
        ("mesh:3x3", 3, 3, None),
    ] {
        let rules = TdmRules { depth, phits, ..TdmRules::default() };
        let bounds = bounds(&all_to_all(spec, rules), &Interrupt::never());
        let is_residue =
            |bound: &&TdmBound| matches!(bound.certificate, TdmCertificate::Residue {});
        let found = bounds.all.iter().find(is_residue).map(|bound| bound.period);
        assert_eq!(found, period, "{spec} {depth} {phits}");
    }
    let rules = TdmRules { phits: 2, ..TdmRules::default() };
    assert_eq!(solved(&all_to_all("mesh:3x3", rules), 1, 1_000_000).bounds.best.period, 16);
}

#[test]
fn a_repair_says_that_the_old_period_is_impossible() {
    let problem = all_to_all("complete:4", TdmRules { phits: 2, ..TdmRules::default() });
    let found = solved(&problem, 1, 50_000).schedule.unwrap();
    assert_eq!(found.schedule().period, 6);
    let fault = Fault::parse(problem.network(), "r0-r1").unwrap();
    let repaired = repair(&found, &[fault], 0.0, &TdmOptions::default()).unwrap();
    assert!(repaired.excludes(6) && !repaired.excludes(7));
    assert_eq!(repaired.schedule.schedule().period, 7);
}

/// The shortest period by trying all starts and all shortest paths, up to a limit.
fn by_force(problem: &TdmProblem, most: u32) -> Option<u32> {
    (1..=most).find(|&period| Force { problem, period, used: BTreeSet::new() }.place(0, 0))
}

struct Force<'a> {
    problem: &'a TdmProblem,
    period: u32,
    used: BTreeSet<(u8, u32, u32)>,
}

impl Force<'_> {
    /// Places the words from the given one on.
    fn place(&mut self, message: usize, word: u32) -> bool {
        let Some(current) = self.problem.messages().get(message).copied() else { return true };
        if word == current.weight {
            return self.place(message + 1, 0);
        }
        let network = self.problem.network();
        let (from, to) = (network.home(current.from).unwrap(), network.home(current.to).unwrap());
        let distances = network.distances_to(to);
        let mut paths = vec![(from, Vec::new())];
        for _ in 0..distances[from.index()] {
            let longer = |(at, path): (_, Vec<u32>)| {
                let next = network
                    .out_channels(at)
                    .iter()
                    .copied()
                    .filter(move |&channel| distances_ok(network, to, at, channel));
                next.map(move |channel| {
                    let path = path.iter().copied().chain([channel.0]).collect();
                    (network.channel(channel).head, path)
                })
                .collect::<Vec<_>>()
            };
            paths = paths.into_iter().flat_map(longer).collect();
        }
        for (_, path) in paths {
            for start in 0..self.period {
                let Some(uses) = self.uses(&current, start, &path) else { continue };
                self.used.extend(&uses);
                if self.place(message, word + 1) {
                    return true;
                }
                uses.iter().for_each(|one| {
                    self.used.remove(one);
                });
            }
        }
        false
    }

    /// The slots of a word, or `None` if one of them is taken.
    fn uses(&self, message: &TdmMessage, start: u32, path: &[u32]) -> Option<Vec<(u8, u32, u32)>> {
        let rules = self.problem.rules();
        let parts = [(0, message.from.0)].into_iter().chain(path.iter().map(|&c| (1, c)));
        let parts = parts.chain([(2, message.to.0)]);
        let mut uses = Vec::new();
        for (at, (kind, number)) in (0..).zip(parts) {
            for phit in 0..rules.phits {
                let slot = start + at * rules.depth + phit;
                if !rules.wraps && slot >= self.period {
                    return None;
                }
                uses.push((kind, number, slot % self.period));
            }
        }
        let distinct: BTreeSet<_> = uses.iter().collect();
        let is_free =
            distinct.len() == uses.len() && uses.iter().all(|one| !self.used.contains(one));
        is_free.then_some(uses)
    }
}

fn distances_ok(
    network: &Network,
    to: pavane_model::RouterId,
    at: pavane_model::RouterId,
    channel: pavane_model::ChannelId,
) -> bool {
    let distances = network.distances_to(to);
    distances[network.channel(channel).head.index()] + 1 == distances[at.index()]
}

/// A connected network of a few routers, some with two processors, and some messages.
fn tiny(
    routers: std::ops::Range<u32>,
    messages: usize,
) -> impl Strategy<Value = (Network, Vec<TdmMessage>)> {
    let extra = prop::collection::vec((0u32..9, 0u32..9), 0..4);
    let list = prop::collection::vec((0u32..9, 0u32..9, 1u32..4), 1..messages);
    (routers, extra, list, any::<u16>()).prop_map(|(routers, extra, list, bits)| {
        let mut builder = NetworkBuilder::new("tiny", routers);
        for router in 1..routers {
            builder.link(router - 1, router);
        }
        for (a, b) in extra.into_iter().map(|(a, b)| (a % routers, b % routers)) {
            if a != b {
                builder.link(a, b);
            }
        }
        let mut processors = 0;
        for router in 0..routers {
            for _ in 0..1 + (bits >> router & 1) {
                builder.processor(Some(router));
                processors += 1;
            }
        }
        let mut seen = BTreeSet::new();
        let mut messages = Vec::new();
        for (from, to, weight) in list {
            let (from, to) = (from % processors, to % processors);
            if from != to && seen.insert((from, to)) {
                let (from, to) = (ProcessorId(from), ProcessorId(to));
                messages.push(TdmMessage { from, to, weight, max_latency: None });
            }
        }
        if messages.is_empty() {
            let (from, to) = (ProcessorId(0), ProcessorId(1));
            messages.push(TdmMessage { from, to, weight: 1, max_latency: None });
        }
        (builder.build().unwrap(), messages)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn tiny_problems_are_solved_as_by_exhaustive_search(
        (network, messages) in tiny(2..5, 4),
        depth in 1u32..3,
        phits in 1u32..3,
        wraps: bool,
    ) {
        let rules = TdmRules { depth, phits, wraps, routing: Routing::Minimal };
        let problem = TdmProblem::new(network, TdmDemand::Messages(messages), rules, 1000).unwrap();
        let outcome = solved(&problem, 1, 20_000);
        let found = outcome.schedule.unwrap().schedule().period;
        // The search stops at the bound or after a fixed effort, which is ample here.
        prop_assert_eq!(by_force(&problem, found), Some(found));
        prop_assert!(outcome.bounds.all.iter().all(|bound| bound.period <= found));
    }

    #[test]
    fn random_networks_are_solved_with_all_options(
        (network, messages) in tiny(3..9, 20),
        depth in 1u32..4,
        phits in 1u32..4,
        wraps: bool,
        detour in 0u32..4,
        is_all: bool,
    ) {
        let routing = match detour {
            0 => Routing::Minimal,
            3 => Routing::Any,
            more => Routing::Detour(more),
        };
        let rules = TdmRules { depth, phits, wraps, routing };
        let demand = if is_all { TdmDemand::AllToAll } else { TdmDemand::Messages(messages) };
        let problem = TdmProblem::new(network, demand, rules, 1000).unwrap();
        // The judge has accepted what is returned.
        prop_assert!(solved(&problem, 7, 20_000).schedule.is_some());
    }

    #[test]
    fn demanded_latencies_are_met((network, mut messages) in tiny(3..6, 6), slack in 0u32..40) {
        let rules = TdmRules::default();
        messages.sort_by_key(|message| (message.from, message.to));
        let free = TdmProblem::new(network.clone(), TdmDemand::Messages(messages.clone()), rules, 1000);
        let free = solved(&free.unwrap(), 1, 5_000).schedule.unwrap();
        let latencies = free.schedule().latencies();
        for (message, latency) in messages.iter_mut().zip(latencies) {
            message.max_latency = latency.map(|latency| latency as u32 + slack);
        }
        let problem = TdmProblem::new(network, TdmDemand::Messages(messages), rules, 1000).unwrap();
        // A search may fail to meet them, but never returns a schedule that does not.
        let _ = solved(&problem, 1, 5_000);
    }
}
