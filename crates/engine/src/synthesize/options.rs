//! How a search is to go, and how others follow it.

use crate::bounds::Bounds;
use crate::parameters::Preset;
use pavane_cluster::Cluster;
use pavane_model::Schedule;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::Duration;

/// How a schedule is searched for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only the engine of this name; otherwise all that take the problem.
    pub engine: Option<String>,
    /// Which values the parameters of that engine have, unless they are set.
    pub preset: Option<Preset>,
    /// Parameters of that engine: `name=value`.
    pub settings: Vec<String>,
    /// Where chance starts.
    pub seed: u64,
    /// Tries that run at the same time. The answer does not depend on it.
    pub threads: usize,
    /// Evaluations after which the search ends.
    pub evaluations: Option<u64>,
    /// Time after which the search ends, counted from its start.
    pub time: Option<Duration>,
    /// Time after which the search ends, counted from the first schedule; unless `time` or
    /// `evaluations` is given.
    pub patience: Duration,
    /// A schedule with gaps, of the problem read forwards, to begin from: what it has is kept as far
    /// as that goes, and only the engines of [`crate::fault::ENGINES`] search.
    pub start: Option<Arc<Schedule>>,
    /// Only a schedule of at most so many steps will do, and the first one ends the search.
    pub steps: Option<u32>,
    /// Bounds of the same problem that an earlier search has found.
    pub bounds: Option<Arc<Bounds>>,
    /// Whether effort goes into proving that no shorter schedule exists, however large the problem.
    /// Then `steps` may also be below the bound, to have that proved.
    pub prove: bool,
    /// Raised by others to end the search with the best schedule so far.
    pub stop: Arc<AtomicBool>,
    /// Where the search stands, for others to read.
    pub progress: Arc<Progress>,
    /// The ranks that search together; rank 0 calls [`super::synthesize`], the others
    /// [`super::assist`].
    pub cluster: Cluster,
    /// Where an earlier search stood, to go on from there.
    pub resumed: Option<Arc<Standing>>,
    /// Is told where the search stands, after every round and with every better schedule.
    pub watcher: Option<Watcher>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
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

/// Where a search stands. Zero means not yet.
#[derive(Debug, Default)]
pub struct Progress {
    /// The bound.
    pub bound: AtomicU32,
    /// The number of steps that is being tried.
    pub trying: AtomicU32,
    /// Steps of the best schedule.
    pub best: AtomicU32,
    /// Messages without a place, in the try that spoke last.
    pub open: Arc<AtomicU64>,
}

/// Where a search stands between two rounds: enough to go on from there another day.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Rounds that were made.
    pub rounds: u64,
    /// How much more than at first is spent on a try.
    pub effort: u64,
    /// The most steps that were tried in vain with this effort.
    pub failed: Option<u32>,
    /// Evaluations that were made.
    pub evaluations: u64,
    /// The best schedule and the engine that found it.
    pub best: Option<(Arc<Schedule>, &'static str)>,
}

/// Somebody who is told where a search stands.
#[derive(Clone)]
pub struct Watcher(pub Arc<dyn Fn(&Standing) + Send + Sync>);

impl fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watcher")
    }
}
