//! Checked schedules with steps as timed schedules without times.

use pavane_model::Problem;
use pavane_model::timed::{self, BufferSize, StepsError, TimedSchedule};
use pavane_verify::CheckedSchedule;

/// The sends of a schedule with steps in their order, on the network of `phases`, which has bandwidths
/// and latencies. `phases` are the problems with whole messages.
pub fn from_steps(
    name: &str,
    phases: &[Problem],
    schedules: &[&CheckedSchedule],
    size: &BufferSize,
) -> Result<TimedSchedule, StepsError> {
    let schedules: Vec<_> = schedules.iter().map(|it| (it.problem(), it.schedule())).collect();
    timed::from_steps(name, phases, &schedules, size)
}
