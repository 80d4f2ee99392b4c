//! A schedule as the exports need it: all phases in one sequence of steps, living processors as
//! consecutive ranks, and for every transfer the earlier ones that it depends on.

use crate::export::ExportOptions;
use pavane_model::{ChannelId, Kind, MessageId, Network, Problem, ProcessorId, claims};
use pavane_networks::name_check;
use pavane_verify::CheckedSchedule;
use std::collections::BTreeMap;

/// A schedule with all its phases.
pub(super) struct Whole<'a> {
    /// Its phases: one, or the two of an all-reduce.
    pub phases: &'a [CheckedSchedule],
    /// The options of the export.
    pub options: ExportOptions,
    /// The processor of every rank.
    pub processors: Vec<ProcessorId>,
    /// The rank of every living processor.
    ranks: Vec<u32>,
}

/// A transfer.
pub(super) struct Move<'a> {
    /// The phase that it belongs to.
    pub phase: usize,
    /// Its step, counted through all phases.
    pub step: u32,
    /// The message, as numbered in its phase.
    pub message: MessageId,
    /// What is carried: the message or, in an all-reduce, the sum, with the same number in both
    /// phases.
    pub chunk: u32,
    /// The sending rank.
    pub from: u32,
    /// The receiving rank.
    pub to: u32,
    /// Whether the receiver adds the data to its own.
    pub reduces: bool,
    /// The channels.
    pub path: &'a [ChannelId],
    /// The moves, by index in the list, that deliver what this one carries.
    pub after: Vec<u32>,
}

impl<'a> Whole<'a> {
    pub fn new(phases: &'a [CheckedSchedule], options: ExportOptions) -> Self {
        let network = phases[0].problem().network();
        let processors: Vec<ProcessorId> = network.living_processors().collect();
        let mut ranks = vec![u32::MAX; network.processor_count()];
        for (rank, processor) in (0..).zip(&processors) {
            ranks[processor.index()] = rank;
        }
        Self { phases, options, processors, ranks }
    }

    pub fn network(&self) -> &'a Network {
        self.phases[0].problem().network()
    }

    /// The problem of the first phase.
    pub fn problem(&self) -> &'a Problem {
        self.phases[0].problem()
    }

    /// Whether there are two phases: a reduce, and a broadcast of the sums.
    pub fn is_all_reduce(&self) -> bool {
        self.phases.len() == 2
    }

    /// The number of chunks of each message. The chunks of a message have consecutive numbers.
    pub fn chunk_count(&self) -> u32 {
        self.problem().collective().chunk_count()
    }

    /// The length of a chunk in bytes: an equal part of a message, rounded up to a multiple of 4.
    pub fn chunk_bytes(&self) -> u64 {
        self.options.bytes.div_ceil(u64::from(self.chunk_count())).next_multiple_of(4)
    }

    /// The name of the collective.
    pub fn collective(&self) -> &'a str {
        if self.is_all_reduce() { "all-reduce" } else { &self.problem().collective().name }
    }

    /// One line such as `all-gather on ring:8 in 4 steps`.
    pub fn title(&self) -> String {
        let steps = pavane_model::words::steps(self.step_count());
        let collective = if self.is_all_reduce() {
            self.collective().to_owned()
        } else {
            claims::collective_in_words(self.problem())
        };
        let network = name_check::network_in_words(self.network());
        let title = format!("{collective} on {network} in {steps}");
        pavane_model::words::printable(&title).into_owned()
    }

    /// The title for an XML comment, which may not contain two hyphens.
    pub fn comment(&self) -> String {
        self.title().replace("--", "- -")
    }

    pub fn rank_count(&self) -> usize {
        self.processors.len()
    }

    pub fn rank(&self, processor: ProcessorId) -> u32 {
        self.ranks[processor.index()]
    }

    pub fn step_count(&self) -> u32 {
        self.phases.iter().map(|phase| phase.schedule().step_count()).sum()
    }

    /// The chunk of a message: in the second phase of an all-reduce, that of the sum it
    /// distributes.
    pub fn chunk(&self, phase: usize, message: MessageId) -> u32 {
        if phase == 0 {
            return message.0;
        }
        let root = self.phases[phase].problem().messages().origin(message);
        let messages = self.problem().messages();
        let mut ids = messages.ids();
        let first = ids.find(|&m| messages.origin(m) == root).map_or(0, |m| m.0);
        first + message.0 % self.chunk_count()
    }

    /// All transfers in the order of their steps.
    pub fn moves(&self) -> Vec<Move<'a>> {
        let mut moves: Vec<Move<'a>> = Vec::new();
        // By chunk and rank: the moves that delivered it there.
        let mut brought: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        let mut start = 0;
        for (phase, checked) in self.phases.iter().enumerate() {
            let schedule = checked.schedule();
            let reduces = checked.problem().collective().whole_kind() == Kind::Reduce;
            let chunks: Vec<u32> =
                checked.problem().messages().ids().map(|m| self.chunk(phase, m)).collect();
            for step in 0..schedule.step_count() {
                let first = moves.len();
                for transfer in schedule.step(step) {
                    let chunk = chunks[transfer.message.index()];
                    let (from, to) = (self.rank(transfer.from), self.rank(transfer.to));
                    let before = brought.get(&(chunk, from)).map_or(&[][..], |list| list);
                    // A move depends on the deliveries of its own phase. Only if there are none, at
                    // the root of a sum, it depends on those of the phase before.
                    let is_now = |&&at: &&u32| moves[at as usize].phase == phase;
                    let mut after: Vec<u32> = before.iter().filter(is_now).copied().collect();
                    if after.is_empty() {
                        after = before.to_vec();
                    }
                    let step = start + step;
                    let message = transfer.message;
                    let path = transfer.path;
                    moves.push(Move {
                        phase,
                        step,
                        message,
                        chunk,
                        from,
                        to,
                        reduces,
                        path,
                        after,
                    });
                }
                for (at, one) in (first as u32..).zip(&moves[first..]) {
                    brought.entry((one.chunk, one.to)).or_default().push(at);
                }
            }
            start += schedule.step_count();
        }
        moves
    }
}
