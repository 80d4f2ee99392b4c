//! `pavane traffic compare`: a table of policies, routings and switchings over many missions.

use super::{policies, simulators, switching};
use crate::output::{DONE, Failure, print_json, standard};
use crate::progress::Ticker;
use crate::traffic_args::CompareArgs;
use crate::words;
use pavane_model::Network;
use pavane_traffic::Switching;
use pavane_traffic::compare::{Comparison, Row, compare};
use pavane_traffic::mission::Uniform;
use pavane_traffic::optimal::Effort;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compares.
pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let network = args.network.load()?;
    let rows = compare_rows(args, &network, args.draw.uniform(), "")?;
    match args.json {
        true => {
            let rows: Vec<Value> = rows.iter().map(row_json).collect();
            print_json(&json!({
                "network": network.name(),
                "missions": args.missions,
                "density": args.draw.density,
                "seed": args.draw.seed,
                "rows": rows,
            }))?;
        }
        false => print_text(args, &network, &rows)?,
    }
    Ok(DONE)
}

/// The rows of a comparison with missions drawn in a given way; `place` says where a sweep stands.
pub fn compare_rows(
    args: &CompareArgs,
    network: &Network,
    uniform: Uniform,
    place: &str,
) -> Result<Vec<Row>, Failure> {
    uniform.check(network).map_err(Failure::bad_input)?;
    pavane_engine::use_threads(args.threads.unwrap_or_else(words::cores));
    let switchings: Result<Vec<Switching>, Failure> =
        args.switching.iter().map(|name| switching(name, &args.rules)).collect();
    let simulators = simulators(network, &args.routing, &args.rules)?;
    let policies = policies(&args.policy, &args.rules)?;
    let comparison = Comparison {
        uniform,
        missions: args.missions,
        seed: args.draw.seed,
        simulators: &simulators,
        switchings: &switchings?,
        policies: &policies,
        optimal: args.optimal,
        effort: Effort::default(),
    };
    let done = Arc::new(AtomicU64::new(0));
    let (seen, total, place) = (done.clone(), args.missions, place.to_owned());
    let ticker = Ticker::start(move || {
        format!("{place}{} of {total} missions", seen.load(Ordering::Relaxed))
    });
    let rows = compare(&comparison, &done).map_err(Failure::bad_input)?;
    drop(ticker);
    Ok(rows)
}

/// A row as JSON.
fn row_json(row: &Row) -> Value {
    let mut value = json!({
        "switching": row.switching.name(),
        "routing": row.routing,
        "policy": row.policy,
        "mean": row.makespan.mean,
        "confidence": row.makespan.half_width,
        "missions": row.makespan.count,
        "ratio": row.ratio,
    });
    if let Some((proved, bound)) = row.proved {
        value["proved"] = json!(proved);
        value["bound"] = json!(bound);
    }
    if row.deadlocks > 0 {
        value["deadlocks"] = json!(row.deadlocks);
    }
    value
}

fn print_text(args: &CompareArgs, network: &Network, rows: &[Row]) -> Result<(), Failure> {
    let mut out = standard();
    writeln!(
        out,
        "{} on {}{}: density {}, seed {}",
        words::counted(args.missions as usize, "mission"),
        words::printable(network.name()),
        words::without(network),
        args.draw.density,
        args.draw.seed
    )?;
    writeln!(out, "switching routing        policy      mean   +/-95 %   to opt")?;
    for row in rows {
        let ratio = row.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.4}"));
        write!(
            out,
            "{:9} {:14} {:6} {:9.3} {:9.3} {ratio:>8}",
            row.switching.name(),
            row.routing,
            row.policy,
            row.makespan.mean,
            row.makespan.half_width
        )?;
        if let Some((proved, bound)) = row.proved {
            write!(out, "  proved for {proved} of {}, bound {bound:.3}", row.makespan.count)?;
        }
        if row.deadlocks > 0 {
            write!(
                out,
                "  {} ended in a deadlock",
                words::counted(row.deadlocks as usize, "mission")
            )?;
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}
