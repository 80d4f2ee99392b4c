//! Joint-growth bound: at first few processors hold any message, so few can send. Within a set of
//! routers, such as a router with several processors, only messages that have entered the set can
//! be passed on.

use super::finding::Finding;
use super::{halves, words};
use crate::budget::Interrupt;
use pavane_model::{Certificate, Problem, ProcessorId, RouterId};

/// Routers up to which all sets are tried.
const MOST_ROUTERS: usize = 10;

/// Work limit for the sets of a larger network, in routers and channels visited.
const LOOKS: u64 = 2_000_000;

/// Finds the set of routers that takes the most steps to receive all that it wants, if that is more
/// than any single processor needs. Does not apply to a single message or to personalised messages
/// only.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let messages = problem.messages();
    if messages.len() < 2 || messages.delivery_count() == messages.len() {
        return Finding::NotApplicable;
    }
    let counts = Counts::new(problem);
    let mut best: Option<(u64, Vec<RouterId>)> = None;
    for routers in sets(problem, interrupt) {
        if interrupt.is_raised() {
            break;
        }
        let Some(steps) = counts.steps(&routers) else { continue };
        if best.as_ref().is_none_or(|(most, _)| steps > *most) {
            best = Some((steps, routers));
        }
    }
    let Some((steps, routers)) = best.filter(|(steps, _)| *steps > counts.most_alone()) else {
        return Finding::without_result("joint-growth", "some of the sets", interrupt);
    };
    let set = Set::new(&counts, &routers);
    let place = if routers.is_empty() {
        "all routers".to_owned()
    } else {
        words::routers(problem.network(), &routers)
    };
    let explanation = format!(
        "{place} must receive {} copies of messages, but at the start only {} of {} processors \
         there hold {}, so at least {}",
        set.wanted,
        set.origins,
        set.residents,
        words::counted(set.known, "message"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::JointGrowth { routers }, explanation)
}

/// The set of all routers (an empty list), and either every proper subset or single routers and the
/// cuts at channels.
fn sets(problem: &Problem, interrupt: &Interrupt) -> Vec<Vec<RouterId>> {
    let network = problem.network();
    let routers: Vec<RouterId> = network.routers().filter(|&r| !network.is_lost(r)).collect();
    let mut sets = vec![Vec::new()];
    if routers.len() <= MOST_ROUTERS {
        let members = |set: u32| -> Vec<RouterId> {
            (0..routers.len()).filter(|at| set >> at & 1 == 1).map(|at| routers[at]).collect()
        };
        sets.extend((1u32..(1 << routers.len()) - 1).map(members));
        return sets;
    }
    let size = (network.router_count() + network.channel_count()) as u64;
    let affordable = (LOOKS / size).max(1) as usize;
    let stride = routers.len().div_ceil(affordable);
    sets.extend(routers.iter().step_by(stride).map(|&router| vec![router]));
    halves::for_each(network, LOOKS, interrupt, |is_inside| {
        for side in [true, false] {
            let inside = routers.iter().copied().filter(|r| is_inside[r.index()] == side);
            sets.push(inside.collect());
        }
    });
    sets
}

/// How many messages each processor has and wants.
struct Counts<'a> {
    problem: &'a Problem,
    owned: Vec<u64>,
    wanted: Vec<u64>,
}

impl<'a> Counts<'a> {
    fn new(problem: &'a Problem) -> Self {
        let processors = problem.network().processor_count();
        let mut counts = Self { problem, owned: vec![0; processors], wanted: vec![0; processors] };
        let messages = problem.messages();
        for message in messages.ids() {
            counts.owned[messages.origin(message).index()] += 1;
            for to in messages.destinations(message) {
                counts.wanted[to.index()] += 1;
            }
        }
        counts
    }

    /// Steps that the single processor with the most to receive needs.
    fn most_alone(&self) -> u64 {
        let living = self.problem.network().living_processors();
        let alone = living.map(|p| {
            self.wanted[p.index()].div_ceil(u64::from(self.problem.receive_ports(p)).max(1))
        });
        alone.max().unwrap_or(0)
    }

    /// Steps until the set can hold all that it wants; `None` if it wants nothing.
    fn steps(&self, routers: &[RouterId]) -> Option<u64> {
        let set = Set::new(self, routers);
        if set.wanted == 0 {
            return None;
        }
        let all = self.problem.messages().len() as u64;
        let (mut held, mut known) = (set.known, set.known);
        // Processors without a message of their own that may hold one by now, most ports first.
        let (mut helpers, mut helping) = (0, 0u64);
        let mut steps = 0;
        while held < set.known + set.wanted {
            let new = (set.entering + set.origin_sends + helping).min(set.receives);
            held = held.max((held + new).min(set.residents * known + set.entering));
            known = (known + set.entering).min(all);
            let more = (helpers + new as usize).min(set.other_sends.len());
            helping += set.other_sends[helpers..more].iter().sum::<u64>();
            helpers = more;
            steps += 1;
        }
        Some(steps)
    }
}

/// Counts for a set of routers.
struct Set {
    residents: u64,
    known: u64,
    wanted: u64,
    entering: u64,
    receives: u64,
    origins: u64,
    origin_sends: u64,
    other_sends: Vec<u64>,
}

impl Set {
    fn new(counts: &Counts<'_>, routers: &[RouterId]) -> Self {
        let (problem, network) = (counts.problem, counts.problem.network());
        let mut is_inside = vec![routers.is_empty(); network.router_count()];
        routers.iter().for_each(|router| is_inside[router.index()] = true);
        let channels = network.channels().iter();
        let enters =
            |c: &&pavane_model::Channel| !is_inside[c.tail.index()] && is_inside[c.head.index()];
        let mut set = Self {
            residents: 0,
            known: 0,
            wanted: 0,
            entering: channels.filter(enters).count() as u64,
            receives: 0,
            origins: 0,
            origin_sends: 0,
            other_sends: Vec::new(),
        };
        let is_member = |p: &ProcessorId| is_inside[problem.home(*p).index()];
        for processor in network.living_processors().filter(is_member) {
            set.residents += 1;
            set.known += counts.owned[processor.index()];
            set.wanted += counts.wanted[processor.index()];
            set.receives += u64::from(problem.receive_ports(processor));
            let sends = u64::from(problem.send_ports(processor));
            match counts.owned[processor.index()] {
                0 => set.other_sends.push(sends),
                _ => {
                    set.origins += 1;
                    set.origin_sends += sends;
                }
            }
        }
        set.other_sends.sort_unstable_by(|a, b| b.cmp(a));
        set
    }
}
