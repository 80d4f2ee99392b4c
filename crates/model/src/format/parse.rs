//! Parses a file of one format into its raw form.

use super::FormatError;
use crate::strict_json;
use crate::text_file::{BYTE_ORDER_MARK, json_in_words};
use serde::de::DeserializeOwned;
use std::io::BufRead;

/// Reads the raw form of `what`, after a byte order mark if there is one.
pub(crate) fn parse<T: DeserializeOwned>(
    reader: &mut dyn BufRead,
    name: &str,
    what: &str,
) -> Result<T, FormatError> {
    let path = || name.to_owned();
    let start = reader.fill_buf();
    let start = start.map_err(|source| FormatError::Io { path: path(), source })?;
    if start.starts_with(BYTE_ORDER_MARK) {
        reader.consume(BYTE_ORDER_MARK.len());
    }
    strict_json::from_reader(reader).map_err(|source| {
        if source.is_io() {
            FormatError::Io { path: path(), source: source.into() }
        } else {
            let problem = format!("not {what}: {}", json_in_words(&source));
            FormatError::Inconsistent { path: path(), problem }
        }
    })
}
