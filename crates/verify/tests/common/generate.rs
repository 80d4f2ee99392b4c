//! Random small problems of every kind, each with a valid schedule built in the simplest way.

use super::{PlainTransfer, Rng, Steps, to_schedule, to_steps};
use pavane_model::{
    ChannelId, Collective, Duplex, Kind, ListedMessage, Model, Network, NetworkBuilder, Ports,
    Problem, ProcessorId, RouterId, Routing, Switching,
};
use std::collections::BTreeMap;

pub fn problem_with_schedule(rng: &mut Rng) -> (Problem, Steps) {
    loop {
        let network = random_network(rng);
        let collective = random_collective(rng, &network);
        if let Ok(problem) = Problem::new(network, collective, random_model(rng)) {
            let forward = problem.forward();
            let transfers = solve(rng, &forward);
            let steps = place(&forward, transfers, rng.one_in(3));
            let steps = if problem.is_backward() {
                to_steps(&to_schedule(&steps).reversed())
            } else {
                steps
            };
            return (problem, steps);
        }
    }
}

/// A ring of links or channels with shortcuts, processors on some routers, and possibly a fault.
pub fn random_network(rng: &mut Rng) -> Network {
    let routers = 2 + rng.below(6) as u32;
    let mut builder = NetworkBuilder::new("random", routers);
    let is_directed = rng.one_in(4);
    let mut connect = |tail: u32, head: u32| {
        if is_directed {
            builder.channel(tail, head).channel_count()
        } else {
            builder.link(tail, head).channel_count()
        }
    };
    for router in 0..routers {
        connect(router, (router + 1) % routers);
    }
    for _ in 0..rng.below(routers as usize) {
        let tail = rng.below(routers as usize) as u32;
        let head = rng.below(routers as usize) as u32;
        if tail != head {
            connect(tail, head);
        }
    }
    let most = rng.pick(&[1, 1, 2, 3]);
    let has_switches = rng.one_in(4);
    for router in 0..routers {
        let least = if has_switches && router > 0 { 0 } else { 1 };
        for _ in 0..least + rng.below(most) {
            builder.processor(Some(router));
        }
    }
    let network = builder.build().expect("the generator makes well-formed networks");
    if !rng.one_in(4) {
        return network;
    }
    let lost_router = RouterId(rng.below(routers as usize) as u32);
    let lost_channel = ChannelId(rng.below(network.channel_count()) as u32);
    let result = if rng.one_in(2) {
        network.without_parts(&[], &[lost_router], vec!["a router".to_owned()])
    } else {
        network.without_parts(&[lost_channel], &[], vec!["a channel".to_owned()])
    };
    result.unwrap_or(network)
}

pub fn random_model(rng: &mut Rng) -> Model {
    Model {
        switching: rng.pick(&[Switching::Wormhole, Switching::StoreAndForward]),
        routing: rng.pick(&[Routing::Minimal, Routing::Any, Routing::Detour(1)]),
        duplex: rng.pick(&[Duplex::Full, Duplex::Half]),
        ports: rng.pick(&[Ports::All, Ports::Limited(1), Ports::Limited(2)]),
    }
}

pub fn random_collective(rng: &mut Rng, network: &Network) -> Collective {
    let living: Vec<ProcessorId> = network.living_processors().collect();
    let group = |rng: &mut Rng, most: usize| -> Vec<ProcessorId> {
        let mut rest = living.clone();
        let size = 1 + rng.below(most.min(rest.len()));
        (0..size).map(|_| rest.swap_remove(rng.below(rest.len()))).collect()
    };
    let kinds = [Kind::Broadcast, Kind::Scatter, Kind::Gather, Kind::Reduce, Kind::Messages];
    match rng.pick(&kinds) {
        Kind::Messages => {
            let list = (0..1 + rng.below(4))
                .map(|_| {
                    let from = rng.pick(&living);
                    let to = group(rng, 4).into_iter().filter(|&p| p != from).collect();
                    ListedMessage { from, to }
                })
                .collect();
            Collective::listed("random", list)
        }
        kind => {
            let (senders, receivers) = (group(rng, 3), group(rng, 5));
            Collective::between(kind, "random", senders, receivers)
        }
    }
}

