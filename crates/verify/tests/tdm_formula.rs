//! The formula of TDM schedules agrees with the definition: it has a model exactly if exhaustive search
//! finds a schedule, and the model decodes to a schedule that the judge accepts. Proofs are checked
//! against it.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::formula::dpll::{self, Answer};
use pavane_model::tdm::{TdmDemand, TdmMessage, TdmProblem, TdmRules, Word};
use pavane_model::{ChannelId, NetworkBuilder, ProcessorId, RouterId, Routing, TdmSchedule};
use pavane_verify::{
    Limits, MOST_BYTES, MOST_OPERATIONS, OverLimit, TdmRefutationError, check_tdm_refutation,
    encode_tdm, judge_tdm,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const LIMITS: Limits = Limits { operations: MOST_OPERATIONS, bytes: MOST_BYTES };
const MOST_LITERALS: usize = 1_000_000;
const MOST_DECISIONS: u64 = 20_000;

/// Whether the formula has a model, whose schedule must be valid. `None` if the solver gives up.
fn has_model(problem: &TdmProblem, from: u32, to: u32) -> Option<bool> {
    let formula = encode_tdm(problem, from, to, MOST_LITERALS, LIMITS).unwrap();
    let model = match dpll::solve(&formula.cnf, MOST_DECISIONS) {
        Answer::Satisfiable(model) => model,
        Answer::Unsatisfiable => return Some(false),
        Answer::Undecided => return None,
    };
    let holds = |literal: i32| model[literal.unsigned_abs() as usize] == (literal > 0);
    let (period, words) = formula.decode(problem, holds).unwrap();
    assert!((from..=to).contains(&period));
    let schedule = TdmSchedule { problem: problem.clone(), period, words, bound: None };
    assert_eq!(judge_tdm(&schedule).violations, [], "{problem:?}");
    Some(true)
}

/// All routes of a message that its routing allows.
fn routes(problem: &TdmProblem, message: &TdmMessage) -> Vec<Vec<ChannelId>> {
    let network = problem.network();
    let (from, to) = (network.home(message.from).unwrap(), network.home(message.to).unwrap());
    let mut found: Vec<Vec<ChannelId>> = Vec::new();
    let mut open: Vec<(Vec<RouterId>, Vec<ChannelId>)> = vec![(vec![from], Vec::new())];
    while let Some((visited, path)) = open.pop() {
        let at = visited[visited.len() - 1];
        if at == to {
            found.push(path);
            continue;
        }
        for &channel in network.out_channels(at) {
            let head = network.channel(channel).head;
            if !visited.contains(&head) {
                let visited = visited.iter().copied().chain([head]).collect();
                open.push((visited, path.iter().copied().chain([channel]).collect()));
            }
        }
    }
    let shortest = found.iter().map(Vec::len).min().unwrap();
    let most = match problem.rules().routing {
        Routing::Minimal => shortest,
        Routing::Detour(more) => shortest + more as usize,
        Routing::Any => usize::MAX,
    };
    found.retain(|path| path.len() <= most);
    found
}

/// Exhaustive search: every word with every start and every route.
struct Exhaustive<'a> {
    problem: &'a TdmProblem,
    period: u32,
    routes: Vec<Vec<Vec<ChannelId>>>,
    words: Vec<Word>,
    used: BTreeSet<(u8, u32, u32)>,
    steps: u64,
}

