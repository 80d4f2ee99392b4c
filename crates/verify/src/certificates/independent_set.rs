//! Independent set: what a set of processors must take in, over the most that it can take in within
//! one step of store-and-forward. That most is a flow: senders within their ports, channels once,
//! receivers within their ports.

use super::flow::Flow;
use super::{check_processor, check_store_and_forward};
use pavane_model::{ChannelId, Problem, ProcessorId};

pub(super) fn derive(problem: &Problem, processors: &[ProcessorId]) -> Result<u64, String> {
    check_store_and_forward(problem)?;
    let mut is_member = vec![false; problem.network().processor_count()];
    for &processor in processors {
        check_processor(problem, processor)?;
        is_member[processor.index()] = true;
    }
    let messages = problem.messages();
    let wanted: u64 = messages
        .ids()
        .map(|m| messages.destinations(m).iter().filter(|to| is_member[to.index()]).count() as u64)
        .sum();
    match most_per_step(problem, &is_member) {
        0 => Err("the set can take nothing in".to_owned()),
        most => Ok(wanted.div_ceil(most)),
    }
}

/// Nodes: a source, a sink, each router's outgoing and incoming side, each processor as a sender
/// and as a receiver.
fn most_per_step(problem: &Problem, is_member: &[bool]) -> u64 {
    let network = problem.network();
    let (routers, processors) = (network.router_count(), network.processor_count());
    let (source, sink) = (0, 1);
    let outgoing = |router: usize| 2 + router;
    let incoming = |router: usize| 2 + routers + router;
    let sender = |processor: usize| 2 + 2 * routers + processor;
    let receiver = |processor: usize| 2 + 2 * routers + processors + processor;
    let mut flow = Flow::new(2 + 2 * routers + 2 * processors);
    for processor in network.living_processors() {
        let (at, home) = (processor.index(), problem.home(processor).index());
        let sends = u64::from(problem.send_ports(processor));
        flow.add(source, sender(at), sends);
        flow.add(sender(at), outgoing(home), sends);
        if !is_member[at] {
            continue;
        }
        let receives = u64::from(problem.receive_ports(processor));
        flow.add(incoming(home), receiver(at), receives);
        flow.add(receiver(at), sink, receives);
        for &neighbour in network.residents(problem.home(processor)) {
            if neighbour != processor {
                flow.add(sender(neighbour.index()), receiver(at), receives);
            }
        }
    }
    // Under half duplex a link works one way: more flow than that only lowers the bound.
    for channel in (0..network.channel_count() as u32).map(ChannelId) {
        let ends = network.channel(channel);
        flow.add(outgoing(ends.tail.index()), incoming(ends.head.index()), 1);
    }
    flow.most(source, sink)
}
