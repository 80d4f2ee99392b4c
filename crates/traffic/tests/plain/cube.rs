//! Adaptive routing on a hypercube, simple and slow.

use super::{Plain, Stage};
use pavane_model::ChannelId;

impl Plain<'_> {
    /// The channels of a router that lead closer to another, or all other channels; lowest
    /// dimension first.
    fn channels(&self, at: u32, to: u32, is_closer: bool) -> Vec<ChannelId> {
        let heads = (0..u32::BITS).filter(|bit| ((at ^ to) >> bit & 1 == 1) == is_closer);
        let between = |head: u32| {
            let channels = self.network.channels().iter();
            let place = channels.clone().position(|it| it.tail.0 == at && it.head.0 == head);
            place.map(|place| ChannelId(place as u32))
        };
        heads.filter_map(|bit| between(at ^ (1 << bit))).collect()
    }

    /// The free channels that lead a message closer.
    fn free_closer(&self, number: usize) -> Vec<ChannelId> {
        let one = &self.all[number];
        let mut channels = self.channels(one.at, one.to, true);
        channels.retain(|&channel| self.is_free(channel));
        channels
    }

    /// Whether some waiting message could take a channel.
    fn is_wanted(&self, channel: ChannelId) -> bool {
        let wants = |&number: &usize| {
            let one = &self.all[number];
            let mut channels = self.channels(one.at, one.to, true).into_iter();
            channels.any(|other| self.link(other) == self.link(channel))
        };
        self.by_turn(Stage::Waiting).iter().any(wants)
    }

    /// Every waiting message, in order of keys, takes its lowest free channel that leads closer;
    /// under cut-through it continues over free channels that no message waits for.
    pub(super) fn give_closer_links(&mut self, now: u64, cuts_through: bool) {
        for number in self.by_turn(Stage::Waiting) {
            let mut channel = self.free_closer(number).first().copied();
            while let Some(taken) = channel {
                self.take(number, taken, now);
                let mut further = self.free_closer(number).into_iter();
                channel = further.find(|&next| cuts_through && !self.is_wanted(next));
            }
        }
    }

    /// Messages that have just joined a queue and still wait take another free channel, to a router
    /// that they have not left before.
    pub(super) fn give_detours(&mut self, now: u64, joined: &[usize]) {
        let mut waiting = joined.to_vec();
        waiting.sort_by_key(|&one| (-self.key(one, self.left(one)), one));
        for number in waiting
            .into_iter()
            .filter(|&one| self.all[one].stage == Stage::Waiting)
            .collect::<Vec<_>>()
        {
            let one = &self.all[number];
            let others = self.channels(one.at, one.to, false);
            let is_new = |&channel: &ChannelId| {
                let head = self.network.channel(channel).head.0;
                self.is_free(channel) && !one.seen.contains(&head)
            };
            if let Some(channel) = others.into_iter().find(is_new) {
                self.take(number, channel, now);
            }
        }
    }

    /// Every waiting message, in order of keys, starts if a depth-first search finds a free path.
    pub(super) fn start_free_paths(&mut self, now: u64, has_detours: bool) {
        for number in self.by_rank(Stage::Waiting) {
            let (at, to) = (self.all[number].at, self.all[number].to);
            let mut path = Vec::new();
            if self.find_path(at, to, has_detours, &mut vec![at], &mut path) {
                path.iter().for_each(|&channel| self.take(number, channel, now));
            }
        }
    }

    fn find_path(
        &self,
        at: u32,
        to: u32,
        has_detours: bool,
        seen: &mut Vec<u32>,
        path: &mut Vec<ChannelId>,
    ) -> bool {
        if at == to {
            return true;
        }
        let mut channels = self.channels(at, to, true);
        if has_detours {
            channels.extend(self.channels(at, to, false));
        }
        for channel in channels {
            let head = self.network.channel(channel).head.0;
            if seen.contains(&head) || !self.is_free(channel) {
                continue;
            }
            seen.push(head);
            path.push(channel);
            if self.find_path(head, to, has_detours, seen, path) {
                return true;
            }
            path.pop();
        }
        false
    }
}
