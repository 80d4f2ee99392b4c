//! The levels of switches between the boxes of a cluster.

use super::assembly::MOST_LINKS;
use super::boxes::Model;
use super::{Attach, Fabric, SwitchLevel, box_problem, fabric_problem};
use crate::import::own::EntryProblem;
use pavane_model::network::Timing;

/// The maximum number of levels.
const MOST_LEVELS: usize = 16;

/// The maximum number of switches of a level.
const MOST_SWITCHES: u32 = 1 << 16;

/// The maximum number of parallel links.
const MOST_PARALLEL: u32 = 1 << 10;

/// A level with its links downwards.
pub(super) struct PlannedLevel {
    pub name: String,
    pub switches: u32,
    /// The timing of each link downwards; of the lowest level where given.
    pub timing: Timing,
    /// The (lower, upper) switches of every link; in the lowest level, the (NIC, switch) pairs, with
    /// the NICs numbered box by box.
    pub links: Vec<(u32, u32)>,
    pub is_multicast: bool,
}

/// Checks the fabric and lists its links.
pub(super) fn plan(
    fabric: Option<Fabric>,
    models: &[Model],
) -> Result<Vec<PlannedLevel>, EntryProblem> {
    let boxes: usize = models.iter().map(|model| model.names.len()).sum();
    let Some(fabric) = fabric else {
        return match models.iter().find(|model| boxes > 1 || !model.nics.is_empty()) {
            Some(model) => {
                let what = if boxes > 1 { "several boxes" } else { "NICs" };
                Err(box_problem(model.index, format!("{what} need a [fabric] that joins them")))
            }
            None => Ok(Vec::new()),
        };
    };
    if let Some(model) = models.iter().find(|model| model.nics.is_empty()) {
        return Err(box_problem(model.index, "it has no nics, so it is not joined to the fabric"));
    }
    let count = fabric.levels.len();
    if !(1..=MOST_LEVELS).contains(&count) {
        return Err(fabric_problem(format!("{count} levels (valid: 1 to {MOST_LEVELS})")));
    }
    let mut planned: Vec<PlannedLevel> = Vec::with_capacity(count);
    for (index, level) in fabric.levels.into_iter().enumerate() {
        let wrong = |problem: String| fabric_problem(format!("levels[{index}]: {problem}"));
        let timing =
            Timing { latency_ns: level.latency_ns, bandwidth_gbytes: level.bandwidth_gbytes };
        timing.check().map_err(wrong)?;
        if level.links.is_some_and(|links| !(1..=MOST_PARALLEL).contains(&links)) {
            return Err(wrong(format!("links must be from 1 to {MOST_PARALLEL}")));
        }
        let joined = match planned.last() {
            None => lowest(&level, fabric.attach, models),
            Some(below) => upper(&level, below.switches),
        };
        let (switches, links) = joined.map_err(wrong)?;
        let (name, is_multicast) = (level.name, level.multicast);
        let name = name.unwrap_or_else(|| default_name(index, count));
        planned.push(PlannedLevel { name, switches, timing, links, is_multicast });
    }
    Ok(planned)
}

/// The name of the switches of a level, without their numbers.
fn default_name(index: usize, count: usize) -> String {
    match index {
        0 if count == 1 => "switch".to_owned(),
        0 => "leaf".to_owned(),
        index if index + 1 == count => "spine".to_owned(),
        index => format!("level{index}-"),
    }
}

/// A number of switches that is valid and divisible into groups.
fn divided(switches: u32, below: &str, groups: u32, what: &str) -> Result<u32, String> {
    if !(1..=MOST_SWITCHES).contains(&switches) {
        return Err(format!("{switches} switches (valid: 1 to {MOST_SWITCHES})"));
    }
    if groups == 0 || !switches.is_multiple_of(groups) {
        return Err(format!(
            "the number of switches{below}, {switches}, cannot be divided into {groups} {what}"
        ));
    }
    Ok(switches / groups)
}

