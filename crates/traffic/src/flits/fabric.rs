//! The routers and links, and one cycle of them.

use super::{FlitRouting, FlitRules};
use crate::links::Links;
use crate::policy::Policy;
use crate::routing::VirtualChannel;
use crate::switching::Record;
use crate::ticks;
use pavane_model::{ChannelId, Network, ProcessorId, RouterId};
use std::collections::VecDeque;

/// A message in flits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    /// Number for the caller.
    pub(super) number: u32,
    pub(super) source: ProcessorId,
    pub(super) destination: ProcessorId,
    /// Cycle of its arrival at the source.
    pub(super) birth: u64,
    pub(super) flits: u32,
    /// Number of channels that the header has taken.
    hops: u32,
    /// Whether the header has taken an escape channel and must stay on them.
    is_escaped: bool,
}

impl Packet {
    pub(super) fn new(
        number: u32,
        [source, destination]: [ProcessorId; 2],
        birth: u64,
        flits: u32,
    ) -> Self {
        Self { number, source, destination, birth, flits, hops: 0, is_escaped: false }
    }
}

/// A virtual channel with its buffer, at the router where its channel ends. The channels from
/// processors to their routers have virtual channels too.
#[derive(Debug, Clone, Copy)]
struct Lane {
    /// Flits in the buffer: index of the first and their number.
    first: u32,
    count: u32,
    /// Where the message at the front goes: a virtual channel, [`OUT`] or [`UNDECIDED`].
    next: u32,
    /// Priority of the message at the front; the least goes first.
    order: u64,
    /// When its header came to the front.
    since: u64,
    /// Places in the buffer that the sender knows to be free.
    credits: u32,
    /// Whether a message has the virtual channel.
    is_taken: bool,
    /// When the header of that message crossed the channel.
    crossed: u64,
}

/// The next hop is not decided.
const UNDECIDED: u32 = u32::MAX;
/// The message leaves the network.
const OUT: u32 = u32::MAX - 1;
/// Mark of the last flit of a message in a buffer.
const LAST: u32 = 1 << 31;
/// The header has not crossed the channel.
const NOT_YET: u64 = u64::MAX;

/// A processor that sends.
#[derive(Debug, Default)]
struct Source {
    queue: VecDeque<u32>,
    /// The message being sent, its virtual channel, and the flits not sent yet.
    sending: Option<(u32, u32, u32)>,
}

/// A message that left the network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delivery {
    pub(super) packet: Packet,
    /// The cycle after its last flit.
    pub(super) time: u64,
}

/// The state of all routers and links.
pub(super) struct Fabric<'a> {
    network: &'a Network,
    links: &'a Links,
    routing: FlitRouting<'a>,
    policy: Policy,
    rules: FlitRules,
    packets: Vec<Packet>,
    unused: Vec<u32>,
    sources: Vec<Source>,
    /// By channel, then by virtual channel; the channels of processors come last.
    lanes: Vec<Lane>,
    /// Flits in the buffers, by lane: the message, with [`LAST`].
    flits: Vec<u32>,
    /// Lanes whose front is a header that waits for a virtual channel.
    headers: Vec<u32>,
    /// For every link, then for every processor, the lanes whose front message goes there.
    users: Vec<Vec<u32>>,
    /// Router at the end of every channel, then of every processor's channel.
    heads: Vec<u32>,
    /// Hops from every router to every other, if the policy needs them.
    hops: Vec<u16>,
    /// Flits, free places and virtual channels of this cycle, effective in the next.
    arriving: Vec<(u32, u32)>,
    freed: Vec<u32>,
    released: Vec<u32>,
    /// Messages delivered in the last cycle.
    pub(super) delivered: Vec<Delivery>,
    /// Flits that left the network in the last cycle.
    pub(super) flits_out: u64,
    /// Messages that have been added and not delivered.
    pub(super) in_flight: usize,
}

