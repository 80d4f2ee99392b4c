//! SimGrid: a platform with a link for every channel and every port, a trace of the transfers, and
//! a Python program that replays it in SimGrid. A link carries one byte per second, so a transfer
//! that takes more seconds than it has bytes shares a link with another one: a conflict. Every path
//! of a pair has its own hosts, because a SimGrid route has only one path.

use crate::export::{ExportError, File};
use crate::whole::Whole;
use pavane_model::{ChannelId, Duplex, ProcessorId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Maximum number of hosts; SimGrid's table of routes would need too much memory beyond it.
const MOST_HOSTS: usize = 8192;

const PROGRAM: &str = include_str!("replay.py");

pub(crate) fn write(whole: &Whole<'_>) -> Result<Vec<File>, ExportError> {
    let mut platform = Platform {
        whole,
        hosts: String::new(),
        routes: String::new(),
        count: 0,
        known: BTreeMap::new(),
    };
    let mut trace = String::from("step,source,destination,bytes\n");
    for one in whole.moves() {
        let [source, target] = platform.route(one.from, one.to, one.path);
        // Writing to a string cannot fail.
        let _ = writeln!(trace, "{},{source},{target},{}", one.step, whole.chunk_bytes());
    }
    if platform.count > MOST_HOSTS {
        return Err(ExportError::TooLarge {
            format: "simgrid",
            problem: format!("its {} hosts exceed the maximum of {MOST_HOSTS}", platform.count),
            remedy: "export a smaller schedule",
        });
    }
    let file =
        |suffix: &str, text: String| File { suffix: suffix.to_owned(), bytes: text.into_bytes() };
    Ok(vec![
        file(".platform.xml", platform.finish()),
        file(".trace.csv", trace),
        file(".replay.py", PROGRAM.to_owned()),
    ])
}

struct Platform<'a> {
    whole: &'a Whole<'a>,
    hosts: String,
    routes: String,
    count: usize,
    /// By pair of ranks: its paths.
    known: BTreeMap<(u32, u32), Vec<&'a [ChannelId]>>,
}

impl<'a> Platform<'a> {
    /// The hosts at the ends of a path. Every path of a pair of ranks has its own hosts.
    fn route(&mut self, from: u32, to: u32, path: &'a [ChannelId]) -> [String; 2] {
        let paths = self.known.entry((from, to)).or_default();
        let number = paths.iter().position(|known| *known == path);
        let number = number.unwrap_or(paths.len());
        let name = |end: &str| format!("p{from}-p{to}-{number}-{end}");
        let [source, target] = [name("out"), name("in")];
        if number < paths.len() {
            return [source, target];
        }
        paths.push(path);
        self.count += 2;
        let _ = writeln!(
            self.hosts,
            "    <host id=\"{source}\" speed=\"1f\"/>\n    <host id=\"{target}\" speed=\"1f\"/>"
        );
        let mut links = vec![format!("send-{from}")];
        links.extend(path.iter().map(|&channel| self.link(channel)));
        links.push(format!("receive-{to}"));
        let links: String = links.iter().map(|link| format!("<link_ctn id=\"{link}\"/>")).collect();
        let _ = writeln!(
            self.routes,
            "    <route src=\"{source}\" dst=\"{target}\" symmetrical=\"NO\">{links}</route>"
        );
        [source, target]
    }

    /// The link of a channel; under half duplex both channels of a link share one.
    fn link(&self, channel: ChannelId) -> String {
        let opposite = self.whole.network().opposite(channel);
        let is_half = self.whole.problem().model().duplex == Duplex::Half;
        let first = opposite.filter(|other| is_half && *other < channel).unwrap_or(channel);
        format!("channel-{first}")
    }

    fn finish(self) -> String {
        let problem = self.whole.problem();
        let mut links = String::new();
        for number in 0..self.whole.network().channel_count() as u32 {
            let name = self.link(ChannelId(number));
            if name == format!("channel-{number}") {
                let _ =
                    writeln!(links, "    <link id=\"{name}\" bandwidth=\"1Bps\" latency=\"0s\"/>");
            }
        }
        // A processor with k ports sends k transfers at full speed, and more at reduced speed.
        let ports: [(&str, &dyn Fn(ProcessorId) -> u32); 2] = [
            ("send", &|processor| problem.send_ports(processor)),
            ("receive", &|processor| problem.receive_ports(processor)),
        ];
        for (word, ports) in ports {
            for (rank, &processor) in self.whole.processors.iter().enumerate() {
                let _ = writeln!(
                    links,
                    "    <link id=\"{word}-{rank}\" bandwidth=\"{}Bps\" latency=\"0s\"/>",
                    ports(processor).max(1)
                );
            }
        }
        let title = self.whole.comment();
        format!(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
             <!-- {title}, by pavane -->\n<platform version=\"4.1\">\n  <zone id=\"network\" routing=\"Full\">\n\
             {}{links}{}  </zone>\n</platform>\n",
            self.hosts, self.routes
        )
    }
}
