//! The places of messages: which processors of the routers on its path send and receive a message.

mod inside;
mod relays;

use super::super::splitting::colours_of;
use pavane_model::{MessageId, Ports, Problem, Schedule, Switching};

/// The places of all transfers in all repetitions of a schedule.
pub(super) struct PlaceAssignment {
    /// Per repetition and message, its places at its origin and at its destination.
    ends: Vec<(u16, u16)>,
    /// Per repetition and transfer, the places of its sender and its receiver; empty if the routers
    /// on the way keep a message at the place that it has at its origin.
    hops: Vec<(u16, u16)>,
    /// The transfers of the schedule.
    transfers: Vec<ExchangeHop>,
    /// Number of messages of the schedule.
    messages: usize,
    /// Messages per pair of routers in the schedule.
    count: u32,
    /// Per router, messages between its processors that the colouring includes.
    within: Vec<Vec<InnerMessage>>,
    per_router: usize,
    repetitions: u32,
    steps: u32,
}

/// A message between two processors of a router: its step, and their places.
#[derive(Debug, Clone, Copy, Default)]
struct InnerMessage {
    step: u32,
    from: u16,
    to: u16,
}

/// A transfer of the exchange: its step, its ends, and its message with its ends.
#[derive(Clone, Copy)]
struct ExchangeHop {
    step: u32,
    from: u32,
    to: u32,
    message: u32,
    origin: u32,
    target: u32,
}

/// The places of a transfer.
#[derive(Debug, Clone, Copy)]
pub(super) struct TransferPlaces {
    /// Of its message at the origin and at the destination.
    pub ends: (usize, usize),
    /// Of the processors that send and receive it.
    pub hop: (usize, usize),
}

impl PlaceAssignment {
    /// Chooses places such that every pair of processors gets one message and no processor uses
    /// more ports than it has.
    pub fn assign(
        problem: &Problem,
        exchange: &Problem,
        per_router: usize,
        count: u32,
        found: &Schedule,
    ) -> Self {
        let messages = exchange.messages();
        let hops = (0..found.step_count()).flat_map(|step| {
            found.step(step).map(move |transfer| {
                let whole = MessageId(transfer.message.0 / count);
                ExchangeHop {
                    step,
                    from: transfer.from.0,
                    to: transfer.to.0,
                    message: transfer.message.0,
                    origin: messages.origin(whole).0,
                    target: messages.destinations(whole)[0].0,
                }
            })
        });
        let transfers: Vec<ExchangeHop> = hops.collect();
        let repetitions = (per_router * per_router) as u32 / count;
        let messages = messages.len() * count as usize;
        // In order: the messages between two routers take all pairs of places in turn.
        let in_turn = |repetition: u32, message: u32| {
            let use_number = (repetition * count + message % count) as usize;
            ((use_number / per_router) as u16, (use_number % per_router) as u16)
        };
        let all = (0..repetitions).flat_map(|repetition| {
            (0..messages as u32).map(move |message| in_turn(repetition, message))
        });
        let ends = all.collect();
        let (hops, steps) = (Vec::new(), found.step_count());
        let mut assigned = Self {
            ends,
            hops,
            transfers,
            messages,
            count,
            within: Vec::new(),
            per_router,
            repetitions,
            steps,
        };
        // Without a limit, a processor never uses more ports than its router has channels.
        let (model, routers) = (problem.model(), exchange.network().processor_count());
        match (model.switching, model.ports) {
            (_, Ports::All) => {}
            (Switching::Wormhole, Ports::Limited(ports)) => assigned.colour(routers, ports),
            (Switching::StoreAndForward, Ports::Limited(ports)) => {
                assigned.colour_relays(routers, ports);
            }
        }
        assigned
    }

    /// The places of a transfer.
    pub fn of(&self, repetition: u32, transfer: usize) -> TransferPlaces {
        let hop = self.transfers[transfer];
        let (first, last) = self.ends[self.index(repetition, hop.message)];
        let (from, to) = match self.hops.get(self.hop_index(repetition, transfer)) {
            Some(&places) => places,
            None => (first, if hop.to == hop.target { last } else { first }),
        };
        TransferPlaces { ends: (first.into(), last.into()), hop: (from.into(), to.into()) }
    }

    /// Index in `ends`.
    fn index(&self, repetition: u32, message: u32) -> usize {
        repetition as usize * self.messages + message as usize
    }

    /// Index in `hops`.
    fn hop_index(&self, repetition: u32, transfer: usize) -> usize {
        repetition as usize * self.transfers.len() + transfer
    }

