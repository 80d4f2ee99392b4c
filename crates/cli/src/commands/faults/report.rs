//! Reports the cost of faults as JSON, as CSV and as a picture.

use super::row::FaultFinding;
use super::{Column, Survey};
use crate::report::faults::{
    ClassReport, CollectiveReport, FaultsReport, FindingReport, SummaryReport,
};
use crate::words;
use pavane_model::{Fault, ProcessorId, csv};
use pavane_render::fault_heat::{self, Effect};
use pavane_render::heat_map::{Heat, Measure, Panel, draw};
use pavane_search::fault::Classes;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Summary of all faults for one collective.
pub struct Summary {
    /// Maximum number of steps, and the class of the first fault that causes it.
    pub worst: Option<(u32, usize)>,
    /// Mean loss over the faults after which there is a schedule.
    pub mean_loss: Option<f64>,
    /// Number of faults by number of steps.
    pub distribution: BTreeMap<u32, usize>,
    /// Number of faults that separate senders from receivers.
    pub disconnecting: usize,
    /// Number of faults after which there is nothing to do or no schedule was found.
    pub without: usize,
    /// Number of faults after which the schedule is optimal.
    pub optimal: usize,
}

impl Summary {
    /// Summarises a column. Each class is weighted by its size.
    pub fn new(column: &Column) -> Self {
        let mut summary = Self {
            worst: None,
            mean_loss: None,
            distribution: BTreeMap::new(),
            disconnecting: 0,
            without: 0,
            optimal: 0,
        };
        let (mut losses, mut count) = (0.0, 0);
        for (at, finding) in column.findings.iter().enumerate() {
            let faults = column.classes.classes[at].members.len();
            summary.optimal += if finding.is_optimal() { faults } else { 0 };
            match finding {
                FaultFinding::Disconnected { .. } => summary.disconnecting += faults,
                FaultFinding::Impossible { .. } | FaultFinding::Unsolved => {
                    summary.without += faults
                }
                FaultFinding::NotReached => {}
                FaultFinding::Solved { steps, .. } => {
                    *summary.distribution.entry(*steps).or_default() += faults;
                    if summary.worst.is_none_or(|(worst, _)| worst < *steps) {
                        summary.worst = Some((*steps, at));
                    }
                    if let Some(loss) = finding.loss(&column.healthy) {
                        losses += loss * faults as f64;
                        count += faults;
                    }
                }
            }
        }
        summary.mean_loss = (count > 0).then(|| losses / count as f64);
        summary
    }
}

impl<C> Survey<'_, C> {
    /// The faults of a set.
    pub fn faults(&self, set: usize) -> Vec<Fault> {
        self.parts.set(&self.sets.sets[set])
    }

    /// The faults of a set, by router names.
    pub fn names(&self, set: usize) -> String {
        self.names_of_each(set).join(" ")
    }

    /// The names of the faults of a set, in the syntax of `--fault`.
    pub fn names_of_each(&self, set: usize) -> Vec<String> {
        self.faults(set).iter().map(|fault| self.fault_name(*fault)).collect()
    }

    /// The same as in pictures, for text.
    pub fn labels(&self, set: usize) -> String {
        let label = |fault: &Fault| self.with_sign(*fault).label(&self.network);
        let labels: Vec<String> = self.faults(set).iter().map(label).collect();
        labels.join(if labels.iter().any(|label| label.contains(' ')) { "; " } else { " " })
    }

    /// A fault in the syntax of `--fault`; channels of a directed network need no colon.
    pub fn fault_name(&self, fault: Fault) -> String {
        self.with_sign(fault).name(&self.network)
    }

    /// The fault with the sign between its routers that schedule files and pictures use.
    fn with_sign(&self, fault: Fault) -> Fault {
        match fault {
            Fault::Channel(tail, head) if self.network.is_directed() => Fault::Link(tail, head),
            fault => fault,
        }
    }
}

/// A share in per cent, with one digit after the point.
pub fn percent(loss: f64) -> f64 {
    (1000.0 * loss).round() / 10.0
}

