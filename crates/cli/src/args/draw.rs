//! Arguments of `pavane draw`.

use super::headings::{INPUT, OUTPUT};
use super::problem::FaultArgs;
use super::values::{one_of, whole};
use clap::Args;
use pavane_model::{Label, problem};
use pavane_render::picture::Theme;
use std::ops::Range;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Draw a network:
    pavane draw torus:8x8 -o torus.svg
  Draw the steps and the channel use of a schedule:
    pavane draw schedule.json -o steps.svg
  Write an HTML page that plays a schedule and needs no server:
    pavane draw schedule.json -o play.html
  Let the messages move, in a picture for a README (.svg or .gif):
    pavane draw schedule.json --animate -o moving.svg
  Draw the slot table of a TDM schedule (.html plays one period):
    pavane draw tdm.json -o slots.svg";

/// `pavane draw`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct DrawArgs {
    /// Network (a name or a file), schedule file, throughput plan, timed or TDM schedule, or log of
    /// `pavane traffic run --log`
    #[arg(value_name = "NETWORK|SCHEDULE|PLAN|TDM|LOG")]
    pub what: String,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Output file; the extension .svg, .png, .gif or .html selects the format [default: SVG to
    /// standard output]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Colours; auto follows the preference of the reader (light in PNG files)
    #[arg(long, value_name = "THEME", default_value = "auto", value_parser = one_of(Theme::ALL), help_heading = OUTPUT)]
    pub theme: Theme,
    /// Animate a schedule or timed schedule: messages move along their paths, in an SVG or GIF file
    /// that plays in a README (a .gif is always animated)
    #[arg(long, help_heading = OUTPUT)]
    pub animate: bool,
    /// Draw only these steps of a schedule, such as 3 or 0-7 [default: the first 64, or fewer if these
    /// have more than 40000 channel uses, 20000 in an animation]
    #[arg(long, value_name = "A-B|A", value_parser = parse_steps, help_heading = OUTPUT)]
    pub steps: Option<Range<u32>>,
    /// Draw only the panels of the steps, or only the chart of channel use
    #[arg(long, value_name = "PART", value_parser = one_of(Part::ALL), help_heading = OUTPUT)]
    pub only: Option<Part>,
    /// Draw the trees or paths of one message of a throughput plan: by numbers, such as 3, or 0,5 for
    /// the message from 0 to 5 of an all-to-all, or by the names of its origin and destination, such
    /// as '0,0 1,2' in a mesh [default: the loads of all messages]
    #[arg(long, value_name = "A|A,B|'A B'", help_heading = OUTPUT)]
    pub message: Option<String>,
    /// Draw only this phase of the throughput plan of an all-reduce: 0 or 1 [default: both]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..), help_heading = OUTPUT)]
    pub phase: Option<usize>,
    /// Print the result as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Reject schedules and plans with more deliveries than this
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES, value_parser = whole::<u64>(0..), help_heading = INPUT)]
    pub max_deliveries: u64,
}

/// A part of the picture of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A panel for every step.
    Panels,
    /// The chart of channel use over time.
    Channels,
}

impl Part {
    const ALL: &'static [(&'static str, Self)] =
        &[("panels", Self::Panels), ("channels", Self::Channels)];
}

fn parse_steps(text: &str) -> Result<Range<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last && last < u32::MAX => Ok(first..last + 1),
        _ => Err("expected a step such as 3, or a range of steps such as 0-7".to_owned()),
    }
}

/// The label of a message: `3`, or `0,5`.
pub fn parse_message(text: &str) -> Result<Label, String> {
    let numbers: Option<Vec<u32>> =
        text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[one]) => Ok(Label::One(one)),
        Some(&[one, two]) => Ok(Label::Two(one, two)),
        _ => Err("expected a message such as 3, or 0,5 for the message from 0 to 5".to_owned()),
    }
}
