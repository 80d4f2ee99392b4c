//! `pavane traffic sweep --over rate`: latency and accepted load over the offered load, up to the
//! saturation point.

use super::advice::advice;
use super::sweep::{messages_report, phases_report};
use super::{
    ALL, RoutingChoice, check_lanes, exit_code, interrupted, policies, shown, simulators,
    stop_flag, switchings,
};
use crate::args::traffic::SweepArgs;
use crate::output::{DONE, Failure, is_standard, print_json, standard_for_files, write_file};
use crate::progress::Ticker;
use crate::report::traffic::{SaturationReport, SweepPoint, SweptValue, TrafficSweep};
use crate::words;
use pavane_cluster::{Cluster, Jobs};
use pavane_model::{Duplex, Network, csv};
use pavane_render::curves::{Point, Series, draw};
use pavane_traffic::flits::saturation::measure_curve;
use pavane_traffic::flits::{Load, LoadCurve, LoadPoint, Phases, message_load};
use pavane_traffic::{Over, Policy, RoutedSimulator, RoutingMethod, SwitchingMethod, TrafficError};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A combination of switching, routing and policy.
struct Combination<'a> {
    name: String,
    routed: &'a RoutedSimulator,
    switching: SwitchingMethod,
    policy: Policy,
}

/// A combination with its measurements.
struct Measured {
    name: String,
    reason: Option<&'static str>,
    /// Whether a routing that was requested can deadlock.
    risk: Option<&'static str>,
    /// The largest load that fixed paths allow, and the resource that limits it.
    limit: Option<(f64, String)>,
    curve: LoadCurve,
    /// Whether all of its points were measured; otherwise a signal ended the measurements.
    is_complete: bool,
    /// The switching and the routing.
    rules: (SwitchingMethod, String),
}

/// Measures all combinations, and writes and prints the result.
pub fn run(args: &SweepArgs, network: &Network, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let load = load(args)?;
    let stop = stop_flag(cluster);
    let measured = measure(args, network, load, &stop, cluster)?;
    let is_complete = !stop.load(Ordering::Relaxed);
    if !cluster.is_first() {
        return Ok(DONE);
    }
    if let Some(path) = &args.csv {
        write_file(path, |out| out.write_all(table(&measured).as_bytes()))?;
    }
    if let Some(path) = &args.svg {
        let title = format!("{}: latency over load", network.name());
        write_file(path, |out| out.write_all(picture(&title, &measured).as_bytes()))?;
    }
    match (args.compare.json, is_standard([&args.csv, &args.svg])) {
        (_, true) => {}
        (true, _) => print_json(&TrafficSweep {
            complete: is_complete,
            ..report(args, network, reasons_of(&measured).as_deref(), &measured)
        })?,
        (false, _) => print_text(args, network, load, &measured)?,
    }
    if !is_complete {
        let points = measured.iter().map(|measured| measured.curve.points.len() as u64).sum();
        return Ok(interrupted(points, "point", None));
    }
    let points = || measured.iter().flat_map(|measured| &measured.curve.points);
    let stuck = points().filter(|point| point.deadlocked > 0);
    let stuck: u64 = stuck.map(|point| point.unfinished).sum();
    let unfinished = (stuck > 0).then(|| format!("{stuck} messages were not delivered"));
    let is_stuck = |measured: &&Measured| measured.curve.points.iter().any(|it| it.deadlocked > 0);
    let stuck = || {
        let duplex = args.compare.rules.of_rates().duplex();
        measured.iter().find(is_stuck).map_or(String::new(), |measured| {
            advice(network, duplex, measured.rules.0, &measured.rules.1)
        })
    };
    Ok(exit_code(unfinished, ALL, stuck))
}

/// The load without its rate.
fn load(args: &SweepArgs) -> Result<Load, Failure> {
    let (duration, warm_up) = args.steady();
    if !(0.0..duration).contains(&warm_up) {
        return Err(Failure::bad_input(format!(
            "--warm-up {warm_up} must be less than --duration {duration}"
        )));
    }
    let (warm_up, end) = (warm_up.round() as u64, duration.round() as u64);
    let phases = Phases { warm_up, measurement: end - warm_up, drain: args.drain().round() as u64 };
    let draw = &args.compare.draw;
    let pattern = draw.uniform().pattern;
    Ok(Load { rate: 0.0, flits: args.flits(), pattern, phases, seed: draw.seed })
}

