//! Schedules as animations: messages move along their paths, step by step or in proportion to time.

use super::bandwidth::Widths;
use super::curve::{Curve, segments};
use super::draw::{DrawError, MOST_USES, Page, Show, animated_steps, check_size, check_uses};
use super::ink::Ink;
use super::map::Map;
use super::nodes;
use super::panel::{items, section_marks};
use super::scene::{Anchor, Item, Scene, Segment, Style, Text, Window, circle, rectangle};
use super::section::{DrawnSchedule, Section, SectionPhase, clipped};
use super::steps::{HEAD, MARGIN, head, panel_size};
use super::timed::{facts, last_arrivals, title};
use pavane_model::{ChannelId, ProcessorId, words};
use pavane_verify::CheckedTimed;
use std::ops::Range;

/// How long a step takes, in seconds, if there are few, and all steps together if there are many.
const STEP: f64 = 1.6;
const STEPS: f64 = 60.0;

/// The shares of a step after which messages start and end to move.
const MOVES: (f64, f64) = (0.15, 0.8);

/// How long a timed schedule plays, and the pause at its end, in seconds.
const PLAYED: f64 = 10.0;
const PAUSE: f64 = 1.5;

/// How often the clock of a timed schedule changes.
const TICKS: u32 = 50;

/// Radius of a message.
const DOT: f64 = 4.2;

/// Animates a schedule of one or several phases: one panel, in which the steps follow each other.
pub fn animated_schedule(drawn: &DrawnSchedule<'_>, show: &Show) -> Result<Scene, DrawError> {
    let sections = drawn.sections();
    let Some(first) = sections.first() else { return Ok(Scene::default()) };
    let network = first.network();
    check_size(network)?;
    let wanted = animated_steps(drawn, show)?;
    let map = Map::new(network);
    let (wide, high) = panel_size(&map);
    let step = STEP.min(STEPS / wanted.len().max(1) as f64);
    let mut scene = Scene {
        width: wide,
        height: high,
        seconds: step * wanted.len() as f64,
        ..Scene::default()
    };
    scene.path(&rectangle(0.0, 0.0, wide, high), Style::area(Ink::Panel));
    let corner = ((wide - map.width) / 2.0, HEAD);
    let links = scene.part(nodes::links(network, &map));
    scene.items.push(Item::Part(links, corner.0, corner.1));
    let mut moving = Vec::new();
    for section in &sections {
        let own = clipped(&wanted, section.steps());
        check_uses(section, own.clone())?;
        let from = f64::from(own.start - wanted.start.min(own.start)) * step;
        let is_named = drawn.phases.len() > 1;
        play(&mut scene, &mut moving, (section, is_named), &map, (own, from, step));
    }
    let labels = scene.part(nodes::labels(network, &map));
    scene.items.push(Item::Part(labels, corner.0, corner.1));
    scene.items.extend(moving);
    let title = drawn.title();
    let mut page = Page::new(title.clone(), wide.max(LEAST_WIDTH));
    page.line(16.0, Ink::Text, true, &title);
    for section in &sections {
        for (number, phase) in section.phases.iter().enumerate() {
            page.line(12.0, Ink::Faint, false, &phase_line(drawn, section, (number, phase)));
        }
    }
    page.note_steps("steps", &wanted, drawn.step_count());
    page.place(scene);
    Ok(page.finish())
}

/// The least width of the title.
const LEAST_WIDTH: f64 = 420.0;

