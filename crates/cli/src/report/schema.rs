//! The JSON schema of the output of all commands, derived from the types of the reports.

use crate::commands::reproduce::row::TableRow;
use crate::report;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The name of a definition in the schema, and the function that generates it.
type Definition = (&'static str, fn(&mut SchemaGenerator) -> Schema);

/// The definitions in `docs/output.schema.json`; `docs/json.md` says which command prints which.
const DEFINITIONS: &[Definition] = &[
    ("error", report::common::ErrorReport::json_schema),
    ("families", <Vec<report::networks::Family>>::json_schema),
    ("network", report::networks::NetworkReport::json_schema),
    ("engines", <Vec<report::engines::EngineReport>>::json_schema),
    ("bounds", report::bound::BoundsReport::json_schema),
    ("solution", <report::common::WithSchedule<report::solve::SolutionReport>>::json_schema),
    ("unsolved", report::solve::Unsolved::json_schema),
    ("timed-solution", report::timed::TimedReport::json_schema),
    ("front", report::pareto::FrontReport::json_schema),
    ("comparison", report::compare::AlgorithmComparison::json_schema),
    ("tuning", report::tune::TuningReport::json_schema),
    ("tdm", report::tdm::TdmReport::json_schema),
    ("throughput", report::throughput::ThroughputReport::json_schema),
    ("verdict", report::verify::Verdict::json_schema),
    ("refutation", report::verify::Refutation::json_schema),
    ("throughput-verdict", report::verify::ThroughputVerdict::json_schema),
    ("timed-verdict", report::verify::TimedFileVerdict::json_schema),
    ("tdm-verdict", report::tdm::TdmVerdictReport::json_schema),
    ("tdm-refutation", report::tdm::TdmRefutationReport::json_schema),
    ("folder-verdict", report::verify::FolderVerdict::json_schema),
    ("atlas-entries", <Vec<report::atlas::AtlasEntryReport>>::json_schema),
    ("atlas-entry", report::atlas::ShownEntry::json_schema),
    ("atlas-verdict", report::atlas::AtlasVerdict::json_schema),
    ("atlas-search", report::atlas::AtlasSearchReport::json_schema),
    ("atlas-addition", report::atlas::AtlasAddition::json_schema),
    ("atlas-pages", report::atlas::AtlasPages::json_schema),
    ("faults", report::faults::FaultsReport::json_schema),
    ("fault-limits", report::fault_limits::FaultLimitsReport::json_schema),
    ("repair", <report::common::WithSchedule<report::repair::Repair>>::json_schema),
    ("plan-repair", report::repair_plan::PlanRepair::json_schema),
    ("stored-repair", <report::common::WithSchedule<report::repair::StoredRepair>>::json_schema),
    ("unrepaired", report::repair::Unrepaired::json_schema),
    ("tdm-repair", report::tdm::TdmRepairReport::json_schema),
    ("timed-repair", report::timed::TimedRepairReport::json_schema),
    ("bench", <Vec<report::bench::BenchRow>>::json_schema),
    ("bench-throughput", <Vec<report::bench::ThroughputBenchRow>>::json_schema),
    ("bench-time", <Vec<report::bench::TimeBenchRow>>::json_schema),
    ("survey", report::survey::SurveyReport::json_schema),
    ("traffic-run", report::traffic::TrafficRun::json_schema),
    ("traffic-compare", report::traffic::TrafficCompare::json_schema),
    ("traffic-sweep", report::traffic::TrafficSweep::json_schema),
    ("deadlock", report::deadlock::DeadlockReport::json_schema),
    ("formats", <Vec<report::export::FormatReport>>::json_schema),
    ("exported", report::export::Exported::json_schema),
    ("plan", report::check_plan::PlanReport::json_schema),
    ("imported", report::import::Imported::json_schema),
    ("imported-network", report::import::ImportedNetwork::json_schema),
    ("tables", <Vec<report::reproduce::Listed>>::json_schema),
    ("reproduced", <Vec<report::reproduce::Reproduced<TableRow>>>::json_schema),
    ("drawn", report::draw::Drawn::json_schema),
    ("studio", report::studio::StudioReport::json_schema),
];

/// The JSON schema of the output of all commands.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    for (name, define) in DEFINITIONS {
        let schema = define(&mut generator);
        generator.definitions_mut().insert((*name).to_owned(), schema.into());
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "pavane/output/1",
        "title": "Output of pavane with --json, by command",
        "description": "json.md lists the definition of each command. Fields may be added; existing fields keep their meaning.",
        "$defs": generator.take_definitions(true),
    })
}
