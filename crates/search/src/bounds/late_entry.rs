//! Late-entry bound: a message enters every router with destinations over a channel. If several
//! processors there want it, an entry in one of the last steps informs only some of them, so that
//! the channels carry fewer messages in these steps than they could.
//!
//! An entry `j` steps before the last step leads to at most `(1 + a)^j` holders at its router if
//! the processors there have at most `a` send ports. If `w` processors there want the message, it
//! counts as `min(1, (1 + a)^j / w)` of what the message needs. With `p` processors per router, all
//! of which want everything, an all-gather of N messages on R routers with L links under half duplex
//! needs N (R - 1) entries, and T steps provide at most (T - 1) L + L / p.

use super::finding::Finding;
use super::words;
use crate::budget::Interrupt;
use pavane_model::{Certificate, ChannelId, Duplex, Problem, RouterId};
use std::collections::BTreeSet;

/// Most sets of routers that are tried.
const MOST_SETS: usize = 8;

/// Steps at the end in which an entry may count less than 1.
const LATE_STEPS: u32 = 32;

/// What an entry in full counts.
const WHOLE: u128 = 1 << 40;

/// Tries all routers, and those with few channels. Returns a bound only if the last steps matter.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let network = problem.network();
    let Some(demand) = EntryDemand::of(problem, interrupt) else {
        return Finding::out_of_time("late-entry", "no set of routers");
    };
    if demand.fewest.iter().all(|&fewest| fewest < 2) {
        return Finding::NotApplicable;
    }
    let degrees: BTreeSet<usize> =
        network.routers().map(|router| network.in_channels(router).len()).collect();
    let mut best: Option<(u64, Vec<RouterId>)> = None;
    for &degree in degrees.iter().rev().take(MOST_SETS) {
        if interrupt.is_raised() {
            break;
        }
        let few = |router: &RouterId| network.in_channels(*router).len() <= degree;
        let is_counted: Vec<bool> = network.routers().map(|router| few(&router)).collect();
        let whole = demand.steps(problem, &is_counted, 0);
        let late = demand.steps(problem, &is_counted, LATE_STEPS);
        if late > whole && best.as_ref().is_none_or(|(steps, _)| late > *steps) {
            let is_all = is_counted.iter().all(|&counted| counted);
            let routers = network.routers().filter(|router| !is_all && few(router));
            best = Some((late, routers.collect()));
        }
    }
    let Some((steps, routers)) = best else {
        return Finding::without_result("late-entry", "some sets of routers", interrupt);
    };
    let is_counted = |router: RouterId| routers.is_empty() || routers.contains(&router);
    let pairs = network.routers().filter(|&router| is_counted(router));
    let explanation = format!(
        "messages must enter {} {} times, and an entry in the last step informs only one of the \
         processors there that want it, so at least {}",
        if routers.is_empty() { "routers".to_owned() } else { words::routers(network, &routers) },
        pairs.map(|router| demand.pairs[router.index()]).sum::<u64>(),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::LateEntry { routers }, explanation)
}

/// By router: the messages that must enter it, the fewest processors there that want one of them,
/// and the most send ports of a processor there.
struct EntryDemand {
    pairs: Vec<u64>,
    fewest: Vec<u64>,
    sends: Vec<u64>,
}

impl EntryDemand {
    /// `None` after an interrupt.
    fn of(problem: &Problem, interrupt: &Interrupt) -> Option<Self> {
        let (network, messages) = (problem.network(), problem.messages());
        let (mut pairs, mut fewest) =
            (vec![0; network.router_count()], vec![0; network.router_count()]);
        let mut homes: Vec<RouterId> = Vec::new();
        for message in messages.ids() {
            if message.0 % 4096 == 0 && interrupt.is_raised() {
                return None;
            }
            let origin = problem.home(messages.origin(message));
            homes.clear();
            homes.extend(messages.destinations(message).iter().map(|&to| problem.home(to)));
            homes.retain(|&home| home != origin);
            homes.sort_unstable();
            for group in homes.chunk_by(|one, other| one == other) {
                let (at, count) = (group[0].index(), group.len() as u64);
                pairs[at] += 1;
                fewest[at] = if fewest[at] == 0 { count } else { fewest[at].min(count) };
            }
        }
        let sends = |router: RouterId| {
            let ports = network.residents(router).iter().map(|&p| u64::from(problem.send_ports(p)));
            ports.max().unwrap_or(0).max(1)
        };
        let sends = network.routers().map(sends).collect();
        Some(Self { pairs, fewest, sends })
    }

    /// Steps until the entries of all counted routers can suffice, if those of the last `late`
    /// steps may count less than 1. 0 if there is nothing to enter or no channel.
    fn steps(&self, problem: &Problem, is_counted: &[bool], late: u32) -> u64 {
        let counted = self.pairs.iter().zip(is_counted).filter(|(_, counted)| **counted);
        let mut missing = counted.map(|(pairs, _)| u128::from(*pairs)).sum::<u128>() * WHOLE;
        if missing == 0 {
            return 0;
        }
        let mut steps = 0;
        for before_end in 0..late {
            let offered = self.offered(problem, is_counted, before_end);
            steps += 1;
            if missing <= offered {
                return steps;
            }
            missing -= offered;
        }
        match self.offered(problem, is_counted, LATE_STEPS) {
            0 => 0,
            offered => steps + missing.div_ceil(offered) as u64,
        }
    }

    /// The most that the entries of a step can count.
    fn offered(&self, problem: &Problem, is_counted: &[bool], before_end: u32) -> u128 {
        let network = problem.network();
        let value = |router: RouterId| {
            if !is_counted[router.index()] {
                return 0;
            }
            let fewest = self.fewest[router.index()].max(1);
            let holders = (1 + self.sends[router.index()]).saturating_pow(before_end).min(fewest);
            (u128::from(holders) * WHOLE).div_ceil(fewest.into())
        };
        let is_half = problem.model().duplex == Duplex::Half;
        let mut over_channels = 0;
        for (number, ends) in (0..).zip(network.channels()) {
            let channel = ChannelId(number);
            over_channels += match network.opposite(channel).filter(|_| is_half) {
                Some(other) if other < channel => 0,
                Some(other) => value(ends.head).max(value(network.channel(other).head)),
                None => value(ends.head),
            };
        }
        let entries = |router: RouterId| {
            let residents = network.residents(router).iter();
            let ports: u64 = residents.map(|&p| u64::from(problem.receive_ports(p))).sum();
            value(router) * u128::from(ports.min(network.in_channels(router).len() as u64))
        };
        over_channels.min(network.routers().map(entries).sum())
    }
}
