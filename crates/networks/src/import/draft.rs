//! A graph of named nodes that becomes a network; shared by the readers of graph files.

use super::attributes::NodeAttributes;
use crate::description::{Description, Edge};
use pavane_model::network::LARGEST;
use pavane_model::words::excerpt;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Nodes, numbered in order of appearance, and the edges between them.
#[derive(Debug, Default)]
pub(super) struct Draft<'a> {
    /// The name of the network, if the file has one.
    pub name: Option<String>,
    /// The nodes of the processors, if the file lists them.
    pub homes: Option<Vec<Option<u32>>>,
    pub faults: Vec<String>,
    ids: Vec<Cow<'a, str>>,
    numbers: FxHashMap<Cow<'a, str>, u32>,
    attributes: Vec<NodeAttributes>,
    edges: Vec<Edge>,
    channels: u64,
}

impl<'a> Draft<'a> {
    /// The node with this name, if it has appeared.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// The node with this name. A new node gets the given attributes.
    pub fn node(&mut self, id: Cow<'a, str>, new: impl FnOnce() -> NodeAttributes) -> u32 {
        if let Some(number) = self.find(&id) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.ids.push(id.clone());
        self.numbers.insert(id, number);
        self.attributes.push(new());
        number
    }

    /// The attributes of a node.
    pub fn attributes(&mut self, node: u32) -> &mut NodeAttributes {
        &mut self.attributes[node as usize]
    }

    /// Adds an edge; its two nodes must differ.
    pub fn edge(&mut self, edge: Edge) -> Result<(), String> {
        if edge.tail == edge.head {
            let id = excerpt(&self.ids[edge.tail as usize]).into_owned();
            return Err(format!("an edge leads from {id:?} to itself, which is not allowed"));
        }
        let channels = u64::from(edge.form.channels());
        self.check_room(channels)?;
        self.channels += channels;
        self.edges.push(edge);
        Ok(())
    }

    /// Fails if this many more channels exceed the limit.
    pub fn check_room(&self, channels: u64) -> Result<(), String> {
        if self.channels.saturating_add(channels) > LARGEST {
            Err(format!("more than {LARGEST} channels, the maximum"))
        } else {
            Ok(())
        }
    }

    /// Sets the homes of the processors as Pavane writes them: nodes, and `-` for a lost processor.
    pub fn set_homes(&mut self, text: &str) -> Result<(), String> {
        let home = |word: &str| match word {
            "-" => Ok(None),
            word => match self.find(word) {
                Some(node) => Ok(Some(node)),
                None => Err(format!(
                    "a processor is placed on {:?}, which is not a node",
                    excerpt(word)
                )),
            },
        };
        self.homes = Some(text.split_whitespace().map(home).collect::<Result<_, _>>()?);
        Ok(())
    }

    /// Sets the faults as Pavane writes them.
    pub fn set_faults(&mut self, text: &str) {
        self.faults = text
            .split(';')
            .map(str::trim)
            .filter(|fault| !fault.is_empty())
            .map(String::from)
            .collect();
    }

    /// Builds the description. Nodes named 0 to n - 1 become the routers with these numbers, and
    /// their labels become names if they are unique. Nodes with other whole numbers are sorted by
    /// number; all others keep the order of appearance. `default_name` is used if the file has no
    /// name.
    pub fn finish(self, default_name: &str) -> Result<Description, String> {
        let routers = self.ids.len();
        let order = self.order();
        let is_numbered = (0..routers).all(|at| self.ids[order[at] as usize] == at.to_string());
        let names = if is_numbered {
            self.labels(&order)
        } else {
            order.iter().map(|&node| self.ids[node as usize].to_string()).collect()
        };
        let mut number = vec![0; routers];
        for (at, &node) in order.iter().enumerate() {
            number[node as usize] = at as u32;
        }
        let homes = match &self.homes {
            Some(homes) => {
                homes.iter().map(|home| home.map(|node| number[node as usize])).collect()
            }
            None => self.counted_homes(&order)?,
        };
        let lost =
            order.iter().enumerate().filter(|&(_, &node)| self.attributes[node as usize].is_lost);
        let lost = lost.map(|(at, _)| at as u32).collect();
        let copying =
            order.iter().enumerate().filter(|&(_, &node)| self.attributes[node as usize].copies);
        let multicast = copying.map(|(at, _)| at as u32).collect();
        let position = |&node: &u32| self.attributes[node as usize].position();
        let positions = order.iter().map(position).collect::<Option<_>>().unwrap_or_default();
        let mut edges = self.edges;
        for edge in &mut edges {
            edge.tail = number[edge.tail as usize];
            edge.head = number[edge.head as usize];
        }
        Ok(Description {
            name: self.name.unwrap_or_else(|| default_name.to_owned()),
            routers: routers as u32,
            names,
            edges,
            homes,
            lost,
            faults: self.faults,
            positions,
            multicast,
        })
    }

    /// The nodes in the order of their router numbers.
    fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.ids.len() as u32).collect();
        let whole = |id: &Cow<'_, str>| {
            let number: u64 = id.parse().ok()?;
            (number.to_string() == *id).then_some(number)
        };
        if let Some(numbers) = self.ids.iter().map(whole).collect::<Option<Vec<u64>>>() {
            order.sort_unstable_by_key(|&node| numbers[node as usize]);
        }
        order
    }

    /// The labels of all nodes; empty if one has no label or two have the same.
    fn labels(&self, order: &[u32]) -> Vec<String> {
        let label = |&node: &u32| self.attributes[node as usize].label.clone();
        let labels: Vec<String> = order.iter().map_while(label).collect();
        let mut sorted: Vec<&String> = labels.iter().collect();
        sorted.sort_unstable();
        let are_different = sorted.windows(2).all(|pair| pair[0] != pair[1]);
        if labels.len() == order.len() && are_different { labels } else { Vec::new() }
    }

    /// The homes of the processors, from the number of processors on each node.
    fn counted_homes(&self, order: &[u32]) -> Result<Vec<Option<u32>>, String> {
        let mut homes = Vec::with_capacity(order.len());
        for (at, &node) in order.iter().enumerate() {
            let named =
                |problem| format!("node {:?}: {problem}", excerpt(&self.ids[node as usize]));
            let count = self.attributes[node as usize].processor_count().map_err(named)?;
            if homes.len() as u64 + u64::from(count) > LARGEST {
                return Err(format!("more than {LARGEST} processors, the maximum"));
            }
            homes.extend(std::iter::repeat_n(Some(at as u32), count as usize));
        }
        Ok(homes)
    }
}
