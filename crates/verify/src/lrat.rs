//! Checks a refutation in textual LRAT: every added clause must follow from earlier clauses by unit
//! propagation along its hints (RUP), and the last clause must be empty. After Cruz-Filipe, Heule,
//! Hunt, Kaufmann and Schneider-Kamp, CADE 2017. RAT clauses are refused. The proof is read once,
//! as a stream.

mod words;

use crate::cost::{Limits, MOST_BYTES, MOST_OPERATIONS, OverLimit};
use crate::exact::{Cnf, Literal};
use std::collections::HashMap;
use std::io::{self, BufRead};
use words::{Word, Words};

/// Operations that are always allowed per byte of the proof. A line must name every clause that it
/// uses, so honest work grows with the length of the proof. Solver proofs take 1 to 5 operations
/// per byte.
const OPERATIONS_PER_BYTE: u64 = 50;

/// Memory of a clause besides its literals.
const BYTES_PER_CLAUSE: u64 = 80;

/// Why a proof is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LratError {
    /// A line is wrong.
    #[error("line {line} of the proof: {problem}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// The proof ends before the empty clause.
    #[error("the proof ends at line {line} without deriving the empty clause")]
    Unfinished {
        /// The last line.
        line: u64,
    },
    /// The proof cannot be read.
    #[error("the proof cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Checking the proof exceeds a time or memory limit.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
}

/// Accepts a proof that the formula is unsatisfiable.
pub fn check(cnf: &Cnf, proof: &mut dyn BufRead) -> Result<(), LratError> {
    check_within(cnf, proof, Limits { operations: MOST_OPERATIONS, bytes: MOST_BYTES })
}

/// Like [`check`], with limits on the cost.
pub fn check_within(cnf: &Cnf, proof: &mut dyn BufRead, limits: Limits) -> Result<(), LratError> {
    let mut checker = Checker::new(cnf, limits);
    let mut words = Words::new(proof);
    loop {
        let Some(id) = words.next_if_any()? else {
            return Err(LratError::Unfinished { line: words.line });
        };
        let is_refuted = checker.step(id, &mut words).map_err(|failure| match failure {
            Failure::Wrong(problem) => LratError::Line { line: words.line, problem },
            Failure::Error(error) => error,
        })?;
        if is_refuted {
            // Reads the rest as well: a truncated compressed file may lack only its checksum.
            return words.read_to_end();
        }
    }
}

/// What failed within a line.
enum Failure {
    Wrong(String),
    Error(LratError),
}

impl From<OverLimit> for Failure {
    fn from(over: OverLimit) -> Self {
        Self::Error(over.into())
    }
}

impl From<LratError> for Failure {
    fn from(error: LratError) -> Self {
        Self::Error(error)
    }
}

fn wrong<T>(problem: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Wrong(problem.into()))
}

/// The clauses that currently hold, by number, and the assumptions of the current line.
struct Checker {
    /// The proof chooses the keys, so the hash must be unpredictable.
    clauses: HashMap<i64, Box<[Literal]>>,
    /// Memory of all clauses in bytes.
    kept: u64,
    /// Number of literals visited.
    looks: u64,
    limits: Limits,
    last_id: i64,
    /// For each variable: 1 if assumed true, -1 if assumed false, 0 if unassigned.
    values: Vec<i8>,
    assumed: Vec<Literal>,
}

impl Checker {
    fn new(cnf: &Cnf, limits: Limits) -> Self {
        let clauses: HashMap<i64, Box<[Literal]>> =
            (1..).zip(cnf.clauses()).map(|(id, clause)| (id, clause.into())).collect();
        Self {
            last_id: clauses.len() as i64,
            clauses,
            kept: cnf.clauses().map(bytes).sum(),
            looks: 0,
            limits,
            values: vec![0; cnf.variable_count() as usize + 1],
            assumed: Vec::new(),
        }
    }

    /// Processes one line after its number. Returns whether it added the empty clause.
    fn step(&mut self, id: i64, words: &mut Words<'_>) -> Result<bool, Failure> {
        match words.next()? {
            Word::Delete => self.delete(words).map(|()| false),
            Word::Number(first) => self.add(id, first, words),
        }
    }

    fn delete(&mut self, words: &mut Words<'_>) -> Result<(), Failure> {
        loop {
            match words.number()? {
                0 => return Ok(()),
                id => match self.clauses.remove(&id) {
                    Some(clause) => self.kept -= bytes(&clause),
                    None => return wrong(format!("there is no clause {id} to delete")),
                },
            }
        }
    }

