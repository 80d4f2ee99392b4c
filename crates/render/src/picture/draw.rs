//! Complete pictures, with headings and remarks.

use super::bandwidth::Widths;
use super::channels;
use super::ink::{Ink, SENDER_COLOURS};
use super::labels::{faults, has_short_names, processor};
use super::map::Map;
use super::nodes;
use super::panel::{legend, path_style};
use super::scene::{
    Anchor, Item, Scene, Segment, Style, Text, circle, fitted, rectangle, text_width,
};
use super::section::{DrawnSchedule, Section, SectionPhase, clipped};
use super::steps;
use pavane_model::whole::WholeBound;
use pavane_model::{Network, words};
use std::ops::Range;

/// Maximum size of a network that is drawn, in routers and channels.
const MOST_ROUTERS: usize = 20_000;
const MOST_CHANNELS: usize = 200_000;

/// Maximum number of channel uses in the steps drawn in one picture.
pub(super) const MOST_USES: usize = 400_000;

/// Default maximum number of steps, and of channel uses in them: a picture or animation with more is too large for most
/// purposes.
const PANELS: u32 = 64;
const USES: usize = 40_000;
const ANIMATED_USES: usize = 20_000;

const MARGIN: f64 = 24.0;

/// A longer title is cut.
const WIDEST_TITLE: f64 = 1240.0;

/// Which parts of a schedule are drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Show {
    /// Panels only, without the chart of channels.
    pub no_chart: bool,
    /// The chart only.
    pub no_panels: bool,
    /// The steps that are drawn, counted through all phases; by default the first 64, or fewer if these have many channel uses.
    pub steps: Option<Range<u32>>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The network is too large.
    #[error(
        "{name} has {count} {what}, but pictures show at most {most}; draw a smaller network of \
         the family"
    )]
    TooLarge {
        /// The network.
        name: String,
        /// The number of routers or channels.
        count: usize,
        /// Which of the two.
        what: &'static str,
        /// The maximum.
        most: usize,
    },
    /// Too many channel uses for one picture.
    #[error(
        "these steps have {uses} channel uses, but one picture shows at most {most}; draw fewer \
         steps with --steps"
    )]
    TooMany {
        /// The number of channel uses.
        uses: usize,
        /// The maximum.
        most: usize,
    },
    /// Too many slots for one picture.
    #[error(
        "the routers have {slots} slots in a period, but one picture shows at most {most}; draw the \
         schedule of a smaller network"
    )]
    TooManySlots {
        /// Slots of all routers.
        slots: u64,
        /// The maximum.
        most: u64,
    },
    /// The requested steps do not exist.
    #[error("there are no steps {first} to {last} (valid: 0 to {end})")]
    NoSuchSteps {
        /// The first step requested.
        first: u32,
        /// The last step requested.
        last: u32,
        /// The last step of the schedule.
        end: u32,
    },
}

/// Fails if the network is too large to draw.
pub fn check_size(network: &Network) -> Result<(), DrawError> {
    let sizes = [
        (network.router_count(), "routers", MOST_ROUTERS),
        (network.channel_count(), "channels", MOST_CHANNELS),
    ];
    for (count, what, most) in sizes {
        if count > most {
            let name = network.name().to_owned();
            return Err(DrawError::TooLarge { name, count, what, most });
        }
    }
    Ok(())
}

/// Draws a network.
pub fn network(network: &Network) -> Result<Scene, DrawError> {
    check_size(network)?;
    let map = Map::new(network);
    let remark = sizes(network, &map);
    let legend = Widths::of(network).map(|widths| widths.legend(nodes::thinnest(&map)));
    let width = map.width.max(text_width(&remark, 12.0)).max(text_width(network.name(), 18.0));
    let width = width.max(legend.as_ref().map_or(0.0, |legend| legend.width));
    let mut page = Page::new(network.name().to_owned(), width);
    page.line(18.0, Ink::Text, true, network.name());
    page.line(12.0, Ink::Faint, false, &remark);
    if !network.faults().is_empty() {
        page.line(12.0, Ink::Broken, false, &format!("broken {}", faults(network)));
    }
    if let Some(legend) = legend {
        page.place(legend);
    }
    let mut scene = Scene { width: map.width, height: map.height, ..Scene::default() };
    scene.items = nodes::links(network, &map);
    scene.items.extend(nodes::nodes(network, &map, |_| Ink::Paper));
    scene.items.extend(nodes::labels(network, &map));
    page.place(scene);
    page.names(network, &map);
    Ok(page.finish())
}

