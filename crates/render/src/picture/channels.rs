//! Chart of channel use: a row per channel, a column per step, and cells in the colour of the
//! sender; idle cells stay visible.

use super::ink::Ink;
use super::scene::{Anchor, Item, Scene, Style, Text, fitted, rectangle, text_width};
use super::section::Section;
use pavane_model::{Channel, ChannelId, Network};

/// Up to this number of channels every row has a name; beyond it, every router.
const NAMED: usize = 200;

/// Minimum and maximum width for names, and their font size.
const LEFT: (f64, f64) = (78.0, 260.0);
const FONT_SIZE: f64 = 9.5;
const TOP: f64 = 24.0;

/// Widths of columns: the least, some in between, and the most.
const COLUMNS: [f64; 4] = [3.0, 8.0, 14.0, 26.0];

/// Gap between blocks of rows.
const GAP: f64 = 22.0;

/// Builds the chart. Columns are as wide as `width` allows. If there are few steps, the rows are
/// split into several blocks side by side. Cells of the second of two phases are low.
pub fn chart(section: &Section<'_>, width: f64) -> Scene {
    let network = section.network();
    let steps = section.steps().len() as u32;
    let height = if network.channel_count() <= NAMED { 13.0 } else { 5.0 };
    let name = |channel: &Channel| name(network, channel);
    let widths =
        network.channels().iter().map(|channel| text_width(&name(channel), FONT_SIZE) + 10.0);
    let left = if network.channel_count() <= NAMED {
        widths.fold(LEFT.0, f64::max).min(LEFT.1).min((width / 2.0).max(LEFT.0))
    } else {
        LEFT.0
    };
    let order: Vec<ChannelId> =
        network.routers().flat_map(|router| network.out_channels(router)).copied().collect();
    let size = |column: f64| {
        let wide = left + column * f64::from(steps);
        // Blocks with fewer rows than this would consist mostly of headings.
        let most = order.len().div_ceil(12).max(1);
        let blocks = (((width + GAP) / (wide + GAP)) as usize).clamp(1, most);
        (column, wide, blocks, order.len().div_ceil(blocks).max(1))
    };
    // The chart has narrower columns if it would be higher than wide otherwise.
    let widest = ((width - left) / f64::from(steps.max(1))).clamp(COLUMNS[0], COLUMNS[3]);
    let narrower = COLUMNS.iter().rev().copied().filter(|&column| column < widest);
    let mut sizes = std::iter::once(widest).chain(narrower).map(size);
    let is_low = |&(.., rows): &(f64, f64, usize, usize)| TOP + height * rows as f64 <= width;
    let (column, wide, blocks, rows) = sizes.find(is_low).unwrap_or_else(|| size(widest));
    let mut chart = Chart {
        section,
        left,
        column,
        height,
        places: vec![(0.0, 0.0); order.len()],
        scene: Scene {
            width: blocks as f64 * (wide + GAP) - GAP,
            height: TOP + height * rows as f64 + 6.0,
            ..Scene::default()
        },
    };
    for (at, channel) in order.iter().enumerate() {
        let x = (at / rows) as f64 * (wide + GAP) + left;
        chart.places[channel.index()] = (x, TOP + (at % rows) as f64 * height);
    }
    chart.cells();
    for block in order.chunks(rows) {
        chart.names(block);
    }
    chart.scene
}

struct Chart<'a> {
    section: &'a Section<'a>,
    /// Width for names.
    left: f64,
    column: f64,
    height: f64,
    /// Where the row of a channel starts.
    places: Vec<(f64, f64)>,
    scene: Scene,
}

impl Chart<'_> {
    fn cells(&mut self) {
        let (colours, steps) = (self.section.colours(), self.section.steps());
        let mut cells: Vec<(Ink, usize, u32, bool)> = Vec::new();
        for step in steps.clone() {
            let mut is_idle = vec![true; self.places.len()];
            for (number, phase) in self.section.phases.iter().enumerate() {
                for (by, transfer) in phase.coloured(step) {
                    for channel in transfer.path {
                        is_idle[channel.index()] = false;
                        let column = step - steps.start;
                        cells.push((colours.ink(by), channel.index(), column, number > 0));
                    }
                }
            }
            let idle = (0..is_idle.len()).filter(|&channel| is_idle[channel]);
            cells.extend(idle.map(|channel| (Ink::Idle, channel, step - steps.start, false)));
        }
        // Cells of one colour become one path.
        cells.sort_unstable();
        let gap = if self.column > 8.0 { 1.0 } else { 0.4 };
        for (ink, channel, column, is_low) in cells {
            let (x, y) = self.places[channel];
            let x = x + f64::from(column) * self.column + gap / 2.0;
            let high = self.height - gap;
            let (top, high) = if is_low { (0.5 * high, 0.5 * high) } else { (0.0, high) };
            let cell = rectangle(x, y + gap / 2.0 + top, self.column - gap, high);
            self.scene.path(&cell, Style::area(ink));
        }
    }

    /// Writes step numbers above a block, and names of channels or routers on its left.
    fn names(&mut self, block: &[ChannelId]) {
        let network = self.section.network();
        let all = self.section.steps();
        let steps = all.len() as u32;
        let Some(&first) = block.first() else { return };
        let left = self.places[first.index()].0;
        let is_named = self.height > 10.0;
        let mut last = (f64::MIN, None);
        for &channel in block {
            let ends = network.channel(channel);
            let y = self.places[channel.index()].1;
            let is_first = last.1 != Some(ends.tail);
            if is_first && last.1.is_some() {
                let wide = self.column * f64::from(steps) + 4.0;
                let line = rectangle(left - 4.0, y - 0.25, wide, 0.5);
                self.scene.path(&line, Style::area(Ink::Line));
            }
            last.1 = Some(ends.tail);
            let text = if is_named {
                name(network, &ends)
            } else if is_first && y - last.0 >= 11.0 {
                format!("{} →", network.router_name(ends.tail))
            } else {
                continue;
            };
            last.0 = y;
            let baseline = if is_named { y + self.height / 2.0 + 3.2 } else { y + 8.0 };
            let text = fitted(&text, FONT_SIZE, self.left - 10.0);
            self.scene.items.push(label(left - 8.0, baseline, Anchor::End, text));
        }
        // As many step numbers as fit.
        let stride = (18.0 / self.column).ceil().max(1.0) as usize;
        for step in (0..steps).step_by(stride) {
            let x = left + (f64::from(step) + 0.5) * self.column;
            let number = (all.start + step).to_string();
            self.scene.items.push(label(x, TOP - 8.0, Anchor::Middle, number));
        }
        self.scene.items.push(label(left - 8.0, TOP - 8.0, Anchor::End, "step".to_owned()));
    }
}

/// The name of a channel: its two ends.
fn name(network: &Network, channel: &Channel) -> String {
    format!("{} → {}", network.router_name(channel.tail), network.router_name(channel.head))
}

fn label(x: f64, y: f64, anchor: Anchor, text: String) -> Item {
    Item::Text(Text { x, y, size: FONT_SIZE, anchor, is_bold: false, ink: Ink::Faint, text })
}
