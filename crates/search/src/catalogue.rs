//! The tables of engines, and the choice of tables that a search uses.

use crate::attempt::Engine;
use crate::fault::regrow::Regrow;
use crate::plain::Plain;
use crate::{broadcast, exact, gossip, scatter};
use std::fmt;

/// The engines that `auto` chooses from, in order of preference. After an interrupt, a first schedule
/// is taken from them in reverse order ([`at_once`](crate::synthesize::at_once)), so engines that
/// construct without a search stand towards the end. The driver recognises exact engines by
/// [`Traits::is_exact`](crate::attempt::Traits::is_exact), not by their position.
pub static ENGINES: &[&dyn Engine] = &[
    &scatter::subtrees::Subtrees,
    &scatter::wormhole::Polygons,
    &scatter::wormhole::Rectangles,
    &scatter::wormhole::BalancedGroups,
    &scatter::copies::Copies,
    &scatter::rounds::Rounds,
    &scatter::wormhole::Orbits,
    &scatter::wormhole::Packing,
    &scatter::wormhole::Quadrants,
    &scatter::wormhole::Trails,
    &scatter::wormhole::Ejection,
    &scatter::wormhole::Shortest,
    &scatter::store_and_forward::RelayMatching,
    &scatter::store_and_forward::RelayOrbits,
    &scatter::store_and_forward::RelayEjection,
    &broadcast::NestedSets,
    &broadcast::Layered,
    &broadcast::HopByHop,
    &broadcast::CallOrders,
    &gossip::Gossip,
    &exact::Exact,
];

/// The engines that can start from an incomplete schedule.
pub static REPAIR_ENGINES: &[&dyn Engine] =
    &[&scatter::wormhole::Ejection, &scatter::store_and_forward::RelayEjection, &Regrow];

/// The engines that a search chooses from. The default has the engines of this crate.
#[derive(Clone, Copy)]
pub struct Catalogue {
    /// Those that `auto` chooses from, in order of preference.
    pub usual: &'static [&'static dyn Engine],
    /// Those that run only when named.
    pub named: &'static [&'static dyn Engine],
    /// Those that start from an incomplete schedule, instead of the usual ones where there is one.
    pub repair: &'static [&'static dyn Engine],
}

impl Default for Catalogue {
    fn default() -> Self {
        Self { usual: ENGINES, named: &[], repair: REPAIR_ENGINES }
    }
}

impl Catalogue {
    /// The engine of a name.
    pub fn find(&self, name: &str) -> Option<&'static dyn Engine> {
        let plain: &[&dyn Engine] = &[&Plain];
        let all = [self.usual, self.named, self.repair, plain].concat();
        all.into_iter().find(|engine| engine.name() == name)
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |engines: &[&dyn Engine]| -> Vec<&str> {
            engines.iter().map(|engine| engine.name()).collect()
        };
        formatter
            .debug_struct("Catalogue")
            .field("usual", &names(self.usual))
            .field("named", &names(self.named))
            .field("repair", &names(self.repair))
            .finish()
    }
}
