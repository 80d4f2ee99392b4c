//! Lower bounds with certificates, and the engines that search for schedules. Nothing here prints.
//!
//! ```
//! use pavane_search::synthesize::{Options, synthesize};
//! use pavane_model::collective::{self, Groups};
//! use pavane_model::{Model, Problem};
//! use pavane_networks::topology;
//!
//! let network = topology::build("octagon:8")?;
//! let phases = collective::build("aas", &network, &Groups::default())?;
//! let problem = Problem::new(network, phases[0].clone(), Model::default())?;
//! let outcome = synthesize(&problem, &Options::default())?;
//! let solution = outcome.solution.ok_or("no schedule was found")?;
//! // The schedule meets the lower bound, so it is optimal.
//! assert_eq!(solution.checked.schedule().step_count(), 4);
//! assert_eq!(outcome.bounds.best.steps, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod attempt;
pub mod bounds;
pub mod broadcast;
pub mod budget;
pub mod catalogue;
pub mod exact;
pub mod facts;
pub mod fault;
pub mod flow;
pub mod gossip;
pub mod parameters;
pub mod plain;
mod ports;
pub mod prices;
pub mod rng;
pub mod scatter;
pub mod success;
pub mod symmetry;
pub mod synthesize;

pub use attempt::{Attempt, Context, Engine, Fit, Proof, ProofLimits, Suitability, Traits};
pub use budget::{Budget, Interrupt};
pub use catalogue::Catalogue;
pub use rng::Rng;

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stack size of the threads of [`with_threads`], as for the main thread.
const STACK: usize = 8 << 20;

/// Runs a search whose bounds and prices use `threads` threads of their own, instead of those of
/// [`use_threads`].
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build() {
        Ok(pool) => pool.install(work),
        // Without a pool of its own it uses the common one.
        Err(_) => work(),
    }
}

/// The number of threads of the common pool; 0 as long as it is not set.
static COMMON_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Limits the threads that bounds and prices are computed on; the driver has its own number.
/// Only the first call counts. The threads start when they are needed first.
pub fn use_threads(threads: usize) {
    // A later call changes nothing.
    let _ = COMMON_THREADS.compare_exchange(0, threads, Ordering::Relaxed, Ordering::Relaxed);
}

/// Starts the threads of [`use_threads`], unless they run already or the caller has a pool of its own
/// ([`with_threads`]). To be called before parallel iterators.
pub fn start_threads() {
    static STARTED: Once = Once::new();
    if rayon::current_thread_index().is_none() {
        STARTED.call_once(|| {
            let threads = COMMON_THREADS.load(Ordering::Relaxed);
            // It fails if a library user has started the pool, which is then used.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        });
    }
}
