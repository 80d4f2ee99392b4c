//! `pavane traffic sweep`: curves over density, hot spots, standard deviation of lengths, or time
//! between arrivals.

use super::{compare_rows, exit_code, policies, simulators, switching, unfinished_runs};
use crate::args::traffic::{CompareArgs, SweepArgs};
use crate::output::{
    DONE, Failure, check_place, is_standard, print_json, standard_for_files, write_file,
};
use crate::progress::Ticker;
use crate::report::traffic::{SweepPoint, SweptValue, TrafficSweep};
use crate::words;
use pavane_cluster::{Cluster, Jobs};
use pavane_model::{Network, csv};
use pavane_render::curves::{self, Series, draw};
use pavane_traffic::mission::{Arrivals, Pattern};
use pavane_traffic::policy::Policy;
use pavane_traffic::statistics::Estimate;
use pavane_traffic::steady::{Latency, Steady, latency};
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
}

const NAMES: &[(&str, Over)] = &[
    ("density", Over::Density),
    ("hot-spots", Over::HotSpots),
    ("sigma", Over::Sigma),
    ("interval", Over::Interval),
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
            Self::Interval => vec![15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0],
        }
    }

    /// Axis labels.
    fn axes(self) -> (&'static str, &'static str) {
        match self {
            Self::Density => ("density", "mean makespan"),
            Self::HotSpots => ("hot spots", "mean makespan"),
            Self::Sigma => ("deviation of lengths", "mean makespan"),
            Self::Interval => ("mean time between arrivals", "mean latency"),
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
    /// Mean over finished missions, or over delivered messages in a steady state; `None` if there
    /// are none.
    pub mean: Option<Estimate>,
    /// Number of missions that deadlocked, or of messages that were never delivered.
    pub unfinished: u64,
}

impl Point {
    /// Number of missions or messages in the mean.
    fn finished(&self) -> u64 {
        self.mean.map_or(0, |mean| mean.count as u64)
    }

    /// The mean and half the width of its confidence interval.
    pub fn figures(&self) -> (Option<f64>, Option<f64>) {
        (self.mean.map(|mean| mean.mean), self.mean.and_then(|mean| mean.half_width))
    }
}

/// Points of several curves.
pub struct Curves {
    /// The parameter that varies.
    pub over: Over,
    /// Their points.
    pub points: Vec<Point>,
}

/// Computes the curves, and writes and prints them.
pub fn run(args: &SweepArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    for path in [&args.csv, &args.svg].into_iter().flatten().filter(|_| cluster.is_first()) {
        check_place(path)?;
    }
    let network = args.compare.network.load()?;
    let over = Over::find(&args.over)?;
    let steady = (args.duration, args.warm_up);
    let curves = curves(&args.compare, &network, over, &args.values, steady, cluster)?;
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
        print_json(&TrafficSweep { network: network.name(), points })?;
    } else if !is_taken && (args.csv.is_none() || args.svg.is_none()) {
        let mut out = standard_for_files();
        out.write_all(curves.csv().as_bytes())?;
        out.flush()?;
    }
    Ok(exit_code(curves.unfinished(), args.compare.rules.duplex))
}

/// A point, for JSON.
fn point_report(over: Over, point: &Point) -> SweepPoint<'_> {
    let (mean, confidence) = point.figures();
    let at = match over {
        Over::Density => SweptValue::Density(point.at),
        Over::HotSpots => SweptValue::HotSpots(point.at),
        Over::Sigma => SweptValue::Sigma(point.at),
        Over::Interval => SweptValue::Interval(point.at),
    };
    let (finished, unfinished) = (point.finished(), point.unfinished);
    SweepPoint { curve: &point.curve, at, mean, confidence, finished, unfinished }
}

