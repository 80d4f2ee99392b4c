//! The exchange between routers, and the pattern of its messages.

use super::super::super::exchange::RouterExchange;
use super::super::super::layout::{Layout, most_detour};
use super::super::super::plans::without;
use super::super::super::weights::{longest_first, price_distances, priced_layout};
use super::super::draft::Draft;
use super::super::graph::Graphs;
use super::super::greedy::{self, Placed};
use super::arrangement::Arrangement;
use super::loose_steps::LooseSteps;
use crate::attempt::Context;
use crate::budget::Interrupt;
use crate::facts::Known;
use crate::rng::Rng;
use pavane_model::ProcessorId;
use std::sync::Arc;

/// Share of the ports that a quick search leaves free: two per cent of those in loose steps.
const PORT_SLACK: f64 = 0.005;

/// The exchange between routers, with as many messages per pair as the pattern has.
#[derive(Debug)]
pub(super) struct GroupExchange {
    pub routers: RouterExchange,
    arrangement: Arrangement,
    pub count: u32,
    pub context: Context,
    /// Whether the pattern uses all ports of a router in every step.
    is_tight: bool,
}

impl GroupExchange {
    /// How often the exchange is repeated.
    pub fn repetitions(&self) -> u32 {
        self.routers.copies() / self.count
    }

    /// The routers of the messages between their processors in one repetition, which need only ports;
    /// none if routers have more ports than the pattern uses.
    fn inner(&self) -> Vec<ProcessorId> {
        if !self.is_tight {
            return Vec::new();
        }
        let each = self.routers.inner_messages().div_ceil(self.repetitions());
        let processors = self.routers.single.network().living_processors();
        processors.flat_map(|processor| (0..each).map(move |_| processor)).collect()
    }
}

#[derive(Debug, Default)]
struct Shared(Known<Option<Arc<GroupExchange>>>);

/// The exchange of a problem; `None` if it has none.
pub(super) fn exchange(context: &Context) -> Option<Arc<GroupExchange>> {
    let find = || {
        let problem = context.problem();
        let mut arrangement = Arrangement::new(problem.network())?;
        let routers = RouterExchange::new(problem)?;
        let first = routers.single.network().living_processors().next()?;
        let is_tight = routers.single.send_ports(first) == arrangement.links;
        if is_tight {
            arrangement.align(problem.network(), most_detour(problem.model().routing));
        }
        let count = arrangement.size;
        let context = Context::new(routers.multiplied(count)?);
        // The pattern uses all channels alike.
        context.set_prices(Some(&vec![1.0; problem.network().channel_count()]));
        Some(Arc::new(GroupExchange { routers, arrangement, count, context, is_tight }))
    };
    context.facts_of::<Shared>().0.get(|| Some(find()))?.clone()
}

/// The messages of the pattern, and those without a place in it.
pub(super) struct Pattern<'a> {
    pub layout: Layout<'a>,
    placed: Vec<Placed>,
    steps: u32,
    /// The messages without a place, longest first.
    open: Vec<u32>,
    /// The messages that take only ports.
    inner: Vec<u32>,
}

/// What a search begins with.
pub(super) struct Start {
    /// The messages of the fixed steps.
    pub draft: Draft,
    /// The messages of the loose steps of the pattern, counted from the first of these.
    pub loose: Vec<Placed>,
    /// The messages without a place.
    pub open: Vec<u32>,
    /// Number of fixed steps.
    pub fixed: u32,
}

impl<'a> Pattern<'a> {
    /// Places messages between groups on paths that the routing allows. `None` on interrupt.
    pub fn new(exchange: &'a GroupExchange, interrupt: &Interrupt, rng: &mut Rng) -> Option<Self> {
        let context = &exchange.context;
        let layout = priced_layout(context, interrupt)?.with_inner(exchange.inner());
        let (placed, steps) = exchange.arrangement.place(&layout, exchange.count, interrupt)?;
        let order = longest_first(&price_distances(context, &layout, interrupt)?, rng);
        let order = without(order, placed.iter().map(|placed| placed.message));
        let (inner, open) = order.into_iter().partition(|&message| layout.is_inner(message));
        Some(Self { layout, placed, steps, open, inner })
    }

    /// Steps in which a quick search places all messages: those that the ports of a router need, and
    /// a few more. `None` if ports do not limit the pattern.
    pub fn quick_steps(&self) -> Option<u32> {
        let mut routers = self.layout.problem.network().living_processors();
        let ports = self.layout.send_rows(routers.next()?).len() * (1 + routers.count());
        let least = self.layout.message_count().div_ceil(ports.max(1)) as f64;
        (!self.inner.is_empty()).then(|| (least * (1.0 + PORT_SLACK)).ceil() as u32)
    }

