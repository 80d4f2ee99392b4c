//! The JSON schema of a throughput plan, derived from the types that read it.

use super::raw::RawPlan;
use schemars::Schema;
use schemars::generate::SchemaSettings;

/// The JSON schema of a throughput plan.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<RawPlan>()
}
