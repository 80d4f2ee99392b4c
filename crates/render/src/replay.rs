//! Checks the log of a mission with the judge.

use pavane_model::{Duplex, Network};
use pavane_traffic::{Log, Mission, SwitchingMethod, ticks};
use pavane_verify::traffic_log::{LoggedHold, LoggedMessage, LoggedSwitching, check_log};

/// Checks a log. A violation means a bug in Pavane. The caller reports messages that never arrived.
pub fn replay(
    network: &Network,
    duplex: Duplex,
    switching: SwitchingMethod,
    mission: &Mission,
    completions: &[u64],
    log: &Log,
) -> Result<(), String> {
    let mut messages: Vec<LoggedMessage> = mission
        .messages()
        .iter()
        .zip(completions)
        .map(|(message, &completion)| LoggedMessage {
            arrival: message.arrival,
            length: message.length,
            source: message.source,
            destination: message.destination,
            after: Vec::new(),
            completion,
        })
        .collect();
    for earlier in 0..mission.len() as u32 {
        for &later in mission.followers(earlier) {
            messages[later as usize].after.push(earlier);
        }
    }
    let holds: Vec<LoggedHold> = log
        .holds
        .iter()
        .map(|hold| LoggedHold {
            message: hold.message,
            channel: hold.channel,
            start: hold.start,
            end: hold.end,
        })
        .collect();
    let logged = match switching {
        SwitchingMethod::StoreAndForward => LoggedSwitching::Message,
        SwitchingMethod::Circuit => LoggedSwitching::Circuit,
        SwitchingMethod::CutThrough => LoggedSwitching::CutThrough,
        SwitchingMethod::Wormhole(lanes) => LoggedSwitching::Wormhole { lanes: lanes as usize },
        SwitchingMethod::Flits(rules) => {
            LoggedSwitching::Flits { lanes: rules.lanes as usize, cycle: ticks::UNIT }
        }
    };
    match check_log(network, duplex, logged, &messages, &holds).first() {
        None => Ok(()),
        Some(complaint) => Err(format!("the judge rejected the log: {complaint}")),
    }
}
