//! The JSON schema of a schedule file, derived from the types that read it.

use super::raw::RawFile;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// The JSON schema of a schedule file.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<RawFile>()
}

/// A transfer. Only the schema uses this type; the reader streams the steps.
#[derive(JsonSchema)]
#[schemars(rename = "transfer")]
#[expect(dead_code, reason = "only its fields' names and types matter")]
pub(super) struct TransferInSchema {
    /// `[origin]` in a broadcast, `[origin, destination]` in a scatter, `[contributor, root]` in a
    /// gather, `[root]` in a reduce, `[index]` in a list of messages.
    #[schemars(length(min = 1, max = 2))]
    message: Vec<u32>,
    /// The processor that sends.
    from: u32,
    /// The processor that receives.
    to: u32,
    /// Channel numbers in the order of travel; empty between processors of one router.
    path: Vec<u32>,
}
