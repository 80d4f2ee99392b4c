//! Random restarts of list scheduling, for collectives without a greedy search: other trees of quickest
//! paths, chosen in random order, and the routes of the best schedule in other orders. Waves run on
//! several threads; a wave depends only on the results of those before it.

use crate::case::TimedCase;
use crate::jobs::Jobs;
use crate::list_schedule::list_schedule;
use crate::overlap::refined;
use crate::pieces::{self, Piece};
use crate::search::{COUNTS, DELAYS, Found, coarser, found, quickest};
use crate::shortest::Delay;
use crate::solve::TimedRequest;
use crate::waves::best_of;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The number of restarts of a wave.
const WAVE: u64 = 16;

/// The most sends of a schedule.
const MOST_SENDS: u64 = 100_000;

/// Random changes of priorities, in percent.
const NOISE: [u64; 5] = [0, 2, 10, 30, 100];

/// How a restart schedules.
#[derive(Debug, Clone, Copy)]
struct Recipe {
    round: u64,
    delay: Delay,
    /// The index of the number of chunks.
    index: usize,
    noise: u64,
    /// Whether it takes the routes of the best schedule.
    keeps_routes: bool,
}

/// The restarts on one case.
pub(crate) struct Shuffles<'a> {
    case: &'a TimedCase,
    request: &'a TimedRequest<'a>,
    counts: Vec<u64>,
    round: u64,
    /// The best restart with new routes, and its end.
    best: Option<(Recipe, u64)>,
    work: u64,
}

/// The routes of a schedule, with the starts of their sends in the order of the jobs.
struct Routes {
    pieces: Vec<Vec<Piece>>,
    due: Vec<u64>,
}

impl<'a> Shuffles<'a> {
    pub fn new(case: &'a TimedCase, request: &'a TimedRequest<'a>) -> Self {
        let counts = request.chunks.map_or_else(|| COUNTS[..16].to_vec(), coarser);
        Self { case, request, counts, round: 0, best: None, work: 0 }
    }

    /// The number of sends scheduled so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether all restarts of the request have been made.
    pub fn is_over(&self) -> bool {
        self.request.rounds.is_some_and(|rounds| self.round >= rounds)
    }

    /// Runs a wave. Returns its best schedule if that is better than the best so far.
    pub fn wave(&mut self, best: Option<&Found>) -> Option<Found> {
        let routes = best.map(|best| self.routes(best));
        let last = self.request.rounds.unwrap_or(u64::MAX).min(self.round + WAVE);
        let recipes: Vec<Recipe> = (self.round..last).map(|round| self.recipe(round)).collect();
        self.round = last;
        self.work += recipes.iter().map(|recipe| self.sends(recipe)).sum::<u64>().max(1);
        let run = |recipe: &Recipe| Some((*recipe, self.run(*recipe, routes.as_ref())?));
        let key = |(recipe, found): &(Recipe, Found)| (found.end, recipe.round);
        let (recipe, found) = best_of(&recipes, self.request.threads, &run, &key)?;
        if !recipe.keeps_routes && self.best.is_none_or(|(_, end)| found.end < end) {
            self.best = Some((recipe, found.end));
        }
        best.is_none_or(|best| found.end < best.end).then_some(found)
    }

    fn routes(&self, best: &Found) -> Routes {
        let mut routes = Routes { pieces: Vec::new(), due: Vec::new() };
        for (case, (chunks, sends)) in self.case.phases.iter().zip(&best.phases) {
            let (pieces, places) = pieces::of_sends(chunks, sends, case.is_backward);
            routes.due.extend(places.iter().map(|&place| sends[place].start));
            routes.pieces.push(pieces);
        }
        routes
    }

    /// A random recipe, often near the best one.
    fn recipe(&self, round: u64) -> Recipe {
        let mut rng = self.rng(round, 1);
        let mut recipe = Recipe {
            round,
            delay: DELAYS[rng.random_range(0..DELAYS.len())],
            index: rng.random_range(0..self.counts.len()),
            noise: NOISE[rng.random_range(0..NOISE.len())],
            keeps_routes: round.is_multiple_of(2),
        };
        if let Some((best, _)) = self.best {
            if rng.random_range(0..4) > 0 {
                let above = best.index + rng.random_range(0..3usize);
                recipe.index = above.saturating_sub(1).min(self.counts.len() - 1);
            }
            if rng.random() {
                recipe.delay = best.delay;
            }
        }
        recipe
    }

    fn rng(&self, round: u64, stream: u64) -> Xoshiro256PlusPlus {
        let seed = self.request.seed.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ (round << 1 | stream);
        Xoshiro256PlusPlus::seed_from_u64(seed)
    }

    /// About as many sends as a schedule with new routes has.
    fn sends(&self, recipe: &Recipe) -> u64 {
        let count = self.counts[recipe.index];
        let of_message = |case: &crate::case::PhaseCase, message: usize| {
            let chunks = case.sizes[message].min(count);
            let ends =
                case.problem.messages().destinations(pavane_model::MessageId(message as u32));
            chunks.saturating_mul(2 * ends.len() as u64)
        };
        let phases = self.case.phases.iter();
        phases
            .flat_map(|case| (0..case.sizes.len()).map(|message| of_message(case, message)))
            .fold(0, u64::saturating_add)
    }

    fn run(&self, recipe: Recipe, routes: Option<&Routes>) -> Option<Found> {
        if (self.request.stop)() {
            return None;
        }
        let mut rng = self.rng(recipe.round, 0);
        let known = routes.filter(|_| recipe.keeps_routes);
        let new = match known {
            Some(_) => Vec::new(),
            None if self.sends(&recipe) > MOST_SENDS => return None,
            None => self.new_routes(&recipe, &mut rng),
        };
        let pieces = known.map_or(&new, |routes| &routes.pieces);
        let jobs = Jobs::new(self.case, pieces);
        let is_in_time = known.is_some() && rng.random();
        let mut priority: Vec<u64> = match known {
            // Early sends first.
            Some(routes) if is_in_time => {
                let last = routes.due.iter().copied().max().unwrap_or(0);
                routes.due.iter().map(|&due| last - due).collect()
            }
            _ => jobs.tails(),
        };
        priority.resize(jobs.jobs.len(), 0);
        let most = priority.iter().copied().max().unwrap_or(0);
        for priority in &mut priority {
            let noise = u128::from(rng.random_range(0..=recipe.noise));
            *priority += (u128::from(most) * noise / 100) as u64;
        }
        let times =
            list_schedule(&jobs, self.case.resource.len(), &priority, &|| (self.request.stop)())?;
        let found = found(&jobs, &times.starts, pieces, times.end, "shuffled paths");
        Some(match self.request.chunks {
            Some(count) => refined(self.case, found, count, self.request.stop),
            None => found,
        })
    }

    fn new_routes(&self, recipe: &Recipe, rng: &mut impl Rng) -> Vec<Vec<Piece>> {
        let shuffled = |case: &crate::case::PhaseCase, rng: &mut _| {
            let mut order: Vec<usize> = (0..case.sizes.len()).collect();
            order.shuffle(rng);
            order
        };
        let order: Vec<Vec<usize>> =
            self.case.phases.iter().map(|case| shuffled(case, rng)).collect();
        let how = (recipe.delay, self.counts[recipe.index]);
        quickest(self.case, self.request.chunks, how, Some(&order), rng)
    }
}
