//! What a bound's certificate proves, derived anew with plain code and exact integers. One file per
//! argument. All of them are about the problem read forwards.

mod ball;
mod congestion;
mod cut;
mod cut_queue;
mod distance;
mod flow;
mod growth;
pub(crate) mod independent_set;
mod joint_growth;
mod nested_growth;
mod port_congestion;
mod port_distance;
mod ports;
mod refutation;
mod relay;
mod send_growth;

use crate::group::Groups;
use pavane_model::words;
use pavane_model::{Bound, Certificate, MessageId, Problem, ProcessorId, RouterId, Switching};
use std::io::{self, BufRead};

/// Why a bound is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// Nothing to check.
    #[error("the bound of {} ({reason}) comes without a certificate", words::steps(*steps))]
    NoCertificate {
        /// The steps claimed.
        steps: u32,
        /// The reason claimed.
        reason: String,
    },
    /// The proof is not at hand.
    #[error("the proof that {} needed, {proof:?}, is not at hand: {why}", are(*steps))]
    NoProof {
        /// The steps claimed.
        steps: u32,
        /// The file that should have it.
        proof: String,
        /// Why it could not be read.
        why: String,
    },
    /// The certificate proves less.
    #[error("the {reason} certificate proves {}, not {claimed}", words::steps(*proved))]
    TooHigh {
        /// The kind of certificate.
        reason: &'static str,
        /// What it proves.
        proved: u64,
        /// What is claimed.
        claimed: u32,
    },
    /// A valid schedule with fewer steps refutes it.
    #[error("at least {claimed} steps are claimed, but the schedule has {steps} and is valid")]
    AboveSchedule {
        /// What is claimed.
        claimed: u32,
        /// The steps of the schedule.
        steps: u32,
    },
    /// The certificate does not fit the problem.
    #[error("the {reason} certificate proves nothing: {problem}")]
    Unfit {
        /// The kind of certificate.
        reason: &'static str,
        /// What is wrong.
        problem: String,
    },
}

/// `1 step is`, `4 steps are`.
fn are(steps: u32) -> String {
    format!("{} {}", words::steps(steps), if steps == 1 { "is" } else { "are" })
}

/// Opens the proof that a certificate names.
pub type OpenProof<'a> = &'a dyn Fn(&str) -> io::Result<Box<dyn BufRead>>;

/// Checks that a bound's certificate proves what the bound claims; the steps that it proves. No
/// proof is at hand that a certificate may name.
pub fn check_bound(problem: &Problem, bound: &Bound) -> Result<u32, BoundError> {
    check_bound_with(problem, bound, &|_| Err(io::ErrorKind::NotFound.into()))
}

/// As [`check_bound`], with a way to open the proof that a certificate names.
pub fn check_bound_with(
    problem: &Problem,
    bound: &Bound,
    open: OpenProof<'_>,
) -> Result<u32, BoundError> {
    let Some(certificate) = &bound.certificate else {
        let (steps, reason) = (bound.steps, bound.reason.clone());
        return Err(BoundError::NoCertificate { steps, reason });
    };
    let reason = certificate.reason();
    let proved = match (certificate, problem.is_backward()) {
        (Certificate::Exact { steps, encoding, proof }, _) => {
            let mut proof = open(proof).map_err(|error| {
                let (steps, proof, why) = (bound.steps, proof.clone(), error.to_string());
                BoundError::NoProof { steps, proof, why }
            })?;
            refutation::derive(problem, *steps, *encoding, &mut proof)
        }
        (_, true) => derive(&problem.forward(), certificate),
        (_, false) => derive(problem, certificate),
    };
    let proved = proved.map_err(|problem| BoundError::Unfit { reason, problem })?;
    match u64::from(bound.steps) <= proved {
        true => Ok(bound.steps),
        false => Err(BoundError::TooHigh { reason, proved, claimed: bound.steps }),
    }
}

/// Origins times channels up to which the cheap bounds look at every origin.
const MOST_LOOKS: u64 = 100_000_000;

/// The best of the bounds that need no certificate: what any reader can derive from the problem.
pub fn cheap_bound(problem: &Problem) -> u32 {
    let best = match problem.is_backward() {
        true => derive_cheap(&problem.forward()),
        false => derive_cheap(problem),
    };
    u32::try_from(best).unwrap_or(u32::MAX)
}

