//! Reads the sizes of an all-to-all-v from a file in CSV or JSON.

use crate::output::Failure;
use pavane_model::{Problem, text_file};
use pavane_throughput::sizes::{Sizes, SizesError, read_matrix};
use std::path::Path;

/// Reads the sizes of the messages of a collective.
pub fn read(path: &Path, problems: &[Problem]) -> Result<Sizes, Failure> {
    let wrong =
        |problem: String| Failure::bad_input(format!("--sizes {}: {problem}", path.display()));
    let text = text_file::read(path).map_err(Failure::bad_input)?;
    let rows = read_matrix(&text).map_err(|error| wrong(error.to_string()))?;
    let faults = problems[0].network().faults();
    Sizes::of_matrix(problems, &rows).map_err(|error| wrong(with_hint(error, faults)))
}

/// The error, with what helps.
fn with_hint(error: SizesError, faults: &[String]) -> String {
    match error {
        SizesError::AllReduce => "an all-reduce has one size; use --bytes".to_owned(),
        SizesError::OneSize { collective } => {
            format!("{collective} has messages of one size; use --bytes, or all-to-all")
        }
        SizesError::Rows { .. } | SizesError::Columns { .. } if !faults.is_empty() => format!(
            "{error}; processors that are lost to the faults ({}) have no row and no column",
            faults.join(", ")
        ),
        error => error.to_string(),
    }
}
