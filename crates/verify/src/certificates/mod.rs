//! Derives again what the certificate of a bound proves, with simple code and exact integers. Each
//! kind of certificate has its own file, with the check and its cost, and one line in `ARGUMENTS`.
//! All checks work on the forward problem.

mod ball;
mod branches;
mod cheap;
mod congestion;
mod cut;
mod cut_growth;
pub(crate) mod cut_queue;
mod distance;
mod eccentricity;
mod error;
mod exact;
pub(crate) mod flow;
mod growth;
pub(crate) mod independent_set;
mod joint_growth;
mod late_entry;
mod neighbour_growth;
mod nested_growth;
mod port_congestion;
mod port_distance;
mod ports;
pub(crate) mod queue;
mod receive;
mod relay;
mod send;
mod send_ball;
mod send_growth;
mod separator;

pub use cheap::cheap_bound;
pub use error::BoundError;

use crate::cost::{Cost, Limits, OverLimit, Size};
use crate::distance::Neighbours;
use crate::group::Groups;
use pavane_model::{
    Bound, Certificate, ChannelId, MessageId, Problem, ProcessorId, RouterId, Switching,
};
use std::io::{self, BufRead};

/// Opens the proof file that a certificate names.
pub type OpenProof<'a> = &'a dyn Fn(&str) -> io::Result<Box<dyn BufRead>>;

/// A certificate with everything that its check needs besides the problem.
trait Argument {
    /// Upper bound on the cost of [`Argument::derive`]. Takes time proportional to the problem and
    /// the certificate.
    fn cost(&self, problem: &Problem, size: &Size) -> Cost;

    /// The number of steps proved for a forward problem. May stop at the number claimed.
    fn derive(&self, problem: &Problem) -> Result<u64, Refusal>;
}

/// Why a certificate proves nothing.
enum Refusal {
    /// It does not apply to the problem.
    Unfit(String),
    /// The proof file cannot be opened.
    NoProof { proof: String, why: String },
    /// The check exceeds a limit.
    OverLimit(OverLimit),
}

impl From<String> for Refusal {
    fn from(problem: String) -> Self {
        Self::Unfit(problem)
    }
}

impl From<&str> for Refusal {
    fn from(problem: &str) -> Self {
        Self::Unfit(problem.to_owned())
    }
}

impl From<OverLimit> for Refusal {
    fn from(over: OverLimit) -> Self {
        Self::OverLimit(over)
    }
}

/// A claimed bound: its certificate, and everything that a check needs besides the problem.
struct Claim<'a> {
    certificate: &'a Certificate,
    /// Number of steps claimed.
    steps: u32,
    open: OpenProof<'a>,
    limits: Limits,
}

/// Reads an argument from a claim; `None` if the certificate is of another kind.
type Read = for<'a> fn(&Claim<'a>) -> Option<Box<dyn Argument + 'a>>;

/// The arguments, one for each kind of certificate.
const ARGUMENTS: &[Read] = &[
    growth::read,
    receive::read,
    send::read,
    distance::read,
    port_distance::read,
    late_entry::read,
    eccentricity::read,
    cut::read,
    ball::read,
    send_ball::read,
    send_growth::read,
    neighbour_growth::read,
    cut_growth::read,
    cut_queue::read,
    joint_growth::read,
    nested_growth::read,
    independent_set::read,
    relay::read,
    separator::read,
    branches::read,
    congestion::read,
    port_congestion::read,
    exact::read,
];

impl<'a> Claim<'a> {
    fn argument(&self) -> Option<Box<dyn Argument + 'a>> {
        ARGUMENTS.iter().find_map(|read| read(self))
    }
}

/// Checks that the certificate of a bound proves what the bound claims. Returns the number of steps
/// proved. Certificates that name a proof file fail.
pub fn check_bound(problem: &Problem, bound: &Bound) -> Result<u32, BoundError> {
    check_bound_with(problem, bound, &no_proof)
}

/// Like [`check_bound`]; `open` opens the proof file that a certificate names.
pub fn check_bound_with(
    problem: &Problem,
    bound: &Bound,
    open: OpenProof<'_>,
) -> Result<u32, BoundError> {
    check_bound_within(problem, bound, open, Limits::of(problem))
}

