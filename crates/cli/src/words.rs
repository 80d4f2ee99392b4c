//! Text for problems and their parts, shared by all commands.

use crate::output::{is_mute, to_stderr};
use pavane_cluster::Launched;
use pavane_model::claims;
use pavane_model::collective::todays_name;
use pavane_model::whole::{Whole, WholeBound};
pub use pavane_model::words::{counted, listed, printable, steps};
use pavane_model::{Bound, ChannelId, Network, Problem, ProcessorId};
use pavane_networks::name_check::{self, NameCheck};
use std::path::Path;
use std::sync::OnceLock;

/// The bound line of a problem, with its reason.
pub fn bound(bound: &Bound) -> String {
    let (reason, explanation) = (printable(&bound.reason), printable(&bound.explanation));
    format!("  bound     {} ({reason}: {explanation})", steps(bound.steps))
}

/// One line: the bound of an all-reduce.
pub fn whole_bound(bound: &WholeBound) -> String {
    let (reason, explanation) = (bound.certificate.kind.name(), printable(&bound.explanation));
    format!("  bound     {} ({reason}: {explanation})", steps(bound.steps))
}

/// Says that the phases of a file are treated one after the other, if they overlap.
pub fn note_overlap(file: &Path, whole: &Whole, treated: &str) {
    if whole.start.is_some() {
        let file = file.display();
        warn(&format!(
            "note: the phases of {file} overlap; they are {treated} one after the other"
        ));
    }
}

/// Two lines: the problem and its rules.
pub fn problem(problem: &Problem) -> String {
    let name = match problem.collective().chunk_count() {
        1 => todays_name(&problem.collective().name).to_owned(),
        count => format!("{} in {count} chunks", todays_name(&problem.collective().name)),
    };
    format!("{}\n{}", problem_line(&name, problem), problem.model())
}

/// One line: the problem without rules. The collective has today's name, also if that of the papers was typed.
pub fn problem_line(name: &str, problem: &Problem) -> String {
    let network = problem.network();
    format!(
        "{}{} on {}{}: {}; {}",
        printable(todays_name(name)),
        ends(problem),
        printable(network.name()),
        without(network),
        claims::sizes(network),
        messages(problem),
    )
}

/// Like [`problem`], for a schedule file, whose names are claims unless checked. `checked` is the
/// network that the user gave and that the file was compared with.
pub fn stored_problem(problem: &Problem, checked: Option<&Network>) -> String {
    let network = problem.network();
    let sizes = claims::sizes(network);
    let collective = claims::collective_in_words(problem);
    let what = format!("{}{}", printable(&collective), ends(problem));
    let (messages, model) = (messages(problem), problem.model());
    let check = if checked.is_some() { NameCheck::Right } else { name_check::check_name(network) };
    if check == NameCheck::Right {
        let name = printable(checked.unwrap_or(network).name());
        let faults = without(network);
        return format!("{what} on {name}{faults}: {sizes}; {messages}\n{model}");
    }
    let name = claims::quoted(network.name());
    let claim = match (network.name(), network.faults(), check) {
        ("", [], _) => String::new(),
        ("", faults, _) => format!(" (the file names the faults {})", quoted_faults(faults)),
        (_, faults, check) => {
            let faults = match faults {
                [] => String::new(),
                faults => format!(" without {}", quoted_faults(faults)),
            };
            let verdict = match check {
                NameCheck::Wrong => ", but that is a different network",
                _ => "; check this with `pavane verify --network`",
            };
            format!(" (the file calls it {name}{faults}{verdict})")
        }
    };
    format!("{what}: {messages}\nnetwork   {sizes}{claim}\n{model}")
}

/// Faults as a file names them, unchecked.
fn quoted_faults(faults: &[String]) -> String {
    claims::quoted(&faults.join(", "))
}

