//! What to try after a deadlock. Every routing that is named cannot deadlock on this network, by its
//! dependency graph.

use pavane_model::{Duplex, Network};
use pavane_traffic::flits::FlitRules;
use pavane_traffic::{RoutingMethod, SwitchingMethod};

/// Always possible: messages under these switchings hold nothing while they wait.
const OTHER_SWITCHING: &str = "--switching vct, which cannot deadlock";

/// Numbers of virtual channels that are tried: for datelines, and for escape channels.
const LANES: [u32; 2] = [2, 3];

/// Depth of the buffers that are advised.
const BUFFER: u32 = 4;

/// What to try after a deadlock with this routing.
pub fn advice(
    network: &Network,
    duplex: Duplex,
    switching: SwitchingMethod,
    routing: &str,
) -> String {
    match working_options(network, duplex, switching, routing) {
        Some(options) => format!("try {options}, which cannot deadlock here, or {OTHER_SWITCHING}"),
        None => format!("try {OTHER_SWITCHING}"),
    }
}

/// What to try after a deadlock of a schedule, whose paths are given; `lanes` is a number of virtual
/// channels with which it finishes.
pub fn advice_for_schedule(lanes: Option<u32>) -> String {
    match lanes {
        Some(lanes) => {
            format!("try --lanes {lanes}, with which all messages arrive, or {OTHER_SWITCHING}")
        }
        None => format!("try {OTHER_SWITCHING}"),
    }
}

/// The fewest changed options with which the default routing cannot deadlock; `None` if no such
/// routing is known.
fn working_options(
    network: &Network,
    duplex: Duplex,
    switching: SwitchingMethod,
    routing: &str,
) -> Option<String> {
    let (lanes, buffer) = match switching {
        SwitchingMethod::Flits(rules) => (rules.lanes, Some(rules.buffer)),
        SwitchingMethod::Wormhole(lanes) => (lanes, None),
        _ => return None,
    };
    let with_lanes = LANES.into_iter().map(|more| {
        let rules = FlitRules { lanes: lanes.max(more), buffer: buffer.unwrap_or(BUFFER) };
        (duplex, SwitchingMethod::Flits(rules))
    });
    let candidates = [(duplex, switching), (Duplex::Full, switching)].into_iter().chain(with_lanes);
    for (other_duplex, other_switching) in candidates {
        let found = RoutingMethod::default_for(network, other_duplex, other_switching).ok();
        let Some(found) = found.filter(|found| found.is_free) else { continue };
        let mut options = Vec::new();
        if other_duplex != duplex {
            options.push(format!("--duplex {other_duplex}"));
        }
        if let SwitchingMethod::Flits(rules) = other_switching {
            if rules.lanes != lanes {
                options.push(format!("--lanes {}", rules.lanes));
            }
            if buffer.is_none() {
                options.push(format!("--buffer {}", rules.buffer));
            }
        }
        if found.name != routing {
            options.push(format!("--routing {}", found.name));
        }
        if !options.is_empty() {
            return Some(options.join(" "));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn only_routings_that_cannot_deadlock_are_named() {
        let (half, full) = (Duplex::Half, Duplex::Full);
        let wormhole = SwitchingMethod::Wormhole(1);
        let flits = SwitchingMethod::Flits(FlitRules { lanes: 1, buffer: 2 });
        let claims = [
            ("mesh:4x4", half, wormhole, "e-cube", Some("--duplex full")),
            ("ring:5", half, wormhole, "shortest", Some("--duplex full --routing up-down")),
            ("ring:5", full, wormhole, "shortest", Some("--routing up-down")),
            ("ring:5", full, flits, "shortest", Some("--routing up-down")),
            // One-way networks have no deadlock-free routing.
            ("kautz:2,3", full, wormhole, "balanced", None),
            ("kautz:2,3", half, wormhole, "balanced", None),
        ];
        for (name, duplex, switching, routing, options) in claims {
            let network = topology::build(name).unwrap();
            let found = working_options(&network, duplex, switching, routing);
            assert_eq!(found.as_deref(), options, "{name} {duplex}");
            let text = advice(&network, duplex, switching, routing);
            assert!(text.ends_with(OTHER_SWITCHING), "{text}");
        }
    }
}
