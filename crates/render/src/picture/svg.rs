//! Writes a picture as SVG. Colours for a light background are written as attributes, so that every
//! program shows them; an embedded style sheet replaces them for readers that prefer dark.

use super::ink::{Ink, Theme};
use super::scene::{Anchor, Item, Scene, Segment, Text, Window};
use crate::xml::escaped;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Writes a picture as SVG.
pub fn write(scene: &Scene, theme: Theme) -> String {
    let mut writer = Writer { scene, svg: String::new(), theme, used: BTreeSet::new() };
    writer.items(&[Item::Path(
        super::scene::rectangle(0.0, 0.0, scene.width, scene.height).to_vec(),
        super::scene::Style::area(Ink::Paper),
        None,
    )]);
    writer.items(&scene.items);
    let body = std::mem::take(&mut writer.svg);
    let is_still = |part: &Vec<Item>| !part.iter().any(Item::is_animated);
    for (number, part) in scene.parts.iter().enumerate().filter(|(_, part)| is_still(part)) {
        writer.add(format_args!("<g id=\"p{number}\">\n"));
        writer.items(part);
        writer.add(format_args!("</g>\n"));
    }
    let parts = std::mem::take(&mut writer.svg);
    let dark = writer.dark_style();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" font-family=\"Inter, 'Helvetica \
         Neue', Arial, 'Liberation Sans', sans-serif\" stroke-linecap=\"round\" \
         stroke-linejoin=\"round\">\n<title>{2}</title>\n{dark}<defs>\n{parts}</defs>\n{body}</svg>\n",
        short(scene.width),
        short(scene.height),
        escaped(&scene.title)
    )
}

struct Writer<'a> {
    scene: &'a Scene,
    svg: String,
    theme: Theme,
    used: BTreeSet<Ink>,
}

