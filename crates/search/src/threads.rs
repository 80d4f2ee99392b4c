//! The threads that bounds and prices are computed on.

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
