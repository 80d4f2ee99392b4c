//! Encodes "there is a TDM schedule with a period from `from` to `to`" as a formula.
//!
//! The search solves the formula, and the judge builds it again to check a proof against it. For every
//! period P, every message and every slot k, a variable says that a word of the message starts in slot
//! k; for every hop that such a word may take, another one says that it does. A start implies a first
//! hop, a hop implies the next one or the arrival. No two uses of a channel or port are in the same slot
//! modulo P, and a message has at least as many starts as its weight. A model may contain starts and hops
//! that no word needs: they only take slots, and decoding drops them. If words may wrap, a schedule can
//! be rotated, so the first message starts in slot 0.

mod decode;
mod graph;

use crate::cost::{Cost, Limits, OverLimit};
use crate::distance::Neighbours;
use crate::exact::{Cnf, Literal, MOST_LITERALS, TRUE};
use crate::lrat::{self, LratError};
use graph::HopGraph;
use pavane_model::tdm::{TdmMessage, TdmRules};
use pavane_model::{Routing, TdmProblem};
use std::io::BufRead;

/// Version of the encoding. A proof for another version proves nothing, so this number changes whenever
/// the encoding does.
pub const TDM_ENCODING: u32 = 1;

/// Why a refutation is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TdmRefutationError {
    /// The formula or the proof is too large.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
    /// The proof is wrong.
    #[error("{0}")]
    Proof(LratError),
}

/// A formula that is satisfiable if and only if there is a schedule, and the meaning of its variables.
#[derive(Debug)]
pub struct TdmFormula {
    /// The formula.
    pub cnf: Cnf,
    parts: Vec<PeriodPart>,
}

/// The variables for one period.
#[derive(Debug)]
struct PeriodPart {
    period: u32,
    /// The schedule has this period.
    is_chosen: Literal,
    messages: Vec<MessageVariables>,
}

/// The variables of a message.
#[derive(Debug)]
struct MessageVariables {
    graph: HopGraph,
    /// By start: a word starts there.
    starts: Vec<Literal>,
    /// By hop of the graph and start: the word takes the hop.
    hops: Vec<Vec<Literal>>,
}

/// The literal that is false in every model.
const FALSE: Literal = -TRUE;

/// Checks an LRAT proof that no schedule has a period from `from` to `to`, which are at least 1.
pub fn check_tdm_refutation(
    problem: &TdmProblem,
    from: u32,
    to: u32,
    proof: &mut dyn BufRead,
    limits: Limits,
) -> Result<(), TdmRefutationError> {
    let cnf = encode_tdm(problem, from, to, MOST_LITERALS, limits)?.cnf;
    lrat::check_within(&cnf, proof, limits).map_err(|error| match error {
        LratError::OverLimit(over) => TdmRefutationError::OverLimit(over),
        LratError::Io(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
            OverLimit::Proof { why: error.to_string() }.into()
        }
        error => TdmRefutationError::Proof(error),
    })
}

/// Builds the formula with at most `most` literals. The same arguments give the same formula on every
/// machine.
pub fn encode_tdm(
    problem: &TdmProblem,
    from: u32,
    to: u32,
    most: usize,
    limits: Limits,
) -> Result<TdmFormula, OverLimit> {
    let too_large = || OverLimit::Formula {
        why: format!("the formula for periods up to {to} would have more than {most} literals"),
    };
    let size = size_bound(problem, from, to);
    limits.check(Cost::of(size))?;
    if size > most as u64 {
        return Err(too_large());
    }
    let mut cnf = Cnf::new(most);
    let mut parts = Vec::new();
    for period in from..=to {
        let is_chosen = if from == to { TRUE } else { cnf.variable() };
        let messages = PeriodEncoder::new(problem, period, is_chosen, &mut cnf).run();
        parts.push(PeriodPart { period, is_chosen, messages });
    }
    let chosen: Vec<Literal> = parts.iter().map(|part| part.is_chosen).collect();
    cnf.clause(&chosen);
    if cnf.is_full() { Err(too_large()) } else { Ok(TdmFormula { cnf, parts }) }
}