/// The switches of the lowest level and its (NIC, switch) pairs.
fn lowest(
    level: &SwitchLevel,
    attach: Attach,
    models: &[Model],
) -> Result<(u32, Vec<(u32, u32)>), String> {
    if level.planes.is_some() {
        return Err("`planes` needs a level of switches below".to_owned());
    }
    let boxes: u32 = models.iter().map(|model| model.names.len() as u32).sum();
    let pods = level.pods.unwrap_or(1);
    if !(1..=boxes).contains(&pods) {
        return Err(format!("pods is {pods} (valid: 1 to {boxes}, the number of boxes)"));
    }
    let rails = models.iter().flat_map(|model| &model.nics).map(|nic| nic.rail).max();
    let rails = rails.map_or(1, |last| last.saturating_add(1));
    let default = if attach == Attach::Rail { rails.saturating_mul(pods) } else { pods };
    let switches = level.switches.unwrap_or(default);
    let per_pod = divided(switches, "", pods, "pods")?;
    // Box b belongs to pod b * pods / boxes, so a pod begins at the next whole quotient.
    let start = |pod: u32| (u64::from(pod) * u64::from(boxes)).div_ceil(u64::from(pods)) as u32;
    let (needed, what) = match attach {
        Attach::Rail => (rails, "rails"),
        Attach::Box => {
            ((0..pods).map(|pod| start(pod + 1) - start(pod)).min().unwrap_or(0), "boxes")
        }
    };
    if per_pod > needed {
        return Err(format!(
            "more switches ({per_pod}) than {what} ({needed}), so some would have no NIC"
        ));
    }
    let nics: u64 = models.iter().map(|model| (model.names.len() * model.nics.len()) as u64).sum();
    check_links(nics * parallel(level) as u64)?;
    let mut links = Vec::new();
    let (mut number, mut nic_number) = (0u32, 0);
    for model in models {
        for _ in &model.names {
            let pod = (u64::from(number) * u64::from(pods) / u64::from(boxes)) as u32;
            let (first, size) = (start(pod), start(pod + 1) - start(pod));
            for nic in &model.nics {
                let index = match attach {
                    Attach::Rail => nic.rail % per_pod,
                    Attach::Box => {
                        (u64::from(number - first) * u64::from(per_pod) / u64::from(size)) as u32
                    }
                };
                let copies =
                    std::iter::repeat_n((nic_number, pod * per_pod + index), parallel(level));
                links.extend(copies);
                nic_number += 1;
            }
            number += 1;
        }
    }
    Ok((switches, links))
}

/// The switches of a higher level and its (lower, upper) pairs.
fn upper(level: &SwitchLevel, below: u32) -> Result<(u32, Vec<(u32, u32)>), String> {
    let Some(switches) = level.switches else { return Err("`switches` is missing".to_owned()) };
    if level.bandwidth_gbytes.is_none() {
        return Err("`bandwidth_gbytes` is missing".to_owned());
    }
    let (groups, what) = match (level.pods, level.planes) {
        (Some(_), Some(_)) => return Err("give either `pods` or `planes`".to_owned()),
        (Some(pods), None) => (pods, "pods"),
        (None, planes) => (planes.unwrap_or(1), "planes"),
    };
    let per_group = divided(switches, "", groups, what)?;
    let lower = divided(below, " below", groups, what)?;
    check_links(u64::from(below) * u64::from(per_group) * parallel(level) as u64)?;
    let mut links = Vec::new();
    for bottom in 0..below {
        let group = if what == "pods" { bottom / lower } else { bottom % groups };
        for top in group * per_group..(group + 1) * per_group {
            links.extend(std::iter::repeat_n((bottom, top), parallel(level)));
        }
    }
    Ok((switches, links))
}

/// Refuses a level with too many links before they are listed.
fn check_links(links: u64) -> Result<(), String> {
    if links > MOST_LINKS {
        Err(format!("{links} links; the maximum is {MOST_LINKS}"))
    } else {
        Ok(())
    }
}

fn parallel(level: &SwitchLevel) -> usize {
    level.links.unwrap_or(1) as usize
}
