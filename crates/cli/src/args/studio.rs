//! What the user may type about the studio: `pavane studio`.

use super::values::{parse_threads, parse_time};
use clap::Args;
use std::net::IpAddr;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  pavane studio                       opens a browser; everything stays on this machine
  pavane studio --no-open --port 8080 prints the address and waits

The address has a random token in it: whoever does not know it gets nothing. Ctrl-C ends the studio.";

/// `pavane studio`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct StudioArgs {
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// The address to listen at. Anything but a loopback address lets others on the network in who know
    /// the token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// The most time for one job
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub time: Duration,
    /// Jobs that run at the same time; others wait
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = parse_threads)]
    pub jobs: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
