//! `pavane schema NAME`: prints a JSON schema that is generated from the types of the program. The files
//! `docs/NAME.schema.json` are its output.

use crate::args::SchemaArgs;
use crate::output::{DONE, Failure, print_in_order};
use crate::report;
use pavane_model::{format, tdm, throughput, timed};
use std::process::ExitCode;

/// Prints the schema.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    match args.name.as_str() {
        "schedule" => print_in_order(&format::schema())?,
        "tdm" => print_in_order(&tdm::schema())?,
        "throughput" => print_in_order(&throughput::schema())?,
        "timed" => print_in_order(&timed::schema())?,
        _ => print_in_order(&report::schema())?,
    }
    Ok(DONE)
}
