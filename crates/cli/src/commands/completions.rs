//! `pavane completions SHELL`

use super::bash_places;
use super::deadlock::ROUTINGS;
use super::reproduce::table::tables;
use super::reproduce::traffic::EXHIBITS;
use crate::args::{Arguments, CompletionsArgs};
use crate::output::{DONE, Failure, write_file};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use pavane_interop::FORMATS;
use pavane_interop::tdm::TDM_FORMATS;
use pavane_model::collective;
use pavane_networks::topology::FAMILIES;
use pavane_search::Catalogue;
use pavane_traffic::policy::POLICIES;
use std::path::Path;
use std::process::ExitCode;

/// Prints the completion script for a shell.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    let mut program = suggesting(Arguments::command());
    clap_complete::generate(args.shell, &mut program, "pavane", &mut script);
    if args.shell == Shell::Bash {
        script.extend(bash_places::script(&program, with_colon).into_bytes());
    }
    write_file(Path::new("-"), |out| out.write_all(&script))?;
    Ok(DONE)
}

/// A name as the shell completes it: with a colon if parameters follow.
fn with_colon(name: &str) -> String {
    let has_parameters = |usage: &str| usage.contains(':');
    let family = FAMILIES.iter().find(|family| family.name == name);
    match name.split_once(':') {
        Some((name, _)) => format!("{name}:"),
        None if family.is_some_and(|family| has_parameters(family.usage)) => format!("{name}:"),
        None => name.to_owned(),
    }
}

/// The commands with names of networks, collectives, engines, their parameters, formats, routings, policies
/// and tables as suggestions. The program itself takes more: parameters of networks, files.
fn suggesting(command: Command) -> Command {
    let of = command.get_name().to_owned();
    command.mut_args(|arg| suggest(arg, &of)).mut_subcommands(suggesting)
}

fn suggest(arg: Arg, command: &str) -> Arg {
    let value = arg.get_value_names().and_then(<[_]>::first).map(ToString::to_string);
    let names: Vec<&str> = match (arg.get_id().as_str(), value.as_deref().unwrap_or("")) {
        (_, "NETWORK" | "NETWORK|SCHEDULE|PLAN|TDM|LOG") => {
            FAMILIES.iter().map(|family| family.name).collect()
        }
        (_, "COLLECTIVE") | ("collective", _) => {
            collective::names().map(|(name, _)| name).collect()
        }
        ("engine", _) => engines(),
        ("name", _) if command == "engines" => engines(),
        ("to", _) if command == "export" => {
            let all = FORMATS.iter().map(|format| format.name);
            let mut all: Vec<&str> = all.chain(TDM_FORMATS.iter().map(|one| one.name)).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
        ("routing", "minimal|any|+H") => vec!["minimal", "any"],
        ("routing", _) if command == "deadlock" => ROUTINGS.to_vec(),
        ("routing", _) if TRAFFIC.contains(&command) => {
            ["e-cube", "pa", "dfs", "cps"].into_iter().chain(ROUTINGS).collect()
        }
        ("tables", _) if command == "reproduce" => {
            let names = tables().unwrap_or_default().into_iter().map(|table| table.name);
            let names = names.chain(EXHIBITS.iter().map(|exhibit| exhibit.name));
            return arg.value_parser(PossibleValuesParser::new(names));
        }
        ("set", _) => return arg.value_parser(PossibleValuesParser::new(settings())),
        ("policy" | "policies", _) => POLICIES.iter().map(|policy| policy.name).collect(),
        _ => return arg,
    };
    arg.value_parser(PossibleValuesParser::new(names))
}

/// The commands that simulate traffic.
const TRAFFIC: [&str; 3] = ["run", "compare", "sweep"];

/// The parameters of all engines, each with an equals sign.
fn settings() -> Vec<&'static str> {
    let Catalogue { usual, named, .. } = pavane_evolution::catalogue();
    let parameters = usual.iter().chain(named).flat_map(|engine| engine.describe().parameters);
    let mut names: Vec<&str> = parameters.map(|one| one.name).collect();
    names.sort_unstable();
    names.dedup();
    // The words live as long as the program, which ends after printing them.
    names.into_iter().map(|name| &*format!("{name}=").leak()).collect()
}

fn engines() -> Vec<&'static str> {
    let Catalogue { usual, named, .. } = pavane_evolution::catalogue();
    usual.iter().chain(named).map(|engine| engine.name()).collect()
}