/// Like [`check_bound_with`], with limits on the cost.
pub fn check_bound_within(
    problem: &Problem,
    bound: &Bound,
    open: OpenProof<'_>,
    limits: Limits,
) -> Result<u32, BoundError> {
    let Some(certificate) = &bound.certificate else {
        let (steps, reason) = (bound.steps, bound.reason.clone());
        return Err(BoundError::NoCertificate { steps, reason });
    };
    let reason = certificate.reason();
    let forward = problem.is_backward().then(|| problem.forward());
    let problem = forward.as_ref().unwrap_or(problem);
    let claim = Claim { certificate, steps: bound.steps, open, limits };
    let Some(argument) = claim.argument() else {
        let problem = "the judge has no check for this kind".to_owned();
        return Err(BoundError::Unfit { reason, problem });
    };
    let cost = argument.cost(problem, &Size::of(problem));
    limits.check(cost).map_err(|over| BoundError::OverLimit { reason, over })?;
    let proved = argument.derive(problem).map_err(|refusal| match refusal {
        Refusal::Unfit(problem) => BoundError::Unfit { reason, problem },
        Refusal::NoProof { proof, why } => BoundError::NoProof { steps: bound.steps, proof, why },
        Refusal::OverLimit(over) => BoundError::OverLimit { reason, over },
    })?;
    if u64::from(bound.steps) <= proved {
        Ok(bound.steps)
    } else {
        Err(BoundError::TooHigh { reason, proved, claimed: bound.steps })
    }
}

/// Upper bound on the cost of checking a bound's certificate; `None` if it has none.
pub fn cost_of(problem: &Problem, bound: &Bound) -> Option<Cost> {
    let certificate = bound.certificate.as_ref()?;
    let forward = problem.is_backward().then(|| problem.forward());
    let problem = forward.as_ref().unwrap_or(problem);
    let limits = Limits::of(problem);
    let claim = Claim { certificate, steps: bound.steps, open: &no_proof, limits };
    Some(claim.argument()?.cost(problem, &Size::of(problem)))
}

fn no_proof(_: &str) -> io::Result<Box<dyn BufRead>> {
    Err(io::ErrorKind::NotFound.into())
}

/// Calls `visit` for every router where messages start, with those messages and the distances from
/// there to every router.
pub(crate) fn for_each_origin(
    problem: &Problem,
    mut visit: impl FnMut(RouterId, &[MessageId], &[u32]),
) {
    let (network, messages) = (problem.network(), problem.messages());
    let by_origin = Groups::new(network.router_count(), messages.len(), |message| {
        Some(problem.home(messages.origin(MessageId(message))).index())
    });
    let neighbours = Neighbours::along(network);
    let mut group = Vec::new();
    for (origin, members) in by_origin.iter().filter(|(_, members)| !members.is_empty()) {
        let origin = RouterId(origin as u32);
        group.clear();
        group.extend(members.iter().map(|&message| MessageId(message)));
        visit(origin, &group, &neighbours.distances([origin]));
    }
}

fn check_message(problem: &Problem, message: MessageId) -> Result<(), String> {
    if message.index() < problem.messages().len() {
        Ok(())
    } else {
        Err(format!("there is no message number {message}"))
    }
}

fn check_processor(problem: &Problem, processor: ProcessorId) -> Result<(), String> {
    match problem.network().home(processor) {
        Some(_) => Ok(()),
        None => Err(format!("there is no processor {processor}")),
    }
}

/// Membership of each router in the set. Fails if a router does not exist.
pub(crate) fn marked(problem: &Problem, routers: &[RouterId]) -> Result<Vec<bool>, String> {
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
        Switching::Wormhole => Err("it is valid under store-and-forward only".to_owned()),
    }
}

/// Number of channels into a set of routers. Exactly one channel of a link across the border
/// enters, so half duplex makes no difference.
fn channels_into(problem: &Problem, is_inside: &[bool]) -> u64 {
    let network = problem.network();
    let channels = (0..network.channel_count() as u32).map(|c| network.channel(ChannelId(c)));
    channels.filter(|c| !is_inside[c.tail.index()] && is_inside[c.head.index()]).count() as u64
}

/// Sums of the 0, 1, 2, … largest numbers.
fn sums_of_largest(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    let mut sums = vec![0];
    for number in numbers {
        sums.push(sums[sums.len() - 1] + number);
    }
    sums
}
