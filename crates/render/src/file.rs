//! The schedule file, from checked schedules only.

use pavane_model::Bound;
use pavane_model::format::{self, PhaseView};
use pavane_verify::CheckedSchedule;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// Writes a schedule file of one phase, or of several with the name of the whole. `more` are
/// fields besides those that every file has, such as who made it.
pub fn write(
    name: &str,
    phases: &[(&CheckedSchedule, &Bound)],
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
    format::write(out, name, &views, more)
}
