//! Curves of traffic over a parameter.

use crate::background::Search;
use crate::errors::bad;
use crate::missions::{
    PermutationWord, SWITCHINGS, Words, check_counts, check_lanes, pattern, policies, switchings,
    warn,
};
use crate::network::NetworkArgument;
use crate::problem::thread_count;
use crate::problem::{rule, threads};
use crate::to_python;
use crate::traffic_comparison::outcomes_in_blocks;
use crate::whole::{whole, whole_or_none};
use pavane_model::{Duplex, Network};
use pavane_traffic::compare::Comparison;
use pavane_traffic::flits::saturation::measure_curve;
use pavane_traffic::flits::{FlitRules, Load, Phases, message_load};
use pavane_traffic::mission::{Arrivals, Uniform};
use pavane_traffic::optimal::Effort;
use pavane_traffic::statistics::Estimate;
use pavane_traffic::steady::{Steady, latency};
use pavane_traffic::{Over, Policy, RoutedSimulator, SwitchingMethod};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// What is simulated at every point of every curve.
struct Curves {
    network: Network,
    over: Over,
    duplex: Duplex,
    values: Vec<f64>,
    uniform: Uniform,
    seed: u64,
    missions: u64,
    /// Missions whose shortest makespan is searched.
    optimal: u64,
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
/// separated by commas or in a list: every combination is a curve. `optimal` is the number of missions whose shortest
/// makespan is searched, which is one curve more. The other keywords and all defaults are
/// those of `pavane traffic sweep`; None is the default, and keywords without effect are refused. A `mean` is None
/// if something did not finish or there is no steady state, and a RuntimeWarning says so. Returns a list of records, which has `to_pandas()`; over "rate" its
/// `saturation` has a record for every curve.
#[pyfunction]
#[pyo3(signature = (network, *, over="density", values=None, density=None, hot_spots=None, permutation=None, mean=None,
                    sigma=None, window=None, seed=1, missions=None, switching=None, routing=None, policy=None,
                    duplex=None, lanes=None, buffer=None, edd=false, duration=None, warm_up=None, drain=None, flits=None,
                    optimal=0, threads=None))]
