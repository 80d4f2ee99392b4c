//! Selects the engines of a search and their parameters: the engine given in the options, or all
//! that are useful.

use super::options::Options;
use super::outcome::SynthesisError;
use crate::attempt::{Context, Engine, Fit};
use crate::budget::Interrupt;
use crate::catalogue::Catalogue;
use crate::exact::HAS_SOLVER;
use crate::parameters::{ParameterError, Parameters};

/// The engines that search, and the exact engine if it runs in addition to others.
pub(super) type Chosen = (Vec<&'static dyn Engine>, Option<&'static dyn Engine>);

/// The engines for a problem: the requested one, or all that are useful. After an interrupt,
/// engines with a slow `fit` are skipped.
pub(super) fn choose_engines(
    context: &Context,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<Chosen, SynthesisError> {
    let Catalogue { usual, named, repair } = options.catalogue;
    // A request by name may select any engine.
    let named = if options.engine.is_some() { named } else { &[] };
    let usual = if options.start.is_some() { repair } else { usual };
    let engines = &[usual, named].concat()[..];
    let names =
        |list: &[&'static dyn Engine]| list.iter().map(|engine| engine.name()).collect::<Vec<_>>();
    let fitting: Vec<&'static dyn Engine> =
        engines.iter().copied().filter(|engine| engine.takes(context.problem())).collect();
    if fitting.is_empty() {
        return Err(SynthesisError::NoEngine);
    }
    let Some(name) = &options.engine else {
        let mut useful = Vec::new();
        for engine in fitting {
            match engine.fit(context, interrupt) {
                Fit::Useless => {}
                Fit::Useful => useful.push(engine),
                Fit::Sufficient => return Ok((vec![engine], None)),
            }
        }
        let is_exact = |engine: &&dyn Engine| engine.describe().is_exact;
        let (exact, others): (Vec<_>, Vec<_>) = useful.into_iter().partition(is_exact);
        return Ok(if others.is_empty() {
            (exact, None)
        } else {
            (others, exact.first().copied())
        });
    };
    if !engines.iter().any(|engine| engine.name() == name) {
        let known = names(engines);
        return Err(SynthesisError::NoSuchEngine { name: name.clone(), known });
    }
    let is_named = |engine: &&dyn Engine| engine.name() == name;
    if !HAS_SOLVER
        && engines.iter().copied().find(is_named).is_some_and(|it| it.describe().is_exact)
    {
        return Err(SynthesisError::NoSolver { name: name.clone() });
    }
    let chosen: Vec<_> = fitting
        .iter()
        .copied()
        .filter(|engine| engine.name() == name && engine.fit(context, interrupt) != Fit::Useless)
        .collect();
    if chosen.is_empty() {
        let (name, fitting) = (name.clone(), names(&fitting));
        let is_named = |engine: &&dyn Engine| engine.name() == name;
        Err(
            if engines
                .iter()
                .copied()
                .find(is_named)
                .is_some_and(|engine| engine.describe().lists_paths)
            {
                SynthesisError::TooLarge { name, fitting }
            } else {
                SynthesisError::WrongEngine { name, fitting }
            },
        )
    } else {
        Ok((chosen, None))
    }
}

/// The parameters of the engine that was requested by name.
pub(super) fn choose_parameters(
    engines: &[&'static dyn Engine],
    options: &Options,
) -> Result<Parameters, ParameterError> {
    let preset = options.preset.unwrap_or_default();
    match (engines, &options.engine) {
        ([engine], Some(_))
            if options.preset.is_some() && engine.describe().parameters.is_empty() =>
        {
            Err(ParameterError::NoPreset { engine: engine.name() })
        }
        ([engine], Some(_)) => engine.describe().set(preset, &options.settings),
        _ if options.settings.is_empty() && options.preset.is_none() => Ok(Parameters::default()),
        _ => Err(ParameterError::NoEngine),
    }
}
