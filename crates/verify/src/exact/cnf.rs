//! A formula in conjunctive normal form, and the few ways in which the encoding adds to it.
//! Literals are those of DIMACS: a variable's number, negative where it is denied.

/// A literal: a variable or, negative, its denial.
pub type Literal = i32;

/// The literal that holds in every model; its denial holds in none.
pub const TRUE: Literal = 1;

/// Sets of literals up to this size exclude each other pair by pair.
const PAIRWISE: usize = 5;

/// Clauses, one after the other in one block of memory, each ended by a 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cnf {
    literals: Vec<Literal>,
    clauses: u64,
    variables: i32,
    limit: usize,
}

impl Cnf {
    /// A formula that says only that [`TRUE`] holds, and will not grow beyond `limit` literals.
    pub(crate) fn new(limit: usize) -> Self {
        Self { literals: vec![TRUE, 0], clauses: 1, variables: TRUE, limit }
    }

    /// The clauses, in their order.
    pub fn clauses(&self) -> impl Iterator<Item = &[Literal]> {
        let ended = self.literals.split_inclusive(|&literal| literal == 0);
        ended.map(|clause| &clause[..clause.len() - 1])
    }

    /// How many clauses there are.
    pub fn clause_count(&self) -> u64 {
        self.clauses
    }

    /// How many variables there are; they are numbered from 1.
    pub fn variable_count(&self) -> i32 {
        self.variables
    }

    /// How many literals there are in all clauses.
    pub fn literal_count(&self) -> usize {
        self.literals.len() - self.clauses as usize
    }

    /// Whether it would have grown beyond its limit; then it is not whole.
    pub(super) fn is_full(&self) -> bool {
        self.literals.len() > self.limit
    }

    /// A variable that no clause speaks of yet.
    pub(crate) fn variable(&mut self) -> Literal {
        self.variables += 1;
        self.variables
    }

    /// One of these literals holds.
    pub(crate) fn clause(&mut self, literals: &[Literal]) {
        if self.is_full() || literals.contains(&TRUE) {
            return;
        }
        self.literals.extend(literals.iter().filter(|&&literal| literal != -TRUE));
        self.literals.push(0);
        self.clauses += 1;
    }

    /// If all of `given` hold, then one of `literals` does.
    pub(super) fn implies(&mut self, given: &[Literal], literals: &[Literal]) {
        if self.is_full() {
            return;
        }
        let clause: Vec<Literal> =
            given.iter().map(|literal| -literal).chain(literals.iter().copied()).collect();
        self.clause(&clause);
    }

    /// A literal that holds if both do; the same as the other one where one is [`TRUE`].
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

    /// At most `most` of the literals hold.
    pub(super) fn at_most(&mut self, most: usize, literals: &[Literal]) {
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

    /// Literals of which number i (from 0) holds if more than i of `literals` do, for i up to
    /// `most`: a sequential counter, which passes the count so far from literal to literal.
    pub(super) fn count(&mut self, most: usize, literals: &[Literal]) -> Vec<Literal> {
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