/// Transfers that solve the problem if executed one after another.
fn solve(rng: &mut Rng, problem: &Problem) -> Vec<PlainTransfer> {
    let messages = problem.messages();
    let mut transfers = Vec::new();
    for message in messages.ids() {
        let mut holders = vec![messages.origin(message)];
        for &to in messages.destinations(message) {
            if holders.contains(&to) {
                continue;
            }
            let from = rng.pick(&holders);
            let path = random_path(rng, problem, from, to);
            if problem.model().switching == Switching::Wormhole {
                let path = path.iter().map(|channel| channel.0).collect();
                transfers.push(PlainTransfer { message: message.0, from: from.0, to: to.0, path });
                holders.push(to);
                continue;
            }
            // Store-and-forward: starts from the last processor on the path that already holds the
            // message.
            let mut stops = stops(rng, problem, &path, to);
            stops.insert(0, from);
            let start = stops
                .iter()
                .rposition(|stop| holders.contains(stop))
                .expect("the first stop holds it");
            for pair in stops[start..].windows(2) {
                let path = hop(problem, pair[0], pair[1], &path);
                let (message, from, to) = (message.0, pair[0].0, pair[1].0);
                transfers.push(PlainTransfer { message, from, to, path });
                holders.push(pair[1]);
            }
        }
    }
    transfers
}

/// The processors at which a message stops under store-and-forward; the last is `to`.
fn stops(
    rng: &mut Rng,
    problem: &Problem,
    path: &[ChannelId],
    to: ProcessorId,
) -> Vec<ProcessorId> {
    let network = problem.network();
    let between = path.iter().take(path.len().saturating_sub(1));
    let mut stops: Vec<ProcessorId> =
        between.map(|&c| rng.pick(network.residents(network.channel(c).head))).collect();
    stops.push(to);
    stops
}

/// The channel of the path between the homes of two processors; empty if they share a home.
fn hop(problem: &Problem, from: ProcessorId, to: ProcessorId, path: &[ChannelId]) -> Vec<u32> {
    let ends = (problem.home(from), problem.home(to));
    let is_it = |c: &&ChannelId| {
        let channel = problem.network().channel(**c);
        (channel.tail, channel.head) == ends
    };
    path.iter().filter(is_it).map(|channel| channel.0).collect()
}

/// A path that the routing allows, not always a shortest one.
fn random_path(
    rng: &mut Rng,
    problem: &Problem,
    from: ProcessorId,
    to: ProcessorId,
) -> Vec<ChannelId> {
    let extra = match problem.model().routing {
        Routing::Minimal => 0,
        Routing::Any => rng.below(3) as u32,
        Routing::Detour(extra) => rng.below(extra as usize + 1) as u32,
    };
    let (start, end) = (problem.home(from), problem.home(to));
    path_with_detour(rng, problem.network(), start, end, extra)
}

/// A simple path with at most `extra` channels more than the shortest. `end` must be reachable.
pub fn path_with_detour(
    rng: &mut Rng,
    network: &Network,
    start: RouterId,
    end: RouterId,
    mut extra: u32,
) -> Vec<ChannelId> {
    let to_end = network.distances_to(end);
    let shortest = to_end[start.index()];
    loop {
        let (mut at, mut path, mut visited) = (start, Vec::new(), vec![start]);
        while at != end {
            let can_go = |c: &&ChannelId| {
                let head = network.channel(**c).head;
                let rest = to_end[head.index()];
                let most = shortest + extra;
                !visited.contains(&head) && rest != u32::MAX && path.len() as u32 + 1 + rest <= most
            };
            let ways: Vec<ChannelId> =
                network.out_channels(at).iter().filter(can_go).copied().collect();
            if ways.is_empty() {
                break;
            }
            let channel = rng.pick(&ways);
            at = network.channel(channel).head;
            path.push(channel);
            visited.push(at);
        }
        if at == end {
            return path;
        }
        extra = 0;
    }
}

/// Puts each transfer into a step of its own, or into the first step in which it fits.
fn place(problem: &Problem, transfers: Vec<PlainTransfer>, is_sequential: bool) -> Steps {
    let mut steps: Steps = Vec::new();
    let mut received: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for transfer in transfers {
        let mut at = received.get(&(transfer.message, transfer.from)).map_or(0, |step| step + 1);
        if is_sequential {
            at = steps.len();
        }
        while at < steps.len() && !fits(problem, &steps[at], &transfer) {
            at += 1;
        }
        if at == steps.len() {
            steps.push(Vec::new());
        }
        received.insert((transfer.message, transfer.to), at);
        steps[at].push(transfer);
    }
    steps
}

fn fits(problem: &Problem, step: &[PlainTransfer], new: &PlainTransfer) -> bool {
    let is_half = problem.model().duplex == Duplex::Half;
    let clashes = |&a: &u32, &b: &u32| {
        a == b || (is_half && problem.network().opposite(ChannelId(a)) == Some(ChannelId(b)))
    };
    let is_free = |channel: &u32| step.iter().flat_map(|t| &t.path).all(|c| !clashes(c, channel));
    let sends = step.iter().filter(|t| t.from == new.from).count() as u32;
    let receives = step.iter().filter(|t| t.to == new.to).count() as u32;
    new.path.iter().all(is_free)
        && sends < problem.send_ports(ProcessorId(new.from))
        && receives < problem.receive_ports(ProcessorId(new.to))
}
