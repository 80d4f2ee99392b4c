//! `pavane engines [NAME]`: the engines, their purposes and parameters.

use crate::args::EnginesArgs;
use crate::output::{DONE, Failure, print_json, standard};
use crate::report::engines::EngineReport;
use pavane_search::parameters::Parameter;
use pavane_search::synthesize::SynthesisError;
use pavane_search::{Catalogue, Engine};
use std::io::Write;
use std::process::ExitCode;

/// Lists the engines.
pub fn run(args: &EnginesArgs) -> Result<ExitCode, Failure> {
    let Catalogue { usual, named, .. } = pavane_evolution::catalogue();
    let all = [usual, named].concat();
    let is_wanted =
        |engine: &&&dyn Engine| args.name.as_deref().is_none_or(|name| name == engine.name());
    let chosen: Vec<&dyn Engine> = all.iter().filter(is_wanted).copied().collect();
    if let Some(name) = args.name.as_deref().filter(|_| chosen.is_empty()) {
        let known = all.iter().map(|engine| engine.name()).collect();
        let name = name.to_owned();
        return Err(SynthesisError::NoSuchEngine { name, known }.into());
    }
    if args.json {
        print_json(&chosen.iter().map(|engine| report(*engine)).collect::<Vec<_>>())?
    } else {
        print(&chosen)?
    }
    Ok(DONE)
}

/// Whether the engine takes part if no engine is named.
fn is_automatic(engine: &dyn Engine) -> bool {
    pavane_evolution::catalogue().usual.iter().any(|other| other.name() == engine.name())
}

fn report(engine: &dyn Engine) -> EngineReport {
    let traits = engine.describe();
    EngineReport {
        name: engine.name(),
        purpose: traits.purpose,
        automatic: is_automatic(engine),
        parameters: traits.parameters.iter().map(Into::into).collect(),
    }
}

fn print(engines: &[&dyn Engine]) -> Result<(), Failure> {
    let mut out = standard();
    let width = engines.iter().map(|engine| engine.name().len()).max().unwrap_or(0);
    for engine in engines {
        let note = if is_automatic(*engine) { "" } else { " (only with --engine)" };
        writeln!(out, "{:<width$}  {}{note}", engine.name(), engine.describe().purpose)?;
        for parameter in engine.describe().parameters {
            let Parameter { name, meaning, range, paper, tuned } = parameter;
            let (tuned, paper) = (range.show(*tuned), range.show(*paper));
            let values = if tuned == paper { tuned } else { format!("{tuned}, paper {paper}") };
            writeln!(out, "{:width$}    {name:<11} {values:<26} {meaning}", "")?;
        }
    }
    writeln!(
        out,
        "\nSet parameters with --set NAME=VALUE,…; --preset paper selects the values of the papers."
    )?;
    out.flush()?;
    Ok(())
}
