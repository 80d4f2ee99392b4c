//! The formula of a phase. In every step, the routers at which a message begins or ends to use a
//! direction divide the cycles of that direction into segments; each segment is one message, or one
//! idle channel if there is room. A message of a class begins at every router in exactly one step.

use super::classes::{OffsetClass, length};
use crate::budget::Budget;
use crate::exact::find_model;
use crate::rng::Rng;

/// A message of a phase: the router where it begins, and its class.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassMember {
    pub from: usize,
    pub class: OffsetClass,
}

/// Places the messages of all classes in as few steps as the channels allow; `next` has the next
/// router of every router in both directions. `None` if the solver finds no model.
pub(super) fn solve(
    next: [&[usize]; 2],
    classes: &[OffsetClass],
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Vec<Vec<ClassMember>>> {
    if classes.is_empty() {
        return Some(Vec::new());
    }
    let formula = PhaseFormula::new(next, classes);
    let seed = rng.below(1 << 20) as u32;
    let model = find_model(formula.clauses(), formula.variables(), seed, budget)?;
    Some(formula.read(&model))
}

/// Variables, in this order per step: for each direction, whether a segment begins at a router;
/// for each direction, whether the channel from a router is idle; for each class, whether its message
/// from a router is in the step.
struct PhaseFormula<'a> {
    next: [&'a [usize]; 2],
    classes: &'a [OffsetClass],
    steps: usize,
    literals: Vec<i32>,
}

impl<'a> PhaseFormula<'a> {
    fn new(next: [&'a [usize]; 2], classes: &'a [OffsetClass]) -> Self {
        let mut formula = Self { next, classes, steps: length(classes), literals: Vec::new() };
        for step in 0..formula.steps {
            formula.write_step(step);
        }
        formula.write_messages();
        formula
    }

    fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let ended = self.literals.split_inclusive(|&literal| literal == 0);
        ended.map(|clause| &clause[..clause.len() - 1])
    }

    fn routers(&self) -> usize {
        self.next[0].len()
    }

    fn variables(&self) -> i32 {
        (self.steps * (4 + self.classes.len()) * self.routers()) as i32
    }

    fn variable(&self, step: usize, kind: usize, router: usize) -> i32 {
        let kinds = 4 + self.classes.len();
        (((step * kinds + kind) * self.routers()) + router) as i32 + 1
    }

    fn begins(&self, step: usize, direction: usize, router: usize) -> i32 {
        self.variable(step, direction, router)
    }

    fn idle(&self, step: usize, direction: usize, router: usize) -> i32 {
        self.variable(step, 2 + direction, router)
    }

    fn sends(&self, step: usize, class: usize, router: usize) -> i32 {
        self.variable(step, 4 + class, router)
    }

    /// Channels per router that the classes leave idle in a direction, over all steps.
    fn room(&self, direction: usize) -> usize {
        let used: usize = self.classes.iter().map(|it| [it.0, it.1][direction]).sum();
        self.steps - used
    }

    fn write_step(&mut self, step: usize) {
        // By direction and router, what may be the segment that begins there.
        let mut segments = [vec![Vec::new(); self.routers()], vec![Vec::new(); self.routers()]];
        for (number, &OffsetClass(a, b)) in self.classes.iter().enumerate() {
            for from in 0..self.routers() {
                let sends = self.sends(step, number, from);
                let corner = (0..a).fold(from, |at, _| self.next[0][at]);
                for (direction, start, count) in [(0, from, a), (1, corner, b)] {
                    if count > 0 {
                        segments[direction][start].push(sends);
                        self.write_segment(step, direction, (start, count), sends);
                    }
                }
            }
        }
        for (direction, segments) in segments.into_iter().enumerate() {
            if segments.iter().all(Vec::is_empty) {
                continue;
            }
            let has_room = self.room(direction) > 0;
            for (router, mut options) in segments.into_iter().enumerate() {
                let idle = self.idle(step, direction, router);
                if has_room {
                    options.push(idle);
                    self.write_segment(step, direction, (router, 1), idle);
                }
                self.at_most_one(&options);
                options.push(-self.begins(step, direction, router));
                self.clause(&options);
            }
            if !has_room {
                let anywhere: Vec<i32> = (0..self.routers())
                    .map(|router| self.begins(step, direction, router))
                    .collect();
                self.clause(&anywhere);
            }
        }
    }

    /// A segment begins at a router, and the next one where it ends.
    fn write_segment(
        &mut self,
        step: usize,
        direction: usize,
        (start, count): (usize, usize),
        used: i32,
    ) {
        let mut at = start;
        for passed in 0..=count {
            let begins = self.begins(step, direction, at);
            let is_end = passed == 0 || passed == count;
            self.clause(&[-used, if is_end { begins } else { -begins }]);
            at = self.next[direction][at];
        }
    }

    /// Every message is in one step.
    fn write_messages(&mut self) {
        for class in 0..self.classes.len() {
            for router in 0..self.routers() {
                let steps: Vec<i32> =
                    (0..self.steps).map(|step| self.sends(step, class, router)).collect();
                self.clause(&steps);
                self.at_most_one(&steps);
            }
        }
        // All steps are alike, so one message may be in the first one.
        let first = self.sends(0, 0, 0);
        self.clause(&[first]);
    }

    fn at_most_one(&mut self, literals: &[i32]) {
        for (at, &one) in literals.iter().enumerate() {
            for &other in &literals[..at] {
                self.clause(&[-one, -other]);
            }
        }
    }

    fn clause(&mut self, literals: &[i32]) {
        self.literals.extend_from_slice(literals);
        self.literals.push(0);
    }

    /// The messages of every step.
    fn read(&self, model: &[bool]) -> Vec<Vec<ClassMember>> {
        let mut placed = vec![Vec::new(); self.steps];
        for (step, placed) in placed.iter_mut().enumerate() {
            for (number, &class) in self.classes.iter().enumerate() {
                for from in 0..self.routers() {
                    if model[self.sends(step, number, from) as usize] {
                        placed.push(ClassMember { from, class });
                    }
                }
            }
        }
        placed
    }
}
