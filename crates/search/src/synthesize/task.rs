//! One task of a search: an engine, its goal, its quota of evaluations, and its random stream.

use crate::attempt::{Attempt, Context, Engine, Proof};
use crate::budget::Budget;
use crate::rng::Rng;
use pavane_model::{ChannelId, MessageId, ProcessorId, Schedule, Transfer};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A task. The same task gives the same answer on every worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    /// Index of the engine in the roster.
    pub engine: usize,
    pub goal: Goal,
    /// Maximum number of evaluations.
    pub quota: u64,
    /// Number of its random stream.
    pub stream: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Goal {
    /// A schedule of any number of steps.
    Construct,
    /// A schedule of at most this many steps.
    Steps(u32),
}

/// Work for a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Assignment {
    /// A task, with the best schedule at submission for engines that shorten it.
    Task {
        task: Task,
        #[serde(with = "wire::shared")]
        best: Option<Arc<Schedule>>,
    },
    /// A part of an attempt that runs on rank 0.
    Part { engine: usize, request: Vec<u8> },
}

/// The result of a task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Answer {
    /// Index of the engine in the roster.
    pub engine: usize,
    #[serde(with = "wire::attempt")]
    pub attempt: Attempt,
    /// Number of evaluations that it used.
    pub evaluations: u64,
}

impl Task {
    /// Executes the task.
    pub fn execute(
        &self,
        engines: &[&'static dyn Engine],
        context: &Context,
        seed: u64,
        budget: Budget,
    ) -> Answer {
        let Self { engine, goal, quota, stream } = *self;
        let (index, engine) = (engine, engines[engine]);
        let mut budget = budget.with_limit(quota);
        let mut rng = Rng::stream(seed, stream);
        let attempt = match goal {
            Goal::Construct => match engine.construct(context, &mut budget, &mut rng) {
                Some(schedule) => Attempt::Found(schedule),
                None => Attempt::OutOfBudget,
            },
            Goal::Steps(steps) => {
                let attempt = engine.attempt(context, steps, &mut budget, &mut rng);
                // Every attempt counts at least one evaluation, so that the search ends.
                budget.spend(u64::from(budget.spent() == 0));
                attempt
            }
        };
        Answer { engine: index, attempt, evaluations: budget.spent() }
    }
}

/// Encoding of schedules in messages between ranks.
mod wire {
    use super::*;
    use serde::{Deserializer, Serializer};

    type Step = Vec<(u32, u32, u32, Vec<u32>)>;

    fn steps_of(schedule: &Schedule) -> Vec<Step> {
        let transfer = |transfer: Transfer<'_>| {
            let path = transfer.path.iter().map(|channel| channel.0).collect();
            (transfer.message.0, transfer.from.0, transfer.to.0, path)
        };
        (0..schedule.step_count()).map(|step| schedule.step(step).map(transfer).collect()).collect()
    }

    fn schedule_of(steps: Vec<Step>) -> Schedule {
        let mut schedule = Schedule::new();
        for step in steps {
            schedule.start_step();
            for (message, from, to, path) in step {
                let path: Vec<ChannelId> = path.into_iter().map(ChannelId).collect();
                let (from, to) = (ProcessorId(from), ProcessorId(to));
                schedule.push(Transfer { message: MessageId(message), from, to, path: &path });
            }
        }
        schedule
    }

    pub mod shared {
        use super::*;

        pub fn serialize<S: Serializer>(
            best: &Option<Arc<Schedule>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            best.as_deref().map(steps_of).serialize(serializer)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Arc<Schedule>>, D::Error> {
            let steps: Option<Vec<Step>> = Deserialize::deserialize(deserializer)?;
            Ok(steps.map(|steps| Arc::new(schedule_of(steps))))
        }
    }

    pub mod attempt {
        use super::*;

        #[derive(Serialize, Deserialize)]
        enum Sent {
            Found(Vec<Step>),
            Longer(Vec<Step>),
            Impossible(u32, Vec<u8>),
            OutOfBudget,
        }

        pub fn serialize<S: Serializer>(
            attempt: &Attempt,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            let sent = match attempt {
                Attempt::Found(schedule) => Sent::Found(steps_of(schedule)),
                Attempt::Longer(schedule) => Sent::Longer(steps_of(schedule)),
                Attempt::Impossible(proof) => Sent::Impossible(proof.steps, proof.lrat.clone()),
                Attempt::OutOfBudget => Sent::OutOfBudget,
            };
            sent.serialize(serializer)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Attempt, D::Error> {
            Ok(match Sent::deserialize(deserializer)? {
                Sent::Found(steps) => Attempt::Found(schedule_of(steps)),
                Sent::Longer(steps) => Attempt::Longer(schedule_of(steps)),
                Sent::Impossible(steps, lrat) => Attempt::Impossible(Proof { steps, lrat }),
                Sent::OutOfBudget => Attempt::OutOfBudget,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::strict_json;

    #[test]
    fn answers_are_unchanged_by_serialisation() {
        let mut schedule = Schedule::new();
        schedule.start_step();
        let path = [ChannelId(300), ChannelId(0)];
        let (from, to) = (ProcessorId(1), ProcessorId(200));
        schedule.push(Transfer { message: MessageId(7), from, to, path: &path });
        schedule.start_step();
        let proof = Proof { steps: 3, lrat: vec![1, 2, 255] };
        for attempt in [
            Attempt::Found(schedule.clone()),
            Attempt::Longer(schedule.clone()),
            Attempt::Impossible(proof),
            Attempt::OutOfBudget,
        ] {
            let answer = Answer { engine: 1, attempt: attempt.clone(), evaluations: 1 << 40 };
            let bytes = serde_json::to_vec(&answer).expect("plain data");
            let back: Answer = strict_json::from_slice(&bytes).expect("what was written");
            assert_eq!((back.attempt, back.evaluations), (attempt, 1 << 40));
        }
        let task = Task { engine: 2, goal: Goal::Steps(9), quota: 5, stream: 8 };
        let assignment = Assignment::Task { task, best: Some(Arc::new(schedule.clone())) };
        let bytes = serde_json::to_vec(&assignment).expect("plain data");
        match strict_json::from_slice(&bytes).expect("what was written") {
            Assignment::Task { task: back, best } => {
                assert_eq!((back, best.as_deref()), (task, Some(&schedule)));
            }
            Assignment::Part { .. } => panic!("it was a task"),
        }
    }
}
