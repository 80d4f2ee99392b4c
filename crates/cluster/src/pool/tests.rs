use super::*;
use std::sync::mpsc::channel;

/// Runs `body` on rank 0 of several ranks whose workers add a set-up to every task.
fn on_ranks<O: Send>(
    ranks: usize,
    threads: usize,
    execute: impl Fn(&u64, &u64, &Stop) -> u64 + Sync,
    body: impl FnOnce(&Pool<u64, u64>, Execute<'_, u64, u64>) -> O + Send,
) -> O {
    let execute = &execute;
    std::thread::scope(|scope| {
        let mut clusters = Cluster::threads(ranks).into_iter();
        let first = clusters.next().unwrap();
        for cluster in clusters {
            scope.spawn(move || {
                let prepare = |set_up: u64| Ok::<u64, ()>(set_up);
                cluster.follow(threads, prepare, execute)
            });
        }
        let own = |task: &u64, stop: &Stop| execute(&100, task, stop);
        first.lead(threads, &100u64, &own, |pool| body(pool, &own))
    })
}

#[test]
fn every_task_is_answered_once_on_any_number_of_ranks_and_threads() {
    for (ranks, threads, tasks) in [(1, 1, 5), (1, 3, 40), (2, 1, 40), (4, 2, 100), (3, 1, 0)] {
        let sum = |set_up: &u64, task: &u64, _: &Stop| set_up + task;
        let mut found = on_ranks(ranks, threads, sum, |pool, execute| {
            let (replies, answers) = channel();
            for number in 0..tasks {
                pool.submit(number, 2 * number, &replies);
            }
            let next = || pool.wait(&answers, None, execute);
            (0..tasks).filter_map(|_| next()).map(|r| (r.number, r.answer)).collect::<Vec<_>>()
        });
        found.sort_unstable();
        let expected: Vec<(u64, u64)> = (0..tasks).map(|n| (n, 100 + 2 * n)).collect();
        assert_eq!(found, expected, "{ranks} ranks, {threads} threads");
    }
}

#[test]
fn a_cancelled_task_returns_early_wherever_it_is_executed() {
    for ranks in [1, 3] {
        let until_stopped = |_: &u64, task: &u64, stop: &Stop| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            *task
        };
        let answers = on_ranks(ranks, 2, until_stopped, |pool, execute| {
            let (replies, answers) = channel();
            while pool.width() < 2 * ranks {
                std::thread::yield_now();
            }
            let tickets: Vec<Ticket> =
                (0..2 * ranks as u64).map(|n| pool.submit(n, n, &replies)).collect();
            tickets.iter().for_each(|ticket| pool.cancel(ticket));
            let next = || pool.wait(&answers, None, execute);
            (0..tickets.len()).filter_map(|_| next()).count()
        });
        assert_eq!(answers, 2 * ranks);
    }
}

#[test]
fn the_pool_closes_when_its_leader_leaves_tasks_behind() {
    let wait = |_: &u64, task: &u64, stop: &Stop| {
        while !stop.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        *task
    };
    on_ranks(2, 2, wait, |pool, _| {
        let (replies, _answers) = channel();
        (0..8).for_each(|number| drop(pool.submit(number, number, &replies)));
    });
}
