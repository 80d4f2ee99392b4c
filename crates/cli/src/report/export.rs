//! Output of `pavane export`.

use serde::Serialize;

/// A format for exports.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FormatReport {
    /// What is exported: `schedule`, `tdm` for TDM schedules, or `timed` for timed schedules.
    pub of: &'static str,
    /// Its name, as in `--to`.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// The usual file extension; empty for a format of several files.
    pub ending: &'static str,
}

/// The files of an export.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "exported"))]
pub struct Exported {
    /// The format.
    pub format: &'static str,
    /// The files.
    pub files: Vec<WrittenFile>,
}

/// A file that was written.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrittenFile {
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: usize,
}
