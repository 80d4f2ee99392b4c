//! Finds the fewest rounds for every number of chunks and steps.
//!
//! Three facts save work. A step of several rounds can be split, so S + 1 steps never need more rounds
//! than S. Two schedules can run side by side, so C + C' chunks need at most R + R' rounds. And the
//! throughput limit bounds R/C from below.

use crate::link_steps::{Channels, LinkSteps, channels};
use crate::settle::{Settled, budget, settle};
use crate::start::{fewest_steps, shortest_trees};
use pavane_model::network::TimingError;
use pavane_model::{
    Fraction, Model, Network, NetworkError, Problem, ProblemError, Routing, Switching,
};
use pavane_search::{Interrupt, Rng};
use pavane_verify::{CheckedSchedule, verify};

/// What to search for.
pub struct FrontRequest<'a> {
    /// The most chunks per message.
    pub max_chunks: u32,
    /// The most steps; without, up to the number of rounds.
    pub max_steps: Option<u32>,
    /// For each phase, rounds per chunk that no schedule can undercut, if known. The caller has had them
    /// judged.
    pub limits: &'a [Option<Fraction>],
    /// Random seed.
    pub seed: u64,
    /// The work of the solver for one number of chunks, steps and rounds.
    pub evaluations: u64,
    /// The most deliveries of a problem in chunks.
    pub max_deliveries: u64,
    /// Ends the search with what is found.
    pub interrupt: Interrupt,
    /// Called with chunks, steps and rounds before the solver is asked about them.
    pub progress: &'a dyn Fn(u32, u32, u32),
}

/// Why the point with one round less, and the same chunks and steps, is impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fewer {
    /// Every step has at least one round.
    Steps,
    /// The throughput limit excludes it.
    Limit,
    /// A proof in LRAT, which the judge has checked.
    Proof(Vec<u8>),
    /// Every phase alone needs as many rounds, which says nothing about phases that overlap.
    Phases,
    /// It is not refuted.
    Open,
}

impl Fewer {
    /// A word for files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Limit => "limit",
            Self::Proof(_) => "proof",
            Self::Phases => "phases",
            Self::Open => "open",
        }
    }
}

/// The fewest rounds found for a number of chunks and steps.
#[derive(Debug, Clone)]
pub struct FrontPoint {
    /// Chunks per message.
    pub chunks: u32,
    /// The rounds of every step.
    pub rounds: Vec<u32>,
    /// The schedule of every phase, one after the other.
    pub phases: Vec<CheckedSchedule>,
    /// Why fewer rounds are impossible.
    pub fewer: Fewer,
    /// Whether no other point has at most as many steps and rounds per chunk.
    pub is_on_front: bool,
}

impl FrontPoint {
    /// The number of steps.
    pub fn steps(&self) -> u32 {
        self.rounds.len() as u32
    }

    /// The number of rounds.
    pub fn round_count(&self) -> u32 {
        self.rounds.iter().sum()
    }

    /// Rounds per chunk.
    pub fn rounds_per_chunk(&self) -> Fraction {
        Fraction::new(self.round_count().into(), self.chunks.into()).unwrap_or(Fraction::ZERO)
    }
}

/// The points found.
#[derive(Debug, Clone)]
pub struct Front {
    /// By chunks, then by steps.
    pub points: Vec<FrontPoint>,
    /// Whether the search was stopped before all numbers of chunks were tried.
    pub is_stopped: bool,
}

/// Why there is no front.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// A router without a processor.
    #[error(
        "k-synchronous schedules need a processor on every router, but router {0} is a switch, and the model \
         does not say how chunks share and cross it; timed schedules do: `pavane solve --minimize time --bytes \
         SIZE`, or `pavane tune` for all sizes"
    )]
    Switch(String),
    /// A router with several processors.
    #[error(
        "k-synchronous schedules need one processor on every router, but router {0} has several"
    )]
    SeveralProcessors(String),
    /// A channel that carries less than a chunk per round.
    #[error(
        "the channel {tail} -> {head} has {bandwidth_gbytes} GB/s, less than the {unit_gbytes} GB/s of a \
         round; use the bandwidth of the slowest channel"
    )]
    TooSlow {
        /// The name of its first router.
        tail: String,
        /// The name of its last router.
        head: String,
        /// Its bandwidth.
        bandwidth_gbytes: f64,
        /// The bandwidth that carries a chunk per round.
        unit_gbytes: f64,
    },
    /// Channels that count too often.
    #[error(
        "with {unit_gbytes} GB/s in a round the channels count {channels} times in all, which is too often; \
         use a larger bandwidth"
    )]
    TooFine {
        /// How often all channels count.
        channels: u64,
        /// The bandwidth that carries a chunk per round.
        unit_gbytes: f64,
    },
    /// A bandwidth is missing or out of range.
    #[error("{0}")]
    Timing(Box<TimingError>),
    /// The network with copies of channels is not valid.
    #[error("{0}")]
    Network(Box<NetworkError>),
    /// No message has a destination.
    #[error("the collective has no messages to send")]
    Nothing,
    /// The chunks exceed the limit on deliveries.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The judge rejected a schedule.
    #[error("the judge rejected a schedule: {0}")]
    Rejected(String),
}

