//! Labels of large networks are readable: at least 8 points at the size of the picture, and no two overlap.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_networks::topology;
use pavane_render::picture::{self, Theme, svg};

/// A text of a picture: centre, half its width and half its height.
struct Label {
    text: String,
    x: f64,
    y: f64,
    wide: f64,
    high: f64,
}

/// The value of an attribute.
fn number(tag: &str, name: &str) -> f64 {
    let start = tag.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    tag[start..].split('"').next().unwrap().parse().unwrap()
}

/// The labels of the routers, processors and groups of a network: the texts of its drawing, which are
/// centred, but not the headings.
fn labels(name: &str) -> Vec<(Label, f64)> {
    let network = topology::build(name).unwrap();
    let picture = svg::write(&picture::network(&network).unwrap(), Theme::Light);
    let mut labels = Vec::new();
    for part in
        picture.split("<text").skip(1).filter(|part| part.contains("text-anchor=\"middle\""))
    {
        let (tag, rest) = part.split_once('>').unwrap();
        let text = rest.split('<').next().unwrap().to_owned();
        let size = number(tag, "font-size");
        // Digits of common fonts are at most 0.6 times as wide as the font size.
        let wide = 0.3 * size * text.chars().count() as f64;
        let (x, y) = (number(tag, "x"), number(tag, "y") - 0.35 * size);
        labels.push((Label { text, x, y, wide, high: 0.4 * size }, size));
    }
    labels
}

const LARGE: &[&str] = &["fat-tree:8", "dragonfly:4,8,4", "nvl72", "slim-fly:5", "hypercube:7"];

#[test]
fn labels_of_large_networks_are_readable_and_apart() {
    for name in LARGE {
        let labels = labels(name);
        let network = topology::build(name).unwrap();
        assert!(labels.len() >= network.router_count(), "{name}: every router has a label");
        for (label, size) in &labels {
            assert!(*size >= 8.0, "{name}: {} has {size} points", label.text);
        }
        for (at, (one, _)) in labels.iter().enumerate() {
            for (other, _) in &labels[at + 1..] {
                let is_apart = (one.x - other.x).abs() >= one.wide + other.wide
                    || (one.y - other.y).abs() >= one.high + other.high;
                assert!(is_apart, "{name}: {} and {} overlap", one.text, other.text);
            }
        }
    }
}

#[test]
fn pods_and_groups_are_named() {
    let has = |name: &str, text: &str| labels(name).iter().any(|(label, _)| label.text == text);
    assert!(has("fat-tree:8", "pod 0") && has("fat-tree:8", "pod 7"));
    assert!(has("dragonfly:4,8,4", "group 0") && has("dragonfly:4,8,4", "group 32"));
    assert!(has("slim-fly:5", "group 1,4"));
    assert!(has("dgx-h100:4", "box3"));
}

/// The place of a label.
fn place(labels: &[(Label, f64)], text: &str) -> (f64, f64) {
    let (found, _) = labels.iter().find(|(label, _)| label.text == text).unwrap();
    (found.x, found.y)
}

#[test]
fn a_fat_tree_has_levels_and_its_pods_are_in_order() {
    for (name, half, rows) in [("fat-tree:4", 2, 1), ("fat-tree:8", 4, 2)] {
        let labels = labels(name);
        let at = |router: usize| place(&labels, &router.to_string());
        let (hosts, edges) = (2 * half * half * half, 2 * half * half);
        for first in [hosts, hosts + edges] {
            for next in first + 1..first + edges {
                assert!(at(next - 1).0 < at(next).0, "{name}: {next} is right of the one before");
                assert!((at(next).1 - at(first).1).abs() < 0.5, "{name}: {next} is at its level");
            }
        }
        for host in 1..hosts {
            assert!(at(host - 1).0 < at(host).0, "{name}: {host} is right of the one before");
        }
        let mut heights: Vec<f64> = (0..hosts).map(|host| at(host).1).collect();
        heights.sort_by(f64::total_cmp);
        heights.dedup_by(|one, other| (*one - *other).abs() < 0.5);
        assert_eq!(heights.len(), rows, "{name}: the rows of hosts are at {heights:?}");
        let levels = [0, hosts, hosts + edges, hosts + 2 * edges].map(|router| at(router).1);
        assert!(levels.windows(2).all(|pair| pair[0] > pair[1]), "{name}: {levels:?}");
    }
}

#[test]
fn switches_are_above_the_processors_of_nvl72() {
    let labels = labels("nvl72");
    let heights: Vec<f64> = (0..90).map(|router| place(&labels, &router.to_string()).1).collect();
    assert!(heights[72..].iter().all(|switch| *switch + 50.0 < heights[0]));
    assert!(heights[..72].iter().all(|processor| (processor - heights[0]).abs() < 0.5));
}
