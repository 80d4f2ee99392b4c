//! Simulators for the requested routings or, if none is requested, for the default routing of every
//! switching.

use crate::error::TrafficError;
use crate::routing::TableMaker;
use crate::simulator::{RoutingMethod, Simulator};
use crate::switching::SwitchingMethod;
use pavane_model::{Duplex, Network};

/// A simulator with the name of its routing and the switchings that use it.
#[derive(Debug, Clone)]
pub struct RoutedSimulator {
    /// The name of the routing.
    pub name: String,
    /// What the routing is and why it was chosen; `None` if it was requested.
    pub reason: Option<&'static str>,
    /// The simulator.
    pub simulator: Simulator,
    /// The switchings that use it.
    pub switchings: Vec<SwitchingMethod>,
}

impl RoutedSimulator {
    /// One simulator for every routing in a list, used by all switchings. If the list is empty, every
    /// switching has its default routing; those with the same one for the same reason share it.
    /// Names of the same routing count once.
    pub fn list(
        network: &Network,
        duplex: Duplex,
        names: &[String],
        switchings: &[SwitchingMethod],
    ) -> Result<Vec<Self>, TrafficError> {
        let mut all: Vec<Self> = Vec::new();
        if names.is_empty() {
            for &switching in switchings {
                let chosen = RoutingMethod::default_for(network, duplex, switching)?;
                let is_same = |routed: &&mut Self| {
                    routed.name == chosen.name && routed.reason == Some(chosen.reason)
                };
                match all.iter_mut().find(is_same) {
                    Some(routed) => routed.switchings.push(switching),
                    None => all.push(Self {
                        name: chosen.name.to_owned(),
                        reason: Some(chosen.reason),
                        simulator: Simulator::new(network.clone(), duplex, chosen.routing),
                        switchings: vec![switching],
                    }),
                }
            }
            return Ok(all);
        }
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            let usual = TableMaker::find(name).map_or(name.as_str(), |maker| maker.name);
            let usual = if usual == "duato" { "escape" } else { usual };
            if seen.contains(&usual) {
                continue;
            }
            seen.push(usual);
            let routing = RoutingMethod::find(name, network)?;
            all.push(Self {
                name: name.clone(),
                reason: None,
                simulator: Simulator::new(network.clone(), duplex, routing),
                switchings: switchings.to_vec(),
            });
        }
        Ok(all)
    }

    /// Why the routings were chosen, if they were not requested; if there are several reasons, each
    /// with its switchings.
    pub fn reasons(all: &[Self]) -> Option<String> {
        match all {
            [only] => only.reason.map(str::to_owned),
            _ => {
                let reasons = all.iter().filter_map(|routed| {
                    let names: Vec<&str> = routed.switchings.iter().map(|it| it.name()).collect();
                    Some(format!("{} for {}: {}", routed.name, names.join(", "), routed.reason?))
                });
                let reasons: Vec<String> = reasons.collect();
                (!reasons.is_empty()).then(|| reasons.join("; "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn the_default_of_a_switching_does_not_depend_on_the_others() {
        let network = topology::build("torus:5x5").unwrap();
        let (stored, wormhole) = (SwitchingMethod::StoreAndForward, SwitchingMethod::Wormhole(1));
        let list = |switchings: &[SwitchingMethod]| {
            let all = RoutedSimulator::list(&network, Duplex::Half, &[], switchings).unwrap();
            let of = |routed: &RoutedSimulator| (routed.name.clone(), routed.switchings.clone());
            (all.iter().map(of).collect::<Vec<_>>(), RoutedSimulator::reasons(&all).unwrap())
        };
        let (alone, reason) = list(&[stored]);
        assert_eq!(alone, [("e-cube".to_owned(), vec![stored])]);
        assert_eq!(reason, "dimension order");
        let (both, reasons) = list(&[stored, wormhole]);
        assert_eq!(both[0], alone[0]);
        assert_eq!(both[1], ("ordered-links".to_owned(), vec![wormhole]));
        assert!(
            reasons.starts_with(
                "e-cube for store-and-forward: dimension order; ordered-links for wormhole: paths"
            ),
            "{reasons}"
        );
        let (shared, _) = list(&[stored, SwitchingMethod::Circuit]);
        assert_eq!(shared, [("e-cube".to_owned(), vec![stored, SwitchingMethod::Circuit])]);
    }

    #[test]
    fn names_of_the_same_routing_count_once() {
        let network = topology::build("mesh:3x3").unwrap();
        let names = ["e-cube", "xy", "shortest", "dimension-order"].map(str::to_owned);
        let switchings = [SwitchingMethod::Circuit];
        let all = RoutedSimulator::list(&network, Duplex::Half, &names, &switchings).unwrap();
        let found: Vec<&str> = all.iter().map(|routed| routed.name.as_str()).collect();
        assert_eq!(found, ["e-cube", "shortest"]);
        assert_eq!(RoutedSimulator::reasons(&all), None);
    }
}
