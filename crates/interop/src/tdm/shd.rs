//! The schedule files of S4NoC: one line per word of a processor, `n`, `e`, `s` or `w` for every hop,
//! after as many spaces as its start slot. All processors follow the same lines, relative to their own
//! place on a square torus. A line ends in a carriage return, whose column is that of the ejection.
//!
//! A letter sets a crossbar, and Pavane counts the slot in which the word is on the channel behind it:
//! the table of S4NoC has one column less than the period.

use super::grid::{Grid, Side, only_resident};
use super::unsuitable;
use crate::export::{ExportError, File, one_file};
use pavane_model::TdmSchedule;
use pavane_model::tdm::Word;
use pavane_verify::CheckedTdm;
use std::collections::BTreeMap;

const NAME: &str = "shd";

/// Start and sides of a word.
type Line = (u32, Vec<Side>);

pub(super) fn write(checked: &CheckedTdm) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    check_rules(schedule)?;
    let grid = torus(schedule)?;
    let network = schedule.problem.network();
    let sides = grid.sides(network).unwrap_or_default();
    let line = |word: &Word| -> Line {
        (word.start, word.path.iter().map(|channel| sides[channel.index()]).collect())
    };
    let mut lines: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    for word in &schedule.words {
        lines.entry(word.from.0).or_default().push(line(word));
    }
    lines.values_mut().for_each(|lines| lines.sort());
    let first = lines.get(&0).cloned().unwrap_or_default();
    let processors = network.processor_count() as u32;
    if let Some(other) = (0..processors).find(|other| lines.get(other) != Some(&first)) {
        return Err(unsuitable(
            NAME,
            format!(
                "processor {other} does not send as processor 0 does, but the routers of S4NoC share \
                 one table"
            ),
            "search with another seed: it decides which symmetry of the torus a schedule has",
        ));
    }
    let mut text = String::new();
    for (start, sides) in first {
        text.extend(std::iter::repeat_n(' ', start as usize));
        text.extend(sides.into_iter().map(|side| side.letter().to_ascii_lowercase()));
        text += "\r\n";
    }
    Ok(one_file(text))
}

fn check_rules(schedule: &TdmSchedule) -> Result<(), ExportError> {
    let rules = schedule.problem.rules();
    if rules.wraps {
        return Err(unsuitable(
            NAME,
            "words of this schedule may be under way when the next period begins",
            "search for a schedule without wrap",
        ));
    }
    if (rules.depth, rules.phits) != (1, 1) {
        return Err(unsuitable(
            NAME,
            format!("the depth is {} and a word has {} phits", rules.depth, rules.phits),
            "S4NoC has depth 1 and words of one phit",
        ));
    }
    Ok(())
}

fn torus(schedule: &TdmSchedule) -> Result<Grid, ExportError> {
    let network = schedule.problem.network();
    let is_torus = |grid: &Grid| {
        let is_square = grid.width == grid.height && grid.width > 2;
        let has_sides = is_square && grid.sides(network).is_some();
        let is_whole = network.routers().all(|router| {
            network.out_channels(router).len() == 4 && only_resident(network, router).is_some()
        });
        has_sides && is_whole && network.processor_count() == network.router_count()
    };
    Grid::of(network).filter(is_torus).ok_or_else(|| {
        let name = network.name();
        unsuitable(
            NAME,
            format!("{name} is not a bidirectional torus with as many rows as columns"),
            "use torus:NxN with N from 3 on, without faults",
        )
    })
}
