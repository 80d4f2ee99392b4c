//! Curves of traffic over a parameter.

use crate::background::Search;
use crate::errors::bad;
use crate::missions::{SWITCHINGS, Words, check_counts, pattern, policies, switchings};
use crate::network::NetworkArgument;
use crate::problem::{rule, threads};
use crate::to_python;
use pavane_model::{Duplex, Network};
use pavane_traffic::compare::{Comparison, compare};
use pavane_traffic::flits::saturation::measure_curve;
use pavane_traffic::flits::{FlitRules, Load, Phases, message_load};
use pavane_traffic::mission::{Arrivals, Pattern, Uniform};
use pavane_traffic::optimal::Effort;
use pavane_traffic::statistics::Estimate;
use pavane_traffic::steady::{Steady, latency};
use pavane_traffic::{Policy, RoutedSimulator, Simulator, SwitchingMethod};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::sync::atomic::AtomicU64;

/// What is simulated at every point of every curve.
struct Curves {
    network: Network,
    over: String,
    values: Vec<f64>,
    uniform: Uniform,
    seed: u64,
    missions: u64,
    /// Duration, warm-up and drain of a steady state.
    times: (f64, f64, f64),
    flits: u32,
    simulators: Vec<RoutedSimulator>,
    switchings: Vec<SwitchingMethod>,
    policies: Vec<Policy>,
    threads: usize,
}

/// Curves over a parameter of traffic: one record for every curve and value.
///
/// `over` is "density", "hot-spots", "sigma" (mean makespan of `missions`), "interval" (mean latency, over the
/// mean time between arrivals) or "rate" (mean latency and accepted load in flits per processor and cycle, up
/// to saturation). `values` are the points. `switching`, `routing` and `policy` are names, several of them
/// separated by commas or in a list: every combination is a curve. The other keywords and all defaults are
/// those of `pavane traffic sweep`. Returns a list of records, which has `to_pandas()`; over "rate" its
/// `saturation` has a record for every curve.
#[pyfunction]
#[pyo3(signature = (network, *, over="density", values=None, density=0.95, hot_spots=None, permutation=false, mean=10.0,
                    sigma=5.0, window=0.0, seed=1, missions=1000, switching=None, routing=None, policy=None,
                    duplex=None, lanes=None, buffer=None, edd=false, duration=20_000.0, warm_up=2_000.0, drain=20_000.0, flits=4,
                    threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn sweep<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    over: &str,
    values: Option<Vec<f64>>,
    density: f64,
    hot_spots: Option<u32>,
    permutation: bool,
    mean: f64,
    sigma: f64,
    window: f64,
    seed: u64,
    missions: u64,
    switching: Option<Words>,
    routing: Option<Words>,
    policy: Option<Words>,
    duplex: Option<&str>,
    lanes: Option<u32>,
    buffer: Option<u32>,
    edd: bool,
    duration: f64,
    warm_up: f64,
    drain: f64,
    flits: u32,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let network = network.0.broken;
    let is_rate = over == "rate";
    let values = match values {
        Some(values) if !values.is_empty() => values,
        _ => usual_values(over, &network)?,
    };
    check_counts(lanes, buffer)?;
    if missions == 0 {
        return Err(bad("missions must be at least 1"));
    }
    if !(0.0..duration).contains(&warm_up) {
        return Err(bad(format!("warm_up={warm_up} must be less than duration={duration}")));
    }
    let lanes = lanes.unwrap_or(if is_rate { FlitRules::USUAL.lanes } else { 1 });
    let buffer = buffer.or(is_rate.then_some(FlitRules::USUAL.buffer));
    let duplex: Duplex = rule("duplex", duplex.unwrap_or(if is_rate { "full" } else { "half" }))?;
    let usual: &[&str] = if is_rate { &["wormhole"] } else { SWITCHINGS };
    let switchings = switchings(switching, usual, lanes, buffer)?;
    let policies = policies(policy, if is_rate { &["fifo"] } else { &["all"] }, edd)?;
    let simulators =
        RoutedSimulator::list(&network, duplex, &Words::list(routing), &switchings).map_err(bad)?;
    let pattern = pattern(hot_spots, permutation)?;
    let curves = Curves {
        network,
        over: over.to_owned(),
        values,
        uniform: Uniform { pattern, density, mean, sigma, window },
        seed,
        missions,
        times: (duration, warm_up, drain),
        flits,
        simulators,
        switchings,
        policies,
        threads: self::threads(threads),
    };
    let search = Search::limited(None, None)?;
    let stop = search.stop();
    search.run(py, move || curves.measure(&|| stop.is_raised()))?.keep(py, |found| {
        let (points, saturation) = found.map_err(bad)?;
        let points = to_python(py, &Value::Array(points))?;
        let saturation = to_python(py, &Value::Array(saturation))?;
        py.import("pavane._records")?.getattr("Sweep")?.call1((points, saturation))
    })
}

/// The values of the command line.
fn usual_values(over: &str, network: &Network) -> PyResult<Vec<f64>> {
    Ok(match over {
        "density" => (1..=10).map(|tenth| f64::from(tenth) / 10.0).collect(),
        "hot-spots" => {
            (1..=network.living_processors().count().min(16)).map(|spots| spots as f64).collect()
        }
        "sigma" => (0..=10).map(f64::from).collect(),
        "interval" => vec![15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0],
        "rate" => (1..=20).map(|twentieth| f64::from(twentieth) / 20.0).collect(),
        other => {
            return Err(bad(format!(
                "over={other:?} is not valid; use density, hot-spots, sigma, interval or rate"
            )));
        }
    })
}

