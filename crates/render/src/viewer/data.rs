//! The data of a schedule for the player: positions, paths, marks, and the facts above them.

use crate::picture::Map;
use crate::picture::bandwidth::{self, Widths};
use crate::picture::curve::{Curve, segments};
use crate::picture::frames::GroupFrame;
use crate::picture::labels::{self, faults};
use crate::picture::nodes::one_way_tips;
use crate::picture::panel::{Marks, legend, section_marks};
use crate::picture::processors::{Disc, is_alone};
use crate::picture::scene::text_width;
use crate::picture::senders::Colours;
use crate::picture::svg::{path_data, short};
use crate::picture::{CheckedPhase, DrawnSchedule, Section, SectionPhase};
use pavane_model::printable::make_printable;
use pavane_model::{ChannelId, MessageId, Network, Problem, ProcessorId, RouterId};
use pavane_verify::CheckedSchedule;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// Maximum number of transfers in a step that is animated; beyond it a page shows a still picture.
pub const MOST_TRANSFERS: usize = 3000;

/// Maximum transfers and channel uses of all steps together, and maximum number of processor marks,
/// that a browser can handle.
pub(super) const MOST_IN_ALL: usize = 300_000;
pub(super) const MOST_MARKS: usize = 4_000_000;

/// The data of the player, which reads it in `viewer.js`.
#[derive(Serialize)]
pub(super) struct PlayerData<'a> {
    #[serde(flatten)]
    pub drawing: Drawing<'a>,
    pub title: String,
    /// The word for a step and for the processor that determines a colour, if they are not `step` and
    /// `sender`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<(&'static str, &'static str)>,
    /// Facts about the schedule, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// The meanings of the marks for holders and for new holders.
    pub legend: (&'static str, &'static str),
    /// The phases, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PlayedPhase>,
    /// The phases that overlap, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// The meaning of the mark for both at once, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub both: Option<&'static str>,
    /// The senders in the order of their colours.
    pub senders: Vec<ProcessorId>,
    /// The transfers of every step.
    pub steps: Vec<Vec<PlayedTransfer<'a>>>,
    /// The mark of every processor after every step: `g` new holder, `y` holder, `b`
    /// both at once, `.` neither.
    pub marks: Vec<String>,
    /// The share of the channels in use in every step.
    pub usage: Vec<f64>,
    /// The chunks of a timed schedule on their way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

/// A phase: its first step, its collective, the meanings of its marks, and the word for the processor that
/// determines a colour.
#[derive(Serialize)]
pub(super) struct PlayedPhase(u32, String, (&'static str, &'static str), &'static str);

/// Phases that overlap: the transfers of the second follow those of the first in every step.
#[derive(Serialize)]
pub(super) struct Overlap {
    /// The names of the phases.
    names: Vec<String>,
    /// For each step, the number of transfers of the first phase.
    firsts: Vec<usize>,
}

/// The chunks on their way, for a player that moves them along channels.
#[derive(Serialize)]
pub(super) struct Motion {
    /// The time of the schedule.
    pub microseconds: f64,
    /// The sends, by start.
    pub sends: Vec<MovingChunk>,
}

/// A chunk on a channel: when it leaves and when it arrives, in moments, and the processor that
/// determines its colour.
#[derive(Serialize)]
pub(super) struct MovingChunk(pub ChannelId, pub f64, pub f64, pub ProcessorId);

/// A transfer: the label of its message, its ends, the processor that determines its colour, and its
/// path.
#[derive(Serialize)]
pub(super) struct PlayedTransfer<'a>(
    pub String,
    pub ProcessorId,
    pub ProcessorId,
    pub ProcessorId,
    pub Cow<'a, [ChannelId]>,
);

