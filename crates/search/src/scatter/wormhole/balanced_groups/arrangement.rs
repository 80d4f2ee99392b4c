//! A balanced dragonfly and its pattern: which message takes which path in which step.

use super::super::super::layout::{Layout, Spare};
use super::super::greedy::Placed;
use crate::budget::{Budget, Interrupt};
use pavane_model::{ChannelId, MessageId, Network, ProcessorId, RouterId};

/// Irreducible polynomials over the field with two elements, by degree.
const POLYNOMIALS: [u32; 8] =
    [0b1, 0b11, 0b111, 0b1011, 0b1_0011, 0b10_0101, 0b100_0011, 0b1000_0011];

/// The groups of a balanced dragonfly, numbered consecutively, and the links between them.
#[derive(Debug)]
pub(super) struct Arrangement {
    /// Number of routers in a group, a power of two.
    pub size: u32,
    /// Number of links to other groups at each router.
    pub links: u32,
    pub groups: u32,
    /// Per group, its point of the projective plane.
    pub points: Vec<[u32; 3]>,
    /// Per channel between groups, its classes at the tail and at the head in steps that do not
    /// shift them: different ones for all links of a router, and in a group half of the classes
    /// for tails, the others for heads.
    pub classes: Vec<[u32; 2]>,
    /// Per group and other group: the channel between them.
    ways_out: Vec<u32>,
    /// Per router and class, the channel within the group.
    inner: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Arrangement {
    /// Recognises a balanced dragonfly by its channels; `None` for other networks.
    pub fn new(network: &Network) -> Option<Self> {
        let degree = network.out_channels(network.routers().next()?).len() as u32;
        let links = (degree + 1) / 3;
        let size = 2 * links;
        let groups = size * links + 1;
        let is_fit = size.is_power_of_two()
            && (size.trailing_zeros() as usize) < POLYNOMIALS.len()
            && size + links == degree + 1
            && network.router_count() as u32 == size * groups
            && network.channel_count() as u32 == size * groups * degree
            && network.routers().all(|router| !network.residents(router).is_empty());
        if !is_fit {
            return None;
        }
        let mut found = Self {
            size,
            links,
            groups,
            points: (0..groups).map(|group| point(group, size)).collect(),
            classes: vec![[0; 2]; network.channel_count()],
            ways_out: vec![NONE; (groups * groups) as usize],
            inner: vec![NONE; (size * groups * size) as usize],
        };
        for router in network.routers() {
            found.add_channels_of(network, router)?;
        }
        Some(found)
    }

    /// Adds the channels from a router and numbers the classes of those between groups at both
    /// ends; `None` if two channels connect the same groups, or the same routers.
    fn add_channels_of(&mut self, network: &Network, router: RouterId) -> Option<()> {
        let group = router.0 / self.size;
        let mut rank = 0;
        for &channel in network.out_channels(router) {
            let head = network.channel(channel).head.0;
            let place = if head / self.size == group {
                &mut self.inner[(router.0 * self.size + (router.0 ^ head) % self.size) as usize]
            } else {
                self.classes[channel.index()][0] = rank;
                rank += 1;
                &mut self.ways_out[(group * self.groups + head / self.size) as usize]
            };
            if std::mem::replace(place, channel.0) != NONE {
                return None;
            }
        }
        let tail_group = |channel: &ChannelId| network.channel(*channel).tail.0 / self.size;
        let into =
            network.in_channels(router).iter().filter(|channel| tail_group(channel) != group);
        let into: Vec<usize> = into.map(|channel| channel.index()).collect();
        for (rank, &channel) in (0..).zip(&into) {
            self.classes[channel][1] = self.links + rank;
        }
        (rank == self.links && into.len() as u32 == self.links).then_some(())
    }

    /// The messages between groups that the pattern places, and its number of steps. There are
    /// `count` messages per pair of routers. Messages whose path is longer than the routing allows are left out. `None` on interrupt.
    pub fn place(
        &self,
        layout: &Layout<'_>,
        count: u32,
        interrupt: &Interrupt,
    ) -> Option<(Vec<Placed>, u32)> {
        let mut pace = Budget::unlimited(interrupt);
        let mut filling = Filling::new(layout, count);
        let steps = self.size.pow(3);
        for step in 0..steps {
            filling.start_step(step);
            let classes: Vec<u32> = (0..self.groups).map(|group| self.shift(group, step)).collect();
            for from in 0..self.groups {
                for to in (0..self.groups).filter(|&to| to != from) {
                    self.place_between(&mut filling, from, to, &classes);
                }
            }
            if !pace.spend(u64::from(self.groups * self.groups)) {
                return None;
            }
        }
        Some((filling.placed, steps))
    }

    /// Places the message from one group to another in this step.
    fn place_between(&self, filling: &mut Filling<'_>, from: u32, to: u32, shifts: &[u32]) {
        let link = self.ways_out[(from * self.groups + to) as usize];
        let [class_out, class_in] = self.classes[link as usize];
        let link_ends = filling.layout.channel(link);
        let (gate_out, gate_in) = (link_ends.tail.0, link_ends.head.0);
        let first = class_out ^ shifts[from as usize];
        let last = class_in ^ shifts[to as usize];
        let (origin, target) = (gate_out ^ first, gate_in ^ last);
        let mut path = [link; 3];
        let mut length = 0;
        if first > 0 {
            path[0] = self.inner[(origin * self.size + first) as usize];
            length = 1;
        }
        path[length] = link;
        length += 1;
        if last > 0 {
            path[length] = self.inner[(gate_in * self.size + last) as usize];
            length += 1;
        }
        filling.push(origin, target, &path[..length]);
    }

    /// The inner product of the point of a group and a step.
    pub fn shift(&self, group: u32, step: u32) -> u32 {
        let (size, point) = (self.size, self.points[group as usize]);
        let step = [step % size, step / size % size, step / size / size];
        (0..3).fold(0, |sum, at| sum ^ self.product(point[at], step[at]))
    }

    /// The channel from a group to another one.
    pub fn link(&self, from: u32, to: u32) -> ChannelId {
        ChannelId(self.ways_out[(from * self.groups + to) as usize])
    }

    /// Product in the field with `size` elements.
    fn product(&self, one: u32, other: u32) -> u32 {
        let degree = self.size.trailing_zeros();
        let mut product =
            (0..degree).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ one << bit);
        for bit in (degree..2 * degree).rev() {
            if product >> bit & 1 == 1 {
                product ^= POLYNOMIALS[degree as usize] << (bit - degree);
            }
        }
        product
    }
}

