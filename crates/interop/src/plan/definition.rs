//! Definition of a collective: what every chunk of every output must hold at the end.

use super::machine::PlanRun;
use super::{Buffer, Plan, PlanError, PlanFault, Span, Value};
use pavane_model::strict_json;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Maximum number of wrong chunks listed.
const MOST_WRONG: usize = 100;

/// Maximum of ranks times chunks up to which outputs are compared.
const MOST_WORK: usize = 1 << 28;

/// A message of an explicit list, by ranks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ListedChunk {
    /// Rank that has it.
    pub from: u32,
    /// Ranks that want it.
    pub to: Vec<u32>,
}

/// What a plan must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Definition {
    /// Every rank gets the inputs of all ranks, in the order of ranks.
    AllGather,
    /// Every rank gets, from every rank, the part of its input meant for this rank.
    AllToAll,
    /// Every rank gets the sum of all inputs.
    AllReduce,
    /// The sum of all inputs, distributed over the ranks.
    ReduceScatter,
    /// Every rank gets the input of the root.
    Broadcast {
        /// The root.
        root: u32,
    },
    /// The root gets the sum of all inputs.
    Reduce {
        /// The root.
        root: u32,
    },
    /// Every receiver gets the message of every sender, in the order of senders.
    Spread {
        /// Ranks that have a message.
        senders: Vec<u32>,
        /// Ranks that want the messages.
        receivers: Vec<u32>,
        /// Chunks of each message.
        chunks: u32,
    },
    /// Every sender has one message for every receiver.
    Exchange {
        /// Ranks that have messages.
        senders: Vec<u32>,
        /// Ranks that want them.
        receivers: Vec<u32>,
        /// Chunks of each message.
        chunks: u32,
    },
    /// Every contributor has one contribution for every root. There is one sum per root.
    Sums {
        /// Chunks of each sum.
        chunks: u32,
        /// Ranks that contribute, besides each root to its own sum.
        contributors: Vec<u32>,
        /// Ranks to which the sums belong.
        roots: Vec<u32>,
        /// Ranks that get all sums. If empty, each root gets its own.
        receivers: Vec<u32>,
    },
    /// Individual chunks. Each takes the next place in the input of its origin and in the outputs
    /// of its destinations.
    Listed(Vec<ListedChunk>),
}

/// The definition as stored in Pavane's own exports.
#[derive(Deserialize)]
struct StoredDefinition {
    kind: String,
    #[serde(default)]
    senders: Vec<u32>,
    #[serde(default)]
    receivers: Vec<u32>,
    #[serde(default)]
    messages: Vec<ListedChunk>,
    /// Chunks of each message.
    #[serde(default = "one")]
    chunks: u32,
}

fn one() -> u32 {
    1
}

/// Maximum number of chunks of a message.
const MOST_CHUNKS: u32 = 4096;

impl Definition {
    /// The definition of a collective by its name in a runtime; `None` if the name is unknown.
    pub fn named(collective: &str, root: Option<u32>) -> Option<Self> {
        let plain: String = collective.chars().filter(char::is_ascii_alphabetic).collect();
        let root = root.unwrap_or(0);
        match plain.to_ascii_lowercase().as_str() {
            "allgather" => Some(Self::AllGather),
            "alltoall" => Some(Self::AllToAll),
            "allreduce" => Some(Self::AllReduce),
            "reducescatter" => Some(Self::ReduceScatter),
            "broadcast" => Some(Self::Broadcast { root }),
            "reduce" => Some(Self::Reduce { root }),
            _ => None,
        }
    }

    /// The definition stored in one of Pavane's own exports, next to the name of the collective.
    pub(crate) fn carried(collective: &str, json: &str) -> Result<Option<Self>, PlanError> {
        let wrong = |problem: String| PlanError::new("its definition (pavane)", problem);
        let carried: StoredDefinition =
            strict_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
        let StoredDefinition { kind, mut senders, mut receivers, messages, chunks } = carried;
        if !(1..=MOST_CHUNKS).contains(&chunks) {
            return Err(wrong(format!("{chunks} chunks (valid: 1 to {MOST_CHUNKS})")));
        }
        senders.sort_unstable();
        receivers.sort_unstable();
        let root = match kind.as_str() {
            "broadcast" => senders.first(),
            _ => receivers.first(),
        };
        if let Some(named) = Self::named(collective, root.copied()) {
            return Ok(Some(named));
        }
        Ok(Some(match kind.as_str() {
            "broadcast" => Self::Spread { senders, receivers, chunks },
            "scatter" | "gather" => Self::Exchange { senders, receivers, chunks },
            "reduce" => {
                let (contributors, roots) = (senders, receivers);
                Self::Sums { chunks, contributors, roots, receivers: Vec::new() }
            }
            "all-reduce" => {
                let mut all = [&senders[..], &receivers].concat();
                all.sort_unstable();
                all.dedup();
                Self::Sums { chunks, contributors: all.clone(), roots: receivers, receivers: all }
            }
            "messages" => {
                let cut = |message| std::iter::repeat_n(message, chunks as usize);
                Self::Listed(messages.into_iter().flat_map(cut).collect())
            }
            other => return Err(wrong(format!("unknown kind of collective {other:?}"))),
        }))
    }

