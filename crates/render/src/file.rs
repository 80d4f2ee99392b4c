//! Writes schedule files, from checked schedules only.

use pavane_model::Bound;
use pavane_model::format::{self, PhaseView};
use pavane_model::whole::Whole;
use pavane_verify::CheckedSchedule;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// Writes a schedule file with one or more phases; `name` is the name of the whole collective.
/// `whole` is what there is to say about the phases of an all-reduce together. `more` contains additional fields, such as what generated the file.
pub fn write(
    name: &str,
    phases: &[(&CheckedSchedule, &Bound)],
    whole: &Whole,
    more: &Map<String, Value>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let views: Vec<PhaseView<'_>> = phases
        .iter()
        .map(|(checked, bound)| PhaseView {
            problem: checked.problem(),
            bound: Some(bound),
            schedule: checked.schedule(),
        })
        .collect();
    format::write_whole(out, name, &views, whole, more)
}
