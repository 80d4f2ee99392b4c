//! Encodes "there is a k-synchronous schedule of S steps and R rounds" as a formula.
//!
//! The search solves the formula, and the judge builds it again to check a proof against it. A step has
//! at least one round, and all steps together have at most R. For every message, router and step, a
//! variable says that the message is there after the step; for every link and step, another one says
//! that the message crosses the link in that step. A link is all channels from one router to another, and
//! carries as many messages per round as it has channels. A router is entered at most once by a message,
//! because a later entry would change nothing.
//!
//! A model may contain crossings that no destination needs: they only take capacity, and decoding drops
//! them.

mod decode;
mod links;

pub use decode::RoundCrossing;

use crate::cost::{Cost, Limits, OverLimit};
use crate::distance::{Neighbours, UNREACHABLE};
use crate::exact::{Cnf, Literal, MOST_LITERALS, TRUE};
use crate::lrat::{self, LratError};
use links::RoundLinks;
use pavane_model::{MessageId, Problem, RouterId};
use std::io::BufRead;

/// The literal that is false in every model.
const FALSE: Literal = -TRUE;

/// A formula that is satisfiable if and only if there is a schedule, and the meaning of its variables.
#[derive(Debug)]
pub struct RoundsFormula {
    /// The formula.
    pub cnf: Cnf,
    links: RoundLinks,
    messages: Vec<LinkCrossings>,
}

/// By link and step: the literal that the message crosses the link in the step.
type LinkCrossings = Vec<Vec<Literal>>;

/// Why a refutation is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoundsRefutationError {
    /// The formula or the proof is too large.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
    /// The proof is wrong.
    #[error("{0}")]
    Proof(LratError),
}

/// Checks an LRAT proof that no k-synchronous schedule has `steps` steps and at most `rounds` rounds.
pub fn check_rounds_refutation(
    problem: &Problem,
    steps: u32,
    rounds: u32,
    proof: &mut dyn BufRead,
    limits: Limits,
) -> Result<(), RoundsRefutationError> {
    let cnf = encode_rounds(problem, steps, rounds, MOST_LITERALS, limits)?.cnf;
    lrat::check_within(&cnf, proof, limits).map_err(|error| match error {
        LratError::OverLimit(over) => RoundsRefutationError::OverLimit(over),
        error => RoundsRefutationError::Proof(error),
    })
}

/// Builds the formula with at most `most` literals. A gather or reduce is encoded as the scatter or
/// broadcast that it is when read backwards. The same arguments give the same formula on every machine.
pub fn encode_rounds(
    problem: &Problem,
    steps: u32,
    rounds: u32,
    most: usize,
    limits: Limits,
) -> Result<RoundsFormula, OverLimit> {
    let forward = problem.is_backward().then(|| problem.forward());
    let problem = forward.as_ref().unwrap_or(problem);
    let links = RoundLinks::of(problem.network());
    let too_large = || OverLimit::Formula {
        why: format!("the formula for {rounds} rounds would have more than {most} literals"),
    };
    let size = size_bound(problem, &links, steps, rounds);
    limits.check(Cost::of(size))?;
    if size > most as u64 {
        return Err(too_large());
    }
    let mut encoder = RoundsEncoder {
        problem,
        links: &links,
        steps,
        cnf: Cnf::new(most),
        longer: Vec::new(),
        loads: vec![vec![Vec::new(); steps as usize]; links.len()],
    };
    encoder.add_rounds(rounds);
    let (along, against) =
        (Neighbours::along(problem.network()), Neighbours::against(problem.network()));
    let messages: Vec<LinkCrossings> = problem
        .messages()
        .ids()
        .map(|message| encoder.add_message(message, &along, &against))
        .collect();
    encoder.add_loads();
    let cnf = encoder.cnf;
    if cnf.is_full() { Err(too_large()) } else { Ok(RoundsFormula { cnf, links, messages }) }
}

/// An upper bound on the literals, except for constant factors.
fn size_bound(problem: &Problem, links: &RoundLinks, steps: u32, rounds: u32) -> u64 {
    let messages = problem.messages().len() as u64;
    let of_link = |capacity: u64| capacity.saturating_mul(rounds.into()).min(messages) + 4;
    let counters = links.capacities().map(of_link).fold(0, u64::saturating_add);
    let per_step = counters.saturating_add(problem.network().router_count() as u64);
    per_step.saturating_mul(steps.into()).saturating_mul(messages)
}

/// Adds the clauses.
struct RoundsEncoder<'a> {
    problem: &'a Problem,
    links: &'a RoundLinks,
    steps: u32,
    cnf: Cnf,
    /// By step and number j from 0: the step has more than j + 1 rounds.
    longer: Vec<Vec<Literal>>,
    /// By link and step: the literals of all messages that may cross it.
    loads: Vec<Vec<Vec<Literal>>>,
}

