//! SimGrid: a platform with a link for every channel, with its bandwidth and latency, a trace of the sends
//! with their starts and arrivals, and a Python program that replays it and compares every arrival. Every
//! channel has its own two hosts, because a SimGrid route has only one path.

use super::hops::sends;
use super::too_fine;
use crate::export::{ExportError, File};
use pavane_model::{ChannelId, Duplex};
use pavane_verify::CheckedTimed;
use std::fmt::Write;

/// Maximum number of channels; SimGrid's table of routes would need too much memory beyond it.
const MOST_CHANNELS: usize = 4096;

const PROGRAM: &str = include_str!("replay.py");

pub(super) fn write(checked: &CheckedTimed) -> Result<Vec<File>, ExportError> {
    let schedule = checked.schedule();
    let network = checked.network();
    let channels = network.channel_count();
    if channels > MOST_CHANNELS {
        return Err(ExportError::TooLarge {
            format: "simgrid",
            problem: format!("its {channels} channels exceed the maximum of {MOST_CHANNELS}"),
            remedy: "export a smaller schedule",
        });
    }
    let fine = || too_fine("simgrid");
    let (bandwidths, latencies) = (network.bandwidths(), network.latencies());
    let (bandwidths, latencies) = (bandwidths.map_err(|_| fine())?, latencies.map_err(|_| fine())?);
    // Under half duplex both channels of a link share one.
    let link = |channel: ChannelId| {
        let opposite = network.opposite(channel).filter(|other| *other < channel);
        opposite.filter(|_| schedule.duplex == Duplex::Half).unwrap_or(channel)
    };
    let (mut hosts, mut links, mut routes) = (String::new(), String::new(), String::new());
    for channel in (0..channels as u32).map(ChannelId) {
        let (out, into) = (format!("c{channel}-out"), format!("c{channel}-in"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            hosts,
            "    <host id=\"{out}\" speed=\"1f\"/>\n    <host id=\"{into}\" speed=\"1f\"/>"
        );
        if link(channel) == channel {
            let _ = writeln!(
                links,
                "    <link id=\"channel-{channel}\" bandwidth=\"{}GBps\" latency=\"{}ns\"/>",
                decimal(bandwidths[channel.index()]),
                decimal(latencies[channel.index()])
            );
        }
        let _ = writeln!(
            routes,
            "    <route src=\"{out}\" dst=\"{into}\" symmetrical=\"NO\"><link_ctn id=\"channel-{}\"/></route>",
            link(channel)
        );
    }
    let platform = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <!-- a timed schedule, by pavane -->\n<platform version=\"4.1\">\n  <zone id=\"network\" routing=\"Full\">\n\
         {hosts}{links}{routes}  </zone>\n</platform>\n"
    );
    let mut trace = String::from("start_ns,channel,bytes,arrival_ns\n");
    for send in sends(schedule).ok_or_else(fine)? {
        let bytes = schedule.phases[send.phase].chunks[send.chunk].bytes;
        let (start, arrival) = (decimal(send.start_ns), decimal(send.arrival_ns));
        let _ = writeln!(trace, "{start},{},{bytes},{arrival}", send.channel);
    }
    let file =
        |suffix: &str, text: String| File { suffix: suffix.to_owned(), bytes: text.into_bytes() };
    Ok(vec![
        file(".platform.xml", platform),
        file(".trace.csv", trace),
        file(".replay.py", PROGRAM.to_owned()),
    ])
}

/// SimGrid computes with floating-point numbers; these are the nearest ones.
fn decimal(value: pavane_model::Fraction) -> f64 {
    value.to_f64()
}
