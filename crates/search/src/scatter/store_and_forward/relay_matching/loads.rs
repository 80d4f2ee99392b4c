//! Loads of all ports and channels.

use super::super::super::layout::Layout;
use super::super::legs::NONE;
use super::edge::HopEdge;
use pavane_model::ProcessorId;

/// Resolution of needs: fractions of a step.
const FINE: u32 = 64;

/// Number of uses of the send ports of every processor, its receive ports, and the channel rows.
#[derive(Debug, Clone)]
pub(super) struct Loads {
    uses: Vec<u32>,
    /// Uses per step; 0 for ports without rows, which are not limited.
    room: Vec<u32>,
    processors: usize,
}

impl Loads {
    /// Nothing is used yet.
    pub fn new(layout: &Layout<'_>) -> Self {
        let processors = layout.problem.network().processor_count();
        let all = || (0..processors as u32).map(ProcessorId);
        let mut room: Vec<u32> = all().map(|p| layout.send_rows(p).len() as u32).collect();
        room.extend(all().map(|p| layout.receive_rows(p).len() as u32));
        room.extend((0..layout.problem.network().channel_count()).map(|_| 1));
        Self { uses: vec![0; room.len()], room, processors }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.uses.len()
    }

    /// The entries that a hop uses; without a channel, the first is repeated.
    pub fn of(&self, layout: &Layout<'_>, edge: HopEdge) -> [usize; 3] {
        let send = edge.from as usize;
        let receive = self.processors + edge.to as usize;
        let channel = match edge.channel {
            NONE => send,
            channel => 2 * self.processors + layout.row(channel) as usize,
        };
        [send, receive, channel]
    }

    /// Adds `change` uses of a hop.
    pub fn add(&mut self, layout: &Layout<'_>, edge: HopEdge, change: i32) {
        self.add_to(self.of(layout, edge), change);
    }

    /// Adds `change` uses of the entries of a hop.
    pub fn add_to(&mut self, [send, receive, channel]: [usize; 3], change: i32) {
        for at in [send, receive] {
            self.uses[at] = self.uses[at].wrapping_add_signed(change);
        }
        if channel != send {
            self.uses[channel] = self.uses[channel].wrapping_add_signed(change);
        }
    }

    /// Need of a processor to send in a step in which it already sends `now` messages: the
    /// remaining uses per port, in fractions of a step.
    pub fn need_to_send(&self, processor: u32, now: usize) -> u32 {
        self.need(processor as usize, now)
    }

    /// Like [`Loads::need_to_send`], for receiving.
    pub fn need_to_receive(&self, processor: u32, now: usize) -> u32 {
        self.need(self.processors + processor as usize, now)
    }

    fn need(&self, at: usize, now: usize) -> u32 {
        match self.room[at] {
            0 => 0,
            room => FINE * self.uses[at].saturating_sub(now as u32) / room,
        }
    }

    /// Need of a channel to be used.
    pub fn need_to_pass(&self, layout: &Layout<'_>, channel: u32) -> u32 {
        match channel {
            NONE => 0,
            channel => FINE * self.uses[2 * self.processors + layout.row(channel) as usize],
        }
    }

    fn steps(&self, at: usize) -> u32 {
        match self.room[at] {
            0 => 0,
            room => self.uses[at].div_ceil(room),
        }
    }

    /// Minimum number of steps for all uses.
    pub fn largest(&self) -> u32 {
        (0..self.len()).map(|at| self.steps(at)).max().unwrap_or(0)
    }

    /// The largest need of all entries.
    pub fn largest_need(&self) -> u32 {
        (0..self.len()).map(|at| self.need(at, 0)).max().unwrap_or(0)
    }

    /// Whether an entry needs more than the given number of steps.
    pub fn is_too_much(&self, at: usize, steps: u32) -> bool {
        self.steps(at) > steps
    }

    /// The entries of the send and receive ports of a processor.
    pub fn of_ports(&self, processor: u32) -> [usize; 2] {
        [processor as usize, self.processors + processor as usize]
    }

    /// The entry of a channel.
    pub fn of_channel(&self, layout: &Layout<'_>, channel: u32) -> usize {
        2 * self.processors + layout.row(channel) as usize
    }

    /// Whether an entry is a channel, not a port.
    pub fn is_channel(&self, at: usize) -> bool {
        at >= 2 * self.processors
    }

    /// Uses of an entry.
    pub fn uses(&self, at: usize) -> u32 {
        self.uses[at]
    }

    /// Uses of an entry that fit into so many steps; `None` if it is not limited.
    pub fn most(&self, at: usize, steps: u32) -> Option<u32> {
        (self.room[at] > 0).then(|| self.room[at].saturating_mul(steps))
    }

    /// Most hops in a step, by the send ports of all processors.
    pub fn hops_per_step(&self, layout: &Layout<'_>) -> u32 {
        let channels = (self.len() - 2 * self.processors) as u32;
        let has_any =
            |&processor: &u32| layout.problem.network().home(ProcessorId(processor)).is_some();
        let rooms = (0..self.processors as u32).filter(has_any).map(|p| self.room[p as usize]);
        let is_limited = rooms.clone().all(|room| room > 0);
        if is_limited { rooms.sum::<u32>().min(channels) } else { channels }
    }
}
