//! The platform of a specification: a mesh, a bidirectional torus, or a grid with links of its own.

use super::element::{SpecificationElement, specification};
use crate::description::{Description, Edge, Form};
use crate::import::{ImportError, place_error, whole_error};
use crate::topology;
use pavane_model::network::Timing;
use pavane_model::words::{counted, excerpt};
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of tiles.
const MOST_TILES: u64 = 1 << 16;

/// A platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slots from a router to the next one: those of the router and of the link.
    pub depth: u32,
    kind: PlatformKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PlatformKind {
    Mesh,
    Torus,
    /// The tiles at both ends of every link.
    Custom(Vec<(u32, u32)>),
}

/// Reads the platform in a text; `None` if it has none. Errors refer to `file`.
pub fn read_platform(text: &str, file: &str) -> Result<Option<Platform>, ImportError> {
    let elements = specification(text, file)?;
    let wrong =
        |(line, problem): (usize, String)| place_error(file, &format!("line {line}"), &problem);
    for element in &elements {
        let topology = match element.name.as_str() {
            "platform" => child(element, "topology"),
            "topology" => child(element, "graph"),
            _ => continue,
        };
        let topology = topology.map_err(wrong)?;
        return platform(element, topology).map(Some).map_err(wrong);
    }
    Ok(None)
}

/// Parses a platform as a network.
pub(crate) fn parse(text: &str, file: &str, name: &str) -> Result<Description, ImportError> {
    let Some(platform) = read_platform(text, file)? else {
        let problem = "a communication without a platform is not a network; give it to `pavane tdm` \
                       with --traffic";
        return Err(whole_error(file, problem));
    };
    platform.description(name).map_err(|problem| whole_error(file, &problem))
}

/// An error with its line.
type At<T> = Result<T, (usize, String)>;

fn child<'a>(element: &'a SpecificationElement, name: &str) -> At<&'a SpecificationElement> {
    let found = element.children.iter().find(|child| child.name == name);
    found.ok_or_else(|| (element.line, format!("<{}> has no <{name}>", element.name)))
}

fn platform(element: &SpecificationElement, topology: &SpecificationElement) -> At<Platform> {
    let size = |name: &str| match element.number(name) {
        Ok(Some(size)) if size > 0 => Ok(size),
        Ok(Some(_)) => Err((element.line, format!("{name} is 0, but it must be at least 1"))),
        Ok(None) => Err((element.line, format!("<{}> has no {name}", element.name))),
        Err(problem) => Err((element.line, problem)),
    };
    let (width, height) = (size("width")?, size("height")?);
    if u64::from(width) * u64::from(height) > MOST_TILES {
        let problem = format!("{width} by {height} tiles exceed the maximum of {MOST_TILES}");
        return Err((element.line, problem));
    }
    let at = |problem: String| (topology.line, problem);
    let router = topology.number("routerDepth").map_err(at)?.unwrap_or(1);
    let link = topology.number("linkDepth").map_err(at)?.unwrap_or(0);
    let mut depth = router.saturating_add(link);
    let kind = topology.attribute("type").or(topology.attribute("topoType"));
    let kind = match kind {
        Some("mesh") => PlatformKind::Mesh,
        Some("bitorus") => PlatformKind::Torus,
        Some("custom") => {
            let (links, link) = links(topology, (width, height), link)?;
            depth = router.saturating_add(link);
            PlatformKind::Custom(links)
        }
        None => return Err(at(format!("<{}> has no type", topology.name))),
        Some(other) => {
            let other = excerpt(other);
            let problem = format!("the type is {other:?}; known are mesh, bitorus and custom");
            return Err(at(problem));
        }
    };
    Ok(Platform { width, height, depth, kind })
}

