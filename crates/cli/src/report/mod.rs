//! The JSON output of every command: one file per command with the types that it prints. Their
//! documentation and the derived schemas become `docs/output.schema.json`.
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
#[cfg(feature = "schema")]
pub mod schema;
pub mod solve;
pub mod studio;
pub mod survey;
pub mod tdm;
pub mod throughput;
pub mod timed;
pub mod traffic;
pub mod tune;
pub mod verify;
