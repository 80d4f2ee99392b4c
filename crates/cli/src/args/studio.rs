//! Arguments of `pavane studio`.

use super::headings::{OUTPUT, SEARCH, SERVER};
use super::values::{parse_threads, parse_time};
use clap::Args;
use std::net::IpAddr;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Start the studio and open it in a browser:
    pavane studio
  Print the address and wait for connections:
    pavane studio --no-open --port 8080

The address contains a random token; requests without it are rejected. Ctrl-C
ends the studio.";

/// `pavane studio`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct StudioArgs {
    /// Do not open a browser
    #[arg(long, help_heading = SERVER)]
    pub no_open: bool,
    /// Port; 0 selects a free one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_port, help_heading = SERVER)]
    pub port: u16,
    /// Address to listen on. With an address other than a loopback address, other computers can use
    /// the studio if they know the token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", help_heading = SERVER)]
    pub bind: IpAddr,
    /// Time limit for one job
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Number of jobs that run at the same time; others wait
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = parse_threads, help_heading = SEARCH)]
    pub jobs: usize,
    /// Print the address as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

fn parse_port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "expected a port, a number from 0 (any free one) to 65535".to_owned())
}
