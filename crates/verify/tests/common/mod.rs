//! Shared by several tests: a seeded random generator, schedules as plain lists, random problems
//! with valid schedules, and a second implementation of validity.

pub mod generate;
pub mod plain;

use pavane_model::{ChannelId, MessageId, ProcessorId, Schedule, Transfer};

/// A small random number generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) % limit as u64) as usize
    }

    pub fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A transfer in plain numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainTransfer {
    pub message: u32,
    pub from: u32,
    pub to: u32,
    pub path: Vec<u32>,
}

pub type Steps = Vec<Vec<PlainTransfer>>;

pub fn to_schedule(steps: &Steps) -> Schedule {
    let mut schedule = Schedule::new();
    for step in steps {
        schedule.start_step();
        for transfer in step {
            let path: Vec<ChannelId> = transfer.path.iter().map(|&c| ChannelId(c)).collect();
            schedule.push(Transfer {
                message: MessageId(transfer.message),
                from: ProcessorId(transfer.from),
                to: ProcessorId(transfer.to),
                path: &path,
            });
        }
    }
    schedule
}

pub fn to_steps(schedule: &Schedule) -> Steps {
    let plain = |transfer: Transfer<'_>| PlainTransfer {
        message: transfer.message.0,
        from: transfer.from.0,
        to: transfer.to.0,
        path: transfer.path.iter().map(|channel| channel.0).collect(),
    };
    (0..schedule.step_count()).map(|step| schedule.step(step).map(plain).collect()).collect()
}