impl From<TimingError> for FrontError {
    fn from(error: TimingError) -> Self {
        Self::Timing(Box::new(error))
    }
}

impl From<NetworkError> for FrontError {
    fn from(error: NetworkError) -> Self {
        Self::Network(Box::new(error))
    }
}

/// The rules of k-synchronous schedules.
pub fn rules() -> Model {
    Model { switching: Switching::StoreAndForward, routing: Routing::Any, ..Model::default() }
}

/// Finds the fewest rounds for every number of chunks up to a limit, and every number of steps. The
/// phases of an all-reduce run one after the other, with equally many steps.
pub fn find(phases: &[Problem], request: &FrontRequest<'_>) -> Result<Front, FrontError> {
    let mut front = Front { points: Vec::new(), is_stopped: false };
    for (number, whole) in phases.iter().enumerate() {
        let limit = request.limits.get(number).copied().flatten();
        let found = find_phase(whole, limit, request)?;
        front.is_stopped |= found.is_stopped;
        front.points =
            if number == 0 { found.points } else { joined(&front.points, &found.points) };
    }
    mark_front(&mut front.points);
    Ok(front)
}

/// Each point of one phase followed by the point of the next phase with as many chunks and steps.
fn joined(points: &[FrontPoint], next: &[FrontPoint]) -> Vec<FrontPoint> {
    let join = |one: &FrontPoint| {
        let is_partner = |it: &&FrontPoint| it.chunks == one.chunks && it.steps() == one.steps();
        let other = next.iter().find(is_partner)?;
        let is_open = one.fewer == Fewer::Open || other.fewer == Fewer::Open;
        Some(FrontPoint {
            chunks: one.chunks,
            rounds: [&one.rounds[..], &other.rounds].concat(),
            phases: [&one.phases[..], &other.phases].concat(),
            fewer: if is_open { Fewer::Open } else { Fewer::Phases },
            is_on_front: false,
        })
    };
    points.iter().filter_map(join).collect()
}

fn find_phase(
    whole: &Problem,
    limit: Option<Fraction>,
    request: &FrontRequest<'_>,
) -> Result<Front, FrontError> {
    check_routers(whole.network())?;
    let mut search =
        FrontSearch { whole, limit, request, rng: Rng::seeded(request.seed), rows: Vec::new() };
    if fewest_steps(&whole.forward()) == 0 {
        return Err(FrontError::Nothing);
    }
    let mut points = Vec::new();
    let mut is_stopped = false;
    for chunks in 1..=request.max_chunks {
        // The first row always exists, so that an interrupted search has a result.
        if chunks > 1 && request.interrupt.is_raised() {
            is_stopped = true;
            break;
        }
        points.extend(search.row(chunks)?);
    }
    is_stopped |= request.interrupt.is_raised();
    Ok(Front { points, is_stopped })
}

/// Every router that is not lost must have one processor.
pub fn check_routers(network: &Network) -> Result<(), FrontError> {
    for router in network.routers().filter(|&router| !network.is_lost(router)) {
        match network.residents(router).len() {
            0 => return Err(FrontError::Switch(network.router_name(router))),
            1 => {}
            _ => return Err(FrontError::SeveralProcessors(network.router_name(router))),
        }
    }
    Ok(())
}

/// Marks the points that no other point dominates.
fn mark_front(points: &mut [FrontPoint]) {
    let keys: Vec<(u32, Fraction, u32)> =
        points.iter().map(|it| (it.steps(), it.rounds_per_chunk(), it.chunks)).collect();
    for (point, key) in points.iter_mut().zip(&keys) {
        let is_dominated = keys.iter().any(|other| {
            let is_no_worse = other.0 <= key.0 && other.1 <= key.1;
            is_no_worse && (other.0 < key.0 || other.1 < key.1 || other.2 < key.2)
        });
        point.is_on_front = !is_dominated;
    }
}

