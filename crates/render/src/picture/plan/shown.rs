//! Which trees or paths of a plan are drawn.

use pavane_model::Label;
use pavane_model::throughput::{PlanPhase, ThroughputPlan};

/// Which trees or paths are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShownRoutes {
    /// Only those of one phase, counted from 0.
    pub phase: Option<usize>,
    /// Only those of one message, each in a panel of its own; otherwise all of them together, as loads
    /// of channels. A phase without the message has no panels.
    pub message: Option<Label>,
}

/// A phase or a message that a plan does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSuchRoutes {
    /// No such phase, in a plan with one.
    #[error("there is no phase {phase}: only plans of an all-reduce have several")]
    OnePhase {
        /// The phase.
        phase: usize,
    },
    /// No such phase.
    #[error("there is no phase {phase} (valid: 0 to {last})")]
    Phase {
        /// The phase.
        phase: usize,
        /// The last one.
        last: usize,
    },
    /// No such message.
    #[error("there is no message {label}; {known}")]
    Message {
        /// The label of the message.
        label: String,
        /// Which messages there are, in words.
        known: String,
    },
}

impl ShownRoutes {
    /// The routes of a phase and a message of a plan. The message must be in this phase, or in the first
    /// one if no phase is given.
    pub fn of(
        plan: &ThroughputPlan,
        phase: Option<usize>,
        message: Option<Label>,
    ) -> Result<Self, NoSuchRoutes> {
        let last = plan.phases.len() - 1;
        match phase {
            Some(phase) if phase > last && last == 0 => {
                return Err(NoSuchRoutes::OnePhase { phase });
            }
            Some(phase) if phase > last => return Err(NoSuchRoutes::Phase { phase, last }),
            _ => {}
        }
        let of_phase = &plan.phases[phase.unwrap_or(0)];
        let problem = &of_phase.problem;
        let has = |label| problem.messages().ids().any(|message| problem.label(message) == label);
        match message {
            Some(label) if !has(label) => {
                Err(NoSuchRoutes::Message { label: typed(label), known: known(of_phase) })
            }
            _ => Ok(Self { phase, message }),
        }
    }
}

/// A label as users type it.
fn typed(label: Label) -> String {
    match label {
        Label::One(one) => one.to_string(),
        Label::Two(one, two) => format!("{one},{two}"),
    }
}

/// Which messages there are.
fn known(phase: &PlanPhase) -> String {
    let problem = &phase.problem;
    let mut ids = problem.messages().ids();
    let Some(first) = ids.next() else { return "the plan has no message".to_owned() };
    let first = typed(problem.label(first));
    match ids.next_back() {
        None => format!("the only message is {first}"),
        Some(last) => {
            format!(
                "the {} messages are {first} to {}",
                problem.messages().len(),
                typed(problem.label(last))
            )
        }
    }
}
