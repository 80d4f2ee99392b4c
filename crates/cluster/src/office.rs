//! The post office between processes: the first thread of every rank, and the only one that speaks MPI
//! (`MPI_THREAD_FUNNELED`), while the work goes on in others.

use crate::boxes::Boxes;
use crate::launch::LaunchError;
use crate::{Channel, Cluster, Outgoing, RUN, Wire};
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

/// Between two looks for letters: while letters come and go, and where none has for long. Looking costs time
/// that the work has not, so who has waited long waits a little longer: by a part of that time.
const HURRY: Duration = Duration::from_micros(20);
const LEISURE: Duration = Duration::from_millis(1);
const PART: u32 = 16;

/// How long a rank may take to stop working once the run is over.
const GRACE: Duration = Duration::from_millis(500);

/// Bytes for what a rank says about itself.
const CARD: usize = 256;

/// As the first thread has on most systems.
const STACK: usize = 8 << 20;

/// Starts MPI, compares builds, and carries letters until the body of rank 0 has ended.
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
    let (wire, outgoing) = channel();
    let boxes: Arc<Boxes> = Arc::default();
    let cluster = Cluster::new(rank, ranks, boxes.clone(), Wire::Office(wire));
    let own = cluster.clone();
    let builder = std::thread::Builder::new().stack_size(STACK);
    let work = builder.spawn(move || body(own));
    let work = work.map_err(|_| (LaunchError::Mpi("no thread can be started"), is_first))?;
    let last = Cell::new(Instant::now());
    let office = Office { world, boxes, outgoing, last, farewells: Cell::new(0) };
    match is_first {
        true => Ok(office.lead(&cluster, work)),
        false => {
            office.follow(&cluster, work);
            drop(office);
            drop(universe);
            // Work that has not noticed the end is of no use to anybody.
            std::process::exit(0)
        }
    }
}

struct Office {
    world: SimpleCommunicator,
    boxes: Arc<Boxes>,
    outgoing: Receiver<Outgoing>,
    /// When a letter last came or went.
    last: Cell<Instant>,
    /// On rank 0: how many ranks have said that they will send nothing more.
    farewells: Cell<usize>,
}

impl Office {
    /// Carries letters until the work of rank 0 is done, then ends the run. Whoever still has a letter on
    /// its way must get rid of it before MPI is left.
    fn lead(&self, cluster: &Cluster, work: JoinHandle<ExitCode>) -> ExitCode {
        while !work.is_finished() {
            self.carry();
        }
        cluster.end();
        while let Ok(letter) = self.outgoing.try_recv() {
            self.post(letter);
        }
        while self.farewells.get() + 1 < cluster.ranks() {
            self.take_in();
            std::thread::sleep(LEISURE);
        }
        // A panic has been told already.
        work.join().unwrap_or(ExitCode::from(101))
    }

    /// Carries letters until rank 0 says that the run is over.
    fn follow(&self, cluster: &Cluster, work: JoinHandle<ExitCode>) {
        let mut work = Some(work);
        while !self.boxes.is_closed() {
            self.carry();
            if let Some(done) = work.take_if(|work| work.is_finished())
                && done.join().is_err()
            {
                cluster.complain("it panicked");
            }
        }
        let over = Instant::now();
        while work.as_ref().is_some_and(|work| !work.is_finished()) && over.elapsed() < GRACE {
            self.carry();
        }
        self.post(Outgoing { to: 0, channel: RUN, bytes: Vec::new() });
    }

    /// Takes in what has arrived and sends what is to leave; waits a moment for that.
    fn carry(&self) {
        self.take_in();
        let pause = (self.last.get().elapsed() / PART).clamp(HURRY, LEISURE);
        match self.outgoing.recv_timeout(pause) {
            Ok(letter) => self.post(letter),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(pause),
        }
    }

    fn take_in(&self) {
        while let Some(matched) = self.world.any_process().immediate_matched_probe() {
            self.last.set(Instant::now());
            let (mut bytes, status) = matched.matched_receive_vec::<u8>();
            let mut channel = [0; size_of::<Channel>()];
            let length = bytes.len() - channel.len();
            channel.copy_from_slice(&bytes[length..]);
            bytes.truncate(length);
            let from = status.source_rank() as usize;
            let channel = Channel::from_le_bytes(channel);
            match channel == RUN && bytes.is_empty() && self.world.rank() == 0 {
                true => self.farewells.set(self.farewells.get() + 1),
                false => self.boxes.deliver(from, channel, bytes),
            }
        }
    }

    /// Sends a letter, and takes others in until it is gone: two ranks that send each other long ones
    /// would otherwise wait for each other.
    fn post(&self, Outgoing { to, channel, mut bytes }: Outgoing) {
        self.last.set(Instant::now());
        bytes.extend(channel.to_le_bytes());
        mpi::request::scope(|scope| {
            let rank = self.world.process_at_rank(to as i32);
            let mut request = rank.immediate_send(scope, &bytes[..]);
            while let Err(pending) = request.test() {
                request = pending;
                self.take_in();
                std::thread::yield_now();
            }
        });
    }
}

/// Fails on all ranks if one of them runs another program, or was given other arguments.
fn compare(world: &SimpleCommunicator, version: &str) -> Result<(), LaunchError> {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let host = processor_name().unwrap_or_default();
    let build = format!("{version}, build {:016x}", executable());
    let own = format!("{build}\n{:016x}\n{host}", hash(arguments.join("\0").as_bytes()));
    let mut card = [b' '; CARD];
    card.iter_mut().zip(own.bytes()).for_each(|(place, byte)| *place = byte);
    let mut all = vec![0; CARD * world.size() as usize];
    world.all_gather_into(&card[..], &mut all[..]);
    let cards: Vec<Vec<String>> = all
        .chunks(CARD)
        .map(|card| String::from_utf8_lossy(card).trim_end().lines().map(str::to_owned).collect())
        .collect();
    let line = |rank: usize, at: usize| cards[rank].get(at).cloned().unwrap_or_default();
    let host = |rank| line(rank, 2);
    for rank in 1..cards.len() {
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

/// A number for the program that runs: what its file says. The same program gives the same number, and no
/// other is likely to.
fn executable() -> u64 {
    let mut bytes = Vec::new();
    let file = std::env::current_exe().and_then(std::fs::File::open);
    // Who cannot be read is compared by the version alone.
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
