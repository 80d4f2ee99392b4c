//! A dependency graph, as Graphviz DOT and as SVG with the nodes on a circle; a cycle is drawn in
//! red.

use crate::picture::scene::text_width;
use crate::xml::escaped;
use std::fmt::Write;

/// A graph with named nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct DependencyGraph {
    /// The names of the nodes.
    pub names: Vec<String>,
    /// Edges, as pairs of nodes.
    pub edges: Vec<(usize, usize)>,
    /// The nodes of a cycle to highlight; may be empty.
    pub cycle: Vec<usize>,
}

/// The colours for readers that prefer dark.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) { .paper { fill: #14171c } .text { fill: #e6eaf0 } \
                    .edge { stroke: #5d6b7c } .red { stroke: #ff8a80 } .red-text { fill: #ff8a80 } }</style>\n";

impl DependencyGraph {
    fn is_on_cycle(&self, from: usize, to: usize) -> bool {
        let nexts = self.cycle.iter().cycle().skip(1);
        self.cycle.iter().zip(nexts).any(|pair| pair == (&from, &to))
    }

    /// The graph as Graphviz DOT.
    pub fn dot(&self) -> String {
        let mut text = "digraph dependencies {\n  node [shape=box];\n".to_owned();
        for (node, name) in self.names.iter().enumerate() {
            let mark = if self.cycle.contains(&node) { ", color=red" } else { "" };
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  c{node} [label=\"{name}\"{mark}];");
        }
        for &(from, to) in &self.edges {
            let mark = if self.is_on_cycle(from, to) { " [color=red, penwidth=2]" } else { "" };
            let _ = writeln!(text, "  c{from} -> c{to}{mark};");
        }
        text + "}\n"
    }

    /// The graph as SVG.
    pub fn svg(&self, title: &str) -> String {
        let count = self.names.len().max(1) as f64;
        let radius = (count * 5.0).max(140.0);
        // A channel is written `0>1` in files and drawn as an arrow.
        let labels: Vec<String> =
            self.names.iter().map(|name| name.replacen('>', " → ", 1)).collect();
        let longest = labels.iter().map(|label| text_width(label, 10.0)).fold(0.0, f64::max);
        let middle = (radius + longest + 24.0).max(210.0);
        let place = |node: usize, radius: f64| {
            let angle = std::f64::consts::TAU * node as f64 / count;
            (middle + radius * angle.sin(), middle + 20.0 - radius * angle.cos())
        };
        let (size, high) = (2.0 * middle, 2.0 * middle + 20.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size:.0}\" height=\"{high:.0}\" \
             viewBox=\"0 0 {size:.0} {high:.0}\" font-family=\"sans-serif\" font-size=\"10\">\n{DARK}<rect class=\"paper\" width=\"100%\" \
             height=\"100%\" fill=\"#ffffff\"/>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
             markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"text\" d=\"M0 0L8 4L0 8z\"/></marker>\
             </defs>\n<text class=\"text\" x=\"14\" y=\"22\" font-size=\"14\" font-weight=\"600\">{}</text>\n",
            escaped(title)
        );
        for is_red in [false, true] {
            for &(from, to) in &self.edges {
                if self.is_on_cycle(from, to) != is_red {
                    continue;
                }
                let ((x1, y1), (x2, y2)) = (place(from, radius), place(to, radius));
                let (class, colour, width) =
                    if is_red { ("red", "#c00", 2.0) } else { ("edge", "#9ab", 0.8) };
                let _ = writeln!(
                    svg,
                    "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
                     stroke=\"{colour}\" stroke-width=\"{width}\" marker-end=\"url(#tip)\"/>"
                );
            }
        }
        for (node, label) in labels.iter().enumerate() {
            // Names point away from the middle, so that they do not overlap.
            let (x, y) = place(node, radius + 8.0);
            let turn = 360.0 * node as f64 / count;
            let (anchor, angle) =
                if turn <= 180.0 { ("start", turn - 90.0) } else { ("end", turn + 90.0) };
            let (class, colour) =
                if self.cycle.contains(&node) { ("red-text", "#c00") } else { ("text", "#1c2430") };
            let _ = writeln!(
                svg,
                "<text class=\"{class}\" transform=\"translate({x:.1} {y:.1}) rotate({angle:.1})\" dy=\"3.5\" \
                 text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
                escaped(label)
            );
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_red_in_both_drawings() {
        let names = ["0>1", "1>2", "2>0", "0>2"].map(str::to_owned).to_vec();
        let graph = DependencyGraph {
            names,
            edges: vec![(0, 1), (1, 2), (2, 0), (3, 1)],
            cycle: vec![0, 1, 2],
        };
        assert_eq!(graph.dot().matches("color=red, penwidth").count(), 3);
        assert_eq!(graph.svg("t").matches("stroke=\"#c00\"").count(), 3);
        assert!(graph.svg("t").contains(">2 → 0</text>"));
        let free = DependencyGraph { cycle: Vec::new(), ..graph };
        assert_eq!(free.dot().matches("red").count(), 0);
    }
}
