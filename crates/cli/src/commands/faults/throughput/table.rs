//! Table of throughput limits: for each collective one line per class of faults, the costliest first.

use super::super::table::{in_words, scope, write_moving_roots};
use super::report::{LossSummary, costliest_first};
use super::{LimitColumn, LimitSurvey};
use crate::words::{self, counted};
use pavane_model::Network;
use pavane_throughput::fault_limit::{LimitFinding, LimitStatus};
use std::io::{self, Write};

/// Maximum number of lines per collective.
const MOST_LINES: usize = 60;

/// Maximum number of disconnected pairs in a line.
const PAIRS: usize = 4;

/// Writes the whole table.
pub fn write(survey: &LimitSurvey<'_>, out: &mut dyn Write) -> io::Result<()> {
    scope(survey, out)?;
    for column in &survey.columns {
        writeln!(out)?;
        rows(survey, column, out)?;
        summarise(survey, column, out)?;
    }
    let requests = survey.columns.iter().map(|column| (&column.label[..], &column.request));
    write_moving_roots(survey, requests, out)?;
    if let Some(note) = words::default_bandwidth(&survey.network, "--bandwidth") {
        writeln!(out, "\nnote: {note}")?;
    }
    Ok(())
}

fn rows(survey: &LimitSurvey<'_>, column: &LimitColumn, out: &mut dyn Write) -> io::Result<()> {
    let order = costliest_first(column);
    let name = |class: usize| in_words(survey, column.classes.classes[class].members[0].set);
    let shown = &order[..order.len().min(MOST_LINES)];
    let wide = shown.iter().map(|&class| name(class).chars().count()).max().unwrap_or(0).max(8);
    writeln!(out, "{}", words::printable(&column.label))?;
    writeln!(
        out,
        "  {:wide$}  {:>6}  {:>14}  {:>14}  {:>8}  {:>16}",
        "fault", "faults", "algorithm GB/s", "cost GB/s", "cost", "limit ns/byte"
    )?;
    writeln!(
        out,
        "  {:wide$}  {:>6}  {}",
        "no fault",
        "",
        cells(&survey.network, &column.healthy, None).trim_end()
    )?;
    for &class in shown {
        let finding = &column.findings[class];
        let count = column.classes.classes[class].members.len();
        let cells = cells(&survey.network, finding, Some(&column.healthy));
        let missing = match &finding.missing[..] {
            [] => String::new(),
            missing => {
                let names: Vec<String> =
                    missing.iter().map(|&p| survey.network.processor_name(p)).collect();
                format!("  missing {}", names.join(" "))
            }
        };
        let line = format!("  {:wide$}  {count:>6}  {cells}{missing}", name(class));
        writeln!(out, "{}", line.trim_end())?;
    }
    match order.len() - shown.len() {
        0 => Ok(()),
        more => {
            writeln!(out, "  {} with smaller costs (--json lists all)", counted(more, "more class"))
        }
    }
}

fn cells(network: &Network, finding: &LimitFinding, healthy: Option<&LimitFinding>) -> String {
    match finding.status {
        LimitStatus::Limited => {
            let bandwidth = finding.bandwidth().map_or("-".to_owned(), |b| format!("{b:.2}"));
            let cost = healthy.and_then(|healthy| finding.cost(healthy));
            let loss = healthy.and_then(|healthy| finding.loss(healthy));
            let cost = cost.map_or(String::new(), |cost| format!("{cost:.2}"));
            let loss = loss.map_or(String::new(), |loss| format!("{:.1} %", 100.0 * loss));
            let limit = finding.limit.map_or(String::new(), |limit| limit.to_string());
            let stopped = if finding.is_stopped { "  stopped: may be slower" } else { "" };
            format!("{bandwidth:>14}  {cost:>14}  {loss:>8}  {limit:>16}{stopped}")
        }
        LimitStatus::Disconnected => {
            let pairs = finding.pairs.iter().take(PAIRS);
            let listed: Vec<String> = pairs.map(|&pair| words::pair(network, pair)).collect();
            let more = match finding.pairs.len().saturating_sub(PAIRS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{:>14}  disconnects {}{more}", "-", listed.join(", "))
        }
        LimitStatus::Impossible => format!("{:>14}  {}", "-", words::printable(&finding.why)),
        LimitStatus::NotReached => format!("{:>14}  not reached", "-"),
    }
}

fn summarise(
    survey: &LimitSurvey<'_>,
    column: &LimitColumn,
    out: &mut dyn Write,
) -> io::Result<()> {
    let summary = LossSummary::new(column);
    if let Some((loss, class)) = summary.worst {
        let name = in_words(survey, column.classes.classes[class].members[0].set);
        writeln!(
            out,
            "  worst {:.1} % without {name}; mean {:.1} %",
            100.0 * loss,
            100.0 * summary.mean_loss.unwrap_or(0.0)
        )?;
    }
    let classes = match column.classes.classes.len() {
        1 => "1 class".to_owned(),
        classes => format!("{classes} classes"),
    };
    writeln!(
        out,
        "  {} in {classes}; {} cost nothing, {} disconnect{}",
        counted(survey.sets.sets.len(), "fault"),
        summary.free,
        summary.disconnecting,
        match summary.without {
            0 => String::new(),
            without => format!(", {without} without a limit"),
        }
    )
}
