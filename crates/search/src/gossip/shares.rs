//! Under half duplex a link serves one direction per step. Its remaining steps are divided into
//! two shares, one per direction, so that every processor can still receive all that it misses.
//! Such shares are a flow: a processor that needs a step takes it from the other end of a link,
//! which takes one from another of its links, and so on, up to a processor with a step to spare.
//! If there are no such shares, there is no schedule with these steps.

use crate::rng::Rng;
use pavane_model::{ChannelId, Problem};

/// A link between two processors, or a channel without an opposite.
#[derive(Debug)]
pub(super) struct MeshLink {
    pub ends: [usize; 2],
    /// For each end, the channel into it.
    pub into: [Option<ChannelId>; 2],
}

/// The shares of all links.
#[derive(Debug)]
pub(super) struct Shares {
    pub links: Vec<MeshLink>,
    /// By processor: its links, each with the end at which it is.
    links_at: Vec<Vec<(usize, usize)>>,
    /// By link and end: the messages that the end is planned to receive in all steps, and in the
    /// remaining ones.
    planned: Vec<[u32; 2]>,
    rest: Vec<[u32; 2]>,
    /// By channel: its link and the end to which it leads.
    place: Vec<(usize, usize)>,
    /// By link and end: the remaining steps in which that end receives.
    of: Vec<[u32; 2]>,
    /// By processor: the steps of its links in its favour, minus the messages that it misses.
    spare: Vec<i64>,
    /// By processor that a search has reached: the link and end it came along.
    reached: Vec<Option<(usize, usize)>>,
}

impl Shares {
    /// For a problem with one processor on every router, and the messages that each channel should
    /// carry.
    pub fn new(problem: &Problem, loads: &[u32]) -> Self {
        let network = problem.network();
        let processors = network.processor_count();
        let mut links = Vec::new();
        let mut place = vec![(0, 0); network.channel_count()];
        let mut planned = Vec::new();
        let mut links_at = vec![Vec::new(); processors];
        for channel in (0..network.channel_count() as u32).map(ChannelId) {
            let opposite = network.opposite(channel);
            if opposite.is_some_and(|opposite| opposite < channel) {
                continue;
            }
            let ends = network.channel(channel);
            let at = |router| network.residents(router)[0].index();
            let ends = [at(ends.tail), at(ends.head)];
            for (end, &processor) in ends.iter().enumerate() {
                links_at[processor].push((links.len(), end));
            }
            let into = [opposite, Some(channel)];
            for (end, channel) in into.into_iter().enumerate() {
                channel.into_iter().for_each(|channel| place[channel.index()] = (links.len(), end));
            }
            planned.push(into.map(|channel| channel.map_or(0, |channel| loads[channel.index()])));
            links.push(MeshLink { ends, into });
        }
        Self {
            rest: planned.clone(),
            planned,
            place,
            of: vec![[0; 2]; links.len()],
            spare: vec![0; processors],
            reached: vec![None; processors],
            links,
            links_at,
        }
    }

    /// Number of links of a processor.
    pub fn degree(&self, processor: usize) -> usize {
        self.links_at[processor].len()
    }

    /// Takes what the channels have sent so far from the plan.
    pub fn plan_rest(&mut self, sent: impl Iterator<Item = ChannelId>) {
        self.rest.clone_from(&self.planned);
        for channel in sent {
            let (link, end) = self.place[channel.index()];
            self.rest[link][end] = self.rest[link][end].saturating_sub(1);
        }
    }

    /// Divides `steps` steps of every link, as near to the plan as possible; false if some
    /// processors cannot receive all that they miss.
    pub fn divide(&mut self, steps: u32, missing: impl Fn(usize) -> u32, rng: &mut Rng) -> bool {
        for (processor, spare) in self.spare.iter_mut().enumerate() {
            *spare = -i64::from(missing(processor));
        }
        for ((link, rest), shares) in self.links.iter().zip(&self.rest).zip(&mut self.of) {
            let share = match link.into[0] {
                Some(_) => rest[0].max(steps.saturating_sub(rest[1])).min(steps),
                None => 0,
            };
            *shares = [share, steps - share];
            for (end, &share) in link.ends.iter().zip(&*shares) {
                self.spare[*end] += i64::from(share);
            }
        }
        for processor in 0..self.spare.len() {
            while self.spare[processor] < 0 && self.borrow(processor, None, 0, rng) {}
        }
        self.spare.iter().all(|&spare| spare >= 0)
    }

    /// Changes shares without a step so that links may serve either direction, where possible.
    pub fn balance(&mut self, rng: &mut Rng) {
        let mut order: Vec<usize> = (0..self.links.len()).collect();
        rng.shuffle(&mut order);
        for link in order {
            for end in [0, 1] {
                let can_give = self.of[link][1 - end] > 1 && self.links[link].into[end].is_some();
                if self.of[link][end] > 0 || !can_give {
                    continue;
                }
                self.shift(link, end);
                let giver = self.links[link].ends[1 - end];
                if self.spare[giver] < 0 && !self.borrow(giver, Some(link), 1, rng) {
                    self.shift(link, 1 - end);
                }
            }
        }
    }

