//! Imported schedules: converts GPU plans and SCCL algorithms to schedules of the model, where they
//! fit it, so that they can be checked and compared with the bound. A format is one line of
//! [`READERS`].

pub(crate) mod steps;
mod untimed;

pub use crate::plan::from_plan;
pub use crate::sccl::from_sccl;
pub use untimed::{OtherClaim, UntimedSchedule, foreign_format, read_untimed};

use crate::READERS;
use pavane_model::{
    Collective, Kind, ListedMessage, MessageId, Model, Network, NetworkError, Problem,
    ProblemError, ProcessorId, Schedule, Switching,
};
use std::collections::BTreeMap;

/// Why an input cannot be converted to a schedule of the model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportedError {
    /// The input is malformed or incorrect.
    #[error("{0}")]
    Unreadable(String),
    /// The input uses something that the model cannot express.
    #[error("the model does not fit: {0}")]
    DoesNotFit(String),
    /// The network and the collective do not form a valid problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The topology in the input is not a valid network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// One phase: a problem and its schedule, not yet checked.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The problem.
    pub problem: Problem,
    /// The schedule.
    pub schedule: Schedule,
}

/// A schedule in the terms of another program, as its file describes it.
pub(crate) trait Foreign {
    /// Converts it to schedules of the model, one per phase. Without a network it runs on the one
    /// that its file describes.
    fn convert(
        &self,
        network: Option<Network>,
        model: Model,
    ) -> Result<Vec<Imported>, ImportedError>;
}

/// A format that schedules are imported from.
pub struct Reader {
    /// Its name.
    pub name: &'static str,
    /// Whether a text looks like this format.
    pub(crate) recognises: fn(&str) -> bool,
    pub(crate) read: fn(&str) -> Result<Box<dyn Foreign>, ImportedError>,
}

/// Finds the format of a text; `None` if it is not a schedule of another program.
pub fn recognise(text: &str) -> Option<&'static Reader> {
    READERS.iter().find(|reader| (reader.recognises)(text))
}

impl Reader {
    /// Reads a schedule and converts it to the model. If `switching` is `None`, it is imported as
    /// store-and-forward or, if it does not fit that, as wormhole; the switching of `model` is not
    /// used.
    ///
    /// ```
    /// use pavane_interop::import::recognise;
    /// use pavane_model::{Model, Switching};
    ///
    /// let file = r#"{"steps": [{"rounds": 1, "sends": [[0, 0, 1]]}],
    ///   "collective": {"name": "Broadcast", "chunks": [{"pre": [0], "post": [0, 1], "addr": 0}]},
    ///   "topology": {"name": "Pair", "links": [[0, 1], [1, 0]]}}"#;
    /// let reader = recognise(file).ok_or("not a schedule")?;
    /// assert_eq!(reader.name, "sccl");
    /// let phases = reader.read(file, None, None, Model::default())?;
    /// assert_eq!(phases[0].problem.model().switching, Switching::StoreAndForward);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(
        &self,
        text: &str,
        network: Option<Network>,
        switching: Option<Switching>,
        model: Model,
    ) -> Result<Vec<Imported>, ImportedError> {
        let foreign = (self.read)(text)?;
        let convert = |switching, network| foreign.convert(network, Model { switching, ..model });
        match switching {
            Some(switching) => convert(switching, network),
            None => match convert(Switching::StoreAndForward, network.clone()) {
                Err(ImportedError::DoesNotFit(_) | ImportedError::Problem(_)) => {
                    convert(Switching::Wormhole, network)
                }
                result => result,
            },
        }
    }
}

/// Whether a text is a JSON object that mentions all these keys.
pub(crate) fn has_keys(text: &str, keys: &[&str]) -> bool {
    text.trim_start().starts_with('{')
        && keys.iter().all(|key| text.contains(&format!("\"{key}\"")))
}

/// A transfer before it has a path: message, sender, receiver.
pub(crate) type Movement = (MessageId, ProcessorId, ProcessorId);

/// An origin and the ranks that want its message.
pub(crate) type Demand = (u32, Vec<u32>);

/// Builds the problem of these messages, as a standard collective if they form one, otherwise as a
/// list called `name`; in chunks if every demand occurs equally often. Also returns the message numbers of each demand; equal demands keep their
/// order.
pub(crate) fn problem_of(
    network: Network,
    model: Model,
    name: &str,
    demands: &[Demand],
) -> Result<(Problem, BTreeMap<Demand, Vec<MessageId>>), ImportedError> {
    let count = network.processor_count() as u32;
    let processors: Vec<ProcessorId> = (0..count).map(ProcessorId).collect();
    let is_for_all =
        |demand: &Demand| demand.1.len() + 1 == count as usize && !demand.1.contains(&demand.0);
    let mut sorted = demands.to_vec();
    sorted.sort_unstable();
    // Equal demands are the chunks of one message, if all messages have the same number of them.
    let runs: Vec<&[Demand]> = sorted.chunk_by(|a, b| a == b).collect();
    let chunks = runs.first().map_or(1, |run| run.len());
    let chunks = if runs.iter().all(|run| run.len() == chunks) { chunks } else { 1 };
    let whole: Vec<&Demand> = sorted.iter().step_by(chunks).collect();
    let is_for_each_pair = whole.len() as u64 == u64::from(count) * u64::from(count - 1)
        && whole.iter().all(|demand| demand.1.len() == 1)
        && whole.windows(2).all(|pair| pair[0] != pair[1]);
    let has_every_origin = whole.len() == count as usize
        && (0..).zip(&whole).all(|(origin, demand): (u32, &&Demand)| demand.0 == origin);
    let collective = match &whole[..] {
        [only] if is_for_all(only) => {
            let root = ProcessorId(only.0);
            let others = processors.into_iter().filter(|&p| p != root).collect();
            Collective::between(Kind::Broadcast, "broadcast", vec![root], others)
        }
        all if has_every_origin && all.iter().all(|demand| is_for_all(demand)) => {
            Collective::between(Kind::Broadcast, "all-gather", processors.clone(), processors)
        }
        _ if is_for_each_pair => {
            Collective::between(Kind::Scatter, "all-to-all", processors.clone(), processors)
        }
        _ => {
            let listed = |(from, to): &&Demand| ListedMessage {
                from: ProcessorId(*from),
                to: to.iter().copied().map(ProcessorId).collect(),
            };
            Collective::listed(name, whole.iter().map(listed).collect())
        }
    };
    let collective = collective.in_chunks(chunks as u32);
    let problem = Problem::new(network, collective, model)?;
    let messages = problem.messages();
    let demand = |message: MessageId| {
        let mut to: Vec<u32> = messages.destinations(message).iter().map(|p| p.0).collect();
        to.sort_unstable();
        (messages.origin(message).0, to)
    };
    let mut numbers: BTreeMap<Demand, Vec<MessageId>> = BTreeMap::new();
    for message in messages.ids() {
        numbers.entry(demand(message)).or_default().push(message);
    }
    Ok((problem, numbers))
}
