//! One step of a schedule on its network: paths are coloured by sender, and processors are marked
//! as in the first figure of the fault paper: possible distributors yellow, newly informed ones
//! green.

use super::arrow::with_tip;
use super::curve::segments;
use super::ink::Ink;
use super::map::Map;
use super::nodes;
use super::scene::{Item, Style, add_path};
use super::section::Section;
use super::senders::Colours;
use pavane_model::{MessageId, Problem, ProcessorId, Transfer};
use pavane_verify::CheckedSchedule;

/// A step with more channel uses shows the paths of one sender in colour; the others are pale, because so many lines
/// cannot be told apart.
const MOST_COLOURED: usize = 1200;

/// The only sender whose paths have a colour in a step; `None` if all have theirs.
pub fn only_coloured(section: &Section<'_>, step: u32) -> Option<ProcessorId> {
    let (_, uses) = section.uses(step);
    let coloured = section.phases.iter().flat_map(|phase| phase.coloured(step));
    if uses > MOST_COLOURED { coloured.map(|(sender, _)| sender).min() } else { None }
}

/// The meaning of yellow and green, which depends on the collective.
pub fn legend(problem: &Problem) -> (&'static str, &'static str) {
    match (problem.is_backward(), problem.messages().len()) {
        (true, _) => ("has sent everything", "receives in this step"),
        (false, 1) => ("holds the message", "newly informed"),
        (false, _) => ("has all its messages", "receives in this step"),
    }
}

/// The marked processors of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// By processor: whether it is yellow.
    pub is_holder: Vec<bool>,
    /// By processor: whether it is green.
    pub is_new: Vec<bool>,
}

impl Marks {
    /// The colour of a processor.
    pub fn ink(&self, processor: ProcessorId) -> Ink {
        match (self.is_new[processor.index()], self.is_holder[processor.index()]) {
            (true, _) => Ink::New,
            (false, true) => Ink::Holder,
            (false, false) => Ink::Paper,
        }
    }
}

/// The marks of every step.
pub fn marks(checked: &CheckedSchedule) -> Vec<Marks> {
    let (problem, schedule) = (checked.problem(), checked.schedule());
    let messages = problem.messages();
    let processors = problem.network().processor_count();
    // How much a processor still has to receive or, in a backward collective, to send.
    let mut open = vec![0usize; processors];
    let mut takes_part = vec![false; processors];
    let all = (0..schedule.step_count()).flat_map(|step| schedule.step(step));
    if problem.is_backward() {
        all.for_each(|transfer| open[transfer.from.index()] += 1)
    } else {
        for message in messages.ids() {
            for to in messages.destinations(message) {
                open[to.index()] += 1;
            }
        }
    }
    open.iter().zip(&mut takes_part).for_each(|(&open, takes)| *takes = open > 0);
    if messages.len() == 1 && !problem.is_backward() {
        takes_part[messages.origin(MessageId(0)).index()] = true;
    }
    let mut marks = Vec::new();
    for step in 0..schedule.step_count() {
        let is_holder = open.iter().zip(&takes_part).map(|(&open, &takes)| takes && open == 0);
        let is_holder = is_holder.collect();
        let mut is_new = vec![false; processors];
        for transfer in schedule.step(step) {
            is_new[transfer.to.index()] = true;
            if problem.is_backward() {
                open[transfer.from.index()] -= 1;
            } else if messages.destinations(transfer.message).contains(&transfer.to) {
                open[transfer.to.index()] -= 1;
            } else {
                takes_part[transfer.to.index()] |= messages.len() == 1;
            }
        }
        marks.push(Marks { is_holder, is_new });
    }
    marks
}

