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
    Sizes::of_matrix(problems, &rows).map_err(|error| wrong(with_hint(error)))
}

/// The error, with what helps.
fn with_hint(error: SizesError) -> String {
    match error {
        SizesError::AllReduce => "an all-reduce has one size; use --bytes".to_owned(),
        SizesError::OneSize { collective } => {
            format!("{collective} has messages of one size; use --bytes, or all-to-all")
        }
        error => error.to_string(),
    }
}