impl Curves {
    /// The points of all curves, and where they saturate. Ends early when stopped.
    fn measure(&self, is_stopped: &dyn Fn() -> bool) -> Result<(Vec<Value>, Vec<Value>), String> {
        pavane_search::use_threads(self.threads);
        match &self.over[..] {
            "rate" => self.measure_rates(is_stopped),
            "interval" => Ok((self.measure_intervals(is_stopped)?, Vec::new())),
            _ => Ok((self.measure_missions(is_stopped)?, Vec::new())),
        }
    }

    /// Every combination of switching, routing and policy, with the name of its curve.
    fn combinations(&self) -> Vec<(String, SwitchingMethod, &Simulator, Policy)> {
        let mut all = Vec::new();
        for &switching in &self.switchings {
            for routed in self.simulators.iter().filter(|it| it.switchings.contains(&switching)) {
                all.extend(self.policies.iter().map(|&policy| {
                    let name = format!("{} {} {}", switching.name(), routed.name, policy.name);
                    (name, switching, &routed.simulator, policy)
                }));
            }
        }
        all
    }

    fn measure_missions(&self, is_stopped: &dyn Fn() -> bool) -> Result<Vec<Value>, String> {
        let mut points = Vec::new();
        for &value in &self.values {
            if is_stopped() {
                break;
            }
            let mut uniform = self.uniform;
            match &self.over[..] {
                "density" => uniform.density = value,
                "sigma" => uniform.sigma = value,
                _ if value >= 1.0 && value.fract() == 0.0 && value < 4e9 => {
                    uniform.pattern = Pattern::HotSpots(value as u32);
                }
                _ => return Err(format!("values: {value} is not a number of hot spots")),
            }
            uniform.check(&self.network).map_err(|error| error.to_string())?;
            let comparison = Comparison {
                uniform,
                missions: self.missions,
                seed: self.seed,
                simulators: &self.simulators,
                switchings: &self.switchings,
                policies: &self.policies,
                optimal: 0,
                effort: Effort::default(),
            };
            let rows =
                compare(&comparison, &AtomicU64::new(0)).map_err(|error| error.to_string())?;
            points.extend(rows.iter().map(|row| {
                let name = format!("{} {} {}", row.switching.name(), row.routing, row.policy);
                self.point(&name, value, row.makespan, row.unfinished)
            }));
        }
        Ok(points)
    }

    fn measure_intervals(&self, is_stopped: &dyn Fn() -> bool) -> Result<Vec<Value>, String> {
        let (duration, warm_up, _) = self.times;
        let mut points = Vec::new();
        for &interval in &self.values {
            for (name, switching, simulator, policy) in self.combinations() {
                if is_stopped() {
                    return Ok(points);
                }
                let (arrivals, uniform) = (Arrivals { interval, duration }, self.uniform);
                let steady = Steady { arrivals, uniform, warm_up, seed: self.seed };
                let found = latency(&steady, simulator, switching, policy);
                let found = found.map_err(|error| error.to_string())?;
                let is_stuck = found.unfinished + found.unfinished_warm_up > 0;
                let mean = found.mean.filter(|_| found.is_steady || is_stuck);
                let mut record = self.point(&name, interval, mean, found.unfinished);
                record["finished"] = json!(found.mean.map_or(0, |mean| mean.count));
                record["steady"] = json!(found.is_steady);
                points.push(record);
            }
        }
        Ok(points)
    }

    fn measure_rates(
        &self,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(Vec<Value>, Vec<Value>), String> {
        let (duration, warm_up, drain) = self.times;
        let measurement = (duration - warm_up).round() as u64;
        let phases =
            Phases { warm_up: warm_up.round() as u64, measurement, drain: drain.round() as u64 };
        let (pattern, seed, flits) = (self.uniform.pattern, self.seed, self.flits);
        let load = Load { rate: 0.0, flits, pattern, phases, seed };
        for &rate in &self.values {
            Load { rate, ..load }.check(&self.network).map_err(|error| error.to_string())?;
        }
        let (mut points, mut saturation) = (Vec::new(), Vec::new());
        for (name, switching, simulator, policy) in self.combinations() {
            if is_stopped() {
                break;
            }
            let measure =
                |rate: f64| message_load(&Load { rate, ..load }, simulator, switching, policy);
            let curve = measure_curve(&self.values, measure).map_err(|error| error.to_string())?;
            points.extend(curve.points.iter().map(|point| {
                let mut record = self.point(&name, point.rate, point.latency, point.unfinished);
                record["offered"] = json!(point.offered);
                record["accepted"] = json!(point.accepted);
                record["saturated"] = json!(point.is_saturated());
                record["deadlocked"] = json!(point.deadlocked);
                record
            }));
            let found = curve.saturation;
            saturation.push(json!({
                "curve": name,
                "stable": found.map(|found| found.stable),
                "saturated": found.map(|found| found.saturated),
                "accepted": found.map(|found| found.accepted),
                "limit": load.limit(simulator, switching).map(|limit| limit.load),
            }));
        }
        Ok((points, saturation))
    }

    /// The record of a point: its mean only if everything finished.
    fn point(&self, curve: &str, at: f64, partial: Option<Estimate>, unfinished: u64) -> Value {
        let mean = partial.filter(|_| unfinished == 0);
        json!({
            "curve": curve,
            self.over.replace('-', "_"): at,
            "mean": mean.map(|mean| mean.mean),
            "confidence": mean.and_then(|mean| mean.half_width),
            "mean_of_finished": partial.map(|mean| mean.mean),
            "finished": partial.map_or(0, |mean| mean.count),
            "unfinished": unfinished,
        })
    }
}