impl<'a> Fabric<'a> {
    pub(super) fn new(
        network: &'a Network,
        links: &'a Links,
        routing: FlitRouting<'a>,
        policy: Policy,
        rules: FlitRules,
    ) -> Self {
        let processors = network.processor_count();
        let ends = network.channels().iter().map(|channel| channel.head.0);
        let homes = (0..processors as u32)
            .map(|processor| network.home(ProcessorId(processor)).map_or(u32::MAX, |home| home.0));
        let heads: Vec<u32> = ends.chain(homes).collect();
        let lane = Lane {
            first: 0,
            count: 0,
            next: UNDECIDED,
            order: 0,
            since: 0,
            credits: rules.buffer,
            is_taken: false,
            crossed: NOT_YET,
        };
        let lanes = vec![lane; heads.len() * rules.lanes as usize];
        let hops = match routing {
            FlitRouting::Table(table) if policy.has_distance() => table.all_hops(network),
            _ => Vec::new(),
        };
        Self {
            network,
            links,
            routing,
            policy,
            rules,
            packets: Vec::new(),
            unused: Vec::new(),
            sources: (0..processors).map(|_| Source::default()).collect(),
            flits: vec![0; lanes.len() * rules.buffer as usize],
            lanes,
            headers: Vec::new(),
            users: vec![Vec::new(); links.count() + processors],
            heads,
            hops,
            arriving: Vec::new(),
            freed: Vec::new(),
            released: Vec::new(),
            delivered: Vec::new(),
            flits_out: 0,
            in_flight: 0,
        }
    }

    /// Adds a message to the queue of its source.
    pub(super) fn add(&mut self, packet: Packet) {
        let slot = match self.unused.pop() {
            Some(slot) => {
                self.packets[slot as usize] = packet;
                slot
            }
            None => {
                self.packets.push(packet);
                self.packets.len() as u32 - 1
            }
        };
        self.sources[packet.source.index()].queue.push_back(slot);
        self.in_flight += 1;
    }

    /// Removes all messages of which no flit has entered the network.
    pub(super) fn forget_queues(&mut self) {
        for source in &mut self.sources {
            self.in_flight -= source.queue.len();
            self.unused.extend(source.queue.drain(..));
        }
    }

    /// Whether a virtual channel may hold flits of one message only. Escape channels require that:
    /// a header behind another message could not reach the escape channel.
    fn is_exclusive(&self) -> bool {
        matches!(self.routing, FlitRouting::Escape(_))
    }

    /// Simulates one cycle. Returns whether anything happened; if not, nothing will happen until a
    /// message is added.
    pub(super) fn cycle<R: Record>(&mut self, now: u64, record: &mut R) -> bool {
        self.delivered.clear();
        self.flits_out = 0;
        let is_sent = self.send();
        let is_decided = self.decide();
        let is_moved = self.cross(now, record);
        self.commit(now);
        is_sent || is_decided || is_moved
    }

    /// Every processor passes a flit to its router.
    fn send(&mut self) -> bool {
        let mut is_any = false;
        for (number, source) in self.sources.iter_mut().enumerate() {
            if source.sending.is_none()
                && let Some(&packet) = source.queue.front()
            {
                let port = self.network.channel_count() + number;
                let first = port as u32 * self.rules.lanes;
                let free = (first..first + self.rules.lanes)
                    .filter(|&lane| !self.lanes[lane as usize].is_taken);
                let best = free.max_by_key(|&lane| (self.lanes[lane as usize].credits, !lane));
                if let Some(lane) = best {
                    source.queue.pop_front();
                    self.lanes[lane as usize].is_taken = true;
                    source.sending = Some((packet, lane, self.packets[packet as usize].flits));
                }
            }
            let Some((packet, lane, left)) = source.sending else { continue };
            if self.lanes[lane as usize].credits == 0 {
                continue;
            }
            is_any = true;
            self.lanes[lane as usize].credits -= 1;
            self.arriving.push((lane, if left == 1 { packet | LAST } else { packet }));
            source.sending = (left > 1).then_some((packet, lane, left - 1));
            if left == 1 && !matches!(self.routing, FlitRouting::Escape(_)) {
                self.lanes[lane as usize].is_taken = false;
            }
        }
        is_any
    }

    /// The message at the front of a lane.
    #[inline]
    fn front(&self, lane: u32) -> u32 {
        let at = lane * self.rules.buffer + self.lanes[lane as usize].first;
        self.flits[at as usize]
    }

    /// Assigns virtual channels to waiting headers, in the order of their keys.
    fn decide(&mut self) -> bool {
        let mut headers = std::mem::take(&mut self.headers);
        if headers.len() > 1 {
            headers.sort_unstable_by_key(|&lane| {
                let state = &self.lanes[lane as usize];
                (state.order, state.since, lane)
            });
        }
        let before = headers.len();
        headers.retain(|&lane| !self.decide_one(lane));
        let is_any = headers.len() < before;
        self.headers = headers;
        is_any
    }

