//! Pavane's own network files, as TOML or JSON (`"format": "pavane/network/1"`). The format is
//! described in `docs/network-files.md`.

use super::cluster::{self, ClusterFile};
use super::own_edge::{End, ListedEdge, OwnEdge};
use super::{ImportError, entry_error, offset_error, place_error, whole_error};
use crate::description::{Description, Edge, Form};
use pavane_model::entry_place::EntryPlace;
use pavane_model::network::{LARGEST, Position, Timing, most_routers};
use pavane_model::strict_json;
use pavane_model::text_file;
use pavane_model::words::{excerpt, shortened};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde::de::DeserializeSeed;

/// The value of the `format` field.
pub(crate) const FORMAT: &str = "pavane/network/1";

/// The maximum size of a TOML file in bytes. A TOML parser keeps the whole tree in memory, which is
/// dozens of times larger than the text.
const LARGEST_TOML: usize = 16 << 20;

/// The structure of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `routers` and `links`")]
pub(super) struct OwnFile {
    format: Option<String>,
    name: Option<String>,
    routers: Routers,
    #[serde(default)]
    links: Vec<ListedEdge>,
    #[serde(default)]
    channels: Vec<ListedEdge>,
    processors: Option<Processors>,
    #[serde(default)]
    lost_routers: Vec<End>,
    #[serde(default)]
    faults: Vec<String>,
    #[serde(default)]
    positions: Vec<Position>,
    #[serde(default)]
    multicast: Vec<End>,
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
                               list of their routers"
)]
enum Processors {
    Word(String),
    OnEach(u32),
    Homes(Vec<Option<End>>),
}

/// Whether a text begins with a key and a value, or with a table, as TOML does.
pub(super) fn is_toml(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let first = lines.clone().find(|line| !line.is_empty() && !line.starts_with('#'));
    let is_key = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.\"".contains(c))
    };
    first.is_some_and(|line| {
        line.starts_with('[') || line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()))
    })
}

pub(super) fn parse_toml(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    if text.len() > LARGEST_TOML {
        let limit = LARGEST_TOML >> 20;
        let problem = format!("TOML is read up to {limit} MiB; write a larger network as JSON");
        return Err(whole_error(file, &problem));
    }
    let described = match toml::from_str::<OwnFile>(text) {
        Ok(own) => own.describe(name),
        Err(_) if cluster::is_one(text) => {
            let cluster: ClusterFile =
                toml::from_str(text).map_err(|error| toml_error(file, text, &error))?;
            cluster.describe(name)
        }
        Err(error) => return Err(toml_error(file, text, &error)),
    };
    described
        .map_err(|(place, problem)| entry_error(file, place, line_in_toml(place, text), &problem))
}

/// A TOML error with its position.
fn toml_error(file: &str, text: &str, error: &toml::de::Error) -> ImportError {
    let problem = in_words(&shortened(error.message(), 300));
    match error.span() {
        Some(span) => offset_error(file, text, span.start, &problem),
        None => whole_error(file, &problem),
    }
}

/// The line of an entry in TOML.
fn line_in_toml(place: EntryPlace<'_>, text: &str) -> Option<usize> {
    let found = place.deserialize(toml::Deserializer::parse(text).ok()?);
    let start = found.err()?.span()?.start;
    Some(text.get(..start)?.matches('\n').count() + 1)
}

pub(super) fn parse_json(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    let own: OwnFile = strict_json::from_str(text).map_err(|error| json_error(file, &error))?;
    own.describe(name)
        .map_err(|(place, problem)| entry_error(file, place, place.line_in_json(text), &problem))
}

/// A JSON error with its position.
pub(super) fn json_error(file: &str, error: &serde_json::Error) -> ImportError {
    let (line, column, problem) = text_file::json_problem(error);
    place_error(file, &format!("line {line}, column {column}"), &in_words(&problem))
}

/// An error of the JSON or TOML parser without the names of types.
fn in_words(problem: &str) -> String {
    if problem == "expected value" {
        return "expected a value such as 12.5 or \"text\"; Infinity and NaN are no values of JSON"
            .to_owned();
    }
    let whole = ["expected u32", "expected u64", "expected usize"];
    let words = problem.replace("expected f64", "expected a number without a unit");
    whole.iter().fold(words, |words, name| words.replace(name, "expected a whole number"))
}

