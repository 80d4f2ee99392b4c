//! Runs numbered tasks on threads. The task with the lowest number that succeeds wins, whatever the
//! number of threads and however long each task takes.

use pavane_search::Interrupt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What the tasks of a stage did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Staged<T> {
    /// The lowest number that succeeded, and its result.
    pub success: Option<(usize, T)>,
    /// The effort of the tasks up to that one, or of all tasks.
    pub effort: u64,
}

/// Runs `work` for the numbers below `count` until one succeeds; later ones are interrupted. `work` returns
/// its effort and its result.
pub(crate) fn first_success<T: Send>(
    count: usize,
    threads: usize,
    interrupt: &Interrupt,
    work: impl Fn(usize, &Interrupt) -> (u64, Option<T>) + Sync,
) -> Staged<T> {
    let flags: Vec<Arc<AtomicBool>> = (0..count).map(|_| Arc::default()).collect();
    let efforts: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let best: Mutex<Option<(usize, T)>> = Mutex::new(None);
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(flag) = flags.get(number) else { return };
            let interrupt = interrupt.clone().unless(flag.clone());
            if interrupt.is_raised() {
                return;
            }
            let (effort, result) = work(number, &interrupt);
            efforts[number].store(effort, Ordering::Relaxed);
            let Some(result) = result else { continue };
            for later in &flags[number + 1..] {
                later.store(true, Ordering::Relaxed);
            }
            let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
            if best.as_ref().is_none_or(|(other, _)| number < *other) {
                *best = Some((number, result));
            }
        }
    };
    match threads.min(count) {
        0 | 1 => run(),
        threads => std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(run);
            }
        }),
    }
    let success = best.into_inner().unwrap_or_else(PoisonError::into_inner);
    let counted = success.as_ref().map_or(count, |(number, _)| number + 1);
    let effort = efforts[..counted].iter().map(|effort| effort.load(Ordering::Relaxed)).sum();
    Staged { success, effort }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_wins_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let work = |number: usize, interrupt: &Interrupt| {
                for _ in 0..number % 3 * 1000 {
                    if interrupt.is_raised() {
                        return (1, None);
                    }
                }
                (2, (number % 4 == 3).then_some(number * 10))
            };
            let found = first_success(20, threads, &Interrupt::never(), work);
            assert_eq!(found, Staged { success: Some((3, 30)), effort: 8 }, "{threads}");
            let found = first_success(3, threads, &Interrupt::never(), work);
            assert_eq!(found, Staged { success: None, effort: 6 });
        }
    }
}
