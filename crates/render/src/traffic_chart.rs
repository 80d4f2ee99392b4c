//! A Gantt chart of a simulated mission: when every link carries which message.

use crate::gantt::{self, Bar};
use crate::picture::scene::Scene;
use pavane_model::words::printable;
use pavane_model::{Channel, Duplex, Fault, ProcessorId};
use pavane_traffic::{Log, Mission, Simulator, ticks};

/// A link as in JSON: `3-7`, or `3>7` if the other direction is a separate link.
pub fn link_name(simulator: &Simulator, duplex: Duplex, link: u32) -> String {
    let network = simulator.network();
    let channel = network.channel(simulator.links().channel(link));
    let names = [channel.tail, channel.head].map(|router| network.router_name(router));
    printable(&names.join(if duplex == Duplex::Half { "-" } else { ">" })).into_owned()
}

/// A link as in pictures: `3–7`, or `3 → 7` if the other direction is a separate link.
pub fn link_label(simulator: &Simulator, duplex: Duplex, link: u32) -> String {
    let network = simulator.network();
    let Channel { tail, head, .. } = network.channel(simulator.links().channel(link));
    let link = match duplex {
        Duplex::Half => Fault::Link(tail, head),
        Duplex::Full => Fault::Channel(tail, head),
    };
    printable(&link.label(network)).into_owned()
}

/// Draws the chart.
pub fn scene(
    title: &str,
    simulator: &Simulator,
    duplex: Duplex,
    mission: &Mission,
    log: &Log,
) -> Scene {
    let links = simulator.links();
    let rows: Vec<String> =
        (0..links.count() as u32).map(|link| link_label(simulator, duplex, link)).collect();
    let name = |processor: ProcessorId| {
        printable(&simulator.network().processor_name(processor)).into_owned()
    };
    let bars = log.holds.iter().map(|hold| {
        let message = mission.messages()[hold.message as usize];
        let (from, to) = (name(message.source), name(message.destination));
        Bar {
            row: links.of(hold.channel) as usize,
            start: ticks::to_units(hold.start),
            end: ticks::to_units(hold.end),
            label: format!("message {}: {from} → {to}", hold.message),
            group: hold.message,
        }
    });
    gantt::scene(title, gantt::LINKS_IN_UNITS, &rows, &bars.collect::<Vec<_>>())
}