/// An entry and what is wrong with it.
pub(super) type EntryProblem = (EntryPlace<'static>, String);

impl OwnFile {
    pub(super) fn describe(self, default_name: &str) -> Result<Description, EntryProblem> {
        if let Some(format) = self.format.filter(|format| format != FORMAT) {
            let problem = format!("its format is {:?}, not {FORMAT:?}", excerpt(&format));
            return Err((EntryPlace::Field(&["format"]), problem));
        }
        let (routers, names) = match self.routers {
            Routers::Count(routers) => (routers, Vec::new()),
            Routers::Names(names) => (names.len() as u32, names),
        };
        if u64::from(routers) > LARGEST {
            let problem = format!("{routers} routers; the maximum is {LARGEST}");
            return Err((EntryPlace::Field(&["routers"]), problem));
        }
        let channels = 2 * self.links.len() as u64 + self.channels.len() as u64;
        let most = most_routers(channels);
        if u64::from(routers) > most {
            let problem =
                format!("{routers} routers and {channels} channels; the maximum is {most}");
            return Err((EntryPlace::Field(&["routers"]), problem));
        }
        let ends = Ends::new(&names, routers);
        let mut edges = Vec::with_capacity(self.links.len() + self.channels.len());
        for (index, ListedEdge(link)) in self.links.into_iter().enumerate() {
            edges.push(ends.edge(link, true).map_err(|p| (EntryPlace::In(&["links"], index), p))?);
        }
        for (index, ListedEdge(channel)) in self.channels.into_iter().enumerate() {
            let edge = ends.edge(channel, false);
            edges.push(edge.map_err(|p| (EntryPlace::In(&["channels"], index), p))?);
        }
        let homes = ends.homes(self.processors)?;
        let mut lost = Vec::with_capacity(self.lost_routers.len());
        for (index, end) in self.lost_routers.into_iter().enumerate() {
            let found = ends.find(end);
            lost.push(found.map_err(|p| (EntryPlace::In(&["lost_routers"], index), p))?);
        }
        let name = self.name.unwrap_or_else(|| default_name.to_owned());
        if !self.positions.is_empty() && self.positions.len() != routers as usize {
            let problem = format!("{} positions for {routers} routers", self.positions.len());
            return Err((EntryPlace::Field(&["positions"]), problem));
        }
        let multicast = ends.multicast(self.multicast, &homes)?;
        let (faults, positions) = (self.faults, self.positions);
        Ok(Description { name, routers, edges, homes, lost, names, faults, positions, multicast })
    }
}

/// Resolves router numbers and names.
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
                    format!("there is no router {number} (valid: 0 to {last})")
                }
                End::Name(name) if self.numbers.is_empty() => {
                    format!(
                        "router {:?} is given by name, but `routers` lists no names",
                        excerpt(name)
                    )
                }
                End::Name(name) => format!("no router is called {:?}", excerpt(name)),
            }
        })
    }

    fn edge(&self, edge: OwnEdge, is_link: bool) -> Result<Edge, String> {
        let OwnEdge { from, to, latency_ns, bandwidth_gbytes, link } = edge;
        let timing = Timing { latency_ns, bandwidth_gbytes };
        timing.check()?;
        let form = match (is_link, link) {
            (true, Some(_)) => {
                return Err("`link` pairs channels and is not allowed in `links`".to_owned());
            }
            (true, None) => Form::Link,
            (false, link) => Form::Channel { link },
        };
        let (tail, head) = (self.find(from)?, self.find(to)?);
        if tail == head {
            return Err(format!("it leads from router {tail} to itself, which is not allowed"));
        }
        Ok(Edge { tail, head, form, timing })
    }

    /// The homes of the processors.
    fn homes(&self, processors: Option<Processors>) -> Result<Vec<Option<u32>>, EntryProblem> {
        let homes = match processors {
            None => self.on_each(1),
            Some(Processors::Word(word)) if word == "each" => self.on_each(1),
            Some(Processors::Word(word)) => {
                Err(format!("{:?} is neither \"each\" nor a list of routers", excerpt(&word)))
            }
            Some(Processors::OnEach(count)) => self.on_each(count),
            Some(Processors::Homes(homes)) => {
                let mut found = Vec::with_capacity(homes.len());
                for (index, home) in homes.into_iter().enumerate() {
                    let home = home.map(|end| self.find(end)).transpose();
                    found.push(home.map_err(|p| (EntryPlace::In(&["processors"], index), p))?);
                }
                Ok(found)
            }
        };
        homes.map_err(|problem| (EntryPlace::Field(&["processors"]), problem))
    }

    /// The switches that copy.
    fn multicast(&self, listed: Vec<End>, homes: &[Option<u32>]) -> Result<Vec<u32>, EntryProblem> {
        let homes: FxHashSet<u32> = if listed.is_empty() {
            FxHashSet::default()
        } else {
            homes.iter().copied().flatten().collect()
        };
        let mut multicast = Vec::with_capacity(listed.len());
        for (index, end) in listed.into_iter().enumerate() {
            let found = self.find(end).and_then(|router| {
                if homes.contains(&router) {
                    Err(format!("router {router} has a processor; only switches copy"))
                } else {
                    Ok(router)
                }
            });
            multicast.push(found.map_err(|p| (EntryPlace::In(&["multicast"], index), p))?);
        }
        Ok(multicast)
    }

    fn on_each(&self, count: u32) -> Result<Vec<Option<u32>>, String> {
        let total = u64::from(self.routers) * u64::from(count);
        if total > LARGEST {
            return Err(format!("{total} processors; the maximum is {LARGEST}"));
        }
        let on = |router| std::iter::repeat_n(Some(router), count as usize);
        Ok((0..self.routers).flat_map(on).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_where_it_begins() {
        let text =
            "a = [1]\nb = [\n {x = 1}, 2,\n [3,\n 4]]\nc = \"d\"\n[[e]]\nx = 1\n[[e]]\nx = 1\n";
        for (place, line) in [
            (EntryPlace::Field(&["c"]), Some(6)),
            (EntryPlace::In(&["b"], 0), Some(3)),
            (EntryPlace::In(&["z", "b"], 1), Some(3)),
            (EntryPlace::In(&["b"], 2), Some(4)),
            (EntryPlace::In(&["e"], 1), Some(9)),
            (EntryPlace::Field(&["z"]), None),
            (EntryPlace::In(&["b"], 3), None),
        ] {
            assert_eq!(line_in_toml(place, text), line, "{place:?}");
        }
    }
}
