//! A formula in conjunctive normal form and the operations by which the encoding extends it.
//! Literals are as in DIMACS: the number of a variable, negative if negated.

/// A literal: a variable, or its negation if negative.
pub type Literal = i32;

/// The literal that is true in every model.
pub const TRUE: Literal = 1;

/// Up to this many literals, at-most-one is encoded pairwise.
const PAIRWISE: usize = 5;

/// Clauses in one block of memory, each terminated by a 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cnf {
    literals: Vec<Literal>,
    clauses: u64,
    variables: i32,
    limit: usize,
}

impl Cnf {
    /// A formula that only asserts [`TRUE`]. It stops growing beyond `limit` literals.
    pub(crate) fn new(limit: usize) -> Self {
        Self { literals: vec![TRUE, 0], clauses: 1, variables: TRUE, limit }
    }

    /// The clauses, in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[Literal]> {
        let ended = self.literals.split_inclusive(|&literal| literal == 0);
        ended.map(|clause| &clause[..clause.len() - 1])
    }

    /// Number of clauses.
    pub fn clause_count(&self) -> u64 {
        self.clauses
    }

    /// Number of variables; they are numbered from 1.
    pub fn variable_count(&self) -> i32 {
        self.variables
    }

    /// Number of literals in all clauses.
    pub fn literal_count(&self) -> usize {
        self.literals.len() - self.clauses as usize
    }

    /// Whether the limit was exceeded, so that the formula is incomplete.
    pub(crate) fn is_full(&self) -> bool {
        self.literals.len() > self.limit
    }

    /// Adds a variable.
    pub(crate) fn variable(&mut self) -> Literal {
        self.variables += 1;
        self.variables
    }

    /// At least one of the literals is true.
    pub(crate) fn clause(&mut self, literals: &[Literal]) {
        if self.is_full() || literals.contains(&TRUE) {
            return;
        }
        self.literals.extend(literals.iter().filter(|&&literal| literal != -TRUE));
        self.literals.push(0);
        self.clauses += 1;
    }

    /// If all of `given` are true, at least one of `literals` is.
    pub(crate) fn implies(&mut self, given: &[Literal], literals: &[Literal]) {
        if self.is_full() {
            return;
        }
        let clause: Vec<Literal> =
            given.iter().map(|literal| -literal).chain(literals.iter().copied()).collect();
        self.clause(&clause);
    }

    /// A literal equivalent to the conjunction of both; if one is [`TRUE`], the other one itself.
    pub(super) fn both(&mut self, one: Literal, other: Literal) -> Literal {
        match (one, other) {
            (TRUE, literal) | (literal, TRUE) => literal,
            _ => {
                let both = self.variable();
                self.implies(&[one, other], &[both]);
                self.implies(&[both], &[one]);
                self.implies(&[both], &[other]);
                both
            }
        }
    }

    /// At most `most` of the literals are true.
    pub(crate) fn at_most(&mut self, most: usize, literals: &[Literal]) {
        if literals.len() <= most {
            return;
        }
        if most == 1 && literals.len() <= PAIRWISE {
            for (index, &one) in literals.iter().enumerate() {
                for &other in &literals[index + 1..] {
                    self.clause(&[-one, -other]);
                }
            }
            return;
        }
        let counts = self.count(most, literals);
        self.clause(&[-counts[most]]);
    }

    /// Literals of which the one at index i is true if more than i of `literals` are, for i up to
    /// `most`. A sequential counter, which carries the count so far from literal to literal.
    pub(crate) fn count(&mut self, most: usize, literals: &[Literal]) -> Vec<Literal> {
        let mut so_far: Vec<Literal> = vec![-TRUE; most + 1];
        for &literal in literals {
            if self.is_full() {
                break;
            }
            let mut next = Vec::with_capacity(so_far.len());
            for index in 0..so_far.len() {
                let before = if index == 0 { TRUE } else { so_far[index - 1] };
                if before == -TRUE {
                    next.push(-TRUE);
                    continue;
                }
                let reached = self.variable();
                self.implies(&[so_far[index]], &[reached]);
                self.implies(&[before, literal], &[reached]);
                next.push(reached);
            }
            so_far = next;
        }
        so_far
    }
}
