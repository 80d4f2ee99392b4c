//! GOAL, the language of LogGOPSim and ATLAHS: the sends and receives of every rank with their
//! dependencies. A send waits for what it carries. Every operation waits for those of its rank's
//! previous step, which keeps the steps in order. The transfers of one step use different `nic`s,
//! one per port.

use crate::export::{ExportError, File, one_file};
use crate::whole::{Move, Whole};
use std::fmt::Write;

/// The operations of a rank.
#[derive(Default)]
struct Rank {
    lines: String,
    /// The last active step with its operations, and the operations of the active step before.
    now: (u32, Vec<String>),
    before: Vec<String>,
    sends: u32,
    receives: u32,
}

impl Rank {
    /// Begins a new step, unless `step` is the current one.
    fn begin(&mut self, step: u32) {
        if self.now.0 != step || self.now.1.is_empty() {
            self.before = std::mem::take(&mut self.now.1);
            self.now.0 = step;
            (self.sends, self.receives) = (0, 0);
        }
    }

    fn add(&mut self, label: String, what: &str, after: impl Iterator<Item = String>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.lines, "{label}: {what}");
        let mut waits: Vec<String> = self.before.iter().cloned().chain(after).collect();
        waits.sort_unstable();
        waits.dedup();
        for earlier in waits {
            let _ = writeln!(self.lines, "{label} requires {earlier}");
        }
        self.now.1.push(label);
    }
}

pub(super) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let bytes = whole.chunk_bytes();
    let mut ranks: Vec<Rank> = whole.processors.iter().map(|_| Rank::default()).collect();
    for (number, one) in whole.moves().iter().enumerate() {
        let Move { from, to, step, .. } = *one;
        let sender = &mut ranks[from as usize];
        sender.begin(step);
        let what = format!("send {bytes}b to {to} tag {number} cpu 0 nic {}", sender.sends);
        sender.sends += 1;
        sender.add(format!("s{number}"), &what, one.after.iter().map(|at| format!("r{at}")));
        let receiver = &mut ranks[to as usize];
        receiver.begin(step);
        let what =
            format!("recv {bytes}b from {from} tag {number} cpu 0 nic {}", receiver.receives);
        receiver.receives += 1;
        receiver.add(format!("r{number}"), &what, std::iter::empty());
    }
    let mut text = format!("num_ranks {}\n", ranks.len());
    for (rank, operations) in ranks.iter().enumerate() {
        let _ = write!(text, "\nrank {rank} {{\n{}}}\n", operations.lines);
    }
    Ok(one_file(text))
}
