//! Distance: the channel uses that all messages need together, divided by the channels that one
//! step offers. A personalised message needs at least its distance. A message with several
//! destinations enters each home of a destination over a separate channel, and also needs the
//! distance to its furthest destination; the larger number counts.

use super::{Argument, Claim, Refusal, for_each_origin};
use crate::cost::{Cost, Size, origins};
use pavane_model::{Certificate, ChannelId, Duplex, Problem};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::Distance = claim.certificate else { return None };
    Some(Box::new(Distance))
}

struct Distance;

impl Argument for Distance {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        Cost::of(searches_cost(problem, size).saturating_add(2 * size.channels))
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        Ok(derive(problem)?)
    }
}

/// Operations of one breadth-first search per origin and a visit to all messages.
pub(super) fn searches_cost(problem: &Problem, size: &Size) -> u64 {
    let searches = origins(problem).saturating_mul(size.search());
    searches.saturating_add(size.neighbours() + 2 * size.traffic())
}

pub(super) fn derive(problem: &Problem) -> Result<u64, String> {
    let messages = problem.messages();
    let mut counted_by = vec![u32::MAX; problem.network().router_count()];
    let mut uses = 0u64;
    for_each_origin(problem, |origin, group, hops| {
        for &message in group {
            let (mut homes, mut furthest) = (0, 0);
            for &to in messages.destinations(message) {
                let home = problem.home(to);
                furthest = furthest.max(u64::from(hops[home.index()]));
                if home != origin && counted_by[home.index()] != message.0 {
                    counted_by[home.index()] = message.0;
                    homes += 1;
                }
            }
            uses += furthest.max(homes);
        }
    });
    match offered(problem) {
        0 => Err("the network has no channel".to_owned()),
        offered => Ok(uses.div_ceil(offered)),
    }
}

/// Channel uses that one step offers: under half duplex, one per link.
fn offered(problem: &Problem) -> u64 {
    let network = problem.network();
    let all = (0..network.channel_count() as u32).map(ChannelId);
    let counts = |&channel: &ChannelId| match problem.model().duplex {
        Duplex::Full => true,
        Duplex::Half => network.opposite(channel).is_none_or(|other| channel < other),
    };
    all.filter(counts).count() as u64
}
