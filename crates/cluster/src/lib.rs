//! Ranks that work together: which one am I, how many are we, and letters between us. Who is alone has
//! nobody to write to, so that code has one way through. Ranks are processes under MPI (feature `mpi`), or
//! threads of one process.
//!
//! ```
//! use pavane_cluster::Cluster;
//!
//! let ranks = Cluster::threads(2);
//! let channel = ranks[1].own_channel();
//! ranks[1].send(0, channel, b"found".to_vec());
//! assert_eq!(ranks[0].receive(channel).map(|letter| (letter.from, letter.bytes)), Some((1, b"found".to_vec())));
//! ```

mod boxes;
mod launch;
#[cfg(feature = "mpi")]
mod office;
mod packing;
mod pool;
mod share;

pub use boxes::Letter;
pub use launch::{LaunchError, Launched, run};
pub use packing::{Pack, Unpack};
pub use pool::{Execute, Pool, Portable, Reply, Stop, Ticket};
pub use share::Jobs;

use boxes::Boxes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(feature = "mpi")]
use std::sync::mpsc::Sender;

/// What letters of one piece of work have in common; each rank sorts what it receives by it.
pub type Channel = u64;

/// The channel of what concerns the run as a whole: its end, from rank 0; complaints, to rank 0.
const RUN: Channel = 0;

/// A rank and its way to the others.
#[derive(Debug, Clone)]
pub struct Cluster {
    rank: usize,
    ranks: usize,
    boxes: Arc<Boxes>,
    wire: Wire,
    common: Arc<AtomicU64>,
    own: Arc<AtomicU64>,
}

/// How letters leave.
#[derive(Debug, Clone)]
enum Wire {
    /// There is nobody.
    Nowhere,
    /// Straight into the boxes of the others.
    Threads(Arc<Vec<Arc<Boxes>>>),
    /// To whoever carries letters between processes.
    #[cfg(feature = "mpi")]
    Office(Sender<Outgoing>),
}

/// A letter that leaves.
#[derive(Debug)]
#[cfg(feature = "mpi")]
pub(crate) struct Outgoing {
    pub to: usize,
    pub channel: Channel,
    pub bytes: Vec<u8>,
}

impl Default for Cluster {
    fn default() -> Self {
        Self::alone()
    }
}

impl Cluster {
    /// One rank and no other.
    pub fn alone() -> Self {
        Self::new(0, 1, Arc::default(), Wire::Nowhere)
    }

    /// So many ranks within this process.
    pub fn threads(ranks: usize) -> Vec<Self> {
        let boxes: Vec<Arc<Boxes>> = (0..ranks).map(|_| Arc::default()).collect();
        let all = Arc::new(boxes);
        let rank = |rank| Self::new(rank, ranks, all[rank].clone(), Wire::Threads(all.clone()));
        (0..ranks).map(rank).collect()
    }

    fn new(rank: usize, ranks: usize, boxes: Arc<Boxes>, wire: Wire) -> Self {
        Self { rank, ranks, boxes, wire, common: Arc::default(), own: Arc::default() }
    }

    /// The number of this rank, from 0 on; rank 0 is the one that prints.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Whether there is nobody else.
    pub fn is_alone(&self) -> bool {
        self.ranks == 1
    }

    /// Whether this rank leads: the first, or the only one.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// All ranks but this one.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank;
        (0..self.ranks).filter(move |&rank| rank != own)
    }

    /// A channel that all ranks know by having asked equally often.
    pub fn common_channel(&self) -> Channel {
        1 + self.common.fetch_add(1, Ordering::Relaxed)
    }

    /// A channel that no other rank has; those who are to know it must be told.
    pub fn own_channel(&self) -> Channel {
        (self.rank as u64 + 1) << 40 | self.own.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a letter. Letters from one rank to another arrive in their order; none is lost unless a
    /// rank dies.
    pub fn send(&self, to: usize, channel: Channel, bytes: Vec<u8>) {
        match &self.wire {
            _ if to == self.rank => self.boxes.deliver(self.rank, channel, bytes),
            Wire::Nowhere => {}
            Wire::Threads(all) => all[to].deliver(self.rank, channel, bytes),
            // The office closes when the run is over, and then nobody reads any more.
            #[cfg(feature = "mpi")]
            Wire::Office(office) => drop(office.send(Outgoing { to, channel, bytes })),
        }
    }

    /// The next letter of a channel, if one is there.
    pub fn try_receive(&self, channel: Channel) -> Option<Letter> {
        self.boxes.take(channel)
    }

    /// Waits for the next letter of a channel; `None` once the run is over.
    pub fn receive(&self, channel: Channel) -> Option<Letter> {
        self.receive_unless(channel, || false)
    }

    /// The same, but `None` also when `is_over` says so; it is asked about fifty times a second.
    pub fn receive_unless(&self, channel: Channel, is_over: impl Fn() -> bool) -> Option<Letter> {
        self.boxes.wait(channel, is_over)
    }

    /// A flag that is raised when the run is over, or when a rank has complained.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.boxes.stop()
    }

    /// Whether that flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.boxes.is_stopped()
    }

    /// Tells rank 0 that this rank cannot do its part; that ends the run.
    pub fn complain(&self, why: &str) {
        self.send(0, RUN, why.as_bytes().to_vec());
    }

    /// The first complaint of a rank, with its number.
    pub fn complaint(&self) -> Option<(usize, String)> {
        self.boxes.complaint()
    }

    /// Ends the run for all other ranks.
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
    fn letters_arrive_in_order_and_by_channel() {
        let ranks = Cluster::threads(3);
        let (one, other) = (ranks[1].own_channel(), ranks[2].own_channel());
        assert_ne!(one, other);
        for number in 0..3 {
            ranks[1].send(0, one, vec![number]);
            ranks[2].send(0, other, vec![10 + number]);
        }
        let take = |channel| ranks[0].receive(channel).map(|letter| (letter.from, letter.bytes[0]));
        assert_eq!(take(other), Some((2, 10)));
        assert_eq!([take(one), take(one)], [Some((1, 0)), Some((1, 1))]);
        assert_eq!(ranks[0].receive_unless(99, || true), None);
    }

    #[test]
    fn the_end_wakes_who_waits_and_a_complaint_stops_rank_0() {
        let ranks = Cluster::threads(2);
        let waiting = ranks[1].clone();
        let waiter = std::thread::spawn(move || waiting.receive(7));
        ranks[1].complain("no such file");
        assert_eq!(ranks[0].complaint(), Some((1, "no such file".to_owned())));
        assert!(ranks[0].stop().load(Ordering::Relaxed));
        ranks[0].end();
        assert_eq!(waiter.join().unwrap(), None);
        assert!(ranks[1].stop().load(Ordering::Relaxed));
    }
}