/// Measures all curves at all points.
pub fn curves(
    args: &CompareArgs,
    network: &Network,
    over: Over,
    values: &[f64],
    (duration, warm_up): (f64, f64),
    cluster: &Cluster,
) -> Result<Curves, Failure> {
    let values = if values.is_empty() { over.values(network) } else { values.to_vec() };
    if over == Over::Interval {
        let points = steady_points(args, network, &values, (duration, warm_up), cluster)?;
        return Ok(Curves { over, points });
    }
    let mut points = Vec::new();
    for (at, &value) in values.iter().enumerate() {
        let place = format!(" of point {} of {}", at + 1, values.len());
        let mut uniform = args.draw.uniform();
        match over {
            Over::Density => uniform.density = value,
            Over::Sigma => uniform.sigma = value,
            Over::HotSpots if value >= 1.0 && value.fract() == 0.0 && value < 4e9 => {
                uniform.pattern = Pattern::HotSpots(value as u32);
            }
            Over::HotSpots | Over::Interval => {
                return Err(Failure::bad_input(format!(
                    "--values {value}: the number of hot spots must be a positive integer"
                )));
            }
        }
        for row in compare_rows(args, network, uniform, &place, cluster)? {
            let curve = format!("{} {} {}", row.switching.name(), row.routing, row.policy);
            let (mean, unfinished) = (row.makespan, row.unfinished);
            points.push(Point { curve, at: value, mean, unfinished });
        }
    }
    Ok(Curves { over, points })
}

/// The latency of every combination at every point. The runs are long, so each is a task of its
/// own.
fn steady_points(
    args: &CompareArgs,
    network: &Network,
    values: &[f64],
    (duration, warm_up): (f64, f64),
    cluster: &Cluster,
) -> Result<Vec<Point>, Failure> {
    let (simulators, policies) =
        (simulators(network, &args.routing, &args.rules)?, policies(&args.policy, &args.rules)?);
    let mut runs = Vec::new();
    for &interval in values {
        for name in &args.switching {
            let switching = switching(name, &args.rules)?;
            for (routing, simulator) in &simulators {
                let run = |&policy: &Policy| {
                    let name = format!("{} {routing} {}", switching.name(), policy.name);
                    (name, interval, switching, simulator, policy)
                };
                runs.extend(policies.iter().map(run));
            }
        }
    }
    let done = Arc::new(AtomicU64::new(0));
    let _ticker = Ticker::counting(cluster.ranks(), "steady states", runs.len() as u64, &done);
    let work = |number: usize| {
        let (_, interval, switching, simulator, policy) = &runs[number];
        let arrivals = Arrivals { interval: *interval, duration };
        let uniform = args.draw.uniform();
        let steady = Steady { arrivals, uniform, warm_up, seed: args.draw.seed };
        latency(&steady, simulator, *switching, *policy).map_err(|error| error.to_string())
    };
    let found = Mutex::new(vec![None; runs.len()]);
    let collect = |number: usize, latency: Result<Latency, String>| {
        done.fetch_add(1, Ordering::Relaxed);
        found.lock().expect("no thread panics while it holds this")[number] = Some(latency);
    };
    let (stop, workers) = (AtomicBool::new(false), args.threads.unwrap_or_else(words::cores));
    cluster.share(&Jobs {
        count: runs.len(),
        workers,
        stop: &stop,
        work: &work,
        collect: &collect,
    });
    if !cluster.is_first() {
        return Ok(Vec::new());
    }
    let found = found.into_inner().expect("no thread panics while it holds this");
    let point = |(run, latency): ((String, f64, _, _, _), Option<Result<Latency, String>>)| {
        let latency = latency.unwrap_or_else(|| Err("a rank ended early".to_owned()));
        let Latency { mean, unfinished } = latency.map_err(Failure::bad_input)?;
        Ok(Point { curve: run.0, at: run.1, mean, unfinished })
    };
    runs.into_iter().zip(found).map(point).collect()
}

impl Curves {
    /// All points as CSV; a missing mean or interval is an empty field.
    pub fn csv(&self) -> String {
        let mut text =
            format!("curve,{},mean,confidence,finished,unfinished\n", self.over.axes().0);
        let field = |figure: Option<f64>| figure.map_or(String::new(), |it| format!("{it:.4}"));
        for point in &self.points {
            let (mean, width) = point.figures();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{}",
                csv::cell(&point.curve),
                point.at,
                field(mean),
                field(width),
                point.finished(),
                point.unfinished
            );
        }
        text
    }

    /// Describes what is unfinished, if anything is.
    fn unfinished(&self) -> Option<String> {
        let points = self.points.iter();
        match self.over {
            // Messages of the warm-up count here but not in the mean, so there is no total to
            // compare with.
            Over::Interval => {
                let count = points.map(|point| point.unfinished).sum::<u64>();
                (count > 0).then(|| format!("{count} messages were not delivered"))
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
                y: point.figures().0,
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
        if !notes.is_empty() {
            notes.push(format!("hollow: mean over the finished {items} only; gap: none finished"));
        }
        let (across, up) = self.over.axes();
        draw(title, across, up, &series, &notes)
    }
}
