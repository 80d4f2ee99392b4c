//! Schedules of other programs with bytes and channels, in their order. When each send starts is not
//! decided here: it follows from the bandwidths and latencies of the network.

use super::{Imported, ImportedError, recognise};
use crate::teccl;
use pavane_model::timed::{BufferSize, Chunk, Send, TimedPhase, TimedSchedule};
use pavane_model::{Duplex, Fraction, MessageId, Model, Network, Problem};

/// A schedule of another program for messages of a size. The sends are in their order; their times
/// are not known yet.
#[derive(Debug, Clone, PartialEq)]
pub struct UntimedSchedule {
    /// The schedule. The start of a send is its place in the order.
    pub schedule: TimedSchedule,
    /// The time that the file claims, in nanoseconds.
    pub claimed_ns: Option<f64>,
    /// The algorithm bandwidth that the file claims, in GB/s.
    pub claimed_gbytes: Option<f64>,
    /// How many demands the file meets, and how many the collective has.
    pub demands_met: Option<(u64, u64)>,
    /// What a reader should know.
    pub notes: Vec<String>,
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
    Some(imported.and_then(|phases| untimed(phases, bytes)))
}

/// The transfers of steps in their order, one send for every channel.
fn untimed(imported: Vec<Imported>, bytes: u64) -> Result<UntimedSchedule, ImportedError> {
    let size = BufferSize::Bytes(bytes);
    let phases: Result<Vec<TimedPhase>, ImportedError> =
        imported.iter().map(|phase| timed_phase(phase, &size)).collect();
    let phases = phases?;
    let name = match &phases[..] {
        [only] => only.problem.collective().name.clone(),
        _ => "all-reduce".to_owned(),
    };
    let schedule = TimedSchedule {
        name,
        phases,
        size,
        duplex: Duplex::Full,
        time_unit_ns: Fraction::ONE,
        time: None,
        bound: None,
    };
    let (claimed_ns, claimed_gbytes, demands_met) = (None, None, None);
    Ok(UntimedSchedule { schedule, claimed_ns, claimed_gbytes, demands_met, notes: Vec::new() })
}

fn timed_phase(imported: &Imported, size: &BufferSize) -> Result<TimedPhase, ImportedError> {
    let Imported { problem, schedule } = imported;
    let collective = problem.collective();
    let whole = Problem::new(problem.network().clone(), collective.whole(), Model::default())?;
    let (chunks, numbers) = cut(&size.of_messages(&whole), collective.chunk_count());
    let mut sends = Vec::new();
    for step in 0..schedule.step_count() {
        for transfer in schedule.step(step) {
            let Some(chunk) = numbers[transfer.message.index()] else { continue };
            let start = sends.len() as u64;
            sends.extend(transfer.path.iter().map(|&channel| Send { chunk, channel, start }));
        }
    }
    Ok(TimedPhase { problem: whole, chunks, sends })
}

/// Cuts every message into `count` chunks that differ by a byte at most. Also returns the number of
/// every chunk, by message and place; empty ones have none.
pub(crate) fn cut(sizes: &[u64], count: u32) -> (Vec<Chunk>, Vec<Option<u32>>) {
    let mut chunks = Vec::new();
    let mut numbers = Vec::new();
    for (message, &bytes) in (0..).map(MessageId).zip(sizes) {
        let end = |part: u32| (u128::from(bytes) * u128::from(part) / u128::from(count)) as u64;
        for part in 0..count {
            let (offset, end) = (end(part), end(part + 1));
            numbers.push((offset < end).then_some(chunks.len() as u32));
            if offset < end {
                chunks.push(Chunk { message, offset, bytes: end - offset });
            }
        }
    }
    (chunks, numbers)
}