    fn add(&mut self, id: i64, first: i64, words: &mut Words<'_>) -> Result<bool, Failure> {
        if id <= self.last_id {
            return wrong(format!("clause number {id} is not greater than {}", self.last_id));
        }
        let clause = self.read_clause(first, words)?;
        let follows = self.propagate(words);
        for literal in self.assumed.drain(..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        if !follows? {
            return wrong(format!("clause {id} does not follow from its hints"));
        }
        self.kept += bytes(&clause);
        if self.kept > self.limits.bytes {
            let (cost, limit) = (self.kept, self.limits.bytes);
            return Err(OverLimit::Bytes { cost, limit }.into());
        }
        self.last_id = id;
        let is_empty = clause.is_empty();
        self.clauses.insert(id, clause.into());
        Ok(is_empty)
    }

    /// Reads a clause and assumes the negation of each of its literals.
    fn read_clause(&mut self, first: i64, words: &mut Words<'_>) -> Result<Vec<Literal>, Failure> {
        let mut clause = Vec::new();
        let mut next = first;
        while next != 0 {
            let variables = self.values.len() as i64 - 1;
            let literal = match Literal::try_from(next) {
                Ok(literal) if next.abs() <= variables => literal,
                _ => {
                    return wrong(format!(
                        "{next} is not a literal: there are {variables} variables"
                    ));
                }
            };
            if clause.len() >= 2 * self.values.len() {
                return wrong("a clause has more literals than the formula");
            }
            // A literal already assumed false is a duplicate within this clause.
            if self.value(literal) >= 0 {
                clause.push(literal);
            }
            self.assume(-literal);
            next = words.number()?;
        }
        Ok(clause)
    }

    fn value(&self, literal: Literal) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal > 0 { value } else { -value }
    }

    fn assume(&mut self, literal: Literal) {
        // A literal that already has a value is skipped. In a tautology, either value of the
        // variable will do.
        if self.value(literal) == 0 {
            self.values[literal.unsigned_abs() as usize] = if literal > 0 { 1 } else { -1 };
            self.assumed.push(literal);
        }
    }

    /// Whether unit propagation along the hints reaches a contradiction.
    fn propagate(&mut self, words: &mut Words<'_>) -> Result<bool, Failure> {
        let mut is_contradiction = false;
        loop {
            let hint = words.number()?;
            if hint == 0 {
                return Ok(is_contradiction);
            }
            if hint < 0 {
                return wrong(format!("the hint {hint} requires RAT, which is not supported"));
            }
            if is_contradiction {
                continue;
            }
            let Some(clause) = self.clauses.get(&hint) else {
                return wrong(format!("a hint names clause {hint}, which does not exist"));
            };
            let length = clause.len() as u64;
            let mut open = clause.iter().copied().filter(|&literal| self.value(literal) >= 0);
            match (open.next(), open.next()) {
                (None, _) => is_contradiction = true,
                (Some(literal), None) => self.assume(literal),
                _ => return wrong(format!("the hint {hint} leaves several literals unassigned")),
            }
            self.count_looks(length, words.bytes)?;
        }
    }

    /// Counts visited literals. The limit grows with `bytes`, the length of the proof read so far.
    fn count_looks(&mut self, looks: u64, bytes: u64) -> Result<(), OverLimit> {
        self.looks = self.looks.saturating_add(looks);
        let limit = self.limits.operations.max(bytes.saturating_mul(OPERATIONS_PER_BYTE));
        if self.looks > limit { Err(OverLimit::Stopped { limit }) } else { Ok(()) }
    }
}

/// Memory of a clause in bytes.
fn bytes(clause: &[Literal]) -> u64 {
    BYTES_PER_CLAUSE + 4 * clause.len() as u64
}

#[cfg(test)]
mod tests {
    use super::{check, check_within};
    use crate::cost::Limits;
    use crate::exact::{Cnf, Literal};

