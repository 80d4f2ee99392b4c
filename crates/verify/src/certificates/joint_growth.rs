//! Joint growth: what all processors of a set of routers together hold of all messages. In a step
//! only those send who hold something, what crosses the border takes a channel, and inside only
//! what is known there already is passed around.

use super::marked;
use pavane_model::{ChannelId, Problem, ProcessorId, RouterId};

/// Steps until as much can be held in the set as is wanted there; all routers if none is listed.
pub(super) fn derive(problem: &Problem, routers: &[RouterId]) -> Result<u64, String> {
    let mut is_inside = marked(problem, routers)?;
    if routers.is_empty() {
        is_inside.fill(true);
    }
    let (network, messages) = (problem.network(), problem.messages());
    let lives_inside = |p: ProcessorId| is_inside[problem.home(p).index()];
    let inside: Vec<ProcessorId> =
        network.living_processors().filter(|&p| lives_inside(p)).collect();
    let mut is_origin = vec![false; network.processor_count()];
    let (mut known, mut wanted) = (0u64, 0u64);
    for message in messages.ids() {
        let origin = messages.origin(message);
        if lives_inside(origin) {
            is_origin[origin.index()] = true;
            known += 1;
        }
        wanted +=
            messages.destinations(message).iter().filter(|&&to| lives_inside(to)).count() as u64;
    }
    let sends = |p: &ProcessorId| u64::from(problem.send_ports(*p));
    let (origins, mut others): (Vec<ProcessorId>, Vec<ProcessorId>) =
        inside.iter().partition(|p| is_origin[p.index()]);
    others.sort_by_key(|p| std::cmp::Reverse(sends(p)));
    let takes: u64 = inside.iter().map(|&p| u64::from(problem.receive_ports(p))).sum();
    let channels = (0..network.channel_count() as u32).map(|c| network.channel(ChannelId(c)));
    let enters = channels.filter(|c| !is_inside[c.tail.index()] && is_inside[c.head.index()]);
    let entering = enters.count() as u64;
    let residents = inside.len() as u64;

    let goal = known + wanted;
    let (mut held, mut helpers, mut steps) = (known, 0u64, 0);
    while held < goal {
        let helping: u64 = others[..helpers as usize].iter().map(sends).sum();
        let offers = entering + origins.iter().map(sends).sum::<u64>() + helping;
        let new = offers.min(takes);
        let next = (held + new).min(residents * known + entering);
        let more = known.saturating_add(entering).min(messages.len() as u64);
        if next <= held && more == known {
            return Err("the set can never hold what it wants".to_owned());
        }
        held = next.max(held);
        known = more;
        helpers = (helpers + new).min(others.len() as u64);
        steps += 1;
    }
    Ok(steps)
}
