//! Transport over MPI. The first thread of every process makes all MPI calls (`MPI_THREAD_FUNNELED`): it
//! sends the messages that other threads queue and delivers incoming ones to the inbox.

use crate::inbox::Inbox;
use crate::launch::LaunchError;
use crate::{Cluster, Outgoing, RUN, Tag, Transport};
use mpi::Threading;
use mpi::environment::processor_name;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::cell::Cell;
use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Limits of the polling interval. Polling takes processor time from the workers, so the interval grows
/// with the time since the last message: it is that time divided by [`IDLE_DIVISOR`], within these limits.
const SHORTEST_POLL: Duration = Duration::from_micros(20);
const LONGEST_POLL: Duration = Duration::from_millis(1);
const IDLE_DIVISOR: u32 = 16;

/// How long a rank may continue to work after the run is over.
const GRACE: Duration = Duration::from_millis(500);

/// Bytes of the record in which a rank describes itself.
const RECORD: usize = 256;

/// Stack size of the thread that runs the body: that of the first thread on most systems.
const STACK: usize = 8 << 20;

/// Initialises MPI, compares the builds and arguments of all ranks, and transports messages until the body of
/// rank 0 returns.
pub(crate) fn run(
    version: &str,
    body: impl FnOnce(Cluster) -> ExitCode + Send + 'static,
) -> Result<ExitCode, (LaunchError, bool)> {
    let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
        .ok_or((LaunchError::Mpi("it was started already"), true))?;
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let is_first = rank == 0;
    if ranks == 1 {
        return Ok(body(Cluster::alone()));
    }
    if threading < Threading::Funneled {
        return Err((LaunchError::Mpi("it allows no threads"), is_first));
    }
    compare(&world, version).map_err(|error| (error, is_first))?;
    let (queue, outgoing) = channel();
    let inbox: Arc<Inbox> = Arc::default();
    let cluster = Cluster::new(rank, ranks, inbox.clone(), Transport::Mpi(queue));
    let own = cluster.clone();
    let builder = std::thread::Builder::new().stack_size(STACK);
    let work = builder.spawn(move || body(own));
    let work = work.map_err(|_| (LaunchError::Mpi("no thread can be started"), is_first))?;
    let last = Cell::new(Instant::now());
    let transport = MpiThread { world, inbox, outgoing, last, finished: Cell::new(0) };
    if is_first {
        return Ok(transport.lead(&cluster, work));
    }
    transport.follow(&cluster, work);
    drop(transport);
    drop(universe);
    // Ends threads that still work; their results are no longer needed.
    std::process::exit(0)
}

/// The state of the thread that calls MPI.
struct MpiThread {
    world: SimpleCommunicator,
    inbox: Arc<Inbox>,
    outgoing: Receiver<Outgoing>,
    /// Time of the last message in either direction.
    last: Cell<Instant>,
    /// On rank 0: number of ranks that have announced that they send no more messages.
    finished: Cell<usize>,
}

impl MpiThread {
    /// Transports messages until the work of rank 0 is done, then ends the run. Receives until all other
    /// ranks have sent their last message, because MPI must not be finalised before.
    fn lead(&self, cluster: &Cluster, work: JoinHandle<ExitCode>) -> ExitCode {
        while !work.is_finished() {
            self.transport();
        }
        cluster.end();
        while let Ok(message) = self.outgoing.try_recv() {
            self.send(message);
        }
        while self.finished.get() + 1 < cluster.ranks() {
            self.receive_all();
            std::thread::sleep(LONGEST_POLL);
        }
        // The panic has already been printed.
        work.join().unwrap_or(ExitCode::from(101))
    }

    /// Transports messages until rank 0 ends the run.
    fn follow(&self, cluster: &Cluster, work: JoinHandle<ExitCode>) {
        let mut work = Some(work);
        while !self.inbox.is_closed() {
            self.transport();
            if let Some(done) = work.take_if(|work| work.is_finished())
                && done.join().is_err()
            {
                cluster.report_failure("it panicked");
            }
        }
        let over = Instant::now();
        while work.as_ref().is_some_and(|work| !work.is_finished()) && over.elapsed() < GRACE {
            self.transport();
        }
        self.send(Outgoing { to: 0, tag: RUN, bytes: Vec::new() });
    }

