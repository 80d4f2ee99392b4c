//! Maps a judged schedule to an isomorphic network, and has it judged again.

use crate::certificates;
use crate::error::AtlasError;
use crate::images::Images;
use crate::judge::{JudgedFile, judge_stored};
use pavane_model::format::{Phase, Stored};
use pavane_model::problem::DELIVERIES;
use pavane_model::tdm::{TdmBound, TdmDemand, TdmMessage, Word};
use pavane_model::throughput::{PlanPhase, Route, ThroughputLimit};
use pavane_model::timed::{BufferSize, Chunk, Send, TimeBound, TimedPhase};
use pavane_model::whole::Whole;
use pavane_model::{
    Bound, Certificate, MessageId, Network, Problem, Schedule, TdmProblem, TdmSchedule,
    ThroughputPlan, TimedSchedule, Transfer,
};
use std::path::Path;

/// Maps a schedule to `to`. `wanted` are the problems there, one per phase; without them the collective
/// is the image of the one in the file.
pub fn map(
    file: &JudgedFile,
    images: &Images,
    to: &Network,
    wanted: Option<&[Problem]>,
) -> Result<JudgedFile, AtlasError> {
    let mapping = Mapping { images, to, wanted };
    let mapped = match file {
        JudgedFile::Steps(checked, bound) => {
            let phase = mapping.steps(checked.problem(), checked.schedule(), bound);
            phase.map(|phase| Stored::Schedule(vec![phase], Whole::default()))
        }
        JudgedFile::Throughput(plan) => {
            mapping.plan(plan.plan()).map(|plan| Stored::Throughput(Box::new(plan)))
        }
        JudgedFile::Time(checked) => {
            mapping.timed(checked.schedule()).map(|timed| Stored::Timed(Box::new(timed)))
        }
        JudgedFile::Tdm(checked) => {
            mapping.tdm(checked.schedule()).map(|tdm| Stored::Tdm(Box::new(tdm)))
        }
    };
    let unfit = || AtlasError::Problem("the schedule does not fit the network".to_owned());
    judge_stored(mapped.ok_or_else(unfit)?, Path::new("the mapped schedule"))
}

struct Mapping<'a> {
    images: &'a Images,
    to: &'a Network,
    wanted: Option<&'a [Problem]>,
}

impl Mapping<'_> {
    /// The problem of a phase on the other network, and the image of every message.
    fn problem(&self, number: usize, problem: &Problem) -> Option<(Problem, Vec<MessageId>)> {
        let target = match self.wanted {
            Some(wanted) => wanted.get(number)?.clone(),
            None => {
                let collective = self.images.collective(problem.collective())?;
                let (to, model) = (self.to.clone(), problem.model());
                Problem::with_limit(to, collective, model, DELIVERIES).ok()?
            }
        };
        let messages = self.images.messages(problem, &target)?;
        Some((target, messages))
    }

    fn steps(&self, problem: &Problem, schedule: &Schedule, bound: &Bound) -> Option<Phase> {
        let (target, messages) = self.problem(0, problem)?;
        let mut image = Schedule::new();
        for step in 0..schedule.step_count() {
            image.start_step();
            for transfer in schedule.step(step) {
                let path = self.images.path(transfer.path)?;
                image.push(Transfer {
                    message: *messages.get(transfer.message.index())?,
                    from: self.images.processor(transfer.from)?,
                    to: self.images.processor(transfer.to)?,
                    path: &path,
                });
            }
        }
        let carried = |certificate: &Certificate| {
            certificates::steps(certificate, self.images, &messages, self.to)
        };
        let certificate = bound.certificate.as_ref().and_then(carried);
        let bound = certificate.map(|certificate| Bound {
            steps: bound.steps,
            reason: bound.reason.clone(),
            explanation: String::new(),
            certificate: Some(certificate),
        });
        Some(Phase { problem: target, bound, schedule: image })
    }

    fn plan(&self, plan: &ThroughputPlan) -> Option<ThroughputPlan> {
        let mut phases = Vec::new();
        for (number, phase) in plan.phases.iter().enumerate() {
            let (problem, messages) = self.problem(number, &phase.problem)?;
            let mut sizes = vec![0; phase.sizes.len()];
            for (size, message) in phase.sizes.iter().zip(&messages) {
                *sizes.get_mut(message.index())? = *size;
            }
            let route = |route: &Route| {
                Some(Route {
                    message: *messages.get(route.message.index())?,
                    weight: route.weight,
                    channels: self.images.path(&route.channels)?,
                })
            };
            let routes = phase.routes.iter().map(route).collect::<Option<Vec<_>>>()?;
            phases.push(PlanPhase { problem, sizes, routes });
        }
        let limit = plan.limit.as_ref().and_then(|limit| {
            let certificate = certificates::limit(&limit.certificate, self.images)?;
            Some(ThroughputLimit { ns_per_byte: limit.ns_per_byte, certificate })
        });
        Some(ThroughputPlan { phases, limit, ..plan.clone() })
    }

    fn timed(&self, schedule: &TimedSchedule) -> Option<TimedSchedule> {
        let mut phases = Vec::new();
        let mut size = schedule.size.clone();
        for (number, phase) in schedule.phases.iter().enumerate() {
            let (problem, messages) = self.problem(number, &phase.problem)?;
            if let (BufferSize::Each(own), BufferSize::Each(images)) = (&schedule.size, &mut size) {
                for (bytes, message) in own.iter().zip(&messages) {
                    *images.get_mut(message.index())? = *bytes;
                }
            }
            let chunk = |chunk: &Chunk| {
                Some(Chunk { message: *messages.get(chunk.message.index())?, ..*chunk })
            };
            let chunks = phase.chunks.iter().map(chunk).collect::<Option<Vec<_>>>()?;
            let send = |send: &Send| {
                let channel = *self.images.channels.get(send.channel.index())?;
                Some(Send { channel, ..*send })
            };
            let sends = phase.sends.iter().map(send).collect::<Option<Vec<_>>>()?;
            phases.push(TimedPhase { problem, chunks, sends });
        }
        let bound = schedule.bound.as_ref().and_then(|bound| {
            let certificate = certificates::time(&bound.certificate, self.images)?;
            Some(TimeBound { time: bound.time, certificate })
        });
        Some(TimedSchedule { phases, size, bound, ..schedule.clone() })
    }

    fn tdm(&self, schedule: &TdmSchedule) -> Option<TdmSchedule> {
        let problem = &schedule.problem;
        let demand = match problem.demand() {
            TdmDemand::AllToAll => TdmDemand::AllToAll,
            TdmDemand::Messages(list) => {
                let message = |message: &TdmMessage| {
                    let from = self.images.processor(message.from)?;
                    Some(TdmMessage { from, to: self.images.processor(message.to)?, ..*message })
                };
                TdmDemand::Messages(list.iter().map(message).collect::<Option<Vec<_>>>()?)
            }
        };
        let image = TdmProblem::new(self.to.clone(), demand, problem.rules(), DELIVERIES).ok()?;
        let word = |word: &Word| {
            Some(Word {
                from: self.images.processor(word.from)?,
                to: self.images.processor(word.to)?,
                start: word.start,
                path: self.images.path(&word.path)?,
            })
        };
        let bound = schedule.bound.as_ref().and_then(|bound| {
            let certificate = certificates::tdm(&bound.certificate, self.images)?;
            Some(TdmBound { period: bound.period, certificate })
        });
        let words = schedule.words.iter().map(word).collect::<Option<Vec<_>>>()?;
        Some(TdmSchedule { problem: image, period: schedule.period, words, bound })
    }
}
