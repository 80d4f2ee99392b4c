//! Numbers and sets in words, for the explanations of bounds.

use pavane_model::{Network, ProcessorId, RouterId};

/// Routers or processors that an explanation names before it breaks off.
const NAMED: usize = 8;

/// `1 port`, `15 messages`.
pub fn count(number: u64, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

/// `router 3`, `routers 0, 1, 4, 5`, or the first few of a larger set.
pub fn routers(network: &Network, set: &[RouterId]) -> String {
    let names = set.iter().map(|&router| match network.router_name(router) {
        // A comma within a name would read as two routers.
        name if name.contains(',') => format!("({name})"),
        name => name,
    });
    listed("router", names, set.len())
}

/// `processor 3`, `processors 0, 2, 4, 6, 8`, or the first few of a larger set.
pub fn processors(set: &[ProcessorId]) -> String {
    listed("processor", set.iter().map(ToString::to_string), set.len())
}

fn listed(thing: &str, names: impl Iterator<Item = String>, length: usize) -> String {
    let named = names.take(NAMED).collect::<Vec<_>>().join(", ");
    match length {
        1 => format!("{thing} {named}"),
        length if length <= NAMED => format!("{thing}s {named}"),
        length => format!("{length} {thing}s ({named}, …)"),
    }
}