/// The links of a custom topology and their depth, which is the same for all. `depth` is the default.
fn links(
    topology: &SpecificationElement,
    (width, height): (u32, u32),
    depth: u32,
) -> At<(Vec<(u32, u32)>, u32)> {
    let mut links = Vec::new();
    let mut common: Option<u32> = None;
    for link in topology.children.iter().filter(|child| child.name == "link") {
        let at = |problem: String| (link.line, problem);
        let tile = |name: &str| {
            let (x, y) = link.tile(name).map_err(at)?;
            if x >= width || y >= height {
                let last = format!("({},{})", width - 1, height - 1);
                return Err(at(format!("there is no tile ({x},{y}); the last one is {last}")));
            }
            Ok(y * width + x)
        };
        let (source, sink) = (tile("source")?, tile("sink")?);
        if source == sink {
            return Err(at("the link leads from a tile to itself".to_owned()));
        }
        let own = link.number("depth").map_err(at)?.unwrap_or(depth);
        let before = *common.get_or_insert(own);
        if own != before {
            return Err(at(format!(
                "this link takes {}, but those before it take {before}; all links must have the same \
                 depth",
                counted(own, "slot")
            )));
        }
        links.push((source, sink));
    }
    if links.is_empty() {
        return Err((topology.line, "there is no <link>".to_owned()));
    }
    Ok((links, common.unwrap_or(depth)))
}

impl Platform {
    /// The network, under the name of its family if it is one.
    fn description(&self, name: &str) -> Result<Description, String> {
        let Self { width, height, .. } = *self;
        let family = match &self.kind {
            PlatformKind::Mesh => "mesh",
            PlatformKind::Torus if width != 2 && height != 2 => "torus",
            PlatformKind::Torus => return Ok(self.grid(name, &self.double_torus())),
            PlatformKind::Custom(links) => return Ok(self.grid(name, links)),
        };
        let network = topology::build(&format!("{family}:{height}x{width}"));
        network.map(|network| Description::of(&network)).map_err(|error| error.to_string())
    }

    /// The links of a torus. Two tiles that are alone in their row have two links in each direction,
    /// unlike in the family `torus`.
    fn double_torus(&self) -> Vec<(u32, u32)> {
        let Self { width, height, .. } = *self;
        let tiles = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let number = |x: u32, y: u32| y % height * width + x % width;
        let mut links = Vec::new();
        for (x, y) in tiles {
            let (own, right, below) = (number(x, y), number(x + 1, y), number(x, y + 1));
            if width > 1 {
                links.extend([(own, right), (right, own)]);
            }
            if height > 1 {
                links.extend([(own, below), (below, own)]);
            }
        }
        links
    }

    fn grid(&self, name: &str, links: &[(u32, u32)]) -> Description {
        let tiles = self.width * self.height;
        // The channels that wait for an opposite one, by their ends.
        let mut open: BTreeMap<(u32, u32), VecDeque<usize>> = BTreeMap::new();
        let mut forms = vec![None; links.len()];
        let mut is_used = vec![false; tiles as usize];
        for (at, &(tail, head)) in links.iter().enumerate() {
            is_used[tail as usize] = true;
            is_used[head as usize] = true;
            match open.get_mut(&(head, tail)).and_then(VecDeque::pop_front) {
                Some(other) => {
                    forms[other] = Some(other as u32);
                    forms[at] = Some(other as u32);
                }
                None => open.entry((tail, head)).or_default().push_back(at),
            }
        }
        let edge = |(&(tail, head), link): (&(u32, u32), Option<u32>)| {
            let (form, timing) = (Form::Channel { link }, Timing::default());
            Edge { tail, head, form, timing }
        };
        let place = |tile: u32| (tile % self.width, tile / self.width);
        let named = |(x, y): (u32, u32)| format!("{y},{x}");
        Description {
            name: name.to_owned(),
            routers: tiles,
            names: (0..tiles).map(|tile| named(place(tile))).collect(),
            edges: links.iter().zip(forms).map(edge).collect(),
            homes: (0..tiles).filter(|&tile| is_used[tile as usize]).map(Some).collect(),
            positions: (0..tiles).map(place).map(|(x, y)| (f64::from(x), f64::from(y))).collect(),
            ..Description::default()
        }
    }
}
