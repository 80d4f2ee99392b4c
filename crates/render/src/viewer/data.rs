//! The data of a schedule for the player: positions, paths, marks, and the facts above them.

use crate::picture::CheckedPhase;
use crate::picture::curve::segments;
use crate::picture::map::{self, Disc, Map};
use crate::picture::panel::{Marks, legend, marks};
use crate::picture::scene::text_width;
use crate::picture::senders::{Colours, senders};
use crate::picture::svg::{path_data, short};
use pavane_model::printable::make_printable;
use pavane_model::{ChannelId, Network, Problem, ProcessorId, RouterId};
use pavane_networks::name_check;
use serde_json::{Value, json};

/// Maximum number of transfers in a step that is animated; beyond it a page shows a still picture.
pub const MOST_TRANSFERS: usize = 3000;

/// Maximum transfers and channel uses of all steps together, and maximum number of processor marks,
/// that a browser can handle.
const MOST_IN_ALL: usize = 300_000;
const MOST_MARKS: usize = 4_000_000;

/// Whether a schedule can be animated in a browser.
pub fn is_playable(phases: &[CheckedPhase<'_>]) -> bool {
    let (mut uses, mut marks) = (0, 0);
    for (checked, _) in phases {
        let schedule = checked.schedule();
        uses += schedule.transfer_count() + schedule.channel_uses();
        marks += schedule.step_count() as usize * checked.problem().network().processor_count();
        if (0..schedule.step_count()).any(|step| schedule.step(step).len() > MOST_TRANSFERS) {
            return false;
        }
    }
    uses <= MOST_IN_ALL && marks <= MOST_MARKS
}

/// The complete data for the player.
pub fn schedule_data(name: &str, phases: &[CheckedPhase<'_>]) -> Value {
    let Some((first, _)) = phases.first() else { return Value::Null };
    let network = first.problem().network();
    let mut data = network_data(network, &Map::new(network));
    let (mut steps, mut marked, mut usage) = (Vec::new(), Vec::new(), Vec::new());
    for (checked, _) in phases {
        let (problem, schedule) = (checked.problem(), checked.schedule());
        let sender = senders(problem);
        for step in 0..schedule.step_count() {
            let mut uses = 0;
            let transfers = schedule.step(step).map(|transfer| {
                uses += transfer.path.len();
                let own = sender(&transfer);
                let label = message(problem, transfer.message);
                json!([label, transfer.from, transfer.to, own, transfer.path])
            });
            steps.push(transfers.collect::<Value>());
            let channels = network.channel_count().max(1);
            usage.push((1000.0 * uses as f64 / channels as f64).round() / 1000.0);
        }
        marked.extend(marks(checked).iter().map(letters));
    }
    let (holder, new) = legend(first.problem());
    data["title"] = json!(format!("{name} on {}", name_check::network_in_words(network)));
    data["facts"] = facts(phases, &usage);
    data["legend"] = json!([holder, new]);
    data["senders"] = json!(Colours::of(phases.iter().map(|(checked, _)| *checked)).order());
    data["steps"] = Value::Array(steps);
    data["marks"] = json!(marked);
    data["usage"] = json!(usage);
    make_printable(&mut data);
    data
}

/// The label of a message: `0`, or `0→5`.
fn message(problem: &Problem, message: pavane_model::MessageId) -> String {
    match problem.label(message) {
        pavane_model::Label::One(one) => one.to_string(),
        pavane_model::Label::Two(one, two) => format!("{one}→{two}"),
    }
}

fn letters(marks: &Marks) -> String {
    let letter = |(&is_new, &is_holder): (&bool, &bool)| match (is_new, is_holder) {
        (true, _) => 'g',
        (false, true) => 'y',
        (false, false) => '.',
    };
    marks.is_new.iter().zip(&marks.is_holder).map(letter).collect()
}

/// Steps, bound, reason, channel use, and the rules.
fn facts(phases: &[CheckedPhase<'_>], usage: &[f64]) -> Value {
    let steps: u32 = phases.iter().map(|(checked, _)| checked.schedule().step_count()).sum();
    let bound: u32 = phases.iter().map(|(_, bound)| bound.steps).sum();
    let status = match steps.saturating_sub(bound) {
        0 if phases.len() == 1 => "optimal".to_owned(),
        0 => "every phase optimal".to_owned(),
        gap => format!("at most {gap} from optimal"),
    };
    let reasons: Vec<&str> = phases.iter().map(|(_, bound)| bound.reason.as_str()).collect();
    let because: Vec<&str> = phases.iter().map(|(_, bound)| bound.explanation.as_str()).collect();
    let share = 100.0 * usage.iter().sum::<f64>() / usage.len().max(1) as f64;
    let mut facts = vec![
        json!(["steps", format!("{steps}, {status}")]),
        json!(["bound", format!("{bound} ({})", reasons.join(", "))]),
        json!(["channels in use", format!("{share:.0} %")]),
    ];
    if let Some((first, _)) = phases.first() {
        facts.push(json!(["rules", first.problem().model().to_string()]));
        let faults = first.problem().network().faults();
        if !faults.is_empty() {
            facts.push(json!(["broken", faults.join(", ")]));
        }
    }
    facts.push(json!(["because", because.join("; ")]));
    Value::Array(facts)
}

/// The positions of everything in the network.
fn network_data(network: &Network, map: &Map) -> Value {
    let router = |router: RouterId| {
        let (x, y) = map.routers[router.index()];
        let kind = match network.residents(router).len() {
            _ if network.is_lost(router) => "lost",
            0 => "switch",
            1 => "slim",
            _ => "fat",
        };
        // If names are too long for the picture, they follow the numbers shown in it.
        let name = match map.labels.get(router.index()) {
            Some(label) if *label != network.router_name(router) => {
                format!("{label} {}", network.router_name(router))
            }
            _ => network.router_name(router),
        };
        json!([short(x), short(y), kind, name])
    };
    let channel = |number: usize| {
        let ends = network.channel(ChannelId(number as u32));
        json!([ends.tail, ends.head, path_data(&segments(&map.channels[number]))])
    };
    let processor = |(place, id): (&Option<Disc>, u32)| {
        let &((x, y), radius) = place.as_ref()?;
        let id = ProcessorId(id);
        let alone = map::is_alone(network, id);
        Some(json!([short(x), short(y), radius, network.home(id), alone]))
    };
    json!({
        "network": network.name(),
        "width": short(map.width),
        "height": short(map.height),
        "radius": map.radius,
        "routers": network.routers().map(router).collect::<Vec<_>>(),
        "processors": map.processors.iter().zip(0..).map(processor).collect::<Vec<_>>(),
        "names": names(network, map),
        "channels": (0..network.channel_count()).map(channel).collect::<Vec<_>>(),
        "links": map.links.iter().map(|(_, curve)| path_data(&segments(curve))).collect::<Vec<_>>(),
        "broken": map.broken.iter().map(|(fault, curve)| json!([path_data(&segments(curve)), fault])).collect::<Vec<_>>(),
    })
}

/// Texts in routers and processors: position, font size, text, and whether the router is lost.
fn names(network: &Network, map: &Map) -> Vec<Value> {
    let mut names = Vec::new();
    for (at, label) in map.labels.iter().enumerate() {
        let (x, y) = map.routers[at];
        let is_lost = network.is_lost(RouterId(at as u32));
        names.push(json!([short(x), short(y), short(map.letters), label, is_lost]));
    }
    if names.is_empty() {
        return names;
    }
    for (place, id) in map.processors.iter().zip(0..) {
        let Some(((x, y), radius)) = place else { continue };
        if !map::is_alone(network, ProcessorId(id)) {
            let label = id.to_string();
            let size = ((2.0 * radius - 2.0) / text_width(&label, 1.0).max(1.24)).min(8.5);
            names.push(json!([short(*x), short(*y), short(size), label, false]));
        }
    }
    names
}
