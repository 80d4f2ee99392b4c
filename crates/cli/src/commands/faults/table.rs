//! Table of the cost of faults in the papers' form: one line per class of faults, one column per
//! collective.

use super::report::Summary;
use super::row::FaultFinding;
use super::{Column, Survey};
use crate::words;
use pavane_model::collective::has_any_root;
use pavane_model::{CollectiveRequest, ProcessorId};
use pavane_search::fault::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Up to this many lines every class has its own; beyond, classes with equal results share one.
const MOST_LINES: usize = 60;

/// Maximum number of pairs listed per class of faults.
const PAIRS: usize = 12;

/// Maximum number of classes with remarks, such as disconnected pairs.
const REMARKS: usize = 12;

/// A line: fault sets with the same results in every column.
struct Line {
    /// The first set.
    set: usize,
    count: usize,
    /// The class of the first set, by column.
    classes: Vec<u32>,
    /// Whether several classes share the line.
    is_shared: bool,
}

/// Writes the whole table.
pub fn write(survey: &Survey<'_>, out: &mut dyn Write) -> io::Result<()> {
    head(survey, out)?;
    let lines = lines(survey);
    let name = |line: &Line| match (line.is_shared, line.count) {
        (false, _) | (true, 1) => in_words(survey, line.set),
        (true, count) => format!("{} and {} others", in_words(survey, line.set), count - 1),
    };
    let wide = lines.iter().map(|line| name(line).chars().count()).max().unwrap_or(0).max(8);
    let has_missing = lines.iter().any(|line| missing(survey, line).is_some());
    let title = |column: &Column| column.label.clone();
    let mut text = row("fault", "faults", wide, survey.columns.iter().map(title));
    text += if has_missing { "  missing" } else { "" };
    writeln!(out, "{}", text.trim_end())?;
    let healthy = survey.columns.iter().map(|column| cell(&column.healthy, None));
    writeln!(out, "{}", row("no fault", "", wide, healthy).trim_end())?;
    for line in &lines {
        let cells = survey.columns.iter().zip(&line.classes).map(|(column, &class)| {
            let finding = &column.findings[class as usize];
            cell(finding, finding.loss(&column.healthy))
        });
        let mut text = row(&name(line), &line.count.to_string(), wide, cells);
        if let Some(missing) = missing(survey, line) {
            text += &format!("  {missing}");
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    writeln!(out)?;
    for column in &survey.columns {
        remarks(survey, column, out)?;
    }
    for column in &survey.columns {
        summarise(survey, column, out)?;
    }
    let requests = survey.columns.iter().map(|column| (&column.label[..], &column.request));
    write_moving_roots(survey, requests, out)
}

/// Says which collectives take another root if theirs is lost.
pub fn write_moving_roots<'a, C>(
    survey: &Survey<'_, C>,
    requests: impl Iterator<Item = (&'a str, &'a CollectiveRequest)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !survey.args.of.contains(&Part::Routers) {
        return Ok(());
    }
    let moving = requests.filter(|(_, request)| has_any_root(&request.collective, &request.groups));
    let labels: Vec<String> = moving.map(|(label, _)| words::printable(label).into()).collect();
    if labels.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nnote: without the router of processor 0, the root of {}, the next processor is the root; \
         --root 0 counts the loss of the root as a failure",
        labels.join(", ")
    )
}

/// The faults of a set, printable.
pub fn in_words<C>(survey: &Survey<'_, C>, set: usize) -> String {
    words::printable(&survey.labels(set)).into_owned()
}

/// Formats one line of the table.
fn row(name: &str, count: &str, wide: usize, cells: impl Iterator<Item = String>) -> String {
    let mut text = format!("{name:wide$}  {count:>6}");
    for cell in cells {
        text += &format!("  {cell:<20}");
    }
    text
}

fn head(survey: &Survey<'_>, out: &mut dyn Write) -> io::Result<()> {
    scope(survey, out)?;
    let first = survey.columns[0].request.model;
    writeln!(out, "{}", first)?;
    for column in survey.columns.iter().filter(|column| column.request.model != first) {
        writeln!(out, "{}: {}", column.label, column.request.model)?;
    }
    writeln!(out)
}

/// Writes the network and the faults that are examined.
pub fn scope<C>(survey: &Survey<'_, C>, out: &mut dyn Write) -> io::Result<()> {
    let args = survey.args;
    let kinds: Vec<&str> = Part::ALL
        .iter()
        .filter(|(_, part)| args.of.contains(part))
        .map(|(word, _)| *word)
        .collect();
    let network = &survey.network;
    let parts = match (&kinds[..], survey.parts.faults().len()) {
        ([kind], count) => words::counted(count, kind.trim_end_matches('s')),
        (kinds, count) => format!("{count} {}", kinds.join(" and ")),
    };
    writeln!(
        out,
        "{}{}: {}, {} at a time; seed {}",
        words::printable(network.name()),
        words::without(network),
        parts,
        args.count,
        args.seed
    )?;
    if survey.sets.is_sample() {
        let (some, all) = (survey.sets.sets.len(), survey.sets.total);
        let all = if all == u128::MAX { "more than 10^38".to_owned() } else { all.to_string() };
        writeln!(out, "random sample: {some} of {all} sets of faults")?;
    }
    Ok(())
}

