//! Schedules of other programs with bytes and channels, in their order. When each send starts is not
//! decided here: it follows from the bandwidths and latencies of the network.

use super::{Imported, ImportedError, recognise};
use crate::teccl;
use pavane_model::timed::{BufferSize, TimedSchedule, from_steps};
use pavane_model::{Model, Network, Problem};

/// A schedule of another program for messages of a size. The sends are in their order; their times
/// are not known yet.
#[derive(Debug, Clone, PartialEq)]
pub struct UntimedSchedule {
    /// The schedule. Its sends are in their order, with any starts.
    pub schedule: TimedSchedule,
    /// The time that the file claims, in nanoseconds.
    pub claimed_ns: Option<f64>,
    /// The algorithm bandwidth that the file claims, in GB/s.
    pub claimed_gbytes: Option<f64>,
    /// What it claims for another size.
    pub other_claim: Option<OtherClaim>,
    /// How many demands the file meets, and how many the collective has.
    pub demands_met: Option<(u64, u64)>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// A time that a file claims for a size of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherClaim {
    /// The claimed time in nanoseconds.
    pub time_ns: f64,
    /// The size, which follows from the claimed time and bandwidth.
    pub bytes: u64,
}

/// The name of the program whose schedule a text is; `None` if it is none that can be read.
pub fn foreign_format(text: &str) -> Option<&'static str> {
    if teccl::recognises(text) {
        return Some("TE-CCL");
    }
    recognise(text).map(|reader| match reader.name {
        "sccl" => "SCCL",
        "mscclpp" => "MSCCL++",
        _ => "MSCCL",
    })
}

/// Reads a schedule of another program (TE-CCL, MSCCL, MSCCL++, SCCL) for messages of a size on a
/// network; `None` if the text is none.
///
/// ```
/// use pavane_interop::import::read_untimed;
/// use pavane_networks::import::load;
///
/// let file = r#"{"1-Epoch_Duration": 1e-6, "4-Collective_Finish_Time": 1e-6, "5-Algo_Bandwidth": 0.002,
///   "6-Demand_Met": {"GPU 0": {"GPU 1": {"Chunk 0": 1e-6}}, "GPU 1": {"GPU 0": {"Chunk 0": 1e-6}}},
///   "7-Flows": ["Chunk 0 from 0 traveled over 0->1 in epoch 0",
///               "Chunk 0 from 1 traveled over 1->0 in epoch 0"]}"#;
/// let read = read_untimed(file, load("path:2")?, 2000).ok_or("not a schedule")??;
/// assert_eq!(read.demands_met, Some((2, 2)));
/// assert_eq!(read.schedule.phases[0].sends.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_untimed(
    text: &str,
    network: Network,
    bytes: u64,
) -> Option<Result<UntimedSchedule, ImportedError>> {
    if teccl::recognises(text) {
        return Some(teccl::read(text, &network, bytes));
    }
    let reader = recognise(text)?;
    let model = Model { routing: pavane_model::Routing::Any, ..Model::default() };
    let imported = reader.read(text, Some(network), None, model);
    Some(imported.and_then(|phases| untimed(&phases, bytes)))
}

/// The transfers of steps in their order, one send for every channel.
fn untimed(imported: &[Imported], bytes: u64) -> Result<UntimedSchedule, ImportedError> {
    let whole = |Imported { problem, .. }: &Imported| {
        Problem::new(problem.network().clone(), problem.collective().whole(), Model::default())
    };
    let phases: Vec<Problem> = imported.iter().map(whole).collect::<Result<_, _>>()?;
    let name = match &phases[..] {
        [only] => only.collective().name.clone(),
        _ => "all-reduce".to_owned(),
    };
    let steps: Vec<_> = imported.iter().map(|phase| (&phase.problem, &phase.schedule)).collect();
    let schedule = from_steps(&name, &phases, &steps, &BufferSize::Bytes(bytes))
        .map_err(|error| ImportedError::Unreadable(error.to_string()))?;
    let (claimed_ns, claimed_gbytes, demands_met) = (None, None, None);
    let (other_claim, notes) = (None, Vec::new());
    Ok(UntimedSchedule { schedule, claimed_ns, claimed_gbytes, other_claim, demands_met, notes })
}
