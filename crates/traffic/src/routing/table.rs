//! A routing table: the next channel for every router and destination, independent of the path so
//! far. Checked at construction: every pair of routers with processors is connected, and no path
//! has a cycle. A table can also prescribe the class of virtual channels of every hop, or leave
//! a choice.

use super::VirtualChannel;
use super::row::RowChannel;
use crate::error::TrafficError;
use pavane_model::{ChannelId, Network, RouterId, text_file};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// Maximum number of routers of a network with a table.
pub const MOST_ROUTERS: usize = 8192;

const NONE: u32 = u32::MAX;

/// The next channel for every router and destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutingTable {
    name: String,
    routers: usize,
    /// Indexed by router, then destination.
    next: Vec<u32>,
    /// Number of classes of virtual channels.
    class_count: u32,
    /// The lowest class of every hop, indexed as `next`; empty if there is one class.
    classes: Vec<u8>,
    /// If messages may choose a higher class: the place of every channel in its row.
    rows: Option<Vec<RowChannel>>,
}

impl RoutingTable {
    /// Builds a table from a function and checks it. Errors refer to it as `name`.
    pub fn new(
        name: &str,
        network: &Network,
        next: impl Fn(RouterId, RouterId) -> Option<ChannelId>,
    ) -> Result<Self, TrafficError> {
        check_size(network)?;
        let routers = network.router_count();
        let mut table = Self {
            name: name.to_owned(),
            routers,
            next: Vec::with_capacity(routers * routers),
            class_count: 1,
            classes: Vec::new(),
            rows: None,
        };
        for at in network.routers() {
            for to in network.routers() {
                let channel = if at == to { None } else { next(at, to) };
                table.next.push(channel.map_or(NONE, |channel| channel.0));
            }
        }
        table.check(network)?;
        Ok(table)
    }

    /// Prescribes classes of virtual channels: the hop from a router towards a destination uses a
    /// virtual channel of the class that the function returns, which must be below `count`.
    pub fn with_classes(
        mut self,
        network: &Network,
        count: u32,
        class: impl Fn(&Self, RouterId, RouterId) -> u8,
    ) -> Self {
        let mut classes = Vec::with_capacity(self.next.len());
        for at in network.routers() {
            for to in network.routers() {
                let is_routed = self.next(at, to).is_some();
                classes.push(if is_routed { class(&self, at, to) } else { 0 });
            }
        }
        self.class_count = count;
        self.classes = classes;
        self
    }

    /// Lets messages choose between the class of a hop and higher ones. In a row, the class never rises, and
    /// it is the lowest one behind the link between the ends of the row.
    pub(super) fn with_choice(mut self, rows: Vec<RowChannel>) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Whether some hops may use several classes of virtual channels.
    pub(super) fn has_choice(&self) -> bool {
        self.rows.is_some()
    }

    /// The classes of virtual channels that the hop from a router towards a destination may use, after a hop on
    /// a virtual channel or at the source.
    pub(crate) fn class_range(
        &self,
        before: Option<VirtualChannel>,
        at: RouterId,
        to: RouterId,
    ) -> Range<u32> {
        let least = self.class(at, to);
        let (Some(rows), Some(next)) = (&self.rows, self.next(at, to)) else {
            return least..least + 1;
        };
        let next = rows[next.index()];
        let before = before.map(|before| (rows[before.channel.index()], before.class));
        let most = match before.filter(|(row, _)| row.dimension == next.dimension) {
            None => self.class_count - 1,
            Some((row, _)) if row.is_wrap => 0,
            Some((_, class)) => class,
        };
        least..most.max(least) + 1
    }

    /// Number of classes of virtual channels; 1 if every hop may use any virtual channel.
    pub fn classes(&self) -> u32 {
        self.class_count
    }

    /// The class of virtual channels that the hop from a router towards a destination uses, the lowest one if
    /// there is a choice.
    #[inline]
    pub fn class(&self, at: RouterId, to: RouterId) -> u32 {
        let class = self.classes.get(at.index() * self.routers + to.index());
        class.map_or(0, |&class| u32::from(class))
    }

    /// The name of the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next channel from one router to another; `None` at the destination, or if the table has
    /// no entry.
    #[inline]
    pub fn next(&self, at: RouterId, to: RouterId) -> Option<ChannelId> {
        let channel = self.next[at.index() * self.routers + to.index()];
        (channel != NONE).then_some(ChannelId(channel))
    }

