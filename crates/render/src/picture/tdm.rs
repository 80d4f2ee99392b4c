//! The slot table of a TDM schedule: a row for every channel and port, a column for every slot, and
//! cells in the colour of the receiver. A table with too many cells is folded to one row per router,
//! which shows how many of its channels are in use.

use super::draw::{DrawError, Page, check_size};
use super::ink::Ink;
use super::labels::faults;
use super::scene::{Anchor, Item, Scene, Style, Text, fitted, rectangle, text_width};
use pavane_model::tdm::{TdmSchedule, Word};
use pavane_model::words::counted;
use pavane_model::{ChannelId, Network, ProcessorId, RouterId};
use pavane_networks::name_check;
use pavane_verify::CheckedTdm;

/// Maximum number of cells of a table that is not folded, and of one that is.
const MOST_CELLS: u64 = 100_000;
const MOST_FOLDED: u64 = 600_000;

/// Up to these numbers of cells every cell has a tooltip and a number.
const MOST_TOLD: usize = 5_000;
const MOST_NUMBERED: usize = 30_000;

/// Width that the columns share, and their least and largest width.
const WIDTH: f64 = 960.0;
const COLUMN: (f64, f64) = (1.6, 22.0);

/// Up to this number of rows they are high enough for text.
const NAMED: usize = 400;

/// Width for names, font size of names, and space above a block.
const LEFT: (f64, f64) = (64.0, 220.0);
const FONT_SIZE: f64 = 9.5;
const TOP: f64 = 24.0;
const GAP: f64 = 22.0;

const WHOLE_REMARKS: [&str; 2] = [
    "a row for every port and channel, a column for every slot",
    "colour and text: the receiver of the word; where it is received, the text is its sender",
];

const FOLDED_REMARKS: [&str; 2] = [
    "a row for every router, a column for every slot",
    "the darker a cell, the more of the channels that leave the router are in use",
];

/// What a row of the table shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotRow {
    Sends(ProcessorId),
    Channel(ChannelId),
    Receives(ProcessorId),
}

/// A cell: its row, slot and colour, the text in it and its tooltip.
struct Cell {
    row: usize,
    slot: u32,
    ink: Ink,
    label: String,
    told: String,
}

/// Draws the slot table. `reason` explains the bound.
pub fn tdm(checked: &CheckedTdm, reason: &str) -> Result<Scene, DrawError> {
    let schedule = checked.schedule();
    let network = schedule.problem.network();
    check_size(network)?;
    let rows = rows(network);
    let period = u64::from(schedule.period);
    let is_folded = rows.len() as u64 * period > MOST_CELLS;
    let routers = network.routers().filter(|&router| !network.is_lost(router)).count();
    let folded = routers as u64 * period;
    if is_folded && folded > MOST_FOLDED {
        return Err(DrawError::TooManySlots { slots: folded, most: MOST_FOLDED });
    }
    let (table, remarks) = if is_folded {
        (folded_table(schedule), FOLDED_REMARKS)
    } else {
        (whole_table(schedule, &rows), WHOLE_REMARKS)
    };
    let title = title(schedule);
    let page_width = table.width.max(640.0);
    let mut page = Page::new(title.clone(), page_width);
    page.line(18.0, Ink::Text, true, &title);
    for line in broken_lines(&facts(checked), 13.0, page_width) {
        page.line(13.0, Ink::Text, false, &line);
    }
    for line in broken_lines(reason, 11.0, page_width) {
        page.line(11.0, Ink::Faint, false, &line);
    }
    if !network.faults().is_empty() {
        page.line(11.0, Ink::Broken, false, &format!("broken {}", faults(network)));
    }
    for remark in remarks {
        page.line(11.0, Ink::Faint, false, remark);
    }
    page.place(table);
    Ok(page.finish())
}

