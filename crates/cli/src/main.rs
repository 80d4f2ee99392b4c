//! `pavane`: computes collective-communication schedules with the fewest steps.

use std::process::ExitCode;

fn main() -> ExitCode {
    pavane::main()
}
