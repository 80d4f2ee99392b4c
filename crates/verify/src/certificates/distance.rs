//! Distance: the channel uses that all messages need together, over the channels that one step
//! offers. A private message takes at least its distance. The channels of a message for several
//! destinations enter every home of a destination, each by a channel of its own, and lead to the
//! furthest one.

use pavane_model::{ChannelId, Duplex, Problem, RouterId};

pub(super) fn derive(problem: &Problem) -> Result<u64, String> {
    let network = problem.network();
    let messages = problem.messages();
    let mut hops: Vec<Option<Vec<u32>>> = vec![None; network.router_count()];
    let mut left = vec![0usize; network.router_count()];
    for message in messages.ids() {
        left[problem.home(messages.origin(message)).index()] += 1;
    }
    let mut counted_by = vec![u32::MAX; network.router_count()];
    let mut uses = 0u64;
    for message in messages.ids() {
        let origin: RouterId = problem.home(messages.origin(message));
        let table = hops[origin.index()].get_or_insert_with(|| network.distances_from(origin));
        let (mut homes, mut furthest) = (0, 0);
        for &to in messages.destinations(message) {
            let home = problem.home(to);
            furthest = furthest.max(u64::from(table[home.index()]));
            if home != origin && counted_by[home.index()] != message.0 {
                counted_by[home.index()] = message.0;
                homes += 1;
            }
        }
        uses += furthest.max(homes);
        // Tables are let go once no message starts there any more.
        left[origin.index()] -= 1;
        if left[origin.index()] == 0 {
            hops[origin.index()] = None;
        }
    }
    match offered(problem) {
        0 => Err("the network has no channel".to_owned()),
        offered => Ok(uses.div_ceil(offered)),
    }
}

/// The channel uses that one step can offer: under half duplex one for every link.
fn offered(problem: &Problem) -> u64 {
    let network = problem.network();
    let all = (0..network.channel_count() as u32).map(ChannelId);
    let counts = |&channel: &ChannelId| match problem.model().duplex {
        Duplex::Full => true,
        Duplex::Half => network.opposite(channel).is_none_or(|other| channel < other),
    };
    all.filter(counts).count() as u64
}
