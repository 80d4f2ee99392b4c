//! The places of messages: which processor of its router sends a message, and which one receives
//! it.

use super::super::colouring::Colouring;
use pavane_model::{MessageId, Ports, Problem, ProcessorId, Schedule, Switching};

/// The places of all transfers in all repetitions of a schedule.
pub(super) struct PlaceAssignment {
    /// Per repetition and transfer, the places of the message at its origin and at its destination.
    places: Vec<(u16, u16)>,
    /// The transfers of the schedule.
    transfers: Vec<ExchangeHop>,
    per_router: usize,
    repetitions: u32,
    steps: u32,
}

/// A transfer of the exchange: its step, its ends, and the message between which routers it belongs
/// to.
#[derive(Clone, Copy)]
struct ExchangeHop {
    step: u32,
    from: u32,
    to: u32,
    message: u32,
    /// The destination of the message.
    target: u32,
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
            found.step(step).map(move |transfer| ExchangeHop {
                step,
                from: transfer.from.0,
                to: transfer.to.0,
                message: transfer.message.0,
                target: messages.destinations(MessageId(transfer.message.0 / count))[0].0,
            })
        });
        let transfers: Vec<ExchangeHop> = hops.collect();
        let repetitions = (per_router * per_router) as u32 / count;
        // In order: the messages between two routers take all pairs of places in turn.
        let in_turn = |repetition: u32, hop: &ExchangeHop| {
            let use_number = (repetition * count + hop.message % count) as usize;
            ((use_number / per_router) as u16, (use_number % per_router) as u16)
        };
        let all = (0..repetitions)
            .flat_map(|repetition| transfers.iter().map(move |hop| in_turn(repetition, hop)));
        let places = all.collect();
        let steps = found.step_count();
        let mut assigned = Self { places, transfers, per_router, repetitions, steps };
        // Otherwise a processor never uses more ports than its router has channels, or all messages
        // of a repetition have the same places.
        let model = problem.model();
        if let (Switching::Wormhole, Ports::Limited(ports)) = (model.switching, model.ports) {
            assigned.colour(exchange.network().processor_count(), ports);
        }
        assigned
    }

    /// The places of a transfer.
    pub fn of(&self, repetition: u32, transfer: usize) -> (usize, usize) {
        let (from, to) = self.places[repetition as usize * self.transfers.len() + transfer];
        (from.into(), to.into())
    }

    /// Every transfer in every repetition: its index in `places`, its step, and itself.
    fn all<'a>(&'a self, own: &'a [u32]) -> impl Iterator<Item = (usize, u32, ExchangeHop)> + 'a {
        (0..self.repetitions).flat_map(move |repetition| {
            own.iter().map(move |&number| {
                let hop = self.transfers[number as usize];
                let index = repetition as usize * self.transfers.len() + number as usize;
                (index, repetition * self.steps + hop.step, hop)
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
    /// receiver.
    fn colour(&mut self, routers: usize, ports: u32) {
        let colours = self.per_router as u32;
        let sent = self.by_router(routers, |hop| hop.from);
        for own in &sent {
            let group = |index: usize, hop: ExchangeHop| {
                let (group, _) = self.places[index];
                hop.to * colours + u32::from(group)
            };
            let found = self.colours_of(own, routers, ports, group);
            for (index, colour) in found {
                self.places[index].0 = colour;
            }
        }
        let received = self.by_router(routers, |hop| hop.to);
        for own in &received {
            let group = |index: usize, hop: ExchangeHop| {
                let (sender, _) = self.places[index];
                hop.from * colours + u32::from(sender)
            };
            let found = self.colours_of(own, routers, ports, group);
            for (index, colour) in found {
                self.places[index].1 = colour;
            }
        }
    }

    /// Colours the transfers of one router: those of a step differ, as far as ports are limited,
    /// and so do those of a group.
    fn colours_of(
        &self,
        own: &[u32],
        routers: usize,
        ports: u32,
        group: impl Fn(usize, ExchangeHop) -> u32,
    ) -> Vec<(usize, u16)> {
        let colours = self.per_router as u32;
        let steps = self.repetitions * self.steps;
        let mut colouring = Colouring::new([steps * ports, routers as u32 * colours], colours);
        let mut at_step = vec![0; steps as usize];
        let mut indices = Vec::new();
        for (index, step, hop) in self.all(own) {
            // A step is one vertex for every port of a processor.
            let before: &mut u32 = &mut at_step[step as usize];
            let vertices = [step * ports + *before / colours, group(index, hop)];
            *before += 1;
            colouring.add(vertices, index as u32);
            indices.push(index);
        }
        let colour = |(number, index): (usize, usize)| {
            let colour = colouring.colour(number).expect("no vertex has more edges than colours");
            (index, colour as u16)
        };
        indices.into_iter().enumerate().map(colour).collect()
    }

    /// The messages within routers, sorted by step: each has a step in which its ends have a free
    /// port, possibly after all others.
    pub fn inside(
        &self,
        problem: &Problem,
        exchange: &Problem,
    ) -> Vec<(u32, ProcessorId, ProcessorId)> {
        let routers = exchange.network().processor_count();
        let sent = self.by_router(routers, |hop| hop.from);
        let received = self.by_router(routers, |hop| hop.to);
        let mut inside = Vec::new();
        let count = self.per_router;
        for router in 0..routers {
            let mut busy = Busy::new((self.repetitions * self.steps) as usize, count);
            for (index, step, hop) in self.all(&sent[router]) {
                // Other routers keep a message at the place that it has at its origin.
                busy.take(step, 0, self.places[index].0.into());
                debug_assert_ne!(hop.from, hop.target, "messages end at their destination");
            }
            for (index, step, hop) in self.all(&received[router]) {
                let (kept, last) = self.places[index];
                let place = if hop.to == hop.target { last } else { kept };
                busy.take(step, 1, place.into());
            }
            let home = exchange.home(ProcessorId(router as u32));
            let residents = problem.network().residents(home);
            for apart in 1..count {
                for from in 0..count {
                    let to = (from + apart) % count;
                    let (sender, receiver) = (residents[from], residents[to]);
                    let ports = [problem.send_ports(sender), problem.receive_ports(receiver)];
                    let step = busy.first_free(from, to, ports);
                    busy.take(step, 0, from);
                    busy.take(step, 1, to);
                    inside.push((step, sender, receiver));
                }
            }
        }
        inside.sort_unstable();
        inside
    }
}

/// Used ports of the processors of one router.
struct Busy {
    count: usize,
    /// Per step, direction and place.
    used: Vec<u32>,
}

impl Busy {
    fn new(steps: usize, count: usize) -> Self {
        Self { count, used: vec![0; steps * 2 * count] }
    }

    fn at(&self, step: u32, direction: usize, place: usize) -> usize {
        (2 * step as usize + direction) * self.count + place
    }

    fn take(&mut self, step: u32, direction: usize, place: usize) {
        let at = self.at(step, direction, place);
        if at >= self.used.len() {
            self.used.resize(self.at(step + 1, 0, 0), 0);
        }
        self.used[at] += 1;
    }

    /// The first step in which a place can send and another can receive; a new one if there is
    /// none.
    fn first_free(&self, from: usize, to: usize, [sends, receives]: [u32; 2]) -> u32 {
        let is_free = |at: usize, ports: u32| self.used.get(at).is_none_or(|&used| used < ports);
        (0..)
            .find(|&step| {
                is_free(self.at(step, 0, from), sends) && is_free(self.at(step, 1, to), receives)
            })
            .expect("steps after the last are free")
    }
}
