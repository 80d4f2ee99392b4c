//! Records the clauses that the solver derives, and writes those that the empty clause depends on
//! as an LRAT proof.

use cadical_sys::ProofTracer;
use pavane_verify::exact::{Cnf, Literal};
use std::io::{self, Write};

/// Largest number of literals and hints recorded; a longer proof is abandoned.
const MOST_REMEMBERED: usize = 1 << 28;

/// Where a clause comes from: i > 0 is clause i of the formula, -i is derived clause i.
type Source = i32;

/// Proof tracer that records every clause the solver derives.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    /// The source of each clause, by the solver's clause number; 0 for none.
    sources: Vec<Source>,
    originals: i32,
    trace: Trace,
    /// Whether the solver used a step that LRAT hints cannot justify, or the proof is too long.
    is_broken: bool,
    is_refuted: bool,
}

/// Derived clauses with their hints, stored contiguously.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    /// The end of the literals and the end of the hints of each derived clause.
    ends: Vec<(usize, usize)>,
    literals: Vec<Literal>,
    hints: Vec<Source>,
}

impl Tracer {
    /// Whether recording has stopped.
    pub fn is_full(&self) -> bool {
        self.is_broken
    }

    /// The derivation of the empty clause, if it is complete. `cnf` is the formula that was solved.
    pub fn into_trace(mut self, cnf: &Cnf) -> Option<Trace> {
        if let Some(index) = cnf.clauses().position(<[Literal]>::is_empty) {
            self.trace = Trace::default();
            self.trace.push(&[], [index as Source + 1]);
            return Some(self.trace);
        }
        let is_whole = self.is_refuted && !self.is_broken;
        (is_whole && self.originals as u64 == cnf.clause_count()).then_some(self.trace)
    }

    fn set_source(&mut self, id: i64, source: Source) {
        let Ok(id) = usize::try_from(id) else { return };
        if self.sources.len() <= id {
            self.sources.resize(id + 1, 0);
        }
        self.sources[id] = source;
    }

    fn source(&self, id: i64) -> Source {
        let id = usize::try_from(id).ok();
        id.and_then(|id| self.sources.get(id)).copied().unwrap_or(0)
    }
}

impl Trace {
    fn push(&mut self, literals: &[Literal], hints: impl IntoIterator<Item = Source>) {
        self.literals.extend_from_slice(literals);
        self.hints.extend(hints);
        self.ends.push((self.literals.len(), self.hints.len()));
    }

    fn clause(&self, index: usize) -> (&[Literal], &[Source]) {
        let (first, first_hint) = match index {
            0 => (0, 0),
            index => self.ends[index - 1],
        };
        let (last, last_hint) = self.ends[index];
        (&self.literals[first..last], &self.hints[first_hint..last_hint])
    }

    /// Writes the clauses that the last one, the empty clause, depends on. `clauses` is the number
    /// of clauses of the formula. Every derived clause is deleted after its last use.
    pub fn write(&self, clauses: u64, out: &mut dyn Write) -> io::Result<()> {
        let last_use = self.last_uses();
        let mut number = clauses;
        // The number of each derived clause in the proof.
        let mut numbers = vec![0u64; self.ends.len()];
        for index in 0..self.ends.len() {
            if last_use[index] == 0 {
                continue;
            }
            number += 1;
            numbers[index] = number;
            let (literals, hints) = self.clause(index);
            write!(out, "{number}")?;
            for literal in literals {
                write!(out, " {literal}")?;
            }
            write!(out, " 0")?;
            for &hint in hints {
                let hint = derived(hint).map_or(hint as u64, |index| numbers[index]);
                write!(out, " {hint}")?;
            }
            writeln!(out, " 0")?;
            let mut done: Vec<u64> = hints
                .iter()
                .filter_map(|&hint| derived(hint))
                .filter(|&hint| last_use[hint] == index)
                .map(|hint| numbers[hint])
                .collect();
            done.sort_unstable();
            done.dedup();
            if !done.is_empty() {
                write!(out, "{number} d")?;
                for clause in done {
                    write!(out, " {clause}")?;
                }
                writeln!(out, " 0")?;
            }
        }
        Ok(())
    }

    /// For each derived clause that the empty clause depends on, the last derived clause that uses
    /// it; for the others 0, which is never a use, because clause 0 has no predecessors.
    fn last_uses(&self) -> Vec<usize> {
        let mut last_use = vec![0; self.ends.len()];
        let Some(empty) = self.ends.len().checked_sub(1) else { return last_use };
        last_use[empty] = usize::MAX;
        for index in (0..=empty).rev() {
            if last_use[index] == 0 {
                continue;
            }
            for hint in self.clause(index).1.iter().filter_map(|&hint| derived(hint)) {
                last_use[hint] = last_use[hint].max(index);
            }
        }
        last_use
    }
}

/// The index of a derived clause; `None` for a clause of the formula.
fn derived(source: Source) -> Option<usize> {
    (source < 0).then(|| source.unsigned_abs() as usize - 1)
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _: bool, _: &[i32], is_restored: bool) {
        if !is_restored {
            self.originals += 1;
            self.set_source(id, self.originals);
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _: bool,
        witness: i32,
        clause: &[i32],
        hints: &[i64],
    ) {
        if self.is_refuted || self.is_broken {
            return;
        }
        let remembered = self.trace.literals.len() + self.trace.hints.len();
        let sources: Vec<Source> = hints.iter().map(|&hint| self.source(hint)).collect();
        self.is_broken = witness != 0 || sources.contains(&0) || remembered > MOST_REMEMBERED;
        if self.is_broken {
            self.trace = Trace::default();
            return;
        }
        self.trace.push(clause, sources);
        self.is_refuted = clause.is_empty();
        self.set_source(id, -(self.trace.ends.len() as Source));
    }

    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn add_assumption_clause(&mut self, _: i64, _: &[i32], _: &[i64]) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}