#[expect(clippy::too_many_arguments, reason = "these are keywords of Python")]
pub fn sweep<'py>(
    py: Python<'py>,
    network: NetworkArgument,
    over: &str,
    values: Option<Vec<f64>>,
    density: Option<f64>,
    #[pyo3(from_py_with = whole_or_none)] hot_spots: Option<u32>,
    permutation: Option<PermutationWord>,
    mean: Option<f64>,
    sigma: Option<f64>,
    window: Option<f64>,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole_or_none)] missions: Option<u64>,
    switching: Option<Words>,
    routing: Option<Words>,
    policy: Option<Words>,
    duplex: Option<&str>,
    #[pyo3(from_py_with = whole_or_none)] lanes: Option<u32>,
    #[pyo3(from_py_with = whole_or_none)] buffer: Option<u32>,
    edd: bool,
    duration: Option<f64>,
    warm_up: Option<f64>,
    drain: Option<f64>,
    #[pyo3(from_py_with = whole_or_none)] flits: Option<u32>,
    #[pyo3(from_py_with = whole)] optimal: u64,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let network = network.0.broken;
    let over = Over::find(over).ok_or_else(|| {
        bad(format!("over={over:?} is not valid; use one of {}", Over::names().join(", ")))
    })?;
    let given = [
        ("density", density.is_some()),
        ("hot_spots", hot_spots.is_some()),
        ("permutation", permutation.as_ref().is_some_and(PermutationWord::is_given)),
        ("mean", mean.is_some()),
        ("sigma", sigma.is_some()),
        ("window", window.is_some()),
        ("missions", missions.is_some()),
        ("optimal", optimal > 0),
        ("duration", duration.is_some()),
        ("warm_up", warm_up.is_some()),
        ("drain", drain.is_some()),
        ("flits", flits.is_some()),
    ];
    for (keyword, is_given) in given {
        if is_given && over.ignores(&keyword.replace('_', "-")) {
            return Err(bad(format!("{keyword} has no effect with over={:?}", over.name())));
        }
    }
    let is_rate = over == Over::Rate;
    let values = values.filter(|values| !values.is_empty());
    let values = values.unwrap_or_else(|| over.values(&network));
    let missions = missions.unwrap_or(1000);
    let duration = duration.unwrap_or(20_000.0);
    let warm_up = warm_up.unwrap_or(duration / 10.0);
    check_counts(lanes, buffer)?;
    if missions == 0 {
        return Err(bad("missions must be at least 1"));
    }
    if !(0.0..duration).contains(&warm_up) {
        return Err(bad(format!("warm_up={warm_up} must be less than duration={duration}")));
    }
    let (lanes_given, buffer_given) = (lanes, buffer);
    let lanes = lanes.unwrap_or(if is_rate { FlitRules::USUAL.lanes } else { 1 });
    let buffer = buffer.or(is_rate.then_some(FlitRules::USUAL.buffer));
    let duplex: Duplex = rule("duplex", duplex.unwrap_or(if is_rate { "full" } else { "half" }))?;
    let usual: &[&str] = if is_rate { &["wormhole"] } else { SWITCHINGS };
    let switchings = switchings(switching, usual, lanes, buffer)?;
    check_lanes(lanes_given, buffer_given, &switchings)?;
    let policies = policies(policy, if is_rate { &["fifo"] } else { &["all"] }, edd)?;
    let simulators =
        RoutedSimulator::list(&network, duplex, &Words::list(routing), &switchings).map_err(bad)?;
    let pattern = pattern(hot_spots, permutation.as_ref())?;
    let usual = Uniform::default();
    let curves = Curves {
        network,
        over,
        duplex,
        values,
        uniform: Uniform {
            pattern,
            density: density.unwrap_or(usual.density),
            mean: mean.unwrap_or(usual.mean),
            sigma: sigma.unwrap_or(usual.sigma),
            window: window.unwrap_or(usual.window),
        },
        seed,
        missions,
        optimal,
        times: (duration, warm_up, drain.unwrap_or(20_000.0)),
        flits: flits.unwrap_or(4),
        simulators,
        switchings,
        policies,
        threads: self::threads(threads),
    };
    let search = Search::limited(None, None)?;
    let stop = search.stop();
    search.run(py, move || curves.measure(&|| stop.is_raised()))?.keep(py, |found| {
        let (points, saturation) = found.map_err(bad)?;
        if let Some(text) = missing_means(over, &points) {
            warn(py, text)?;
        }
        let points = to_python(py, &Value::Array(points))?;
        let saturation = to_python(py, &Value::Array(saturation))?;
        py.import("pavane._records")?.getattr("Sweep")?.call1((points, saturation))
    })
}