impl RoundsEncoder<'_> {
    /// The number of rounds of each step, in unary; the first round of a step needs no variable.
    fn add_rounds(&mut self, rounds: u32) {
        let Some(more) = rounds.checked_sub(self.steps) else {
            self.cnf.clause(&[]);
            return;
        };
        for _ in 0..self.steps {
            let longer: Vec<Literal> = (0..more).map(|_| self.cnf.variable()).collect();
            for pair in longer.windows(2) {
                self.cnf.implies(&[pair[1]], &[pair[0]]);
            }
            self.longer.push(longer);
        }
        let all: Vec<Literal> = self.longer.concat();
        self.cnf.at_most(more as usize, &all);
    }

    /// Where a message is after each step, and which links it crosses.
    fn add_message(
        &mut self,
        message: MessageId,
        along: &Neighbours,
        against: &Neighbours,
    ) -> LinkCrossings {
        let problem = self.problem;
        let origin = problem.home(problem.messages().origin(message));
        let destinations = problem.messages().destinations(message);
        let homes: Vec<RouterId> = destinations.iter().map(|&to| problem.home(to)).collect();
        let from_origin = along.distances([origin]);
        let to_destination = against.distances(homes.iter().copied());
        let places: Vec<Vec<Literal>> = (0..from_origin.len())
            .map(|router| {
                if router == origin.index() {
                    return vec![TRUE; self.steps as usize + 1];
                }
                self.add_place(from_origin[router], to_destination[router])
            })
            .collect();
        let mut entries: Vec<Vec<Literal>> = vec![Vec::new(); places.len()];
        let mut crossings = Vec::with_capacity(self.links.len());
        for (number, link) in self.links.iter().enumerate() {
            let (tail, head) = (link.tail.index(), link.head.index());
            let mut by_step = vec![FALSE; self.steps as usize];
            for step in 0..self.steps as usize {
                let is_new = places[head][step + 1] != places[head][step];
                if head == origin.index() || places[tail][step] == FALSE || !is_new {
                    continue;
                }
                let crosses = self.cnf.variable();
                self.cnf.implies(&[crosses], &[places[tail][step]]);
                self.loads[number][step].push(crosses);
                entries[head].push(crosses);
                by_step[step] = crosses;
            }
            crossings.push(by_step);
        }
        for (router, places) in places.iter().enumerate() {
            self.add_arrivals(router, places, &crossings);
            self.cnf.at_most(1, &entries[router]);
        }
        for home in homes {
            let last = places[home.index()][self.steps as usize];
            self.cnf.clause(&[last]);
        }
        crossings
    }

    /// The literals that a message is on a router after 0, 1, … steps. It cannot come earlier than the
    /// distance from its origin, and is of no use if no destination can be reached any more.
    fn add_place(&mut self, from_origin: u32, to_destination: u32) -> Vec<Literal> {
        let last = self.steps.checked_sub(to_destination);
        let last = last.filter(|_| from_origin != UNREACHABLE && to_destination != UNREACHABLE);
        let mut places = vec![FALSE; self.steps as usize + 1];
        for step in 1..=self.steps {
            let is_variable = last.is_some_and(|last| (from_origin..=last).contains(&step));
            places[step as usize] =
                if is_variable { self.cnf.variable() } else { places[step as usize - 1] };
        }
        places
    }

    /// A message that is on a router came in the last step or was there before, and stays.
    fn add_arrivals(&mut self, router: usize, places: &[Literal], crossings: &[Vec<Literal>]) {
        for step in 0..self.steps as usize {
            let (before, after) = (places[step], places[step + 1]);
            if before == after {
                continue;
            }
            let into = self.links.into(router).iter().map(|&link| crossings[link][step]);
            let reasons: Vec<Literal> = into.chain([before]).collect();
            self.cnf.implies(&[after], &reasons);
            self.cnf.implies(&[before], &[after]);
        }
    }

    /// A link carries as many messages in a step as it has channels, times the rounds of the step.
    fn add_loads(&mut self) {
        let loads = std::mem::take(&mut self.loads);
        for (link, by_step) in self.links.iter().zip(&loads) {
            let capacity = link.channels.len();
            for (step, literals) in by_step.iter().enumerate() {
                let Some(longer) = self.longer.get(step) else { return };
                if literals.len() <= capacity {
                    continue;
                }
                let most = (capacity * (longer.len() + 1)).min(literals.len() - 1);
                let counts = self.cnf.count(most, literals);
                for rounds in 1..=most / capacity {
                    let is_longer = longer.get(rounds - 1).copied().unwrap_or(FALSE);
                    self.cnf.implies(&[counts[rounds * capacity]], &[is_longer]);
                }
            }
        }
    }
}