/// The network as drawn. Lines are paths in the syntax of SVG.
#[derive(Serialize)]
pub(super) struct Drawing<'a> {
    network: &'a str,
    width: f64,
    height: f64,
    /// The radius of routers.
    radius: f64,
    routers: Vec<DrawnRouter>,
    /// `None` for processors that are lost or too many to draw.
    processors: Vec<Option<DrawnProcessor>>,
    names: Vec<DrawnText<'a>>,
    channels: Vec<DrawnChannel>,
    links: Vec<String>,
    /// The arrowheads of channels without an opposite.
    #[serde(skip_serializing_if = "String::is_empty")]
    arrows: String,
    /// Broken links: the line and the numbers of the ends.
    broken: Vec<(String, &'a str)>,
    /// Groups of routers with a frame of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<DrawnGroup<'a>>,
    /// The widths of the lines of links, if their bandwidths differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    widths: Option<Vec<f64>>,
    /// The widths and bandwidths of the legend.
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidths: Option<Vec<(f64, String)>>,
}

/// A router: position, kind (`lost`, `switch`, `slim` or `fat`) and name.
#[derive(Serialize)]
struct DrawnRouter(f64, f64, &'static str, String);

/// A processor: position, radius, its router, and whether it is the only one there.
#[derive(Serialize)]
struct DrawnProcessor(f64, f64, f64, Option<RouterId>, bool);

/// A text in a router or processor: position, font size, text, whether the router is lost, and the router.
#[derive(Serialize)]
struct DrawnText<'a>(f64, f64, f64, Cow<'a, str>, bool, RouterId);

/// A group: the upper left corner, width and height of its frame, whether the frame is round, the centre
/// of its name, the name and a short one.
#[derive(Serialize)]
struct DrawnGroup<'a>(f64, f64, f64, f64, bool, f64, f64, &'a str, &'a str);

/// A channel: its routers and its line.
#[derive(Serialize)]
struct DrawnChannel(RouterId, RouterId, String);

/// Whether a schedule can be animated in a browser.
pub fn is_playable(phases: &[CheckedPhase<'_>]) -> bool {
    let (mut uses, mut marks) = (0, 0);
    for (checked, _) in phases {
        let schedule = checked.schedule();
        uses += schedule.transfer_count() + schedule.channel_uses();
        marks += schedule.step_count() as usize * checked.problem().network().processor_count();
        if (0..schedule.step_count()).any(|step| schedule.step(step).len() > MOST_TRANSFERS) {
            return false;
        }
    }
    uses <= MOST_IN_ALL && marks <= MOST_MARKS
}

/// The complete data for the player as JSON; null without phases.
pub fn schedule_data(drawn: &DrawnSchedule<'_>) -> Value {
    let Some((first, _)) = drawn.phases.first() else { return Value::Null };
    let map = Map::new(first.problem().network());
    player_data(drawn, first, &map).json()
}

impl PlayerData<'_> {
    /// The data as JSON.
    pub fn json(self) -> Value {
        let mut data =
            serde_json::to_value(self).expect("numbers and texts can be written as JSON");
        make_printable(&mut data);
        data
    }
}

fn player_data<'a>(
    drawn: &DrawnSchedule<'a>,
    first: &'a CheckedSchedule,
    map: &'a Map,
) -> PlayerData<'a> {
    let network = first.problem().network();
    let (mut steps, mut marked, mut usage) = (Vec::new(), Vec::new(), Vec::new());
    let sections = drawn.sections();
    for section in &sections {
        let channels = network.channel_count().max(1);
        for step in section.steps() {
            steps.push(section.phases.iter().flat_map(|phase| played(phase, step)).collect());
            let (_, uses) = section.uses(step);
            usage.push((1000.0 * uses as f64 / channels as f64).round() / 1000.0);
        }
        marked.extend(section_marks(section).iter().map(letters));
    }
    let mut words = sections.iter().map(Section::word);
    let by = words.next().unwrap_or("sender");
    let by = if words.all(|other| other == by) { by } else { "sender or origin" };
    PlayerData {
        drawing: drawing(network, map),
        words: if by == "sender" { None } else { Some(("step", by)) },
        title: drawn.title(),
        facts: facts(drawn, &usage),
        legend: legend(first.problem()),
        phases: if drawn.phases.len() > 1 { phases(&sections) } else { Vec::new() },
        overlap: sections.iter().find(|section| section.is_overlapping()).map(Overlap::of),
        both: None,
        senders: Colours::of(drawn.phases.iter().map(|(checked, _)| *checked)).order().to_vec(),
        steps,
        marks: marked,
        usage,
        motion: None,
    }
}

