//! Table 1 and Figures 1 to 9 of the paper on concurrent traffic in hypercubes, next to Pavane's
//! results.

use crate::args::tables::ReproduceArgs;
use crate::args::traffic::CompareArgs;
use crate::commands::reproduce::row::TableRow;
use crate::commands::traffic::{Curves, compare_rows, curves, shown};
use crate::output::{Failure, write_file};
use crate::report::reproduce::{CurvePoint, Reproduced, TrafficRow};
use clap::Parser;
use pavane_cluster::Cluster;
use pavane_traffic::compare::Row;
use pavane_traffic::statistics::Estimate;
use pavane_traffic::{Over, SwitchingMethod};
use std::io::Write;
use std::sync::atomic::AtomicBool;

/// The paper.
const PAPER: &str =
    "Tsai, Shin: Combined routing and scheduling of concurrent communication traffic, 1996";

/// Missions per run of the other tables.
const MISSIONS: u64 = 1000;

/// Number of circuit-switched missions whose optimum is searched, because it is rarely proved.
const SEARCHED: u64 = 200;

/// A table or figure.
pub struct Exhibit {
    /// Its name.
    pub name: &'static str,
    /// One-line description.
    pub title: &'static str,
    /// What is plotted over what, if it is a figure.
    over: Option<Over>,
    /// The arguments of `pavane traffic sweep`, one line per group of curves.
    lines: &'static [&'static str],
}

/// Table 1 by policy: store-and-forward, circuit switching, virtual cut-through.
const TABLE_1: &[(&str, [f64; 3])] = &[
    ("opt", [193.1, 193.7, 193.0]),
    ("fifo", [231.1, 229.0, 218.5]),
    ("lf", [216.8, 221.4, 202.5]),
    ("smallest-first", [240.5, 233.7, 221.4]),
    ("ff", [199.9, 217.3, 208.7]),
    ("nf", [244.4, 232.7, 219.5]),
    ("lbf", [195.8, 208.2, 195.3]),
    ("sbf", [250.1, 231.5, 226.6]),
];

/// All tables and figures.
pub const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "traffic-1",
        title: "Table 1: policies under e-cube routing",
        over: None,
        lines: &[
            "hypercube:4 --switching store-and-forward,vct --optimal 100000",
            "hypercube:4 --switching cs --optimal SEARCHED",
        ],
    },
    figure(
        "traffic-figure-1",
        "Figure 1: e-cube, message switching",
        &["hypercube:4 --switching store-and-forward --policy lbf,fifo --optimal SEARCHED"],
    ),
    figure(
        "traffic-figure-2",
        "Figure 2: e-cube, circuit switching",
        &["hypercube:4 --switching cs --policy lbf,fifo --optimal SEARCHED"],
    ),
    figure(
        "traffic-figure-3",
        "Figure 3: e-cube, virtual cut-through",
        &["hypercube:4 --switching vct --policy lbf,fifo --optimal SEARCHED"],
    ),
    figure(
        "traffic-figure-4",
        "Figure 4: routings, message switching",
        &[
            "hypercube:4 --switching store-and-forward --routing pa,dfs --policy lbf,lf",
            "hypercube:4 --switching store-and-forward --policy fifo",
            "hypercube:4 --switching store-and-forward --routing cps --policy lbf --optimal SEARCHED --missions SEARCHED",
        ],
    ),
    figure(
        "traffic-figure-5",
        "Figure 5: routings, circuit switching",
        &[
            "hypercube:4 --switching cs --routing pa,dfs --policy lbf,lf",
            "hypercube:4 --switching cs --policy fifo",
            "hypercube:4 --switching cs --routing cps --policy lbf --optimal SEARCHED --missions SEARCHED",
        ],
    ),
    figure(
        "traffic-figure-6",
        "Figure 6: routings, virtual cut-through",
        &[
            "hypercube:4 --switching vct --routing pa,dfs --policy lbf,lf",
            "hypercube:4 --switching vct --policy fifo",
            "hypercube:4 --switching vct --routing cps --policy lbf --optimal SEARCHED --missions SEARCHED",
        ],
    ),
    steady(
        "traffic-figure-7",
        "Figure 7: steady state, message switching",
        &[
            "hypercube:4 --switching store-and-forward --routing pa,dfs --policy lbf",
            "hypercube:4 --switching store-and-forward --policy fifo",
        ],
    ),
    steady(
        "traffic-figure-8",
        "Figure 8: steady state, circuit switching",
        &[
            "hypercube:4 --switching cs --routing pa,dfs --policy lbf",
            "hypercube:4 --switching cs --policy fifo",
        ],
    ),
    steady(
        "traffic-figure-9",
        "Figure 9: steady state, virtual cut-through",
        &[
            "hypercube:4 --switching vct --routing pa,dfs --policy lbf",
            "hypercube:4 --switching vct --policy fifo",
        ],
    ),
];

const fn figure(
    name: &'static str,
    title: &'static str,
    lines: &'static [&'static str],
) -> Exhibit {
    Exhibit { name, title, over: Some(Over::Density), lines }
}

const fn steady(
    name: &'static str,
    title: &'static str,
    lines: &'static [&'static str],
) -> Exhibit {
    Exhibit { name, title, over: Some(Over::Interval), lines }
}

