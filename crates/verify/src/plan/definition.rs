//! What a collective asks for: what every chunk of every output must be in the end.

use super::machine::Run;
use super::{Buffer, Fault, Plan, PlanError, Span, Value};
use pavane_model::strict_json;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most wrong chunks that are listed.
const MOST_WRONG: usize = 100;

/// Ranks times chunks beyond which outputs are not compared.
const MOST_WORK: usize = 1 << 28;

/// A message of a list, by ranks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ListedChunk {
    /// Who has it.
    pub from: u32,
    /// Who wants it.
    pub to: Vec<u32>,
}

/// What a plan must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Definition {
    /// Everybody's input at everybody, in the order of ranks.
    AllGather,
    /// From everybody the part of its input that is for this rank.
    AllToAll,
    /// The sum of all inputs at everybody.
    AllReduce,
    /// The sum of all inputs, a part of it at each rank.
    ReduceScatter,
    /// The input of one at everybody.
    Broadcast {
        /// Whose.
        root: u32,
    },
    /// The sum of all inputs at one.
    Reduce {
        /// Where.
        root: u32,
    },
    /// One chunk of every sender at every receiver, in the order of senders.
    Spread {
        /// Who has a chunk.
        senders: Vec<u32>,
        /// Who wants them.
        receivers: Vec<u32>,
    },
    /// A chunk for every receiver at every sender, and from every sender at every receiver.
    Exchange {
        /// Who has chunks.
        senders: Vec<u32>,
        /// Who wants them.
        receivers: Vec<u32>,
    },
    /// A contribution to every root at every contributor, one sum at every root.
    Sums {
        /// Who contributes, besides the roots to their own sums.
        contributors: Vec<u32>,
        /// Where the sums belong.
        roots: Vec<u32>,
        /// Who gets all of the sums; if nobody, each root gets its own.
        receivers: Vec<u32>,
    },
    /// Chunks one by one, each at its place among those of its origin and of its destinations.
    Listed(Vec<ListedChunk>),
}

/// The definition as our own files carry it.
#[derive(Deserialize)]
struct Carried {
    kind: String,
    #[serde(default)]
    senders: Vec<u32>,
    #[serde(default)]
    receivers: Vec<u32>,
    #[serde(default)]
    messages: Vec<ListedChunk>,
}

impl Definition {
    /// The definition of a collective by the name that a runtime has for it. `None`: it says nothing.
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

    /// The definition that a file of ours carries, beside the name of its collective.
    pub(super) fn carried(collective: &str, json: &str) -> Result<Option<Self>, PlanError> {
        let wrong = |problem: String| PlanError::new("its definition (pavane)", problem);
        let carried: Carried =
            strict_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
        let Carried { kind, mut senders, mut receivers, messages } = carried;
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
            "broadcast" => Self::Spread { senders, receivers },
            "scatter" | "gather" => Self::Exchange { senders, receivers },
            "reduce" => {
                Self::Sums { contributors: senders, roots: receivers, receivers: Vec::new() }
            }
            "all-reduce" => {
                let mut all = [&senders[..], &receivers].concat();
                all.sort_unstable();
                all.dedup();
                Self::Sums { contributors: all.clone(), roots: receivers, receivers: all }
            }
            "messages" => Self::Listed(messages),
            other => return Err(wrong(format!("no collective is of kind {other:?}"))),
        }))
    }

    /// Tells what the outputs must hold: rank, chunk and value.
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
            Self::Spread { senders, receivers } => receivers.iter().for_each(|&at| {
                (0..).zip(senders).for_each(|(k, &from)| want(at, k, Value::input(from, 0)));
            }),
            Self::Exchange { senders, receivers } => {
                (0..).zip(receivers).for_each(|(part, &at)| {
                    (0..).zip(senders).for_each(|(k, &from)| want(at, k, Value::input(from, part)));
                })
            }
            Self::Sums { contributors, roots, receivers } => {
                for (part, &root) in (0..).zip(roots) {
                    let mut group = [&contributors[..], &[root]].concat();
                    group.sort_unstable();
                    group.dedup();
                    let sum = Value::sum_of(group.into_iter().map(|rank| (rank, part)));
                    match receivers.is_empty() {
                        true => want(root, 0, sum),
                        false => receivers.iter().for_each(|&at| want(at, part, sum.clone())),
                    }
                }
            }
            Self::Listed(messages) => each_listed(messages, want),
        }
    }

    /// The chunks of outputs that are not what they must be.
    pub(super) fn compare(&self, plan: &Plan, run: &Run) -> Vec<Fault> {
        let chunks: usize = run.chunks.iter().map(Vec::len).sum();
        if plan.rank_count().saturating_mul(chunks) > MOST_WORK {
            return vec![Fault::TooLarge { what: "what the outputs hold" }];
        }
        let mut faults = Vec::new();
        self.each_wanted(plan, &mut |rank, offset, wanted| {
            let found = plan.chunk(rank, Buffer::Output, offset);
            let found = found.and_then(|at| run.chunks[rank as usize][at].as_ref());
            if found == Some(&wanted) || faults.len() == MOST_WRONG {
                return;
            }
            let chunk = Span { rank, buffer: Buffer::Output, offset, count: 1 }.to_string();
            let found = found.map_or("empty".to_owned(), ToString::to_string);
            faults.push(Fault::Wrong { chunk, wanted: wanted.to_string(), found });
        });
        faults
    }
}

/// Listed messages, each at the next place among those of its origin and of its destinations.
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