/// The transfers of a phase in a step.
fn played<'a>(phase: &SectionPhase<'a>, step: u32) -> Vec<PlayedTransfer<'a>> {
    let problem = phase.checked.problem();
    let has_short_names = labels::has_short_names(problem.network());
    let transfers = phase.coloured(step).map(|(by, transfer)| {
        let label = message(problem, transfer.message, has_short_names);
        PlayedTransfer(label, transfer.from, transfer.to, by, transfer.path.into())
    });
    transfers.collect()
}

/// The phases; where they overlap, an entry for every change of the phases under way.
fn phases(sections: &[Section<'_>]) -> Vec<PlayedPhase> {
    let mut entries: Vec<PlayedPhase> = Vec::new();
    for section in sections {
        let meanings = legend(section.last().checked.problem());
        for step in section.steps() {
            let name = section.names(step);
            if step == section.steps().start || entries.last().is_none_or(|last| last.1 != name) {
                entries.push(PlayedPhase(step, name, meanings, section.word()));
            }
        }
    }
    entries
}

impl Overlap {
    fn of(section: &Section<'_>) -> Self {
        let first = &section.phases[0];
        Self {
            names: section.phases.iter().map(SectionPhase::name).collect(),
            firsts: section.steps().map(|step| first.step(step).count()).collect(),
        }
    }
}

/// The label of a message; that of a chunk has its number after a point: `0.3`.
fn message(problem: &Problem, message: MessageId, has_short_names: bool) -> String {
    let (whole, chunk) = problem.chunk_label(message);
    let whole = labels::message(problem, whole, has_short_names);
    match chunk {
        Some(chunk) => format!("{whole}.{chunk}"),
        None => whole,
    }
}

fn letters(marks: &Marks) -> String {
    let letter = |(&is_new, &is_holder): (&bool, &bool)| match (is_new, is_holder) {
        (true, _) => 'g',
        (false, true) => 'y',
        (false, false) => '.',
    };
    marks.is_new.iter().zip(&marks.is_holder).map(letter).collect()
}

/// Steps, bound, reason, channel use, and the rules.
fn facts(drawn: &DrawnSchedule<'_>, usage: &[f64]) -> Vec<(&'static str, String)> {
    let steps = drawn.step_count();
    let status = match drawn.bound().map(|bound| steps.saturating_sub(bound)) {
        None => String::new(),
        Some(0) => ", optimal".to_owned(),
        Some(gap) => format!(", at most {gap} from optimal"),
    };
    let (bound, because) = bound_in_words(drawn);
    let share = 100.0 * usage.iter().sum::<f64>() / usage.len().max(1) as f64;
    let mut facts = vec![("steps", format!("{steps}{status}")), bound];
    if drawn.sections().iter().any(Section::is_overlapping) {
        let phases = drawn.sections().into_iter().flat_map(|section| section.phases);
        facts.push(("phases", phases.map(|phase| phase.in_words()).collect::<Vec<_>>().join("; ")));
    }
    facts.push(("channels in use", format!("{share:.0} %")));
    if let Some((first, _)) = drawn.phases.first() {
        facts.push(("rules", first.problem().model().to_string()));
        let network = first.problem().network();
        if !network.faults().is_empty() {
            facts.push(("broken", faults(network)));
        }
    }
    facts.push(("because", because));
    facts
}

/// The bound with its reason, and its argument. Without a bound of the whole, those of the phases.
fn bound_in_words(drawn: &DrawnSchedule<'_>) -> ((&'static str, String), String) {
    if let Some(bound) = drawn.whole.bound.as_ref().filter(|_| drawn.phases.len() > 1) {
        let text = format!("{} ({})", bound.steps, bound.certificate.kind.name());
        return (("bound", text), bound.explanation.clone());
    }
    let bounds = drawn.phases.iter().map(|(_, bound)| bound);
    let each = bounds.clone().map(|bound| format!("{} ({})", bound.steps, bound.reason));
    let because = bounds.map(|bound| bound.explanation.as_str()).collect::<Vec<_>>().join("; ");
    let name = if drawn.phases.len() > 1 { "bounds of the phases" } else { "bound" };
    ((name, each.collect::<Vec<_>>().join(", ")), because)
}