/// An upper bound on the variables with their uses.
fn size_bound(problem: &TdmProblem, from: u32, to: u32) -> u64 {
    let (network, rules) = (problem.network(), problem.rules());
    let routers = network.router_count() as u64;
    let layers = match rules.routing {
        Routing::Minimal => 1,
        Routing::Detour(more) => u64::from(more).saturating_add(1).min(routers),
        Routing::Any => routers,
    };
    let hops = (network.channel_count() as u64).saturating_mul(layers);
    let rows = hops.saturating_add(2 * network.processor_count() as u64).saturating_add(layers);
    let uses = rows.saturating_mul(rules.phits.min(to.max(1)).into());
    let of_message = |message: &TdmMessage| uses.saturating_add(message.weight.min(to).into());
    let per_start = problem.messages().iter().map(of_message).fold(0, u64::saturating_add);
    let periods = u64::from(to.saturating_sub(from)) + 1;
    per_start.saturating_mul(periods).saturating_mul(to.into())
}

/// Adds the clauses for one period.
struct PeriodEncoder<'a> {
    problem: &'a TdmProblem,
    rules: TdmRules,
    period: u32,
    is_chosen: Literal,
    cnf: &'a mut Cnf,
    /// The literals that use each channel, injection port and ejection port, in one list per slot.
    channels: Vec<Vec<Vec<Literal>>>,
    injections: Vec<Vec<Vec<Literal>>>,
    ejections: Vec<Vec<Vec<Literal>>>,
}

impl<'a> PeriodEncoder<'a> {
    fn new(problem: &'a TdmProblem, period: u32, is_chosen: Literal, cnf: &'a mut Cnf) -> Self {
        let network = problem.network();
        let lists = |count: usize| vec![vec![Vec::new(); period as usize]; count];
        Self {
            problem,
            rules: problem.rules(),
            period,
            is_chosen,
            cnf,
            channels: lists(network.channel_count()),
            injections: lists(network.processor_count()),
            ejections: lists(network.processor_count()),
        }
    }

    fn run(mut self) -> Vec<MessageVariables> {
        let against = Neighbours::against(self.problem.network());
        let mut all = Vec::new();
        for message in self.problem.messages() {
            if self.cnf.is_full() {
                break;
            }
            let graph = HopGraph::new(self.problem, message, &against);
            all.push(self.message(message, graph));
        }
        let lists = [&self.channels, &self.injections, &self.ejections];
        for of_slot in lists.into_iter().flatten().flatten() {
            self.cnf.at_most(1, of_slot);
        }
        if let (true, Some(first)) = (self.rules.wraps, all.first()) {
            let first = first.starts[0];
            self.cnf.clause(&[-self.is_chosen, first]);
        }
        all
    }

    /// The starts, hops and arrivals of a message.
    fn message(&mut self, message: &TdmMessage, graph: HopGraph) -> MessageVariables {
        let period = self.period;
        let starts: Vec<Literal> = (0..period)
            .map(|start| if self.fits(start, graph.fewest) { self.cnf.variable() } else { FALSE })
            .collect();
        // Every way may take another number of hops; the only one of minimal routing needs no variable.
        let arrivals: Vec<Vec<Literal>> = (0..=graph.most)
            .map(|hops| {
                let arrival = |start: u32| {
                    if hops < graph.fewest || !self.fits(start, hops) {
                        FALSE
                    } else if graph.fewest == graph.most {
                        starts[start as usize]
                    } else {
                        self.cnf.variable()
                    }
                };
                (0..period).map(arrival).collect()
            })
            .collect();
        let mut hop = |&start: &Literal| if start == FALSE { FALSE } else { self.cnf.variable() };
        let hops: Vec<Vec<Literal>> =
            graph.hops.iter().map(|_| starts.iter().map(&mut hop).collect()).collect();
        for start in 0..period {
            self.way(message, &graph, start, &starts, &hops, &arrivals);
        }
        self.at_least(message.weight, &starts);
        if let Some(most) = message.max_latency {
            self.latency(message.weight, most, &starts, &arrivals);
        }
        MessageVariables { graph, starts, hops }
    }

    /// Whether a word with this start and number of hops ends within the period, if it must.
    fn fits(&self, start: u32, hops: u32) -> bool {
        let rules = self.rules;
        let end = u64::from(start) + u64::from(rules.depth) * (u64::from(hops) + 1);
        rules.wraps || end + u64::from(rules.phits) <= u64::from(self.period)
    }