/// The whole survey, for JSON.
pub fn report<'a>(survey: &'a Survey<'_>) -> FaultsReport<'a> {
    FaultsReport {
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

fn column_report<'a>(survey: &Survey<'_>, column: &'a Column) -> CollectiveReport<'a> {
    let classes = column.findings.iter().zip(&column.classes.classes);
    let classes = classes.map(|(finding, class)| ClassReport {
        finding: finding_report(finding, column),
        faults: survey.names_of_each(class.members[0].set),
        name: survey.names(class.members[0].set),
        count: class.members.len(),
        members: class.members.iter().map(|m| survey.names_of_each(m.set)).collect(),
    });
    let summary = Summary::new(column);
    let first = |class: usize| survey.names(column.classes.classes[class].members[0].set);
    CollectiveReport {
        collective: &column.label,
        model: column.request.model,
        no_fault: finding_report(&column.healthy, column),
        classes: classes.collect(),
        summary: SummaryReport {
            worst_steps: summary.worst.map(|(steps, _)| steps),
            worst_fault: summary.worst.map(|(_, class)| first(class)),
            mean_loss_percent: summary.mean_loss.map(percent),
            steps: summary.distribution.iter().map(|(s, n)| (s.to_string(), *n)).collect(),
            disconnecting: summary.disconnecting,
            without_schedule: summary.without,
            optimal: summary.optimal,
        },
    }
}

fn finding_report<'a>(finding: &'a FaultFinding, column: &Column) -> FindingReport<'a> {
    FindingReport {
        finding,
        optimal: finding.is_optimal(),
        loss_percent: finding.loss(&column.healthy).map(percent),
    }
}

/// Writes one line for every fault set and collective.
pub fn write_csv(survey: &Survey<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "faults,collective,class,status,steps,bound,reason,optimal,loss_percent,missing,disconnected"
    )?;
    for column in &survey.columns {
        writeln!(out, "none,{},,{}", csv::cell(&column.label), csv_of(&column.healthy, column))?;
        let mut rows = vec![String::new(); survey.sets.sets.len()];
        for (number, class) in column.classes.classes.iter().enumerate() {
            for (at, member) in class.members.iter().enumerate() {
                let (finding, _) = column.finding_of(number, at, &survey.network);
                rows[member.set] = format!("{number},{}", csv_of(&finding, column));
            }
        }
        for (set, row) in rows.iter().enumerate() {
            writeln!(out, "{},{},{row}", csv::cell(&survey.names(set)), csv::cell(&column.label))?;
        }
    }
    Ok(())
}

fn csv_of(finding: &FaultFinding, column: &Column) -> String {
    let group = |group: &[ProcessorId]| {
        group.iter().map(ProcessorId::to_string).collect::<Vec<_>>().join(" ")
    };
    match finding {
        FaultFinding::Solved { steps, bound, reason, missing } => format!(
            "solved,{steps},{bound},{},{},{:.1},{},",
            csv::cell(reason),
            finding.is_optimal(),
            100.0 * finding.loss(&column.healthy).unwrap_or(0.0),
            group(missing)
        ),
        FaultFinding::Disconnected { pairs, missing } => {
            let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a}->{b}")).collect();
            format!("disconnected,,,,,,{},{}", group(missing), pairs.join(" "))
        }
        FaultFinding::Impossible { missing, .. } => format!("impossible,,,,,,{},", group(missing)),
        FaultFinding::Unsolved => "unsolved,,,,,,,".to_owned(),
        FaultFinding::NotReached => "not reached,,,,,,,".to_owned(),
    }
}

/// Draws the network once per collective, with each part coloured by the mean loss of the fault
/// sets that contain it.
pub fn heat_map(survey: &Survey<'_>) -> String {
    let panels: Vec<Panel> = survey.columns.iter().map(|column| panel(survey, column)).collect();
    draw(&survey.network, &panels, Measure::Steps)
}

fn panel(survey: &Survey<'_>, column: &Column) -> Panel {
    let effect = |class: usize| Effect {
        loss: column.findings[class].loss(&column.healthy),
        is_cut: matches!(column.findings[class], FaultFinding::Disconnected { .. }),
    };
    let steps = column.healthy.steps().map_or(String::new(), |s| format!(", {}", words::steps(s)));
    let title = format!("{} on {}{steps}", column.label, survey.network.name());
    let in_words = |loss: f64| format!("{:+.1} % steps", 100.0 * loss);
    Panel { title, heats: heats(survey, &column.classes, &effect, &in_words) }
}

/// The mean loss of the fault sets that contain a part, for every part. `effect` is that of a class,
/// and `in_words` describes a loss.
pub fn heats<C>(
    survey: &Survey<'_, C>,
    classes: &Classes,
    effect: &dyn Fn(usize) -> Effect,
    in_words: &dyn Fn(f64) -> String,
) -> Vec<Heat> {
    let sets = survey.sets.sets.iter().zip(&classes.class_of);
    let sets = sets.map(|(set, &class)| (&set[..], effect(class as usize)));
    fault_heat::heats(&survey.network, survey.parts.faults(), sets, in_words)
}
