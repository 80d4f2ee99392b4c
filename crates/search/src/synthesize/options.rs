//! The options of a search, and its progress.

use super::plan::position::PlanPosition;
use crate::attempt::Proof;
use crate::bounds::Bounds;
use crate::catalogue::Catalogue;
use crate::parameters::Preset;
use pavane_cluster::Cluster;
use pavane_model::Schedule;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::Duration;

/// The options of a search.
#[derive(Debug, Clone)]
pub struct Options {
    /// The engines to choose from.
    pub catalogue: Catalogue,
    /// The only engine to use; by default all usual engines that accept the problem.
    pub engine: Option<String>,
    /// Preset for the parameters of that engine; `settings` override it.
    pub preset: Option<Preset>,
    /// Parameters of that engine: `name=value`.
    pub settings: Vec<String>,
    /// Random seed.
    pub seed: u64,
    /// Number of tasks that run at the same time on this rank. With `evaluations` the result does
    /// not depend on it.
    pub threads: usize,
    /// Evaluations after which the search ends.
    pub evaluations: Option<u64>,
    /// Time after which the search ends, counted from its start.
    pub time: Option<Duration>,
    /// Time after which the search ends, counted from the first schedule. Ignored if `time` or
    /// `evaluations` is given.
    pub patience: Duration,
    /// An incomplete schedule of the forward problem to start from. Most of its transfers are kept,
    /// and only the repair engines search.
    pub start: Option<Arc<Schedule>>,
    /// Maximum number of steps. The first schedule within it ends the search.
    pub steps: Option<u32>,
    /// Bounds of the same problem from an earlier search.
    pub bounds: Option<Arc<Bounds>>,
    /// Whether the exact engine tries to prove that no shorter schedule exists, for problems of any
    /// size. Then `steps` may also be below the bound, to prove that `steps` is impossible.
    pub prove: bool,
    /// Interrupt: ends the search with the best schedule so far.
    pub stop: Arc<AtomicBool>,
    /// Counters that other threads may read during the search.
    pub progress: Arc<Progress>,
    /// The ranks that search together; rank 0 calls [`super::synthesize`], the others
    /// [`super::assist`].
    pub cluster: Cluster,
    /// The checkpoint of an earlier search to continue from.
    pub resumed: Option<Arc<Standing>>,
    /// Progress callback, called after every task of the plan.
    pub watcher: Option<Watcher>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            catalogue: Catalogue::default(),
            engine: None,
            preset: None,
            settings: Vec::new(),
            seed: 1,
            threads: 1,
            evaluations: None,
            time: None,
            patience: Duration::from_secs(30),
            start: None,
            steps: None,
            bounds: None,
            prove: false,
            stop: Arc::default(),
            progress: Arc::default(),
            cluster: Cluster::alone(),
            resumed: None,
            watcher: None,
        }
    }
}

impl Options {
    /// Whether only time is limited: then a success is accepted before earlier tasks are decided.
    pub(super) fn is_eager(&self) -> bool {
        self.time.is_some() && self.evaluations.is_none()
    }
}

/// Progress of a search. Zero means not known yet.
#[derive(Debug, Default)]
pub struct Progress {
    /// The bound.
    pub bound: AtomicU32,
    /// The number of steps of the current task.
    pub trying: AtomicU32,
    /// Steps of the best schedule.
    pub best: AtomicU32,
    /// Unplaced messages in the task that reported last.
    pub open: Arc<AtomicU64>,
}

/// The state of a search between two tasks, from which it can be resumed. With a limit on
/// evaluations, a resumed search returns the same schedule as one without interruption.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// The position in the sequence of tasks.
    pub position: PlanPosition,
    /// Evaluations so far.
    pub evaluations: u64,
    /// The best schedule and the engine that found it.
    pub best: Option<(Arc<Schedule>, &'static str)>,
    /// The proof that raised the bound, if any.
    pub proof: Option<Arc<Proof>>,
}

/// Progress callback.
#[derive(Clone)]
pub struct Watcher(pub Arc<dyn Fn(&Standing) + Send + Sync>);

impl fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watcher")
    }
}
