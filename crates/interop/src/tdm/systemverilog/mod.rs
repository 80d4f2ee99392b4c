//! SystemVerilog: a network with a schedule ROM for every router and every network interface, and a test
//! bench that sends words through it and checks where and when they arrive. A slot is a clock cycle. A
//! router has a crossbar, which its ROM sets in the slot in which a phit is on the input, and `depth`
//! register stages. The test bench gets its expectations from the list of words, not from the ROMs.

mod design;

use super::unsuitable;
use crate::export::{ExportError, File};
use pavane_model::TdmSchedule;
use pavane_verify::CheckedTdm;
use std::fmt::Write;

const NAME: &str = "systemverilog";

const TEST_BENCH: &str = include_str!("test_bench.sv");

/// Periods in which the test bench sends.
const PERIODS: u32 = 3;

/// Maximum number of ROM entries, and of register stages of a router.
const MOST_ENTRIES: u64 = 1 << 20;
const MOST_STAGES: u32 = 64;

pub(super) fn write(checked: &CheckedTdm) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let rules = schedule.problem.rules();
    let network = schedule.problem.network();
    let entries = (network.router_count() + network.processor_count()) as u64;
    let entries = entries * u64::from(schedule.period);
    if entries > MOST_ENTRIES {
        return Err(ExportError::TooLarge {
            format: NAME,
            problem: format!("{entries} ROM entries exceed the maximum of {MOST_ENTRIES}"),
            remedy: "export a smaller schedule",
        });
    }
    if rules.depth > MOST_STAGES {
        let problem = format!("a router with {} register stages", rules.depth);
        return Err(unsuitable(NAME, problem, "use a depth of at most 64"));
    }
    let file =
        |suffix: &str, text: String| File { suffix: suffix.into(), bytes: text.into_bytes() };
    Ok(vec![file(".sv", design::text(schedule)), file(".test.sv", test_bench(schedule))])
}

fn test_bench(schedule: &TdmSchedule) -> String {
    let rules = schedule.problem.rules();
    let processors = schedule.problem.network().processor_count();
    let mut list = String::new();
    let mut longest = 0;
    for word in &schedule.words {
        let way = u64::from(rules.depth) * (word.path.len() as u64 + 1);
        longest = longest.max(way);
        let separator = if list.is_empty() { "" } else { ",\n" };
        // Writing to a string cannot fail.
        let _ = write!(
            list,
            "{separator}        '{{{}, {}, {}, {way}}}",
            word.from, word.to, word.start
        );
    }
    let numbers = [
        ("@PERIOD@", schedule.period.to_string()),
        ("@PERIODS@", PERIODS.to_string()),
        ("@PROCESSORS@", processors.to_string()),
        ("@PHITS@", rules.phits.to_string()),
        ("@WORDS@", schedule.words.len().to_string()),
        ("@LONGEST@", longest.to_string()),
        ("@SLOT@", design::bits(u64::from(schedule.period)).to_string()),
        ("@NUMBER@", design::bits(processors as u64).to_string()),
        ("@LIST@", list),
    ];
    let text = numbers
        .iter()
        .fold(TEST_BENCH.to_owned(), |text, (place, value)| text.replace(place, value));
    design::heading(schedule) + &text
}
