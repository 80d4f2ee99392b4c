//! Keywords that all simulations of traffic share.

use crate::errors::bad;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::mission::{Pattern, Permutation};
use pavane_traffic::policy::POLICIES;
use pavane_traffic::{Policy, SwitchingMethod};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use std::ffi::CString;

/// Words of a keyword: one, or several.
#[derive(FromPyObject)]
pub enum Words {
    /// One word, or several separated by commas.
    One(String),
    /// A list.
    Many(Vec<String>),
}

impl Words {
    /// The words, none without the keyword.
    pub fn list(words: Option<Self>) -> Vec<String> {
        match words {
            None => Vec::new(),
            Some(Self::One(text)) => text.split(',').map(|word| word.trim().to_owned()).collect(),
            Some(Self::Many(words)) => words,
        }
    }

    /// The words, or the usual ones.
    fn list_or(words: Option<Self>, usual: &[&str]) -> Vec<String> {
        let list = Self::list(words);
        if list.is_empty() { usual.iter().map(|&word| word.to_owned()).collect() } else { list }
    }
}

/// Switching methods that are compared if none are requested.
pub const SWITCHINGS: &[&str] = &["store-and-forward", "cs", "vct"];

/// Fails if the number of virtual channels or of flits in their buffers is out of range.
pub fn check_counts(lanes: Option<u32>, buffer: Option<u32>) -> PyResult<()> {
    let is_in = |count: Option<u32>, most| count.is_none_or(|count| (1..=most).contains(&count));
    if is_in(lanes, 64) && is_in(buffer, 65536) {
        return Ok(());
    }
    Err(bad("lanes must be from 1 to 64, and buffer from 1 to 65536"))
}

/// Emits a RuntimeWarning.
pub fn warn(py: Python<'_>, text: String) -> PyResult<()> {
    let text = CString::new(text).map_err(bad)?;
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}

/// The switching methods of a keyword, under wormhole with buffers if they are given.
pub fn switchings(
    words: Option<Words>,
    usual: &[&str],
    lanes: u32,
    buffer: Option<u32>,
) -> PyResult<Vec<SwitchingMethod>> {
    let mut all: Vec<SwitchingMethod> = Vec::new();
    for name in Words::list_or(words, usual) {
        let found = match (SwitchingMethod::find(&name, lanes).map_err(bad)?, buffer) {
            (SwitchingMethod::Wormhole(lanes), Some(buffer)) => {
                SwitchingMethod::Flits(FlitRules { lanes, buffer })
            }
            (found, _) => found,
        };
        if !all.contains(&found) {
            all.push(found);
        }
    }
    Ok(all)
}

/// Fails if virtual channels or buffers are requested and none of the switchings has them.
pub fn check_lanes(
    lanes: Option<u32>,
    buffer: Option<u32>,
    switchings: &[SwitchingMethod],
) -> PyResult<()> {
    if switchings.iter().any(|switching| switching.can_deadlock()) {
        return Ok(());
    }
    let given = [("lanes", lanes.filter(|&lanes| lanes > 1)), ("buffer", buffer)];
    match given.into_iter().find_map(|(keyword, value)| Some((keyword, value?))) {
        None => Ok(()),
        Some((keyword, value)) => {
            Err(bad(format!("{keyword}={value} applies to wormhole switching only")))
        }
    }
}

/// The policies of a keyword, each once; with `edd`, combined with the earliest due date.
pub fn policies(words: Option<Words>, usual: &[&str], edd: bool) -> PyResult<Vec<Policy>> {
    let mut names = Words::list_or(words, usual);
    if names.iter().any(|name| name == "all") {
        names = POLICIES.iter().map(|policy| policy.name.to_owned()).collect();
    }
    let mut all: Vec<Policy> = Vec::new();
    for name in names {
        let policy = Policy::find(&name).map_err(bad)?;
        let policy = if edd { policy.with_age() } else { policy };
        if all.iter().all(|other| other.name != policy.name) {
            all.push(policy);
        }
    }
    Ok(all)
}

/// The keyword `permutation`: True for a random one, or a name.
#[derive(FromPyObject)]
pub enum PermutationWord {
    /// Whether there is one.
    Flag(bool),
    /// Its name.
    Name(String),
}

impl PermutationWord {
    /// Whether a permutation is requested.
    pub fn is_given(&self) -> bool {
        !matches!(self, Self::Flag(false))
    }
}

/// Which processors send to which.
pub fn pattern(hot_spots: Option<u32>, permutation: Option<&PermutationWord>) -> PyResult<Pattern> {
    let permutation = match permutation {
        None | Some(PermutationWord::Flag(false)) => None,
        Some(PermutationWord::Flag(true)) => Some(Permutation::Random),
        Some(PermutationWord::Name(name)) => Some(Permutation::find(name).map_err(bad)?),
    };
    match (hot_spots, permutation) {
        (Some(_), Some(_)) => Err(bad("hot_spots and permutation exclude each other")),
        (Some(spots), None) => Ok(Pattern::HotSpots(spots)),
        (None, Some(permutation)) => Ok(Pattern::Permutation(permutation)),
        (None, None) => Ok(Pattern::All),
    }
}
