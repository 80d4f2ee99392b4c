//! `pavane`: the fewest steps in which a group of processors can talk.

use std::process::ExitCode;

fn main() -> ExitCode {
    pavane::main()
}
