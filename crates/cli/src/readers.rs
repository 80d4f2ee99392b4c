//! The readers of what the program itself wrote and of what pages ask for, each with what is done with it first. Anybody can change such
//! files, so fuzzing and its corpora call these: whatever they are given, they come back.

use crate::checkpoint::Checkpoint;
use crate::commands::draw::log;
use crate::commands::studio::request::{self, Wish};
use crate::commands::verify_folder;
use crate::contingency::{Folder, Index};
use pavane_model::Network;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Deliveries of the largest schedule that is looked at.
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
            let _ = checkpoint.standing(phase, path, LIMIT);
        }
    }
}

/// The index of a folder of `pavane faults --save`, judged with the schedules in that folder.
pub fn index(text: &str, folder: &Path) {
    if let Ok(index) = Index::parse(&folder.join("index.json"), text) {
        let mut files = Folder::new(folder, LIMIT);
        for contingencies in &index.collectives {
            verify_folder::judge(&index, contingencies, None, &mut files, &AtomicU64::new(0));
        }
    }
}

/// What a page asks the studio for, up to the problem that is to be solved.
pub fn wish(bytes: &[u8], network: &Network) {
    match serde_json::from_slice(bytes) {
        Ok(Wish::Solve(asked)) => drop(asked.problems()),
        Ok(Wish::Repair { faults, .. }) => {
            if let Ok(faults) = request::faults(network, &faults) {
                let _ = network.without(&faults);
            }
        }
        Ok(Wish::Table { .. }) | Err(_) => {}
    }
}