/// Measures every combination, each as a task of its own. After `stop` is raised, the curves have the
/// points that were measured.
fn measure(
    args: &SweepArgs,
    network: &Network,
    load: Load,
    stop: &AtomicBool,
    cluster: &Cluster,
) -> Result<Vec<Measured>, Failure> {
    let compare = &args.compare;
    let rules = compare.rules.of_rates();
    let names = if compare.switching.is_empty() {
        vec!["wormhole".to_owned()]
    } else {
        compare.switching.clone()
    };
    let switchings = switchings(&names, &rules)?;
    check_lanes(&compare.rules, &switchings)?;
    let simulators = simulators(network, &compare.routing, &rules, &switchings)?;
    let names =
        if compare.policy.is_empty() { vec!["fifo".to_owned()] } else { compare.policy.clone() };
    let policies = policies(&names, &rules)?;
    let rates =
        if args.values.is_empty() { Over::Rate.values(network) } else { args.values.clone() };
    for &rate in &rates {
        Load { rate, ..load }.check(network).map_err(Failure::bad_input)?;
    }
    let mut runs = Vec::new();
    for &switching in &switchings {
        for routed in simulators.iter().filter(|it| it.switchings.contains(&switching)) {
            runs.extend(policies.iter().map(|&policy| Combination {
                name: format!("{} {} {}", switching.name(), routed.name, policy.name),
                routed,
                switching,
                policy,
            }));
        }
    }
    let done = Arc::new(AtomicU64::new(0));
    let _ticker = Ticker::counting(cluster.ranks(), "load curves", runs.len() as u64, &done);
    // Points of curves that a signal may cut short.
    let partial: Vec<Mutex<Vec<LoadPoint>>> = runs.iter().map(|_| Mutex::default()).collect();
    let work = |number: usize| {
        let Combination { routed, switching, policy, .. } = &runs[number];
        let measure = |rate| {
            if stop.load(Ordering::Relaxed) {
                // The curve ends here; its points are kept.
                return Err(TrafficError::Empty);
            }
            let load = Load { rate, ..load };
            let point = message_load(&load, &routed.simulator, *switching, *policy)?;
            partial[number].lock().expect("no thread panics while it holds this").push(point);
            Ok(point)
        };
        measure_curve(&rates, measure).map_err(|error| error.to_string())
    };
    let found = Mutex::new(vec![None; runs.len()]);
    let collect = |number: usize, curve: Result<LoadCurve, String>| {
        done.fetch_add(1, Ordering::Relaxed);
        found.lock().expect("no thread panics while it holds this")[number] = Some(curve);
    };
    let workers = compare.threads.unwrap_or_else(words::cores);
    let count = runs.len();
    cluster.share(&Jobs { count, workers, stop, work: &work, collect: &collect });
    if !cluster.is_first() {
        return Ok(Vec::new());
    }
    let found = found.into_inner().expect("no thread panics while it holds this");
    let is_stopped = stop.load(Ordering::Relaxed);
    let cut_short = |points: Mutex<Vec<LoadPoint>>| {
        let points = points.into_inner().expect("no thread panics while it holds this");
        (is_stopped && !points.is_empty()).then(|| Ok(LoadCurve::of(points)))
    };
    let found =
        runs.into_iter().zip(found.into_iter().zip(partial)).map(|(run, (curve, points))| {
            let is_complete = curve.is_some();
            (run, curve.or_else(|| cut_short(points)), is_complete)
        });
    let found = found.filter(|(_, curve, _)| !is_stopped || curve.is_some());
    let measured = found.map(|(run, curve, is_complete)| {
        let curve = curve.unwrap_or_else(|| Err("a rank ended early".to_owned()));
        let simulator = &run.routed.simulator;
        let limit = load.limit(simulator, run.switching);
        let risk = requested_risk(network, &run, rules.duplex());
        Ok(Measured {
            name: run.name,
            reason: run.routed.reason,
            risk,
            limit: limit.map(|limit| (limit.load, limit.in_words(simulator, rules.duplex()))),
            curve: curve.map_err(Failure::bad_input)?,
            is_complete,
            rules: (run.switching, run.routed.name.clone()),
        })
    });
    measured.collect()
}