    /// Starts a search for a schedule of `steps` steps. If ports limit the pattern, some of its steps
    /// are loose; `None` if even then the ports do not suffice, or on interrupt.
    pub fn start(
        &mut self,
        exchange: &GroupExchange,
        steps: u32,
        interrupt: &Interrupt,
    ) -> Option<Start> {
        if self.inner.is_empty() {
            return Some(self.fixed_start(exchange, interrupt));
        }
        let more = steps.checked_sub(self.steps)?;
        let open = [&self.open[..], &self.inner[..]].concat();
        let chosen =
            LooseSteps::choose(&self.layout, (&self.placed, &open), self.steps, more, interrupt)?;
        if chosen.count() == 0 {
            let start = self.fixed_start(exchange, interrupt);
            return Some(Start { open: [start.open, self.inner.clone()].concat(), ..start });
        }
        let (fixed, loose) = chosen.split(std::mem::take(&mut self.placed));
        let mut draft = Draft::default();
        fixed.iter().for_each(|placed| draft.push(placed.message, placed.step, &placed.path));
        Some(Start { draft, loose, open, fixed: self.steps - chosen.count() })
    }

    /// Fixes all steps and places other messages where they fit beside those of the pattern.
    pub fn fixed_start(&mut self, exchange: &GroupExchange, interrupt: &Interrupt) -> Start {
        let layout = &self.layout;
        let mut draft = Draft::default();
        for placed in &self.placed {
            draft.push(placed.message, placed.step, &placed.path);
        }
        let mut graphs = Graphs::new(&exchange.context, layout, 0, interrupt);
        let all = (&self.placed[..], &self.open[..]);
        let open =
            greedy::insert_beside(layout, &mut graphs, all, self.steps, interrupt, |placed| {
                draft.push(placed.message, placed.step, &placed.path);
            });
        Start { draft, loose: Vec::new(), open, fixed: self.steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::collective::{self, Groups};
    use pavane_model::{MessageId, Model, Ports, Problem};
    use pavane_networks::topology;

    fn all_to_all(ports: Ports) -> Context {
        let network = topology::build("dragonfly:2,4,2").expect("a known network");
        let groups = Groups::default();
        let all = collective::build("all-to-all", &network, &groups).expect("known").remove(0);
        let model = Model { ports, ..Model::default() };
        Context::new(Problem::new(network, all, model).expect("a valid problem"))
    }

    #[test]
    fn the_ports_of_loose_steps_suffice_for_all_other_messages() {
        let (interrupt, mut rng) = (Interrupt::never(), Rng::seeded(1));
        let exchange = exchange(&all_to_all(Ports::Limited(1))).expect("a balanced dragonfly");
        let mut pattern = Pattern::new(&exchange, &interrupt, &mut rng).expect("no interrupt");
        let steps = pattern.quick_steps().expect("ports limit the pattern");
        let start = pattern.start(&exchange, steps, &interrupt).expect("enough ports");
        assert!(!start.loose.is_empty());
        let mut sent = vec![0; pattern.layout.problem.network().processor_count()];
        for message in start.loose.iter().map(|placed| placed.message).chain(start.open) {
            sent[pattern.layout.ends(MessageId(message)).0.index()] += 1;
        }
        let ports = 2 * (steps - start.fixed);
        assert!(sent.iter().all(|&sent| sent <= ports), "{sent:?} of {ports}");
        // One step fewer than the ports of a router need in all.
        let mut pattern = Pattern::new(&exchange, &interrupt, &mut rng).expect("no interrupt");
        assert!(pattern.start(&exchange, 70, &interrupt).is_none());
    }

    #[test]
    fn no_step_is_loose_if_routers_have_ports_to_spare() {
        let (interrupt, mut rng) = (Interrupt::never(), Rng::seeded(1));
        let exchange = exchange(&all_to_all(Ports::All)).expect("a balanced dragonfly");
        let mut pattern = Pattern::new(&exchange, &interrupt, &mut rng).expect("no interrupt");
        assert_eq!(pattern.quick_steps(), None);
        let start = pattern.start(&exchange, 70, &interrupt).expect("nothing lacks");
        assert!(start.loose.is_empty() && start.fixed == 64);
    }
}
