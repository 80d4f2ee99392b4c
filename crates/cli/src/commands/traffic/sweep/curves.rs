//! Measured curves as CSV and as a picture, with what to warn of.

use super::point::Point;
use crate::commands::traffic::advice::advice;
use crate::commands::traffic::unfinished_runs;
use crate::words;
use pavane_model::{Duplex, Network, csv};
use pavane_render::curves::{self, Series, draw};
use pavane_traffic::{Over, SwitchingMethod};
use std::fmt::Write as _;

/// Points of several curves.
pub struct Curves {
    /// The parameter that varies.
    pub over: Over,
    /// Why the routings were chosen, if none were requested.
    pub reasons: Option<String>,
    /// Their points.
    pub points: Vec<Point>,
    /// Whether all points were measured; otherwise a signal ended the measurements.
    pub is_complete: bool,
    /// The last value and its number of missions, if a signal came between them.
    pub cut: Option<(f64, u64)>,
}

impl Curves {
    /// All points as CSV; a missing figure is an empty field.
    pub fn csv(&self) -> String {
        let is_steady = self.over == Over::Interval;
        let mut text = format!(
            "curve,{},mean,confidence,finished,unfinished,mean_of_finished,{}\n",
            self.over.field(),
            if is_steady { "unfinished_warm_up,steady" } else { "empty" }
        );
        let field = |figure: Option<f64>| figure.map_or(String::new(), |it| format!("{it:.4}"));
        for point in &self.points {
            let (mean, width) = point.figures();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{}{}{}{}",
                csv::cell(&point.curve),
                point.at,
                field(mean),
                field(width),
                point.finished(),
                point.unfinished,
                field(point.mean_of_finished()),
                point.empty.map_or(String::new(), |count| format!(",{count}")),
                point.unfinished_warm_up.map_or(String::new(), |count| format!(",{count}")),
                point.is_steady.map_or(String::new(), |is_steady| format!(",{is_steady}"))
            );
        }
        text
    }

    /// The switching methods of all points.
    pub fn switchings(&self) -> Vec<SwitchingMethod> {
        self.points.iter().map(|point| point.rules.0).collect()
    }

    /// Warns of missions that drew no message, which are not part of the means.
    pub fn warn_of_empty(&self) {
        let points = self.points.iter().filter(|point| point.empty.is_some_and(|empty| empty > 0));
        let count = points.count();
        if count > 0 {
            words::warn(&format!(
                "warning: {count} of {} leave out missions that drew no message (column `empty`)",
                words::counted(self.points.len(), "row")
            ));
        }
    }

    /// Warns of rows without a mean because latencies grow with time, and returns whether there are
    /// any.
    pub fn warn_of_growth(&self) -> bool {
        let count = self.points.iter().filter(|point| point.grows()).count();
        if count > 0 {
            words::warn(&format!(
                "warning: {count} of {} have no steady state, because more messages arrive than the network can carry and latencies grow with time, so there is no mean; try a longer time between arrivals (--values), or a longer --duration if it is short",
                words::counted(self.points.len(), "row")
            ));
        }
        count > 0
    }

    /// What to try, given the first point with a deadlock.
    pub fn stuck(&self, network: &Network, duplex: Duplex) -> String {
        let is_stuck =
            |point: &&Point| point.unfinished + point.unfinished_warm_up.unwrap_or(0) > 0;
        self.points
            .iter()
            .find(is_stuck)
            .map_or(String::new(), |point| advice(network, duplex, point.rules.0, &point.rules.1))
    }

    /// Describes what is unfinished, if anything is.
    pub fn unfinished(&self) -> Option<String> {
        let points = self.points.iter();
        match self.over {
            Over::Interval => {
                let sum = |count: fn(&Point) -> u64| points.clone().map(count).sum::<u64>();
                let measured = sum(|point| point.finished() + point.unfinished);
                let unfinished = sum(|point| point.unfinished);
                let early = sum(|point| point.unfinished_warm_up.unwrap_or(0));
                (unfinished + early > 0).then(|| {
                    format!(
                        "{unfinished} of {measured} messages after the warm-up and {early} before its end were not delivered"
                    )
                })
            }
            _ => unfinished_runs(points.map(|point| (point.finished(), point.unfinished))),
        }
    }

    /// The curves as a picture. Points without a mean are gaps; means that leave something out are
    /// hollow.
    pub fn svg(&self, title: &str) -> String {
        let mut series: Vec<Series> = Vec::new();
        for point in &self.points {
            let drawn = curves::Point {
                x: point.at,
                y: point.mean_of_finished(),
                is_partial: point.unfinished > 0,
            };
            match series.iter_mut().find(|series| series.name == point.curve) {
                Some(series) => series.points.push(drawn),
                None => series.push(Series { name: point.curve.clone(), points: vec![drawn] }),
            }
        }
        let items = self.over.items();
        let mut notes = Vec::new();
        for Series { name, .. } in &series {
            let points = self.points.iter().filter(|point| point.curve == *name);
            let unfinished = points.map(|point| point.unfinished).sum::<u64>();
            if unfinished > 0 {
                notes.push(format!("{name}: {unfinished} {items} unfinished (deadlock)"));
            }
        }
        let grow = self.points.iter().filter(|point| point.grows()).count();
        if !notes.is_empty() {
            notes.push(format!("hollow: mean over the finished {items} only; gap: none finished"));
        }
        if grow > 0 {
            let points = words::counted(grow, "point");
            notes.push(format!("{points} left out: latency grows with time, no steady state"));
        }
        let (across, up) = self.over.axes();
        draw(title, across, up, &series, &notes)
    }
}
