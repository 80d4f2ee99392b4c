//! The page of a timed schedule, which plays it in equal moments: the chunks on every channel, in the
//! colour of their origins.

use super::data::{MOST_IN_ALL, Motion, MovingChunk, PlayedTransfer, PlayerData, drawing};
use super::page::{picture_page, player_page};
use crate::picture::Map;
use crate::picture::labels::faults;
use crate::picture::timed::{facts, title};
use crate::picture::{DrawError, Theme, check_size, svg, timed};
use pavane_model::{ProcessorId, RouterId};
use pavane_verify::CheckedTimed;
use serde_json::Value;

/// The number of moments.
const MOMENTS: usize = 120;

/// A send in moments: when it starts, and when its chunk has arrived.
struct PlayedSend {
    first: usize,
    last: usize,
    /// The same as fractions of the whole time.
    start: f64,
    arrival: f64,
    label: String,
    origin: ProcessorId,
    channel: pavane_model::ChannelId,
}

/// The page of a timed schedule. It plays the schedule, or shows the chart if there are too many sends.
/// `reason` explains the bound.
pub fn timed_page(checked: &CheckedTimed, reason: &str) -> Result<String, DrawError> {
    check_size(checked.network())?;
    if let Some(data) = timed_data(checked, reason) {
        return Ok(player_page(&title(checked), &data));
    }
    let picture = svg::write(&timed(checked, reason)?, Theme::Auto);
    Ok(picture_page(&title(checked), &picture))
}

/// The data of the player; `None` if there are too many sends to play.
pub fn timed_data(checked: &CheckedTimed, reason: &str) -> Option<Value> {
    let sends = sends(checked);
    let uses: usize = sends.iter().map(|send| send.last + 1 - send.first).sum();
    (uses <= MOST_IN_ALL).then(|| player_data(checked, &sends, reason))
}

fn sends(checked: &CheckedTimed) -> Vec<PlayedSend> {
    let schedule = checked.schedule();
    let network = checked.network();
    let (bandwidths, latencies) =
        (network.bandwidths().unwrap_or_default(), network.latencies().unwrap_or_default());
    let unit = schedule.time_unit_ns.to_f64();
    let end = checked.time_ns().to_f64().max(1e-9);
    let moment = |time: f64| ((time / end * MOMENTS as f64) as usize).min(MOMENTS - 1);
    let mut sends = Vec::new();
    for phase in &schedule.phases {
        let messages = phase.problem.messages();
        let mut first_of = vec![u32::MAX; messages.len()];
        for (number, chunk) in (0..).zip(&phase.chunks) {
            let first = &mut first_of[chunk.message.index()];
            *first = number.min(*first);
        }
        for send in &phase.sends {
            let chunk = &phase.chunks[send.chunk as usize];
            let channel = send.channel.index();
            let start = send.start as f64 * unit;
            let arrival = start
                + chunk.bytes as f64 / bandwidths[channel].to_f64()
                + latencies[channel].to_f64();
            let part = send.chunk - first_of[chunk.message.index()];
            sends.push(PlayedSend {
                first: moment(start),
                // A chunk that arrives when a moment begins is no longer on its way then.
                last: moment(arrival - end * 1e-9).max(moment(start)),
                start: start / end,
                arrival: arrival / end,
                label: format!("{}.{part}", chunk.message),
                origin: messages.origin(chunk.message),
                channel: send.channel,
            });
        }
    }
    sends
}

fn player_data(checked: &CheckedTimed, sends: &[PlayedSend], reason: &str) -> Value {
    let network = checked.network();
    let map = Map::new(network);
    let mut moments: Vec<Vec<PlayedTransfer<'_>>> = Vec::new();
    moments.resize_with(MOMENTS, Vec::new);
    let mut marks = vec![vec!['.'; network.processor_count()]; MOMENTS];
    let resident = |router: RouterId| network.residents(router).first().copied();
    for send in sends {
        let ends = network.channel(send.channel);
        // A switch has no processor, so the origin stands for it.
        let from = resident(ends.tail).unwrap_or(send.origin);
        let to = resident(ends.head).unwrap_or(send.origin);
        for moment in &mut moments[send.first..=send.last] {
            let path = vec![send.channel];
            let label = send.label.clone();
            moment.push(PlayedTransfer(label, from, to, send.origin, path.into()));
        }
        for &processor in network.residents(ends.head) {
            marks[send.last][processor.index()] = 'g';
        }
    }
    let channels = network.channel_count().max(1) as f64;
    let share = |transfers: &Vec<PlayedTransfer<'_>>| {
        let mut used: Vec<u32> =
            transfers.iter().flat_map(|transfer| transfer.4.iter().map(|one| one.0)).collect();
        used.sort_unstable();
        used.dedup();
        (1000.0 * used.len() as f64 / channels).round() / 1000.0
    };
    let mut facts = facts(checked);
    let length = checked.time_ns().to_f64() / 1000.0 / MOMENTS as f64;
    facts.push(("a moment takes", format!("{length:.4} µs")));
    if !network.faults().is_empty() {
        facts.push(("broken", faults(network)));
    }
    if !reason.is_empty() {
        facts.push(("because", reason.to_owned()));
    }
    let data = PlayerData {
        drawing: drawing(network, &map),
        title: title(checked),
        words: Some(("moment", "origin")),
        facts,
        legend: ("holds everything", "has just received a chunk"),
        phases: Vec::new(),
        overlap: None,
        both: None,
        senders: network.living_processors().collect(),
        usage: moments.iter().map(share).collect(),
        steps: moments,
        marks: marks.into_iter().map(|letters| letters.into_iter().collect()).collect(),
        motion: Some(motion(checked, sends)),
    };
    data.json()
}

/// When every chunk leaves and arrives, in moments.
fn motion(checked: &CheckedTimed, sends: &[PlayedSend]) -> Motion {
    let moment = |share: f64| (share * MOMENTS as f64 * 1e4).round() / 1e4;
    let mut moving: Vec<MovingChunk> = sends
        .iter()
        .map(|send| {
            MovingChunk(send.channel, moment(send.start), moment(send.arrival), send.origin)
        })
        .collect();
    moving.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    Motion { microseconds: checked.time_ns().to_f64() / 1000.0, sends: moving }
}