    /// Appends the path from one router to another to a list.
    pub fn path(&self, network: &Network, from: RouterId, to: RouterId, path: &mut Vec<ChannelId>) {
        let mut at = from;
        while let Some(channel) = self.next(at, to) {
            path.push(channel);
            at = network.channel(channel).head;
        }
    }

    /// Total length of the paths between routers with processors divided by that of shortest paths.
    pub fn stretch(&self, network: &Network) -> f64 {
        let ends: Vec<RouterId> =
            network.routers().filter(|&router| !network.residents(router).is_empty()).collect();
        let (mut hops, mut least) = (0usize, 0usize);
        let mut path = Vec::new();
        for &to in &ends {
            let distances = network.distances_to(to);
            for &from in ends.iter().filter(|from| **from != to) {
                path.clear();
                self.path(network, from, to, &mut path);
                hops += path.len();
                least += distances[from.index()] as usize;
            }
        }
        hops as f64 / least.max(1) as f64
    }

    /// Number of channels from every router to every destination, by destination, then router; 0 if
    /// there is no path.
    pub(crate) fn all_hops(&self, network: &Network) -> Vec<u16> {
        let mut hops = vec![0u16; self.routers * self.routers];
        let mut path = Vec::new();
        for to in network.routers() {
            let row = &mut hops[to.index() * self.routers..][..self.routers];
            for from in network.routers() {
                path.clear();
                let mut at = from;
                while let Some(channel) = self.next(at, to).filter(|_| row[at.index()] == 0) {
                    path.push(at);
                    at = network.channel(channel).head;
                }
                for (count, router) in (row[at.index()] + 1..).zip(path.iter().rev()) {
                    row[router.index()] = count;
                }
            }
        }
        hops
    }

    /// Fails unless every router with a processor reaches every other without a cycle.
    fn check(&self, network: &Network) -> Result<(), TrafficError> {
        let ends: Vec<RouterId> =
            network.routers().filter(|&router| !network.residents(router).is_empty()).collect();
        let mut state = vec![NONE; self.routers];
        for (mark, &to) in (0..).zip(&ends) {
            state[to.index()] = mark;
            for &from in &ends {
                self.check_pair(network, from, to, mark, &mut state)?;
            }
        }
        Ok(())
    }

    /// Follows the table to a router that is known to reach the destination.
    fn check_pair(
        &self,
        network: &Network,
        from: RouterId,
        to: RouterId,
        mark: u32,
        state: &mut [u32],
    ) -> Result<(), TrafficError> {
        let no_way = |advice| TrafficError::NoWay {
            routing: self.name.clone(),
            from: network.router_name(from),
            to: network.router_name(to),
            advice,
        };
        let mut at = from;
        let mut hops = 0;
        while state[at.index()] != mark {
            let Some(channel) = self.next(at, to) else {
                let is_cut = network.distances_from(from)[to.index()] == u32::MAX;
                return Err(no_way(if is_cut {
                    ": the network has none"
                } else {
                    ": the table has no entry for it"
                }));
            };
            at = network.channel(channel).head;
            hops += 1;
            if hops > self.routers {
                return Err(no_way(": the route is a loop"));
            }
        }
        let mut at = from;
        while state[at.index()] != mark {
            state[at.index()] = mark;
            match self.next(at, to) {
                Some(channel) => at = network.channel(channel).head,
                None => break,
            }
        }
        Ok(())
    }
}

pub(super) fn check_size(network: &Network) -> Result<(), TrafficError> {
    let routers = network.router_count();
    if routers > MOST_ROUTERS {
        Err(TrafficError::TooManyRouters {
            network: network.name().to_owned(),
            routers,
            most: MOST_ROUTERS,
        })
    } else {
        Ok(())
    }
}

/// Reads a table from a file with lines `router,destination,next router`, and optionally a fourth
/// field with the class of virtual channels.
pub fn read_table(path: &Path, network: &Network) -> Result<RoutingTable, TrafficError> {
    let text = text_file::read(path)?;
    parse_table(&path.display().to_string(), &text, network)
}