/// Whether a routing that was requested can deadlock, in words.
fn requested_risk(
    network: &Network,
    run: &Combination<'_>,
    duplex: Duplex,
) -> Option<&'static str> {
    if run.routed.reason.is_some() {
        return None;
    }
    let name = run.routed.name.clone();
    let routing = RoutingMethod::find(&name, network).ok()?;
    let risk = routing.deadlock_risk(network, duplex, run.switching);
    RoutingChoice { name, reason: None, risk }.explanation(run.switching)
}

/// All points as CSV; a missing figure is an empty field.
fn table(measured: &[Measured]) -> String {
    let mut text = String::from(
        "curve,rate,offered,accepted,mean,confidence,finished,unfinished,mean_of_finished,saturated,deadlocked\n",
    );
    let field = |figure: Option<f64>| figure.map_or(String::new(), |it| format!("{it:.4}"));
    for Measured { name, curve, .. } in measured {
        for point in &curve.points {
            let mean = point.mean();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{:.4},{:.4},{},{},{},{},{},{},{}",
                csv::cell(name),
                point.rate,
                point.offered,
                point.accepted,
                field(mean.map(|mean| mean.mean)),
                field(mean.and_then(|mean| mean.half_width)),
                point.finished(),
                point.unfinished,
                field(point.latency.map(|latency| latency.mean)),
                point.is_saturated(),
                point.deadlocked
            );
        }
    }
    text
}

/// The curves as a picture, up to saturation.
fn picture(title: &str, measured: &[Measured]) -> String {
    let series: Vec<Series> = measured
        .iter()
        .map(|measured| Series {
            name: measured.name.clone(),
            points: measured.curve.points.iter().map(drawn).collect(),
        })
        .collect();
    let notes: Vec<String> = measured
        .iter()
        .map(|measured| format!("{}: {}", measured.name, saturation_in_words(measured)))
        .collect();
    draw(
        title,
        "offered load, flits per processor and cycle",
        "mean latency, cycles",
        &series,
        &notes,
    )
}

fn drawn(point: &LoadPoint) -> Point {
    let mean = point.mean().filter(|_| !point.is_saturated());
    Point { x: point.rate, y: mean.map(|mean| mean.mean), is_partial: false }
}

/// The last load before a deadlock and the first with one, if a deadlock is what ends the curve.
fn deadlock_from(measured: &Measured) -> Option<(f64, f64)> {
    let saturation = measured.curve.saturation?;
    let is_stuck = |point: &LoadPoint| point.deadlocked > 0 && point.rate <= saturation.saturated;
    let is_deadlock = measured.curve.points.iter().any(is_stuck);
    is_deadlock.then_some((saturation.stable, saturation.saturated))
}

fn saturation_in_words(measured: &Measured) -> String {
    let text = match (measured.curve.saturation, deadlock_from(measured)) {
        (_, Some((before, from))) => {
            format!("deadlocks from {from:.4} on, the last load before is {before:.4}")
        }
        (None, None) => "no saturation at these rates".to_owned(),
        (Some(saturation), None) => format!(
            "saturates between {:.4} and {:.4}, accepts {:.4}",
            saturation.stable, saturation.saturated, saturation.accepted
        ),
    };
    if measured.is_complete { text } else { format!("interrupted: {text}") }
}

/// Why the routings were chosen, if none were requested.
fn reasons_of(measured: &[Measured]) -> Option<String> {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for Measured { reason, rules: (switching, routing), .. } in measured {
        let Some(reason) = reason else { continue };
        let line = (format!("{routing} for {}", switching.name()), *reason);
        if !reasons.contains(&line) {
            reasons.push(line);
        }
    }
    match &reasons[..] {
        [] => None,
        [(_, reason)] => Some((*reason).to_owned()),
        several => {
            let lines = several.iter().map(|(what, reason)| format!("{what}: {reason}"));
            Some(lines.collect::<Vec<_>>().join("; "))
        }
    }
}

