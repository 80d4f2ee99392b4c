//! Output of `pavane draw`.

use serde::Serialize;

/// A picture that was written.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "drawn"))]
pub struct Drawn<'a> {
    /// The object drawn: `network`, `schedule`, `throughput plan`, `TDM schedule` or `traffic log`.
    pub what: &'a str,
    /// Title of the picture.
    pub title: String,
    /// `svg`, `png` or `html`.
    pub format: &'a str,
    /// Size of the file.
    pub bytes: usize,
    /// The file.
    pub file: String,
}
