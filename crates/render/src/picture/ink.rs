//! The colours of all pictures, by meaning, for light and dark backgrounds. Senders use the palette
//! of Okabe and Ito, which is distinguishable with any kind of colour vision.

/// The meaning of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ink {
    /// The background.
    Paper,
    /// The background of a panel.
    Panel,
    /// Titles and labels.
    Text,
    /// Remarks.
    Faint,
    /// Idle links, and frames.
    Line,
    /// Idle cells of a chart.
    Idle,
    /// The outlines of routers.
    Rim,
    /// A processor that holds what is sent: a possible distributor.
    Holder,
    /// A processor that was informed in this step.
    New,
    /// A broken part.
    Broken,
    /// A sender, by its index among the senders.
    Sender(u32),
    /// The load of a channel, from 0 (little) to [`LOADS`] - 1 (all of its bandwidth).
    Load(u32),
    /// A channel that limits throughput.
    Limit,
    /// The area of routers that limit throughput.
    Shade,
}

/// Light or dark background, or the reader's preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Light, or dark for readers that prefer that.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The names of all themes.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("light", Self::Light), ("dark", Self::Dark)];
}

/// The palette of Okabe and Ito without black, with a darker yellow that is visible on white; for
/// light and dark backgrounds.
const SENDERS: [(u32, u32); 8] = [
    (0x0072b2, 0x4aa8e0),
    (0xd55e00, 0xf0803a),
    (0x009e73, 0x2fc79b),
    (0xcc79a7, 0xe39cc3),
    (0xb8930a, 0xf0e442),
    (0x56b4e9, 0x8fd0f7),
    (0x8c4a00, 0xc98a4b),
    (0x6a5acd, 0xa89bf0),
];

/// Number of sender colours; after this many senders they repeat.
pub const SENDER_COLOURS: u32 = SENDERS.len() as u32;

/// From pale to dark on a light background, from dark to pale on a dark one.
const LOAD: [(u32, u32); 8] = [
    (0xc3dbee, 0x24405a),
    (0xa5cae6, 0x2c5375),
    (0x82b5da, 0x356891),
    (0x5f9fcd, 0x427fae),
    (0x4186bd, 0x5697c8),
    (0x286ca8, 0x74b0dd),
    (0x14518d, 0x9acaef),
    (0x08366b, 0xc9e5fb),
];

/// Number of colours for loads.
pub const LOADS: u32 = LOAD.len() as u32;

impl Ink {
    /// The colour for a share of the bandwidth of a channel, above 0.
    pub fn load(share: f64) -> Self {
        let level = (share.clamp(0.0, 1.0) * f64::from(LOADS)).ceil() as u32;
        Self::Load(level.saturating_sub(1).min(LOADS - 1))
    }

    /// Maps senders with the same colour to the same value.
    pub fn folded(self) -> Self {
        match self {
            Self::Sender(number) => Self::Sender(number % SENDER_COLOURS),
            Self::Load(level) => Self::Load(level.min(LOADS - 1)),
            other => other,
        }
    }

    /// The RGB values on light and dark backgrounds.
    pub fn colours(self) -> (u32, u32) {
        match self.folded() {
            Self::Paper => (0xffffff, 0x14171c),
            Self::Panel => (0xf7f8fa, 0x1b1f26),
            Self::Text => (0x1c2430, 0xe6eaf0),
            Self::Faint => (0x66707f, 0x97a1b0),
            Self::Line => (0xc9d0d9, 0x3c4450),
            Self::Idle => (0xeceff3, 0x242a33),
            Self::Rim => (0x5a6675, 0xa3aebd),
            Self::Holder => (0xffe9a3, 0x6b5716),
            Self::New => (0xa9e5b0, 0x1f6b38),
            Self::Broken => (0xb3261e, 0xff8a80),
            Self::Sender(number) => SENDERS[number as usize],
            Self::Load(level) => LOAD[level as usize],
            Self::Limit => (0xd6006c, 0xff5fa8),
            Self::Shade => (0xfcdcea, 0x4a2136),
        }
    }

    /// The RGB value on one kind of background.
    pub fn colour(self, is_dark: bool) -> u32 {
        let (light, dark) = self.colours();
        if is_dark { dark } else { light }
    }

    /// Its name in style sheets.
    pub fn name(self) -> String {
        match self.folded() {
            Self::Paper => "paper".into(),
            Self::Panel => "panel".into(),
            Self::Text => "text".into(),
            Self::Faint => "faint".into(),
            Self::Line => "line".into(),
            Self::Idle => "idle".into(),
            Self::Rim => "rim".into(),
            Self::Holder => "holder".into(),
            Self::New => "new".into(),
            Self::Broken => "broken".into(),
            Self::Sender(number) => format!("s{number}"),
            Self::Load(level) => format!("load{level}"),
            Self::Limit => "limit".into(),
            Self::Shade => "shade".into(),
        }
    }

    /// All colours.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Paper,
            Self::Panel,
            Self::Text,
            Self::Faint,
            Self::Line,
            Self::Idle,
            Self::Rim,
            Self::Holder,
            Self::New,
            Self::Broken,
            Self::Limit,
            Self::Shade,
        ];
        all.extend((0..SENDER_COLOURS).map(Self::Sender));
        all.extend((0..LOADS).map(Self::Load));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: u32) -> f64 {
        let part = |shift: u32| {
            let value = f64::from(colour >> shift & 0xff) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
    }

    fn contrast(one: Ink, other: Ink, is_dark: bool) -> f64 {
        let (a, b) = (luminance(one.colour(is_dark)), luminance(other.colour(is_dark)));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn loads_grow_darker_from_little_to_all() {
        let levels = [1e-9, 0.125, 0.126, 0.5, 1.0, 7.0].map(Ink::load);
        assert_eq!(levels, [0, 0, 1, 3, 7, 7].map(Ink::Load));
        for level in 1..LOADS {
            let [before, here] = [level - 1, level].map(Ink::Load);
            assert!(luminance(before.colour(false)) > luminance(here.colour(false)), "{level}");
            assert!(luminance(before.colour(true)) < luminance(here.colour(true)), "{level}");
        }
    }

    #[test]
    fn text_has_enough_contrast_on_every_background() {
        for is_dark in [false, true] {
            for paper in [Ink::Paper, Ink::Panel, Ink::Holder, Ink::New] {
                assert!(contrast(Ink::Text, paper, is_dark) >= 4.5, "{paper:?} {is_dark}");
            }
            assert!(contrast(Ink::Faint, Ink::Panel, is_dark) >= 4.5, "{is_dark}");
            for sender in (0..SENDER_COLOURS).map(Ink::Sender) {
                assert!(contrast(sender, Ink::Paper, is_dark) >= 2.0, "{sender:?} {is_dark}");
            }
            for paper in [Ink::Paper, Ink::Shade] {
                assert!(contrast(Ink::Limit, paper, is_dark) >= 3.0, "{paper:?} {is_dark}");
            }
        }
    }
}