/// A point of the projective plane over the field with `size` elements, by number.
fn point(number: u32, size: u32) -> [u32; 3] {
    match number.checked_sub(size * size) {
        None => [1, number / size, number % size],
        Some(rest) if rest < size => [0, 1, rest],
        Some(_) => [0, 0, 1],
    }
}

/// Collects placed messages step by step.
struct Filling<'a> {
    layout: &'a Layout<'a>,
    count: u32,
    step: u32,
    /// Per pair of routers: the number of its messages that have had their turn.
    turns: Vec<u32>,
    /// Used ports of every router in this step: sends, receives.
    ports: Vec<[u32; 2]>,
    placed: Vec<Placed>,
    spare: Spare,
}

impl<'a> Filling<'a> {
    fn new(layout: &'a Layout<'a>, count: u32) -> Self {
        let routers = layout.problem.network().router_count();
        Self {
            layout,
            count,
            step: 0,
            turns: vec![0; routers * routers],
            ports: vec![[0; 2]; routers],
            placed: Vec::new(),
            spare: Spare::default(),
        }
    }

    fn start_step(&mut self, step: u32) {
        self.step = step;
        self.ports.fill([0; 2]);
    }

    /// Places the next message between two routers, if its path is allowed.
    fn push(&mut self, from: u32, to: u32, channels: &[u32]) {
        let layout = self.layout;
        let others = self.ports.len() as u32 - 1;
        let turn = &mut self.turns[(from * (others + 1) + to) as usize];
        // Messages are listed by origin and destination, those of a pair in a row.
        let pair = from * others + if to > from { to - 1 } else { to };
        let message = pair * self.count + *turn;
        *turn += 1;
        let shortest = layout.distance(MessageId(message), &mut self.spare);
        if channels.len() as u32 > shortest.saturating_add(layout.most_detour()) {
            return;
        }
        let mut path = Vec::with_capacity(channels.len() + 2);
        let sends = layout.send_rows(ProcessorId(from));
        if !sends.is_empty() {
            path.push(sends.start + self.ports[from as usize][0]);
        }
        path.extend_from_slice(channels);
        let receives = layout.receive_rows(ProcessorId(to));
        if !receives.is_empty() {
            path.push(receives.start + self.ports[to as usize][1]);
        }
        self.ports[from as usize][0] += 1;
        self.ports[to as usize][1] += 1;
        self.placed.push(Placed { message, step: self.step, path });
    }
}
