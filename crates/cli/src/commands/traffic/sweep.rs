//! `pavane traffic sweep`: curves over density, hot spots, standard deviation of lengths, time
//! between arrivals, or load.

use super::advice::advice;
use super::compare::switching_names;
use super::{
    ALL, check_lanes, compare_rows, exit_code, interrupted, policies, rate, simulators, stop_flag,
    switchings, unfinished_runs,
};
use crate::args::traffic::{CompareArgs, SweepArgs};
use crate::output::{
    DONE, Failure, check_place, is_standard, not_so, print_json, standard_for_files, write_file,
};
use crate::picture_file::check_svg;
use crate::progress::Ticker;
use crate::report::traffic::{SweepPoint, SweptValue, TrafficSweep};
use crate::words;
use pavane_cluster::{Cluster, Jobs};
use pavane_model::{Duplex, Network, csv};
use pavane_render::curves::{self, Series, draw};
use pavane_traffic::mission::{Arrivals, Pattern};
use pavane_traffic::policy::Policy;
use pavane_traffic::statistics::Estimate;
use pavane_traffic::steady::{Latency, Steady, latency};
use pavane_traffic::{RoutedSimulator, SwitchingMethod};
use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The parameter that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The probability of a message.
    Density,
    /// The number of destinations.
    HotSpots,
    /// The standard deviation of lengths.
    Sigma,
    /// The mean time between arrivals in a steady state.
    Interval,
    /// The offered load in a steady state.
    Rate,
}

const NAMES: &[(&str, Over)] = &[
    ("density", Over::Density),
    ("hot-spots", Over::HotSpots),
    ("sigma", Over::Sigma),
    ("interval", Over::Interval),
    ("rate", Over::Rate),
];

impl Over {
    fn find(name: &str) -> Result<Self, Failure> {
        let found = NAMES.iter().find(|(known, _)| *known == name).map(|(_, over)| *over);
        found.ok_or_else(|| {
            let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            Failure::bad_input(format!(
                "--over {name:?}: unknown parameter; the parameters are {known}"
            ))
        })
    }

    /// Default points.
    fn values(self, network: &Network) -> Vec<f64> {
        match self {
            Self::Density => (1..=10).map(|tenth| f64::from(tenth) / 10.0).collect(),
            Self::HotSpots => {
                let processors = network.living_processors().count();
                (1..=processors.min(16)).map(|spots| spots as f64).collect()
            }
            Self::Sigma => (0..=10).map(f64::from).collect(),
            // Measured elsewhere.
            Self::Rate => Vec::new(),
            Self::Interval => vec![15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0],
        }
    }

    /// Axis labels.
    fn axes(self) -> (&'static str, &'static str) {
        match self {
            Self::Density => ("density", "mean makespan"),
            Self::HotSpots => ("hot spots", "mean makespan"),
            Self::Sigma => ("deviation of lengths", "mean makespan"),
            Self::Rate => ("rate", "mean latency"),
            Self::Interval => {
                ("mean time between arrivals", "mean latency of messages after the warm-up")
            }
        }
    }

    /// What a mean is taken over.
    fn items(self) -> &'static str {
        if self == Self::Interval { "messages" } else { "missions" }
    }
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The name of the curve.
    pub curve: String,
    /// Its position on the axis.
    pub at: f64,
    /// Mean over finished missions, or over delivered messages that arrived after the warm-up of a
    /// steady state; `None` if there are none.
    pub partial: Option<Estimate>,
    /// Number of missions that deadlocked, or of messages that arrived after the warm-up and were
    /// never delivered.
    pub unfinished: u64,
    /// In a steady state, the number of messages of the warm-up that were never delivered.
    pub unfinished_warm_up: Option<u64>,
    /// With arrivals over time, whether there is no deadlock and latencies do not grow.
    pub is_steady: Option<bool>,
    /// The switching and the routing.
    pub rules: (SwitchingMethod, String),
}

impl Point {
    /// Number of missions or messages that finished.
    fn finished(&self) -> u64 {
        self.partial.map_or(0, |mean| mean.count as u64)
    }

