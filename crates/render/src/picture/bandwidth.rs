//! Line widths of links by bandwidth. Networks without bandwidths, or with the same one everywhere,
//! have lines of one width and no legend.

use super::ink::Ink;
use super::scene::{Scene, Segment, Style, text_width};
use pavane_model::{ChannelId, Network};

/// The widest line, as a multiple of the thinnest.
const WIDEST: f64 = 4.0;

/// The most bandwidths in a legend.
const LISTED: usize = 6;

/// The font size of a legend, and the length of its lines.
const FONT_SIZE: f64 = 11.0;
const LINE: f64 = 26.0;

/// Line widths for a network with at least two different bandwidths: proportional to the square root
/// of the bandwidth, or to a smaller power if the widest line would be more than four times as wide
/// as the thinnest.
#[derive(Debug, Clone, PartialEq)]
pub struct Widths {
    /// The different bandwidths in GB/s, ascending.
    bandwidths: Vec<f64>,
    /// The exponent of the bandwidth.
    power: f64,
}

impl Widths {
    /// The widths for a network; `None` if it does not have two different bandwidths.
    pub fn of(network: &Network) -> Option<Self> {
        let channels = (0..network.channel_count() as u32).map(ChannelId);
        let known = channels.filter_map(|channel| network.timing(channel).bandwidth_gbytes);
        let mut bandwidths: Vec<f64> = known.collect();
        bandwidths.sort_unstable_by(f64::total_cmp);
        bandwidths.dedup();
        let (least, most) = (*bandwidths.first()?, *bandwidths.last()?);
        let power = (WIDEST.ln() / (most / least).ln()).min(0.5);
        (bandwidths.len() > 1).then_some(Self { bandwidths, power })
    }

    /// The width for a bandwidth, as a multiple of the thinnest: from 1 to 4.
    pub fn factor(&self, bandwidth: f64) -> f64 {
        (bandwidth / self.bandwidths[0]).powf(self.power).clamp(1.0, WIDEST)
    }

    /// The same for a channel and the opposite one: their line has the width of the faster one.
    /// Channels without a bandwidth have the thinnest.
    pub fn of_link(&self, network: &Network, channel: ChannelId) -> f64 {
        let own = |channel| network.timing(channel).bandwidth_gbytes;
        let both = [own(channel), network.opposite(channel).and_then(own)];
        both.into_iter().flatten().map(|bandwidth| self.factor(bandwidth)).fold(1.0, f64::max)
    }

    /// The bandwidths that a legend lists, ascending: the smallest, the largest and some between them.
    pub fn listed(&self) -> Vec<f64> {
        let last = self.bandwidths.len() - 1;
        let most = last.min(LISTED - 1);
        (0..=most).map(|at| self.bandwidths[at * last / most]).collect()
    }

    /// A legend of one row, for lines whose thinnest has this width.
    pub fn legend(&self, thinnest: f64) -> Scene {
        let mut scene = Scene { height: 14.0, ..Scene::default() };
        let (mut x, y) = (2.0, 7.0);
        for bandwidth in self.listed() {
            let line = [Segment::Move(x, y), Segment::Line(x + LINE, y)];
            let width = thinnest * self.factor(bandwidth);
            scene.path(&line, Style::line(Ink::Line, width));
            let text = label(bandwidth);
            scene.text(x + LINE + 6.0, y + 4.0, FONT_SIZE, Ink::Faint, text.as_str());
            x += LINE + 22.0 + text_width(&text, FONT_SIZE);
        }
        scene.width = x;
        scene
    }
}

/// A bandwidth with its unit, such as `25 GB/s` or `0.333 GB/s`.
pub fn label(bandwidth: f64) -> String {
    let text = match bandwidth {
        1e6.. | ..0.001 => format!("{bandwidth:.2e}"),
        _ => format!("{bandwidth:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    };
    format!("{text} GB/s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::NetworkBuilder;
    use pavane_model::network::Timing;

    fn path(bandwidths: &[Option<f64>]) -> Network {
        let mut builder = NetworkBuilder::new("path", bandwidths.len() as u32 + 1);
        for (router, &bandwidth_gbytes) in (0..).zip(bandwidths) {
            builder.link(router, router + 1).timing(Timing { bandwidth_gbytes, latency_ns: None });
        }
        builder.processor(Some(0));
        builder.build().unwrap()
    }

    #[test]
    fn widths_grow_with_bandwidths() {
        let network = path(&[Some(25.0), Some(100.0), None, Some(50.0)]);
        let widths = Widths::of(&network).unwrap();
        let factors: Vec<f64> =
            (0..4).map(|link| widths.of_link(&network, ChannelId(2 * link))).collect();
        assert_eq!(factors[..3], [1.0, 2.0, 1.0]);
        assert!((factors[3] - 2f64.sqrt()).abs() < 1e-9);
        assert_eq!(widths.listed(), [25.0, 50.0, 100.0]);
    }

    #[test]
    fn bandwidths_that_differ_a_lot_stay_between_the_limits() {
        let widths = Widths::of(&path(&[Some(1e-6), Some(1.0), Some(1e6)])).unwrap();
        let factors: Vec<f64> = [1e-6, 1.0, 1e6].map(|bandwidth| widths.factor(bandwidth)).into();
        assert_eq!(factors[0], 1.0);
        assert!((factors[1] - 2.0).abs() < 1e-9 && (factors[2] - WIDEST).abs() < 1e-9);
        let many: Vec<Option<f64>> = (1..=40).map(|at| Some(f64::from(at))).collect();
        let listed = Widths::of(&path(&many)).unwrap().listed();
        assert_eq!((listed.len(), listed[0], listed[LISTED - 1]), (LISTED, 1.0, 40.0));
    }

    #[test]
    fn equal_or_no_bandwidths_have_no_widths() {
        for same in [path(&[None, None]), path(&[Some(25.0), Some(25.0)]), path(&[Some(1.0), None])]
        {
            assert_eq!(Widths::of(&same), None);
        }
        let labels = [25.0, 0.5, 1.0 / 3.0, 1e9].map(label);
        assert_eq!(labels, ["25 GB/s", "0.5 GB/s", "0.333 GB/s", "1.00e9 GB/s"]);
    }
}
