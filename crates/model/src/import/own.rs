//! Our own network files, as TOML or as JSON (`"format": "pavane/network/1"`); described in
//! `docs/network-files.md`.

use super::attributes::check_timing;
use super::own_edge::{End, Entry, OwnEdge};
use super::{ImportError, offset_error, place_error, whole_error};
use crate::description::{Description, Edge, Form};
use crate::network::{LARGEST, Timing};
use crate::text_file;
use crate::words::{excerpt, shortened};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// What the field `format` says.
pub(crate) const FORMAT: &str = "pavane/network/1";

/// A reader of TOML keeps the whole tree in memory, dozens of times as large as the text.
const LARGEST_TOML: usize = 16 << 20;

/// A file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnFile {
    format: Option<String>,
    name: Option<String>,
    routers: Routers,
    #[serde(default)]
    links: Vec<Entry>,
    #[serde(default)]
    channels: Vec<Entry>,
    processors: Option<Processors>,
    #[serde(default)]
    lost_routers: Vec<End>,
    #[serde(default)]
    faults: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "routers must be a number of routers or a list of their names")]
enum Routers {
    Count(u32),
    Names(Vec<String>),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "processors must be \"each\", a number for every router, or the \
                               list of the routers they live on"
)]
enum Processors {
    Word(String),
    OnEach(u32),
    Homes(Vec<Option<End>>),
}

pub(super) fn parse_toml(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    if text.len() > LARGEST_TOML {
        let limit = LARGEST_TOML >> 20;
        let problem = format!("TOML is read up to {limit} MiB; write a larger network as JSON");
        return Err(whole_error(file, &problem));
    }
    let own: OwnFile = toml::from_str(text).map_err(|error| {
        let problem = shortened(error.message(), 300).into_owned();
        match error.span() {
            Some(span) => offset_error(file, text, span.start, &problem),
            None => whole_error(file, &problem),
        }
    })?;
    own.describe(file, name)
}

pub(super) fn parse_json(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    let own: OwnFile = serde_json::from_str(text).map_err(|error| json_error(file, &error))?;
    own.describe(file, name)
}

/// Where JSON goes wrong.
pub(super) fn json_error(file: &str, error: &serde_json::Error) -> ImportError {
    let (line, column, problem) = text_file::json_problem(error);
    place_error(file, &format!("line {line}, column {column}"), &problem)
}

impl OwnFile {
    fn describe(self, file: &str, default_name: &str) -> Result<Description, ImportError> {
        if let Some(format) = self.format.filter(|format| format != FORMAT) {
            let problem = format!("its format is {:?}, not {FORMAT:?}", excerpt(&format));
            return Err(whole_error(file, &problem));
        }
        let (routers, names) = match self.routers {
            Routers::Count(routers) => (routers, Vec::new()),
            Routers::Names(names) => (names.len() as u32, names),
        };
        if u64::from(routers) > LARGEST {
            let problem = format!("{routers} routers; at most {LARGEST} are handled");
            return Err(whole_error(file, &problem));
        }
        let ends = Ends::new(&names, routers);
        let at = |list: &str, index: usize, problem: String| {
            place_error(file, &format!("{list}[{index}]"), &problem)
        };
        let mut edges = Vec::with_capacity(self.links.len() + self.channels.len());
        for (index, Entry(link)) in self.links.into_iter().enumerate() {
            edges.push(ends.edge(link, true).map_err(|p| at("links", index, p))?);
        }
        for (index, Entry(channel)) in self.channels.into_iter().enumerate() {
            edges.push(ends.edge(channel, false).map_err(|p| at("channels", index, p))?);
        }
        let homes = match self.processors {
            None => ends.on_each(1),
            Some(Processors::Word(word)) if word == "each" => ends.on_each(1),
            Some(Processors::Word(word)) => {
                Err(format!("{:?} is not \"each\" and not a list of routers", excerpt(&word)))
            }
            Some(Processors::OnEach(count)) => ends.on_each(count),
            Some(Processors::Homes(homes)) => {
                homes.into_iter().map(|home| home.map(|end| ends.find(end)).transpose()).collect()
            }
        };
        let lost = self.lost_routers.into_iter().map(|end| ends.find(end));
        let lost = lost.collect::<Result<_, _>>();
        Ok(Description {
            name: self.name.unwrap_or_else(|| default_name.to_owned()),
            routers,
            edges,
            homes: homes.map_err(|problem| place_error(file, "processors", &problem))?,
            lost: lost.map_err(|problem| place_error(file, "lost_routers", &problem))?,
            names,
            faults: self.faults,
        })
    }
}

/// Finds the router that is meant.
struct Ends<'a> {
    routers: u32,
    numbers: FxHashMap<&'a str, u32>,
}

impl<'a> Ends<'a> {
    fn new(names: &'a [String], routers: u32) -> Self {
        let numbers = names.iter().zip(0..).map(|(name, number)| (name.as_str(), number)).collect();
        Self { routers, numbers }
    }

    fn find(&self, end: End) -> Result<u32, String> {
        let found = match &end {
            End::Number(number) => Some(*number).filter(|&number| number < self.routers),
            End::Name(name) => self.numbers.get(name.as_str()).copied(),
        };
        found.ok_or_else(|| {
            let last = self.routers.saturating_sub(1);
            match &end {
                End::Number(number) => {
                    format!("router {number} is not there; they are 0 to {last}")
                }
                End::Name(name) if self.numbers.is_empty() => {
                    format!("router {:?} has a name, but `routers` lists none", excerpt(name))
                }
                End::Name(name) => format!("no router is called {:?}", excerpt(name)),
            }
        })
    }

    fn edge(&self, edge: OwnEdge, is_link: bool) -> Result<Edge, String> {
        let OwnEdge { from, to, latency_ns, bandwidth_gbytes, link } = edge;
        let timing = Timing { latency_ns, bandwidth_gbytes };
        check_timing(timing)?;
        let form = match (is_link, link) {
            (true, Some(_)) => return Err("`link` joins channels; a link needs none".to_owned()),
            (true, None) => Form::Link,
            (false, link) => Form::Channel { link },
        };
        let (tail, head) = (self.find(from)?, self.find(to)?);
        if tail == head {
            return Err(format!("it leads from router {tail} to itself, which is not allowed"));
        }
        Ok(Edge { tail, head, form, timing })
    }

    fn on_each(&self, count: u32) -> Result<Vec<Option<u32>>, String> {
        let total = u64::from(self.routers) * u64::from(count);
        if total > LARGEST {
            return Err(format!("{total} processors; at most {LARGEST} are handled"));
        }
        let on = |router| std::iter::repeat_n(Some(router), count as usize);
        Ok((0..self.routers).flat_map(on).collect())
    }
}
