//! Segments: ways between two routers that copy, across switches that do not.

use crate::case::{PhaseCase, TimedCase};
use pavane_model::{ChannelId, RouterId};

/// The most switches that a segment crosses.
const MOST_SWITCHES: usize = 4;

/// The most segments from one router to another.
const MOST_BETWEEN: usize = 8;

/// A way between two routers that copy, across switches that do not.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub to: RouterId,
    pub channels: Vec<ChannelId>,
}

/// The segments of a network, by the first channel.
pub(crate) fn segments(all: &TimedCase, case: &PhaseCase) -> Vec<Vec<Segment>> {
    let mut found: Vec<Vec<Segment>> = vec![Vec::new(); case.problem.network().channel_count()];
    for from in (0..case.routers() as u32).map(RouterId).filter(|from| case.copying[from.index()]) {
        let mut counts = vec![0usize; case.routers()];
        // Breadth first, so that short segments come first.
        let mut paths: std::collections::VecDeque<Vec<ChannelId>> =
            case.outgoing(from).iter().map(|&channel| vec![channel]).collect();
        while let Some(path) = paths.pop_front() {
            let Some(&last) = path.last() else { continue };
            let (_, to) = case.ends(last);
            if to == from || counts[to.index()] >= MOST_BETWEEN * case.outgoing(from).len() {
                continue;
            }
            counts[to.index()] += 1;
            if case.copying[to.index()] {
                found[path[0].index()].push(Segment { to, channels: path });
            } else if path.len() <= MOST_SWITCHES {
                let is_new = |&&next: &&ChannelId| {
                    let (_, end) = case.ends(next);
                    end != from && path.iter().all(|&channel| case.ends(channel).0 != end)
                };
                for &next in case.outgoing(to).iter().filter(is_new) {
                    let mut longer = path.clone();
                    longer.push(next);
                    paths.push_back(longer);
                }
            }
        }
    }
    let duration = |segment: &Segment| -> u64 {
        segment.channels.iter().map(|&channel| all.times.latency(channel)).sum()
    };
    found.iter_mut().for_each(|list| list.sort_by_key(duration));
    found
}