/// The arguments of `pavane traffic sweep`.
#[derive(Parser)]
struct TypedSweep {
    #[command(flatten)]
    compare: CompareArgs,
}

/// A line of the list.
pub fn describe(exhibit: &Exhibit) -> String {
    format!("{:16} {}; {PAPER}", exhibit.name, exhibit.title)
}

/// Computes and prints an exhibit. Returns its rows for JSON.
pub fn make<'a>(
    exhibit: &Exhibit,
    args: &ReproduceArgs,
    out: &mut dyn Write,
    cluster: &Cluster,
) -> Result<Vec<Reproduced<&'a TableRow>>, Failure> {
    if !args.json {
        writeln!(out, "{}: {PAPER}\n{}", exhibit.name, exhibit.title)?;
        out.flush()?;
    }
    match exhibit.over {
        None => table_1(exhibit, args, out, cluster),
        Some(over) => curves_of(exhibit, over, args, out, cluster),
    }
}

/// Parses the arguments of a line; missions, seed and threads come from `args`.
fn parsed(line: &str, args: &ReproduceArgs) -> Result<CompareArgs, Failure> {
    let line = line.replace("SEARCHED", &SEARCHED.to_string());
    let words = std::iter::once("pavane").chain(line.split_whitespace());
    let mut typed = TypedSweep::try_parse_from(words).map_err(Failure::bad_input)?.compare;
    if !line.contains("--missions") {
        typed.missions = Some(MISSIONS * args.runs);
    }
    typed.draw.seed = args.seed;
    typed.threads = args.threads;
    Ok(typed)
}

fn table_1<'a>(
    exhibit: &Exhibit,
    args: &ReproduceArgs,
    out: &mut dyn Write,
    cluster: &Cluster,
) -> Result<Vec<Reproduced<&'a TableRow>>, Failure> {
    let mut rows: Vec<Row> = Vec::new();
    for line in exhibit.lines {
        let typed = parsed(line, args)?;
        let network = typed.network.load()?;
        let place = format!("{}: ", exhibit.name);
        rows.extend(
            compare_rows(
                &typed,
                &network,
                typed.draw.uniform(),
                &place,
                &AtomicBool::new(false),
                cluster,
            )?
            .rows,
        );
    }
    let mut values = Vec::new();
    if !args.json {
        writeln!(out, "policy         switching          paper     here  +/-95 %  deviation")?;
    }
    for (policy, papers) in TABLE_1 {
        for (&(switching, method), paper) in SwitchingMethod::ALL.iter().zip(papers) {
            let is_it = |row: &&Row| row.policy == *policy && row.switching == method;
            let Some(row) = rows.iter().find(is_it) else { continue };
            // No switching in the table can deadlock.
            let Some(Estimate { mean, half_width, count }) = row.makespan else { continue };
            let deviation = 100.0 * (mean / paper - 1.0);
            let proved = row.proved.map(|(proved, _)| proved as f64 / count as f64);
            if !args.json {
                write!(
                    out,
                    "{policy:14} {switching:17} {paper:7.1} {mean:8.2} {:>8} {deviation:+8.1} %",
                    shown(half_width, 2)
                )?;
                if let Some(share) = proved {
                    write!(out, "  proved for {:.1} % of {count}", 100.0 * share)?;
                }
                writeln!(out)?;
            }
            values.push(Reproduced::Traffic(TrafficRow {
                table: exhibit.name,
                policy,
                switching,
                paper: *paper,
                mean,
                confidence: half_width,
                missions: count,
                proved,
            }));
        }
    }
    out.flush()?;
    Ok(values)
}

fn curves_of<'a>(
    exhibit: &Exhibit,
    over: Over,
    args: &ReproduceArgs,
    out: &mut dyn Write,
    cluster: &Cluster,
) -> Result<Vec<Reproduced<&'a TableRow>>, Failure> {
    let mut all = Curves { over, reasons: None, points: Vec::new(), is_complete: true, cut: None };
    for line in exhibit.lines {
        let typed = parsed(line, args)?;
        let network = typed.network.load()?;
        let made = curves(
            &typed,
            &network,
            over,
            &[],
            (20_000.0, 2_000.0),
            &AtomicBool::new(false),
            cluster,
        )?;
        all.points.extend(made.points);
    }
    if let Some(folder) = args.plot.as_ref().filter(|_| cluster.is_first()) {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::bad_input(format!(
                "cannot create the folder {}: {}",
                folder.display(),
                error.kind()
            ))
        })?;
        let svg = all.svg(exhibit.title);
        let path = folder.join(exhibit.name).with_extension("svg");
        write_file(&path, |file| file.write_all(svg.as_bytes()))?;
        let path = path.with_extension("csv");
        write_file(&path, |file| file.write_all(all.csv().as_bytes()))?;
    }
    if !args.json {
        out.write_all(all.csv().as_bytes())?;
        out.flush()?;
    }
    let values = all.points.iter().map(|point| {
        let (mean, confidence) = point.figures();
        Reproduced::Curve(CurvePoint {
            table: exhibit.name,
            curve: point.curve.clone(),
            at: point.at,
            mean,
            confidence,
        })
    });
    Ok(values.collect())
}
