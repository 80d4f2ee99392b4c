//! Finds the best of all cuts of a small network by sums over subsets: a message stays within a set
//! of routers if the homes of its origin and destinations are a subset of it.

use super::side::Ratio;
use pavane_model::{ChannelId, Duplex, Problem, RouterId};

/// Routers up to which all cuts are tried.
pub const MOST_ROUTERS: usize = 18;

/// The set of routers that takes the most steps to leave. Ties go to the set whose smaller side has
/// the fewest routers. `routers` are the living routers.
pub fn best(problem: &Problem, routers: &[RouterId]) -> (Ratio, Vec<RouterId>) {
    let mut bit_of = vec![0usize; problem.network().router_count()];
    for (bit, router) in routers.iter().enumerate() {
        bit_of[router.index()] = 1 << bit;
    }
    let messages = messages_leaving(problem, &bit_of, routers.len());
    let channels = channels_leaving(problem, &bit_of, routers.len());
    let all = messages.len() - 1;
    let ratio = |set: usize| {
        let (mut crossing, mut over) = (messages[set], channels[set]);
        if problem.model().duplex == Duplex::Half {
            crossing += messages[all & !set];
            over += channels[all & !set];
        }
        Ratio { messages: crossing as u64, channels: over as u64 }
    };
    let smaller_side = |set: usize| set.count_ones().min((all & !set).count_ones());
    let key = |set: usize| (ratio(set).steps(), std::cmp::Reverse(smaller_side(set)));
    let best = (1..all).rev().max_by_key(|&set| key(set)).unwrap_or(0);
    let inside = routers.iter().copied().filter(|router| best & bit_of[router.index()] != 0);
    (ratio(best), inside.collect())
}

/// For every set of routers, the messages that start inside and have a destination outside.
fn messages_leaving(problem: &Problem, bit_of: &[usize], bits: usize) -> Vec<i64> {
    let bit = |processor| bit_of[problem.home(processor).index()];
    let mut sums = vec![0; 1 << bits];
    for message in problem.messages().ids() {
        let origin = bit(problem.messages().origin(message));
        let to = problem.messages().destinations(message).iter();
        sums[origin] += 1;
        sums[to.fold(origin, |homes, &to| homes | bit(to))] -= 1;
    }
    add_up_subsets(&mut sums);
    sums
}

/// For every set of routers, the channels that leave it. Under half duplex a link counts once, in
/// the direction of its first channel.
fn channels_leaving(problem: &Problem, bit_of: &[usize], bits: usize) -> Vec<i64> {
    let network = problem.network();
    let mut sums = vec![0; 1 << bits];
    for number in (0..network.channel_count() as u32).map(ChannelId) {
        let is_second = network.opposite(number).is_some_and(|other| other < number);
        if is_second && problem.model().duplex == Duplex::Half {
            continue;
        }
        let channel = network.channel(number);
        let tail = bit_of[channel.tail.index()];
        sums[tail] += 1;
        sums[tail | bit_of[channel.head.index()]] -= 1;
    }
    add_up_subsets(&mut sums);
    sums
}

/// Adds to the entry of every set the entries of all its subsets.
fn add_up_subsets(sums: &mut [i64]) {
    let mut half = 1;
    while half < sums.len() {
        for block in sums.chunks_exact_mut(2 * half) {
            let (without, with) = block.split_at_mut(half);
            for (with, without) in with.iter_mut().zip(without) {
                *with += *without;
            }
        }
        half *= 2;
    }
}
