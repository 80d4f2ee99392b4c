//! What a free channel sends next.

use super::spread::Spread;
use super::{Run, Segment};
use pavane_model::ChannelId;
use rand::{Rng, RngExt};

/// What a channel does.
pub(super) enum Choice {
    /// It sends a chunk over a segment.
    Send {
        /// The index of the segment.
        segment: usize,
        chunk: usize,
    },
    /// It stays idle until a time, unless something else happens before.
    Wait(Option<u64>),
}

impl Run<'_> {
    /// The free channels among those asked, in the order in which they choose: those of routers with
    /// much to send first, or those into routers that will wait longest.
    pub fn in_order(&self, asked: &[bool], time: u64, rng: &mut impl Rng) -> Vec<ChannelId> {
        let mut order: Vec<(f64, u32, ChannelId)> = Vec::new();
        for channel in (0..asked.len()).filter(|&at| asked[at]).map(|at| ChannelId(at as u32)) {
            if self.free[self.all.resource[channel.index()] as usize] > time {
                continue;
            }
            let value = match &self.spread {
                Some(spread) => spread.load(self.case.ends(channel).0.index()),
                None => {
                    let segments = self.segments[channel.index()].iter();
                    segments.map(|segment| self.wait(segment)).fold(0.0, f64::max)
                }
            };
            order.push((value * self.noise(rng), rng.random(), channel));
        }
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        order.into_iter().map(|(_, _, channel)| channel).collect()
    }

    fn noise(&self, rng: &mut impl Rng) -> f64 {
        if self.taste.noise == 0 {
            return 1.0;
        }
        1.0 + self.taste.noise as f64 / 100.0 * rng.random::<f64>()
    }

    /// How long the end of a segment will wait for the rest of its chunks.
    fn wait(&self, segment: &Segment) -> f64 {
        let to = segment.to.index();
        self.missing[to] as f64 / self.in_speed[to].max(1e-300)
    }

    /// What a channel does now.
    pub fn choose(&self, channel: ChannelId, time: u64, rng: &mut impl Rng) -> Choice {
        if self.free[self.all.resource[channel.index()] as usize] > time {
            return Choice::Wait(None);
        }
        let from = self.case.ends(channel).0.index();
        let mut clear = Vec::new();
        let mut wake: Option<u64> = None;
        for (at, segment) in self.segments[channel.index()].iter().enumerate() {
            match self.arrival(segment, self.largest, time) {
                Ok(_) => clear.push((at, segment)),
                Err(next) if self.has_wanted(from, segment) => {
                    wake = Some(wake.map_or(next, |wake| wake.min(next)));
                }
                Err(_) => {}
            }
        }
        let chosen = match (&self.spread, self.taste.helpers) {
            _ if clear.is_empty() => None,
            (Some(spread), Some(helpers)) => {
                self.choose_chunk_first(from, &clear, spread, helpers, time, rng)
            }
            _ => self.choose_destination_first(from, &clear, time, rng),
        };
        chosen.map_or(Choice::Wait(wake), |(segment, chunk)| Choice::Send { segment, chunk })
    }

    /// Whether a router has a chunk that the end of a segment wants.
    fn has_wanted(&self, from: usize, segment: &Segment) -> bool {
        let to = segment.to.index();
        let words = self.here[from].iter().zip(&self.coming[to]).zip(&self.wants[to]);
        words.into_iter().any(|((here, coming), wants)| here & !coming & wants != 0)
    }

    /// The segment to the router that will wait longest, and the rarest chunk for it.
    fn choose_destination_first(
        &self,
        from: usize,
        clear: &[(usize, &Segment)],
        time: u64,
        rng: &mut impl Rng,
    ) -> Option<(usize, usize)> {
        let mut best: Option<((f64, u64, u32), usize, usize)> = None;
        for &(at, segment) in clear {
            let urgency = self.wait(segment);
            if best.as_ref().is_some_and(|best| best.0.0 > urgency) {
                continue;
            }
            let Some((rarity, chunk)) = self.rarest(from, segment, time, rng) else { continue };
            let key = (urgency, rarity, rng.random());
            if best.as_ref().is_none_or(|best| key > best.0) {
                best = Some((key, at, chunk));
            }
        }
        best.map(|(_, segment, chunk)| (segment, chunk))
    }

    /// The chunk for which most neighbours wait, and the segment over which it is sent.
    fn choose_chunk_first(
        &self,
        from: usize,
        clear: &[(usize, &Segment)],
        spread: &Spread,
        helpers: u16,
        time: u64,
        rng: &mut impl Rng,
    ) -> Option<(usize, usize)> {
        let mut best: Option<((u16, u32), usize, usize)> = None;
        for word in 0..self.here[from].len() {
            let wants = |(_, segment): &(usize, &Segment)| {
                let to = segment.to.index();
                self.wants[to][word] & !self.coming[to][word]
            };
            let wanted = clear.iter().map(wants).fold(0, |all, wants| all | wants);
            let mut rest = self.here[from][word] & wanted;
            while rest != 0 {
                let chunk = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let waiting = spread.waiting(from, chunk);
                let first = if self.taste.is_rarest_first { waiting } else { u16::MAX - waiting };
                if best.as_ref().is_some_and(|best| first < best.0.0) {
                    continue;
                }
                let key = (first, rng.random());
                if best.as_ref().is_some_and(|best| key <= best.0) {
                    continue;
                }
                let is_helped = spread.copies(from, chunk) <= helpers;
                if let Some(segment) = self.destination(clear, chunk, is_helped, time, rng) {
                    best = Some((key, segment, chunk));
                }
            }
        }
        best.map(|(_, segment, chunk)| (segment, chunk))
    }

    /// The segment to the neighbour that a chunk goes to next.
    fn destination(
        &self,
        clear: &[(usize, &Segment)],
        chunk: usize,
        is_helped: bool,
        time: u64,
        rng: &mut impl Rng,
    ) -> Option<usize> {
        let (word, bit) = (chunk / 64, 1u64 << (chunk % 64));
        let mut best: Option<((f64, u32), usize)> = None;
        for &(at, segment) in clear {
            let to = segment.to.index();
            if self.wants[to][word] & !self.coming[to][word] & bit == 0 {
                continue;
            }
            let value = match &self.spread {
                Some(spread) if is_helped => -spread.load(to),
                _ => self.wait(segment),
            };
            let key = (value * self.noise(rng), rng.random());
            if best.as_ref().is_none_or(|best| key > best.0) && self.is_best(segment, chunk, time) {
                best = Some((key, at));
            }
        }
        best.map(|(_, segment)| segment)
    }

    /// The best chunk that a router has and the end of a segment wants, with its rarity.
    fn rarest(
        &self,
        from: usize,
        segment: &Segment,
        time: u64,
        rng: &mut impl Rng,
    ) -> Option<(u64, usize)> {
        let to = segment.to.index();
        let mut best: Option<((u64, u32), usize)> = None;
        let words = self.here[from].iter().zip(&self.coming[to]).zip(&self.wants[to]);
        for (word, ((here, coming), wants)) in words.enumerate() {
            let mut rest = here & !coming & wants;
            while rest != 0 {
                let chunk = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let rarity = if self.taste.is_rarest_first {
                    u64::MAX - u64::from(self.copies[chunk])
                } else {
                    u64::from(self.copies[chunk])
                };
                let key = (rarity, rng.random());
                if best.as_ref().is_none_or(|best| key > best.0)
                    && self.is_best(segment, chunk, time)
                {
                    best = Some((key, chunk));
                }
            }
        }
        best.map(|((rarity, _), chunk)| (rarity, chunk))
    }

    /// When so many bytes that start now arrive at the end of a segment. If they would wait too long in
    /// a switch: the first time at which the channel behind it is ready for them.
    fn arrival(&self, segment: &Segment, bytes: u64, time: u64) -> Result<u64, u64> {
        let mut at = time;
        let mut slack = 0;
        for &channel in &segment.channels {
            let start = at.max(self.free[self.all.resource[channel.index()] as usize]);
            let occupied = self.all.times.occupied(channel, bytes);
            if start - at > slack * occupied {
                return Err(time + (start - at - slack * occupied));
            }
            at = start + occupied + self.all.times.latency(channel);
            slack = self.taste.queue;
        }
        Ok(at)
    }

    /// Whether a chunk can cross a segment now, and no other send brings it sooner.
    fn is_best(&self, segment: &Segment, chunk: usize, time: u64) -> bool {
        let Ok(at) = self.arrival(segment, self.chunks[chunk].bytes, time) else { return false };
        self.foresight.as_ref().is_none_or(|foresight| {
            let duration = at - time;
            let late = at + duration / 100 * self.taste.patience;
            let to = segment.to.index();
            !foresight.comes_sooner(to, chunk, time, at)
                && !foresight.is_under_way(to, chunk, duration, late)
        })
    }
}
