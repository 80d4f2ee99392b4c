//! The fewest steps of a tiny problem, by breadth-first search over the processors that hold each
//! message: every set of transfers that may share a step is tried. It follows the definitions
//! directly, is slow, and shares only the types of `model` with the code that it checks.

use pavane_model::{
    ChannelId, Duplex, MessageId, Network, Problem, ProcessorId, RouterId, Routing, Switching,
};
use std::collections::BTreeSet;

/// The fewest steps of any valid schedule; `None` if more than `effort` sets of transfers would
/// have to be examined. For at most 32 processors and 64 channels.
pub fn fewest_steps(problem: &Problem, effort: u64) -> Option<u32> {
    let problem = problem.forward();
    let mut search = BruteForceSearch::new(&problem, effort);
    let mut frontier = BTreeSet::from([search.start()]);
    let mut seen = BTreeSet::new();
    for step in 0.. {
        if frontier.iter().any(|state| search.is_done(state)) {
            return Some(step);
        }
        let mut next = BTreeSet::new();
        for state in &frontier {
            search.extend(state, &mut next)?;
        }
        seen.append(&mut frontier);
        frontier = next.difference(&seen).cloned().collect();
        assert!(!frontier.is_empty(), "some message can never arrive");
    }
    unreachable!("the loop above ends by returning")
}

/// The processors that have held a message so far, and the current holder if it is personalised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Holding {
    holders: u32,
    last: u8,
}

type State = Vec<Holding>;

/// A decision in a step: at most one of `options` happens.
struct Choice {
    message: MessageId,
    options: Vec<Move>,
    /// Whether making the move can never be worse than omitting it.
    is_never_bad: bool,
}

struct Move {
    from: ProcessorId,
    to: ProcessorId,
    /// The channels of the path (under half duplex, the links), as bits.
    channels: u64,
}

/// The resources that the transfers chosen so far use, and the state that they lead to.
struct Step {
    channels: u64,
    sends: Vec<u32>,
    receives: Vec<u32>,
    state: State,
    is_chosen: Vec<bool>,
}

struct BruteForceSearch<'a> {
    problem: &'a Problem,
    distance: Vec<Vec<u32>>,
    /// Every path that one transfer may take, by its two ends.
    paths: Vec<Vec<Vec<u64>>>,
    effort: u64,
}

impl<'a> BruteForceSearch<'a> {
    fn new(problem: &'a Problem, effort: u64) -> Self {
        let network = problem.network();
        assert!(network.processor_count() <= 32 && network.channel_count() <= 64, "not tiny");
        let distance = distances(network);
        let paths = network
            .routers()
            .map(|from| {
                let mut found = vec![Vec::new(); network.router_count()];
                let mut path = Vec::new();
                simple_paths(network, from, &mut vec![from], &mut path, &mut |to, path| {
                    let shortest = distance[from.index()][to.index()];
                    if is_allowed(problem, path.len() as u32, shortest) {
                        found[to.index()].push(resources(problem, path));
                    }
                });
                found
            })
            .collect();
        Self { problem, distance, paths, effort }
    }

    fn start(&self) -> State {
        let messages = self.problem.messages();
        messages
            .ids()
            .map(|m| messages.origin(m))
            .map(|origin| Holding { holders: 1 << origin.0, last: origin.0 as u8 })
            .collect()
    }

    fn is_done(&self, state: &State) -> bool {
        let messages = self.problem.messages();
        messages.ids().all(|m| {
            messages.destinations(m).iter().all(|to| state[m.index()].holders & 1 << to.0 != 0)
        })
    }

    /// Adds every state that one step can reach to `next`.
    fn extend(&mut self, state: &State, next: &mut BTreeSet<State>) -> Option<()> {
        let choices = self.choices(state);
        let processors = self.problem.network().processor_count();
        let mut step = Step {
            channels: 0,
            sends: vec![0; processors],
            receives: vec![0; processors],
            state: state.clone(),
            is_chosen: vec![false; choices.len()],
        };
        self.choose(&choices, 0, &mut step, next)
    }

    fn choose(
        &mut self,
        choices: &[Choice],
        at: usize,
        step: &mut Step,
        next: &mut BTreeSet<State>,
    ) -> Option<()> {
        self.effort = self.effort.checked_sub(1)?;
        let Some(choice) = choices.get(at) else {
            let could_do_more = choices.iter().enumerate().any(|(index, choice)| {
                let is_open = choice.is_never_bad && !step.is_chosen[index];
                is_open && choice.options.iter().any(|option| self.fits(step, option))
            });
            if !could_do_more {
                next.insert(step.state.clone());
            }
            return Some(());
        };
        self.choose(choices, at + 1, step, next)?;
        for option in &choice.options {
            if !self.fits(step, option) {
                continue;
            }
            let before = step.state[choice.message.index()];
            step.channels |= option.channels;
            step.sends[option.from.index()] += 1;
            step.receives[option.to.index()] += 1;
            step.is_chosen[at] = true;
            let holders = before.holders | 1 << option.to.0;
            let last = if choice.is_never_bad { before.last } else { option.to.0 as u8 };
            step.state[choice.message.index()] = Holding { holders, last };
            self.choose(choices, at + 1, step, next)?;
            step.state[choice.message.index()] = before;
            step.is_chosen[at] = false;
            step.receives[option.to.index()] -= 1;
            step.sends[option.from.index()] -= 1;
            step.channels &= !option.channels;
        }
        Some(())
    }

