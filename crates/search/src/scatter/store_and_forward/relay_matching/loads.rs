//! Loads of all ports and channels, and the cost of one more use.

use super::super::super::layout::Layout;
use super::super::legs::NONE;
use super::edge::HopEdge;
use pavane_model::ProcessorId;

/// Weight of a channel relative to a port. A channel has only one pair of ends to serve, so it
/// should be loaded less.
const CHANNEL: f32 = 1.1;

/// Resolution of needs: fractions of a step.
const FINE: u32 = 64;

/// Cap on the relative load in the cost, so that all costs are finite.
const MOST_SHARE: f32 = 1.5;

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
        let [send, receive, channel] = self.of(layout, edge);
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

    /// Cost of one more use of a hop.
    pub fn cost(&self, layout: &Layout<'_>, edge: HopEdge, costs: &Costs) -> f32 {
        let [send, receive, channel] = self.of(layout, edge);
        let of_one = |at: usize, weight: f32| match self.room[at] {
            0 => 0.0,
            room => {
                let share = weight * (self.uses[at] + 1) as f32 / room as f32 * costs.scale;
                costs.weights[at] * share.min(MOST_SHARE).powi(costs.power)
            }
        };
        let own = if channel == send { 0.0 } else { of_one(channel, CHANNEL) };
        of_one(send, 1.0) + of_one(receive, 1.0) + own
    }
}

/// Parameters of the cost of loads.
pub(super) struct Costs {
    /// Inverse of the load that costs 1.
    pub scale: f32,
    pub power: i32,
    pub weights: Vec<f32>,
}
