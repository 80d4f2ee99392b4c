//! NCCL topology files (`NCCL_TOPO_DUMP_FILE`): `system > cpu > pci > gpu`, with NVLinks that name
//! the bus address of their target. CPUs and PCI bridges are switches. They are part of the network
//! only if NVLinks do not connect all GPUs.

use super::gpus::Machine;
use super::graphml::document;
use super::{ImportError, whole_error};
use pavane_model::words::excerpt;
use roxmltree::{Node, NodeId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// PCI class codes of NVLink targets.
const GPU_CLASS: &str = "0x0302";
const NVSWITCH_CLASS: &str = "0x0680";

/// The maximum number of CPUs.
const MOST_CPUS: usize = 256;

pub(super) fn is_one(text: &str) -> bool {
    let tags = text.split('<').skip(1);
    let root = tags.map(str::trim_start).find(|tag| !tag.starts_with(['?', '!']));
    text.starts_with('<') && root.is_some_and(|root| root.starts_with("system"))
}

pub(super) fn parse(text: &str, file: &str) -> Result<super::draft::Draft<'static>, ImportError> {
    let document = document(text, file)?;
    let wrong = |problem: String| whole_error(file, &problem);
    let root = document.root_element();
    let mut machine = Machine::default();
    // GPUs by device number, each with the address of its bus.
    let mut gpus: BTreeMap<(u32, usize), (Node<'_, '_>, &str)> = BTreeMap::new();
    for (at, node) in root.descendants().filter(|node| node.has_tag_name("gpu")).enumerate() {
        let bus = node.parent().and_then(|bus| bus.attribute("busid")).unwrap_or_default();
        let device = number(&node, "dev").map_err(wrong)?.unwrap_or(at as u32);
        gpus.insert((device, at), (node, bus));
    }
    let places: BTreeMap<String, usize> =
        gpus.values().zip(0..).map(|((_, bus), at)| (plain(bus), at)).collect();
    machine.gpus = (0..gpus.len()).map(|at| format!("gpu{at}")).collect();
    for (from, (gpu, _)) in gpus.values().enumerate() {
        for link in gpu.children().filter(|node| node.has_tag_name("nvlink")) {
            add_nvlink(&mut machine, &places, from, &link).map_err(wrong)?;
        }
    }
    let cpus: Vec<Node<'_, '_>> = root.children().filter(|node| node.has_tag_name("cpu")).collect();
    if cpus.len() > MOST_CPUS {
        return Err(wrong(format!("{} CPUs exceed the maximum of {MOST_CPUS}", cpus.len())));
    }
    let mut leading: FxHashSet<NodeId> = FxHashSet::default();
    for (gpu, _) in gpus.values() {
        let new = gpu.ancestors().take_while(|node| leading.insert(node.id()));
        new.for_each(drop);
    }
    for (at, cpu) in cpus.iter().enumerate() {
        let name = format!("cpu{at}");
        for other in 0..at {
            machine.buses.push((format!("cpu{other}"), name.clone()));
        }
        add_buses(&mut machine, &places, &leading, (*cpu, name));
    }
    machine.draft().map_err(wrong)
}

fn add_nvlink(
    machine: &mut Machine,
    places: &BTreeMap<String, usize>,
    from: usize,
    link: &Node<'_, '_>,
) -> Result<(), String> {
    let count = number(link, "count")?.unwrap_or(1);
    let class = link.attribute("tclass").unwrap_or(GPU_CLASS);
    let target = link.attribute("target").unwrap_or_default();
    if class.starts_with(NVSWITCH_CLASS) {
        // The switches of a machine form one network, represented by GPU 0.
        let known = machine.switched.entry(from).or_default();
        known.1 = known.1.saturating_add(count);
    } else if class.starts_with(GPU_CLASS) {
        let Some(&to) = places.get(&plain(target)) else {
            return Err(format!("an NVLink leads to {:?}, which is not a GPU", excerpt(target)));
        };
        if to == from {
            return Err(format!("an NVLink leads from {:?} to itself", excerpt(target)));
        }
        // An NVLink is listed at both ends.
        let known = machine.nvlinks.entry((from.min(to), from.max(to))).or_default();
        *known = (*known).max(count);
    }
    Ok(())
}

/// Adds the buses below a CPU. Bridges that lead to no GPU are left out. Uses an explicit stack
/// instead of recursion, because files may be nested arbitrarily deep.
fn add_buses(
    machine: &mut Machine,
    places: &BTreeMap<String, usize>,
    leading: &FxHashSet<NodeId>,
    cpu: (Node<'_, '_>, String),
) {
    let mut open = vec![cpu];
    while let Some((node, name)) = open.pop() {
        for bus in node.children().filter(|child| child.has_tag_name("pci")) {
            let has_gpu =
                |node: &Node<'_, '_>| node.children().any(|child| child.has_tag_name("gpu"));
            let address = plain(bus.attribute("busid").unwrap_or_default());
            if has_gpu(&bus) {
                if let Some(at) = places.get(&address) {
                    machine.buses.push((name.clone(), machine.gpus[*at].clone()));
                }
            } else if leading.contains(&bus.id()) {
                let bridge = format!("pci {address}");
                machine.buses.push((name.clone(), bridge.clone()));
                open.push((bus, bridge));
            }
        }
    }
}

/// A bus address without leading zeros, in lower case.
fn plain(address: &str) -> String {
    address.trim_start_matches('0').to_ascii_lowercase()
}

fn number(node: &Node<'_, '_>, name: &str) -> Result<Option<u32>, String> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    let wrong = |_| format!("{name} is {:?}, not a number", excerpt(text));
    text.trim().parse().map(Some).map_err(wrong)
}
