//! Puts boxes, NICs and switches together. Routers with processors are numbered first, box by box,
//! then the other routers and the NICs of the boxes, then the levels of the fabric.

use super::boxes::{MOST_BOXES, Model};
use super::fabric::PlannedLevel;
use super::{box_problem, fabric_problem};
use crate::description::{Description, Edge, Form};
use crate::import::own::EntryProblem;
use pavane_model::entry_place::EntryPlace;
use pavane_model::network::{Position, Timing};
use rustc_hash::FxHashSet;

/// The maximum number of links of a cluster, and of each level of its fabric.
pub(super) const MOST_LINKS: u64 = 1 << 22;

/// The maximum number of routers and of processors of a cluster: each has a name.
const MOST_ROUTERS: u64 = 1 << 20;

/// One box: its model and the numbers of its routers and NICs.
struct PlacedBox {
    model: usize,
    name: String,
    routers: Vec<u32>,
    nics: Vec<u32>,
}

/// The part of the file that an edge comes from, for errors.
#[derive(Clone, Copy)]
enum Source {
    Box(usize),
    Nic(usize, usize),
    Level(usize),
}

/// A field of a timing.
type Pick = fn(&Timing) -> Option<f64>;

/// A cluster with all numbers assigned.
pub(super) struct Assembly {
    name: String,
    models: Vec<Model>,
    levels: Vec<PlannedLevel>,
    boxes: Vec<PlacedBox>,
    /// The first switch of each level.
    starts: Vec<u32>,
    routers: u32,
    edges: Vec<(Edge, Source)>,
}

impl Assembly {
    pub fn new(
        name: String,
        models: Vec<Model>,
        levels: Vec<PlannedLevel>,
    ) -> Result<Self, EntryProblem> {
        let (boxes, mut next) = placed(&models)?;
        let mut starts = Vec::with_capacity(levels.len());
        for level in &levels {
            starts.push(next);
            next += level.switches;
        }
        let edges = Vec::new();
        Ok(Self { name, models, levels, boxes, starts, routers: next, edges })
    }

    pub fn finish(mut self) -> Result<Description, EntryProblem> {
        self.join_boxes();
        self.join_fabric();
        self.check_timings()?;
        let (names, positions) = (self.names(), self.positions());
        let mut homes = Vec::new();
        let mut multicast = Vec::new();
        for placed in &self.boxes {
            let description = &self.models[placed.model].description;
            let number = |router: u32| placed.routers[router as usize];
            homes.extend(description.homes.iter().map(|home| home.map(number)));
            multicast.extend(description.multicast.iter().map(|&router| number(router)));
        }
        for (level, &start) in self.levels.iter().zip(&self.starts) {
            multicast.extend((start..start + level.switches).filter(|_| level.is_multicast));
        }
        Ok(Description {
            name: self.name,
            routers: self.routers,
            names,
            edges: self.edges.into_iter().map(|(edge, _)| edge).collect(),
            homes,
            positions,
            multicast,
            ..Description::default()
        })
    }

    /// Adds the links and channels inside of the boxes, and the links of their NICs.
    fn join_boxes(&mut self) {
        let mut first = 0;
        for placed in &self.boxes {
            let model = &self.models[placed.model];
            for edge in &model.description.edges {
                let form = match edge.form {
                    Form::Channel { link: Some(link) } => {
                        Form::Channel { link: Some(first + link) }
                    }
                    form => form,
                };
                let [tail, head] = [edge.tail, edge.head].map(|r| placed.routers[r as usize]);
                self.edges.push((Edge { tail, head, form, ..*edge }, Source::Box(model.index)));
            }
            first += model.network.channel_count() as u32;
            for (nic, &number) in model.nics.iter().zip(&placed.nics) {
                let tail = placed.routers[nic.router as usize];
                let edge = Edge { tail, head: number, form: Form::Link, timing: nic.timing };
                self.edges.push((edge, Source::Nic(model.index, nic.index)));
            }
        }
    }

    /// Adds the links of the switch levels.
    fn join_fabric(&mut self) {
        let nics: Vec<(u32, Timing)> = self
            .boxes
            .iter()
            .flat_map(|placed| {
                let timings = self.models[placed.model].nics.iter().map(|nic| nic.timing);
                placed.nics.iter().copied().zip(timings)
            })
            .collect();
        for (index, level) in self.levels.iter().enumerate() {
            for &(lower, upper) in &level.links {
                let mut timing = level.timing;
                let tail = match index {
                    0 => {
                        let (nic, own) = nics[lower as usize];
                        timing.bandwidth_gbytes = timing.bandwidth_gbytes.or(own.bandwidth_gbytes);
                        nic
                    }
                    index => self.starts[index - 1] + lower,
                };
                let head = self.starts[index] + upper;
                let edge = Edge { tail, head, form: Form::Link, timing };
                self.edges.push((edge, Source::Level(index)));
            }
        }
    }

