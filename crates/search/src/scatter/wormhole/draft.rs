//! Messages with their steps and resources, collected in any order before they become a schedule.

use super::super::layout::Layout;
use pavane_model::{ChannelId, MessageId, Schedule, Transfer};

/// Collects messages with their steps and resources.
#[derive(Default)]
pub(super) struct Draft {
    places: Vec<DraftPlace>,
    resources: Vec<u32>,
}

struct DraftPlace {
    step: u32,
    message: u32,
    end: u32,
    length: u32,
}

impl Draft {
    /// Adds a message with its step and the channels and ports it uses.
    pub fn push(&mut self, message: u32, step: u32, path: &[u32]) {
        self.resources.extend_from_slice(path);
        let (end, length) = (self.resources.len() as u32, path.len() as u32);
        self.places.push(DraftPlace { step, message, end, length });
    }

    /// Appends another draft, shifted by `later` steps.
    pub fn append(&mut self, other: Self, later: u32) {
        let shift = self.resources.len() as u32;
        self.resources.extend(other.resources);
        self.places.extend(other.places.into_iter().map(|place| DraftPlace {
            step: place.step + later,
            end: place.end + shift,
            ..place
        }));
    }

    /// Converts the draft into a schedule.
    pub fn into_schedule(mut self, layout: &Layout<'_>) -> Schedule {
        self.places.sort_unstable_by_key(|place| (place.step, place.message));
        let steps = self.places.last().map_or(0, |place| place.step + 1);
        let mut schedule = Schedule::new();
        let mut next = self.places.iter().peekable();
        let mut channels = Vec::new();
        for step in 0..steps {
            schedule.start_step();
            while let Some(place) = next.next_if(|place| place.step == step) {
                let message = MessageId(place.message);
                let (from, to) = layout.ends(message);
                let path = &self.resources[(place.end - place.length) as usize..place.end as usize];
                channels.clear();
                channels
                    .extend(path.iter().filter(|&&r| layout.is_channel(r)).map(|&r| ChannelId(r)));
                schedule.push(Transfer { message, from, to, path: &channels });
            }
        }
        schedule
    }
}
