//! `pavane networks [NETWORK]`: the families there are, or one network in figures.

use crate::args::{NetworkArgs, NetworksArgs};
use crate::output::{DONE, Failure, print_json, standard, write_file};
use pavane_model::export_network::FORMATS;
use pavane_model::topology::FAMILIES;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Lists the families, describes a network, or writes it in another format.
pub fn run(args: &NetworksArgs) -> Result<ExitCode, Failure> {
    let Some(name) = &args.network else {
        list(args)?;
        return Ok(DONE);
    };
    let typed = NetworkArgs { network: name.clone(), faults: args.faults.clone() };
    let network = typed.load()?;
    if let Some(format) = &args.to {
        let entry = FORMATS.iter().find(|(name, _)| name == format);
        let (_, write) = entry.expect("clap lets no other format through");
        let path = args.output.as_deref().unwrap_or(Path::new("-"));
        write_file(path, |out| write(&network, out))?;
        return Ok(DONE);
    }
    Ok(DONE)
}

fn list(args: &NetworksArgs) -> Result<(), Failure> {
    if args.to.is_some() || args.output.is_some() {
        return Err(Failure::bad_input("--to and --output need a NETWORK to write"));
    }
    if args.json {
        let families = FAMILIES.iter().map(|family| {
            json!({
                "name": family.name,
                "aliases": family.aliases,
                "usage": family.usage,
                "example": family.example,
                "description": family.description,
            })
        });
        return print_json(&families.collect());
    }
    let width = FAMILIES.iter().map(|family| family.usage.len()).max().unwrap_or(0);
    let mut out = standard();
    for family in FAMILIES {
        writeln!(out, "{:<width$}  {}", family.usage, family.description)?;
    }
    writeln!(out, "\nA name may end in @K: K processors where there was one (octagon:8@2).")?;
    writeln!(out, "A file may stand for a name: .toml .json .graphml .dot .csv, or lines `u v`.")?;
    out.flush()?;
    Ok(())
}
