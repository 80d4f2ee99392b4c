//! The trees or paths of one message: a panel for each, in a colour of its own, with its weight.

use super::super::arrow::with_tip;
use super::super::curve::{point, segments};
use super::super::draw::{DrawError, Page, bold};
use super::super::ink::Ink;
use super::super::labels;
use super::super::map::Map;
use super::super::nodes;
use super::super::scene::{Anchor, Item, Scene, Style, Text, add_path, fitted, rectangle};
use super::{phase_name, phases};
use pavane_model::throughput::{PlanPhase, Route};
use pavane_model::{ChannelId, Fraction, Label, MessageId, ProcessorId, words};
use pavane_verify::CheckedPlan;
use std::collections::BTreeMap;

/// Gap between panels, margin around the network in its panel, and height of the heading.
const GAP: f64 = 14.0;
const MARGIN: f64 = 10.0;
const HEAD: f64 = 40.0;

/// Maximum width of a row of panels, unless a single one is wider.
const WIDTH: f64 = 1240.0;

/// Maximum number of panels of a phase.
const PANELS: usize = 64;

/// Maximum number of channel uses in one picture.
const MOST_USES: usize = 400_000;

/// The panels of a phase.
pub struct Panels {
    /// The panels.
    pub scene: Scene,
    /// The headings above them.
    heading: String,
    remark: String,
}

impl Panels {
    /// Adds headings and panels to a page.
    pub fn add_to(self, page: &mut Page) {
        page.line(14.0, Ink::Text, true, &self.heading);
        page.line(11.0, Ink::Faint, false, &self.remark);
        page.place(self.scene);
    }
}

/// The trees or paths of a message, one group of panels for every phase.
pub fn panels(
    checked: &CheckedPlan,
    map: &Map,
    phase: Option<usize>,
    wanted: Label,
) -> Result<Vec<Panels>, DrawError> {
    let has_several = checked.plan().phases.len() > 1;
    let has_short_names = labels::has_short_names(checked.network());
    let mut groups = Vec::new();
    for (number, phase) in phases(checked, phase) {
        let mut ids = phase.problem.messages().ids();
        let Some(message) = ids.find(|&id| phase.problem.label(id) == wanted) else { continue };
        let mut routes: Vec<(usize, &Route)> =
            phase.routes.iter().enumerate().filter(|(_, r)| r.message == message).collect();
        // The sort is stable, so trees of equal weight stay in the order of the file.
        routes.sort_by_key(|(_, route)| std::cmp::Reverse(route.weight));
        let all = routes.len();
        routes.truncate(PANELS);
        let uses = routes.iter().map(|(_, route)| route.channels.len()).sum();
        if uses > MOST_USES {
            return Err(DrawError::TooMany { uses, most: MOST_USES });
        }
        let mut heading =
            format!("message {}", labels::message(&phase.problem, wanted, has_short_names));
        if has_several {
            heading = format!("{}, {heading}", phase_name(checked, number));
        }
        let mut remark = legend(phase).to_owned();
        if all > PANELS {
            remark += &format!("; the {PANELS} heaviest of {all}");
        }
        let scene = scene(checked, map, phase, message, &routes);
        groups.push(Panels { scene, heading, remark });
    }
    Ok(groups)
}

fn legend(phase: &PlanPhase) -> &'static str {
    match (phase.has_paths(), phase.problem.is_backward()) {
        (false, false) => "one panel per tree: its root is yellow, its destinations are green",
        (false, true) => "one panel per tree: its root is yellow, its contributors are green",
        (true, false) => "one panel per path: the origin is yellow, the destination is green",
        (true, true) => "one panel per path: the root is yellow, the contributor is green",
    }
}

fn scene(
    checked: &CheckedPlan,
    map: &Map,
    phase: &PlanPhase,
    message: MessageId,
    routes: &[(usize, &Route)],
) -> Scene {
    let network = checked.network();
    let wide = (map.width + 2.0 * MARGIN).max(214.0);
    let high = map.height + HEAD + MARGIN;
    let count = routes.len().max(1);
    let in_row = (((WIDTH + GAP) / (wide + GAP)) as usize).clamp(1, count);
    // Balance the lengths of the rows.
    let in_row = count.div_ceil(count.div_ceil(in_row));
    let mut scene = Scene {
        width: in_row as f64 * (wide + GAP) - GAP,
        height: count.div_ceil(in_row) as f64 * (high + GAP) - GAP,
        ..Scene::default()
    };
    let messages = phase.problem.messages();
    let fill = |processor: ProcessorId| {
        if processor == messages.origin(message) {
            Ink::Holder
        } else if messages.destinations(message).contains(&processor) {
            Ink::New
        } else {
            Ink::Paper
        }
    };
    let links = scene.part(nodes::links(network, map));
    let mut front = nodes::nodes(network, map, fill);
    front.extend(nodes::labels(network, map));
    let front = scene.part(front);
    let size = u128::from(checked.plan().scale) * u128::from(phase.size(message));
    for (at, (number, route)) in routes.iter().enumerate() {
        let (x, y) = ((at % in_row) as f64 * (wide + GAP), (at / in_row) as f64 * (high + GAP));
        scene.path(&rectangle(x, y, wide, high), Style::area(Ink::Panel));
        let what = if phase.has_paths() { "path" } else { "tree" };
        let share = Fraction::new(route.weight.into(), size).unwrap_or(Fraction::ZERO);
        let part = if share == Fraction::from(1) { "all".to_owned() } else { share.to_string() };
        let title = format!("{what} {number}: {part} of the message");
        let room = wide - 2.0 * MARGIN;
        bold(&mut scene, x + MARGIN, y + 17.0, 12.5, &fitted(&title, 12.5, room));
        let uses = words::counted(route.channels.len(), "channel use");
        let remark = format!("{:.1} %, {uses}", 100.0 * share.to_f64());
        scene.text(x + MARGIN, y + 31.0, 10.0, Ink::Faint, fitted(&remark, 10.0, room));
        let (dx, dy) = (x + (wide - map.width) / 2.0, y + HEAD);
        scene.items.push(Item::Part(links, dx, dy));
        let own = scene.part(items(map, route, Ink::Sender(at as u32).folded()));
        scene.items.push(Item::Part(own, dx, dy));
        scene.items.push(Item::Part(front, dx, dy));
    }
    scene
}

/// The channels of a tree or path. A channel that it uses several times says how often.
fn items(map: &Map, route: &Route, ink: Ink) -> Vec<Item> {
    let mut uses: BTreeMap<ChannelId, usize> = BTreeMap::new();
    route.channels.iter().for_each(|&channel| *uses.entry(channel).or_default() += 1);
    let width = if map.labels.is_empty() { 1.2 } else { 2.2 };
    let (mut lines, mut tips, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (channel, count) in uses {
        let curve = &map.channels[channel.index()];
        if map.labels.is_empty() {
            add_path(&mut lines, &segments(curve), Style::line(ink, width));
            continue;
        }
        let (line, tip) = with_tip(curve);
        add_path(&mut lines, &segments(&line), Style::line(ink, width));
        add_path(&mut tips, &tip, Style::area(ink));
        if count > 1 {
            let (x, y) = point(curve, 0.5);
            let text = format!("{count}×");
            let (anchor, ink) = (Anchor::Middle, Ink::Text);
            let size = 9.0;
            let text = Text { x, y: y + 3.0, size, anchor, is_bold: true, ink, text };
            counts.push(Item::Text(text));
        }
    }
    lines.extend(tips);
    lines.extend(counts);
    lines
}
