//! Programs that get signals.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::process::Child;
use std::time::Duration;

/// Waits until a program handles SIGINT, which it ignores or dies of before. Elsewhere than on Linux
/// the 300 ms that follow have to do.
pub fn wait_for_handler(running: &mut Child) {
    /// The bit of SIGINT in the masks of `/proc`.
    const INTERRUPT: u64 = 1 << (2 - 1);
    let status = format!("/proc/{}/status", running.id());
    while let Ok(status) = std::fs::read_to_string(&status) {
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
        if caught & INTERRUPT > 0 || running.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