    /// Every transfer of a list in every repetition: the repetition, its step, its number, and
    /// itself.
    fn all<'a>(
        &'a self,
        own: &'a [u32],
    ) -> impl Iterator<Item = (u32, u32, usize, ExchangeHop)> + 'a {
        (0..self.repetitions).flat_map(move |repetition| {
            own.iter().map(move |&number| {
                let hop = self.transfers[number as usize];
                (repetition, repetition * self.steps + hop.step, number as usize, hop)
            })
        })
    }

    /// The transfers from each router, or to each router.
    fn by_router(&self, routers: usize, end: impl Fn(&ExchangeHop) -> u32) -> Vec<Vec<u32>> {
        let mut of_router = vec![Vec::new(); routers];
        for (number, hop) in (0..).zip(&self.transfers) {
            of_router[end(hop) as usize].push(number);
        }
        of_router
    }

    /// Colours the messages of every router by the place of the sender, then by that of the
    /// receiver. At a step, a router sends at most as many messages as its processors have ports.
    /// A pair of routers has as many messages as pairs of places; in groups of one per place, each
    /// group gets all places of the sender, and the messages of one sender all places of the
    /// receiver. The messages within a router take part, in steps that have ports to spare.
    fn colour(&mut self, routers: usize, ports: u32) {
        let colours = self.per_router as u32;
        let sent = self.by_router(routers, |hop| hop.from);
        let received = self.by_router(routers, |hop| hop.to);
        self.within =
            (0..routers).map(|r| self.inner_steps(&sent[r], &received[r], ports)).collect();
        for (router, own) in sent.iter().enumerate() {
            let within = std::mem::take(&mut self.within[router]);
            let inner: Vec<(u32, u32)> =
                (0..).zip(&within).map(|(number, inner)| (inner.step, number / colours)).collect();
            let group =
                |(group, _): (u16, u16), hop: ExchangeHop| hop.to * colours + u32::from(group);
            let (found, inner) = self.colours_of_router(own, &inner, routers, ports, group);
            found.into_iter().for_each(|(index, colour)| self.ends[index].0 = colour);
            self.within[router] = within;
            for (inner, colour) in self.within[router].iter_mut().zip(inner) {
                inner.from = colour;
            }
        }
        for (router, own) in received.iter().enumerate() {
            let within = std::mem::take(&mut self.within[router]);
            // In a further step, every place would send to itself. This fixes which colour is which
            // place.
            let own_step = self.repetitions * self.steps + colours;
            let itself = (0..colours).map(|place| (own_step, place));
            let inner = within.iter().map(|inner| (inner.step, u32::from(inner.from)));
            let inner: Vec<(u32, u32)> = itself.chain(inner).collect();
            let group =
                |(sender, _): (u16, u16), hop: ExchangeHop| hop.from * colours + u32::from(sender);
            let (found, inner) = self.colours_of_router(own, &inner, routers, ports, group);
            let mut place_of: Vec<u16> = (0..self.per_router as u16).collect();
            for (place, &colour) in (0..).zip(inner.iter().take(self.per_router)) {
                place_of[usize::from(colour)] = place;
            }
            for (index, colour) in found {
                self.ends[index].1 = place_of[usize::from(colour)];
            }
            self.within[router] = within;
            let inner = inner.iter().skip(self.per_router);
            for (message, &colour) in self.within[router].iter_mut().zip(inner) {
                message.to = place_of[usize::from(colour)];
            }
        }
    }

    /// Steps for the messages within a router in which it has ports to spare in both directions:
    /// among those of the schedule as far as possible, then after them.
    fn inner_steps(&self, sent: &[u32], received: &[u32], ports: u32) -> Vec<InnerMessage> {
        let steps = (self.repetitions * self.steps) as usize;
        let most = ports * self.per_router as u32;
        let mut used = vec![[0; 2]; steps + self.per_router];
        self.all(sent).for_each(|(_, step, ..)| used[step as usize][0] += 1);
        self.all(received).for_each(|(_, step, ..)| used[step as usize][1] += 1);
        let spare = (0..).zip(used).flat_map(|(step, [sends, receives])| {
            (sends.max(receives)..most).map(move |_| InnerMessage { step, from: 0, to: 0 })
        });
        spare.take(self.per_router * (self.per_router - 1)).collect()
    }

    /// Colours the transfers of one router and its inner messages, which have a step and a group of
    /// their own: those of a step differ, as far as ports are limited, and so do those of a group.
    fn colours_of_router(
        &self,
        own: &[u32],
        inner: &[(u32, u32)],
        routers: usize,
        ports: u32,
        group: impl Fn((u16, u16), ExchangeHop) -> u32,
    ) -> (Vec<(usize, u16)>, Vec<u16>) {
        let mut ports = PortVertices::new(self, ports);
        let mut edges = Vec::new();
        let mut indices = Vec::new();
        for (repetition, step, _, hop) in self.all(own) {
            let index = self.index(repetition, hop.message);
            edges.push([ports.next(step), group(self.ends[index], hop)]);
            indices.push(index);
        }
        let groups = routers * self.per_router;
        edges.extend(inner.iter().map(|&(step, group)| [ports.next(step), groups as u32 + group]));
        let sizes = [ports.count(), groups + self.per_router];
        let mut found = colours_of(sizes, &edges, self.per_router as u32);
        let of_inner = found.split_off(indices.len());
        (indices.into_iter().zip(found).collect(), of_inner)
    }
}

/// The vertices of the steps in a colouring: a step is one vertex for every port of a processor, and
/// a vertex has at most one transfer per place.
struct PortVertices {
    per_router: u32,
    ports: u32,
    /// Transfers so far, per step.
    taken: Vec<u32>,
}

impl PortVertices {
    /// For all steps, those after them for messages within routers, and one more.
    fn new(places: &PlaceAssignment, ports: u32) -> Self {
        let steps = (places.repetitions * places.steps) as usize + places.per_router + 1;
        Self { per_router: places.per_router as u32, ports, taken: vec![0; steps] }
    }

    /// The vertex of the next transfer of a step.
    fn next(&mut self, step: u32) -> u32 {
        let taken = &mut self.taken[step as usize];
        *taken += 1;
        step * self.ports + (*taken - 1) / self.per_router
    }

    fn count(&self) -> usize {
        self.taken.len() * self.ports as usize
    }
}
