//! Several attempts at once, on several threads. The number of threads does not change the outcome.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs all attempts and returns the result with the smallest key.
pub(crate) fn best_of<A: Sync, R: Send, K: Ord>(
    attempts: &[A],
    threads: usize,
    run: &(dyn Fn(&A) -> Option<R> + Sync),
    key: &(dyn Fn(&R) -> K + Sync),
) -> Option<R> {
    let next = AtomicUsize::new(0);
    let best: Mutex<Option<R>> = Mutex::new(None);
    let work = || {
        while let Some(attempt) = attempts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(found) = run(attempt) else { continue };
            let mut best = best.lock().expect("no thread panics while it holds this");
            if best.as_ref().is_none_or(|best| key(&found) < key(best)) {
                *best = Some(found);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(attempts.len()) {
            scope.spawn(work);
        }
        work();
    });
    best.into_inner().expect("no thread panics while it holds this")
}
