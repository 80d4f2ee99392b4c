//! `pavane traffic compare`: a table of policies, routings and switchings over many missions.

use super::advice::advice;
use super::{
    ALL, check_lanes, exit_code, interrupted, policies, rules_in_words, shown, simulators,
    stop_flag, switchings, unfinished_runs,
};
use crate::args::traffic::CompareArgs;
use crate::output::{DONE, Failure, print_json, standard};
use crate::progress::Ticker;
use crate::report::traffic::{CompareRow, TrafficCompare};
use crate::words;
use pavane_cluster::{Cluster, Jobs};
use pavane_model::Network;
use pavane_traffic::compare::{Comparison, MissionOutcome, Row, outcomes, outcomes_until};
use pavane_traffic::mission::{Pattern, Uniform};
use pavane_traffic::optimal::Effort;
use pavane_traffic::{RoutedSimulator, SwitchingMethod};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Runs the comparison and prints the table.
pub fn run(args: &CompareArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let network = args.network.load()?;
    let stop = stop_flag(cluster);
    let compared = compare_rows(args, &network, args.draw.uniform(), "", &stop, cluster)?;
    let rows = &compared.rows;
    if !cluster.is_first() {
        return Ok(DONE);
    }
    if args.json {
        print_json(&TrafficCompare {
            network: network.name(),
            missions: args.missions(),
            messages: args.draw.report(),
            rules: args.rules.report(&compared.switchings()),
            seed: args.draw.seed,
            rows: rows.iter().map(row_report).collect(),
            complete: compared.is_complete(args.missions()),
        })?;
    } else {
        print_text(args, &network, &compared)?;
    }
    if !compared.is_complete(args.missions()) {
        return Ok(interrupted(compared.missions, "mission", None));
    }
    let policies = rows.iter().filter(|row| row.proved.is_none());
    let counts = policies.map(|row| (row.finished(), row.unfinished));
    let stuck = || compared.stuck(&network, args);
    Ok(exit_code(unfinished_runs(counts), ALL, stuck))
}

/// The rows of a comparison.
pub struct Compared {
    /// The rows; empty except on rank 0.
    pub rows: Vec<Row>,
    /// Number of missions that they are about: fewer than requested after an interrupt.
    pub missions: u64,
    /// Why the routings were chosen, if none were requested.
    pub reasons: Option<String>,
}

impl Compared {
    /// Number of missions that drew no message.
    fn empty(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.empty)
    }

    /// The switching methods of the rows.
    fn switchings(&self) -> Vec<SwitchingMethod> {
        self.rows.iter().map(|row| row.switching).collect()
    }

    /// Whether all missions were simulated.
    fn is_complete(&self, missions: u64) -> bool {
        self.missions == missions
    }

    /// What to try, given the first row with a deadlock.
    fn stuck(&self, network: &Network, args: &CompareArgs) -> String {
        let row = self.rows.iter().find(|row| row.unfinished > 0);
        row.map_or(String::new(), |row| {
            advice(network, args.rules.duplex(), row.switching, &row.routing)
        })
    }
}

/// Switching methods that are compared if none are requested.
const SWITCHINGS: [&str; 3] = ["store-and-forward", "cs", "vct"];

/// The requested switching methods, or the usual ones.
pub fn switching_names(args: &CompareArgs) -> Vec<String> {
    if args.switching.is_empty() {
        SWITCHINGS.map(str::to_owned).to_vec()
    } else {
        args.switching.clone()
    }
}

/// The rows of a comparison over missions drawn from `uniform`, computed by all ranks; only rank 0
/// gets them. `place` describes the progress of a sweep. After `stop` is raised, the rows are about the
/// missions that were simulated.
pub fn compare_rows(
    args: &CompareArgs,
    network: &Network,
    uniform: Uniform,
    place: &str,
    stop: &AtomicBool,
    cluster: &Cluster,
) -> Result<Compared, Failure> {
    uniform.check(network).map_err(Failure::bad_input)?;
    pavane_search::use_threads(args.threads.unwrap_or_else(words::cores));
    let switchings = switchings(&switching_names(args), &args.rules)?;
    check_lanes(&args.rules, &switchings)?;
    let simulators = simulators(network, &args.routing, &args.rules, &switchings)?;
    let reasons = RoutedSimulator::reasons(&simulators);
    let policies = policies(&args.policy, &args.rules)?;
    let comparison = Comparison {
        uniform,
        missions: args.missions(),
        seed: args.draw.seed,
        simulators: &simulators,
        switchings: &switchings,
        policies: &policies,
        optimal: args.optimal,
        effort: Effort::default(),
    };
    let done = Arc::new(AtomicU64::new(0));
    let what = format!("missions{place}");
    let _ticker = Ticker::counting(cluster.ranks(), &what, args.missions(), &done);
    let found = if cluster.is_alone() {
        outcomes_until(&comparison, 0..comparison.missions, &done, stop)
            .map_err(Failure::bad_input)?
    } else {
        outcomes_on_ranks(&comparison, &done, cluster)?
    };
    let missions = found.len() as u64;
    let rows = if found.is_empty() { Ok(Vec::new()) } else { comparison.rows(&found) };
    let rows = rows.map_err(Failure::bad_input)?;
    Ok(Compared { rows, missions, reasons })
}

