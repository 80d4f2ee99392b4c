//! The definition of a collective, for formats that do not contain it: senders and receivers, as
//! ranks. It is embedded in the exported plan, so that `pavane check-plan` can compare every buffer
//! with it.

use crate::whole::Whole;
use pavane_model::{Kind, MessageId, ProcessorId};
use serde_json::{Value, json};

/// The groups of a schedule, as ranks in ascending order.
pub(crate) struct Groups {
    pub senders: Vec<u32>,
    pub receivers: Vec<u32>,
}

impl Groups {
    pub fn of(whole: &Whole<'_>) -> Self {
        let sorted = |group: &[ProcessorId]| {
            let mut ranks: Vec<u32> = group.iter().map(|&p| whole.rank(p)).collect();
            ranks.sort_unstable();
            ranks
        };
        let collective = whole.problem().collective();
        Self { senders: sorted(&collective.senders), receivers: sorted(&collective.receivers) }
    }

    /// All senders and receivers.
    pub fn all_ranks(&self) -> Vec<u32> {
        let mut all = [&self.senders[..], &self.receivers].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The name of the collective in GPU runtimes; `custom` if they have none.
pub(crate) fn runtime_name(whole: &Whole<'_>) -> &'static str {
    let groups = Groups::of(whole);
    let ranks = whole.rank_count();
    let (senders, receivers) = (groups.senders.len(), groups.receivers.len());
    let is_all_ranks = groups.all_ranks().len() == ranks;
    let is_full = senders == ranks && receivers == ranks;
    match whole.problem().collective().whole_kind() {
        // Whichever ranks sum: what counts is that all contribute and all receive.
        _ if whole.is_all_reduce() => {
            let is_between_all = |message| {
                let (from, to) = ends(whole, message);
                from.len() == ranks && to.len() == ranks
            };
            if whole.problem().messages().ids().all(is_between_all) {
                "allreduce"
            } else {
                "custom"
            }
        }
        Kind::Broadcast if is_full => "allgather",
        Kind::Broadcast if senders == 1 && is_all_ranks => "broadcast",
        Kind::Scatter | Kind::Gather if is_full => "alltoall",
        Kind::Reduce if is_full => "reduce_scatter",
        Kind::Reduce if receivers == 1 && is_all_ranks => "reduce",
        _ => "custom",
    }
}

/// The contributors and the receivers of a chunk, as ascending ranks. A chunk with several
/// contributors is their sum.
pub(crate) fn ends(whole: &Whole<'_>, message: MessageId) -> (Vec<u32>, Vec<u32>) {
    let problem = whole.problem();
    let origin = problem.messages().origin(message);
    let destinations = problem.messages().destinations(message);
    // Read backwards, the origin is the root.
    let (from, mut to): (Vec<ProcessorId>, Vec<ProcessorId>) =
        match problem.collective().whole_kind() {
            Kind::Reduce => ([&[origin], destinations].concat(), vec![origin]),
            _ if problem.is_backward() => (destinations.to_vec(), vec![origin]),
            _ => (vec![origin], destinations.to_vec()),
        };
    if whole.is_all_reduce() {
        // The sum goes from its root to the receivers of the second phase.
        let messages = whole.phases[1].problem().messages();
        let spread = messages.ids().filter(|&other| whole.chunk(1, other) == message.0);
        spread.for_each(|other| to.extend(messages.destinations(other)));
    }
    let ranks = |group: Vec<ProcessorId>| {
        let mut ranks: Vec<u32> = group.into_iter().map(|p| whole.rank(p)).collect();
        ranks.sort_unstable();
        ranks
    };
    (ranks(from), ranks(to))
}

/// The definition as JSON.
pub(crate) fn as_json(whole: &Whole<'_>) -> Value {
    let collective = whole.problem().collective();
    let kind =
        if whole.is_all_reduce() { json!("all-reduce") } else { json!(collective.whole_kind()) };
    let Groups { senders, receivers } = Groups::of(whole);
    let mut value = json!({"kind": kind, "senders": senders, "receivers": receivers});
    if collective.whole_kind() == Kind::Messages {
        let messages = collective.whole().list.into_iter().map(|message| {
            let to: Vec<u32> = message.to.iter().map(|&p| whole.rank(p)).collect();
            json!({"from": whole.rank(message.from), "to": to})
        });
        value = json!({"kind": kind, "messages": messages.collect::<Vec<_>>()});
    }
    if whole.chunk_count() > 1 {
        value["chunks"] = json!(whole.chunk_count());
    }
    let is_numbered = (0..).zip(&whole.processors).all(|(rank, p)| p.0 == rank);
    if !is_numbered {
        value["processors"] = json!(whole.processors);
    }
    value
}