    /// Whether latencies grow with time, so that they have no mean.
    fn grows(&self) -> bool {
        let is_stuck = self.unfinished + self.unfinished_warm_up.unwrap_or(0) > 0;
        self.is_steady == Some(false) && !is_stuck
    }

    /// The mean over all missions or measured messages and half the width of its confidence
    /// interval; `None` if one of them did not finish, or if latencies grow with time.
    pub fn figures(&self) -> (Option<f64>, Option<f64>) {
        let mean = self.partial.filter(|_| self.unfinished == 0 && !self.grows());
        (mean.map(|mean| mean.mean), mean.and_then(|mean| mean.half_width))
    }

    /// The mean over those that finished; `None` if there are none, or if latencies grow with time.
    fn mean_of_finished(&self) -> Option<f64> {
        self.partial.filter(|_| !self.grows()).map(|mean| mean.mean)
    }
}

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
}

/// Computes the curves, and writes and prints them.
pub fn run(args: &SweepArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    if let Some(path) = args.csv.as_ref().filter(|_| cluster.is_first()) {
        check_place(path)?;
    }
    if let Some(path) = args.svg.as_ref().filter(|_| cluster.is_first()) {
        check_svg("--svg", path)?;
    }
    let network = args.compare.network.load()?;
    let over = Over::find(&args.over)?;
    check_options(args, over)?;
    if over == Over::Rate {
        return rate::run(args, &network, cluster);
    }
    let stop = stop_flag(cluster);
    let curves =
        curves(&args.compare, &network, over, &args.values, args.steady(), &stop, cluster)?;
    if !cluster.is_first() {
        return Ok(DONE);
    }
    if let Some(path) = &args.csv {
        write_file(path, |out| out.write_all(curves.csv().as_bytes()))?;
    }
    if let Some(path) = &args.svg {
        let title = format!("{}: {}", network.name(), over.axes().1);
        write_file(path, |out| out.write_all(curves.svg(&title).as_bytes()))?;
    }
    let is_taken = is_standard([&args.csv, &args.svg]);
    if args.compare.json && !is_taken {
        let points = curves.points.iter().map(|point| point_report(over, point)).collect();
        print_json(&TrafficSweep {
            network: network.name(),
            routing_reason: curves.reasons.as_deref(),
            points,
            saturation: None,
            complete: curves.is_complete,
        })?;
    } else if !is_taken && (args.csv.is_none() || args.svg.is_none()) {
        let mut out = standard_for_files();
        out.write_all(curves.csv().as_bytes())?;
        out.flush()?;
    }
    if let Some(reasons) = curves.reasons.as_ref().filter(|_| !args.compare.json) {
        words::warn(&format!("routing chosen: {reasons}"));
    }
    if !curves.is_complete {
        return Ok(interrupted(curves.points.len() as u64, "point"));
    }
    let is_steady = !curves.warn_of_growth();
    let stuck = || curves.stuck(&network, args.compare.rules.duplex());
    let code = exit_code(curves.unfinished(), ALL, stuck);
    Ok(if is_steady { code } else { not_so() })
}

/// Fails if an option is given that has no effect on curves over this parameter.
fn check_options(args: &SweepArgs, over: Over) -> Result<(), Failure> {
    let (compare, draw) = (&args.compare, &args.compare.draw);
    let steady: &[Over] = &[Over::Interval, Over::Rate];
    let (interval, rate): (&[Over], &[Over]) = (&[Over::Interval], &[Over::Rate]);
    let missions: &[Over] = &[Over::Density, Over::HotSpots, Over::Sigma];
    let no_density: &[Over] = &[Over::Density, Over::Interval, Over::Rate];
    let no_sigma: &[Over] = &[Over::Sigma, Over::Rate];
    let no_spots: &[Over] = &[Over::HotSpots, Over::Interval];
    // The option, whether it is given, and the parameters with which it has no effect.
    let options = [
        ("--density", draw.density.is_some(), no_density),
        ("--hot-spots", draw.hot_spots.is_some(), no_spots),
        ("--permutation", draw.permutation, no_spots),
        ("--mean", draw.mean.is_some(), rate),
        ("--sigma", draw.sigma.is_some(), no_sigma),
        ("--window", draw.window.is_some(), steady),
        ("--missions", compare.missions.is_some(), steady),
        ("--optimal", compare.optimal > 0, steady),
        ("--duration", args.duration.is_some(), missions),
        ("--warm-up", args.warm_up.is_some(), missions),
        ("--drain", args.drain.is_some(), &[missions, interval].concat()),
        ("--flits", args.flits.is_some(), &[missions, interval].concat()),
    ];
    for (option, is_given, unused) in options {
        if is_given && unused.contains(&over) {
            let name = &args.over;
            let why = if option.trim_start_matches('-') == name {
                "--values gives its values"
            } else {
                "remove it"
            };
            return Err(Failure::bad_input(format!(
                "{option} has no effect with --over {name}; {why}"
            )));
        }
    }
    Ok(())
}

