//! The sends of all pieces as jobs with precedences: a router sends a piece on after it has arrived.

use crate::case::TimedCase;
use crate::pieces::Piece;
use pavane_model::{ChannelId, RouterId};

/// The resource of a job that takes no time: it only joins others.
pub(crate) const NO_RESOURCE: u32 = u32::MAX;

/// One send, or a join.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    /// The channel or half-duplex link that it occupies.
    pub resource: u32,
    /// How long it occupies that.
    pub occupied: u64,
    /// How long after its start the piece has arrived.
    pub duration: u64,
    /// The phase.
    pub phase: u32,
    /// The piece, by its index in the phase.
    pub piece: u32,
    /// The channel.
    pub channel: ChannelId,
}

/// Jobs with precedences.
pub(crate) struct Jobs {
    pub jobs: Vec<Job>,
    /// The number of predecessors of every job.
    pub waits_for: Vec<u32>,
    /// Where the successors of every job start in `next`; one entry more than jobs.
    first_next: Vec<u32>,
    next: Vec<u32>,
}

impl Jobs {
    /// The jobs of the pieces of all phases.
    pub fn new(case: &TimedCase, pieces: &[Vec<Piece>]) -> Self {
        let mut builder = Builder { case, jobs: Vec::new(), edges: Vec::new() };
        let mut roots: Vec<Vec<Vec<u32>>> = Vec::new();
        for (phase, pieces) in pieces.iter().enumerate() {
            roots.push((0..pieces.len()).map(|at| builder.add(phase, at, &pieces[at])).collect());
        }
        if let [reduce, broadcast] = &roots[..] {
            builder.join(&pieces[0], reduce, &pieces[1], broadcast);
        }
        builder.build()
    }

    /// The successors of a job.
    pub fn next(&self, job: u32) -> &[u32] {
        let (from, to) = (self.first_next[job as usize], self.first_next[job as usize + 1]);
        &self.next[from as usize..to as usize]
    }

    /// For every job, the time from its start to the end of all that depends on it, if nothing waits
    /// for a channel.
    pub fn tails(&self) -> Vec<u64> {
        let mut order: Vec<u32> = Vec::with_capacity(self.jobs.len());
        let mut waits_for = self.waits_for.clone();
        order.extend((0..self.jobs.len() as u32).filter(|&job| waits_for[job as usize] == 0));
        let mut at = 0;
        while at < order.len() {
            for &next in self.next(order[at]) {
                waits_for[next as usize] -= 1;
                if waits_for[next as usize] == 0 {
                    order.push(next);
                }
            }
            at += 1;
        }
        let mut tails = vec![0; self.jobs.len()];
        for &job in order.iter().rev() {
            let after = self.next(job).iter().map(|&next| tails[next as usize]).max();
            tails[job as usize] = self.jobs[job as usize].duration + after.unwrap_or(0);
        }
        tails
    }
}

struct Builder<'a> {
    case: &'a TimedCase,
    jobs: Vec<Job>,
    edges: Vec<(u32, u32)>,
}

impl Builder<'_> {
    /// Adds the jobs of a piece. Returns those at its origin: the first ones, or in a backward phase
    /// the last ones.
    fn add(&mut self, phase: usize, at: usize, piece: &Piece) -> Vec<u32> {
        let case = &self.case.phases[phase];
        let origin = case.origin(piece.message.index());
        let mut roots = Vec::new();
        // The arrivals so far: router, job, and whether a switch has sent it on.
        let mut arrivals: Vec<(RouterId, u32, bool)> = Vec::new();
        for &channel in &piece.channels {
            let (from, to) = case.ends(channel);
            let job = self.jobs.len() as u32;
            let occupied = self.case.times.occupied(channel, piece.bytes);
            self.jobs.push(Job {
                resource: self.case.resource[channel.index()],
                occupied,
                duration: occupied + self.case.times.latency(channel),
                phase: phase as u32,
                piece: at as u32,
                channel,
            });
            if from == origin {
                roots.push(job);
            } else {
                let is_copying = case.copying[from.index()];
                let fits = |arrival: &&mut (RouterId, u32, bool)| {
                    arrival.0 == from && (is_copying || !arrival.2)
                };
                if let Some(arrival) = arrivals.iter_mut().find(fits) {
                    arrival.2 = true;
                    let (before, after) =
                        if case.is_backward { (job, arrival.1) } else { (arrival.1, job) };
                    self.edges.push((before, after));
                }
            }
            arrivals.push((to, job, false));
        }
        roots
    }

    /// Lets the broadcast of every piece start when all sums that overlap it are complete.
    fn join(
        &mut self,
        reduced: &[Piece],
        last: &[Vec<u32>],
        broadcast: &[Piece],
        first: &[Vec<u32>],
    ) {
        let mut by_place: Vec<usize> = (0..reduced.len()).collect();
        let root = |case: &crate::case::PhaseCase, piece: &Piece| {
            case.problem.messages().origin(piece.message)
        };
        let (sums, copies) = (&self.case.phases[0], &self.case.phases[1]);
        let place = |&at: &usize| (root(sums, &reduced[at]), reduced[at].offset);
        by_place.sort_by_key(place);
        for (piece, starts) in broadcast.iter().zip(first) {
            let owner = root(copies, piece);
            let from = by_place.partition_point(|at| {
                let sum = &reduced[*at];
                (root(sums, sum), sum.offset + sum.bytes) <= (owner, piece.offset)
            });
            let overlapping = by_place[from..].iter().take_while(|at| {
                let sum = &reduced[**at];
                root(sums, sum) == owner && sum.offset < piece.offset + piece.bytes
            });
            let ends: Vec<u32> = overlapping.flat_map(|&at| last[at].iter().copied()).collect();
            if ends.is_empty() || starts.is_empty() {
                continue;
            }
            let join = self.jobs.len() as u32;
            self.jobs.push(Job {
                resource: NO_RESOURCE,
                occupied: 0,
                duration: 0,
                phase: 1,
                piece: u32::MAX,
                channel: ChannelId(u32::MAX),
            });
            self.edges.extend(ends.into_iter().map(|end| (end, join)));
            self.edges.extend(starts.iter().map(|&start| (join, start)));
        }
    }

    fn build(mut self) -> Jobs {
        let count = self.jobs.len();
        let mut waits_for = vec![0; count];
        let mut first_next = vec![0u32; count + 1];
        for &(before, after) in &self.edges {
            waits_for[after as usize] += 1;
            first_next[before as usize + 1] += 1;
        }
        for at in 0..count {
            first_next[at + 1] += first_next[at];
        }
        self.edges.sort_unstable();
        let next = self.edges.iter().map(|&(_, after)| after).collect();
        Jobs { jobs: self.jobs, waits_for, first_next, next }
    }
}
