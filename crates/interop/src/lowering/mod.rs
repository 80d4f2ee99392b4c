//! Lowers transfers of messages to copies between buffers: what every transfer reads, where it
//! writes, and which earlier transfers it waits for. The GPU exports write this in their formats.

mod definition;
mod layout;
mod program;

pub(crate) use definition::{as_json, ends, runtime_name};
pub(crate) use layout::{Layout, Place};
pub(crate) use program::{Expectation, GpuProgram};

use crate::whole::Whole;
use std::collections::BTreeMap;

/// A transfer between the buffers of two ranks.
pub(crate) struct Carry {
    pub from: u32,
    pub to: u32,
    pub step: u32,
    /// Where the sender reads.
    pub source: Place,
    /// Where the receiver finally stores it.
    pub landing: Place,
    /// What the receiver adds to it.
    pub adds: Option<Place>,
    /// The transfer, by its index in the list, that must have arrived at the sender.
    pub send_after: Option<usize>,
    /// The transfer that must have arrived at the receiver, because this one is added to it.
    pub receive_after: Option<usize>,
}

/// All transfers in the order of their steps, and the buffers that they need.
pub(crate) fn lower(whole: &Whole<'_>) -> (Layout, Vec<Carry>) {
    let mut layout = Layout::of(whole);
    let problem = whole.problem();
    // By chunk and rank: where it is, and which transfer put it there.
    let mut held: BTreeMap<(u32, u32), (Place, Option<usize>)> = BTreeMap::new();
    let mut carries = Vec::new();
    for one in whole.moves() {
        let at = |rank: u32| {
            let own = layout.source(one.chunk, rank).map(|place| (place, None));
            held.get(&(one.chunk, rank)).copied().or(own)
        };
        let (source, send_after) =
            at(one.from).expect("the sender of a checked transfer holds the message");
        let there = at(one.to).filter(|_| one.reduces);
        let root = problem.messages().origin(pavane_model::MessageId(one.chunk));
        let is_wanted = !one.reduces || whole.rank(root) == one.to;
        let landing = match there {
            // Once a sum has left the input buffer, it stays in place.
            Some((place, Some(_))) => place,
            _ => match layout.target(one.chunk, one.to).filter(|_| is_wanted) {
                Some(target) => target,
                None => layout.scratch(one.to),
            },
        };
        held.insert((one.chunk, one.to), (landing, Some(carries.len())));
        carries.push(Carry {
            from: one.from,
            to: one.to,
            step: one.step,
            source,
            landing,
            adds: there.map(|(place, _)| place),
            send_after,
            receive_after: there.and_then(|(_, number)| number),
        });
    }
    (layout, carries)
}