    /// Assigns a virtual channel to the header at the front of a lane, if one is free.
    fn decide_one(&mut self, lane: u32) -> bool {
        let slot = self.front(lane) & !LAST;
        let packet = self.packets[slot as usize];
        let at = RouterId(self.heads[(lane / self.rules.lanes) as usize]);
        let to = self.home(packet.destination);
        if at == to && !matches!(self.routing, FlitRouting::Paths(_))
            || self.is_at_end_of_path(&packet)
        {
            self.lanes[lane as usize].next = OUT;
            self.users[self.links.count() + packet.destination.index()].push(lane);
            return true;
        }
        let Some((next, is_escape)) = self.choose(&packet, lane, at, to) else { return false };
        let packet = &mut self.packets[slot as usize];
        packet.hops += 1;
        packet.is_escaped |= is_escape;
        self.lanes[lane as usize].next = next;
        let taken = &mut self.lanes[next as usize];
        taken.is_taken = true;
        taken.crossed = NOT_YET;
        let channel = next / self.rules.lanes;
        self.users[self.links.of_number(channel) as usize].push(lane);
        true
    }

    fn home(&self, processor: ProcessorId) -> RouterId {
        self.network.home(processor).expect("the mission was checked against the network")
    }

    fn is_at_end_of_path(&self, packet: &Packet) -> bool {
        match self.routing {
            FlitRouting::Paths(routes) => routes.path(packet.number).len() == packet.hops as usize,
            _ => false,
        }
    }

    /// The class of a virtual channel; `None` for those of processors.
    fn virtual_channel(&self, lane: u32, classes: u32) -> Option<VirtualChannel> {
        let lanes = self.rules.lanes;
        let channel = ChannelId(lane / lanes);
        let is_end = |class: &u32| lane % lanes < (class + 1) * lanes / classes;
        let class = (0..classes).find(is_end)?;
        (channel.index() < self.network.channel_count())
            .then_some(VirtualChannel { channel, class })
    }

    /// A free virtual channel for the next hop of a message from a lane, and whether it is an escape channel
    /// that the message must stay on.
    fn choose(
        &self,
        packet: &Packet,
        lane: u32,
        at: RouterId,
        to: RouterId,
    ) -> Option<(u32, bool)> {
        let lanes = self.rules.lanes;
        match self.routing {
            FlitRouting::Table(table) => {
                let channel = table.next(at, to)?;
                let classes = table.classes();
                let allowed = match classes {
                    1 => 0..1,
                    _ => table.class_range(self.virtual_channel(lane, classes), at, to),
                };
                let range = allowed.start * lanes / classes..allowed.end * lanes / classes;
                self.best_lane(channel, range).map(|lane| (lane, false))
            }
            FlitRouting::Paths(routes) => {
                let channel = routes.path(packet.number)[packet.hops as usize];
                self.best_lane(ChannelId(channel), 0..lanes).map(|lane| (lane, false))
            }
            FlitRouting::Escape(routing) => {
                let classes = routing.escape.classes();
                if !packet.is_escaped {
                    let closer = routing.adaptive.closer(at.0, to.0).map(ChannelId);
                    let free = |channel: &ChannelId| {
                        let first = channel.0 * lanes;
                        let lanes =
                            &self.lanes[(first + classes) as usize..(first + lanes) as usize];
                        lanes.iter().filter(|lane| !lane.is_taken).count()
                    };
                    // Of equally free channels the first, of the lowest dimension.
                    let best = closer
                        .map(|channel| (free(&channel), channel))
                        .reduce(|best, other| if other.0 > best.0 { other } else { best });
                    if let Some((_, channel)) = best.filter(|(free, _)| *free > 0) {
                        return self.best_lane(channel, classes..lanes).map(|lane| (lane, false));
                    }
                }
                let class = routing.escape.class(at, to);
                let lane = self.best_lane(routing.escape.next(at, to)?, class..class + 1);
                lane.map(|lane| (lane, !routing.returns))
            }
        }
    }

    /// Of the free virtual channels of a channel, the one with the most free places.
    fn best_lane(&self, channel: ChannelId, range: std::ops::Range<u32>) -> Option<u32> {
        let first = channel.0 * self.rules.lanes;
        let mut best: Option<u32> = None;
        for lane in first + range.start..first + range.end {
            let state = &self.lanes[lane as usize];
            let is_better =
                best.is_none_or(|best| state.credits > self.lanes[best as usize].credits);
            if !state.is_taken && is_better {
                best = Some(lane);
            }
        }
        best
    }