/// The positions of everything in the network, and the widths of links if their bandwidths differ.
pub(super) fn drawing<'a>(network: &'a Network, map: &'a Map) -> Drawing<'a> {
    let router = |router: RouterId| {
        let (x, y) = map.routers[router.index()];
        let kind = match network.residents(router).len() {
            _ if network.is_lost(router) => "lost",
            0 => "switch",
            1 => "slim",
            _ => "fat",
        };
        // If names are too long for the picture, they follow the numbers shown in it.
        let name = match map.labels.get(router.index()) {
            Some(label) if *label != network.router_name(router) => {
                format!("{label} {}", network.router_name(router))
            }
            _ => network.router_name(router),
        };
        DrawnRouter(short(x), short(y), kind, name)
    };
    let channel = |number: usize| {
        let ends = network.channel(ChannelId(number as u32));
        DrawnChannel(ends.tail, ends.head, path_data(&segments(&map.channels[number])))
    };
    let processor = |(place, id): (&Option<Disc>, u32)| {
        let &((x, y), radius) = place.as_ref()?;
        let id = ProcessorId(id);
        let alone = is_alone(network, id);
        Some(DrawnProcessor(short(x), short(y), radius, network.home(id), alone))
    };
    let widths = Widths::of(network);
    let width = |widths: &Widths| {
        let links = map.links.iter();
        links.map(|&(channel, _)| short(widths.of_link(network, channel))).collect()
    };
    let legend = |widths: &Widths| {
        let listed = widths.listed().into_iter();
        listed.map(|one| (short(widths.factor(one)), bandwidth::label(one))).collect()
    };
    let line = |curve: &Curve| path_data(&segments(curve));
    let group = |frame: &'a GroupFrame| {
        let ((x, y), (label_x, label_y)) = (frame.low, frame.label);
        let (wide, high) = (short(frame.high.0 - x), short(frame.high.1 - y));
        let (name, number) = (&frame.name[..], &frame.number[..]);
        let (x, y, label_x, label_y) = (short(x), short(y), short(label_x), short(label_y));
        DrawnGroup(x, y, wide, high, frame.is_round, label_x, label_y, name, number)
    };
    Drawing {
        network: network.name(),
        width: short(map.width),
        height: short(map.height),
        radius: map.radius,
        routers: network.routers().map(router).collect(),
        processors: map.processors.iter().zip(0..).map(processor).collect(),
        names: names(network, map),
        channels: (0..network.channel_count()).map(channel).collect(),
        links: map.links.iter().map(|(_, curve)| line(curve)).collect(),
        arrows: one_way_tips(network, map).iter().map(|tip| path_data(tip)).collect(),
        broken: map.broken.iter().map(|(fault, curve)| (line(curve), &fault[..])).collect(),
        groups: map.frames.iter().map(group).collect(),
        widths: widths.as_ref().map(width),
        bandwidths: widths.as_ref().map(legend),
    }
}

/// The texts in routers and processors.
fn names<'a>(network: &Network, map: &'a Map) -> Vec<DrawnText<'a>> {
    let mut names = Vec::new();
    for (at, (x, y), label) in map.label_lines() {
        let router = RouterId(at as u32);
        let (size, is_lost) = (short(map.font_size), network.is_lost(router));
        names.push(DrawnText(short(x), short(y), size, label.into(), is_lost, router));
    }
    if names.is_empty() {
        return names;
    }
    for (place, id) in map.processors.iter().zip(0..) {
        let Some(router) = network.home(ProcessorId(id)) else { continue };
        let Some(((x, y), radius)) = place else { continue };
        if !is_alone(network, ProcessorId(id)) {
            let label = network.processor_number(ProcessorId(id));
            let size = ((2.0 * radius - 2.0) / text_width(&label, 1.0).max(1.24)).min(8.5);
            names.push(DrawnText(short(*x), short(*y), short(size), label.into(), false, router));
        }
    }
    names
}
