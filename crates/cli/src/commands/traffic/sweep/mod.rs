//! `pavane traffic sweep`: curves over density, hot spots, standard deviation of lengths, time
//! between arrivals, or load.

mod curves;
mod measure;
mod point;

pub use curves::Curves;
pub use measure::curves;

use super::{ALL, exit_code, interrupted, rate, stop_flag};
use crate::args::traffic::SweepArgs;
use crate::output::{
    DONE, Failure, check_place, is_standard, not_so, print_json, standard_for_files, write_file,
};
use crate::picture_file::check_svg;
use crate::report::traffic::{SteadyPhases, SweepPoint, SweptValue, TrafficMessages, TrafficSweep};
use crate::words;
use pavane_cluster::Cluster;
use pavane_traffic::Over;
use point::Point;
use std::io::Write;
use std::process::ExitCode;

/// Computes the curves, and writes and prints them.
pub fn run(args: &SweepArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    if let Some(path) = args.csv.as_ref().filter(|_| cluster.is_first()) {
        check_place(path)?;
    }
    if let Some(path) = args.svg.as_ref().filter(|_| cluster.is_first()) {
        check_svg("--svg", path)?;
    }
    let network = args.compare.network.load()?;
    let over = Over::find(&args.over).ok_or_else(|| {
        let (name, known) = (&args.over, Over::names().join(", "));
        Failure::bad_input(format!(
            "--over {name:?}: unknown parameter; the parameters are {known}"
        ))
    })?;
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
            rules: args.compare.rules.report(&curves.switchings()),
            messages: messages_report(args, over),
            seed: args.compare.draw.seed,
            missions: (over != Over::Interval).then(|| args.compare.missions()),
            phases: (over == Over::Interval).then(|| phases_report(args, over)),
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
        let cut = curves.cut.map(|(value, missions)| {
            let (name, all) = (over.name(), args.compare.missions());
            format!("those at {name} {value} over {missions} of {all} missions")
        });
        return Ok(interrupted(curves.points.len() as u64, "point", cut));
    }
    curves.warn_of_empty();
    let is_steady = !curves.warn_of_growth();
    let stuck = || curves.stuck(&network, args.compare.rules.duplex());
    let code = exit_code(curves.unfinished(), ALL, stuck);
    Ok(if is_steady { code } else { not_so() })
}

/// Fails if an option is given that has no effect on curves over this parameter.
fn check_options(args: &SweepArgs, over: Over) -> Result<(), Failure> {
    let (compare, draw) = (&args.compare, &args.compare.draw);
    let options = [
        ("density", draw.density.is_some()),
        ("hot-spots", draw.hot_spots.is_some()),
        ("permutation", draw.permutation.is_some()),
        ("mean", draw.mean.is_some()),
        ("sigma", draw.sigma.is_some()),
        ("window", draw.window.is_some()),
        ("missions", compare.missions.is_some()),
        ("optimal", compare.optimal > 0),
        ("duration", args.duration.is_some()),
        ("warm-up", args.warm_up.is_some()),
        ("drain", args.drain.is_some()),
        ("flits", args.flits.is_some()),
    ];
    for (option, is_given) in options {
        if is_given && over.ignores(option) {
            let name = over.name();
            let why = if option == name { "--values gives its values" } else { "remove it" };
            return Err(Failure::bad_input(format!(
                "--{option} has no effect with --over {name}; {why}"
            )));
        }
    }
    Ok(())
}

/// The distribution of the messages without what varies or does not apply, for JSON.
pub fn messages_report(args: &SweepArgs, over: Over) -> TrafficMessages {
    let usual = args.compare.draw.report();
    let is_steady = matches!(over, Over::Interval | Over::Rate);
    TrafficMessages {
        density: usual.density.filter(|_| !is_steady && over != Over::Density),
        hot_spots: usual.hot_spots,
        permutation: usual.permutation,
        mean_length: usual.mean_length.filter(|_| over != Over::Rate),
        sigma: usual.sigma.filter(|_| !matches!(over, Over::Sigma | Over::Rate)),
        window: usual.window.filter(|_| !is_steady),
    }
}

/// The phases of a steady state, for JSON.
pub fn phases_report(args: &SweepArgs, over: Over) -> SteadyPhases {
    let (duration, warm_up) = args.steady();
    let is_rate = over == Over::Rate;
    SteadyPhases {
        duration,
        warm_up,
        drain: is_rate.then(|| args.drain()),
        flits: is_rate.then(|| args.flits()),
    }
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
        empty: point.empty,
        unfinished_warm_up: point.unfinished_warm_up,
        steady: point.is_steady,
        offered: None,
        accepted: None,
        saturated: None,
        deadlocked: None,
    }
}
