//! A phase as the rules see it: always forwards.

use super::violation::RouteName;
use pavane_model::throughput::PlanPhase;
use pavane_model::{ChannelId, RouterId};

/// A phase and its number, if there are several. Everything is read forwards: a reduce or gather with
/// reversed channels.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub phase: &'a PlanPhase,
    pub number: Option<usize>,
}

impl<'a> View<'a> {
    pub fn is_backward(&self) -> bool {
        self.phase.problem.is_backward()
    }

    /// The router from which the forward problem sends over a channel, and the other one.
    pub fn ends(&self, channel: ChannelId) -> (RouterId, RouterId) {
        let ends = self.phase.problem.network().channel(channel);
        if self.is_backward() { (ends.head, ends.tail) } else { (ends.tail, ends.head) }
    }

    /// The channels that leave a router in the forward problem.
    pub fn outgoing(&self, router: RouterId) -> &'a [ChannelId] {
        let network = self.phase.problem.network();
        if self.is_backward() { network.in_channels(router) } else { network.out_channels(router) }
    }

    /// The channels that enter a router in the forward problem.
    pub fn incoming(&self, router: RouterId) -> &'a [ChannelId] {
        let network = self.phase.problem.network();
        if self.is_backward() { network.out_channels(router) } else { network.in_channels(router) }
    }

    /// The channels of a route in the order of the forward problem, each with its index in the file.
    pub fn channels(&self, route: usize) -> impl Iterator<Item = (usize, ChannelId)> + use<'a> {
        let channels = &self.phase.routes[route].channels;
        let (last, is_backward) = (channels.len(), self.is_backward());
        (0..channels.len()).map(move |at| {
            let entry = if is_backward { last - 1 - at } else { at };
            (entry, channels[entry])
        })
    }

    /// The router at which a message starts in the forward problem.
    pub fn root(&self, message: pavane_model::MessageId) -> RouterId {
        self.phase.problem.home(self.phase.problem.messages().origin(message))
    }

    /// Whether a router may copy (in a reduce: add).
    pub fn is_copying(&self, router: RouterId) -> bool {
        let network = self.phase.problem.network();
        !network.residents(router).is_empty() || network.is_multicast(router)
    }

    pub fn name(&self, route: usize) -> RouteName {
        let problem = &self.phase.problem;
        let message = self.phase.routes[route].message;
        let is_known = message.index() < problem.messages().len();
        RouteName {
            phase: self.number,
            is_path: self.phase.has_paths(),
            index: route,
            label: is_known.then(|| problem.label(message)),
        }
    }

    /// The routes of every message: indices of routes, sorted by message.
    pub fn by_message(&self, routes: &[usize]) -> Vec<usize> {
        let mut sorted = routes.to_vec();
        sorted.sort_by_key(|&route| self.phase.routes[route].message);
        sorted
    }
}
