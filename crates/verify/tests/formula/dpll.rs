//! A small SAT solver: unit propagation and backtracking, without learning (Davis, Logemann and
//! Loveland, 1962). It is here so that the tests of the formula depend on no other solver.

use pavane_verify::exact::{Cnf, Literal};

/// Result of a search.
#[derive(Debug)]
pub enum Answer {
    /// A model: the value of each variable, by number.
    Satisfiable(Vec<bool>),
    Unsatisfiable,
    /// The limit on decisions was reached.
    Undecided,
}

/// Decides a formula with at most `most_decisions` decisions.
pub fn solve(cnf: &Cnf, most_decisions: u64) -> Answer {
    let clauses: Vec<Vec<Literal>> = cnf.clauses().map(<[Literal]>::to_vec).collect();
    let variables = cnf.variable_count() as usize;
    let mut occurrences = vec![Vec::new(); 2 * variables + 2];
    for (number, clause) in clauses.iter().enumerate() {
        for &literal in clause {
            occurrences[place(literal)].push(number);
        }
    }
    let mut solver = Solver { clauses, occurrences, values: vec![0; variables + 1], trail: vec![] };
    let units: Vec<Literal> =
        solver.clauses.iter().filter(|clause| clause.len() == 1).map(|clause| clause[0]).collect();
    let has_empty_clause = solver.clauses.iter().any(Vec::is_empty);
    if has_empty_clause || units.into_iter().any(|unit| !solver.propagate(unit)) {
        return Answer::Unsatisfiable;
    }
    solver.search(most_decisions)
}

/// The index of a literal in lists by literal.
fn place(literal: Literal) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

struct Solver {
    clauses: Vec<Vec<Literal>>,
    /// For each literal, the clauses that contain it.
    occurrences: Vec<Vec<usize>>,
    /// For each variable: 1 if true, -1 if false, 0 if open.
    values: Vec<i8>,
    /// The literals that are true, in the order in which they became true.
    trail: Vec<Literal>,
}

impl Solver {
    fn value(&self, literal: Literal) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal > 0 { value } else { -value }
    }

    /// Makes a literal true, and all that follow from it. Returns whether no clause is violated.
    fn propagate(&mut self, literal: Literal) -> bool {
        let mut next = self.trail.len();
        if !self.make_true(literal) {
            return false;
        }
        while let Some(&literal) = self.trail.get(next) {
            next += 1;
            for index in 0..self.occurrences[place(-literal)].len() {
                let clause = &self.clauses[self.occurrences[place(-literal)][index]];
                if clause.iter().any(|&literal| self.value(literal) == 1) {
                    continue;
                }
                let mut open = clause.iter().copied().filter(|&literal| self.value(literal) == 0);
                match (open.next(), open.next()) {
                    (None, _) => return false,
                    (Some(only), None) => {
                        self.make_true(only);
                    }
                    _ => {}
                }
            }
        }
        true
    }

    /// Returns whether the literal is not already false.
    fn make_true(&mut self, literal: Literal) -> bool {
        if self.value(literal) == 0 {
            self.values[literal.unsigned_abs() as usize] = if literal > 0 { 1 } else { -1 };
            self.trail.push(literal);
        }
        self.value(literal) == 1
    }

    /// Decides the first open variable, true first, until all have values or no choice is left.
    fn search(&mut self, most_decisions: u64) -> Answer {
        // Decisions that can still be reversed, each with the length of the trail before it.
        let mut decisions: Vec<(usize, Literal)> = Vec::new();
        for _ in 0..most_decisions {
            let Some(variable) = (1..self.values.len()).find(|&at| self.values[at] == 0) else {
                return Answer::Satisfiable(self.values.iter().map(|&value| value == 1).collect());
            };
            let mut decision = variable as Literal;
            decisions.push((self.trail.len(), decision));
            while !self.propagate(decision) {
                let Some((length, reversed)) = decisions.pop() else {
                    return Answer::Unsatisfiable;
                };
                for literal in self.trail.drain(length..) {
                    self.values[literal.unsigned_abs() as usize] = 0;
                }
                decision = -reversed;
            }
        }
        Answer::Undecided
    }
}
