//! The processor that determines a transfer's colour, and the assignment of colours. There are few
//! colours, so they are assigned in the order in which senders begin: senders that begin together
//! get different colours, whatever their numbers.

use super::ink::Ink;
use pavane_model::{MessageId, Problem, ProcessorId, Transfer};
use pavane_verify::CheckedSchedule;

/// The processor that determines a transfer's colour: the origin of its message. If all messages
/// have the same origin, or in a backward collective, it is the sender of the transfer.
pub fn senders(problem: &Problem) -> impl Fn(&Transfer<'_>) -> ProcessorId + '_ {
    let messages = problem.messages();
    let is_by_origin = is_by_origin(problem);
    move |transfer| if is_by_origin { messages.origin(transfer.message) } else { transfer.from }
}

/// Whether the origin of its message determines a transfer's colour.
fn is_by_origin(problem: &Problem) -> bool {
    let messages = problem.messages();
    let first = messages.origin(MessageId(0));
    !problem.is_backward() && messages.ids().any(|message| messages.origin(message) != first)
}

/// The word for the processor that determines a transfer's colour.
pub fn word(problem: &Problem) -> &'static str {
    if is_by_origin(problem) { "origin" } else { "sender" }
}

/// The colours of the senders of a schedule, or of several phases.
#[derive(Debug, Clone)]
pub struct Colours {
    /// By processor: its index in `order`.
    numbers: Vec<Option<u32>>,
    /// The senders, in the order in which they begin.
    order: Vec<ProcessorId>,
}

impl Colours {
    /// The colours for all phases together.
    pub fn of<'a>(phases: impl IntoIterator<Item = &'a CheckedSchedule>) -> Self {
        let mut colours = Self { numbers: Vec::new(), order: Vec::new() };
        for checked in phases {
            let (problem, schedule) = (checked.problem(), checked.schedule());
            let processors = problem.network().processor_count();
            colours.numbers.resize(processors.max(colours.numbers.len()), None);
            let sender = senders(problem);
            for step in 0..schedule.step_count() {
                let mut together: Vec<ProcessorId> =
                    schedule.step(step).map(|transfer| sender(&transfer)).collect();
                together.sort_unstable();
                together.dedup();
                together.into_iter().for_each(|sender| colours.begin(sender));
            }
        }
        colours
    }

    fn begin(&mut self, sender: ProcessorId) {
        let number = &mut self.numbers[sender.index()];
        if number.is_none() {
            *number = Some(self.order.len() as u32);
            self.order.push(sender);
        }
    }

    /// The senders, in the order in which they begin.
    pub fn order(&self) -> &[ProcessorId] {
        &self.order
    }

    /// The colour of a sender.
    pub fn ink(&self, sender: ProcessorId) -> Ink {
        let number = self.numbers.get(sender.index()).copied().flatten();
        Ink::Sender(number.unwrap_or(sender.0)).folded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::format::read_file;
    use pavane_verify::verify;
    use std::path::Path;

    #[test]
    fn colours_follow_the_order_in_which_senders_begin() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/valid");
        for (name, order) in [
            ("broadcast-ring4.json", &[0, 1][..]),
            ("octagon-aas-table4.json", &[0, 1, 2, 3, 4, 5, 6, 7]),
        ] {
            let phase = read_file(&folder.join(name), 1000).unwrap().remove(0);
            let checked = verify(phase.problem, phase.schedule).unwrap();
            let colours = Colours::of([&checked]);
            let found: Vec<u32> = colours.order().iter().map(|sender| sender.0).collect();
            assert_eq!(found, order, "{name}");
            for (at, &sender) in (0..).zip(colours.order()) {
                assert_eq!(colours.ink(sender), Ink::Sender(at));
            }
        }
    }
}
