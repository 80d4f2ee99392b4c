//! Complete pictures, with headings and remarks.

use super::bandwidth::Widths;
use super::channels;
use super::ink::{Ink, SENDER_COLOURS};
use super::labels::{faults, has_short_names, processor};
use super::map::Map;
use super::nodes;
use super::panel::legend;
use super::scene::{Anchor, Item, Scene, Style, Text, circle, fitted, rectangle, text_width};
use super::senders::{Colours, word};
use super::steps;
use crate::title::title;
use pavane_model::{Bound, Network, claims, words};
use pavane_verify::CheckedSchedule;
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

/// A schedule with its bound: a whole collective, or one phase of it.
pub type CheckedPhase<'a> = (&'a CheckedSchedule, &'a Bound);

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
pub fn schedule(name: &str, phases: &[CheckedPhase<'_>], show: &Show) -> Result<Scene, DrawError> {
    let Some((first, _)) = phases.first() else { return Ok(Scene::default()) };
    let network = first.problem().network();
    check_size(network)?;
    let total = step_count(phases);
    let wanted = shown_steps(phases, show)?;
    let map = Map::new(network);
    let mut parts = Vec::new();
    let mut start = 0;
    for (checked, bound) in phases {
        let count = checked.schedule().step_count();
        let own = clipped(&wanted, start..start + count);
        check_uses(checked, own.clone())?;
        let panels =
            (!show.no_panels && !own.is_empty()).then(|| steps::panels(checked, &map, own, start));
        parts.push((checked, bound, panels, start));
        start += count;
    }
    let widest = parts.iter().flat_map(|part| &part.2).map(|panels| panels.width);
    let title = title(name, network);
    let width = widest.fold(720.0, f64::max).max(text_width(&title, 18.0).min(WIDEST_TITLE));
    let mut page = Page::new(title.clone(), width);
    page.line(18.0, Ink::Text, true, &title);
    if let Some(widths) = Widths::of(network).filter(|_| !show.no_panels) {
        page.place(widths.legend(nodes::thinnest(&map)));
    }
    for (checked, bound, panels, start) in parts {
        if phases.len() > 1 {
            page.line(14.0, Ink::Text, true, &claims::collective_in_words(checked.problem()));
        }
        page.facts(checked, bound);
        page.legend(checked);
        if let Some(panels) = panels {
            page.place(panels);
        }
        if !show.no_chart {
            page.line(13.0, Ink::Text, true, "channels in every step");
            let word = word(checked.problem());
            let text = format!("a cell has the colour of its {word}; pale cells are idle");
            page.line(11.0, Ink::Faint, false, &text);
            page.place(channels::chart(checked, width, start));
        }
    }
    page.names(network, &map);
    if !show.no_panels {
        page.note_steps("panels of steps", &wanted, total);
    }
    Ok(page.finish())
}

/// The number of steps of all phases.
pub(super) fn step_count(phases: &[CheckedPhase<'_>]) -> u32 {
    phases.iter().map(|(checked, _)| checked.schedule().step_count()).sum()
}

/// The steps of [`schedule`]: those requested, or as many of the first ones as one picture shows well.
pub fn shown_steps(phases: &[CheckedPhase<'_>], show: &Show) -> Result<Range<u32>, DrawError> {
    steps_within(phases, show, USES)
}

/// The steps of [`animated_schedule`](super::animated_schedule).
pub fn animated_steps(phases: &[CheckedPhase<'_>], show: &Show) -> Result<Range<u32>, DrawError> {
    steps_within(phases, show, ANIMATED_USES)
}

fn steps_within(
    phases: &[CheckedPhase<'_>],
    show: &Show,
    most_uses: usize,
) -> Result<Range<u32>, DrawError> {
    let total = step_count(phases);
    match &show.steps {
        None => {
            let schedules = phases.iter().map(|(checked, _)| checked.schedule());
            let all = schedules.flat_map(|it| (0..it.step_count()).map(move |step| it.step(step)));
            let mut uses = 0;
            let few = all.take(PANELS as usize).take_while(|transfers| {
                uses += transfers.clone().map(|transfer| transfer.path.len()).sum::<usize>();
                uses <= most_uses
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

/// The requested steps within a phase, counted from its start.
pub(super) fn clipped(wanted: &Range<u32>, phase: Range<u32>) -> Range<u32> {
    let start = wanted.start.clamp(phase.start, phase.end);
    let end = wanted.end.clamp(start, phase.end);
    start - phase.start..end - phase.start
}

pub(super) fn check_uses(checked: &CheckedSchedule, steps: Range<u32>) -> Result<(), DrawError> {
    let uses = steps.flat_map(|step| checked.schedule().step(step)).map(|t| t.path.len()).sum();
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

    fn facts(&mut self, checked: &CheckedSchedule, bound: &Bound) {
        let count = checked.schedule().step_count();
        let status = match count.saturating_sub(bound.steps) {
            0 => "optimal".to_owned(),
            gap => format!("at most {gap} from optimal"),
        };
        let uses = checked.schedule().channel_uses() as f64;
        let channels = checked.problem().network().channel_count() as f64;
        let share = 100.0 * uses / (channels * f64::from(count)).max(1.0);
        let text = format!(
            "{}, {status}: the bound is {} ({}); channels in use {share:.0} %",
            words::steps(count),
            bound.steps,
            bound.reason
        );
        self.line(13.0, Ink::Text, false, &text);
        if !bound.explanation.is_empty() {
            self.line(11.0, Ink::Faint, false, &bound.explanation);
        }
        let network = checked.problem().network();
        if !network.faults().is_empty() {
            self.line(11.0, Ink::Broken, false, &format!("broken {}", faults(network)));
        }
    }

    /// Explains the colours.
    fn legend(&mut self, checked: &CheckedSchedule) {
        self.scene.height += 24.0;
        let y = self.scene.height - 7.0;
        let (holder, new) = legend(checked.problem());
        let mut x = MARGIN + 6.0;
        for (ink, text) in [(Ink::Holder, holder), (Ink::New, new)] {
            self.scene.path(&circle(x, y - 4.0, 5.5), Style::rimmed(ink, Ink::Rim, 1.2));
            self.scene.text(x + 11.0, y, 11.0, Ink::Faint, text);
            x += 30.0 + 0.85 * text_width(text, 11.0);
        }
        let colours = Colours::of([checked]);
        let word = word(checked.problem());
        // If colours repeat, a list of them would not help.
        let (few, text) = match colours.order() {
            order if order.len() > SENDER_COLOURS as usize => {
                (&[][..], format!("paths have the colour of their {word}"))
            }
            order => (order, format!("paths by {word}:")),
        };
        self.scene.text(x - 6.0, y, 11.0, Ink::Faint, text.as_str());
        x += 0.85 * text_width(&text, 11.0) + 2.0;
        let network = checked.problem().network();
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

/// Writes a line in bold.
pub(crate) fn bold(scene: &mut Scene, x: f64, y: f64, size: f64, text: &str) {
    let (anchor, text) = (Anchor::Start, text.to_owned());
    scene.items.push(Item::Text(Text { x, y, size, anchor, is_bold: true, ink: Ink::Text, text }));
}