/// A search in progress.
struct FrontSearch<'a> {
    whole: &'a Problem,
    limit: Option<Fraction>,
    request: &'a FrontRequest<'a>,
    rng: Rng,
    /// The schedules by chunks; each row has one for every number of steps from the fewest on.
    rows: Vec<Row>,
}

/// The schedules for one number of chunks.
struct Row {
    is_backward: bool,
    schedules: Vec<LinkSteps>,
}

impl FrontSearch<'_> {
    /// All points for a number of chunks.
    fn row(&mut self, chunks: u32) -> Result<Vec<FrontPoint>, FrontError> {
        let network = self.whole.network().clone();
        let collective = self.whole.collective().in_chunks(chunks);
        let limit = self.request.max_deliveries;
        let problem = Problem::with_limit(network, collective, rules(), limit)?;
        let forward = problem.forward();
        let channels = channels(forward.network());
        let least_rounds = self.least_rounds(chunks);
        let mut row = Row { is_backward: problem.is_backward(), schedules: Vec::new() };
        let mut points = Vec::new();
        for steps in fewest_steps(&forward).. {
            let mut best = self.known(&forward, (chunks, steps), &row, &channels);
            let mut rounds = best.round_count(&channels);
            let mut fewer = Fewer::Open;
            // A formula takes long to build, so an interrupted search builds none.
            let is_over = || self.request.interrupt.is_raised();
            while rounds > least_rounds.max(steps) && !is_over() {
                let mut budget = budget(self.request.evaluations, &self.request.interrupt);
                (self.request.progress)(chunks, steps, rounds - 1);
                let size = (chunks, steps, rounds - 1);
                match settle(&forward, size, &mut budget, &mut self.rng) {
                    Settled::Possible(found) => {
                        best = found;
                        rounds = best.round_count(&channels);
                    }
                    Settled::Impossible(lrat) => {
                        fewer = Fewer::Proof(lrat);
                        break;
                    }
                    Settled::Open => break,
                }
            }
            if rounds == steps {
                fewer = Fewer::Steps;
            } else if rounds <= least_rounds {
                fewer = Fewer::Limit;
            }
            let schedule = best.schedule(&problem, &forward, chunks);
            let rounds_of_steps = schedule.rounds().to_vec();
            let checked = verify(problem.clone(), schedule).map_err(|violations| {
                FrontError::Rejected(
                    violations.first().map(ToString::to_string).unwrap_or_default(),
                )
            })?;
            points.push(FrontPoint {
                chunks,
                rounds: rounds_of_steps,
                phases: vec![checked],
                fewer,
                is_on_front: false,
            });
            row.schedules.push(best);
            if rounds <= steps || self.request.max_steps.is_some_and(|most| steps >= most) {
                break;
            }
        }
        self.rows.push(row);
        Ok(points)
    }

    /// The rounds that the throughput limit demands.
    fn least_rounds(&self, chunks: u32) -> u32 {
        let limit = self.limit.and_then(|it| it.checked_mul(u64::from(chunks).into()));
        let rounds = limit.map_or(0, |limit| limit.numerator().div_ceil(limit.denominator()));
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }

    /// The best schedule that follows from those already found.
    fn known(
        &self,
        forward: &Problem,
        (chunks, steps): (u32, u32),
        row: &Row,
        channels: &Channels,
    ) -> LinkSteps {
        let mut known: Vec<LinkSteps> = Vec::new();
        match row.schedules.last() {
            None => known.push(shortest_trees(forward, chunks, channels)),
            Some(last) => known.extend(last.split(channels)),
        }
        let place = row.schedules.len();
        let at = |row: &Row| row.schedules[place.min(row.schedules.len() - 1)].clone();
        for (part, other) in (1..chunks).zip((1..chunks).rev()).take_while(|(a, b)| a <= b) {
            let (one, two) = (&self.rows[part as usize - 1], &self.rows[other as usize - 1]);
            if one.is_backward == row.is_backward && two.is_backward == row.is_backward {
                let mut both = at(one).beside(part, &at(two));
                while (both.steps.len() as u32) < steps
                    && let Some(longer) = both.split(channels)
                {
                    both = longer;
                }
                known.push(both);
            }
        }
        known.retain(|schedule| schedule.steps.len() as u32 == steps);
        let best = known.into_iter().min_by_key(|schedule| schedule.round_count(channels));
        best.unwrap_or_default()
    }
}