/// The size, such as `16 routers, 48 channels, 16 processors`.
fn sizes(network: &Network, map: &Map) -> String {
    let mut text = format!(
        "{} routers, {} channels, {} processors",
        network.router_count(),
        network.channel_count(),
        network.living_processors().count()
    );
    let switches = network.routers().filter(|&r| network.residents(r).is_empty()).count();
    if switches > 0 {
        text += &format!("; squares are switches ({switches})");
    }
    if map.processors.iter().any(Option::is_none) && !map.labels.is_empty() {
        text += "; processors are not drawn";
    }
    text
}

/// Draws a schedule of one or several phases.
pub fn schedule(drawn: &DrawnSchedule<'_>, show: &Show) -> Result<Scene, DrawError> {
    let sections = drawn.sections();
    let Some(first) = sections.first() else { return Ok(Scene::default()) };
    let network = first.network();
    check_size(network)?;
    let total = drawn.step_count();
    let wanted = shown_steps(drawn, show)?;
    let map = Map::new(network);
    let mut parts = Vec::new();
    for section in &sections {
        let own = clipped(&wanted, section.steps());
        check_uses(section, own.clone())?;
        let panels =
            (!show.no_panels && !own.is_empty()).then(|| steps::panels(section, &map, own));
        parts.push((section, panels));
    }
    let widest = parts.iter().flat_map(|part| &part.1).map(|panels| panels.width);
    let title = drawn.title();
    let width = widest.fold(720.0, f64::max).max(text_width(&title, 18.0).min(WIDEST_TITLE));
    let mut page = Page::new(title.clone(), width);
    page.line(18.0, Ink::Text, true, &title);
    if let Some(widths) = Widths::of(network).filter(|_| !show.no_panels) {
        page.place(widths.legend(nodes::thinnest(&map)));
    }
    if let Some(bound) = &drawn.whole.bound {
        page.whole(drawn, bound);
    }
    for (section, panels) in parts {
        for phase in section.phases.iter().filter(|_| drawn.phases.len() > 1) {
            let name = if section.is_overlapping() { phase.in_words() } else { phase.name() };
            page.line(14.0, Ink::Text, true, &name);
        }
        page.facts(section);
        page.legend(section);
        if let Some(panels) = panels {
            page.place(panels);
        }
        if !show.no_chart {
            page.line(13.0, Ink::Text, true, "channels in every step");
            let mut text = format!("a cell has the colour of its {}", section.word());
            if section.is_overlapping() {
                text += &format!("; low cells are of the {}", section.last().name());
            }
            page.line(11.0, Ink::Faint, false, &format!("{text}; pale cells are idle"));
            page.place(channels::chart(section, width));
        }
    }
    page.names(network, &map);
    if !show.no_panels {
        page.note_steps("panels of steps", &wanted, total);
    }
    Ok(page.finish())
}

/// The steps of [`schedule`]: those requested, or as many of the first ones as one picture shows well.
pub fn shown_steps(drawn: &DrawnSchedule<'_>, show: &Show) -> Result<Range<u32>, DrawError> {
    steps_within(drawn, show, USES)
}

/// The steps of [`animated_schedule`](super::animated_schedule).
pub fn animated_steps(drawn: &DrawnSchedule<'_>, show: &Show) -> Result<Range<u32>, DrawError> {
    steps_within(drawn, show, ANIMATED_USES)
}

