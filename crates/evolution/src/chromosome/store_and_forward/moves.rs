//! The moves of a store-and-forward individual: a random path; other steps on the same path; or the
//! path to a neighbour that receives the message earlier, extended by one channel.

use super::StoreAndForward;
use super::genome::{Place, StepEncoding};
use crate::chromosome::individual::scaled;
use pavane_search::Rng;

impl StoreAndForward<'_> {
    /// Drafts a random path with random steps.
    pub(super) fn draft_random(&mut self, gene: usize, rng: &mut Rng) {
        let delivery = &self.genome.deliveries[gene];
        let path = scaled(rng.bits() as u32, delivery.path_count);
        self.genome.hops(gene, path, &mut self.hops);
        self.draft.clear();
        self.draft.extend(self.hops.iter().map(|&hop| Place { hop, step: 0 }));
        self.draft_steps(gene, 0, rng);
    }

    /// Drafts one of the moves.
    pub(super) fn draft_move(&mut self, gene: usize, rng: &mut Rng) {
        if self.join_share > 0.0 && rng.chance(self.join_share) && self.draft_join(gene, rng) {
            return;
        }
        if self.genome.timing == StepEncoding::Start || rng.chance(0.5) {
            self.draft_random(gene, rng);
            return;
        }
        self.draft.clear();
        let first = gene * self.genome.width;
        let length = self.lengths[gene] as usize;
        self.draft.extend(&self.places[first..first + length]);
        let from = rng.below(length);
        self.draft_steps(gene, from, rng);
    }

    /// Assigns random steps to the draft, starting at position `from`.
    fn draft_steps(&mut self, gene: usize, from: usize, rng: &mut Rng) {
        let slack = self.genome.steps - self.draft.len() as u32;
        if self.genome.timing == StepEncoding::Start {
            let start = scaled(rng.bits() as u32, slack + 1);
            for (position, place) in (0..).zip(&mut self.draft) {
                place.step = start + position;
            }
            return;
        }
        let is_at_once = self.genome.deliveries[gene].is_at_once;
        let mut delay = match from {
            0 => 0,
            _ => self.draft[from - 1].step - (from as u32 - 1),
        };
        for (position, place) in self.draft.iter_mut().enumerate().skip(from) {
            if position > 0 || !is_at_once {
                delay = delay.max(scaled(rng.bits() as u32, slack + 1));
            }
            place.step = position as u32 + delay;
        }
    }

    /// Drafts the path to the processor that takes the message at a random neighbouring router,
    /// followed by the channel from there in a later step. Returns whether there is such a path.
    fn draft_join(&mut self, gene: usize, rng: &mut Rng) -> bool {
        let genome = self.genome;
        let delivery = &genome.deliveries[gene];
        if !genome.is_for_several(delivery.message) || delivery.is_local {
            return false;
        }
        let network = genome.problem.network();
        let home = genome.problem.home(delivery.to);
        let entering = network.in_channels(home);
        let channel = entering[rng.below(entering.len())];
        let tail = network.channel(channel).tail;
        self.draft.clear();
        let origin = genome.problem.messages().origin(delivery.message);
        if genome.problem.home(origin) != tail {
            let Some(before) = genome.post_gene(delivery.message, tail) else { return false };
            let places =
                before * genome.width..before * genome.width + self.lengths[before] as usize;
            let leads_here = |place: &Place| {
                genome.channel(place.hop).is_some_and(|c| network.channel(c).head == home)
            };
            if places.len() >= genome.most_hops(gene) as usize
                || self.places[places.clone()].iter().any(leads_here)
            {
                return false;
            }
            self.draft.extend(&self.places[places]);
        }
        let ready = self.draft.last().map_or(0, |place| place.step + 1);
        if ready >= genome.steps {
            return false;
        }
        let step = if self.draft.is_empty() && delivery.is_at_once {
            0
        } else {
            ready + scaled(rng.bits() as u32, genome.steps - ready)
        };
        self.draft.push(Place { hop: channel.0, step });
        true
    }

    /// Where a gene's destination lies on a path of the same message with fewer hops, replaces the
    /// gene's path by the beginning of that path, with its steps.
    pub(super) fn shorten_all(&mut self) {
        let genome = self.genome;
        let mut first = 0;
        while first < genome.deliveries.len() {
            let message = genome.deliveries[first].message;
            let same = genome.deliveries[first..].iter().take_while(|d| d.message == message);
            let genes = first..first + same.count();
            first = genes.end;
            // By router: the fewest hops to it on any path, and the gene of that path.
            let mut best = vec![(u32::MAX, 0); genome.problem.network().router_count()];
            for gene in genes.clone() {
                for (hops, place) in (1..).zip(self.places(gene)) {
                    if let Some(channel) = genome.channel(place.hop) {
                        let router = genome.problem.network().channel(channel).head;
                        best[router.index()] = best[router.index()].min((hops, gene));
                    }
                }
            }
            for gene in genes {
                let delivery = &genome.deliveries[gene];
                let home = genome.problem.home(delivery.to);
                let (hops, other) = best[home.index()];
                if delivery.is_local || hops >= self.lengths[gene] {
                    continue;
                }
                // The other path may itself have been shortened and no longer lead here.
                let last = self.places(other).get(hops as usize - 1);
                let channel = last.and_then(|place| genome.channel(place.hop));
                if channel.is_some_and(|c| genome.problem.network().channel(c).head == home) {
                    self.draft.clear();
                    let from = other * genome.width;
                    self.draft.extend(&self.places[from..from + hops as usize]);
                    self.exchange(gene);
                }
            }
        }
    }
}