impl<'a> Writer<'a> {
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.svg.write_fmt(text);
    }

    fn items(&mut self, items: &[Item]) {
        let scene: &'a Scene = self.scene;
        for item in items {
            match item {
                Item::Path(segments, style, note) => self.path(segments, style, note.as_deref()),
                Item::Text(text) => self.text(text),
                // Not every program animates what is used from elsewhere.
                Item::Part(number, x, y) if scene.parts[*number].iter().any(Item::is_animated) => {
                    let (x, y) = (short(*x), short(*y));
                    self.add(format_args!("<g transform=\"translate({x} {y})\">\n"));
                    self.items(&scene.parts[*number]);
                    self.add(format_args!("</g>\n"));
                }
                Item::Part(number, x, y) => {
                    let (x, y) = (short(*x), short(*y));
                    self.add(format_args!(
                        "<use xlink:href=\"#p{number}\" x=\"{x}\" y=\"{y}\"/>\n"
                    ));
                }
                Item::Shown(number, window) => {
                    // Programs that do not animate show the start.
                    let start = if window.from == 0.0 { "visible" } else { "hidden" };
                    self.add(format_args!(
                        "<use xlink:href=\"#p{number}\" visibility=\"{start}\">"
                    ));
                    self.appearance(*window);
                    self.add(format_args!("</use>\n"));
                }
                Item::Moving(path, radius, ink, window) => {
                    self.moving(path, *radius, *ink, *window);
                }
            }
        }
    }

    /// The dot of a moving message.
    fn moving(&mut self, path: &[Segment], radius: f64, ink: Ink, window: Window) {
        let colour = self.colour(ink);
        let (radius, data) = (short(radius), path_data(path));
        let class = match self.theme {
            Theme::Auto => format!(" class=\"f-{}\"", ink.name()),
            _ => String::new(),
        };
        let seconds = self.scene.seconds;
        let (from, to) = (key(window.from / seconds), key(window.to / seconds));
        self.add(format_args!(
            "<circle r=\"{radius}\" fill=\"{colour}\"{class} visibility=\"hidden\"><animateMotion \
             path=\"{data}\" dur=\"{seconds}s\" repeatCount=\"indefinite\" calcMode=\"linear\" \
             keyPoints=\"0;0;1;1\" keyTimes=\"0;{from};{to};1\"/>"
        ));
        self.appearance(window);
        self.add(format_args!("</circle>\n"));
    }

    /// Makes an element visible for a while in every round of the animation.
    fn appearance(&mut self, window: Window) {
        let seconds = self.scene.seconds;
        let (from, to) = (key(window.from / seconds), key(window.to / seconds));
        let mut keys = vec![(0.0, if from == 0.0 { "visible" } else { "hidden" })];
        if from > 0.0 {
            keys.push((from, "visible"));
        }
        if to < 1.0 {
            keys.push((to, "hidden"));
        }
        let times: Vec<String> = keys.iter().map(|(time, _)| time.to_string()).collect();
        let values: Vec<&str> = keys.iter().map(|(_, value)| *value).collect();
        self.add(format_args!(
            "<animate attributeName=\"visibility\" calcMode=\"discrete\" values=\"{}\" \
             keyTimes=\"{}\" dur=\"{seconds}s\" repeatCount=\"indefinite\"/>",
            values.join(";"),
            times.join(";")
        ));
    }

    fn path(&mut self, segments: &[Segment], style: &super::scene::Style, note: Option<&str>) {
        self.add(format_args!("<path d=\"{}\"", path_data(segments)));
        let mut classes = Vec::new();
        match style.fill {
            Some(ink) => {
                let colour = self.colour(ink);
                self.add(format_args!(" fill=\"{colour}\""));
                classes.push(format!("f-{}", ink.name()));
            }
            None => self.add(format_args!(" fill=\"none\"")),
        }
        if let Some((ink, width)) = style.stroke {
            let colour = self.colour(ink);
            self.add(format_args!(" stroke=\"{colour}\" stroke-width=\"{}\"", short(width)));
            classes.push(format!("k-{}", ink.name()));
        }
        if style.is_dashed {
            self.add(format_args!(" stroke-dasharray=\"3 3\""));
        }
        if self.theme == Theme::Auto {
            self.add(format_args!(" class=\"{}\"", classes.join(" ")));
        }
        match note {
            Some(note) => self.add(format_args!("><title>{}</title></path>\n", escaped(note))),
            None => self.add(format_args!("/>\n")),
        }
    }

    fn text(&mut self, text: &Text) {
        let colour = self.colour(text.ink);
        let (x, y, size) = (short(text.x), short(text.y), short(text.size));
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\""));
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.add(format_args!(" text-anchor=\"middle\"")),
            Anchor::End => self.add(format_args!(" text-anchor=\"end\"")),
        }
        if text.is_bold {
            self.add(format_args!(" font-weight=\"600\""));
        }
        if self.theme == Theme::Auto {
            self.add(format_args!(" class=\"f-{}\"", text.ink.name()));
        }
        self.add(format_args!(">{}</text>\n", escaped(&text.text)));
    }

    fn colour(&mut self, ink: Ink) -> String {
        self.used.insert(ink.folded());
        format!("#{:06x}", ink.colour(self.theme == Theme::Dark))
    }

    fn dark_style(&self) -> String {
        if self.theme != Theme::Auto {
            return String::new();
        }
        let mut rules = String::new();
        for ink in &self.used {
            let (name, colour) = (ink.name(), ink.colour(true));
            let _ =
                write!(rules, ".f-{name}{{fill:#{colour:06x}}}.k-{name}{{stroke:#{colour:06x}}}");
        }
        format!("<style>@media (prefers-color-scheme: dark){{{rules}}}</style>\n")
    }
}

/// The path data of SVG.
pub fn path_data(segments: &[Segment]) -> String {
    let mut data = String::new();
    for segment in segments {
        // Writing to a string cannot fail.
        let _ = match *segment {
            Segment::Move(x, y) => write!(data, "M{} {}", short(x), short(y)),
            Segment::Line(x, y) => write!(data, "L{} {}", short(x), short(y)),
            Segment::Curve(a, b, c, d, x, y) => {
                let [a, b, c, d, x, y] = [a, b, c, d, x, y].map(short);
                write!(data, "C{a} {b} {c} {d} {x} {y}")
            }
            Segment::Close => write!(data, "Z"),
        };
    }
    data
}

/// A share of the duration of an animation, rounded to five decimals.
fn key(share: f64) -> f64 {
    (share.clamp(0.0, 1.0) * 1e5).round() / 1e5
}

/// A number rounded to one decimal.
pub fn short(value: f64) -> f64 {
    let rounded = (value * 10.0).round() / 10.0;
    // Avoids a negative zero, which would be written with its sign.
    if rounded == 0.0 { 0.0 } else { rounded }
}
