//! Arguments of `pavane bench survey`.

use super::headings::{INPUT, OUTPUT, SEARCH};
use super::values::{parse_threads, parse_time, whole};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Solve all problems of the survey, and compare with the stored results:
    pavane bench survey -o results.csv
  Solve the problems whose line contains both words, two at once:
    pavane bench survey torus: all-gather --jobs 2 --time 2s
  Solve the problems of a file, and keep the results for a later run:
    pavane bench survey --file problems.txt --resume rows.csv
  Compare with the results of another run:
    pavane bench survey hypercube:4 --compare results.csv";

/// `pavane bench survey`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SurveyArgs {
    /// Solve only problems whose line contains all of these words, such as hypercube:5 all-gather
    #[arg(value_name = "WORD")]
    pub filter: Vec<String>,
    /// Solve the problems of this file: a line for each with the arguments of `pavane solve`, or blocks
    /// of `networks:` and `rules:` to combine; # starts a comment [default: corpus/survey.txt]
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub file: Option<PathBuf>,
    /// Compare with the results in this file, written by -o [default: corpus/survey.csv]
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub compare: Option<PathBuf>,
    /// Time limit for one problem
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_time, allow_hyphen_values = true, help_heading = SEARCH)]
    pub time: Duration,
    /// Number of problems to solve at once, each on one thread [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = SEARCH)]
    pub jobs: Option<usize>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..), help_heading = SEARCH)]
    pub seed: u64,
    /// Keep results in this file, and reuse those of an earlier run with the same --seed and --time
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub resume: Option<PathBuf>,
    /// Write the results to this file as comma-separated values
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// List at most this many problems above the bound
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole::<usize>(0..), help_heading = OUTPUT)]
    pub worst: usize,
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