fn steps_within(
    drawn: &DrawnSchedule<'_>,
    show: &Show,
    most_uses: usize,
) -> Result<Range<u32>, DrawError> {
    let total = drawn.step_count();
    match &show.steps {
        None => {
            let sections = drawn.sections();
            let all = sections.iter().flat_map(|it| it.steps().map(move |step| it.uses(step).1));
            let mut sum = 0;
            let few = all.take(PANELS as usize).take_while(|uses| {
                sum += uses;
                sum <= most_uses
            });
            Ok(0..(few.count() as u32).max(1).min(total))
        }
        Some(steps) if steps.start < steps.end && steps.end <= total => Ok(steps.clone()),
        Some(steps) => Err(DrawError::NoSuchSteps {
            first: steps.start,
            last: steps.end.saturating_sub(1),
            end: total.saturating_sub(1),
        }),
    }
}

pub(super) fn check_uses(section: &Section<'_>, steps: Range<u32>) -> Result<(), DrawError> {
    let uses = steps.map(|step| section.uses(step).1).sum();
    if uses > MOST_USES { Err(DrawError::TooMany { uses, most: MOST_USES }) } else { Ok(()) }
}

/// A picture that grows downwards.
pub(crate) struct Page {
    scene: Scene,
    width: f64,
}

impl Page {
    pub(crate) fn new(title: String, width: f64) -> Self {
        let scene = Scene { title, height: MARGIN, ..Scene::default() };
        Self { scene, width }
    }

    pub(crate) fn line(&mut self, size: f64, ink: Ink, is_bold: bool, text: &str) {
        self.scene.height += size * 1.45;
        let (x, y, anchor) = (MARGIN, self.scene.height - size * 0.3, Anchor::Start);
        let text = fitted(text, size, self.width);
        self.scene.items.push(Item::Text(Text { x, y, size, anchor, is_bold, ink, text }));
    }

    pub(crate) fn place(&mut self, scene: Scene) {
        self.scene.height += 12.0;
        let (x, y, height) = (MARGIN, self.scene.height, scene.height);
        self.scene.place(scene, x, y);
        self.scene.height += height + 10.0;
    }

    pub(crate) fn finish(mut self) -> Scene {
        self.scene.width = self.width + 2.0 * MARGIN;
        self.scene.height += MARGIN - 10.0;
        self.scene
    }

    /// Lists the names of routers that show their numbers because the names are long.
    fn names(&mut self, network: &Network, map: &Map) {
        const SIZE: f64 = 11.0;
        if map.labels.is_empty() || has_short_names(network) {
            return;
        }
        let name = |(label, router)| format!("{label} {}", network.router_name(router));
        let entries: Vec<String> = map.labels.iter().zip(network.routers()).map(name).collect();
        let widest = entries.iter().map(|entry| text_width(entry, SIZE)).fold(1.0, f64::max);
        let column = (widest + 16.0).min(self.width);
        let rows = entries.len().div_ceil((self.width / column) as usize);
        let (line, width) = (SIZE * 1.45, self.width);
        let mut scene = Scene { width, height: line * rows as f64, ..Scene::default() };
        for (at, entry) in entries.iter().enumerate() {
            let (x, y) = (column * (at / rows) as f64, line * (at % rows + 1) as f64);
            scene.text(x, y - SIZE * 0.3, SIZE, Ink::Faint, fitted(entry, SIZE, column));
        }
        self.place(scene);
    }

    /// Says which steps are drawn, unless all are.
    pub(super) fn note_steps(&mut self, what: &str, shown: &Range<u32>, total: u32) {
        if shown.len() < total as usize {
            let text = format!("{what} {} to {} of 0 to {}", shown.start, shown.end - 1, total - 1);
            self.line(11.0, Ink::Faint, false, &text);
        }
    }

    /// The bound of an all-reduce and its argument.
    fn whole(&mut self, drawn: &DrawnSchedule<'_>, bound: &WholeBound) {
        let steps = drawn.step_count();
        let status = status(steps, bound.steps);
        let reason = bound.certificate.kind.name();
        let text =
            format!("{}, {status}: the bound is {} ({reason})", words::steps(steps), bound.steps);
        self.line(13.0, Ink::Text, false, &text);
        if !bound.explanation.is_empty() {
            self.line(11.0, Ink::Faint, false, &bound.explanation);
        }
    }

