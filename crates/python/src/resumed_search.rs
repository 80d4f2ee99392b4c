//! Searches that keep their state in a file, and continue from it.

use crate::errors::{bad, bug};
use crate::missions::warn;
use pavane_model::{CollectiveRequest, Problem};
use pavane_search::synthesize::{Options, Watcher};
use pavane_store::StoreError;
use pavane_store::checkpoint::{Checkpoint, Keeper, SearchSetup};
use pavane_store::files::check_place;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A search with a checkpoint file.
pub struct ResumedSearch {
    path: PathBuf,
    earlier: Option<Checkpoint>,
    keeper: Arc<Keeper>,
    limit: u64,
    /// Why the file could not be written, if so.
    failure: Arc<Mutex<Option<String>>>,
}

/// A bad file as an `InputError`.
pub fn refused(error: StoreError) -> PyErr {
    match error {
        StoreError::Bug(why) => bug(why),
        error => bad(error),
    }
}

impl ResumedSearch {
    /// Reads the file, if it exists. It must belong to the same search.
    pub fn open(
        path: &Path,
        request: &CollectiveRequest,
        phases: &[Problem],
        options: &Options,
    ) -> PyResult<Self> {
        let problems: Vec<Arc<Problem>> = phases.iter().cloned().map(Arc::new).collect();
        let blank = Checkpoint::new(&SearchSetup {
            problems: &problems,
            collective: &request.collective,
            groups: &request.groups,
            engine: options.engine.as_deref(),
            preset: options.preset,
            settings: &options.settings,
            seed: options.seed,
            steps: options.steps,
        });
        let bytes = Checkpoint::read(path).map_err(refused)?.filter(|bytes| !bytes.is_empty());
        let parse = |bytes: Vec<u8>| Checkpoint::parse(&bytes, path)?.of_same_search(&blank, path);
        let earlier = bytes.map(parse).transpose().map_err(refused)?;
        check_place(path).map_err(refused)?;
        let failure: Arc<Mutex<Option<String>>> = Arc::default();
        let told = failure.clone();
        let tell = move |error: &StoreError| {
            if let Ok(mut failure) = told.lock() {
                failure.get_or_insert(error.to_string());
            }
        };
        let begun = earlier.clone().unwrap_or(blank);
        let keeper = Arc::new(Keeper::new(path, begun, options.seed, tell));
        Ok(Self { path: path.to_owned(), earlier, keeper, limit: request.limit, failure })
    }

    /// The options of the search for a phase.
    pub fn options(&self, number: usize, problem: &Problem, options: Options) -> PyResult<Options> {
        let earlier = self.earlier.as_ref();
        let standing = earlier
            .map(|earlier| earlier.standing(number, &self.path, self.limit, &options.catalogue));
        let resumed = standing.transpose().map_err(refused)?.map(Arc::new);
        let (keeper, problem) = (self.keeper.clone(), problem.clone());
        let watcher = Watcher(Arc::new(move |standing| keeper.note(number, &problem, standing)));
        Ok(Options {
            resumed: resumed.or(options.resumed.clone()),
            watcher: Some(watcher),
            ..options
        })
    }

    /// Warns if the file could not be written.
    pub fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let failure = self.failure.lock().ok().and_then(|mut failure| failure.take());
        failure.map_or(Ok(()), |why| warn(py, format!("the checkpoint was not saved: {why}")))
    }
}
