//! One file per subcommand.

pub mod bench;
pub mod bound;
pub mod completions;
pub mod engines;
pub mod networks;
pub mod proof;
pub mod reproduce;
pub mod solve;
pub mod verify;