    /// Calls `want` with rank, chunk and value for everything that the outputs must hold.
    fn each_wanted(&self, plan: &Plan, want: &mut dyn FnMut(u32, u32, Value)) {
        let ranks = plan.rank_count() as u32;
        let input = |rank: u32| plan.ranks.get(rank as usize).map_or(0, |sizes| sizes.input);
        let output = |rank: u32| plan.ranks.get(rank as usize).map_or(0, |sizes| sizes.output);
        let sum = |chunk| Value::sum_of((0..ranks).map(|rank| (rank, chunk)));
        let pairs = || (0..ranks).flat_map(|at| (0..ranks).map(move |from| (at, from)));
        match self {
            Self::AllGather => pairs().for_each(|(at, from)| {
                let size = input(from);
                (0..size).for_each(|k| want(at, from * size + k, Value::input(from, k)));
            }),
            Self::AllToAll => pairs().for_each(|(at, from)| {
                let part = input(from) / ranks;
                (0..part)
                    .for_each(|k| want(at, from * part + k, Value::input(from, at * part + k)));
            }),
            Self::AllReduce => {
                let chunks = (0..ranks).map(output).max().unwrap_or(0);
                for chunk in 0..chunks {
                    let sum = sum(chunk);
                    (0..ranks).for_each(|at| want(at, chunk, sum.clone()));
                }
            }
            Self::ReduceScatter => (0..ranks).for_each(|at| {
                (0..output(at)).for_each(|k| want(at, k, sum(at * output(at) + k)));
            }),
            &Self::Broadcast { root } => (0..ranks).for_each(|at| {
                (0..input(root)).for_each(|k| want(at, k, Value::input(root, k)));
            }),
            &Self::Reduce { root } => (0..output(root)).for_each(|k| want(root, k, sum(k))),
            Self::Spread { senders, receivers, chunks } => receivers.iter().for_each(|&at| {
                for (k, &from) in (0..).zip(senders) {
                    (0..*chunks).for_each(|c| want(at, k * chunks + c, Value::input(from, c)));
                }
            }),
            Self::Exchange { senders, receivers, chunks } => {
                for (part, &at) in (0..).zip(receivers) {
                    for (k, &from) in (0..).zip(senders) {
                        let value = |c| Value::input(from, part * chunks + c);
                        (0..*chunks).for_each(|c| want(at, k * chunks + c, value(c)));
                    }
                }
            }
            Self::Sums { chunks, contributors, roots, receivers } => {
                for (part, &root) in (0..).zip(roots) {
                    let mut group = [&contributors[..], &[root]].concat();
                    group.sort_unstable();
                    group.dedup();
                    for c in 0..*chunks {
                        let at_input = part * chunks + c;
                        let ranks = group.iter().map(|&rank| (rank, at_input));
                        let sum = Value::sum_of(ranks);
                        if receivers.is_empty() {
                            want(root, c, sum)
                        } else {
                            receivers.iter().for_each(|&at| want(at, at_input, sum.clone()))
                        }
                    }
                }
            }
            Self::Listed(messages) => each_listed(messages, want),
        }
    }

    /// The chunks of outputs that differ from the definition.
    pub(super) fn compare(&self, plan: &Plan, run: &PlanRun) -> Vec<PlanFault> {
        let chunks: usize = run.chunks.iter().map(Vec::len).sum();
        if plan.rank_count().saturating_mul(chunks) > MOST_WORK {
            return vec![PlanFault::TooLarge { what: "the content of the outputs" }];
        }
        let mut faults = Vec::new();
        let mut is_empty = true;
        self.each_wanted(plan, &mut |rank, offset, wanted| {
            is_empty = false;
            let found = plan.chunk(rank, Buffer::Output, offset);
            let found = found.and_then(|at| run.chunks[rank as usize][at].as_ref());
            if found == Some(&wanted) || faults.len() == MOST_WRONG {
                return;
            }
            let chunk = Span { rank, buffer: Buffer::Output, offset, count: 1 }.to_string();
            let found = found.map_or("empty".to_owned(), ToString::to_string);
            faults.push(PlanFault::Wrong { chunk, wanted: wanted.to_string(), found });
        });
        if is_empty && plan.rank_count() > 1 {
            faults.push(PlanFault::Misfit {
                operation: plan.collective.clone(),
                problem: "the sizes of the buffers leave nothing to deliver".to_owned(),
            });
        }
        faults
    }
}

/// Listed messages: each takes the next place in the input of its origin and in the outputs of its
/// destinations.
fn each_listed(messages: &[ListedChunk], want: &mut dyn FnMut(u32, u32, Value)) {
    let mut inputs: BTreeMap<u32, u32> = BTreeMap::new();
    let mut outputs: BTreeMap<u32, u32> = BTreeMap::new();
    for message in messages {
        let next = inputs.entry(message.from).or_default();
        let value = Value::input(message.from, *next);
        *next += 1;
        for &at in &message.to {
            let next = outputs.entry(at).or_default();
            want(at, *next, value.clone());
            *next += 1;
        }
    }
}