/// A point, for JSON.
fn point_report(over: Over, point: &Point) -> SweepPoint<'_> {
    let (mean, confidence) = point.figures();
    let at = match over {
        Over::Density => SweptValue::Density(point.at),
        Over::HotSpots => SweptValue::HotSpots(point.at),
        Over::Sigma => SweptValue::Sigma(point.at),
        Over::Interval => SweptValue::Interval(point.at),
        Over::Rate => SweptValue::Rate(point.at),
    };
    SweepPoint {
        curve: &point.curve,
        at,
        mean,
        confidence,
        mean_of_finished: point.mean_of_finished(),
        finished: point.finished(),
        unfinished: point.unfinished,
        unfinished_warm_up: point.unfinished_warm_up,
        steady: point.is_steady,
        offered: None,
        accepted: None,
        saturated: None,
        deadlocked: None,
    }
}

/// Measures all curves at all points.
pub fn curves(
    args: &CompareArgs,
    network: &Network,
    over: Over,
    values: &[f64],
    (duration, warm_up): (f64, f64),
    stop: &AtomicBool,
    cluster: &Cluster,
) -> Result<Curves, Failure> {
    let values = if values.is_empty() { over.values(network) } else { values.to_vec() };
    if over == Over::Interval {
        return steady_curves(args, network, &values, (duration, warm_up), stop, cluster);
    }
    let (mut points, mut reasons) = (Vec::new(), None);
    for (at, &value) in values.iter().enumerate() {
        let place = format!(" of point {} of {}", at + 1, values.len());
        let mut uniform = args.draw.uniform();
        match over {
            Over::Density => uniform.density = value,
            Over::Sigma => uniform.sigma = value,
            Over::HotSpots if value >= 1.0 && value.fract() == 0.0 && value < 4e9 => {
                uniform.pattern = Pattern::HotSpots(value as u32);
            }
            Over::HotSpots | Over::Interval | Over::Rate => {
                return Err(Failure::bad_input(format!(
                    "--values {value}: the number of hot spots must be a positive integer"
                )));
            }
        }
        let compared = compare_rows(args, network, uniform, &place, stop, cluster)?;
        reasons = compared.reasons;
        if stop.load(Ordering::Relaxed) {
            return Ok(Curves { over, reasons, points, is_complete: false });
        }
        for row in compared.rows {
            let curve = format!("{} {} {}", row.switching.name(), row.routing, row.policy);
            points.push(Point {
                curve,
                at: value,
                partial: row.makespan,
                unfinished: row.unfinished,
                unfinished_warm_up: None,
                is_steady: None,
                rules: (row.switching, row.routing),
            });
        }
    }
    Ok(Curves { over, reasons, points, is_complete: true })
}

