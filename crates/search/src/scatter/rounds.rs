//! Personalised messages between processors attached to switches, as on fat trees. The messages are
//! split into rounds in which no processor exceeds its channels, and each round is routed in one
//! step. Both are edge colourings of a bipartite graph (Kőnig): messages are coloured by round,
//! then, within a round and level by level, by the plane of switches they pass through. Under half
//! duplex the rounds are those of a tournament, in which all messages of a switch go to or come from
//! the same other switch.

mod planes;
mod tournament;

use super::colouring::Colouring;
use super::weights::is_personalised;
use crate::attempt::{Context, Engine, Fit, Suitability, Traits};
use crate::budget::{Budget, Interrupt};
use crate::rng::Rng;
use pavane_model::{
    Duplex, MessageId, Problem, ProcessorId, RouterId, Routing, Schedule, Switching, Transfer,
};
use planes::{PlaneWays, Planes};
use tournament::tournament;

/// Limit on the entries of the table of processors and rounds, and the entries per message up to
/// which a larger table is still allowed.
const MOST_ENTRIES: u64 = 1 << 24;
const FILLED: u64 = 8;

/// Limit on the channels visited while computing distances.
const MOST_WORK: u64 = 1 << 31;

/// Rounds of one message per channel of a processor, each routed in one step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rounds;

impl Suitability for Rounds {
    fn takes(&self, problem: &Problem) -> bool {
        let (network, model) = (problem.network(), problem.model());
        model.switching == Switching::Wormhole
            && (model.duplex == Duplex::Full || is_exchange_on_single_links(problem))
            && network.routers().any(|router| network.residents(router).is_empty())
            && is_personalised(problem)
    }

    fn fit(&self, context: &Context, _: &Interrupt) -> Fit {
        let problem = context.problem();
        let is_half = problem.model().duplex == Duplex::Half;
        let planes = Planes::new(problem);
        Fit::useful_if(
            planes.is_some_and(|planes| !is_half || pairings(problem, &planes).is_some()),
        )
    }

    fn first_quota(&self, problem: &Problem, _: u32) -> u64 {
        8 * problem.messages().len() as u64
    }
}

impl Engine for Rounds {
    fn describe(&self) -> Traits {
        Traits {
            name: "rounds",
            purpose: "rounds of one message per processor, each routed through planes of switches; personalised messages on fat trees, wormhole",
            aims_at_bound: true,
            wants_prices: false,
            ..Traits::default()
        }
    }

    fn construct(&self, context: &Context, budget: &mut Budget, _: &mut Rng) -> Option<Schedule> {
        let problem = context.problem();
        let planes = Planes::new(problem)?;
        let interrupt = &budget.interrupt().clone();
        let longest = longest(problem, interrupt)?;
        let mut schedule = Schedule::new();
        let is_half = problem.model().duplex == Duplex::Half;
        let mut open: Vec<MessageId> = problem.messages().ids().collect();
        // Where channels are broken, messages without a path in their round get extra rounds
        // afterwards.
        while !open.is_empty() {
            let mut left = Vec::new();
            let rounds = if is_half {
                pairings(problem, &planes)?
            } else {
                rounds(problem, &planes, &open, interrupt)?
            };
            for round in rounds {
                if !budget.spend(round.len() as u64) {
                    return None;
                }
                add_step(problem, &planes, &longest, &round, &mut schedule, &mut left);
            }
            if left.len() == open.len() || (is_half && !left.is_empty()) {
                return None;
            }
            open = left;
        }
        Some(schedule)
    }
}

/// Whether all processors exchange messages, and each is alone on a router with one link.
fn is_exchange_on_single_links(problem: &Problem) -> bool {
    let (network, messages) = (problem.network(), problem.messages());
    let processors = network.processor_count();
    let is_single = |processor: ProcessorId| {
        let home = problem.home(processor);
        network.residents(home).len() == 1 && network.out_channels(home).len() == 1
    };
    network.living_processors().count() == processors
        && network.living_processors().all(is_single)
        && (processors as u64).pow(2) <= MOST_ENTRIES
        && messages.len() == processors * (processors - 1)
        && messages.ids().all(|message| {
            let [from, to] = ends(problem, message);
            from != to && messages.destinations(message).len() == 1
        })
}

/// The rounds of a tournament in which the processors below a switch form a group, each as two steps
/// with opposite directions. `None` if the groups are not alike or two messages have the same ends.
fn pairings(problem: &Problem, planes: &Planes) -> Option<Vec<Vec<MessageId>>> {
    let network = problem.network();
    let mut processors: Vec<ProcessorId> = network.living_processors().collect();
    let lines = planes.above(processors.iter().map(|&processor| problem.home(processor)));
    processors.sort_by_key(|processor| &lines[processor.index()]);
    let lines: Vec<&[RouterId]> = processors.iter().map(|p| &lines[p.index()][..]).collect();
    let height = lines.first()?.len();
    if lines.iter().any(|line| line.len() != height) {
        return None;
    }
    let mut sizes = Vec::new();
    let mut groups = 1;
    for depth in 1..=height {
        let mut parts: Vec<usize> = lines
            .chunk_by(|one, other| one[..depth] == other[..depth])
            .map(<[&[RouterId]]>::len)
            .collect();
        let count = parts.len();
        parts.dedup();
        if parts.len() != 1 || !count.is_multiple_of(groups) {
            return None;
        }
        sizes.push(count / groups);
        groups = count;
    }
    let count = processors.len();
    let mut message_of = vec![None; count * count];
    for message in problem.messages().ids() {
        let [from, to] = ends(problem, message).map(ProcessorId::index);
        if message_of[from * count + to].replace(message).is_some() {
            return None;
        }
    }
    let mut steps = Vec::new();
    for pairs in tournament(&sizes)? {
        let pairs: Vec<[usize; 2]> =
            pairs.into_iter().map(|pair| pair.map(|at| processors[at].index())).collect();
        steps.push(pairs.iter().filter_map(|&[a, b]| message_of[a * count + b]).collect());
        steps.push(pairs.iter().filter_map(|&[a, b]| message_of[b * count + a]).collect());
    }
    Some(steps)
}