/// A network from a file, in a sentence: its name and faults if they are correct or were compared
/// with the network that the user gave, otherwise its size, with the name in quotes.
pub fn stored_network(network: &Network, checked: Option<&Network>) -> String {
    match checked.or(Some(network).filter(|network| name_check::is_network_right(network))) {
        Some(name) => format!("{}{}", printable(name.name()), without(network)),
        None => match network.faults() {
            [] => claims::unchecked_network(network),
            faults => {
                let network = claims::unchecked_network(network);
                format!("{network} with the faults {}", quoted_faults(faults))
            }
        },
    }
}

/// `56 messages`, and the number of deliveries if it differs.
fn messages(problem: &Problem) -> String {
    let messages = problem.messages();
    let deliveries = if messages.delivery_count() == messages.len() {
        String::new()
    } else {
        format!(", {} deliveries", messages.delivery_count())
    };
    format!("{}{deliveries}", counted(messages.len(), "message"))
}

/// Says that all channels have the default bandwidth, if the network has channels and no bandwidths. `option` sets another.
pub fn default_bandwidth(network: &Network, option: &str) -> Option<String> {
    let mut channels = (0..network.channel_count() as u32).map(ChannelId);
    let has_none = channels.all(|channel| network.timing(channel).bandwidth_gbytes.is_none());
    (network.channel_count() > 0 && has_none).then(|| {
        format!("the network has no bandwidths, so every channel has 1 GB/s; {option} sets another")
    })
}

/// Processors with the names of pictures: `processor 1,1`, `processors 1,1 1,2`.
pub fn processors_of(network: &Network, group: &[ProcessorId]) -> String {
    let name = |&processor: &ProcessorId| network.processor_name(processor);
    let names: Vec<String> = group.iter().map(name).collect();
    let ending = if group.len() == 1 { "" } else { "s" };
    format!("processor{ending} {}", printable(&listed(&names)))
}

/// A pair of processors that faults disconnect: `0,0 → 1,1`.
pub fn pair(network: &Network, (from, to): (ProcessorId, ProcessorId)) -> String {
    let name = |processor| printable(&network.processor_name(processor)).into_owned();
    format!("{} → {}", name(from), name(to))
}

/// As [`processors_of`], or nothing for an empty group.
pub fn processors_or_none(network: &Network, group: &[ProcessorId]) -> String {
    if group.is_empty() { String::new() } else { processors_of(network, group) }
}

/// The faults with the names of the routers: ` without 0,0–0,1 2,2`, or nothing.
pub fn without(network: &Network) -> String {
    match &network.fault_labels()[..] {
        [] => String::new(),
        faults => format!(" without {}", printable(&listed(faults))),
    }
}

/// The single sender or receiver, if there is one: ` from processor 10 (router 31)`.
fn ends(problem: &Problem) -> String {
    let one = |word: &str, group: &[ProcessorId]| match group {
        [only] => match problem.network().home(*only) {
            Some(home) => {
                let (network, number) =
                    (problem.network(), problem.network().processor_number(*only));
                match network.router_name(home) {
                    name if name == number => format!(" {word} processor {number}"),
                    name => format!(" {word} processor {number} (router {})", printable(&name)),
                }
            }
            None => format!(" {word} processor {only}"),
        },
        _ => String::new(),
    };
    let collective = problem.collective();
    one("from", &collective.senders) + &one("to", &collective.receivers)
}

/// Number of parallel threads per rank on this machine.
pub fn cores() -> usize {
    // The operating system reads several files to answer.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let launched = Launched::read();
        if launched.is_bound { cores } else { (cores / launched.here).max(1) }
    })
}

/// Prints a message that is not a result.
pub fn warn(text: &str) {
    if !is_mute() {
        to_stderr(&printable(text));
    }
}

/// Channel use per step in one line: every step of a short schedule, the range of a long one.
pub fn channel_use(shares: &[f64]) -> String {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    match shares.len() {
        0..=16 => {
            let each: Vec<String> = shares.iter().map(|&share| percent(share)).collect();
            format!("in use in each step: {}", each.join(", "))
        }
        _ => {
            let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
            let most = shares.iter().copied().fold(0.0, f64::max);
            format!("in use: {} on average, {} to {}", percent(mean), percent(least), percent(most))
        }
    }
}
