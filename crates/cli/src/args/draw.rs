//! What the user may type about pictures: `pavane draw`.

use super::problem::FaultArgs;
use super::values::one_of;
use clap::Args;
use pavane_model::problem;
use pavane_render::picture::Theme;
use std::ops::Range;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pavane draw torus:8x8 -o torus.svg                  a network, laid out as what it is
  pavane draw cluster.dot -o cluster.png              from a file; positions in it are kept
  pavane draw schedule.json -o steps.svg              a panel for every step, and who uses which channel when
  pavane draw schedule.json -o steps.svg --only panels --steps 0-3
  pavane draw schedule.json -o play.html              a page that plays it; works from a disk
  pavane draw log.csv -o gantt.svg                    a log of `pavane traffic run --log` as a Gantt chart";

/// `pavane draw`
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct DrawArgs {
    /// A network (a name or a file), a schedule file, or a traffic log
    #[arg(value_name = "NETWORK|SCHEDULE|LOG")]
    pub what: String,
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Where to: the ending .svg, .png or .html says how [default: SVG to standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Light paper, dark paper, or what the reader prefers (in PNG: light)
    #[arg(long, value_name = "auto|light|dark", default_value = "auto", value_parser = one_of(Theme::ALL))]
    pub theme: Theme,
    /// Of a schedule, the panels of these steps only [default: the first 64]
    #[arg(long, value_name = "A-B|A", value_parser = parse_steps)]
    pub steps: Option<Range<u32>>,
    /// Of a schedule, the panels of its steps or the chart of its channels only
    #[arg(long, value_name = "panels|channels", value_parser = one_of(Part::ALL))]
    pub only: Option<Part>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The most deliveries that are handled
    #[arg(long, value_name = "N", default_value_t = problem::DELIVERIES)]
    pub max_deliveries: u64,
}

/// A part of the picture of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A panel for every step.
    Panels,
    /// Who uses which channel when.
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
        _ => Err("write a step such as `3`, or steps such as `0-7`".to_owned()),
    }
}
