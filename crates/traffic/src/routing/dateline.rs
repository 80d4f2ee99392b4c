//! Dimension order with dateline virtual channels, for tori and rings of any size (Dally and Seitz,
//! 1987). A message that still has to pass from one end of its row of a dimension to the other, and on from
//! there, uses class 1; behind the link between the ends it uses class 0. Other messages may use both
//! classes, but do not return from class 0 to class 1 in a row: so both classes carry about the same load, and the
//! channels of a row have an order, those of class 1 first, that every message follows. Where both
//! directions are equally short, routers with an even and an odd sum of coordinates take different ones.
//!
//! The constructor checks the claim: it builds the dependency graph of the classes and refuses a
//! table whose graph has a cycle.

use super::dimension_order::{Rows, coordinates};
use super::row::RowChannel;
use super::{Dependencies, RoutingTable};
use crate::error::TrafficError;
use pavane_model::{Network, RouterId};

/// What to try instead.
const ADVICE: &str = "try deadlock-free or escape routing";

/// Number of classes.
const CLASSES: u32 = 2;

pub(super) fn make(network: &Network) -> Result<RoutingTable, TrafficError> {
    let coordinates = coordinates(network)
        .or_else(|error| ring_coordinates(network).ok_or(error))
        .map_err(|error| unfit(error, " and it is not a ring"))?;
    let rows = Rows::new(network, &coordinates, true);
    let dimension = |at: RouterId, to: RouterId| {
        let (here, there) = (&coordinates[at.index()], &coordinates[to.index()]);
        here.iter().zip(there).position(|(here, there)| here != there)
    };
    let table = RoutingTable::new("dateline", network, |at, to| {
        let dimension = dimension(at, to)?;
        rows.next(at, dimension, coordinates[to.index()][dimension])
    })?;
    let table = table.with_classes(network, CLASSES, |table, from, to| {
        let mut at = from;
        let first = dimension(from, to);
        while let Some(channel) = table.next(at, to).filter(|_| dimension(at, to) == first) {
            let next = network.channel(channel).head;
            let is_wrap = first.is_some_and(|dimension| {
                let [here, there] = [at, next].map(|router| coordinates[router.index()][dimension]);
                here.abs_diff(there) > 1
            });
            if is_wrap {
                return u8::from(dimension(next, to) == first);
            }
            at = next;
        }
        0
    });
    let table = table.with_choice(RowChannel::all(network, &coordinates));
    if Dependencies::new(network, &table).cycle().is_some() {
        return Err(TrafficError::DoesNotFit {
            routing: "dateline",
            network: network.name().to_owned(),
            reason: "channel dependencies have a cycle in spite of the two classes".to_owned(),
            advice: ADVICE,
        });
    }
    Ok(table)
}

fn unfit(error: TrafficError, more: &str) -> TrafficError {
    match error {
        TrafficError::DoesNotFit { network, reason, .. } => TrafficError::DoesNotFit {
            routing: "dateline",
            network,
            reason: reason + more,
            advice: ADVICE,
        },
        other => other,
    }
}

/// Positions along the ring, if the network is one: every router has two neighbours, and a walk
/// along them visits all routers.
fn ring_coordinates(network: &Network) -> Option<Vec<Vec<u32>>> {
    let neighbours = |router: RouterId| {
        let out = network.out_channels(router).iter().map(|&c| network.channel(c).head);
        let into = network.in_channels(router).iter().map(|&c| network.channel(c).tail);
        let mut all: Vec<RouterId> = out.chain(into).collect();
        all.sort_unstable();
        all.dedup();
        <[RouterId; 2]>::try_from(all).ok()
    };
    let first = network.routers().next()?;
    let mut positions = vec![Vec::new(); network.router_count()];
    let (mut before, mut at) = (neighbours(first)?[1], first);
    for position in 0..network.router_count() as u32 {
        if !positions[at.index()].is_empty() {
            return None;
        }
        positions[at.index()] = vec![position];
        let [one, other] = neighbours(at)?;
        (before, at) = (at, if one == before { other } else { one });
    }
    (at == first).then_some(positions)
}

#[cfg(test)]
mod tests {
    use super::super::{Dependencies, TableMaker};
    use pavane_networks::topology;

    #[test]
    fn tori_and_rings_of_any_size_have_no_cycle() {
        let mut names: Vec<String> = (3..20).map(|size| format!("ring:{size}")).collect();
        names.extend((3..10).map(|size| format!("torus:{size}x{size}")));
        names.extend(["torus:2x7", "torus:3x4x5", "mesh:4x5", "hypercube:4"].map(str::to_owned));
        for name in names {
            let network = topology::build(&name).unwrap();
            let table = TableMaker::find("dateline").unwrap().table(&network).unwrap();
            assert_eq!(table.classes(), 2);
            assert_eq!(Dependencies::new(&network, &table).cycle(), None, "{name}");
            // Without the classes, long rows close a cycle.
            let plain = TableMaker::find("shortest").unwrap().table(&network).unwrap();
            if name.starts_with("ring") && name != "ring:3" && name != "ring:4" {
                assert!(Dependencies::new(&network, &plain).cycle().is_some(), "{name}");
            }
        }
    }

    #[test]
    fn networks_without_rows_are_refused() {
        for name in ["petersen", "kautz:2,3", "fat-tree:4", "path:5", "octagon:8"] {
            let network = topology::build(name).unwrap();
            let error = TableMaker::find("dateline").unwrap().table(&network).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "dateline does not fit {name}: its routers have no coordinates and it is not a ring; try deadlock-free or escape routing"
                )
            );
        }
    }
}