/// A phase in one line, such as `all-gather: 8 steps: optimal`.
fn phase_line(
    drawn: &DrawnSchedule<'_>,
    section: &Section<'_>,
    (number, phase): (usize, &SectionPhase<'_>),
) -> String {
    if section.is_overlapping() {
        let line = if number == 0 { "solid" } else { "dashed" };
        return format!("{} ({line} lines)", phase.in_words());
    }
    let count = phase.end() - phase.start;
    let ending = if count == phase.bound.steps { ": optimal" } else { "" };
    let of = if drawn.phases.len() > 1 { format!("{}: ", phase.name()) } else { String::new() };
    format!("{of}{}{ending}", words::steps(count))
}

/// Adds the steps of a section: panels that are shown one after the other, and moving messages.
fn play(
    scene: &mut Scene,
    moving: &mut Vec<Item>,
    (section, is_named): (&Section<'_>, bool),
    map: &Map,
    (steps, start, length): (Range<u32>, f64, f64),
) {
    let (marks, colours) = (section_marks(section), section.colours());
    let corner = ((scene.width - map.width) / 2.0, HEAD);
    for (at, step) in steps.enumerate() {
        let from = start + at as f64 * length;
        let marks = &marks[(step - section.steps().start) as usize];
        let own = scene.part(items(section, step, map, marks, &colours));
        let mut panel = Scene::default();
        let width = scene.width - 2.0 * MARGIN;
        let name = if is_named { format!(": {}", section.names(step)) } else { String::new() };
        head(&mut panel, section, step, &format!("step {step}{name}"), (MARGIN, 0.0), width);
        panel.items.push(Item::Part(own, corner.0, corner.1));
        let panel = scene.part(panel.items);
        scene.items.push(Item::Shown(panel, Window { from, to: from + length }));
        let window = Window { from: from + MOVES.0 * length, to: from + MOVES.1 * length };
        for (by, transfer) in section.phases.iter().flat_map(|phase| phase.coloured(step)) {
            let path = joined(map, transfer.path, corner);
            moving.push(Item::Moving(path, DOT, colours.ink(by), window));
        }
    }
}

/// The channels of a path as one line, displaced by x and y.
fn joined(map: &Map, path: &[ChannelId], (dx, dy): (f64, f64)) -> Vec<Segment> {
    let moved = |curve: &Curve| curve.map(|(x, y)| (x + dx, y + dy));
    let mut line = Vec::new();
    for (at, channel) in path.iter().enumerate() {
        let [start, curve] = segments(&moved(&map.channels[channel.index()]));
        line.push(match start {
            Segment::Move(x, y) if at > 0 => Segment::Line(x, y),
            other => other,
        });
        line.push(curve);
    }
    line
}

/// Animates a timed schedule: chunks take as long on their channels, in proportion, as in the schedule.
pub fn animated_timed(checked: &CheckedTimed) -> Result<Scene, DrawError> {
    let network = checked.network();
    check_size(network)?;
    let schedule = checked.schedule();
    let uses: usize = schedule.phases.iter().map(|phase| phase.sends.len()).sum();
    if uses > MOST_USES {
        return Err(DrawError::TooMany { uses, most: MOST_USES });
    }
    let map = Map::new(network);
    let (wide, high) = panel_size(&map);
    let seconds = PLAYED + PAUSE;
    let end = checked.time_ns().to_f64().max(1e-9);
    let at = |time: f64| time / end * PLAYED;
    let mut scene = Scene { width: wide, height: high, seconds, ..Scene::default() };
    scene.path(&rectangle(0.0, 0.0, wide, high), Style::area(Ink::Panel));
    let (dx, dy) = ((wide - map.width) / 2.0, HEAD);
    let links = scene.part(nodes::links(network, &map));
    let still = scene.part(nodes::nodes(network, &map, |_| Ink::Paper));
    scene.items.extend([links, still].map(|part| Item::Part(part, dx, dy)));
    // Processors that have received everything.
    let mut done = vec![0.0f64; network.processor_count()];
    for ((to, _), time) in last_arrivals(checked) {
        done[to.index()] = done[to.index()].max(time);
    }
    for (processor, disc) in map.processors.iter().enumerate() {
        let time = at(done[processor]);
        let Some(((x, y), radius)) = disc.filter(|_| done[processor] > 0.0) else { continue };
        let style = Style::rimmed(Ink::Holder, Ink::Rim, 1.3);
        let part =
            scene.part(vec![Item::Path(circle(x + dx, y + dy, radius).to_vec(), style, None)]);
        scene.items.push(Item::Shown(part, Window { from: time.min(PLAYED), to: seconds }));
    }
    let labels = scene.part(nodes::labels(network, &map));
    scene.items.push(Item::Part(labels, dx, dy));
    clock(&mut scene, end / 1000.0);
    let (bandwidths, latencies) =
        (network.bandwidths().unwrap_or_default(), network.latencies().unwrap_or_default());
    let unit = schedule.time_unit_ns.to_f64();
    for phase in &schedule.phases {
        for send in &phase.sends {
            let chunk = &phase.chunks[send.chunk as usize];
            let channel = send.channel.index();
            let start = send.start as f64 * unit;
            let flight =
                chunk.bytes as f64 / bandwidths[channel].to_f64() + latencies[channel].to_f64();
            let window = Window { from: at(start), to: at(start + flight) };
            let ProcessorId(origin) = phase.problem.messages().origin(chunk.message);
            let path = joined(&map, &[send.channel], (dx, dy));
            scene.items.push(Item::Moving(path, DOT, Ink::Sender(origin).folded(), window));
        }
    }
    let title = title(checked);
    let mut page = Page::new(title.clone(), wide.max(LEAST_WIDTH));
    page.line(16.0, Ink::Text, true, &title);
    let facts: Vec<String> =
        facts(checked).into_iter().map(|(name, fact)| format!("{name} {fact}")).collect();
    page.line(12.0, Ink::Faint, false, &facts.join("; "));
    if let Some(widths) = Widths::of(network) {
        page.place(widths.legend(nodes::thinnest(&map)));
    }
    page.place(scene);
    Ok(page.finish())
}

/// The time of the schedule, at the top of the panel.
fn clock(scene: &mut Scene, micros: f64) {
    for tick in 0..=TICKS {
        let share = f64::from(tick) / f64::from(TICKS);
        let from = share * PLAYED;
        let to = if tick == TICKS { scene.seconds } else { from + PLAYED / f64::from(TICKS) };
        let text = Text {
            x: MARGIN,
            y: 20.0,
            size: 12.5,
            anchor: Anchor::Start,
            is_bold: true,
            ink: Ink::Text,
            text: format!("{:.3} µs of {micros:.3} µs", micros * share),
        };
        let part = scene.part(vec![Item::Text(text)]);
        scene.items.push(Item::Shown(part, Window { from, to }));
    }
}
