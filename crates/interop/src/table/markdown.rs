//! Markdown: a table in the papers' form, one row per step.

use crate::export::{ExportError, File, one_file};
use crate::whole::Whole;
use std::fmt::Write;

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let mut text = format!("{}\n\n| step | transfers |\n|---:|---|\n", escaped(&whole.title()));
    let rows = whole.phases.iter().flat_map(super::rows);
    for (step, transfers) in rows.enumerate() {
        let transfers: Vec<String> = transfers.iter().map(|one| escaped(one)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {step} | {} |", transfers.join(", "));
    }
    Ok(one_file(text))
}

/// Escapes Markdown special characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in pavane_model::words::printable(text).chars() {
        if matches!(letter, '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '#' | '&') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
