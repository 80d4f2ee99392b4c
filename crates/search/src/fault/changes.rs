//! The differences between two schedules: which transfers stay, and which change step or path.

use pavane_model::{ChannelId, MessageId, ProcessorId, Schedule, Transfer};
use rustc_hash::FxHashMap;

/// How the transfers of one schedule differ from those of another. A transfer is identified by its
/// message and its receiver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Transfers before.
    pub before: usize,
    /// Same sender, path and step. Steps are counted from the first or from the last, whichever
    /// gives the larger number.
    pub kept: usize,
    /// Same sender and path, another step.
    pub moved: usize,
    /// Another path, perhaps from another sender, in any step.
    pub rerouted: usize,
    /// New transfers.
    pub new: usize,
    /// Transfers no longer present, because a fault removed the sender or receiver, or because they
    /// are no longer needed.
    pub dropped: usize,
    /// Transfers before that no fault touches: channels, sender and receiver still exist.
    pub untouched: usize,
}

impl Changes {
    /// The share of the untouched transfers that are kept; 1 if there are none.
    pub fn kept_share(&self) -> f64 {
        match self.untouched {
            0 => 1.0,
            untouched => self.kept as f64 / untouched as f64,
        }
    }
}

impl std::ops::AddAssign for Changes {
    fn add_assign(&mut self, other: Self) {
        self.before += other.before;
        self.kept += other.kept;
        self.moved += other.moved;
        self.rerouted += other.rerouted;
        self.new += other.new;
        self.dropped += other.dropped;
        self.untouched += other.untouched;
    }
}

/// Compares two schedules, given the new numbers of the messages and channels of the first.
pub(super) fn changes(
    was: &Schedule,
    renumbering: &[Option<MessageId>],
    channels: &[Option<ChannelId>],
    is: &Schedule,
) -> Changes {
    let mut old: FxHashMap<(MessageId, ProcessorId), (u32, Transfer<'_>)> = FxHashMap::default();
    for step in 0..was.step_count() {
        for transfer in was.step(step) {
            if let Some(message) = renumbering[transfer.message.index()] {
                old.insert((message, transfer.to), (step, transfer));
            }
        }
    }
    let mut changes = Changes { before: was.transfer_count(), ..Changes::default() };
    let mut kept_from_end = 0;
    let later = i64::from(is.step_count()) - i64::from(was.step_count());
    for step in 0..is.step_count() {
        for transfer in is.step(step) {
            let Some((at, before)) = old.get(&(transfer.message, transfer.to)) else {
                changes.new += 1;
                continue;
            };
            let mut path = before.path.iter().map(|channel| channels[channel.index()]);
            let is_same = before.from == transfer.from
                && path.len() == transfer.path.len()
                && transfer.path.iter().all(|&channel| path.next() == Some(Some(channel)));
            kept_from_end += usize::from(is_same && i64::from(*at) + later == i64::from(step));
            match (is_same, *at == step) {
                (true, true) => changes.kept += 1,
                (true, false) => changes.moved += 1,
                (false, _) => changes.rerouted += 1,
            }
        }
    }
    if kept_from_end > changes.kept {
        changes.moved = changes.moved + changes.kept - kept_from_end;
        changes.kept = kept_from_end;
    }
    changes.dropped = changes.before - changes.kept - changes.moved - changes.rerouted;
    changes
}
