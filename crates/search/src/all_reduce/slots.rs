//! The channels, links and ports that are in use in each step of an all-reduce. Under a group of
//! automorphisms a slot stands for all its images.

use super::folded::Folded;

const BITS: usize = u64::BITS as usize;

/// A channel that carries a sum, or a part of it, in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Carried {
    pub channel: u32,
    pub step: u32,
}

/// For every slot and every step, whether it is in use.
#[derive(Debug, Clone)]
pub(super) struct StepSlots {
    /// Number of steps.
    steps: usize,
    /// Words per row.
    words: usize,
    /// One row per channel slot.
    channels: Vec<u64>,
    ports: Option<PortSlots>,
}

/// The sends and receives of every router in every step, and whether they have reached the limit.
#[derive(Debug, Clone)]
struct PortSlots {
    limit: u16,
    counts: [Vec<u16>; 2],
    full: [Vec<u64>; 2],
}

impl StepSlots {
    /// No slot is in use.
    pub fn new(folded: &Folded, steps: u32) -> Self {
        let steps = steps as usize;
        let words = steps.div_ceil(BITS);
        let of_classes = folded.class_count * words;
        let ports = folded.ports.map(|limit| PortSlots {
            limit,
            counts: [vec![0; folded.class_count * steps], vec![0; folded.class_count * steps]],
            full: [vec![0; of_classes], vec![0; of_classes]],
        });
        Self { steps, words, channels: vec![0; folded.slot_count * words], ports }
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The first step from `from` in which a channel is free.
    pub fn first_free(&self, folded: &Folded, channel: usize, from: usize) -> Option<usize> {
        let mut mask = u64::MAX << (from % BITS);
        for word in from / BITS..self.words {
            let free = !self.busy(folded, channel, word) & mask;
            if free != 0 {
                let step = word * BITS + free.trailing_zeros() as usize;
                return (step < self.steps).then_some(step);
            }
            mask = u64::MAX;
        }
        None
    }

    /// The last step before `end` in which a channel is free.
    pub fn last_free(&self, folded: &Folded, channel: usize, end: usize) -> Option<usize> {
        let last = end.checked_sub(1)?;
        let mut mask = u64::MAX >> (BITS - 1 - last % BITS);
        for word in (0..=last / BITS).rev() {
            let free = !self.busy(folded, channel, word) & mask;
            if free != 0 {
                return Some(word * BITS + BITS - 1 - free.leading_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }

    fn busy(&self, folded: &Folded, channel: usize, word: usize) -> u64 {
        let channel = &folded.channels[channel];
        let busy = self.channels[channel.slot * self.words + word];
        match &self.ports {
            None => busy,
            Some(ports) => {
                busy | ports.full[0][channel.tail_class * self.words + word]
                    | ports.full[1][channel.head_class * self.words + word]
            }
        }
    }

    /// Uses a channel in a step.
    pub fn take(&mut self, folded: &Folded, carried: Carried) {
        let (words, steps, step) = (self.words, self.steps, carried.step as usize);
        let channel = &folded.channels[carried.channel as usize];
        let (word, bit) = (step / BITS, 1 << (step % BITS));
        self.channels[channel.slot * words + word] |= bit;
        if let Some(PortSlots { limit, counts, full }) = &mut self.ports {
            for (side, class) in [channel.tail_class, channel.head_class].into_iter().enumerate() {
                let count = &mut counts[side][class * steps + step];
                *count += 1;
                if *count >= *limit {
                    full[side][class * words + word] |= bit;
                }
            }
        }
    }

    /// Frees a channel that is in use in a step.
    pub fn free(&mut self, folded: &Folded, carried: Carried) {
        let (words, steps, step) = (self.words, self.steps, carried.step as usize);
        let channel = &folded.channels[carried.channel as usize];
        let (word, bit) = (step / BITS, 1 << (step % BITS));
        self.channels[channel.slot * words + word] &= !bit;
        if let Some(PortSlots { counts, full, .. }) = &mut self.ports {
            for (side, class) in [channel.tail_class, channel.head_class].into_iter().enumerate() {
                counts[side][class * steps + step] -= 1;
                full[side][class * words + word] &= !bit;
            }
        }
    }
}