    /// Every link carries a flit, and every processor takes one.
    fn cross<R: Record>(&mut self, now: u64, record: &mut R) -> bool {
        let mut is_any = false;
        for user in 0..self.users.len() {
            let mut best: Option<(u64, u64, u32, usize)> = None;
            for (place, &lane) in self.users[user].iter().enumerate() {
                let state = &self.lanes[lane as usize];
                let is_open = state.next == OUT || self.lanes[state.next as usize].credits > 0;
                let key = (state.order, state.since, lane, place);
                if state.count > 0 && is_open && best.is_none_or(|best| key < best) {
                    best = Some(key);
                }
            }
            if let Some((_, _, lane, place)) = best {
                self.move_flit(user, place, lane, now, record);
                is_any = true;
            }
        }
        is_any
    }

    /// Moves the first flit of a lane to the next one, or out of the network.
    fn move_flit<R: Record>(
        &mut self,
        user: usize,
        place: usize,
        lane: u32,
        now: u64,
        record: &mut R,
    ) {
        let flit = self.front(lane);
        let (slot, is_last) = (flit & !LAST, flit & LAST != 0);
        let is_exclusive = self.is_exclusive();
        let state = &mut self.lanes[lane as usize];
        let next = state.next;
        state.first = if state.first + 1 == self.rules.buffer { 0 } else { state.first + 1 };
        state.count -= 1;
        self.freed.push(lane);
        if is_last {
            state.next = UNDECIDED;
            self.users[user].swap_remove(place);
            if is_exclusive {
                self.released.push(lane);
            }
            if state.count > 0 {
                self.come_to_front(lane, now + 1);
            }
        }
        if next == OUT {
            self.flits_out += 1;
            if is_last {
                let packet = self.packets[slot as usize];
                self.delivered.push(Delivery { packet, time: now + 1 });
                self.unused.push(slot);
                self.in_flight -= 1;
            }
            return;
        }
        let target = &mut self.lanes[next as usize];
        target.credits -= 1;
        if target.crossed == NOT_YET {
            target.crossed = now;
        }
        self.arriving.push((next, flit));
        if is_last {
            let number = self.packets[slot as usize].number;
            let (start, end) = (target.crossed * ticks::UNIT, (now + 1) * ticks::UNIT);
            record.hold(number, next / self.rules.lanes, start, end);
            if !is_exclusive {
                self.released.push(next);
            }
        }
    }

    /// Registers the header at the front of a lane.
    fn come_to_front(&mut self, lane: u32, now: u64) {
        let packet = self.packets[(self.front(lane) & !LAST) as usize];
        let at = self.heads[(lane / self.rules.lanes) as usize];
        let length = u64::from(packet.flits) * ticks::UNIT;
        let left = self.left(&packet, at);
        let state = &mut self.lanes[lane as usize];
        state.order = self.policy.order(length, left, packet.birth * ticks::UNIT);
        state.since = now;
        self.headers.push(lane);
    }

    /// Number of channels that a message still has to take.
    fn left(&self, packet: &Packet, at: u32) -> u32 {
        let to = self.home(packet.destination);
        match self.routing {
            FlitRouting::Table(_) => {
                let hops = self.hops.get(to.index() * self.network.router_count() + at as usize);
                hops.map_or(0, |&hops| u32::from(hops))
            }
            FlitRouting::Escape(routing) => routing.adaptive.distance(at, to.0),
            FlitRouting::Paths(routes) => {
                (routes.path(packet.number).len() as u32).saturating_sub(packet.hops)
            }
        }
    }

    /// Applies the changes of a cycle.
    fn commit(&mut self, now: u64) {
        for lane in self.freed.drain(..) {
            self.lanes[lane as usize].credits += 1;
        }
        for lane in self.released.drain(..) {
            self.lanes[lane as usize].is_taken = false;
        }
        let arriving = std::mem::take(&mut self.arriving);
        for &(lane, flit) in &arriving {
            let state = &mut self.lanes[lane as usize];
            let mut place = state.first + state.count;
            if place >= self.rules.buffer {
                place -= self.rules.buffer;
            }
            state.count += 1;
            let is_front = state.count == 1 && state.next == UNDECIDED;
            self.flits[(lane * self.rules.buffer + place) as usize] = flit;
            if is_front {
                self.come_to_front(lane, now + 1);
            }
        }
        self.arriving = arriving;
        self.arriving.clear();
    }
}
