//! The words that the arguments of commands suggest.

use crate::commands::deadlock::ROUTINGS;
use crate::commands::reproduce::table::tables;
use crate::commands::reproduce::traffic::EXHIBITS;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command};
use pavane_interop::FORMATS;
use pavane_interop::tdm::TDM_FORMATS;
use pavane_interop::timed::TIMED_FORMATS;
use pavane_model::collective;
use pavane_networks::topology::FAMILIES;
use pavane_search::Catalogue;
use pavane_traffic::Over;
use pavane_traffic::mission::Permutation;
use pavane_traffic::policy::POLICIES;

/// A name as the shell completes it: with a colon if parameters follow.
pub fn with_colon(name: &str) -> String {
    let has_parameters = |usage: &str| usage.contains(':');
    let family = FAMILIES.iter().find(|family| family.name == name);
    match name.split_once(':') {
        Some((name, _)) => format!("{name}:"),
        None if family.is_some_and(|family| has_parameters(family.usage)) => format!("{name}:"),
        None => name.to_owned(),
    }
}

/// The commands with names of networks, collectives, engines, their parameters, formats, routings, switching methods,
/// policies and tables as suggestions. The program itself takes more: parameters of networks, files.
pub fn suggesting(command: Command) -> Command {
    let of = command.get_name().to_owned();
    command.mut_args(|arg| suggest(arg, &of)).mut_subcommands(suggesting)
}

/// A name and what it means; the meaning may be empty.
type Suggestion = (&'static str, &'static str);

fn suggest(arg: Arg, command: &str) -> Arg {
    let value = arg.get_value_names().and_then(<[_]>::first).map(ToString::to_string);
    let plain = |names: &[&'static str]| names.iter().map(|&name| (name, "")).collect();
    let suggestions: Vec<Suggestion> = match (arg.get_id().as_str(), value.as_deref().unwrap_or(""))
    {
        (_, "NETWORK" | "NETWORK|SCHEDULE|PLAN|TDM|LOG") => {
            FAMILIES.iter().map(|family| (family.name, family.description)).collect()
        }
        ("collective", _) if command == "check-plan" => plain(&RUNTIME_COLLECTIVES),
        (_, "COLLECTIVE") | ("collective", _) => {
            collective::names().map(|(name, _)| (name, "")).collect()
        }
        ("engine", _) => engines(),
        ("name", _) if command == "engines" => engines(),
        ("to", _) if command == "export" => formats(),
        ("routing", "minimal|any|+H") => plain(&["minimal", "any"]),
        ("routing", _) if command == "tdm" => plain(&["minimal", "any"]),
        ("routing", _) if command == "deadlock" => plain(&ROUTINGS),
        ("routing", _) if TRAFFIC.contains(&command) => {
            let all: Vec<&str> =
                ["e-cube", "pa", "dfs", "cps"].into_iter().chain(ROUTINGS).collect();
            plain(&all)
        }
        ("switching", _) if TRAFFIC.contains(&command) => plain(&SWITCHINGS),
        ("over", _) if command == "sweep" => plain(&Over::names()),
        ("permutation", _) => plain(&Permutation::names()),
        ("tables", _) if command == "reproduce" => return with_tables(arg),
        ("set", _) => settings(),
        ("policy" | "policies", _) => {
            let policies = POLICIES.iter().map(|policy| (policy.name, ""));
            let all = (command != "run").then_some(("all", ""));
            all.into_iter().chain(policies).collect()
        }
        _ => return arg,
    };
    let value = |(name, meaning): Suggestion| {
        let value = PossibleValue::new(name);
        if meaning.is_empty() { value } else { value.help(meaning) }
    };
    arg.value_parser(PossibleValuesParser::new(suggestions.into_iter().map(value)))
}

/// The commands that simulate traffic.
const TRAFFIC: [&str; 3] = ["run", "compare", "sweep"];

/// The switching methods of traffic.
const SWITCHINGS: [&str; 4] = ["store-and-forward", "cs", "vct", "wormhole"];

/// The collectives of plans for MSCCL and MSCCL++.
const RUNTIME_COLLECTIVES: [&str; 6] =
    ["allgather", "alltoall", "allreduce", "reduce_scatter", "broadcast", "reduce"];

fn with_tables(arg: Arg) -> Arg {
    let names = tables().unwrap_or_default().into_iter().map(|table| table.name);
    let names = names.chain(EXHIBITS.iter().map(|exhibit| exhibit.name));
    arg.value_parser(PossibleValuesParser::new(names))
}

/// The formats of schedules, timed schedules and TDM schedules, each once.
fn formats() -> Vec<Suggestion> {
    let steps = FORMATS.iter().map(|format| (format.name, format.meaning));
    let timed = TIMED_FORMATS.iter().map(|format| (format.name, format.meaning));
    let tdm = TDM_FORMATS.iter().map(|format| (format.name, format.meaning));
    let mut all: Vec<Suggestion> = steps.chain(timed).chain(tdm).collect();
    all.sort_by_key(|(name, _)| *name);
    all.dedup_by_key(|(name, _)| *name);
    all
}

/// The parameters of all engines, each with an equals sign.
fn settings() -> Vec<Suggestion> {
    let Catalogue { usual, named, .. } = pavane_evolution::catalogue();
    let parameters = usual.iter().chain(named).flat_map(|engine| engine.describe().parameters);
    let mut names: Vec<Suggestion> = parameters.map(|one| (one.name, one.meaning)).collect();
    names.sort_by_key(|(name, _)| *name);
    names.dedup_by_key(|(name, _)| *name);
    // The words live as long as the program, which ends after printing them.
    names.into_iter().map(|(name, meaning)| (&*format!("{name}=").leak(), meaning)).collect()
}

fn engines() -> Vec<Suggestion> {
    let Catalogue { usual, named, .. } = pavane_evolution::catalogue();
    usual.iter().chain(named).map(|engine| (engine.name(), engine.describe().purpose)).collect()
}