    fn facts(&mut self, section: &Section<'_>) {
        let network = section.network();
        let steps = section.steps();
        let count = steps.len() as u32;
        let uses: usize = steps.map(|step| section.uses(step).1).sum();
        let room = network.channel_count() as f64 * f64::from(count);
        let used = format!("channels in use {:.0} %", 100.0 * uses as f64 / room.max(1.0));
        match &section.phases[..] {
            [SectionPhase { bound, .. }] => {
                let text = format!(
                    "{}, {}: the bound is {} ({}); {used}",
                    words::steps(count),
                    status(count, bound.steps),
                    bound.steps,
                    bound.reason
                );
                self.line(13.0, Ink::Text, false, &text);
                if !bound.explanation.is_empty() {
                    self.line(11.0, Ink::Faint, false, &bound.explanation);
                }
            }
            _ => self.line(13.0, Ink::Text, false, &used),
        }
        if !network.faults().is_empty() {
            self.line(11.0, Ink::Broken, false, &format!("broken {}", faults(network)));
        }
    }

    /// Explains the colours, and the lines of phases that overlap.
    fn legend(&mut self, section: &Section<'_>) {
        self.scene.height += 24.0;
        let y = self.scene.height - 7.0;
        let (holder, new) = legend(section.last().checked.problem());
        let mut x = MARGIN + 6.0;
        for (ink, text) in [(Ink::Holder, holder), (Ink::New, new)] {
            self.scene.path(&circle(x, y - 4.0, 5.5), Style::rimmed(ink, Ink::Rim, 1.2));
            self.scene.text(x + 11.0, y, 11.0, Ink::Faint, text);
            x += 30.0 + 0.85 * text_width(text, 11.0);
        }
        for (number, phase) in
            section.phases.iter().enumerate().filter(|_| section.is_overlapping())
        {
            let line = [Segment::Move(x - 6.0, y - 4.0), Segment::Line(x + 16.0, y - 4.0)];
            self.scene.path(&line, path_style(number, Ink::Text, 2.2));
            let name = phase.name();
            self.scene.text(x + 21.0, y, 11.0, Ink::Faint, name.as_str());
            x += 40.0 + 0.85 * text_width(&name, 11.0);
        }
        let colours = section.colours();
        let word = section.word();
        // If colours repeat, a list of them would not help.
        let (few, text) = match colours.order() {
            order if order.len() > SENDER_COLOURS as usize => {
                (&[][..], format!("paths have the colour of their {word}"))
            }
            order => (order, format!("paths by {word}:")),
        };
        self.scene.text(x - 6.0, y, 11.0, Ink::Faint, text.as_str());
        x += 0.85 * text_width(&text, 11.0) + 2.0;
        let network = section.network();
        let has_short_names = has_short_names(network);
        for &sender in few {
            let label = processor(network, sender, has_short_names);
            let swatch = rectangle(x, y - 8.5, 10.0, 10.0);
            self.scene.path(&swatch, Style::area(colours.ink(sender)));
            self.scene.text(x + 13.0, y, 11.0, Ink::Faint, label.as_str());
            x += 22.0 + text_width(&label, 11.0);
        }
    }
}

/// Whether a schedule is optimal, in words.
fn status(steps: u32, bound: u32) -> String {
    match steps.saturating_sub(bound) {
        0 => "optimal".to_owned(),
        gap => format!("at most {gap} from optimal"),
    }
}

/// Writes a line in bold.
pub(crate) fn bold(scene: &mut Scene, x: f64, y: f64, size: f64, text: &str) {
    let (anchor, text) = (Anchor::Start, text.to_owned());
    scene.items.push(Item::Text(Text { x, y, size, anchor, is_bold: true, ink: Ink::Text, text }));
}
