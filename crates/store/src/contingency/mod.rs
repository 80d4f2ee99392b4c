//! A folder with a schedule for every fault. For every fault set, `index.json` names the file of
//! its schedule and, if several sets share a file, the renumbering of routers and processors.

mod folder;
mod verified;

pub use folder::{Applied, Folder, Judged, parse};
pub use verified::{VerifiedCollective, judge};

use crate::StoreError;
use crate::files::write_file;
use pavane_model::bounded_read::{self, LARGEST_OWN};
use pavane_model::format::proof_beside;
use pavane_model::{Network, ProcessorId, Renumbering, strict_json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Format name in the index.
const FORMAT: &str = "pavane/contingency/1";

/// The index of a folder.
#[derive(Debug, Serialize, Deserialize)]
pub struct Index {
    format: String,
    /// The network.
    pub network: String,
    /// The kinds of parts that fail: `links`, `channels`, `routers`.
    pub of: Vec<String>,
    /// Number of simultaneous faults.
    pub count: u32,
    /// Whether only a sample of the fault sets is included.
    pub is_sample: bool,
    /// Whether all results are included.
    pub is_complete: bool,
    /// The collectives.
    pub collectives: Vec<Contingencies>,
}

/// The contingencies of one collective.
#[derive(Debug, Serialize, Deserialize)]
pub struct Contingencies {
    /// The collective.
    pub collective: String,
    /// Whether another processor replaces a lost root, because the root was not chosen explicitly.
    pub root_moves: bool,
    /// The file of the schedule without faults.
    pub no_fault: Option<String>,
    /// One entry per fault set.
    pub faults: Vec<FaultEntry>,
}

/// The entry of a fault set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FaultEntry {
    /// The faults, by router numbers.
    pub faults: Vec<String>,
    /// The file of the schedule; `None` if there is no schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// The images of the routers and processors of that file; `None` for the identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renumbering: Option<Renumbering>,
    /// Number of steps of the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The processors lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<ProcessorId>,
    /// Pairs of a sender and a receiver that are disconnected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disconnected: Vec<(ProcessorId, ProcessorId)>,
}

impl Contingencies {
    /// The entry whose faults leave the network `broken` of `network`.
    pub fn find(&self, network: &Network, broken: &Network) -> Option<&FaultEntry> {
        self.faults.iter().find(|entry| {
            let faults = parse(network, &entry.faults).ok();
            let left = faults.and_then(|faults| network.without(&faults).ok());
            left.is_some_and(|left| left.is_same_as(broken))
        })
    }
}

impl FaultEntry {
    /// Whether it has neither a schedule nor disconnected pairs.
    fn says_nothing(&self) -> bool {
        self.schedule.is_none() && self.disconnected.is_empty()
    }
}

/// The name of the file of a class of faults, counted from 0; `None` for the network without faults.
pub fn file_name(label: &str, class: Option<usize>) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let label: String = label.chars().map(plain).collect();
    match class {
        None => format!("{label}-no-fault.json"),
        Some(class) => format!("{label}-{}.json", class + 1),
    }
}

/// The results of an incomplete folder, from which the next run continues.
pub fn rows(folder: &Path) -> PathBuf {
    folder.join("results.json")
}

/// The path of the index in a folder.
fn place(folder: &Path) -> PathBuf {
    folder.join("index.json")
}

impl Index {
    /// An empty index.
    pub fn new(network: &str, of: Vec<String>, count: u32, is_sample: bool) -> Self {
        Self {
            format: FORMAT.to_owned(),
            network: network.to_owned(),
            of,
            count,
            is_sample,
            is_complete: false,
            collectives: Vec::new(),
        }
    }

    /// Whether it has the same network, kinds and number of faults.
    fn is_like(&self, other: &Self) -> bool {
        self.network == other.network
            && self.of == other.of
            && (self.count, self.is_sample) == (other.count, other.is_sample)
    }

    /// Reads the index of a folder.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let path = place(folder);
        let bytes = bounded_read::read(&path, LARGEST_OWN).map_err(|error| {
            StoreError::file(format!(
                "{error}; expected a folder of `pavane faults --save`, which contains index.json"
            ))
        })?;
        Self::parse(&path, &bytes)
    }

    /// Parses the bytes of an index file.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let index: Self = strict_json::from_slice(bytes).map_err(|error| {
            StoreError::file(format!(
                "{} is not an index of `pavane faults --save`: {error}",
                path.display()
            ))
        })?;
        if index.format == FORMAT {
            Ok(index)
        } else {
            Err(StoreError::file(format!(
                "{} has the format {:?} instead of {FORMAT}",
                path.display(),
                index.format
            )))
        }
    }

    /// The contingencies of a collective, or the only ones.
    pub fn choose(&self, collective: Option<&str>) -> Option<&Contingencies> {
        match (collective, &self.collectives[..]) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(name), all) => all.iter().find(|one| one.collective == name),
        }
    }

    /// The schedule files that it names.
    fn schedules(&self) -> impl Iterator<Item = &String> {
        self.collectives.iter().flat_map(|of| {
            of.no_fault.iter().chain(of.faults.iter().filter_map(|entry| entry.schedule.as_ref()))
        })
    }

    /// Writes the index into its folder. A complete folder has no results to continue from.
    pub fn write(&self, folder: &Path) -> Result<(), StoreError> {
        write_file(&place(folder), |out| Ok(serde_json::to_writer_pretty(out, self)?))?;
        if self.is_complete {
            let _ = std::fs::remove_file(rows(folder));
        }
        Ok(())
    }
}

/// Prepares a folder for these schedules. Fails if it contains anything other than an earlier index
/// and its files. Schedules of an earlier index that will not be overwritten are removed, with
/// their proofs.
pub fn prepare(folder: &Path, index: &Index, names: &BTreeSet<String>) -> Result<(), StoreError> {
    let unusable = |error: std::io::Error| {
        StoreError::file(format!("cannot create the folder {}: {}", folder.display(), error.kind()))
    };
    std::fs::create_dir_all(folder).map_err(unusable)?;
    let is_empty = std::fs::read_dir(folder).map_err(unusable)?.next().is_none();
    if !is_empty && !place(folder).is_file() {
        return Err(StoreError::file(format!(
            "the folder {} contains other files; use a new or empty folder",
            folder.display()
        )));
    }
    if let Ok(earlier) = Index::read(folder) {
        for name in earlier.schedules().filter(|name| !names.contains(*name)) {
            remove(folder, name);
        }
        // What an interrupted run has saved stays readable until this one is over.
        if !earlier.is_complete && earlier.is_like(index) {
            return Ok(());
        }
    }
    index.write(folder)
}

/// Removes a schedule and its proofs. Missing files are ignored.
fn remove(folder: &Path, name: &str) {
    if Path::new(name).file_name() != Some(name.as_ref()) {
        return;
    }
    let path = folder.join(name);
    let proofs = [None, Some(1), Some(2)].into_iter().map(|phase| proof_beside(&path, phase));
    for path in proofs.chain([path.clone()]) {
        let _ = std::fs::remove_file(path);
    }
}
