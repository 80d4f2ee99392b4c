//! One file per subcommand.

pub mod bench;
pub mod bound;
pub mod check_plan;
pub mod completions;
pub mod deadlock;
pub mod draw;
pub mod engines;
pub mod export;
pub mod faults;
pub mod import;
pub mod interrupt;
pub mod man;
pub mod networks;
pub mod proof;
pub mod repair;
mod repair_plan;
pub mod reproduce;
pub mod schema;
pub mod search_request;
pub mod solve;
pub mod stored;
pub mod studio;
pub mod throughput;
pub mod traffic;
pub mod verify;
pub mod verify_folder;
mod verify_throughput;
