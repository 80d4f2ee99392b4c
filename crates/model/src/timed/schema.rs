//! The JSON schema of a timed schedule, derived from the types that read it.

use super::raw::RawTimed;
use schemars::Schema;
use schemars::generate::SchemaSettings;

/// The JSON schema of a timed schedule.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<RawTimed>()
}