    /// Receives the messages that have arrived, then sends one from the queue or waits for the polling
    /// interval.
    fn transport(&self) {
        self.receive_all();
        let idle = self.last.get().elapsed();
        let pause = (idle / IDLE_DIVISOR).clamp(SHORTEST_POLL, LONGEST_POLL);
        match self.outgoing.recv_timeout(pause) {
            Ok(message) => self.send(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(pause),
        }
    }

    /// Receives the messages that have arrived. The tag is in the last bytes of a message, because MPI's own
    /// tags are shorter than [`Tag`].
    fn receive_all(&self) {
        while let Some(matched) = self.world.any_process().immediate_matched_probe() {
            self.last.set(Instant::now());
            let (mut bytes, status) = matched.matched_receive_vec::<u8>();
            let mut tag = [0; size_of::<Tag>()];
            let length = bytes.len() - tag.len();
            tag.copy_from_slice(&bytes[length..]);
            bytes.truncate(length);
            let from = status.source_rank() as usize;
            let tag = Tag::from_le_bytes(tag);
            if tag == RUN && bytes.is_empty() && self.world.rank() == 0 {
                self.finished.set(self.finished.get() + 1);
            } else {
                self.inbox.deliver(from, tag, bytes);
            }
        }
    }

    /// Sends a message and receives others meanwhile; otherwise two ranks that send each other long messages
    /// would deadlock.
    fn send(&self, Outgoing { to, tag, mut bytes }: Outgoing) {
        self.last.set(Instant::now());
        bytes.extend(tag.to_le_bytes());
        mpi::request::scope(|scope| {
            let rank = self.world.process_at_rank(to as i32);
            let mut request = rank.immediate_send(scope, &bytes[..]);
            while let Err(pending) = request.test() {
                request = pending;
                self.receive_all();
                std::thread::yield_now();
            }
        });
    }
}

/// Fails on all ranks if one of them runs a different build or has different arguments.
fn compare(world: &SimpleCommunicator, version: &str) -> Result<(), LaunchError> {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let host = processor_name().unwrap_or_default();
    let build = format!("{version}, build {:016x}", executable());
    let own = format!("{build}\n{:016x}\n{host}", hash(arguments.join("\0").as_bytes()));
    let mut record = [b' '; RECORD];
    record.iter_mut().zip(own.bytes()).for_each(|(place, byte)| *place = byte);
    let mut all = vec![0; RECORD * world.size() as usize];
    world.all_gather_into(&record[..], &mut all[..]);
    let records: Vec<Vec<String>> = all
        .chunks(RECORD)
        .map(|record| {
            String::from_utf8_lossy(record).trim_end().lines().map(str::to_owned).collect()
        })
        .collect();
    let line = |rank: usize, at: usize| records[rank].get(at).cloned().unwrap_or_default();
    let host = |rank| line(rank, 2);
    for rank in 1..records.len() {
        if line(rank, 0) != line(0, 0) {
            let (other, own) = (line(rank, 0), line(0, 0));
            return Err(LaunchError::OtherBuild {
                rank,
                host: host(rank),
                first: host(0),
                other,
                own,
            });
        }
        if line(rank, 1) != line(0, 1) {
            return Err(LaunchError::OtherArguments { rank, host: host(rank) });
        }
    }
    Ok(())
}

/// Hash of the file of the running program.
fn executable() -> u64 {
    let mut bytes = Vec::new();
    let file = std::env::current_exe().and_then(std::fs::File::open);
    // If the file cannot be read, only the version is compared.
    let _ = file.and_then(|mut file| file.read_to_end(&mut bytes));
    hash(&bytes)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut sum = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = (sum.rotate_left(29) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    sum
}