/// Sets with the same class in every column share a line. If that gives too many lines, sets with
/// the same results do.
fn lines(survey: &Survey<'_>) -> Vec<Line> {
    let classes_of = |set: usize| -> Vec<u32> {
        survey.columns.iter().map(|column| column.classes.class_of[set]).collect()
    };
    let mut lines: Vec<Line> = Vec::new();
    let mut line_of: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for set in 0..survey.sets.sets.len() {
        let classes = classes_of(set);
        let at = *line_of.entry(classes.clone()).or_insert(lines.len());
        match lines.get_mut(at) {
            Some(line) => line.count += 1,
            None => lines.push(Line { set, count: 1, classes, is_shared: false }),
        }
    }
    if lines.len() <= MOST_LINES {
        return lines;
    }
    let mut shared: Vec<Line> = Vec::new();
    let mut line_of: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for line in lines {
        let results = survey.columns.iter().zip(&line.classes).map(|(column, &class)| {
            let finding = &column.findings[class as usize];
            cell(finding, finding.loss(&column.healthy))
        });
        let at = *line_of.entry(results.collect()).or_insert(shared.len());
        match shared.get_mut(at) {
            Some(first) => first.count += line.count,
            None => shared.push(Line { is_shared: true, ..line }),
        }
    }
    shared
}

/// The processors lost by the first fault set of a line.
fn missing(survey: &Survey<'_>, line: &Line) -> Option<String> {
    let broken = survey.network.without(&survey.faults(line.set)).ok()?;
    let of = |column: &Column| column.request.missing(&survey.network, &broken);
    let all: BTreeSet<ProcessorId> = survey.columns.iter().flat_map(of).collect();
    let names: Vec<String> = all.iter().map(|&p| survey.network.processor_name(p)).collect();
    match (names.is_empty(), line.is_shared) {
        (true, _) => None,
        (false, true) => Some(format!("{} ...", names.join(" "))),
        (false, false) => Some(names.join(" ")),
    }
}

fn cell(finding: &FaultFinding, loss: Option<f64>) -> String {
    match finding {
        FaultFinding::Solved { steps, bound, .. } => {
            let proved = if steps == bound { "optimal".to_owned() } else { format!(">= {bound}") };
            let loss = loss.map_or(String::new(), |loss| format!("{:+.0} %", 100.0 * loss));
            format!("{steps:>4} {proved:<7} {loss:>7}")
        }
        FaultFinding::Disconnected { pairs, .. } => {
            format!("   - {} cut", words::counted(pairs.len(), "pair"))
        }
        FaultFinding::Impossible { .. } => "   - no messages".to_owned(),
        FaultFinding::Unsolved => "   - not found".to_owned(),
        FaultFinding::NotReached => "   - not reached".to_owned(),
    }
}

/// Writes details that do not fit into a cell.
fn remarks(survey: &Survey<'_>, column: &Column, out: &mut dyn Write) -> io::Result<()> {
    let mut shown = 0;
    for (finding, class) in column.findings.iter().zip(&column.classes.classes) {
        let name = in_words(survey, class.members[0].set);
        let text = match finding {
            FaultFinding::Disconnected { pairs, .. } => {
                let first = pairs.iter().take(PAIRS);
                let listed: Vec<String> =
                    first.map(|&pair| words::pair(&survey.network, pair)).collect();
                let more = match pairs.len().saturating_sub(PAIRS) {
                    0 => String::new(),
                    more => format!(" and {more} more (--json lists all)"),
                };
                format!("disconnected: {}{more}", listed.join(", "))
            }
            FaultFinding::Impossible { why, .. } => why.clone(),
            _ => continue,
        };
        if shown < REMARKS {
            writeln!(out, "{} without {name}: {text}", column.label)?;
        }
        shown += 1;
    }
    match shown.saturating_sub(REMARKS) {
        0 => Ok(()),
        more => {
            writeln!(out, "{}: {more} more classes like these (--json lists all)", column.label)
        }
    }
}

fn summarise(survey: &Survey<'_>, column: &Column, out: &mut dyn Write) -> io::Result<()> {
    let summary = Summary::new(column);
    let label = &column.label;
    let total = survey.sets.sets.len();
    if let Some((steps, class)) = summary.worst {
        // Unknown if a signal ended the survey before the network without faults was solved.
        let loss = column.findings[class].loss(&column.healthy);
        let loss = loss.map_or(String::new(), |loss| format!(" ({:+.0} %)", 100.0 * loss));
        let mean = summary.mean_loss;
        let mean = mean.map_or(String::new(), |mean| format!("; mean {:+.1} %", 100.0 * mean));
        let name = in_words(survey, column.classes.classes[class].members[0].set);
        let others = match summary.distribution[&steps] - 1 {
            0 => String::new(),
            others => format!(" and {}", words::counted(others, "other")),
        };
        writeln!(out, "{label}: worst {}{loss} without {name}{others}{mean}", words::steps(steps))?;
        let spread: Vec<String> = summary
            .distribution
            .iter()
            .map(|(steps, faults)| format!("{steps} in {faults}"))
            .collect();
        writeln!(out, "{label}: steps {}", spread.join(", "))?;
    }
    let classes = match column.classes.classes.len() {
        1 => "1 class".to_owned(),
        classes => format!("{classes} classes"),
    };
    writeln!(
        out,
        "{label}: {} in {}; {} optimal, {} disconnect{}",
        words::counted(total, "fault"),
        classes,
        summary.optimal,
        summary.disconnecting,
        match summary.without {
            0 => String::new(),
            without => format!(", {without} without a schedule"),
        }
    )
}
