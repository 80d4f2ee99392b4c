//! Whether a problem has symmetries that the search by orbits can use.

use super::super::super::subtrees::Subtrees;
use crate::attempt::{Context, Suitability};
use crate::budget::Interrupt;
use crate::rng::Rng;
use crate::symmetry::{FreeGroup, Freedom, MessageOrder, find_free_group};

/// Whether some group of automorphisms moves messages to messages; false on interrupt.
pub(super) fn has_group(context: &Context, interrupt: &Interrupt) -> bool {
    // For one sender, the tree engine needs no search for symmetries.
    if Subtrees.takes(context.problem()) {
        return false;
    }
    let Some(symmetries) = context.symmetries(interrupt) else { return false };
    let messages = MessageOrder::new(context.problem());
    let acts = |group: FreeGroup| messages.keepers(group, interrupt).order() > 1;
    context.free_group(interrupt).cloned().is_some_and(acts) || {
        let (network, rng) = (context.problem().network(), &mut Rng::seeded(0));
        acts(find_free_group(network, symmetries, Freedom::Pairs, interrupt, rng))
    }
}
