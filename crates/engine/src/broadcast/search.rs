//! Chooses who holds the message after each step, from the last step back to the first: the holders
//! before a step are spread over those after it, and where somebody cannot be served he changes
//! places with a holder who has little to do.

use super::sizes::Sizes;
use super::spread::Spread;
use super::task::{Send, Task};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ProcessorId, Schedule};

/// Rounds of changing places without gain before other holders are chosen.
const ROUNDS: usize = 12;

/// Choices of holders before one step that may fail before those after it are chosen anew.
const CHOICES: u32 = 3;

/// Choices that may fail, for each step there is, before all is begun anew.
const FAILURES: u32 = 8;

/// Finds paths for one step: from the holders to those who want the message.
pub(super) trait StepRouter {
    /// Forgets all and takes these holders and these who want the message.
    fn start(&mut self, holders: &[ProcessorId], wanted: &[ProcessorId]);

    /// Serves as many as it can.
    fn serve(&mut self, budget: &mut Budget, rng: &mut Rng);

    /// Those who want the message and are not served.
    fn unserved(&self) -> Vec<ProcessorId>;

    /// How many sends would be lost without this holder.
    fn load(&self, holder: ProcessorId) -> u32;

    /// Lets a holder change places with somebody who is not served.
    fn exchange(&mut self, holder: ProcessorId, unserved: ProcessorId);

    /// Who is served by whom, and how.
    fn sends(&mut self) -> Vec<Send>;
}

/// A schedule of at most `steps` steps, each routed by `router`; `None` when the budget is over or
/// the steps are too few for the ports.
pub(super) fn find(
    task: &Task<'_>,
    router: &mut impl StepRouter,
    steps: u32,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Option<Schedule> {
    let sizes = Sizes::new(task, steps)?;
    let mut search = Search { task, sizes, spread: Spread::new(task), router };
    while budget.spend(1) {
        if let Some(sends) = search.chain(steps, budget, rng) {
            return Some(task.schedule(sends));
        }
    }
    None
}

struct Search<'a, R> {
    task: &'a Task<'a>,
    sizes: Sizes,
    spread: Spread<'a>,
    router: &'a mut R,
}

/// Who holds the message, but for the origin, and the sends from there on.
struct Link {
    holders: Vec<ProcessorId>,
    sends: Vec<Send>,
    failures: u32,
}

impl<R: StepRouter> Search<'_, R> {
    /// One try at all steps, last first.
    fn chain(&mut self, steps: u32, budget: &mut Budget, rng: &mut Rng) -> Option<Vec<Vec<Send>>> {
        let all = self.task.destinations.to_vec();
        let mut links = vec![Link { holders: all, sends: Vec::new(), failures: 0 }];
        let mut failures_left = FAILURES * steps;
        let eagerness = 0.3 + 0.7 * rng.unit();
        while let Some(next) = links.last() {
            if next.holders.is_empty() {
                return Some(links.drain(1..).rev().map(|link| link.sends).collect());
            }
            let step = steps - links.len() as u32;
            if let Some(link) = self.link_before(step, &next.holders, eagerness, budget, rng) {
                links.push(link);
                continue;
            }
            failures_left = failures_left.saturating_sub(1);
            if failures_left == 0 || budget.is_over() {
                return None;
            }
            let last = links.last_mut().expect("the loop ends with the last one");
            last.failures += 1;
            if last.failures >= CHOICES {
                links.pop();
            }
        }
        None
    }

    /// Chooses holders before a step from which all of `next` can be served in it.
    fn link_before(
        &mut self,
        step: u32,
        next: &[ProcessorId],
        eagerness: f64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Link> {
        let least = self.sizes.least_before(next.len() + 1);
        let most = self.sizes.most(step).min(next.len() + 1);
        if least > most {
            return None;
        }
        let ratio = most as f64 / least as f64;
        let size = (least as f64 * ratio.powf(eagerness)).round() as usize;
        let samples = 4 << rng.below(5);
        let mut holders = self.spread.choose(next, size.clamp(least, most), samples, rng);
        if !serve_from(self.router, &mut holders, next, budget, rng) {
            return None;
        }
        holders.remove(0);
        Some(Link { holders, sends: self.router.sends(), failures: 0 })
    }
}

/// Serves all of `next` from `holders`, the origin first among them, who may change places with
/// those of `next`.
fn serve_from(
    router: &mut impl StepRouter,
    holders: &mut [ProcessorId],
    next: &[ProcessorId],
    budget: &mut Budget,
    rng: &mut Rng,
) -> bool {
    let mut sorted = holders.to_vec();
    sorted.sort_unstable();
    let is_wanted = |p: &&ProcessorId| sorted.binary_search(p).is_err();
    let wanted: Vec<ProcessorId> = next.iter().filter(is_wanted).copied().collect();
    router.start(holders, &wanted);
    let (mut fewest, mut rounds) = (usize::MAX, 0);
    loop {
        router.serve(budget, rng);
        let mut unserved = router.unserved();
        if unserved.is_empty() {
            return true;
        }
        rounds = if unserved.len() < fewest { 0 } else { rounds + 1 };
        fewest = fewest.min(unserved.len());
        if rounds == ROUNDS || holders.len() < 2 || budget.is_over() {
            return false;
        }
        rng.shuffle(&mut unserved);
        // The origin, first, keeps its place; the idle are in a random order among equals.
        rng.shuffle(&mut holders[1..]);
        holders[1..].sort_by_cached_key(|&holder| router.load(holder));
        for (holder, &unserved) in holders[1..].iter_mut().zip(&unserved) {
            router.exchange(*holder, unserved);
            *holder = unserved;
        }
    }
}
