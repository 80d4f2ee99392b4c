//! The search for an all-reduce: the whole at once, its two phases one by one and then overlapped, and the
//! same with other roots. The searches take turns by the work that each has done.

use crate::case::TimedCase;
use crate::overlap::overlapped;
use crate::roots::RootsCase;
use crate::search::{Found, Search};
use crate::solve::{KnownSchedule, TimedRequest, TimedSearchError};
use pavane_model::Collective;
use pavane_model::throughput::ThroughputPlan;

/// The sets of roots besides the given one that are searched to the end.
const MOST_ACTIVE: usize = 2;

/// The work with every other set of roots before the throughput plan is computed.
const FIRST_WORK: u64 = 60_000;

/// The searches with certain roots.
struct RootsSearch<'a> {
    case: &'a TimedCase,
    request: &'a TimedRequest<'a>,
    /// Has the best schedule.
    whole: Search<'a>,
    parts: [Search<'a>; 2],
    /// Whether each search has steps left: the whole, then the phases.
    is_open: [bool; 3],
}

impl<'a> RootsSearch<'a> {
    fn new(case: &'a RootsCase, request: &'a TimedRequest<'a>) -> Self {
        let [reduce, broadcast] = &case.parts;
        Self {
            case: &case.whole,
            request,
            whole: Search::new(&case.whole, request),
            parts: [Search::new(reduce, request), Search::new(broadcast, request)],
            is_open: [true; 3],
        }
    }

    fn work(&self) -> u64 {
        self.whole.work() + self.parts.iter().map(Search::work).sum::<u64>()
    }

    fn has_steps(&self) -> bool {
        self.is_open.contains(&true)
    }

    /// One step of the search that has done least.
    fn step(&mut self) -> Result<(), TimedSearchError> {
        let works = [self.whole.work(), self.parts[0].work(), self.parts[1].work()];
        let least = (0..3).filter(|&at| self.is_open[at]).min_by_key(|&at| works[at]);
        let Some(at) = least else { return Ok(()) };
        if at == 0 {
            self.is_open[0] = self.whole.step()?;
        } else {
            let before = self.parts[at - 1].end();
            self.is_open[at] = self.parts[at - 1].step()?;
            if self.parts[at - 1].end() < before {
                self.overlap();
            }
        }
        Ok(())
    }

    /// Overlaps the best schedules of both phases.
    fn overlap(&mut self) {
        let [reduce, broadcast] = &self.parts;
        let (Some(reduce), Some(broadcast)) = (reduce.best(), broadcast.best()) else { return };
        // The whole search goes on from there.
        self.whole.keep(overlapped(self.case, reduce, broadcast, self.request.stop));
    }
}

/// A search with all sets of roots.
pub(crate) struct AllReduceSearch<'a> {
    request: &'a TimedRequest<'a>,
    searches: Vec<RootsSearch<'a>>,
}

impl<'a> AllReduceSearch<'a> {
    /// The first case has the given roots.
    pub fn new(cases: &'a [RootsCase], request: &'a TimedRequest<'a>) -> Self {
        let searches = cases.iter().map(|case| RootsSearch::new(case, request)).collect();
        Self { request, searches }
    }

    /// Starts with a schedule that is known already, if it has the roots of one of the cases and a number
    /// of chunks that the request allows.
    pub fn offer(&mut self, cases: &[RootsCase], known: &KnownSchedule) {
        let KnownSchedule { method, schedule } = known;
        let is_same = |case: &&RootsCase| {
            let problems = case.problems.iter().map(|problem| problem.collective());
            let phases = schedule.phases.iter().map(|phase| phase.problem.collective());
            let groups = |it: &Collective| (it.kind, it.senders.clone(), it.receivers.clone());
            case.whole.times.unit_ns == schedule.time_unit_ns
                && problems.map(groups).eq(phases.map(groups))
        };
        let at = cases.iter().position(|case| is_same(&case));
        let is_fit = self.request.chunks.is_none()
            && schedule.duplex == self.request.duplex
            && schedule.size == *self.request.size;
        if let (Some(at), Some(end), true) = (at, schedule.time, is_fit) {
            let phases = schedule.phases.iter();
            let phases = phases.map(|phase| (phase.chunks.clone(), phase.sends.clone())).collect();
            self.searches[at].whole.keep(Found { phases, end, method });
        }
    }

    /// What takes less time than the throughput plan: a few restarts, and quickest paths with other
    /// roots.
    pub fn start(&mut self) {
        let Some((given, others)) = self.searches.split_first_mut() else { return };
        for other in others {
            while !(self.request.stop)() && other.work() < FIRST_WORK && other.whole.step_quickly()
            {
            }
        }
        given.parts.iter_mut().for_each(Search::start);
        given.overlap();
    }

    /// Searches until a schedule ends by `goal`, which none can beat, or until the request says so.
    /// Returns the best schedule and the index of its case.
    pub fn run(
        mut self,
        goal: u64,
        plan: &'a ThroughputPlan,
    ) -> Result<(usize, Found), TimedSearchError> {
        if let ([given, ..], [reduce, broadcast]) = (&mut self.searches[..], &plan.phases[..]) {
            given.whole.set_plan(&plan.phases, plan.scale);
            given.parts[0].set_plan(std::slice::from_ref(reduce), plan.scale);
            given.parts[1].set_plan(std::slice::from_ref(broadcast), plan.scale);
        }
        let active = self.active();
        loop {
            let best =
                self.searches.iter().map(|search| search.whole.end()).min().unwrap_or(u64::MAX);
            if best <= goal || (best < u64::MAX && (self.request.stop)()) {
                break;
            }
            let open = active.iter().copied().filter(|&at| self.searches[at].has_steps());
            let Some(next) = open.min_by_key(|&at| self.searches[at].work()) else { break };
            match self.searches[next].step() {
                // Without the given roots there are fewer sends.
                Err(TimedSearchError::TooMany { .. }) if best < u64::MAX => {
                    self.searches[next].is_open = [false; 3];
                }
                done => done?,
            }
        }
        let ends = self.searches.iter().map(|search| search.whole.end());
        let (_, at) = ends.zip(0..).min().unwrap_or((u64::MAX, 0));
        let found = self.searches[at].whole.best().cloned();
        Ok((at, found.unwrap_or(Found { phases: Vec::new(), end: 0, method: "nothing" })))
    }

    /// The given roots, and those that look best so far.
    fn active(&self) -> Vec<usize> {
        let mut others: Vec<usize> = (1..self.searches.len()).collect();
        others.sort_by_key(|&at| (self.searches[at].whole.end(), at));
        others.truncate(MOST_ACTIVE);
        [0].into_iter().chain(others).collect()
    }
}