/// Maximum number of missions assigned to a rank at once.
const BLOCK: u64 = 256;

/// Runs a comparison in blocks of missions, distributed over all ranks.
fn outcomes_on_ranks(
    comparison: &Comparison<'_>,
    done: &AtomicU64,
    cluster: &Cluster,
) -> Result<Vec<MissionOutcome>, Failure> {
    let missions = comparison.missions;
    // Several blocks per rank, so that no rank waits long for the last block.
    let block = missions.div_ceil(8 * cluster.ranks() as u64).clamp(1, BLOCK);
    let work = |number: usize| {
        let first = number as u64 * block;
        // Progress is counted where blocks are collected.
        outcomes(comparison, first..missions.min(first + block), &AtomicU64::new(0))
            .map_err(|error| error.to_string())
    };
    let count = missions.div_ceil(block) as usize;
    let blocks = Mutex::new(vec![None; count]);
    let collect = |number: usize, outcomes: Result<Vec<MissionOutcome>, String>| {
        let first = number as u64 * block;
        done.fetch_add(block.min(missions - first), Ordering::Relaxed);
        blocks.lock().expect("no thread panics while it holds this")[number] = Some(outcomes);
    };
    let stop = AtomicBool::new(false);
    cluster.share(&Jobs { count, workers: 1, stop: &stop, work: &work, collect: &collect });
    if !cluster.is_first() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for outcomes in blocks.into_inner().expect("no thread panics while it holds this") {
        let outcomes = outcomes.unwrap_or_else(|| Err("a rank ended early".to_owned()));
        all.extend(outcomes.map_err(Failure::bad_input)?);
    }
    Ok(all)
}

/// A row, for JSON.
fn row_report(row: &Row) -> CompareRow<'_> {
    CompareRow {
        switching: row.switching.name(),
        routing: &row.routing,
        routing_reason: row.reason,
        policy: row.policy,
        mean: row.mean().map(|mean| mean.mean),
        confidence: row.mean().and_then(|mean| mean.half_width),
        mean_of_finished: row.makespan.map(|makespan| makespan.mean),
        finished: row.finished(),
        unfinished: row.unfinished,
        empty: row.empty,
        ratio: row.ratio,
        proved: row.proved.map(|(proved, _)| proved),
        bound: row.proved.map(|(_, bound)| bound),
    }
}

/// `density 0.5, 2 hot spots, arrivals within 30`.
fn messages_in_words(args: &CompareArgs) -> String {
    let uniform = args.draw.uniform();
    let mut text = format!("density {}", uniform.density);
    match uniform.pattern {
        Pattern::All => {}
        Pattern::HotSpots(spots) => {
            text += &format!(", {}", words::counted(spots as usize, "hot spot"))
        }
        Pattern::Permutation(permutation) => {
            text += &format!(", permutation {}", permutation.name());
        }
    }
    let usual = Uniform::default();
    if (uniform.mean, uniform.sigma) != (usual.mean, usual.sigma) {
        text += &format!(", lengths {} ± {}", uniform.mean, uniform.sigma);
    }
    if uniform.window > 0.0 {
        text += &format!(", arrivals within {}", uniform.window);
    }
    text
}

fn print_text(args: &CompareArgs, network: &Network, compared: &Compared) -> Result<(), Failure> {
    let mut out = standard();
    writeln!(
        out,
        "{} on {}{}: {}, {}, seed {}",
        words::counted(compared.missions as usize, "mission"),
        words::printable(network.name()),
        words::without(network),
        messages_in_words(args),
        rules_in_words(&args.rules.report(&compared.switchings())),
        args.draw.seed
    )?;
    if compared.empty() > 0 {
        let empty = words::counted(compared.empty() as usize, "mission");
        writeln!(
            out,
            "{empty} drew no message and {} not counted",
            if compared.empty() == 1 { "is" } else { "are" }
        )?;
    }
    if let Some(reasons) = &compared.reasons {
        writeln!(out, "routing chosen: {reasons}")?;
    }
    writeln!(
        out,
        "switching         routing        policy              mean   +/-95 %   to opt  unfinished"
    )?;
    for row in &compared.rows {
        write!(
            out,
            "{:17} {:14} {:14} {:>9} {:>9} {:>8}  {:>10}",
            row.switching.name(),
            row.routing,
            row.policy,
            shown(row.mean().map(|mean| mean.mean), 3),
            shown(row.mean().and_then(|mean| mean.half_width), 3),
            shown(row.ratio, 4),
            row.unfinished
        )?;
        let finished = row.finished();
        if let Some((proved, bound)) = row.proved {
            write!(out, "  proved for {proved} of {finished}, bound {bound:.3}")?;
        }
        if let Some(partial) = row.makespan.filter(|_| row.unfinished > 0) {
            write!(
                out,
                "  {:.3} over the {} that finished",
                partial.mean,
                words::counted(finished as usize, "mission")
            )?;
        } else if row.unfinished > 0 {
            write!(out, "  all missions deadlocked")?;
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}
