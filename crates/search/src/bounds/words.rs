//! Text for counts and sets in the explanations of bounds.

pub use pavane_model::words::{counted, steps};
use pavane_model::{Network, ProcessorId, RouterId};

/// Largest number of routers or processors that an explanation names.
const NAMED: usize = 8;

/// `router 3`, `routers 0, 1, 4, 5`, `all routers but 7`, or the first few of a larger set. The set
/// must be sorted.
pub fn routers(network: &Network, set: &[RouterId]) -> String {
    let names = |set: &[RouterId]| -> Vec<String> {
        let name = |&router: &RouterId| match network.router_name(router) {
            // A comma within a name would read as two routers.
            name if name.contains(',') => format!("({name})"),
            name => name,
        };
        set.iter().map(name).collect()
    };
    let living = network.routers().filter(|&router| !network.is_lost(router));
    let rest: Vec<RouterId> =
        living.filter(|router| set.binary_search(router).is_err()).take(NAMED + 1).collect();
    match rest.len() {
        1..=NAMED if set.len() > NAMED => format!("all routers but {}", names(&rest).join(", ")),
        _ => listed("router", &names(set)),
    }
}

/// `processor 3`, `processors 0, 2, 4, 6, 8`, or the first few of a larger set.
pub fn processors(set: &[ProcessorId]) -> String {
    listed("processor", &set.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn listed(thing: &str, names: &[String]) -> String {
    match names {
        [name] => format!("{thing} {name}"),
        names if names.len() <= NAMED => format!("{thing}s {}", names.join(", ")),
        names => format!("{} {thing}s ({}, …)", names.len(), names[..NAMED].join(", ")),
    }
}
