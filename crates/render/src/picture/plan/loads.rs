//! The load of every channel: the colour and width of its arrow show the share of its bandwidth that the plan uses.
//! What limits the throughput is drawn in a colour of its own.

use super::super::arrow::with_sized_tip;
use super::super::bandwidth::label;
use super::super::curve::segments;
use super::super::ink::{Ink, LOADS};
use super::super::map::Map;
use super::super::nodes;
use super::super::scene::{
    Item, Scene, Segment, Style, add_path, circle, fitted, rectangle, text_width,
};
use super::limit::Limit;
use super::phases;
use pavane_model::{ChannelId, Network};
use pavane_verify::CheckedPlan;

/// Up to this number of channels, each has a tooltip and an arrowhead.
const NOTED: usize = 4000;

/// Width of lines from no load to all of the bandwidth, and in networks without names.
const WIDTHS: (f64, f64) = (1.0, 3.6);
const THIN: (f64, f64) = (0.5, 1.8);

/// Distance of the shaded area from its routers.
const SHADE: f64 = 7.0;

/// The network with the loads of some phases.
pub fn scene(
    checked: &CheckedPlan,
    map: &Map,
    phase: Option<usize>,
    limit: Option<&Limit>,
) -> Scene {
    let network = checked.network();
    let mut scene = Scene { width: map.width, height: map.height, ..Scene::default() };
    if let Some(limit) = limit {
        shade(&mut scene, network, map, limit);
    }
    scene.items.extend(nodes::links(network, map));
    channels(&mut scene, checked, map, &shares(checked, phase), limit);
    scene.items.extend(nodes::nodes(network, map, |_| Ink::Paper));
    scene.items.extend(nodes::labels(network, map));
    scene
}

/// By channel: the share of its bandwidth that the plan uses during its time.
fn shares(checked: &CheckedPlan, phase: Option<usize>) -> Vec<f64> {
    let mut loads = vec![0u128; checked.network().channel_count()];
    for route in phases(checked, phase).flat_map(|(_, phase)| &phase.routes) {
        for channel in &route.channels {
            loads[channel.index()] += u128::from(route.weight);
        }
    }
    let bandwidths = checked.network().bandwidths().unwrap_or_default();
    let unit = checked.plan().scale as f64 * checked.time().to_f64();
    let share = |(load, bandwidth): (u128, pavane_model::Fraction)| match load {
        0 => 0.0,
        load => load as f64 / (unit * bandwidth.to_f64()),
    };
    loads.into_iter().zip(bandwidths).map(share).collect()
}

fn shade(scene: &mut Scene, network: &Network, map: &Map, limit: &Limit) {
    for router in &limit.routers {
        let (x, y) = map.routers[router.index()];
        scene.path(&circle(x, y, map.radius + SHADE), Style::area(Ink::Shade));
        for processor in network.residents(*router) {
            if let Some(((x, y), radius)) = map.processors[processor.index()] {
                scene.path(&circle(x, y, radius + SHADE), Style::area(Ink::Shade));
            }
        }
    }
}

fn channels(
    scene: &mut Scene,
    checked: &CheckedPlan,
    map: &Map,
    shares: &[f64],
    limit: Option<&Limit>,
) {
    let network = checked.network();
    let is_marked =
        |channel: ChannelId| limit.is_some_and(|limit| limit.is_marked[channel.index()]);
    let (least, most) = if map.labels.is_empty() { THIN } else { WIDTHS };
    let mut order: Vec<(ChannelId, f64)> =
        (0..).map(ChannelId).zip(shares.iter().copied()).collect();
    order.retain(|&(channel, share)| share > 0.0 || is_marked(channel));
    // Heavy loads are drawn over light ones, and marked channels over all others.
    order.sort_by(|one, other| {
        is_marked(one.0).cmp(&is_marked(other.0)).then(one.1.total_cmp(&other.1))
    });
    let is_noted = order.len() <= NOTED && !map.labels.is_empty();
    let mut tips = Vec::new();
    for (channel, share) in order {
        let ink = if is_marked(channel) { Ink::Limit } else { Ink::load(share) };
        let width = least + (most - least) * share.min(1.0);
        let curve = &map.channels[channel.index()];
        if !is_noted {
            scene.path(&segments(curve), Style::line(ink, (width * 5.0).round() / 5.0));
            continue;
        }
        let (line, tip) = with_sized_tip(curve, 0.6 + 0.6 * share.min(1.0));
        let line = segments(&line).to_vec();
        scene.path_saying(line, Style::line(ink, width), note(network, channel, share));
        add_path(&mut tips, &tip, Style::area(ink));
    }
    scene.items.extend::<Vec<Item>>(tips);
}

/// `gpu0 → switch: 46 % of 300 GB/s`.
fn note(network: &Network, channel: ChannelId, share: f64) -> String {
    let ends = network.channel(channel);
    let bandwidth = network.timing(channel).bandwidth_gbytes;
    format!(
        "{} → {}: {:.1} % of {}",
        network.router_name(ends.tail),
        network.router_name(ends.head),
        100.0 * share,
        bandwidth.map_or("its bandwidth".to_owned(), label)
    )
}

/// Explains the colours.
pub fn legend(limit: Option<&Limit>, width: f64) -> Scene {
    const CELL: f64 = 14.0;
    const FONT_SIZE: f64 = 11.0;
    let mut scene = Scene { width, height: 14.0, ..Scene::default() };
    for level in 0..LOADS {
        let cell = rectangle(CELL * f64::from(level), 2.0, CELL, 10.0);
        scene.path(&cell, Style::area(Ink::Load(level)));
    }
    let x = CELL * f64::from(LOADS) + 8.0;
    let text = "share of the bandwidth that is in use: 0 to 100 %";
    scene.text(x, 11.0, FONT_SIZE, Ink::Faint, text);
    let Some(limit) = limit else { return scene };
    let y = scene.height + 12.0;
    let line = [Segment::Move(2.0, y), Segment::Line(26.0, y)];
    scene.path(&line, Style::line(Ink::Limit, WIDTHS.1));
    // An overview may be narrow, but this sentence is what readers look for.
    let size = FONT_SIZE * (width - 34.0).min(text_width(&limit.text, FONT_SIZE)).max(1.0)
        / text_width(&limit.text, FONT_SIZE).max(1.0);
    let size = size.clamp(8.0, FONT_SIZE);
    let text = fitted(&limit.text, size, width - 34.0);
    scene.text(34.0, y + 4.0, size, Ink::Text, text);
    scene.height = y + 8.0;
    scene
}
