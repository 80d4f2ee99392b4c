//! Groups of automorphisms that act freely on processors or messages. Engines use them to place one
//! message for all its images, or one tree for all sources.

mod channels;
mod free_group;
mod messages;
mod permutation;
mod processors;
mod search;
mod subgroup;
#[cfg(test)]
mod tests;

pub use channels::ChannelOrder;
pub use free_group::{FreeGroup, Freedom};
pub use messages::MessageOrder;
pub(crate) use permutation::greatest_common_divisor;
pub use processors::{ProcessorOrder, problem_symmetries};
pub use search::{find_abelian_group, find_even_group, find_free_group};
pub use subgroup::{Subgroup, subgroup_chain};
