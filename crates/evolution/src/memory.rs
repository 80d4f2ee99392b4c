//! How many individuals fit into memory, and with how many steps: each individual counts the use of
//! every channel and port in every step.

use pavane_model::{Problem, Switching};
use pavane_search::parameters::{Parameter, ParameterError, Parameters};
use pavane_search::{Context, Engine};

/// Memory limit for the individuals of one attempt, in bytes.
const MOST_BYTES: u64 = 2 << 30;

/// Memory limit for attempts with steps to spare, in bytes.
const FEW_BYTES: u64 = 256 << 20;

/// Individuals needed to shorten a schedule once one is found.
const SPARE: u64 = 3;

/// The most steps for which there is memory to spare; an error if the parameters do not even leave enough
/// for `steps`.
pub(super) fn room(
    engine: &dyn Engine,
    context: &Context,
    steps: u32,
) -> Result<u32, ParameterError> {
    let (parameters, problem) = (context.parameters(), context.problem());
    let each = of_deliveries(problem) + u64::from(steps) * of_step(problem);
    let needed = individuals(engine, parameters).saturating_mul(each);
    if needed <= MOST_BYTES {
        return Ok(steps_in(FEW_BYTES, engine, parameters, problem));
    }
    let gigabytes = needed >> 30;
    let most = (MOST_BYTES / each.max(1)).saturating_sub(SPARE);
    match many(engine) {
        Some((parameter, halves)) if most >= 2 * halves => Err(ParameterError::TooMany {
            name: parameter.name,
            value: parameters.whole(parameter),
            gigabytes,
            most: 2 * most / halves,
        }),
        _ => Err(ParameterError::NoRoom { engine: engine.name(), gigabytes }),
    }
}

/// The most steps that individuals may have: limited by memory and, under wormhole switching, by
/// the number of deliveries, because one delivery per step is always enough.
pub(super) fn most_steps(engine: &dyn Engine, parameters: &Parameters, problem: &Problem) -> u32 {
    steps_in(MOST_BYTES, engine, parameters, problem)
}

fn steps_in(bytes: u64, engine: &dyn Engine, parameters: &Parameters, problem: &Problem) -> u32 {
    let each = bytes / individuals(engine, parameters);
    let room = each.saturating_sub(of_deliveries(problem)) / of_step(problem).max(1);
    let enough = match problem.model().switching {
        Switching::Wormhole => problem.messages().delivery_count() as u64,
        Switching::StoreAndForward => u64::MAX,
    };
    u32::try_from(room.min(enough)).unwrap_or(u32::MAX).max(1)
}

/// The parameter that sets the number of individuals, and twice the number of individuals that one
/// unit of it needs memory for.
fn many(engine: &dyn Engine) -> Option<(&'static Parameter, u64)> {
    let find =
        |name: &str| engine.describe().parameters.iter().find(|parameter| parameter.name == name);
    // Estimation of distribution algorithms keep half as many children beside the population.
    let halves = if find("tournament").is_some() { 3 } else { 2 };
    let population = find("population").map(|parameter| (parameter, halves));
    // An island has its current individual, two children, and the one it sent last.
    population.or_else(|| find("islands").map(|parameter| (parameter, 8)))
}

fn individuals(engine: &dyn Engine, parameters: &Parameters) -> u64 {
    let of = |(parameter, halves): (_, u64)| (halves * parameters.whole(parameter)).div_ceil(2);
    SPARE + many(engine).map_or(1, of)
}

fn of_deliveries(problem: &Problem) -> u64 {
    let messages = problem.messages();
    // A path and a step; for trees also a source and an undo journal; or a step for every hop.
    let each = match problem.model().switching {
        Switching::StoreAndForward => 64,
        Switching::Wormhole if messages.ids().all(|message| messages.is_personalised(message)) => 8,
        Switching::Wormhole => 32,
    };
    each * messages.delivery_count() as u64
}

/// Bytes of an individual per step.
fn of_step(problem: &Problem) -> u64 {
    let (messages, network) = (problem.messages(), problem.network());
    let (channels, ports) = (network.channel_count() as u64, 2 * network.processor_count() as u64);
    // Under store-and-forward, the uses of every channel are counted per multi-destination message.
    let hops = match problem.model().switching {
        Switching::Wormhole => 0,
        Switching::StoreAndForward => {
            messages.ids().filter(|&message| !messages.is_personalised(message)).count() as u64
        }
    };
    4 * (channels + ports) + 2 * hops * (channels + ports)
}
