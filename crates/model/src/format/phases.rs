//! Checks files with phases. Only an all-reduce has phases: a reduce, then a broadcast of each sum
//! from its root to all participants. Other files with phases are refused, because they would be
//! verified as something that they are not.

use super::raw::{RawCollective, RawFile};
use crate::ids::ProcessorId;
use std::collections::BTreeSet;

/// The kind of a collective with phases.
pub(crate) const ALL_REDUCE: &str = "all-reduce";

/// Checks that the phases of a file form an all-reduce.
pub(super) fn check(file: &RawFile, steps: u32) -> Result<(), String> {
    let phases: Vec<&RawCollective> = file.phases.iter().map(|phase| &phase.collective).collect();
    check_collectives(&file.collective, &phases)?;
    check_whole(file)?;
    match &file.bound {
        Some(bound) if bound.steps > steps => {
            Err(format!("its bound claims at least {} steps, but it has {steps}", bound.steps))
        }
        _ => Ok(()),
    }
}

/// Checks that the broadcast does not start after the reduce, and that the bound is not above the steps.
fn check_whole(file: &RawFile) -> Result<(), String> {
    let (whole, reduce, broadcast) = (&file.whole, file.phases[0].steps, file.phases[1].steps);
    if let Some(start) = whole.start {
        if start > reduce {
            return Err(format!(
                "`whole`: the broadcast starts after {start} steps, but the reduce has only {reduce}"
            ));
        }
        if !file.rounds.is_empty() {
            return Err("`whole`: the phases of a k-synchronous schedule cannot overlap".to_owned());
        }
    }
    let steps = whole.steps(reduce, broadcast);
    match &whole.bound {
        Some(bound) if bound.steps > steps => Err(format!(
            "`whole`: its bound claims at least {} steps, but the all-reduce has {steps}",
            bound.steps
        )),
        _ => Ok(()),
    }
}

/// Checks that the collectives of phases form an all-reduce.
pub(crate) fn check_collectives(
    whole: &RawCollective,
    phases: &[&RawCollective],
) -> Result<(), String> {
    let kind = &whole.kind;
    if kind != ALL_REDUCE {
        return Err(format!("only an {ALL_REDUCE} has phases, but the collective is {kind:?}"));
    }
    let kinds: Vec<&str> = phases.iter().map(|phase| phase.whole_kind()).collect();
    if kinds != ["reduce", "broadcast"] {
        let found = kinds.iter().take(5).map(|kind| format!("{kind:?}")).collect::<Vec<_>>();
        return Err(format!(
            "the phases of an {ALL_REDUCE} are a reduce and then a broadcast, but there are {}: {}",
            kinds.len(),
            found.join(", ")
        ));
    }
    let counts = [phases[0], phases[1]].map(|phase| phase.chunks.map_or(1, |chunks| chunks.count));
    if counts[0] != counts[1] {
        return Err(format!(
            "the phases of an {ALL_REDUCE} cut each sum into the same number of chunks, but there are \
             {} and {}",
            counts[0], counts[1]
        ));
    }
    check_groups(whole, phases[0], phases[1])
}

/// Every participant contributes to the sum of every root and receives it.
fn check_groups(
    whole: &RawCollective,
    reduce: &RawCollective,
    broadcast: &RawCollective,
) -> Result<(), String> {
    let roots = set(&reduce.receivers);
    if let Some(odd) = roots.symmetric_difference(&set(&broadcast.senders)).next() {
        return Err(format!(
            "both phases must have the same roots, but processor {odd} is a root of only one of them"
        ));
    }
    let group: BTreeSet<ProcessorId> = [&reduce.senders, &reduce.receivers, &broadcast.receivers]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let sides = [
        ("contributes to", "reduce", &reduce.senders),
        ("receives", "broadcast", &broadcast.receivers),
    ];
    for (does, phase, side) in sides {
        let side = set(side);
        // A single root contributes to and receives its own sum without a message.
        let is_left_out = |p: &&ProcessorId| roots.iter().any(|root| root != *p);
        if let Some(missing) = group.difference(&side).find(is_left_out) {
            return Err(format!(
                "in an {ALL_REDUCE} every processor contributes to every sum and receives it, but \
                 processor {missing} {does} nothing in the {phase}"
            ));
        }
    }
    for (what, listed) in [("senders", &whole.senders), ("receivers", &whole.receivers)] {
        let odd = set(listed).symmetric_difference(&group).next().copied();
        if let (Some(odd), false) = (odd, listed.is_empty()) {
            return Err(format!(
                "the {what} of the {ALL_REDUCE} are not the group of its phases: they differ in \
                 processor {odd}"
            ));
        }
    }
    Ok(())
}

fn set(group: &[ProcessorId]) -> BTreeSet<ProcessorId> {
    group.iter().copied().collect()
}
