//! Distance bound: the channel uses that all messages need at least, divided by the channels of the
//! network.

use super::finding::Finding;
use super::{hops, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, Duplex, Problem};

/// Divides the channel uses of all messages by those available in one step.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let (offered, thing) = offered_per_step(problem);
    if offered == 0 {
        return Finding::NotApplicable;
    }
    let messages = problem.messages();
    let mut uses = 0;
    // The message that last counted each router as a destination's home.
    let mut counted_by = vec![u32::MAX; problem.network().router_count()];
    let searched = hops::from_origins(problem, interrupt, |origin, group, distance| {
        for &message in group {
            // The message enters each destination router over a separate channel, and it needs at
            // least a path to the furthest one.
            let (mut homes, mut furthest) = (0, 0);
            for &to in messages.destinations(message) {
                let home = problem.home(to);
                furthest = furthest.max(u64::from(distance[home.index()]));
                if home != origin && counted_by[home.index()] != message.0 {
                    counted_by[home.index()] = message.0;
                    homes += 1;
                }
            }
            uses += furthest.max(homes);
        }
    });
    if let Err(why) = searched {
        return Finding::Skipped { reason: Certificate::Distance.reason(), why };
    }
    if uses == 0 {
        return Finding::NotApplicable;
    }
    let steps = uses.div_ceil(offered);
    let explanation = format!(
        "delivering {} takes {} and a step has {}, so at least {}",
        words::counted(messages.len(), "message"),
        words::counted(uses, "channel use"),
        words::counted(offered, thing),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::Distance, explanation)
}

/// How many channels (under half duplex, links) can work in one step.
fn offered_per_step(problem: &Problem) -> (u64, &'static str) {
    let network = problem.network();
    let channels = network.channel_count() as u64;
    match problem.model().duplex {
        Duplex::Full => (channels, "channel"),
        Duplex::Half => {
            let all = (0..channels as u32).map(pavane_model::ChannelId);
            let linked = all.filter(|&channel| network.opposite(channel).is_some()).count();
            (channels - linked as u64 / 2, "link")
        }
    }
}