/// A text in lines of at most this width.
pub(super) fn broken_lines(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The title of a picture or page.
pub fn title(schedule: &TdmSchedule) -> String {
    format!("TDM schedule on {}", name_check::network_in_words(schedule.problem.network()))
}

/// `optimal`, or how far from optimal the period may be; empty if no bound is proved.
pub(crate) fn status(checked: &CheckedTdm) -> String {
    let period = checked.schedule().period;
    match checked.proved() {
        None => String::new(),
        Some(bound) if bound >= period => "optimal".to_owned(),
        Some(bound) => format!("at most {} from optimal", counted(period - bound, "slot")),
    }
}

/// The share of channels and slots in use.
pub(crate) fn usage(schedule: &TdmSchedule) -> f64 {
    let hops: usize = schedule.words.iter().map(|word| word.path.len()).sum();
    let uses = hops as f64 * f64::from(schedule.problem.rules().phits);
    let channels = schedule.problem.network().channel_count().max(1);
    uses / (channels as f64 * f64::from(schedule.period))
}

fn facts(checked: &CheckedTdm) -> String {
    let schedule = checked.schedule();
    let mut text = format!("period {}", counted(schedule.period, "slot"));
    if let (Some(proved), Some(bound)) = (checked.proved(), &schedule.bound) {
        let reason = bound.certificate.reason();
        text += &format!(", {}: the bound is {proved} ({reason})", status(checked));
    }
    let words = counted(schedule.words.len() as u64, "word");
    text + &format!("; {words}; channels in use {:.0} %", 100.0 * usage(schedule))
}

/// The rows: of every router the sending ports of its processors, the channels that leave it, and the
/// receiving ports.
fn rows(network: &Network) -> Vec<SlotRow> {
    let of_router = |router: RouterId| {
        let processors = network.residents(router).iter().copied();
        let channels = network.out_channels(router).iter().copied();
        let sends = processors.clone().map(SlotRow::Sends);
        sends.chain(channels.map(SlotRow::Channel)).chain(processors.map(SlotRow::Receives))
    };
    network.routers().flat_map(of_router).collect()
}

fn name(network: &Network, row: SlotRow) -> String {
    match row {
        SlotRow::Sends(processor) => format!("{} sends", network.processor_name(processor)),
        SlotRow::Receives(processor) => format!("{} receives", network.processor_name(processor)),
        SlotRow::Channel(channel) => {
            let ends = network.channel(channel);
            format!("{} → {}", network.router_name(ends.tail), network.router_name(ends.head))
        }
    }
}

/// The router at whose rows a row is.
fn router(network: &Network, row: SlotRow) -> Option<RouterId> {
    match row {
        SlotRow::Sends(processor) | SlotRow::Receives(processor) => network.home(processor),
        SlotRow::Channel(channel) => Some(network.channel(channel).tail),
    }
}

fn whole_table(schedule: &TdmSchedule, rows: &[SlotRow]) -> Scene {
    let network = schedule.problem.network();
    let names: Vec<String> = rows.iter().map(|&row| name(network, row)).collect();
    let starts = (0..rows.len())
        .filter(|&at| at > 0 && router(network, rows[at]) != router(network, rows[at - 1]));
    let mut table = Table::new(schedule.period, names, starts.collect());
    let mut cells = cells(schedule, rows);
    let (is_told, is_numbered) = (cells.len() <= MOST_TOLD, cells.len() <= MOST_NUMBERED);
    if !is_told {
        // Cells of one colour become one path.
        cells.sort_by_key(|cell| (cell.ink, cell.row, cell.slot));
    }
    for cell in cells {
        table.cell(cell.row, cell.slot, 1, cell.ink, Some(cell.told).filter(|_| is_told));
        if is_numbered {
            table.number(cell.row, cell.slot, cell.label);
        }
    }
    table.finish()
}

fn cells(schedule: &TdmSchedule, rows: &[SlotRow]) -> Vec<Cell> {
    let network = schedule.problem.network();
    let mut sends = vec![0; network.processor_count()];
    let mut receives = sends.clone();
    let mut channels = vec![0; network.channel_count()];
    for (at, row) in rows.iter().enumerate() {
        match *row {
            SlotRow::Sends(processor) => sends[processor.index()] = at,
            SlotRow::Receives(processor) => receives[processor.index()] = at,
            SlotRow::Channel(channel) => channels[channel.index()] = at,
        }
    }
    let mut cells = Vec::new();
    for word in &schedule.words {
        let Word { from, to, start, path } = word;
        let ink = Ink::Sender(to.0).folded();
        let [sender, receiver] = [*from, *to].map(|end| network.processor_name(end));
        let told = format!("from {sender} to {receiver}, start {start}");
        let mut add = |stages: usize, row: usize, label: ProcessorId| {
            let (label, told) = (network.processor_name(label), told.clone());
            let cell = |slot| Cell { row, slot, ink, label: label.clone(), told: told.clone() };
            cells.extend(schedule.slots(word, stages).map(cell));
        };
        add(0, sends[from.index()], *to);
        for (hop, channel) in path.iter().enumerate() {
            add(hop + 1, channels[channel.index()], *to);
        }
        add(path.len() + 1, receives[to.index()], *from);
    }
    cells
}

/// One row per router, with the share of its channels in use.
fn folded_table(schedule: &TdmSchedule) -> Scene {
    let network = schedule.problem.network();
    let period = schedule.period as usize;
    let routers: Vec<RouterId> =
        network.routers().filter(|&router| !network.is_lost(router)).collect();
    let mut uses = vec![0u32; network.router_count() * period];
    for word in &schedule.words {
        for (hop, &channel) in word.path.iter().enumerate() {
            let tail = network.channel(channel).tail;
            for slot in schedule.slots(word, hop + 1) {
                uses[tail.index() * period + slot as usize] += 1;
            }
        }
    }
    let names = routers.iter().map(|&router| network.router_name(router)).collect();
    let mut table = Table::new(schedule.period, names, Vec::new());
    // Equal neighbours become one cell, and cells of one colour one path.
    let mut runs: Vec<(Ink, usize, u32, u32)> = Vec::new();
    for (row, &router) in routers.iter().enumerate() {
        let channels = network.out_channels(router).len().max(1);
        let slots = &uses[router.index() * period..][..period];
        let mut start = 0;
        for run in slots.chunk_by(|one, other| one == other) {
            if run[0] > 0 {
                let ink = Ink::load(f64::from(run[0]) / channels as f64);
                runs.push((ink, row, start, run.len() as u32));
            }
            start += run.len() as u32;
        }
    }
    runs.sort_unstable();
    runs.into_iter().for_each(|(ink, row, start, count)| table.cell(row, start, count, ink, None));
    table.finish()
}

/// A table under construction.
struct Table {
    period: u32,
    names: Vec<String>,
    /// The rows above which a line is drawn.
    starts: Vec<usize>,
    left: f64,
    column: f64,
    height: f64,
    /// Rows per block; blocks are side by side.
    rows: usize,
    scene: Scene,
    labels: Vec<Item>,
}

impl Table {
    fn new(period: u32, names: Vec<String>, starts: Vec<usize>) -> Self {
        let column = (WIDTH / f64::from(period)).clamp(COLUMN.0, COLUMN.1);
        let height = if names.len() <= NAMED { 13.0 } else { 5.0 };
        let widest =
            names.iter().map(|name| text_width(name, FONT_SIZE) + 10.0).fold(LEFT.0, f64::max);
        let left = widest.min(LEFT.1);
        let wide = left + column * f64::from(period);
        // Blocks with few rows would consist mostly of headings.
        let most = names.len().div_ceil(12).max(1);
        let blocks = (((WIDTH + LEFT.0 + GAP) / (wide + GAP)) as usize).clamp(1, most);
        let rows = names.len().div_ceil(blocks).max(1);
        let width = blocks as f64 * (wide + GAP) - GAP;
        let scene = Scene { width, height: TOP + height * rows as f64 + 6.0, ..Scene::default() };
        let mut table =
            Self { period, names, starts, left, column, height, rows, scene, labels: Vec::new() };
        table.background();
        table
    }

    /// Where a row begins.
    fn place(&self, row: usize) -> (f64, f64) {
        let wide = self.left + self.column * f64::from(self.period) + GAP;
        let x = (row / self.rows) as f64 * wide + self.left;
        (x, TOP + (row % self.rows) as f64 * self.height)
    }

    fn background(&mut self) {
        let wide = self.column * f64::from(self.period);
        for row in 0..self.names.len() {
            let (x, y) = self.place(row);
            let lane = rectangle(x, y + 0.5, wide, self.height - 1.0);
            self.scene.path(&lane, Style::area(Ink::Idle));
        }
    }

    /// Space between two cells.
    fn gap(&self) -> f64 {
        if self.column > 8.0 { 1.0 } else { 0.0 }
    }

    fn cell(&mut self, row: usize, slot: u32, slots: u32, ink: Ink, told: Option<String>) {
        let cell = self.area(row, slot, slots);
        match told {
            Some(told) => self.scene.path_saying(cell.to_vec(), Style::area(ink), told),
            None => self.scene.path(&cell, Style::area(ink)),
        }
    }

    fn area(&self, row: usize, slot: u32, slots: u32) -> [super::scene::Segment; 5] {
        let (x, y) = self.place(row);
        let x = x + f64::from(slot) * self.column + self.gap() / 2.0;
        let wide = f64::from(slots) * self.column - self.gap();
        rectangle(x, y + 0.5, wide, self.height - 1.0)
    }

    /// Writes a number into a cell if it fits.
    fn number(&mut self, row: usize, slot: u32, label: String) {
        let size = 8.5;
        if self.height > 10.0 && text_width(&label, size) <= self.column {
            let (x, y) = self.place(row);
            let x = x + (f64::from(slot) + 0.5) * self.column;
            self.labels.push(text(x, y + 9.6, size, Anchor::Middle, Ink::Paper, label));
        }
    }

    fn finish(mut self) -> Scene {
        let labels = std::mem::take(&mut self.labels);
        self.scene.items.extend(labels);
        let wide = self.column * f64::from(self.period);
        for &row in &self.starts {
            let (x, y) = self.place(row);
            if row % self.rows > 0 {
                let line = rectangle(x - 4.0, y - 0.4, wide + 4.0, 0.8);
                self.scene.path(&line, Style::area(Ink::Line));
            }
        }
        let mut last = f64::MIN;
        for row in 0..self.names.len() {
            let (x, y) = self.place(row);
            // Low rows have no space for every name.
            if row % self.rows == 0 || y - last >= 11.0 {
                last = y;
                let name = fitted(&self.names[row], FONT_SIZE, self.left - 10.0);
                let baseline = if self.height > 10.0 { y + 9.8 } else { y + 5.0 };
                self.scene.items.push(text(
                    x - 6.0,
                    baseline,
                    FONT_SIZE,
                    Anchor::End,
                    Ink::Faint,
                    name,
                ));
            }
        }
        // As many slot numbers as fit.
        let widest = text_width(&self.period.to_string(), FONT_SIZE) + 4.0;
        let stride = (widest / self.column).ceil().max(1.0) as usize;
        for block in (0..self.names.len()).step_by(self.rows) {
            let (left, top) = self.place(block);
            for slot in (0..self.period).step_by(stride) {
                let x = left + (f64::from(slot) + 0.5) * self.column;
                let number = slot.to_string();
                self.scene.items.push(text(
                    x,
                    top - 8.0,
                    FONT_SIZE,
                    Anchor::Middle,
                    Ink::Faint,
                    number,
                ));
            }
            let word =
                text(left - 6.0, top - 8.0, FONT_SIZE, Anchor::End, Ink::Faint, "slot".into());
            self.scene.items.push(word);
        }
        self.scene
    }
}

fn text(x: f64, y: f64, size: f64, anchor: Anchor, ink: Ink, text: String) -> Item {
    Item::Text(Text { x, y, size, anchor, is_bold: false, ink, text })
}
