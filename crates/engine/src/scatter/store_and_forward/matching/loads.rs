//! How much every port and channel has to do, and what one more use of them costs.

use super::super::super::layout::Layout;
use super::super::legs::NONE;
use super::Edge;
use pavane_model::ProcessorId;

/// What a channel counts as, beside ports: it has no choice of partners, so it must not be as busy.
const CHANNEL: f32 = 1.1;

/// Needs are counted in such parts of a step.
const FINE: u32 = 64;

/// What is so many times too much costs no more, so that all costs are finite.
const MOST_SHARE: f32 = 1.5;

/// How often everything is used: the send ports of every processor, its receive ports, the rows of
/// channels.
#[derive(Debug, Clone)]
pub(super) struct Loads {
    uses: Vec<u32>,
    /// Uses in one step; none where nothing needs watching.
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

    /// How many things have a load.
    pub fn len(&self) -> usize {
        self.uses.len()
    }

    /// What a hop uses; the first twice where it takes no channel.
    pub fn of(&self, layout: &Layout<'_>, edge: Edge) -> [usize; 3] {
        let send = edge.from as usize;
        let receive = self.processors + edge.to as usize;
        let channel = match edge.channel {
            NONE => send,
            channel => 2 * self.processors + layout.row(channel) as usize,
        };
        [send, receive, channel]
    }

    /// One more or less of a hop.
    pub fn add(&mut self, layout: &Layout<'_>, edge: Edge, change: i32) {
        let [send, receive, channel] = self.of(layout, edge);
        for at in [send, receive] {
            self.uses[at] = self.uses[at].wrapping_add_signed(change);
        }
        if channel != send {
            self.uses[channel] = self.uses[channel].wrapping_add_signed(change);
        }
    }

    /// How much a processor needs to send in a step in which it sends `now` already; more than
    /// anything else where nothing can be put off.
    pub fn need_to_send(&self, processor: u32, now: usize) -> u32 {
        self.need(processor as usize, now)
    }

    /// The same of receiving.
    pub fn need_to_receive(&self, processor: u32, now: usize) -> u32 {
        self.need(self.processors + processor as usize, now)
    }

    fn need(&self, at: usize, now: usize) -> u32 {
        match self.room[at] {
            0 => 0,
            room => FINE * self.uses[at].saturating_sub(now as u32) / room,
        }
    }

    /// How much the channel of a hop needs to be used.
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

    /// Steps that are needed at least.
    pub fn largest(&self) -> u32 {
        (0..self.len()).map(|at| self.steps(at)).max().unwrap_or(0)
    }

    /// The largest need of all.
    pub fn largest_need(&self) -> u32 {
        (0..self.len()).map(|at| self.need(at, 0)).max().unwrap_or(0)
    }

    /// Whether more is to be done than in so many steps.
    pub fn is_too_much(&self, at: usize, steps: u32) -> bool {
        self.steps(at) > steps
    }

    /// What one more use of a hop costs.
    pub fn cost(&self, layout: &Layout<'_>, edge: Edge, costs: &Costs) -> f32 {
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

/// What loads cost.
pub(super) struct Costs {
    /// One over the load that costs 1.
    pub scale: f32,
    pub power: i32,
    pub weights: Vec<f32>,
}
