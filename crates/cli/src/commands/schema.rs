//! `pavane schema NAME`: prints a JSON schema. With the feature `schema` it is derived from the types of the
//! program, which makes a build longer; without, it is the file `docs/NAME.schema.json`. A test compares both.

use crate::args::SchemaArgs;
use crate::output::{DONE, Failure};
use std::process::ExitCode;

/// Prints the schema.
#[cfg(feature = "schema")]
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    use crate::output::print_in_order;
    use pavane_model::{format, tdm, throughput, timed};

    match args.name.as_str() {
        "schedule" => print_in_order(&format::schema())?,
        "tdm" => print_in_order(&tdm::schema())?,
        "throughput" => print_in_order(&throughput::schema())?,
        "timed" => print_in_order(&timed::schema())?,
        _ => print_in_order(&crate::report::schema::schema())?,
    }
    Ok(DONE)
}

/// Prints the schema.
#[cfg(not(feature = "schema"))]
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    use crate::output::standard;
    use std::io::Write;

    let text = match args.name.as_str() {
        "schedule" => include_str!("../../data/schemas/schedule.schema.json"),
        "tdm" => include_str!("../../data/schemas/tdm.schema.json"),
        "throughput" => include_str!("../../data/schemas/throughput.schema.json"),
        "timed" => include_str!("../../data/schemas/timed.schema.json"),
        _ => include_str!("../../data/schemas/output.schema.json"),
    };
    let mut out = standard();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(DONE)
}
