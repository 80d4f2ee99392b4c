//! The JSON output of every command: one file per command with the types that it prints. Their
//! documentation and the derived schemas become `docs/output.schema.json` (`pavane schema output`).
//!
//! Fields may be added. Existing fields keep their names, their meaning and their presence.

pub mod atlas;
pub mod bench;
pub mod bound;
pub mod check_plan;
pub mod common;
pub mod compare;
pub mod deadlock;
pub mod draw;
pub mod engines;
pub mod export;
pub mod fault_limits;
pub mod faults;
pub mod import;
pub mod networks;
pub mod pareto;
pub mod repair;
pub mod repair_plan;
pub mod reproduce;
pub mod solve;
pub mod studio;
pub mod survey;
pub mod tdm;
pub mod throughput;
pub mod timed;
pub mod traffic;
pub mod tune;
pub mod verify;

use crate::commands::reproduce::row::TableRow;
use common::WithSchedule;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The name of a definition in the schema, and the function that generates it.
type Definition = (&'static str, fn(&mut SchemaGenerator) -> Schema);

/// The definitions in `docs/output.schema.json`; `docs/json.md` says which command prints which.
const DEFINITIONS: &[Definition] = &[
    ("error", common::ErrorReport::json_schema),
    ("families", <Vec<networks::Family>>::json_schema),
    ("network", networks::NetworkReport::json_schema),
    ("engines", <Vec<engines::EngineReport>>::json_schema),
    ("bounds", bound::BoundsReport::json_schema),
    ("solution", <WithSchedule<solve::SolutionReport>>::json_schema),
    ("unsolved", solve::Unsolved::json_schema),
    ("timed-solution", timed::TimedReport::json_schema),
    ("front", pareto::FrontReport::json_schema),
    ("comparison", compare::AlgorithmComparison::json_schema),
    ("tuning", tune::TuningReport::json_schema),
    ("tdm", tdm::TdmReport::json_schema),
    ("throughput", throughput::ThroughputReport::json_schema),
    ("verdict", verify::Verdict::json_schema),
    ("refutation", verify::Refutation::json_schema),
    ("throughput-verdict", verify::ThroughputVerdict::json_schema),
    ("timed-verdict", verify::TimedFileVerdict::json_schema),
    ("tdm-verdict", tdm::TdmVerdictReport::json_schema),
    ("tdm-refutation", tdm::TdmRefutationReport::json_schema),
    ("folder-verdict", verify::FolderVerdict::json_schema),
    ("atlas-entries", <Vec<atlas::AtlasEntryReport>>::json_schema),
    ("atlas-entry", atlas::ShownEntry::json_schema),
    ("atlas-verdict", atlas::AtlasVerdict::json_schema),
    ("atlas-search", atlas::AtlasSearchReport::json_schema),
    ("atlas-addition", atlas::AtlasAddition::json_schema),
    ("atlas-pages", atlas::AtlasPages::json_schema),
    ("faults", faults::FaultsReport::json_schema),
    ("fault-limits", fault_limits::FaultLimitsReport::json_schema),
    ("repair", <WithSchedule<repair::Repair>>::json_schema),
    ("plan-repair", repair_plan::PlanRepair::json_schema),
    ("stored-repair", <WithSchedule<repair::StoredRepair>>::json_schema),
    ("unrepaired", repair::Unrepaired::json_schema),
    ("tdm-repair", tdm::TdmRepairReport::json_schema),
    ("timed-repair", timed::TimedRepairReport::json_schema),
    ("bench", <Vec<bench::BenchRow>>::json_schema),
    ("bench-throughput", <Vec<bench::ThroughputBenchRow>>::json_schema),
    ("bench-time", <Vec<bench::TimeBenchRow>>::json_schema),
    ("survey", survey::SurveyReport::json_schema),
    ("traffic-run", traffic::TrafficRun::json_schema),
    ("traffic-compare", traffic::TrafficCompare::json_schema),
    ("traffic-sweep", traffic::TrafficSweep::json_schema),
    ("deadlock", deadlock::DeadlockReport::json_schema),
    ("formats", <Vec<export::FormatReport>>::json_schema),
    ("exported", export::Exported::json_schema),
    ("plan", check_plan::PlanReport::json_schema),
    ("imported", import::Imported::json_schema),
    ("imported-network", import::ImportedNetwork::json_schema),
    ("tables", <Vec<reproduce::Listed>>::json_schema),
    ("reproduced", <Vec<reproduce::Reproduced<TableRow>>>::json_schema),
    ("drawn", draw::Drawn::json_schema),
    ("studio", studio::StudioReport::json_schema),
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
