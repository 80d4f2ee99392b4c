//! Paths within one step: what the search for sets of holders asks of the code that finds paths.

use super::one_message::Send;
use super::tour::ServedGroup;
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::ProcessorId;

/// Finds paths for one step, from the holders to the processors that want the message.
pub(super) trait StepRouter {
    /// Removes all holders and all processors that want the message.
    fn clear(&mut self);

    /// Whether it can serve groups, one by one, before all others.
    const LEADS: bool = false;

    /// Serves one of `_groups` groups from its holder as far as possible. Called before holders and
    /// wanted processors are added.
    fn lead(&mut self, _group: &ServedGroup, _groups: usize, _budget: &mut Budget) {}

    /// Adds a processor that can send.
    fn add_holder(&mut self, processor: ProcessorId);

    /// Removes a processor that can send; the processors it served become unserved.
    fn remove_holder(&mut self, processor: ProcessorId);

    /// Adds a processor to serve.
    fn add_wanted(&mut self, processor: ProcessorId);

    /// Removes a processor to serve.
    fn remove_wanted(&mut self, processor: ProcessorId);

    /// Serves as many processors as possible.
    fn serve(&mut self, budget: &mut Budget, rng: &mut Rng);

    /// The processors that want the message and are not served.
    fn unserved(&self) -> Vec<ProcessorId>;

    /// How many sends would be lost without this holder.
    fn load(&self, holder: ProcessorId) -> u32;

    /// The sends of the step: sender, receiver and path of each.
    fn sends(&mut self) -> Vec<Send>;
}