/// Describes why means are missing, unless only because of saturation, which is a result.
fn missing_means(over: Over, points: &[Value]) -> Option<String> {
    let count = |is_it: &dyn Fn(&Value) -> bool| points.iter().filter(|point| is_it(point)).count();
    let has = |point: &Value, field: &str| point[field].as_u64().is_some_and(|count| count > 0);
    let is_stuck = |point: &Value| match over {
        Over::Rate => has(point, "deadlocked"),
        _ => has(point, "unfinished") || has(point, "unfinished_warm_up"),
    };
    let stuck = count(&is_stuck);
    let unsteady = count(&|point| point["steady"] == json!(false) && !is_stuck(point));
    let mut reasons = Vec::new();
    if stuck > 0 {
        reasons.push(format!("{stuck} of {} records have a deadlock", points.len()));
    }
    if unsteady > 0 {
        reasons.push(format!(
            "{unsteady} of {} records have no steady state, because more messages arrive than the network can carry",
            points.len()
        ));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

impl Curves {
    /// The points of all curves, and where they saturate. Ends early when stopped.
    fn measure(&self, is_stopped: &dyn Fn() -> bool) -> Result<(Vec<Value>, Vec<Value>), String> {
        pavane_search::use_threads(self.threads);
        match self.over {
            Over::Rate => self.measure_rates(is_stopped),
            Over::Interval => Ok((self.measure_intervals(is_stopped)?, Vec::new())),
            _ => Ok((self.measure_missions(is_stopped)?, Vec::new())),
        }
    }

    /// Every combination of switching, routing and policy, with the name of its curve.
    fn combinations(&self) -> Vec<(String, SwitchingMethod, &RoutedSimulator, Policy)> {
        let mut all = Vec::new();
        for &switching in &self.switchings {
            for routed in self.simulators.iter().filter(|it| it.switchings.contains(&switching)) {
                all.extend(self.policies.iter().map(|&policy| {
                    let name = format!("{} {} {}", switching.name(), routed.name, policy.name);
                    (name, switching, routed, policy)
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
            let uniform = self.over.uniform_at(self.uniform, value);
            let uniform = uniform.map_err(|error| error.to_string())?;
            uniform.check(&self.network).map_err(|error| error.to_string())?;
            let comparison = Comparison {
                uniform,
                missions: self.missions,
                seed: self.seed,
                simulators: &self.simulators,
                switchings: &self.switchings,
                policies: &self.policies,
                optimal: self.optimal,
                effort: Effort::default(),
            };
            let all = outcomes_in_blocks(&comparison, is_stopped)?;
            if (all.len() as u64) < self.missions {
                break;
            }
            let rows = comparison.rows(&all).map_err(|error| error.to_string())?;
            points.extend(rows.iter().map(|row| {
                let name = format!("{} {} {}", row.switching.name(), row.routing, row.policy);
                let mut record = self.point(&name, row.reason, value, row.makespan, row.unfinished);
                record["empty"] = json!(row.empty);
                record
            }));
        }
        Ok(points)
    }

    fn measure_intervals(&self, is_stopped: &dyn Fn() -> bool) -> Result<Vec<Value>, String> {
        let (duration, warm_up, _) = self.times;
        let mut points = Vec::new();
        for &interval in &self.values {
            for (name, switching, routed, policy) in self.combinations() {
                if is_stopped() {
                    return Ok(points);
                }
                let (arrivals, uniform) = (Arrivals { interval, duration }, self.uniform);
                let steady = Steady { arrivals, uniform, warm_up, seed: self.seed };
                let found = latency(&steady, &routed.simulator, switching, policy);
                let found = found.map_err(|error| error.to_string())?;
                let is_stuck = found.unfinished + found.unfinished_warm_up > 0;
                let mean = found.mean.filter(|_| found.is_steady || is_stuck);
                let reason = routed.reason;
                let mut record = self.point(&name, reason, interval, mean, found.unfinished);
                record["unfinished_warm_up"] = json!(found.unfinished_warm_up);
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
        for (name, switching, routed, policy) in self.combinations() {
            if is_stopped() {
                break;
            }
            let simulator = &routed.simulator;
            let measure =
                |rate: f64| message_load(&Load { rate, ..load }, simulator, switching, policy);
            let curve = measure_curve(&self.values, measure).map_err(|error| error.to_string())?;
            points.extend(curve.points.iter().map(|point| {
                let (reason, latency) = (routed.reason, point.latency);
                let mut record = self.point(&name, reason, point.rate, latency, point.unfinished);
                record["offered"] = json!(point.offered);
                record["accepted"] = json!(point.accepted);
                record["saturated"] = json!(point.is_saturated());
                record["deadlocked"] = json!(point.deadlocked);
                record
            }));
            let found = curve.saturation;
            let limit = load.limit(simulator, switching);
            saturation.push(json!({
                "curve": name,
                "stable": found.map(|found| found.stable),
                "saturated": found.map(|found| found.saturated),
                "accepted": found.map(|found| found.accepted),
                "limit": limit.map(|limit| limit.load),
                "limited_by": limit.map(|limit| limit.in_words(simulator, self.duplex)),
            }));
        }
        Ok((points, saturation))
    }

    /// The record of a point: its mean only if everything finished.
    fn point(
        &self,
        curve: &str,
        reason: Option<&str>,
        at: f64,
        partial: Option<Estimate>,
        unfinished: u64,
    ) -> Value {
        let mean = partial.filter(|_| unfinished == 0);
        json!({
            "curve": curve,
            "routing_reason": reason,
            self.over.field(): at,
            "mean": mean.map(|mean| mean.mean),
            "confidence": mean.and_then(|mean| mean.half_width),
            "mean_of_finished": partial.map(|mean| mean.mean),
            "finished": partial.map_or(0, |mean| mean.count),
            "unfinished": unfinished,
        })
    }
}
