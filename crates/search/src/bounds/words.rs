//! Text for counts and sets in the explanations of bounds.

pub use pavane_model::words::{counted, steps};
use pavane_model::{Network, ProcessorId, RouterId, words};

/// Largest number of routers or processors that an explanation names.
const NAMED: usize = 8;

/// `router 3`, `routers 0, 1, 4, 5`, `all routers but 7`, or the first few of a larger set. The set
/// must be sorted.
pub fn routers(network: &Network, set: &[RouterId]) -> String {
    let names = |set: &[RouterId]| -> Vec<String> {
        set.iter().map(|&router| network.router_name(router)).collect()
    };
    let living = network.routers().filter(|&router| !network.is_lost(router));
    let rest: Vec<RouterId> =
        living.filter(|router| set.binary_search(router).is_err()).take(NAMED + 1).collect();
    match rest.len() {
        1..=NAMED if set.len() > NAMED => {
            format!("all routers but {}", words::listed(&names(&rest)))
        }
        _ => listed("router", &names(set)),
    }
}

/// `processor 3`, `processors 0, 2, 4, 6, 8`, or the first few of a larger set, with the names of pictures.
pub fn processors(network: &Network, set: &[ProcessorId]) -> String {
    let name = |&processor: &ProcessorId| network.processor_name(processor);
    listed("processor", &set.iter().map(name).collect::<Vec<_>>())
}

/// `processor 3`, with the name of pictures.
pub fn processor(network: &Network, one: ProcessorId) -> String {
    processors(network, &[one])
}

/// ` and none before step 2, and the last one needs 1 step more`, or the part that is not zero; `join` is
/// the text before `none`.
pub fn queue_ends(join: &str, before: u64, after: u64) -> String {
    let mut text = String::new();
    if before > 0 {
        text += &format!("{join} none before step {before}");
    }
    if after > 0 {
        text += &format!(", and the last one needs {} more", steps(after));
    }
    text
}

fn listed(thing: &str, names: &[String]) -> String {
    match names {
        [name] => format!("{thing} {name}"),
        names if names.len() <= NAMED => format!("{thing}s {}", words::listed(names)),
        names => {
            let first = [&names[..NAMED], &["…".to_owned()]].concat();
            format!("{} {thing}s ({})", names.len(), words::listed(&first))
        }
    }
}
