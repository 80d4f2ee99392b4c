//! Readers of the program's own files and of requests of pages, each with the first use of the
//! result. Anyone can change such files, so the fuzz targets call these functions: no input may
//! make them panic.

use crate::args::problem::ChunkCount;
use crate::commands::draw::log;
use crate::commands::studio::opened;
use crate::commands::studio::request::{self, JobRequest};
use pavane_atlas::Atlas;
use pavane_model::{ChannelId, Network, Renumbering, RouterId};
use pavane_store::checkpoint::Checkpoint;
use pavane_store::contingency::{Contingencies, Folder, Index, judge};
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Maximum number of deliveries of a schedule.
const LIMIT: u64 = 10_000;

/// A log of `pavane traffic run --log`, drawn.
pub fn traffic_log(text: &str) {
    if let Ok(log) = log::parse(Path::new("log.csv"), text) {
        let _ = log.scene();
    }
}

/// A file of `pavane solve --resume`, with its schedules judged.
pub fn checkpoint(bytes: &[u8]) {
    let path = Path::new("search.checkpoint");
    if let Ok(checkpoint) = Checkpoint::parse(bytes, path) {
        for phase in 0..checkpoint.phase_count() {
            let _ = checkpoint.standing(phase, path, LIMIT, &pavane_evolution::catalogue());
        }
    }
}

/// The index of a folder of `pavane faults --save`, judged with the schedules in that folder.
pub fn index(bytes: &[u8], folder: &Path) {
    if let Ok(index) = Index::parse(&folder.join("index.json"), bytes) {
        let mut files = Folder::new(folder, LIMIT);
        for contingencies in &index.collectives {
            judge(&index, contingencies, &|_| None, &mut files, &AtomicU64::new(0));
            check_entries(contingencies, &mut files);
        }
    }
}

/// An index file of the atlas, in a folder without schedules: no entry is accepted.
pub fn atlas(bytes: &[u8]) {
    let Ok(atlas) = Atlas::parse(Path::new("no-such-folder"), "fuzzed", bytes) else { return };
    for entry in atlas.entries() {
        let _ = (entry.command(atlas.folder()), entry.status(), entry.is_improvement());
        assert!(atlas.judge(entry).is_err(), "there is no file");
    }
}

/// If an entry is accepted, its file must be for the network with exactly the faults of the entry,
/// and no bound may exceed the steps of a valid schedule.
fn check_entries(contingencies: &Contingencies, files: &mut Folder) {
    let Some(Ok(healthy)) = contingencies.no_fault.as_ref().map(|name| files.file(name)) else {
        return;
    };
    for entry in &contingencies.faults {
        let applied = files.entry(&healthy, contingencies.root_moves, entry);
        let (Ok(Some(applied)), Some(name)) = (applied, &entry.schedule) else { continue };
        let phases = files.file(name).expect("an accepted entry names a valid file");
        for (applied, phase) in applied.iter().zip(&phases) {
            let (from, to) = (phase.problem.network(), applied.checked.problem().network());
            let identity = Renumbering::identity(from);
            let images = &entry.renumbering.as_ref().unwrap_or(&identity).routers;
            let renumbered = parts(from, |router| images[router.index()]);
            assert_eq!(renumbered, parts(to, |router| router), "{name} is for another network");
            let steps = applied.checked.schedule().step_count();
            assert!(applied.proved <= steps, "{name}: {steps} steps, at least {}", applied.proved);
        }
    }
}

/// The channels of a network with renumbered ends, each with whether it belongs to a link, and the
/// homes of its processors, all sorted.
fn parts(
    network: &Network,
    image: impl Fn(RouterId) -> RouterId,
) -> (Vec<(RouterId, RouterId, bool)>, Vec<RouterId>) {
    let channels = (0..network.channel_count() as u32).map(ChannelId).map(|channel| {
        let ends = network.channel(channel);
        (image(ends.tail), image(ends.head), network.opposite(channel).is_some())
    });
    let homes = network.living_processors().filter_map(|p| network.home(p)).map(&image);
    let (mut channels, mut homes): (Vec<_>, Vec<_>) = (channels.collect(), homes.collect());
    channels.sort_unstable();
    homes.sort_unstable();
    (channels, homes)
}

/// A request of a page to the studio, up to its problem.
pub fn request(bytes: &[u8], network: &Network) {
    match JobRequest::parse(bytes) {
        Ok(JobRequest::Solve(asked)) => {
            let count = match asked.chunks() {
                Ok(ChunkCount::Fixed(count)) => count,
                _ => 1,
            };
            drop(asked.problems(count));
        }
        Ok(JobRequest::Open(asked)) => {
            let _ = opened::open(&asked);
        }
        Ok(JobRequest::Throughput(asked)) => {
            if let Ok(left) = asked.problems() {
                drop(asked.sizes(&left.phases));
            }
        }
        Ok(JobRequest::FaultLimits(asked)) => drop(asked.problems()),
        Ok(JobRequest::Repair { faults, .. }) => {
            if let Ok(faults) = request::faults(network, &faults) {
                let _ = network.without(&faults);
            }
        }
        Ok(JobRequest::Tdm(asked)) => {
            let _ = asked.problem();
        }
        Ok(JobRequest::Timed(asked)) => drop(asked.problems()),
        Ok(JobRequest::Pareto(asked)) => drop(asked.problems()),
        Ok(JobRequest::Compare(asked)) => drop(asked.problems()),
        Ok(JobRequest::Tune(asked)) => drop(asked.problems()),
        Ok(JobRequest::Traffic(asked)) => drop(asked.network()),
        Ok(
            JobRequest::Faults(_)
            | JobRequest::Bounds(_)
            | JobRequest::Deadlock(_)
            | JobRequest::Table { .. },
        )
        | Err(_) => {}
    }
}
