//! A schedule as one panel per step.

use super::ink::Ink;
use super::labels;
use super::map::Map;
use super::nodes;
use super::panel::{items, only_coloured, section_marks};
use super::scene::{Item, Scene, Style, rectangle};
use super::section::Section;
use pavane_model::words;
use std::ops::Range;

/// Gap between panels.
const GAP: f64 = 14.0;

/// Margin around the network in its panel.
pub(super) const MARGIN: f64 = 10.0;

/// Height of the heading: the step, its transfers and its channel use.
pub(super) const HEAD: f64 = 40.0;

/// Maximum width of a row of panels, unless a single one is wider or the picture would be higher than this multiple
/// of its width.
const WIDTH: f64 = 1240.0;
const HIGHEST: f64 = 1.5;

/// The panels of some steps of a section.
pub fn panels(section: &Section<'_>, map: &Map, steps: Range<u32>) -> Scene {
    let network = section.network();
    let (wide, high) = panel_size(map);
    let count = steps.len().max(1);
    let least = (count as f64 * (high + GAP) / (wide + GAP) / HIGHEST).sqrt().ceil() as usize;
    let in_row = (((WIDTH + GAP) / (wide + GAP)) as usize).max(least).clamp(1, count);
    // Balance the lengths of the rows.
    let in_row = count.div_ceil(count.div_ceil(in_row));
    let mut scene = Scene {
        width: in_row as f64 * (wide + GAP) - GAP,
        height: count.div_ceil(in_row) as f64 * (high + GAP) - GAP,
        ..Scene::default()
    };
    let links = scene.part(nodes::links(network, map));
    let labels = scene.part(nodes::labels(network, map));
    let (marks, colours, start) =
        (section_marks(section), section.colours(), section.steps().start);
    for (at, step) in steps.enumerate() {
        let (x, y) = ((at % in_row) as f64 * (wide + GAP), (at / in_row) as f64 * (high + GAP));
        scene.path(&rectangle(x, y, wide, high), Style::area(Ink::Panel));
        let place = (x + MARGIN, y);
        let name = format!("step {step}");
        head(&mut scene, section, step, &name, place, wide - 2.0 * MARGIN);
        let (dx, dy) = (x + (wide - map.width) / 2.0, y + HEAD);
        scene.items.push(Item::Part(links, dx, dy));
        let own = scene.part(items(section, step, map, &marks[(step - start) as usize], &colours));
        scene.items.push(Item::Part(own, dx, dy));
        scene.items.push(Item::Part(labels, dx, dy));
    }
    scene
}

/// Width and height of a panel.
pub(super) fn panel_size(map: &Map) -> (f64, f64) {
    ((map.width + 2.0 * MARGIN).max(214.0), map.height + HEAD + MARGIN)
}

/// The heading of a panel: the name of the step, and how much is transferred in it.
pub(super) fn head(
    scene: &mut Scene,
    section: &Section<'_>,
    step: u32,
    name: &str,
    (x, y): (f64, f64),
    width: f64,
) {
    let network = section.network();
    let (transfers, uses) = section.uses(step);
    let channels = network.channel_count().max(1);
    let count = words::counted(transfers, "transfer");
    let share = 100.0 * uses as f64 / channels as f64;
    let mut remark = format!("{count}, {share:.0} % of channels");
    if let Some(sender) = only_coloured(section, step) {
        let sender = labels::processor(network, sender, labels::has_short_names(network));
        remark += &format!("; in colour: the paths of processor {sender}, the others are pale");
    }
    super::draw::bold(scene, x, y + 17.0, 12.5, name);
    scene.text(x, y + 31.0, 10.0, Ink::Faint, super::scene::fitted(&remark, 10.0, width));
}