fn report<'a>(
    args: &SweepArgs,
    network: &'a Network,
    reasons: Option<&'a str>,
    measured: &'a [Measured],
) -> TrafficSweep<'a> {
    let points = measured.iter().flat_map(|measured| {
        measured.curve.points.iter().map(|point| SweepPoint {
            curve: &measured.name,
            at: SweptValue::Rate(point.rate),
            mean: point.mean().map(|mean| mean.mean),
            confidence: point.mean().and_then(|mean| mean.half_width),
            mean_of_finished: point.latency.map(|latency| latency.mean),
            finished: point.finished(),
            unfinished: point.unfinished,
            empty: None,
            unfinished_warm_up: None,
            steady: None,
            offered: Some(point.offered),
            accepted: Some(point.accepted),
            saturated: Some(point.is_saturated()),
            deadlocked: Some(point.deadlocked),
        })
    });
    let saturation = measured.iter().map(|measured| {
        let found = measured.curve.saturation;
        SaturationReport {
            curve: &measured.name,
            stable: found.map(|found| found.stable),
            saturated: found.map(|found| found.saturated),
            accepted: found.map(|found| found.accepted),
            limit: measured.limit.as_ref().map(|(load, _)| *load),
            limited_by: measured.limit.as_ref().map(|(_, resource)| resource.as_str()),
        }
    });
    let switchings: Vec<_> = measured.iter().map(|measured| measured.rules.0).collect();
    TrafficSweep {
        network: network.name(),
        routing_reason: reasons,
        rules: args.compare.rules.of_rates().report(&switchings),
        messages: messages_report(args, Over::Rate),
        seed: args.compare.draw.seed,
        missions: None,
        phases: Some(phases_report(args, Over::Rate)),
        points: points.collect(),
        saturation: Some(saturation.collect()),
        complete: true,
    }
}

fn print_text(
    args: &SweepArgs,
    network: &Network,
    load: Load,
    measured: &[Measured],
) -> Result<(), Failure> {
    let mut out = standard_for_files();
    let rules = args.compare.rules.of_rates();
    writeln!(
        out,
        "{}{}: {} per message, {} duplex, seed {}",
        words::printable(network.name()),
        words::without(network),
        words::counted(load.flits as usize, "flit"),
        rules.duplex(),
        load.seed
    )?;
    if measured.iter().any(|measured| measured.name.starts_with("wormhole")) {
        writeln!(
            out,
            "  wormhole  {} per channel, each with a buffer of {}",
            words::counted(rules.lanes() as usize, "virtual channel"),
            words::counted(rules.buffer.unwrap_or(0) as usize, "flit")
        )?;
    }
    let Phases { warm_up, measurement, drain } = load.phases;
    writeln!(
        out,
        "  phases    {warm_up} cycles of warm-up, {measurement} measured, at most {drain} to drain"
    )?;
    writeln!(out, "  loads in flits per sending processor and cycle, latency in cycles")?;
    for measured in measured {
        print_curve(&mut out, measured)?;
    }
    out.flush()?;
    Ok(())
}

fn print_curve(out: &mut dyn Write, measured: &Measured) -> io::Result<()> {
    write!(out, "{}", measured.name)?;
    if let Some(reason) = measured.reason {
        write!(out, " (routing chosen: {reason})")?;
    }
    if let Some(risk) = measured.risk {
        write!(out, " (the routing {risk})")?;
    }
    writeln!(out)?;
    writeln!(out, "    rate  offered accepted    latency  +/-95 %  unfinished")?;
    for point in &measured.curve.points {
        write!(
            out,
            "  {:.4}   {:.4}   {:.4} {:>10} {:>8}  {:>10}",
            point.rate,
            point.offered,
            point.accepted,
            shown(point.mean().map(|mean| mean.mean), 2),
            shown(point.mean().and_then(|mean| mean.half_width), 2),
            point.unfinished
        )?;
        if point.is_saturated() {
            write!(out, "  saturated")?;
        }
        if let Some(partial) = point.latency.filter(|_| point.unfinished > 0) {
            write!(out, ", {:.2} over the {} messages delivered", partial.mean, partial.count)?;
        }
        if point.deadlocked > 0 {
            write!(out, ", deadlock of {} messages", point.deadlocked)?;
        }
        writeln!(out)?;
    }
    write!(out, "  {}", saturation_in_words(measured))?;
    if let Some((limit, resource)) = &measured.limit {
        write!(out, "; limit of {resource}: {limit:.4}")?;
        if let Some(found) = measured.curve.saturation.filter(|_| deadlock_from(measured).is_none())
        {
            write!(out, " ({:.1} % of it)", 100.0 * found.accepted / limit)?;
        }
    }
    writeln!(out)
}
