//! Measures the points of curves.

use super::curves::Curves;
use super::point::Point;
use crate::args::traffic::CompareArgs;
use crate::commands::traffic::compare::switching_names;
use crate::commands::traffic::{check_lanes, compare_rows, policies, simulators, switchings};
use crate::output::Failure;
use crate::progress::Ticker;
use crate::words;
use pavane_cluster::{Cluster, Jobs};
use pavane_model::{Network, quantity};
use pavane_traffic::mission::{Arrivals, Uniform};
use pavane_traffic::policy::Policy;
use pavane_traffic::steady::{Latency, Steady, latency};
use pavane_traffic::{Over, RoutedSimulator, SwitchingMethod};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

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
    // All values are checked before the first is measured.
    let at = |&value: &f64| {
        let uniform = over.uniform_at(args.draw.uniform(), value);
        let checked = uniform.and_then(|uniform| uniform.check(network).map(|()| uniform));
        let uniform = checked.map_err(|error| {
            Failure::bad_input(format!("--values {}: {error}", quantity::shown(value)))
        })?;
        Ok((value, uniform))
    };
    let all = values.iter().map(at).collect::<Result<Vec<(f64, Uniform)>, Failure>>()?;
    for (at, (value, uniform)) in all.into_iter().enumerate() {
        let place = format!(" of point {} of {}", at + 1, values.len());
        let compared = compare_rows(args, network, uniform, &place, stop, cluster)?;
        reasons = compared.reasons;
        for row in compared.rows {
            let curve = format!("{} {} {}", row.switching.name(), row.routing, row.policy);
            points.push(Point {
                curve,
                at: value,
                partial: row.makespan,
                unfinished: row.unfinished,
                empty: Some(row.empty),
                unfinished_warm_up: None,
                is_steady: None,
                rules: (row.switching, row.routing),
            });
        }
        if stop.load(Ordering::Relaxed) {
            let cut = (0 < compared.missions && compared.missions < args.missions())
                .then_some((value, compared.missions));
            return Ok(Curves { over, reasons, points, is_complete: false, cut });
        }
    }
    Ok(Curves { over, reasons, points, is_complete: true, cut: None })
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
        return Ok(Curves { over, reasons, points: Vec::new(), is_complete: true, cut: None });
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
            empty: None,
            unfinished_warm_up: Some(latency.unfinished_warm_up),
            is_steady: Some(latency.is_steady),
            rules: (run.2, run.3.name.clone()),
        })
    };
    let is_complete = !stop.load(Ordering::Relaxed);
    let measured = runs.into_iter().zip(found).filter(|run| is_complete || run.1.is_some());
    let points: Result<Vec<Point>, Failure> = measured.map(point).collect();
    Ok(Curves { over, reasons, points: points?, is_complete, cut: None })
}