    fn fits(&self, step: &Step, option: &Move) -> bool {
        step.channels & option.channels == 0
            && step.sends[option.from.index()] < self.problem.send_ports(option.from)
            && step.receives[option.to.index()] < self.problem.receive_ports(option.to)
    }

    fn choices(&self, state: &State) -> Vec<Choice> {
        let messages = self.problem.messages();
        let mut choices = Vec::new();
        for message in messages.ids() {
            let holding = state[message.index()];
            let destinations = messages.destinations(message);
            let wanted = destinations.iter().fold(0, |wanted, to| wanted | 1u32 << to.0);
            if holding.holders & wanted == wanted {
                continue;
            }
            let is_personalised = messages.is_personalised(message);
            if is_personalised && self.problem.model().switching == Switching::StoreAndForward {
                let options = self.next_hops(message, holding);
                choices.push(Choice { message, options, is_never_bad: false });
                continue;
            }
            for to in self.problem.network().living_processors() {
                let is_useless = is_personalised && !destinations.contains(&to);
                if holding.holders & 1 << to.0 != 0 || is_useless {
                    continue;
                }
                let holders = (0..32).map(ProcessorId).filter(|p| holding.holders & 1 << p.0 != 0);
                let options: Vec<Move> = holders.flat_map(|from| self.moves(from, to)).collect();
                choices.push(Choice { message, options, is_never_bad: true });
            }
        }
        choices
    }

    /// The transfers from one processor to another, one per path.
    fn moves(&self, from: ProcessorId, to: ProcessorId) -> impl Iterator<Item = Move> {
        let (tail, head) = (self.problem.home(from).index(), self.problem.home(to).index());
        self.paths[tail][head].iter().map(move |&channels| Move { from, to, channels })
    }

    /// The next hops of a personalised message under store-and-forward: all its hops together form
    /// one allowed path, and processors of one router may hand it over.
    fn next_hops(&self, message: MessageId, holding: Holding) -> Vec<Move> {
        let messages = self.problem.messages();
        let home = |p: ProcessorId| self.problem.home(p);
        let from = ProcessorId(u32::from(holding.last));
        let start = home(messages.origin(message));
        let end = home(messages.destinations(message)[0]);
        let visited: BTreeSet<RouterId> = (0..32)
            .filter(|p| holding.holders & 1 << p != 0)
            .map(|p| home(ProcessorId(p)))
            .collect();
        let is_possible = |to: &ProcessorId| {
            let router = home(*to);
            let is_new = holding.holders & 1 << to.0 == 0;
            if router == home(from) || visited.contains(&router) {
                return is_new && router == home(from);
            }
            // Every hop so far reached a new router, as this one does.
            let hops = visited.len() as u32;
            let remaining = self.distance[router.index()][end.index()];
            let shortest = self.distance[start.index()][end.index()];
            remaining != u32::MAX
                && match self.problem.model().routing {
                    Routing::Minimal => hops + remaining == shortest,
                    Routing::Any => true,
                    Routing::Detour(extra) => hops + remaining <= shortest + extra,
                }
        };
        let processors = self.problem.network().living_processors();
        processors.filter(is_possible).flat_map(|to| self.moves(from, to)).collect()
    }
}

fn is_allowed(problem: &Problem, length: u32, shortest: u32) -> bool {
    let model = problem.model();
    let is_routed = match model.routing {
        Routing::Minimal => length == shortest,
        Routing::Any => true,
        Routing::Detour(extra) => length <= shortest + extra,
    };
    is_routed && (length <= 1 || model.switching == Switching::Wormhole)
}

/// The channels of a path as bits; under half duplex, one bit for both channels of a link.
fn resources(problem: &Problem, path: &[ChannelId]) -> u64 {
    let resource = |&channel: &ChannelId| match problem.model().duplex {
        Duplex::Full => channel,
        Duplex::Half => problem.network().opposite(channel).map_or(channel, |c| c.min(channel)),
    };
    path.iter().fold(0, |bits, channel| bits | 1u64 << resource(channel).0)
}

/// The hops between any two routers, or `u32::MAX` (Floyd–Warshall).
fn distances(network: &Network) -> Vec<Vec<u32>> {
    let routers = network.router_count();
    let mut distance = vec![vec![u32::MAX; routers]; routers];
    for (router, row) in distance.iter_mut().enumerate() {
        row[router] = 0;
    }
    for channel in network.channels() {
        distance[channel.tail.index()][channel.head.index()] = 1;
    }
    for middle in 0..routers {
        for from in 0..routers {
            for to in 0..routers {
                let through = distance[from][middle].saturating_add(distance[middle][to]);
                distance[from][to] = distance[from][to].min(through);
            }
        }
    }
    distance
}

/// Calls `found` with every simple path from the first router visited.
fn simple_paths(
    network: &Network,
    at: RouterId,
    visited: &mut Vec<RouterId>,
    path: &mut Vec<ChannelId>,
    found: &mut impl FnMut(RouterId, &[ChannelId]),
) {
    found(at, path);
    for &channel in network.out_channels(at) {
        let head = network.channel(channel).head;
        if !visited.contains(&head) {
            visited.push(head);
            path.push(channel);
            simple_paths(network, head, visited, path, found);
            path.pop();
            visited.pop();
        }
    }
}
