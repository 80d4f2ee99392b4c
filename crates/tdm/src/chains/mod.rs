//! Schedules of square tori from Eulerian chains. All words with the same displacement start in the same
//! slot, so a schedule is a start for every displacement.
//!
//! A word that goes `a` hops in one direction and then `b` in another is followed, `a` slots later, by
//! one that goes `b` and then `c`: the first one leaves off the second direction exactly when the
//! second one does, and both directions are used without a gap. An Eulerian circuit of the complete
//! digraph on the hop counts therefore packs all words of a quadrant, and never uses a port twice. What
//! is left is to fill the gaps with words along one axis and to avoid ports that different quadrants use
//! in the same slot.

mod bidirectional;
mod circuit;
mod torus;
mod unidirectional;

pub(crate) use bidirectional::search as bidirectional;
pub(crate) use torus::{Orientation, SquareTorus};
pub(crate) use unidirectional::search as unidirectional;