    /// Checks that every channel has a bandwidth, or none, and the same for latencies.
    fn check_timings(&self) -> Result<(), EntryProblem> {
        let picks: [(&str, Pick); 2] = [
            ("bandwidth_gbytes", |timing| timing.bandwidth_gbytes),
            ("latency_ns", |timing| timing.latency_ns),
        ];
        for (field, pick) in picks {
            let has = |(edge, _): &&(Edge, Source)| pick(&edge.timing).is_some();
            let Some((_, source)) = self.edges.iter().find(|edge| !has(edge)) else { continue };
            if !self.edges.iter().any(|edge| has(&edge)) {
                continue;
            }
            let problem =
                format!("no `{field}`, but other channels of the cluster have one; set it here");
            return Err(match *source {
                Source::Box(index) => box_problem(index, problem),
                Source::Nic(index, nic) => box_problem(index, format!("nics[{nic}]: {problem}")),
                Source::Level(level) => fabric_problem(format!("levels[{level}]: {problem}")),
            });
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.routers as usize];
        for placed in &self.boxes {
            let locals = &self.models[placed.model].routers;
            for (&number, local) in placed.routers.iter().zip(locals) {
                names[number as usize] = format!("{}/{local}", placed.name);
            }
            for (index, &number) in placed.nics.iter().enumerate() {
                names[number as usize] = format!("{}/nic{index}", placed.name);
            }
        }
        for (level, &start) in self.levels.iter().zip(&self.starts) {
            for index in 0..level.switches {
                names[(start + index) as usize] = format!("{}{index}", level.name);
            }
        }
        names
    }

    /// The boxes side by side, their NICs above them, and the levels of the fabric on top.
    fn positions(&self) -> Vec<Position> {
        let mut positions = vec![(0.0, 0.0); self.routers as usize];
        let top = 2.0 * self.levels.len() as f64;
        let mut left = 0.0;
        for placed in &self.boxes {
            let model = &self.models[placed.model];
            let (inside, width) = box_positions(model);
            for (&number, (x, y)) in placed.routers.iter().zip(inside) {
                positions[number as usize] = (left + x, top + 2.0 + y);
            }
            for (index, &number) in placed.nics.iter().enumerate() {
                let share = (index as f64 + 0.5) / placed.nics.len() as f64;
                positions[number as usize] = (left + width * share, top);
            }
            left += width + 2.0;
        }
        for (index, (level, &start)) in self.levels.iter().zip(&self.starts).enumerate() {
            for switch in 0..level.switches {
                let share = (f64::from(switch) + 0.5) / f64::from(level.switches);
                positions[(start + switch) as usize] =
                    ((left - 2.0) * share, top - 2.0 * (index + 1) as f64);
            }
        }
        positions
    }
}

/// The positions of the routers of a box from its upper left corner, and its width. They are those
/// of its network, scaled by the number of its processors, or else a circle.
fn box_positions(model: &Model) -> (Vec<Position>, f64) {
    let count = model.routers.len() as f64;
    let circle = |router: usize| {
        let angle = std::f64::consts::TAU * router as f64 / count;
        (-angle.cos(), -angle.sin())
    };
    let places = match model.network.positions() {
        [] => (0..model.routers.len()).map(circle).collect(),
        known => known.to_vec(),
    };
    let least = |pick: fn(&Position) -> f64| places.iter().map(pick).fold(f64::INFINITY, f64::min);
    let (left, top) = (least(|place| place.0), least(|place| place.1));
    let extent = places.iter().map(|place| (place.0 - left).max(place.1 - top)).fold(0.0, f64::max);
    let wanted = (model.description.homes.len().max(2) - 1) as f64;
    let scale = if extent > 0.0 { wanted / extent } else { 1.0 };
    let rounded = |value: f64| (value * scale * 1000.0).round() / 1000.0;
    let places = places.iter().map(|&(x, y)| (rounded(x - left), rounded(y - top))).collect();
    (places, wanted)
}

/// The size of the boxes so far. Clusters that are too large are refused before memory is allocated
/// for them.
#[derive(Default)]
pub(super) struct ClusterSize {
    boxes: u64,
    routers: u64,
    links: u64,
}

impl ClusterSize {
    pub fn add(&mut self, model: &Model) -> Result<(), EntryProblem> {
        let count = model.names.len() as u64;
        let largest = model.routers.len().max(model.description.homes.len());
        self.boxes += count;
        self.routers += count * (largest + model.nics.len()) as u64;
        self.links += count * (model.description.edges.len() + model.nics.len()) as u64;
        let Self { boxes, routers, links } = *self;
        if boxes > u64::from(MOST_BOXES) || routers > MOST_ROUTERS || links > MOST_LINKS {
            let problem = format!(
                "{boxes} boxes with {routers} routers and {links} links; the maximum of a cluster \
                 is {MOST_BOXES} boxes, {MOST_ROUTERS} routers and {MOST_LINKS} links"
            );
            return Err(box_problem(model.index, problem));
        }
        Ok(())
    }
}

/// The boxes with the numbers of their routers and NICs, and the next free number.
fn placed(models: &[Model]) -> Result<(Vec<PlacedBox>, u32), EntryProblem> {
    let mut boxes: Vec<PlacedBox> = Vec::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut next = 0u32;
    let mut number = || {
        next += 1;
        next - 1
    };
    for (at, model) in models.iter().enumerate() {
        for name in &model.names {
            if !seen.insert(name) {
                let problem = format!("two boxes are called {name:?}; set `name` or `names`");
                return Err((EntryPlace::In(&["boxes"], model.index), problem));
            }
            let mut routers = vec![u32::MAX; model.routers.len()];
            for router in model.network.routers() {
                if !model.network.residents(router).is_empty() {
                    routers[router.index()] = number();
                }
            }
            boxes.push(PlacedBox { model: at, name: name.clone(), routers, nics: Vec::new() });
        }
    }
    for placed in &mut boxes {
        for router in placed.routers.iter_mut().filter(|router| **router == u32::MAX) {
            *router = number();
        }
        placed.nics = models[placed.model].nics.iter().map(|_| number()).collect();
    }
    Ok((boxes, next))
}
