//! The GPUs of one machine: NVLinks between them or to NVSwitches and, if these do not connect all
//! GPUs, the buses. Shared by the readers of NVIDIA's tools.

use super::attributes::{EdgeAttributes, NodeAttributes};
use super::draft::Draft;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The most NVLinks that a GPU has, up to NVLink 5. If links to all others would be more, they go
/// through a switch.
const MOST_NVLINKS: u64 = 18;

/// Limits on the number of GPUs and on the links between two nodes.
pub(super) const MOST_GPUS: usize = 4096;
const MOST_LINKS: u32 = 64;

/// GPUs and their connections.
#[derive(Debug, Default)]
pub(super) struct Machine {
    /// The names of the GPUs, in order.
    pub gpus: Vec<String>,
    /// The number of NVLinks between two GPUs; the lower GPU number comes first.
    pub nvlinks: BTreeMap<(usize, usize), u32>,
    /// NVLinks to switches: for each GPU, the lowest GPU behind the same switches, and the number
    /// of links.
    pub switched: BTreeMap<usize, (usize, u32)>,
    /// Buses, as pairs of names; every name that is not a GPU is a switch.
    pub buses: Vec<(String, String)>,
}

impl Machine {
    /// Builds the network: only NVLinks if they connect all GPUs, otherwise with the buses.
    pub fn draft(mut self) -> Result<Draft<'static>, String> {
        if self.gpus.is_empty() {
            return Err("it has no GPU".to_owned());
        }
        if self.gpus.len() > MOST_GPUS {
            return Err(format!("{} GPUs exceed the maximum of {MOST_GPUS}", self.gpus.len()));
        }
        self.find_switches();
        let switched = self.switched.values().map(|(_, count)| count);
        let mut counts = self.nvlinks.values().chain(switched).copied();
        if let Some(count) = counts.find(|&count| count > MOST_LINKS) {
            return Err(format!(
                "{count} NVLinks between two GPUs exceed the maximum of {MOST_LINKS}"
            ));
        }
        let mut draft = Draft::default();
        let numbers: Vec<u32> = self.gpus.iter().map(|gpu| node(&mut draft, gpu, false)).collect();
        let link = |one: u32, other: u32, count: u32, draft: &mut Draft<'static>| {
            for _ in 0..count {
                draft.edge(EdgeAttributes::default().edge(one, other, false))?;
            }
            Ok::<(), String>(())
        };
        for (&(one, other), &count) in &self.nvlinks {
            link(numbers[one], numbers[other], count, &mut draft)?;
        }
        let mut islands: Vec<usize> = self.switched.values().map(|&(island, _)| island).collect();
        islands.dedup();
        for (&gpu, &(island, count)) in &self.switched {
            let name = match islands.len() {
                1 => "nvswitch".to_owned(),
                _ => format!("nvswitch {island}"),
            };
            let switch = node(&mut draft, &name, true);
            link(numbers[gpu], switch, count, &mut draft)?;
        }
        if !self.is_connected() {
            for (one, other) in &self.buses {
                let ends = [one, other].map(|name| node(&mut draft, name, true));
                link(ends[0], ends[1], 1, &mut draft)?;
            }
        }
        Ok(draft)
    }

    /// If all pairs of a group of GPUs have the same number of links, and together more than a GPU
    /// has, these are the links of each GPU to switches.
    fn find_switches(&mut self) {
        let mut group: Vec<usize> = (0..self.gpus.len()).collect();
        for &(one, other) in self.nvlinks.keys() {
            join(&mut group, one, other);
        }
        for first in 0..group.len() {
            let members: Vec<usize> =
                (first..group.len()).filter(|&gpu| group[gpu] == first).collect();
            let count = match members[..] {
                [one, two, _, ..] => self.nvlinks.get(&(one, two)).copied().unwrap_or(0),
                _ => continue,
            };
            let mut pairs = members.iter().flat_map(|&two| {
                members.iter().filter(move |&&one| one < two).map(move |&one| (one, two))
            });
            let is_even = pairs.all(|pair| self.nvlinks.get(&pair) == Some(&count));
            let total = u64::from(count) * (members.len() as u64 - 1);
            if is_even && total > MOST_NVLINKS {
                self.nvlinks.retain(|(one, _), _| group[*one] != first);
                self.switched.extend(members.iter().map(|&gpu| (gpu, (first, count))));
            }
        }
    }

    /// Whether NVLinks connect all GPUs.
    fn is_connected(&self) -> bool {
        let mut group: Vec<usize> = (0..self.gpus.len()).collect();
        let joined = self.nvlinks.keys().copied();
        let switched = self.switched.iter().map(|(&gpu, &(island, _))| (island, gpu));
        for (one, other) in joined.chain(switched) {
            join(&mut group, one, other);
        }
        group.iter().all(|&at| at == group[0])
    }
}

/// Merges two groups; a group is identified by its lowest member.
pub(super) fn join(group: &mut [usize], one: usize, other: usize) {
    let (old, new) = (group[one].max(group[other]), group[one].min(group[other]));
    if old != new {
        group.iter_mut().filter(|at| **at == old).for_each(|at| *at = new);
    }
}

fn node(draft: &mut Draft<'static>, name: &str, is_switch: bool) -> u32 {
    draft.node(Cow::Owned(name.to_owned()), || NodeAttributes::switch(is_switch))
}