fn ends(problem: &Problem, message: MessageId) -> [ProcessorId; 2] {
    [problem.messages().origin(message), problem.messages().destinations(message)[0]]
}

/// Maximum path length of each message; `None` if computing it takes too long, or on interrupt.
fn longest(problem: &Problem, interrupt: &Interrupt) -> Option<Vec<u32>> {
    let (network, messages) = (problem.network(), problem.messages());
    let detour = match problem.model().routing {
        Routing::Minimal => 0,
        Routing::Detour(hops) => hops,
        Routing::Any => return Some(vec![u32::MAX; messages.len()]),
    };
    let mut work = 0;
    let mut from = None;
    let mut distances = Vec::new();
    let mut longest = Vec::with_capacity(messages.len());
    for message in messages.ids() {
        let [origin, destination] = ends(problem, message);
        if from != Some(origin) {
            work += network.channel_count() as u64;
            if work > MOST_WORK || interrupt.is_raised() {
                return None;
            }
            from = Some(origin);
            distances = network.distances_from(problem.home(origin));
        }
        longest.push(distances[problem.home(destination).index()].saturating_add(detour));
    }
    Some(longest)
}

/// Splits the messages into rounds in which no processor exceeds its channels and ports. There are
/// as many rounds as the busiest processor needs. `None` on interrupt, or if the load is so uneven
/// that the table of processors and rounds would be large and nearly empty.
fn rounds(
    problem: &Problem,
    planes: &Planes,
    open: &[MessageId],
    interrupt: &Interrupt,
) -> Option<Vec<Vec<MessageId>>> {
    let processors = problem.network().processor_count();
    let mut counts = [vec![0u32; processors], vec![0u32; processors]];
    for &message in open {
        for (counts, end) in counts.iter_mut().zip(ends(problem, message)) {
            counts[end.index()] += 1;
        }
    }
    let at_once = |side: usize, processor: ProcessorId| {
        let ports = [problem.send_ports(processor), problem.receive_ports(processor)][side];
        let home = problem.home(processor);
        // The processors of a router share its channels.
        let share = planes.exits(home) / problem.network().residents(home).len() as u32;
        ports.min(share).max(1)
    };
    let ids = || (0..processors as u32).map(ProcessorId);
    let needs = |side: usize| {
        let counts = &counts[side];
        let busy = ids().filter(|processor| counts[processor.index()] > 0);
        busy.map(move |p| counts[p.index()].div_ceil(at_once(side, p))).max().unwrap_or(0)
    };
    let count = needs(0).max(needs(1));
    // A processor that sends several messages at once becomes several vertices, each with at most
    // one message per round.
    let mut vertices = [vec![0u32; processors], vec![0u32; processors]];
    let mut ranks = vertices.clone();
    let (mut sizes, mut busy) = ([0u32; 2], [0u32; 2]);
    for side in 0..2 {
        for processor in 0..processors {
            vertices[side][processor] = sizes[side];
            ranks[side][processor] = busy[side];
            sizes[side] += counts[side][processor].div_ceil(count);
            busy[side] += u32::from(counts[side][processor] > 0);
            counts[side][processor] = 0;
        }
    }
    let entries = u64::from(sizes[0] + sizes[1]) * u64::from(count);
    if entries > MOST_ENTRIES.max(FILLED * open.len() as u64) {
        return None;
    }
    let apart = busy[0].max(busy[1]);
    let mut colouring = Colouring::new(sizes, count);
    let mut pace = Budget::unlimited(interrupt);
    for &message in open {
        if !pace.spend(u64::from(count)) {
            return None;
        }
        let ends = ends(problem, message);
        let mut vertex = [0; 2];
        for (side, end) in ends.into_iter().enumerate() {
            let seen = &mut counts[side][end.index()];
            vertex[side] = vertices[side][end.index()] + *seen / count;
            *seen += 1;
        }
        // Preferred order: each processor first sends to the next one, then to the one after that.
        let [from, to] = [ranks[0][ends[0].index()], ranks[1][ends[1].index()]];
        colouring.add(vertex, (to + apart - from - 1) % apart);
    }
    let mut rounds = vec![Vec::new(); count as usize];
    for (edge, &message) in open.iter().enumerate() {
        let colour =
            colouring.colour(edge).expect("no vertex has more edges than there are colours");
        rounds[colour as usize].push(message);
    }
    Some(rounds)
}

/// Adds a step with all messages of a round that have a path; the others are appended to `left`.
fn add_step(
    problem: &Problem,
    planes: &Planes,
    longest: &[u32],
    round: &[MessageId],
    schedule: &mut Schedule,
    left: &mut Vec<MessageId>,
) {
    let homes = round.iter().map(|&m| ends(problem, m).map(|end| problem.home(end)));
    let ways: PlaneWays = planes.route(homes);
    let fits = |at: usize| {
        let path = ways.path(at)?;
        (path.len() as u32 <= longest[round[at].index()]).then_some(path)
    };
    let mut is_begun = false;
    for (at, &message) in round.iter().enumerate() {
        let Some(path) = fits(at) else {
            left.push(message);
            continue;
        };
        if !is_begun {
            schedule.start_step();
            is_begun = true;
        }
        let [from, to] = ends(problem, message);
        schedule.push(Transfer { message, from, to, path: &path });
    }
}