/// Parses a table; errors refer to it as `file`.
pub fn parse_table(
    file: &str,
    text: &str,
    network: &Network,
) -> Result<RoutingTable, TrafficError> {
    check_size(network)?;
    let routers = network.router_count();
    let mut next = vec![None; routers * routers];
    let mut classes = vec![0u8; routers * routers];
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() || content.starts_with("router") {
            continue;
        }
        let wrong = |problem| TrafficError::Syntax {
            file: file.to_owned(),
            place: format!("line {}", index + 1),
            problem,
        };
        let (at, to, channel, class) = table_entry(content, network).map_err(wrong)?;
        classes[at.index() * routers + to.index()] = class;
        let entry = &mut next[at.index() * routers + to.index()];
        if let Some(before) = entry.replace(channel)
            && before != channel
        {
            let [at, to, before] =
                [at, to, network.channel(before).head].map(|router| network.router_name(router));
            return Err(wrong(format!("another line goes from {at} to {to} by way of {before}")));
        }
    }
    let table = RoutingTable::new(file, network, |at, to| next[at.index() * routers + to.index()])?;
    let count = u32::from(classes.iter().copied().max().unwrap_or(0)) + 1;
    if count == 1 {
        return Ok(table);
    }
    let class =
        |_: &RoutingTable, at: RouterId, to: RouterId| classes[at.index() * routers + to.index()];
    Ok(table.with_classes(network, count, class))
}

/// Largest class of virtual channels in a file.
const LAST_CLASS: u8 = 63;

fn table_entry(
    line: &str,
    network: &Network,
) -> Result<(RouterId, RouterId, ChannelId, u8), String> {
    // Router names of grids contain commas, so tables of such networks use semicolons.
    let separator = if line.contains(';') { ';' } else { ',' };
    let fields: Vec<&str> = line.split(separator).map(str::trim).collect();
    let (at, to, next, class) = match fields[..] {
        [at, to, next] => (at, to, next, "0"),
        [at, to, next, class] => (at, to, next, class),
        _ => {
            return Err(format!(
                "{} fields instead of router,destination,next router",
                fields.len()
            ));
        }
    };
    let class = class.parse().ok().filter(|class| *class <= LAST_CLASS).ok_or_else(|| {
        format!("{class:?} is not a class of virtual channels (valid: 0 to {LAST_CLASS})")
    })?;
    let router = |text: &str| {
        network.find_router(text).ok_or_else(|| {
            format!("there is no router {text:?} (valid: 0 to {})", network.router_count() - 1)
        })
    };
    let (at, to, next) = (router(at)?, router(to)?, router(next)?);
    let channel = network.channels_between(at, next).next();
    let (at_name, next_name) = (network.router_name(at), network.router_name(next));
    let channel =
        channel.ok_or_else(|| format!("no channel leads from {at_name} to {next_name}"))?;
    Ok((at, to, channel, class))
}

/// Writes a table as lines `router,destination,next router`, by router number, with the class of
/// virtual channels as a fourth field if there are several.
pub fn write_table(table: &RoutingTable, network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let has_classes = table.classes() > 1;
    writeln!(out, "router,destination,next{}", if has_classes { ",class" } else { "" })?;
    for at in network.routers() {
        for to in network.routers() {
            if let Some(channel) = table.next(at, to) {
                write!(out, "r{at},r{to},r{}", network.channel(channel).head)?;
                if has_classes {
                    write!(out, ",{}", table.class(at, to))?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::TableMaker;
    use super::*;
    use pavane_networks::topology;

    #[test]
    fn a_table_survives_its_file() {
        let network = topology::build("mesh:3x4").unwrap();
        let table = TableMaker::find("e-cube").unwrap().table(&network).unwrap();
        let mut bytes = Vec::new();
        write_table(&table, &network, &mut bytes).unwrap();
        let again =
            parse_table("dimension order", &String::from_utf8(bytes).unwrap(), &network).unwrap();
        assert_eq!(table, again);
    }

    #[test]
    fn bad_tables_are_refused() {
        let network = topology::build("ring:3").unwrap();
        let whole = "0,1,1\n0,2,2\n1,0,0\n1,2,2\n2,0,0\n2,1,1\n";
        assert!(parse_table("it", whole, &network).is_ok());
        assert!(parse_table("it", &format!("{whole}2,1,1"), &network).is_ok());
        let cases = [
            (whole.replace("2,1,1\n", ""), "it: no path from router 2 to router 1: the table has"),
            (whole.replace("0,1,1", "0,1,2").replace("2,1,1", "2,1,0"), "is a loop"),
            (
                whole.replace("2,1,1", "2,1,3"),
                "it: line 6: there is no router \"3\" (valid: 0 to 2)",
            ),
            (whole.replace("2,1,1", "2,1,2"), "it: line 6: no channel leads from 2 to 2"),
            (whole.replace("2,1,1", "2,1"), "it: line 6: 2 fields instead of"),
            (format!("{whole}2,1,0"), "it: line 7: another line goes from 2 to 1 by way of 1"),
        ];
        for (text, expected) in cases {
            let error = parse_table("it", &text, &network).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
