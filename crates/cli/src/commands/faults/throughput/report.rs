//! Reports throughput limits after faults as JSON, as CSV and as a picture.

use super::super::report::{heats, percent};
use super::super::run::numbers;
use super::{LimitColumn, LimitSurvey};
use crate::report::fault_limits::{
    FaultLimitsReport, FaultedLimit, LimitClass, LimitSummary, LimitsReport,
};
use pavane_model::{ProcessorId, csv};
use pavane_render::fault_heat::Effect;
use pavane_render::heat_map::{Measure, Panel, draw};
use pavane_throughput::fault_limit::{LimitFinding, LimitStatus};
use std::cmp::Ordering;
use std::io::{self, Write};

/// Summary of all faults for one collective. Each class is weighted by its size.
pub struct LossSummary {
    /// The largest loss, as a share, and the class of the first fault that causes it.
    pub worst: Option<(f64, usize)>,
    /// Mean loss over the faults after which there is a limit.
    pub mean_loss: Option<f64>,
    /// Number of faults that cost nothing.
    pub free: usize,
    /// Number of faults that separate senders from receivers.
    pub disconnecting: usize,
    /// Number of faults after which there is no limit.
    pub without: usize,
}

impl LossSummary {
    /// Summarises a column.
    pub fn new(column: &LimitColumn) -> Self {
        let mut summary =
            Self { worst: None, mean_loss: None, free: 0, disconnecting: 0, without: 0 };
        let (mut losses, mut count) = (0.0, 0);
        for (class, finding) in column.findings.iter().enumerate() {
            let faults = column.classes.classes[class].members.len();
            match (finding.status, finding.loss(&column.healthy)) {
                (LimitStatus::Disconnected, _) => summary.disconnecting += faults,
                (LimitStatus::Impossible, _) => summary.without += faults,
                (LimitStatus::NotReached, _) | (LimitStatus::Limited, None) => {}
                (LimitStatus::Limited, Some(loss)) => {
                    summary.free += if loss <= 0.0 { faults } else { 0 };
                    losses += loss * faults as f64;
                    count += faults;
                    if summary.worst.is_none_or(|(worst, _)| worst < loss) {
                        summary.worst = Some((loss, class));
                    }
                }
            }
        }
        summary.mean_loss = (count > 0).then(|| losses / count as f64);
        summary
    }
}

/// The classes: those that disconnect processors, then those with limits by falling cost, then the
/// others.
pub fn costliest_first(column: &LimitColumn) -> Vec<usize> {
    let rank = |class: usize| match column.findings[class].status {
        LimitStatus::Disconnected => 0,
        LimitStatus::Limited => 1,
        LimitStatus::Impossible => 2,
        LimitStatus::NotReached => 3,
    };
    let cost = |class: usize| column.findings[class].cost(&column.healthy).unwrap_or(0.0);
    let mut order: Vec<usize> = (0..column.findings.len()).collect();
    order.sort_by(|&one, &other| {
        let by_rank: Ordering = rank(one).cmp(&rank(other));
        by_rank.then(cost(other).total_cmp(&cost(one)))
    });
    order
}

/// The whole survey, for JSON.
pub fn report<'a>(survey: &'a LimitSurvey<'_>) -> FaultLimitsReport<'a> {
    FaultLimitsReport {
        network: survey.network.name(),
        faults: survey.network.fault_names(),
        count: survey.args.count,
        sets: survey.sets.sets.len(),
        all_sets: survey.sets.total.to_string(),
        is_sample: survey.sets.is_sample(),
        seed: survey.args.seed,
        collectives: survey.columns.iter().map(|column| column_report(survey, column)).collect(),
    }
}

