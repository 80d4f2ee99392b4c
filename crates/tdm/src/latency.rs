//! Demanded latencies that no schedule meets.

use pavane_model::TdmProblem;
use pavane_model::tdm::TdmMessage;
use pavane_model::words::counted;
use std::fmt;

/// A message whose demanded latency is shorter than that of every schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnmetLatency {
    /// The message.
    pub message: TdmMessage,
    /// The demanded latency.
    pub most: u32,
    /// Slots of the shortest way.
    pub way: u64,
    /// The period is at least this many slots.
    pub period: u32,
    /// So many slots pass between two starts of the message at least once.
    pub wait: u64,
}

impl UnmetLatency {
    /// The first message of a problem that cannot be in time if no period is shorter than `period`.
    pub(crate) fn find(problem: &TdmProblem, period: u32) -> Option<Self> {
        let network = problem.network();
        let of_sender = |group: &[TdmMessage]| {
            let distances = network.distances_from(network.home(group[0].from)?);
            group.iter().find_map(|&message| {
                let most = message.max_latency?;
                let hops = distances[network.home(message.to)?.index()];
                let way = problem.rules().travel(hops as usize);
                let wait = u64::from(period.div_ceil(message.weight));
                let unmet = Self { message, most, way, period, wait };
                (way + wait > u64::from(most)).then_some(unmet)
            })
        };
        problem.messages().chunk_by(|one, other| one.from == other.from).find_map(of_sender)
    }
}

impl fmt::Display for UnmetLatency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, most, way, period, wait } = *self;
        let (from, to, slots) = (message.from.0, message.to.0, |count| counted(count, "slot"));
        write!(
            f,
            "no schedule has a latency of at most {} from {from} to {to}: the way takes {}, and with {} in a \
             period of at least {} a word may wait for {}; demand {} or more",
            slots(u64::from(most)),
            slots(way),
            counted(u64::from(message.weight), "word"),
            slots(u64::from(period)),
            slots(wait),
            slots(way + wait),
        )
    }
}