/// The marks of every step of a section. Where phases overlap, holders are those of the last phase.
pub fn section_marks(section: &Section<'_>) -> Vec<Marks> {
    let [only] = &section.phases[..] else {
        let each: Vec<Vec<Marks>> =
            section.phases.iter().map(|phase| marks(phase.checked)).collect();
        let processors = section.network().processor_count();
        let of_step = |step: u32| {
            let (mut is_holder, mut is_new) = (vec![false; processors], vec![false; processors]);
            for (phase, marks) in section.phases.iter().zip(&each) {
                let own = step.checked_sub(phase.start).and_then(|own| marks.get(own as usize));
                let Some(own) = own else { continue };
                is_holder.clone_from(&own.is_holder);
                is_new.iter_mut().zip(&own.is_new).for_each(|(all, own)| *all |= own);
            }
            // What the first phase has sent is not what the last one has received.
            if step < section.last().start {
                is_holder.fill(false);
            }
            Marks { is_holder, is_new }
        };
        return section.steps().map(of_step).collect();
    };
    marks(only.checked)
}

/// How the paths of a phase of a section are drawn: those of the first phase solid, of others dashed.
pub fn path_style(phase: usize, ink: Ink, width: f64) -> Style {
    Style { is_dashed: phase > 0, ..Style::line(ink, width) }
}

/// The paths and nodes of a step; links and labels are the same in every step.
pub fn items(
    section: &Section<'_>,
    step: u32,
    map: &Map,
    marks: &Marks,
    colours: &Colours,
) -> Vec<Item> {
    let width = if map.labels.is_empty() { 1.2 } else { 2.2 };
    let numbered = section.phases.iter().enumerate();
    let mut transfers: Vec<(usize, ProcessorId, Transfer<'_>)> = numbered
        .flat_map(|(number, phase)| phase.coloured(step).map(move |(by, one)| (number, by, one)))
        .collect();
    let only = only_coloured(section, step);
    let is_pale = |by: ProcessorId| only.is_some_and(|only| by != only);
    // Paths of one colour become one path of the picture; pale ones are below the others.
    transfers.sort_by_key(|&(number, by, _)| (!is_pale(by), colours.ink(by), number));
    let (mut lines, mut tips) = (Vec::new(), Vec::new());
    for &(number, by, transfer) in &transfers {
        if is_pale(by) {
            for channel in transfer.path {
                let curve = segments(&map.channels[channel.index()]);
                add_path(&mut lines, &curve, path_style(number, Ink::Line, 0.5));
            }
            continue;
        }
        let ink = colours.ink(by);
        for (at, channel) in transfer.path.iter().enumerate() {
            let curve = &map.channels[channel.index()];
            if at + 1 < transfer.path.len() || map.labels.is_empty() {
                add_path(&mut lines, &segments(curve), path_style(number, ink, width));
                continue;
            }
            let (curve, tip) = with_tip(curve);
            add_path(&mut lines, &segments(&curve), path_style(number, ink, width));
            add_path(&mut tips, &tip, Style::area(ink));
        }
    }
    lines.extend(tips);
    lines.extend(nodes::nodes(section.network(), map, |processor| marks.ink(processor)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::format::read_file;
    use pavane_verify::verify;
    use std::path::Path;

    fn marked(name: &str) -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/valid");
        let phase = read_file(&folder.join(name), 1000).unwrap().remove(0);
        let checked = verify(phase.problem, phase.schedule).unwrap();
        let letter = |ink| match ink {
            Ink::Holder => 'y',
            Ink::New => 'g',
            _ => '.',
        };
        let all = 0..checked.problem().network().processor_count() as u32;
        let line = |marks: &Marks| all.clone().map(|p| letter(marks.ink(ProcessorId(p)))).collect();
        marks(&checked).iter().map(line).collect()
    }

    #[test]
    fn distributors_are_yellow_and_newly_informed_ones_green() {
        assert_eq!(marked("broadcast-ring4.json"), ["yg.g", "yygy"]);
        assert_eq!(marked("reduce-star5.json").len(), 2);
        assert!(marked("octagon-aas-table4.json")[0].chars().all(|mark| mark == 'g'));
    }
}