    /// All four clauses over variables 2 and 3; clause 1 concerns variable 1 only.
    fn check_text(proof: &str) -> Result<(), String> {
        let mut cnf = Cnf::new(100);
        let (a, b) = (cnf.variable(), cnf.variable());
        for clause in [[a, b], [a, -b], [-a, b], [-a, -b]] {
            cnf.clause(&clause);
        }
        check(&cnf, &mut proof.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn valid_proofs_are_accepted() {
        for proof in [
            "6 2 0 2 3 0\n7 0 6 4 5 0\n",
            // Gaps in the clause numbers, extra spaces and line breaks are allowed.
            "10  2 0 2 3 0 11\n0 10 4 5 0",
            "6 2 0 2 3 0\n6 d 2 3 0\n7 3 0 6 4 0\n8 0 6 7 5 0\n",
            // A duplicate literal, a surplus hint, and text after the empty clause are allowed.
            "6 2 2 0 2 3 5 0\n7 0 6 4 5 0\nand so on",
        ] {
            assert_eq!(check_text(proof), Ok(()), "{proof}");
        }
    }

    #[test]
    fn invalid_proofs_are_refused_with_the_line() {
        for (proof, expected) in [
            ("", "the proof ends at line 1 without"),
            ("6 2 0 2 3 0\n", "the proof ends at line 2 without"),
            ("6 2 0 2 3 0\n7 0 6 4 5", "the proof ends at line 2 without"),
            ("6 2 0 2 3 0\n7 0 6 4 0\n", "line 2 of the proof: clause 7 does not follow"),
            ("6 0 0\n", "line 1 of the proof: clause 6 does not follow"),
            ("6 2 0 2 0\n", "line 1 of the proof: clause 6 does not follow"),
            ("6 2 0 3 2 1 0\n7 2 0 9 0\n", "line 2 of the proof: a hint names clause 9"),
            ("6 2 0 6 0\n", "line 1 of the proof: a hint names clause 6"),
            ("6 2 0 -2 3 0\n", "line 1 of the proof: the hint -2 requires RAT"),
            ("6 2 0 4 5 0\n", "line 1 of the proof: the hint 4 leaves several literals unassigned"),
            ("6 0 2 3 0\n", "line 1 of the proof: the hint 2 leaves several literals unassigned"),
            ("6 4 0 2 3 0\n", "line 1 of the proof: 4 is not a literal: there are 3 variables"),
            (
                "6 -9223372036854775807 0",
                "line 1 of the proof: -9223372036854775807 is not a literal",
            ),
            ("5 2 0 2 3 0\n", "line 1 of the proof: clause number 5 is not greater than 5"),
            ("6 2 0 2 3 0\n6 0 6 4 5 0\n", "line 2 of the proof: clause number 6 is not greater"),
            ("6 d 9 0\n", "line 1 of the proof: there is no clause 9 to delete"),
            ("6 d 2 0\n6 2 0 2 3 0\n", "line 2 of the proof: a hint names clause 2"),
            ("6 2 0 two 3 0\n", "line 1 of the proof: expected a number, found \"two\""),
            ("6 2 0 2 d 0\n", "line 1 of the proof: expected a number, found `d`"),
            (
                "99999999999999999999 0",
                "line 1 of the proof: expected a number, found \"99999999999999999999\"",
            ),
            (
                "1234567890123456789012345678901234567890",
                "line 1 of the proof: expected a number, found a longer",
            ),
            ("6 2 -2 -2 -2 -2 -2 -2 -2 -2 0", "line 1 of the proof: a clause has more literals"),
            ("\0", "line 1 of the proof: expected a number, found \"\\0\""),
        ] {
            let error = check_text(proof).expect_err(proof);
            assert!(error.starts_with(expected), "{proof:?}: {error}");
        }
    }

    /// The error of a check within limits, for a formula of one clause over `variables` variables.
    fn check_long(variables: usize, proof: &str, limits: Limits) -> String {
        let mut cnf = Cnf::new(2 * variables);
        let clause: Vec<Literal> = (0..variables).map(|_| cnf.variable()).collect();
        cnf.clause(&clause);
        check_within(&cnf, &mut proof.as_bytes(), limits).unwrap_err().to_string()
    }

    #[test]
    fn a_proof_that_looks_at_a_long_clause_again_and_again_is_stopped() {
        // All literals of clause 2 but one are assumed false, and it is hinted ten thousand times.
        let denied: Vec<String> = (2..=2000).map(|literal| literal.to_string()).collect();
        let proof = format!("3 {} 0 {}0\n", denied.join(" "), "2 ".repeat(10_000));
        let limits = Limits { operations: 1_000, bytes: 1 << 30 };
        let error = check_long(2_000, &proof, limits);
        assert!(error.starts_with("it takes more than the "), "{error}");
        let limits = Limits { operations: 1 << 40, ..limits };
        let error = check_long(2_000, &proof, limits);
        assert!(error.contains("clause 3 does not follow"), "{error}");
    }

    #[test]
    fn a_proof_that_keeps_too_many_clauses_is_stopped() {
        // Clause 1 asserts variable 1, and every later clause repeats it.
        let lines: Vec<String> = (3..1_000).map(|id| format!("{id} 1 0 1 0")).collect();
        let limits = Limits { operations: 1 << 40, bytes: 20_000 };
        let error = check_long(2, &lines.join("\n"), limits);
        assert!(error.starts_with("it would take about"), "{error}");
        let limits = Limits { bytes: 1 << 30, ..limits };
        let error = check_long(2, &lines.join("\n"), limits);
        assert!(error.contains("without deriving the empty clause"), "{error}");
    }
}