/// Receive, send, growth, distance and eccentricity, the last three where that is quick.
fn derive_cheap(problem: &Problem) -> u64 {
    let messages = problem.messages();
    // Of the messages of one origin the one with the most destinations grows the longest.
    let mut widest: Vec<Option<MessageId>> = vec![None; problem.network().processor_count()];
    for message in messages.ids() {
        let width = |message| messages.destinations(message).len();
        let entry = &mut widest[messages.origin(message).index()];
        if entry.is_none_or(|other| width(other) < width(message)) {
            *entry = Some(message);
        }
    }
    let counted = ports::Counts::of(problem);
    let mut best = counted.most_steps(problem);
    let origins = widest.iter().flatten().count() as u64;
    if origins * (problem.network().channel_count() as u64) <= MOST_LOOKS {
        let shared = widest.into_iter().flatten().filter(|&message| !messages.is_private(message));
        let growth = shared.map(|message| growth::derive(problem, message));
        let others = [distance::derive(problem), ball::derive_furthest(problem)];
        // An argument that does not fit the problem says nothing.
        best = growth.chain(others).flatten().fold(best, u64::max);
    }
    best
}

/// The steps that a certificate proves for a problem that runs forwards.
fn derive(problem: &Problem, certificate: &Certificate) -> Result<u64, String> {
    match certificate {
        Certificate::Growth { message } => growth::derive(problem, *message),
        Certificate::CutGrowth { message, routers } => {
            growth::derive_inside(problem, *message, routers)
        }
        Certificate::NestedGrowth { message, sets } => {
            nested_growth::derive(problem, *message, sets)
        }
        Certificate::JointGrowth { routers } => joint_growth::derive(problem, routers),
        Certificate::SendGrowth { processor, growth } => {
            send_growth::derive(problem, *processor, *growth)
        }
        Certificate::Receive { processor } => {
            check_processor(problem, *processor)?;
            Ok(ports::Counts::of(problem).receive_steps(problem, *processor))
        }
        Certificate::Send { processor } => {
            check_processor(problem, *processor)?;
            Ok(ports::Counts::of(problem).send_steps(problem, *processor))
        }
        Certificate::Distance => distance::derive(problem),
        Certificate::PortDistance => port_distance::derive(problem),
        Certificate::Eccentricity { message, to } => ball::derive_hops(problem, *message, *to),
        Certificate::Ball { processor, radius } => ball::derive(problem, *processor, *radius),
        Certificate::SendBall { processor, radius } => {
            ball::derive_sends(problem, *processor, *radius)
        }
        Certificate::Cut { routers } => cut::derive(problem, routers),
        Certificate::CutQueue { routers } => cut_queue::derive(problem, routers),
        Certificate::Relay { router } => relay::derive(problem, *router),
        Certificate::IndependentSet { processors } => independent_set::derive(problem, processors),
        Certificate::Congestion { prices } => congestion::derive(problem, prices),
        Certificate::PortCongestion { channels, sends, receives } => {
            port_congestion::derive(problem, channels, sends, receives)
        }
        Certificate::Exact { .. } => Err("its proof is needed".to_owned()),
    }
}

/// Calls `visit` for every router where messages start, with those messages and the hops from there
/// to every router.
fn for_each_origin(problem: &Problem, mut visit: impl FnMut(RouterId, &[MessageId], &[u32])) {
    let (network, messages) = (problem.network(), problem.messages());
    let by_origin = Groups::new(network.router_count(), messages.len(), |message| {
        Some(problem.home(messages.origin(MessageId(message))).index())
    });
    let mut group = Vec::new();
    for (origin, members) in by_origin.iter().filter(|(_, members)| !members.is_empty()) {
        let origin = RouterId(origin as u32);
        group.clear();
        group.extend(members.iter().map(|&message| MessageId(message)));
        visit(origin, &group, &network.distances_from(origin));
    }
}

fn check_message(problem: &Problem, message: MessageId) -> Result<(), String> {
    match message.index() < problem.messages().len() {
        true => Ok(()),
        false => Err(format!("there is no message number {message}")),
    }
}

fn check_processor(problem: &Problem, processor: ProcessorId) -> Result<(), String> {
    match problem.network().home(processor) {
        Some(_) => Ok(()),
        None => Err(format!("there is no processor {processor}")),
    }
}

/// Which routers are in the set.
fn marked(problem: &Problem, routers: &[RouterId]) -> Result<Vec<bool>, String> {
    let mut is_inside = vec![false; problem.network().router_count()];
    for router in routers {
        match is_inside.get_mut(router.index()) {
            Some(mark) => *mark = true,
            None => return Err(format!("there is no router {router}")),
        }
    }
    Ok(is_inside)
}

fn check_store_and_forward(problem: &Problem) -> Result<(), String> {
    match problem.model().switching {
        Switching::StoreAndForward => Ok(()),
        Switching::Wormhole => Err("it holds under store-and-forward only".to_owned()),
    }
}