impl Exhaustive<'_> {
    /// Whether there is a schedule. `None` if that takes too long.
    fn is_possible(problem: &TdmProblem, period: u32) -> Option<bool> {
        let routes = problem.messages().iter().map(|message| routes(problem, message)).collect();
        let (words, used) = (Vec::new(), BTreeSet::new());
        Exhaustive { problem, period, routes, words, used, steps: 200_000 }.place(0, 0, 0)
    }

    /// Places the words from the given one on; the words of a message start one after the other.
    fn place(&mut self, message: usize, number: u32, first: u32) -> Option<bool> {
        self.steps = self.steps.checked_sub(1)?;
        let Some(&TdmMessage { from, to, weight, .. }) = self.problem.messages().get(message)
        else {
            let (problem, words) = (self.problem.clone(), self.words.clone());
            let schedule = TdmSchedule { problem, period: self.period, words, bound: None };
            return Some(judge_tdm(&schedule).is_valid());
        };
        if number == weight {
            return self.place(message + 1, 0, 0);
        }
        for start in first..self.period {
            for route in 0..self.routes[message].len() {
                let path = self.routes[message][route].clone();
                let word = Word { from, to, start, path };
                let Some(uses) = self.uses(&word) else { continue };
                self.used.extend(&uses);
                self.words.push(word);
                let is_possible = self.place(message, number + 1, start + 1)?;
                self.words.pop();
                uses.iter().for_each(|one| {
                    self.used.remove(one);
                });
                if is_possible {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// The slots of a word, or `None` if one of them is taken.
    fn uses(&self, word: &Word) -> Option<Vec<(u8, u32, u32)>> {
        let rules = self.problem.rules();
        let hops = word.path.iter().map(|channel| (1, channel.0));
        let resources = [(0, word.from.0)].into_iter().chain(hops).chain([(2, word.to.0)]);
        let mut uses = Vec::new();
        for (at, (kind, number)) in (0..).zip(resources) {
            for phit in 0..rules.phits {
                let one = (kind, number, (word.start + at * rules.depth + phit) % self.period);
                if self.used.contains(&one) || uses.contains(&one) {
                    return None;
                }
                uses.push(one);
            }
        }
        Some(uses)
    }
}

prop_compose! {
    /// A few routers in a row with some more links, and some messages.
    fn tiny_problem()(
        routers in 2u32..5,
        links in prop::collection::vec((0u32..4, 0u32..4), 0..3),
        list in prop::collection::vec((0u32..5, 0u32..5, 1u32..3, 0u32..16), 1..5),
        depth in 1u32..3,
        phits in prop_oneof![3 => Just(1u32), 1 => 2u32..4],
        wraps: bool,
        routing in prop_oneof![Just(Routing::Minimal), Just(Routing::Detour(1)), Just(Routing::Any)],
    ) -> TdmProblem {
        let mut builder = NetworkBuilder::new("tiny", routers);
        for router in 1..routers {
            builder.link(router - 1, router);
        }
        for (one, other) in links {
            if one % routers != other % routers {
                builder.channel(one % routers, other % routers);
            }
        }
        for router in (0..routers).chain([0]) {
            builder.processor(Some(router));
        }
        let processors = routers + 1;
        let mut messages: Vec<TdmMessage> = Vec::new();
        for (from, by, weight, latency) in list {
            let (from, to) = (from % processors, (from + 1 + by % (processors - 1)) % processors);
            let (from, to) = (ProcessorId(from % processors), ProcessorId(to));
            let max_latency = (latency > 10).then(|| latency - 4);
            if from != to && messages.iter().all(|one| (one.from, one.to) != (from, to)) {
                messages.push(TdmMessage { from, to, weight, max_latency });
            }
        }
        let rules = TdmRules { depth, phits, wraps, routing };
        TdmProblem::new(builder.build().unwrap(), TdmDemand::Messages(messages), rules, 100).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_formula_agrees_with_exhaustive_search(problem in tiny_problem(), period in 1u32..7) {
        let expected = Exhaustive::is_possible(&problem, period);
        let found = has_model(&problem, period, period);
        if let (Some(expected), Some(found)) = (expected, found) {
            prop_assert_eq!(found, expected, "period {}: {:?}", period, problem);
        }
        let before = Exhaustive::is_possible(&problem, (period - 1).max(1));
        let range = has_model(&problem, (period - 1).max(1), period);
        if let (Some(before), Some(expected), Some(range)) = (before, expected, range) {
            prop_assert_eq!(range, before || expected);
        }
    }
}

fn ring3() -> TdmProblem {
    let mut builder = NetworkBuilder::new("ring", 3);
    for router in 0..3 {
        builder.channel(router, (router + 1) % 3);
    }
    builder.processor_on_each_router();
    let network = builder.build().unwrap();
    TdmProblem::new(network, TdmDemand::AllToAll, TdmRules::default(), 100).unwrap()
}

#[test]
fn wrong_proofs_and_large_formulas_are_refused() {
    let problem = ring3();
    assert_eq!((has_model(&problem, 1, 2), has_model(&problem, 3, 3)), (Some(false), Some(true)));
    let check = |proof: &str, to: u32, limits: Limits| {
        check_tdm_refutation(&problem, 1, to, &mut proof.as_bytes(), limits)
    };
    assert!(matches!(check("", 2, LIMITS), Err(TdmRefutationError::Proof(_))));
    assert!(matches!(check("999999 0 1 2 0\n", 2, LIMITS), Err(TdmRefutationError::Proof(_))));
    for to in [1 << 20, u32::MAX] {
        assert!(matches!(check("", to, LIMITS), Err(TdmRefutationError::OverLimit(_))));
    }
    let few = Limits { operations: 10, ..LIMITS };
    assert!(matches!(check("", 2, few), Err(TdmRefutationError::OverLimit(_))));
    assert!(matches!(encode_tdm(&problem, 1, 2, 20, LIMITS), Err(OverLimit::Formula { .. })));
}
