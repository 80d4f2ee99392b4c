//! Message passing between ranks, and workers on all of them. Ranks are processes under MPI (feature
//! `mpi`) or threads of one process. A single process is a cluster of one rank, so callers have one code
//! path.
//!
//! ```
//! use pavane_cluster::Cluster;
//!
//! let ranks = Cluster::threads(2);
//! let tag = ranks[1].own_tag();
//! ranks[1].send(0, tag, b"found".to_vec());
//! assert_eq!(ranks[0].receive(tag).map(|message| (message.from, message.bytes)), Some((1, b"found".to_vec())));
//! ```

mod encoding;
mod inbox;
mod launch;
#[cfg(feature = "mpi")]
mod mpi_thread;
mod pool;
mod share;

pub use encoding::{Portable, decode, encode};
pub use inbox::ReceivedMessage;
pub use launch::{LaunchError, Launched, run};
pub use pool::{Execute, Pool, Reply, Stop, Ticket};
pub use share::Jobs;

use inbox::Inbox;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(feature = "mpi")]
use std::sync::mpsc::Sender;

/// Identifies the messages of one conversation; a rank receives by tag.
pub type Tag = u64;

/// The tag of messages about the run as a whole: its end, sent by rank 0, and failures, sent to rank 0.
const RUN: Tag = 0;

/// A rank and its connection to the others. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Cluster {
    rank: usize,
    ranks: usize,
    inbox: Arc<Inbox>,
    transport: Transport,
    /// Number of tags that all ranks have agreed on.
    common: Arc<AtomicU64>,
    /// Number of tags of this rank.
    own: Arc<AtomicU64>,
}

/// How messages reach other ranks.
#[derive(Debug, Clone)]
enum Transport {
    /// There are no other ranks.
    None,
    /// The inboxes of all ranks in this process.
    Threads(Arc<Vec<Arc<Inbox>>>),
    /// The queue of the thread that calls MPI.
    #[cfg(feature = "mpi")]
    Mpi(Sender<Outgoing>),
}

/// A message to send.
#[derive(Debug)]
#[cfg(feature = "mpi")]
pub(crate) struct Outgoing {
    pub to: usize,
    pub tag: Tag,
    pub bytes: Vec<u8>,
}

impl Default for Cluster {
    fn default() -> Self {
        Self::alone()
    }
}

impl Cluster {
    /// A single rank.
    pub fn alone() -> Self {
        Self::new(0, 1, Arc::default(), Transport::None)
    }

    /// Ranks within this process, for tests.
    pub fn threads(ranks: usize) -> Vec<Self> {
        let inboxes: Vec<Arc<Inbox>> = (0..ranks).map(|_| Arc::default()).collect();
        let all = Arc::new(inboxes);
        let rank =
            |rank| Self::new(rank, ranks, all[rank].clone(), Transport::Threads(all.clone()));
        (0..ranks).map(rank).collect()
    }

    fn new(rank: usize, ranks: usize, inbox: Arc<Inbox>, transport: Transport) -> Self {
        Self { rank, ranks, inbox, transport, common: Arc::default(), own: Arc::default() }
    }

    /// The number of this rank, from 0. Rank 0 leads and prints.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The number of workers of all ranks, if each has this many threads.
    pub fn workers(&self, threads: usize) -> usize {
        threads * self.ranks
    }

    /// Whether there are workers outside this process.
    pub fn has_others(&self) -> bool {
        !self.is_alone()
    }

    /// Whether this is the only rank.
    pub fn is_alone(&self) -> bool {
        self.ranks == 1
    }

    /// Whether this is rank 0.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// All ranks except this one.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank;
        (0..self.ranks).filter(move |&rank| rank != own)
    }

    /// A tag that is the same on all ranks, provided that all of them call this equally often.
    pub fn common_tag(&self) -> Tag {
        1 + self.common.fetch_add(1, Ordering::Relaxed)
    }

    /// A tag that no other rank returns. The caller must send it to the ranks that use it.
    pub fn own_tag(&self) -> Tag {
        (self.rank as u64 + 1) << 40 | self.own.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a message. Messages between two ranks arrive in the order in which they were sent; none is
    /// lost unless a rank dies.
    pub fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) {
        match &self.transport {
            _ if to == self.rank => self.inbox.deliver(self.rank, tag, bytes),
            Transport::None => {}
            Transport::Threads(all) => all[to].deliver(self.rank, tag, bytes),
            // Fails only once the run is over, when no rank reads messages any more.
            #[cfg(feature = "mpi")]
            Transport::Mpi(queue) => drop(queue.send(Outgoing { to, tag, bytes })),
        }
    }

    /// The next message with a tag, if one has arrived.
    pub fn try_receive(&self, tag: Tag) -> Option<ReceivedMessage> {
        self.inbox.take(tag)
    }

    /// Waits for the next message with a tag; `None` once the run is over.
    pub fn receive(&self, tag: Tag) -> Option<ReceivedMessage> {
        self.receive_unless(tag, || false)
    }

    /// As [`receive`](Self::receive), but also returns `None` when `is_over` does; it is called about 50
    /// times a second.
    pub fn receive_unless(&self, tag: Tag, is_over: impl Fn() -> bool) -> Option<ReceivedMessage> {
        self.inbox.wait(tag, is_over)
    }

    /// A flag that is raised when the run is over or a rank has failed.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.inbox.stop()
    }

    /// Whether that flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.inbox.is_stopped()
    }

    /// Reports to rank 0 that this rank has failed, which ends the run.
    pub fn report_failure(&self, error: &str) {
        self.send(0, RUN, error.as_bytes().to_vec());
    }

    /// The first rank that reported a failure, and its error.
    pub fn failure(&self) -> Option<(usize, String)> {
        self.inbox.failure()
    }

    /// Ends the run on all other ranks.
    pub fn end(&self) {
        for rank in self.others() {
            self.send(rank, RUN, Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_in_order_and_by_tag() {
        let ranks = Cluster::threads(3);
        let (one, other) = (ranks[1].own_tag(), ranks[2].own_tag());
        assert_ne!(one, other);
        for number in 0..3 {
            ranks[1].send(0, one, vec![number]);
            ranks[2].send(0, other, vec![10 + number]);
        }
        let take = |tag| ranks[0].receive(tag).map(|message| (message.from, message.bytes[0]));
        assert_eq!(take(other), Some((2, 10)));
        assert_eq!([take(one), take(one)], [Some((1, 0)), Some((1, 1))]);
        assert_eq!(ranks[0].receive_unless(99, || true), None);
    }

    #[test]
    fn the_end_wakes_waiting_ranks_and_a_failure_stops_rank_0() {
        let ranks = Cluster::threads(2);
        let waiting = ranks[1].clone();
        let waiter = std::thread::spawn(move || waiting.receive(7));
        ranks[1].report_failure("no such file");
        assert_eq!(ranks[0].failure(), Some((1, "no such file".to_owned())));
        assert!(ranks[0].stop().load(Ordering::Relaxed));
        ranks[0].end();
        assert_eq!(waiter.join().unwrap(), None);
        assert!(ranks[1].stop().load(Ordering::Relaxed));
    }
}