fn column_report<'a>(survey: &LimitSurvey<'_>, column: &'a LimitColumn) -> LimitsReport<'a> {
    let class = |class: usize| {
        let members = &column.classes.classes[class].members;
        LimitClass {
            limit: limit_report(&column.findings[class], column),
            faults: numbers(&survey.faults(members[0].set)),
            name: survey.names(members[0].set),
            count: members.len(),
            members: members.iter().map(|member| numbers(&survey.faults(member.set))).collect(),
        }
    };
    let summary = LossSummary::new(column);
    let first = |class: usize| survey.names(column.classes.classes[class].members[0].set);
    LimitsReport {
        collective: &column.label,
        no_fault: limit_report(&column.healthy, column),
        classes: costliest_first(column).into_iter().map(class).collect(),
        summary: LimitSummary {
            worst_cost_percent: summary.worst.map(|(loss, _)| percent(loss)),
            worst_fault: summary.worst.map(|(_, class)| first(class)),
            mean_cost_percent: summary.mean_loss.map(percent),
            without_cost: summary.free,
            disconnecting: summary.disconnecting,
            without_limit: summary.without,
        },
    }
}

fn limit_report<'a>(finding: &'a LimitFinding, column: &LimitColumn) -> FaultedLimit<'a> {
    FaultedLimit {
        status: finding.status,
        ns_per_byte: finding.limit.map(|limit| limit.to_string()),
        algorithm_gbytes: finding.bandwidth(),
        cost_gbytes: finding.cost(&column.healthy),
        cost_percent: finding.loss(&column.healthy).map(percent),
        why: (!finding.why.is_empty()).then_some(&finding.why),
        pairs: &finding.pairs,
        missing: &finding.missing,
        stopped: finding.is_stopped,
    }
}

/// Writes one line for every fault set and collective.
pub fn write_csv(survey: &LimitSurvey<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "faults,collective,class,status,ns_per_byte,algorithm_gbytes,cost_gbytes,cost_percent,missing,disconnected"
    )?;
    for column in &survey.columns {
        let label = csv::cell(&column.label);
        writeln!(out, "none,{label},,{}", csv_of(&column.healthy, column))?;
        let mut rows = vec![String::new(); survey.sets.sets.len()];
        for (number, class) in column.classes.classes.iter().enumerate() {
            for (at, member) in class.members.iter().enumerate() {
                let image = column.classes.renumbering(class, at, &survey.network);
                let finding = column.findings[number].renumbered(&image);
                let finding =
                    finding.expect("a finding names processors of the network of its survey");
                rows[member.set] = format!("{number},{}", csv_of(&finding, column));
            }
        }
        for (set, row) in rows.iter().enumerate() {
            writeln!(out, "{},{label},{row}", csv::cell(&survey.names(set)))?;
        }
    }
    Ok(())
}

fn csv_of(finding: &LimitFinding, column: &LimitColumn) -> String {
    let missing: Vec<String> = finding.missing.iter().map(ProcessorId::to_string).collect();
    let pairs: Vec<String> = finding.pairs.iter().map(|(a, b)| format!("{a}->{b}")).collect();
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let status = match finding.status {
        LimitStatus::Limited => "limited",
        LimitStatus::Disconnected => "disconnected",
        LimitStatus::Impossible => "impossible",
        LimitStatus::NotReached => "not reached",
    };
    format!(
        "{status},{},{},{},{},{},{}",
        finding.limit.map_or(String::new(), |limit| limit.to_string()),
        number(finding.bandwidth()),
        number(finding.cost(&column.healthy)),
        number(finding.loss(&column.healthy).map(percent)),
        missing.join(" "),
        pairs.join(" ")
    )
}

/// Draws the network once per collective, with each part coloured by the mean loss of bandwidth of
/// the fault sets that contain it.
pub fn heat_map(survey: &LimitSurvey<'_>) -> String {
    let panel = |column: &LimitColumn| {
        let effect = |class: usize| Effect {
            loss: column.findings[class].loss(&column.healthy),
            is_cut: column.findings[class].status == LimitStatus::Disconnected,
        };
        let bandwidth = column.healthy.bandwidth();
        let bandwidth = bandwidth.map_or(String::new(), |b| format!(", {b:.2} GB/s"));
        let title = format!("{} on {}{bandwidth}", column.label, survey.network.name());
        let in_words = |loss: f64| format!("{:+.1} % bandwidth", 0.0 - 100.0 * loss);
        Panel { title, heats: heats(survey, &column.classes, &effect, &in_words) }
    };
    let panels: Vec<Panel> = survey.columns.iter().map(panel).collect();
    draw(&survey.network, &panels, Measure::Bandwidth)
}
