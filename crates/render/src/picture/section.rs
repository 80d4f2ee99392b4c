//! A schedule to draw: its phases, and which of them share steps. Phases that follow each other are drawn one
//! by one; the phases of an all-reduce that overlap are drawn together, by the steps of the all-reduce.

use super::senders::{Colours, senders};
use pavane_model::whole::Whole;
use pavane_model::{Bound, Network, ProcessorId, Transfer, claims, words};
use pavane_verify::CheckedSchedule;
use std::ops::Range;

/// A schedule with its bound: a whole collective, or one phase of it.
pub type CheckedPhase<'a> = (&'a CheckedSchedule, &'a Bound);

/// A schedule to draw, of one or several phases.
#[derive(Debug, Clone)]
pub struct DrawnSchedule<'a> {
    /// The name of its collective.
    pub name: &'a str,
    /// The phases, each with its bound.
    pub phases: Vec<CheckedPhase<'a>>,
    /// For an all-reduce: when its broadcast starts, and its proved bound.
    pub whole: Whole,
}

impl<'a> DrawnSchedule<'a> {
    /// A schedule whose phases follow each other and have no common bound.
    pub fn new(name: &'a str, phases: Vec<CheckedPhase<'a>>) -> Self {
        Self { name, phases, whole: Whole::default() }
    }

    /// The parts that are drawn one after the other.
    pub fn sections(&self) -> Vec<Section<'a>> {
        let (mut sections, mut end): (Vec<Section<'a>>, u32) = (Vec::new(), 0);
        for (number, &(checked, bound)) in self.phases.iter().enumerate() {
            let start = self.whole.start.filter(|_| number == 1).unwrap_or(end).min(end);
            let layer = SectionPhase { checked, bound, start };
            match sections.last_mut() {
                Some(section) if start < end => section.phases.push(layer),
                _ => sections.push(Section { phases: vec![layer] }),
            }
            end = end.max(layer.end());
        }
        sections
    }

    /// Number of steps.
    pub fn step_count(&self) -> u32 {
        self.sections().last().map_or(0, |section| section.steps().end)
    }

    /// The proved bound: that of the only phase, or of the all-reduce.
    pub fn bound(&self) -> Option<u32> {
        match (&self.phases[..], &self.whole.bound) {
            ([(_, bound)], _) => Some(bound.steps),
            (_, bound) => bound.as_ref().map(|bound| bound.steps),
        }
    }

    /// The title: the collective and its network, and for an all-reduce with a bound its steps.
    pub fn title(&self) -> String {
        let Some((first, _)) = self.phases.first() else { return String::new() };
        let title = crate::title::title(self.name, first.problem().network());
        match self.steps_in_words() {
            Some(steps) => format!("{title}: {steps}"),
            None => title,
        }
    }

    /// The steps of an all-reduce and its bound, in words: `15 steps, bound 10`.
    fn steps_in_words(&self) -> Option<String> {
        let bound = self.bound().filter(|_| self.phases.len() > 1)?;
        let steps = self.step_count();
        Some(match steps.saturating_sub(bound) {
            0 => format!("{}, optimal", words::steps(steps)),
            _ => format!("{}, bound {bound}", words::steps(steps)),
        })
    }
}

/// Phases that are drawn together: one, or those of an all-reduce that overlap.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// The phases, by start.
    pub phases: Vec<SectionPhase<'a>>,
}

/// A phase and the number of steps before it.
#[derive(Debug, Clone, Copy)]
pub struct SectionPhase<'a> {
    /// The phase.
    pub checked: &'a CheckedSchedule,
    /// Its bound.
    pub bound: &'a Bound,
    /// The number of steps before it.
    pub start: u32,
}

impl<'a> SectionPhase<'a> {
    /// The step after its last one.
    pub fn end(&self) -> u32 {
        self.start + self.checked.schedule().step_count()
    }

    /// The name of its collective.
    pub fn name(&self) -> String {
        claims::collective_in_words(self.checked.problem())
    }

    /// The phase of an all-reduce whose phases overlap, in words: `all-gather: 11 steps, from step 4`.
    pub fn in_words(&self) -> String {
        let steps = words::steps(self.end() - self.start);
        format!("{}: {steps}, from step {}", self.name(), self.start)
    }

    /// The transfers of a step of the schedule; none before and after the phase.
    pub fn step(&self, step: u32) -> impl Iterator<Item = Transfer<'a>> + use<'a> {
        let own = (self.start..self.end()).contains(&step).then(|| step - self.start);
        let schedule = self.checked.schedule();
        own.into_iter().flat_map(|step| schedule.step(step))
    }

    /// The transfers of a step, each with the processor that determines its colour.
    pub fn coloured(
        &self,
        step: u32,
    ) -> impl Iterator<Item = (ProcessorId, Transfer<'a>)> + use<'a> {
        let sender = senders(self.checked.problem());
        self.step(step).map(move |transfer| (sender(&transfer), transfer))
    }
}

impl<'a> Section<'a> {
    /// Its steps.
    pub fn steps(&self) -> Range<u32> {
        let start = self.phases.first().map_or(0, |phase| phase.start);
        start..self.phases.iter().map(SectionPhase::end).max().unwrap_or(start)
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.phases[0].checked.problem().network()
    }

    /// Whether several phases share its steps.
    pub fn is_overlapping(&self) -> bool {
        self.phases.len() > 1
    }

    /// The last phase, to which the marks of processors refer.
    pub fn last(&self) -> &SectionPhase<'a> {
        &self.phases[self.phases.len() - 1]
    }

    /// The numbers of transfers and of channel uses in a step.
    pub fn uses(&self, step: u32) -> (usize, usize) {
        let all = self.phases.iter().flat_map(|phase| phase.step(step));
        all.fold((0, 0), |(count, uses), transfer| (count + 1, uses + transfer.path.len()))
    }

    /// The colours of its senders and origins.
    pub fn colours(&self) -> Colours {
        Colours::of(self.phases.iter().map(|phase| phase.checked))
    }

    /// The word for the processor that determines a colour.
    pub fn word(&self) -> &'static str {
        let mut words =
            self.phases.iter().map(|phase| super::senders::word(phase.checked.problem()));
        let first = words.next().unwrap_or("sender");
        if words.all(|other| other == first) { first } else { "sender or origin" }
    }

    /// The names of the phases that are under way in a step.
    pub fn names(&self, step: u32) -> String {
        let now = self.phases.iter().filter(|phase| (phase.start..phase.end()).contains(&step));
        now.map(SectionPhase::name).collect::<Vec<_>>().join(" and ")
    }
}

/// The requested steps within those of a section.
pub(super) fn clipped(wanted: &Range<u32>, section: Range<u32>) -> Range<u32> {
    let start = wanted.start.clamp(section.start, section.end);
    start..wanted.end.clamp(start, section.end)
}