/// The latency of every combination at every point. The runs are long, so each is a task of its
/// own.
fn steady_curves(
    args: &CompareArgs,
    network: &Network,
    values: &[f64],
    (duration, warm_up): (f64, f64),
    stop: &AtomicBool,
    cluster: &Cluster,
) -> Result<Curves, Failure> {
    let switchings = switchings(&switching_names(args), &args.rules)?;
    check_lanes(&args.rules, &switchings)?;
    let simulators = simulators(network, &args.routing, &args.rules, &switchings)?;
    let reasons = RoutedSimulator::reasons(&simulators);
    let policies = policies(&args.policy, &args.rules)?;
    let mut runs = Vec::new();
    for &interval in values {
        for &switching in &switchings {
            for routed in simulators.iter().filter(|it| it.switchings.contains(&switching)) {
                let run = |&policy: &Policy| {
                    let name = format!("{} {} {}", switching.name(), routed.name, policy.name);
                    (name, interval, switching, routed, policy)
                };
                runs.extend(policies.iter().map(run));
            }
        }
    }
    let done = Arc::new(AtomicU64::new(0));
    let _ticker = Ticker::counting(cluster.ranks(), "steady states", runs.len() as u64, &done);
    let work = |number: usize| {
        let (_, interval, switching, routed, policy) = &runs[number];
        let arrivals = Arrivals { interval: *interval, duration };
        let uniform = args.draw.uniform();
        let steady = Steady { arrivals, uniform, warm_up, seed: args.draw.seed };
        latency(&steady, &routed.simulator, *switching, *policy).map_err(|error| error.to_string())
    };
    let found = Mutex::new(vec![None; runs.len()]);
    let collect = |number: usize, latency: Result<Latency, String>| {
        done.fetch_add(1, Ordering::Relaxed);
        found.lock().expect("no thread panics while it holds this")[number] = Some(latency);
    };
    let workers = args.threads.unwrap_or_else(words::cores);
    cluster.share(&Jobs { count: runs.len(), workers, stop, work: &work, collect: &collect });
    let over = Over::Interval;
    if !cluster.is_first() {
        return Ok(Curves { over, reasons, points: Vec::new(), is_complete: true });
    }
    let found = found.into_inner().expect("no thread panics while it holds this");
    type Run<'a> = (String, f64, SwitchingMethod, &'a RoutedSimulator, Policy);
    let point = |(run, latency): (Run<'_>, Option<Result<Latency, String>>)| {
        let latency = latency.unwrap_or_else(|| Err("a rank ended early".to_owned()));
        let latency = latency.map_err(Failure::bad_input)?;
        Ok(Point {
            curve: run.0,
            at: run.1,
            partial: latency.mean,
            unfinished: latency.unfinished,
            unfinished_warm_up: Some(latency.unfinished_warm_up),
            is_steady: Some(latency.is_steady),
            rules: (run.2, run.3.name.clone()),
        })
    };
    let is_complete = !stop.load(Ordering::Relaxed);
    let measured = runs.into_iter().zip(found).filter(|run| is_complete || run.1.is_some());
    let points: Result<Vec<Point>, Failure> = measured.map(point).collect();
    Ok(Curves { over, reasons, points: points?, is_complete })
}

impl Curves {
    /// All points as CSV; a missing figure is an empty field.
    pub fn csv(&self) -> String {
        let is_steady = self.over == Over::Interval;
        let mut text = format!(
            "curve,{},mean,confidence,finished,unfinished,mean of finished{}\n",
            self.over.axes().0,
            if is_steady { ",unfinished in warm-up,steady" } else { "" }
        );
        let field = |figure: Option<f64>| figure.map_or(String::new(), |it| format!("{it:.4}"));
        for point in &self.points {
            let (mean, width) = point.figures();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{}{}{}",
                csv::cell(&point.curve),
                point.at,
                field(mean),
                field(width),
                point.finished(),
                point.unfinished,
                field(point.mean_of_finished()),
                point.unfinished_warm_up.map_or(String::new(), |count| format!(",{count}")),
                point.is_steady.map_or(String::new(), |is_steady| format!(",{is_steady}"))
            );
        }
        text
    }

    /// Warns of rows without a mean because latencies grow with time, and returns whether there are
    /// any.
    fn warn_of_growth(&self) -> bool {
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
    fn stuck(&self, network: &Network, duplex: Duplex) -> String {
        let is_stuck =
            |point: &&Point| point.unfinished + point.unfinished_warm_up.unwrap_or(0) > 0;
        self.points
            .iter()
            .find(is_stuck)
            .map_or(String::new(), |point| advice(network, duplex, point.rules.0, &point.rules.1))
    }

    /// Describes what is unfinished, if anything is.
    fn unfinished(&self) -> Option<String> {
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
