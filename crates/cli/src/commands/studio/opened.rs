//! A schedule file that the user opens: read, judged, and shown as if it had been found here.

use super::answer::Answer;
use super::request::{MOST_DELIVERIES, check_size};
use super::schedule::ScheduleAnswer;
use super::tdm::TdmAnswer;
use super::timed::StudioTimed;
use crate::schedule_file::JudgedSchedule;

use pavane_model::claims;
use pavane_model::collective::{self, Groups};
use pavane_model::format::{Phase, Stored, read_stored};
use pavane_model::{Collective, Network, Problem, ProcessorId, Switching};
use pavane_networks::export_network::FORMATS;
use pavane_networks::name_check;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;

/// A file as the page sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAsked {
    /// Its name, for messages.
    name: String,
    /// Its content.
    text: String,
}

impl OpenAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.name.len() + self.text.len()
    }
}

/// Reads a file and has it judged.
pub fn open(asked: &OpenAsked) -> Result<Answer, String> {
    let name = asked.name.trim();
    let stored = read_stored(asked.text.as_bytes(), name, MOST_DELIVERIES);
    let at = |problem: String| format!("{name}: {problem}");
    match stored.map_err(|error| error.to_string())? {
        Stored::Schedule(phases, whole) => {
            check_size(phases[0].problem.network())?;
            let form = form(&phases);
            // Proofs in files of their own are not there.
            let no_file = |_: &str| Err(io::Error::from(io::ErrorKind::NotFound));
            let judged = JudgedSchedule::judge(phases, whole, &no_file).map_err(|first| {
                at(format!("not a valid schedule: {first} (`pavane verify` lists all violations)"))
            })?;
            Ok(Answer::Schedule(ScheduleAnswer::opened(name, judged, form)))
        }
        Stored::Timed(schedule) => {
            check_size(schedule.phases[0].problem.network())?;
            Ok(Answer::Timed(Box::new(StudioTimed::opened(name, *schedule).map_err(at)?)))
        }
        Stored::Tdm(schedule) => {
            check_size(schedule.problem.network())?;
            Ok(Answer::Tdm(Box::new(TdmAnswer::opened(*schedule).map_err(at)?)))
        }
        Stored::Throughput(_) => Err(at(
            "a throughput plan; the studio opens schedules, `pavane draw` draws this file".into(),
        )),
        Stored::Refutation(_) | Stored::TdmRefutation(_) => Err(at(
            "a proof without a schedule; the studio opens schedules, `pavane verify` checks this file"
                .into(),
        )),
    }
}

/// The fields of the form that describe a problem, by name.
pub type FormFields = BTreeMap<&'static str, String>;

/// The fields that describe the problem of a file, so that the other sections are about it; empty if the
/// form cannot describe it.
fn form(phases: &[Phase]) -> FormFields {
    let problem = &phases[0].problem;
    let described = network_fields(problem.network()).zip(collective_fields(phases));
    let Some((mut fields, collective)) = described else { return FormFields::new() };
    fields.extend(collective);
    let model = problem.model();
    let switching = match model.switching {
        Switching::Wormhole => "wormhole",
        Switching::StoreAndForward => "sf",
    };
    fields.insert("switching", switching.to_owned());
    fields.insert("routing", model.routing.to_string());
    fields.insert("duplex", model.duplex.to_string());
    fields.insert("ports", model.ports.to_string());
    fields.insert("chunks", problem.collective().chunk_count().to_string());
    fields
}

/// The name of a network if it is right, otherwise the network as text. Faults are left out: the form is
/// about the whole network, which only a name describes.
fn network_fields(network: &Network) -> Option<FormFields> {
    if name_check::is_network_right(network) {
        return Some(FormFields::from([("network", network.name().to_owned())]));
    }
    let (_, write) = FORMATS.iter().find(|(name, _)| *name == "json")?;
    let mut text = Vec::new();
    write(network, &mut text).ok().filter(|()| network.faults().is_empty())?;
    Some(FormFields::from([("text", String::from_utf8(text).ok()?)]))
}

/// The name of a collective and its groups.
fn collective_fields(phases: &[Phase]) -> Option<FormFields> {
    let problem = &phases[0].problem;
    if phases.len() > 1 {
        let problems: Vec<&Problem> = phases.iter().map(|phase| &phase.problem).collect();
        let is_whole = claims::is_all_reduce_right("all-reduce", &problems);
        return is_whole.then(|| FormFields::from([("collective", "all-reduce".to_owned())]));
    }
    let whole = problem.collective().whole();
    let listed = |group: &[ProcessorId]| {
        group.iter().map(|processor| format!("p{processor}")).collect::<Vec<_>>().join(",")
    };
    let root = match (&whole.senders[..], &whole.receivers[..]) {
        ([root], _) | (_, [root]) => Some(format!("p{root}")),
        _ => None,
    };
    let (senders, receivers) = (Some(listed(&whole.senders)), Some(listed(&whole.receivers)));
    let candidates = [
        Groups::default(),
        Groups { root, ..Groups::default() },
        Groups { root: None, senders, receivers },
    ];
    let names = [whole.name.clone(), claims::kind_in_words(whole.kind).to_owned()];
    let is_meant = |name: &String, groups: &Groups| {
        let built = collective::is_name(name)
            .then(|| collective::build(name, problem.network(), groups).ok())
            .flatten();
        matches!(built.as_deref(), Some([built]) if is_same(built, &whole))
    };
    let (name, groups) = names
        .iter()
        .flat_map(|name| candidates.iter().map(move |groups| (name, groups)))
        .find(|(name, groups)| is_meant(name, groups))?;
    let mut fields = FormFields::from([("collective", name.clone())]);
    let given =
        [("root", &groups.root), ("senders", &groups.senders), ("receivers", &groups.receivers)];
    fields.extend(given.into_iter().filter_map(|(name, text)| Some((name, text.clone()?))));
    Some(fields)
}

/// Whether two collectives have the same messages, whatever they are called.
fn is_same(one: &Collective, other: &Collective) -> bool {
    let sorted = |group: &[ProcessorId]| {
        let mut group = group.to_vec();
        group.sort_unstable();
        group
    };
    one.kind == other.kind
        && one.list == other.list
        && sorted(&one.senders) == sorted(&other.senders)
        && sorted(&one.receivers) == sorted(&other.receivers)
}