    /// The way of a word with one start.
    fn way(
        &mut self,
        message: &TdmMessage,
        graph: &HopGraph,
        start: u32,
        starts: &[Literal],
        hops: &[Vec<Literal>],
        arrivals: &[Vec<Literal>],
    ) {
        let at = start as usize;
        if starts[at] == FALSE {
            return;
        }
        self.add_use(starts[at], start, 0, |encoder| &mut encoder.injections[message.from.index()]);
        // A word that stays on its router has no hop, and arrives when it starts.
        if graph.most > 0 {
            let first: Vec<Literal> = graph.after(None).map(|hop| hops[hop][at]).collect();
            self.cnf.implies(&[starts[at]], &first);
        }
        for (number, hop) in graph.hops.iter().enumerate() {
            let is_taken = hops[number][at];
            self.add_use(is_taken, start, hop.number + 1, |encoder| {
                &mut encoder.channels[hop.channel.index()]
            });
            if hop.is_last {
                self.cnf.implies(&[is_taken], &[arrivals[hop.number as usize + 1][at]]);
            } else {
                let next: Vec<Literal> =
                    graph.after(Some(number)).map(|hop| hops[hop][at]).collect();
                self.cnf.implies(&[is_taken], &next);
            }
        }
        for (count, arrivals) in (0..).zip(arrivals) {
            self.add_use(arrivals[at], start, count + 1, |encoder| {
                &mut encoder.ejections[message.to.index()]
            });
        }
        if graph.fewest < graph.most {
            // No router is entered twice.
            for into in graph.entries() {
                let entries: Vec<Literal> = into.iter().map(|&hop| hops[hop][at]).collect();
                self.cnf.at_most(1, &entries);
            }
        }
    }

    /// A literal uses a resource from `hops` hops after a start, for as long as a word lasts.
    fn add_use(
        &mut self,
        literal: Literal,
        start: u32,
        hops: u32,
        resource: impl Fn(&mut Self) -> &mut Vec<Vec<Literal>>,
    ) {
        if literal == FALSE {
            return;
        }
        let first = u64::from(start) + u64::from(self.rules.depth) * u64::from(hops);
        // A use that is longer than the period overlaps itself: the literal is listed twice in a slot.
        let phits = self.rules.phits.min(self.period.saturating_add(1));
        for phit in 0..u64::from(phits) {
            let slot = (first + phit) % u64::from(self.period);
            resource(self)[slot as usize].push(literal);
        }
    }

    /// At least `least` of the literals are true if the period is chosen. Row i of the counter says that
    /// at least j of the first i literals are true.
    fn at_least(&mut self, least: u32, literals: &[Literal]) {
        if least == 1 {
            let clause: Vec<Literal> = literals.iter().copied().chain([-self.is_chosen]).collect();
            self.cnf.clause(&clause);
            return;
        }
        let mut counts = vec![FALSE; least.min(self.period.saturating_add(1)) as usize + 1];
        counts[0] = TRUE;
        for &literal in literals {
            let mut next = vec![TRUE];
            for count in 1..counts.len() {
                if counts[count - 1] == FALSE {
                    next.push(FALSE);
                    continue;
                }
                let reached = self.cnf.variable();
                self.cnf.implies(&[reached], &[counts[count], literal]);
                self.cnf.implies(&[reached], &[counts[count], counts[count - 1]]);
                next.push(reached);
            }
            counts = next;
        }
        self.cnf.clause(&[-self.is_chosen, counts[counts.len() - 1]]);
    }

    /// The gap before a start and the way of the word take at most `most` slots. The message has exactly
    /// its words, because others would shorten gaps.
    fn latency(&mut self, weight: u32, most: u32, starts: &[Literal], arrivals: &[Vec<Literal>]) {
        self.cnf.at_most(weight as usize, starts);
        for (hops, arrivals) in arrivals.iter().enumerate() {
            let gap = u64::from(most).saturating_sub(self.rules.travel(hops));
            if gap >= u64::from(self.period) {
                continue;
            }
            for (start, &arrival) in arrivals.iter().enumerate() {
                let back = |slots: usize| starts[(start + starts.len() - slots) % starts.len()];
                let before: Vec<Literal> = (1..=gap as usize).map(back).collect();
                self.cnf.implies(&[arrival], &before);
            }
        }
    }
}
