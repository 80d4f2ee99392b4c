//! Assigns settings to algorithms: each setting goes to all algorithms that have it.

use super::table::Table;
use crate::args::tables::ReproduceArgs;
use crate::output::Failure;
use pavane_evolution::{Annealing, catalogue};
use pavane_search::Engine;
use pavane_search::parameters::Preset;

/// The engine with this name.
pub fn engine(name: &str) -> Result<&'static dyn Engine, Failure> {
    catalogue().find(name).ok_or_else(|| {
        Failure::bad_input(format!("no engine is called {name:?} (all: `pavane engines`)"))
    })
}

/// Whether annealing also runs where an algorithm does not always succeed: only with the tuned
/// preset and without `--engine`.
pub fn has_stand_in(args: &ReproduceArgs) -> bool {
    args.preset == Preset::Tuned && args.engine.is_none()
}

/// The settings that apply to an engine.
pub fn of(engine: &dyn Engine, args: &ReproduceArgs) -> Vec<String> {
    let is_for = |text: &&String| name(text).is_none_or(|name| has(engine, name));
    args.set.iter().filter(is_for).cloned().collect()
}

/// Fails if a setting applies to no engine or cannot be set, before anything is computed.
pub fn check(tables: &[Table], args: &ReproduceArgs) -> Result<(), Failure> {
    let mut names: Vec<&str> = match &args.engine {
        Some(name) => vec![name],
        None => tables.iter().flat_map(|table| &table.entries).map(|entry| entry.engine).collect(),
    };
    names.sort_unstable();
    names.dedup();
    let mut engines = names.iter().map(|name| engine(name)).collect::<Result<Vec<_>, _>>()?;
    if has_stand_in(args) && !engines.is_empty() {
        engines.push(&Annealing);
    }
    if let [engine] = engines[..] {
        engine.describe().set(args.preset, &args.set).map_err(Failure::bad_input)?;
        return Ok(());
    }
    for name in args.set.iter().filter_map(|text| name(text)) {
        if !engines.iter().any(|engine| has(*engine, name)) {
            let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
            let words = if engines.is_empty() {
                "the algorithms of these tables have no parameters".to_owned()
            } else {
                format!("no algorithm of these tables ({}) has this parameter", engines.join(", "))
            };
            return Err(Failure::bad_input(format!(
                "--set {name}: {words}; `pavane engines` lists all parameters"
            )));
        }
    }
    for engine in engines {
        engine.describe().set(args.preset, &of(engine, args)).map_err(Failure::bad_input)?;
    }
    Ok(())
}

fn name(text: &str) -> Option<&str> {
    text.split_once('=').map(|(name, _)| name.trim())
}

fn has(engine: &dyn Engine, name: &str) -> bool {
    engine.describe().parameters.iter().any(|parameter| parameter.name == name)
}