    /// Whether a link may serve an end in the next step; after all divided steps it may.
    pub fn allows(&self, link: usize, end: usize) -> bool {
        self.of[link][end] > 0 || self.of[link] == [0, 0]
    }

    /// Records a step of a link: the end that received a message, if one did.
    pub fn spend(&mut self, link: usize, received: Option<usize>) {
        let ends = self.links[link].ends;
        let has = |end: usize| self.of[link][end] > 0;
        let first = usize::from(self.spare[ends[1]] > self.spare[ends[0]]);
        let Some(end) = received
            .filter(|&end| has(end))
            .or([first, 1 - first].into_iter().find(|&end| has(end)))
        else {
            return;
        };
        self.of[link][end] -= 1;
        if received != Some(end) {
            self.spare[ends[end]] -= 1;
            received.into_iter().for_each(|end| self.spare[ends[end]] += 1);
        }
    }

    /// Moves one step of a link to an end.
    fn shift(&mut self, link: usize, end: usize) {
        self.of[link][end] += 1;
        self.of[link][1 - end] -= 1;
        self.spare[self.links[link].ends[end]] += 1;
        self.spare[self.links[link].ends[1 - end]] -= 1;
    }

    /// Gives a processor one step more, along the fewest links to one with a step to spare. Leaves
    /// one link out, and `least` steps with every share that shrinks.
    fn borrow(
        &mut self,
        processor: usize,
        without: Option<usize>,
        least: u32,
        rng: &mut Rng,
    ) -> bool {
        self.reached.fill(None);
        let mut queue = vec![processor];
        let mut at = 0;
        while at < queue.len() {
            let taker = queue[at];
            at += 1;
            let links = &self.links_at[taker];
            let offset = rng.below(links.len().max(1));
            for &(link, end) in links[offset..].iter().chain(&links[..offset]) {
                let giver = self.links[link].ends[1 - end];
                let is_open = Some(link) != without
                    && self.of[link][1 - end] > least
                    && self.links[link].into[end].is_some()
                    && giver != processor
                    && self.reached[giver].is_none();
                if !is_open {
                    continue;
                }
                self.reached[giver] = Some((link, end));
                if self.spare[giver] > 0 {
                    self.shift_along(giver, processor);
                    return true;
                }
                queue.push(giver);
            }
        }
        false
    }

    fn shift_along(&mut self, giver: usize, processor: usize) {
        let mut at = giver;
        while at != processor {
            let Some((link, end)) = self.reached[at] else { return };
            self.shift(link, end);
            at = self.links[link].ends[end];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::collective::{self, Groups};
    use pavane_model::{Duplex, Model, Switching};
    use pavane_networks::topology;

    fn shares_of(name: &str, load: u32) -> (Shares, u32) {
        let network = topology::build(name).unwrap();
        let phases = collective::build("all-gather", &network, &Groups::default()).unwrap();
        let (switching, duplex) = (Switching::StoreAndForward, Duplex::Half);
        let model = Model { switching, duplex, ..Model::default() };
        let loads = vec![load; network.channel_count()];
        let missing = network.processor_count() as u32 - 1;
        let problem = Problem::new(network, phases[0].clone(), model).unwrap();
        (Shares::new(&problem, &loads), missing)
    }

    fn received_by(shares: &Shares, processor: usize) -> u32 {
        shares.links_at[processor].iter().map(|&(link, end)| shares.of[link][end]).sum()
    }

    /// A corner of mesh:4x4 needs 15 of the 20 steps of its two links.
    #[test]
    fn every_processor_can_receive_what_it_misses_also_after_balancing() {
        for load in [0, 5, 100] {
            let (mut shares, missing) = shares_of("mesh:4x4", load);
            let rng = &mut Rng::seeded(1);
            assert!(shares.divide(10, |_| missing, rng));
            for _ in 0..10 {
                assert!(shares.of.iter().all(|share| share[0] + share[1] == 10));
                assert!((0..16).all(|processor| received_by(&shares, processor) >= missing));
                shares.balance(rng);
            }
        }
    }

    #[test]
    fn too_few_steps_are_recognised() {
        let (mut shares, missing) = shares_of("mesh:4x4", 5);
        assert!(!shares.divide(9, |_| missing, &mut Rng::seeded(1)));
    }

    #[test]
    fn a_step_uses_one_share_even_in_the_wrong_direction() {
        let (mut shares, missing) = shares_of("mesh:4x4", 5);
        shares.divide(10, |_| missing, &mut Rng::seeded(1));
        shares.of[0] = [0, 10];
        assert!(!shares.allows(0, 0));
        shares.spend(0, Some(0));
        shares.spend(0, Some(1));
        shares.spend(0, None);
        assert_eq!(shares.of[0], [0, 7]);
    }
}
