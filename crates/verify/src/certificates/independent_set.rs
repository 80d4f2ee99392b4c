//! Independent set: the messages that a set of processors must receive, divided by the maximum that
//! it can receive in one step of store-and-forward. That maximum is a flow, limited by send ports,
//! channels and receive ports.

use super::flow::Flow;
use super::{Argument, Claim, Refusal, check_processor, check_store_and_forward};
use crate::cost::{Cost, Limits, Meter, OverLimit, Size, neighbours};
use pavane_model::{Certificate, ChannelId, Problem, ProcessorId};

/// Reads the argument from a certificate of its kind.
pub(super) fn read<'a>(claim: &Claim<'a>) -> Option<Box<dyn Argument + 'a>> {
    let Certificate::IndependentSet { processors } = claim.certificate else { return None };
    Some(Box::new(IndependentSet { processors, limits: claim.limits }))
}

struct IndependentSet<'a> {
    processors: &'a [ProcessorId],
    /// Limits for the flow: its number of phases is not known in advance, so its operations are
    /// counted.
    limits: Limits,
}

impl Argument for IndependentSet<'_> {
    fn cost(&self, problem: &Problem, size: &Size) -> Cost {
        let listed = self.processors.len() as u64;
        let exchange = exchange_cost(size, neighbours(problem, self.processors.iter().copied()));
        let operations = exchange.operations.saturating_add(listed + size.traffic());
        Cost { operations, ..exchange }
    }

    fn derive(&self, problem: &Problem) -> Result<u64, Refusal> {
        check_store_and_forward(problem)?;
        let mut is_member = vec![false; problem.network().processor_count()];
        for &processor in self.processors {
            check_processor(problem, processor)?;
            is_member[processor.index()] = true;
        }
        let messages = problem.messages();
        let of_set = |m| messages.destinations(m).iter().filter(|to| is_member[to.index()]).count();
        let wanted: u64 = messages.ids().map(|message| of_set(message) as u64).sum();
        let mut meter = Meter::new(self.limits.operations);
        match most_per_step(problem, &is_member, &mut meter)? {
            0 => Err("the set cannot receive any message".into()),
            most => Ok(wanted.div_ceil(most)),
        }
    }
}

/// Cost of building the flow and running it for a few phases. `neighbours` is the number of
/// processors on the routers of the receivers, counted once per receiver.
pub(crate) fn exchange_cost(size: &Size, neighbours: u64) -> Cost {
    let edges = neighbours.saturating_add(size.channels + 4 * size.processors);
    let nodes = 2 * (size.routers + size.processors);
    Cost::of(edges.saturating_mul(20).saturating_add(4 * nodes))
        .with_bytes(edges.saturating_mul(100).saturating_add(80 * nodes))
}

/// Maximum number of messages that a set of processors can receive in one step.
pub(crate) fn most_per_step(
    problem: &Problem,
    is_member: &[bool],
    meter: &mut Meter,
) -> Result<u64, OverLimit> {
    Exchange::new(problem, is_member).flow.most(SOURCE, SINK, meter)
}

/// The processors behind the bottleneck of the network: in a maximum exchange of one step, those
/// from which residual capacity still leads to the sink. They could receive more if more arrived.
pub(crate) fn behind_narrowest(
    problem: &Problem,
    meter: &mut Meter,
) -> Result<Vec<bool>, OverLimit> {
    let network = problem.network();
    let is_living: Vec<bool> = (0..network.processor_count() as u32)
        .map(|processor| network.home(ProcessorId(processor)).is_some())
        .collect();
    let mut exchange = Exchange::new(problem, &is_living);
    exchange.flow.most(SOURCE, SINK, meter)?;
    let is_reaching = exchange.flow.reaching(SINK);
    let receivers = &is_reaching[exchange.first_receiver..];
    Ok(is_living.iter().zip(receivers).map(|(&living, &behind)| living && behind).collect())
}

const SOURCE: usize = 0;
const SINK: usize = 1;

/// Flow network of one step. Its nodes are a source, a sink, the outgoing and the incoming side of
/// each router, and each processor as a sender and as a receiver.
struct Exchange {
    flow: Flow,
    first_receiver: usize,
}

impl Exchange {
    fn new(problem: &Problem, is_member: &[bool]) -> Self {
        let network = problem.network();
        let (routers, processors) = (network.router_count(), network.processor_count());
        let outgoing = |router: usize| 2 + router;
        let incoming = |router: usize| 2 + routers + router;
        let sender = |processor: usize| 2 + 2 * routers + processor;
        let first_receiver = 2 + 2 * routers + processors;
        let receiver = |processor: usize| first_receiver + processor;
        let mut flow = Flow::new(2 + 2 * routers + 2 * processors);
        for processor in network.living_processors() {
            let (at, home) = (processor.index(), problem.home(processor).index());
            let sends = u64::from(problem.send_ports(processor));
            flow.add(SOURCE, sender(at), sends);
            flow.add(sender(at), outgoing(home), sends);
            if !is_member[at] {
                continue;
            }
            let receives = u64::from(problem.receive_ports(processor));
            flow.add(incoming(home), receiver(at), receives);
            flow.add(receiver(at), SINK, receives);
            for &neighbour in network.residents(problem.home(processor)) {
                if neighbour != processor {
                    flow.add(sender(neighbour.index()), receiver(at), receives);
                }
            }
        }
        // Half duplex is ignored here. The larger flow only lowers the bound.
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            let ends = network.channel(channel);
            flow.add(outgoing(ends.tail.index()), incoming(ends.head.index()), 1);
        }
        Self { flow, first_receiver }
    }
}
