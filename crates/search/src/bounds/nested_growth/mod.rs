//! Nested-growth bound: a message enters every set of a nested family over few channels, so it must
//! reach each set early enough to fill it. In a tree, the subtrees below each link are such sets.

mod families;
mod regions;

use super::finding::Finding;
use super::words;
use crate::budget::Interrupt;
use families::Family;
use pavane_model::{Certificate, MessageId, Problem, RouterId};
use regions::Regions;

/// Largest number of messages that are tried, most destinations first.
const MOST_MESSAGES: usize = 8;

/// Work limit for the judge: sets times network size (routers plus channels).
const MOST_LOOKS: usize = 200_000_000;

/// Finds the message and the nested sets that need the most steps.
pub fn bound(problem: &Problem, interrupt: &Interrupt) -> Finding {
    let messages = widest(problem);
    if messages.is_empty() {
        return Finding::NotApplicable;
    }
    let network = problem.network();
    let Some(families) = families::all(problem, interrupt) else {
        return Finding::out_of_time("nested-growth", "some of the minimum cuts");
    };
    if families.is_empty() {
        let why = format!("{} routers are too many for nested sets", network.router_count());
        return Finding::Skipped { reason: "nested-growth", why };
    }
    let mut best: Option<(u64, MessageId, Family)> = None;
    for &message in &messages {
        let origin = problem.home(problem.messages().origin(message));
        for tree in &families {
            if interrupt.is_raised() {
                break;
            }
            let family = handy(problem, tree.rooted(origin));
            let steps = Regions::new(problem, message, &family).fewest_steps();
            if best.as_ref().is_none_or(|(most, ..)| steps > *most) {
                best = Some((steps, message, family));
            }
        }
    }
    let Some((steps, message, family)) = best else {
        return Finding::without_result("nested-growth", "some of the sets", interrupt);
    };
    let family = thinned(problem, message, family, steps, interrupt);
    if family.sets.is_empty() {
        // The growth bound gives the same number.
        return Finding::NotApplicable;
    }
    let explanation = format!(
        "the message of {} must enter each of {} early enough to fill it, so at least {}",
        words::processor(network, problem.messages().origin(message)),
        words::counted(family.sets.len(), "nested set"),
        words::steps(steps),
    );
    Finding::proved(steps, Certificate::NestedGrowth { message, sets: family.sets }, explanation)
}

/// The messages with several destinations, most destinations first, at most one per origin router.
fn widest(problem: &Problem) -> Vec<MessageId> {
    let messages = problem.messages();
    let size = |message: MessageId| messages.destinations(message).len();
    let mut shared: Vec<MessageId> = messages.ids().filter(|&m| size(m) > 1).collect();
    shared.sort_by_key(|&message| std::cmp::Reverse(size(message)));
    let mut homes: Vec<RouterId> = Vec::new();
    let mut chosen = Vec::new();
    for message in shared {
        let home = problem.home(messages.origin(message));
        if !homes.contains(&home) {
            homes.push(home);
            chosen.push(message);
        }
        if chosen.len() == MOST_MESSAGES {
            break;
        }
    }
    chosen
}

/// Drops small sets until the judge can check the family within its work limit.
fn handy(problem: &Problem, mut family: Family) -> Family {
    let network = problem.network();
    let size = network.router_count() + network.channel_count();
    let mut least = 2;
    while family.sets.len().saturating_mul(size) > MOST_LOOKS {
        family = family.coarser(least);
        least *= 2;
    }
    family
}

/// Drops the sets that the bound does not need: one by one if the network is small, otherwise the
/// small ones first. Stops at an interrupt.
fn thinned(
    problem: &Problem,
    message: MessageId,
    mut family: Family,
    steps: u64,
    interrupt: &Interrupt,
) -> Family {
    if problem.network().router_count() > 200 {
        for least in (1..usize::BITS).map(|power| 1 << power) {
            let fewer = family.coarser(least);
            if fewer.sets.is_empty()
                || interrupt.is_raised()
                || Regions::new(problem, message, &fewer).fewest_steps() != steps
            {
                break;
            }
            family = fewer;
        }
        return family;
    }
    let mut at = 0;
    while at < family.sets.len() && !interrupt.is_raised() {
        let fewer = family.without(at);
        if Regions::new(problem, message, &fewer).fewest_steps() == steps {
            family = fewer
        } else {
            at += 1
        }
    }
    family
}
