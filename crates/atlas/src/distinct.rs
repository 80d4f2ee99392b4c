//! Entries of one problem up to the names of its routers: isomorphic networks, the same faults up to
//! symmetry, the same collective and the same rules.

use crate::entry::{AtlasEntry, AtlasModel};
use crate::error::AtlasError;
use crate::images::{Images, Roles};
use crate::index::Atlas;
use crate::problem::BuiltProblem;
use crate::search::{difference, kept};
use pavane_model::{Network, Problem};
use std::collections::BTreeMap;

/// A network and its faults, by name.
type NetworkKey<'a> = (&'a str, &'a [String]);

/// What isomorphic problems have in common and is quick to compare.
type Signature = (AtlasModel, usize, usize, Option<u64>);

impl Atlas {
    /// Groups entries: those of one group have the same problem up to the names of routers. An entry
    /// whose problem cannot be built or compared is a group of its own.
    pub fn distinct<'a>(&self, entries: &[&'a AtlasEntry]) -> Vec<Vec<&'a AtlasEntry>> {
        let mut groups: Vec<Vec<&AtlasEntry>> = Vec::new();
        let mut known: BTreeMap<Signature, Vec<(usize, BuiltProblem)>> = BTreeMap::new();
        for &entry in entries {
            let Ok(built) = entry.problem.build(entry.model, self.folder()) else {
                groups.push(vec![entry]);
                continue;
            };
            let alike = known.entry(signature(entry.model, &built)).or_default();
            let is_same =
                |other: &BuiltProblem| matches!(same(entry.model, &built, other), Ok(Some(_)));
            match alike.iter().find(|(_, other)| is_same(other)) {
                Some((group, _)) => groups[*group].push(entry),
                None => {
                    alike.push((groups.len(), built));
                    groups.push(vec![entry]);
                }
            }
        }
        groups
    }

    /// The number of different problems among the entries that improve on a published figure.
    pub fn distinct_improvements(&self, entries: &[&AtlasEntry]) -> usize {
        let better: Vec<&AtlasEntry> =
            entries.iter().copied().filter(|entry| entry.is_improvement()).collect();
        self.distinct(&better).len()
    }

    /// The first entry whose problem is the given one up to the names of routers, and the images of the
    /// routers of the given problem in it. Entries that cannot be built or compared are left out.
    pub(crate) fn isomorphic(
        &self,
        model: AtlasModel,
        built: &BuiltProblem,
    ) -> Option<(usize, BuiltProblem, Images)> {
        let wanted = signature(model, built);
        let mut sizes: BTreeMap<NetworkKey<'_>, Option<(usize, usize)>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.model != model {
                continue;
            }
            let problem = &entry.problem;
            let key = (problem.network.as_str(), &problem.faults[..]);
            let size = *sizes.entry(key).or_insert_with(|| {
                let network = problem.network(self.folder()).ok().map(|(_, network)| network);
                network.as_ref().map(size)
            });
            if size != Some((wanted.1, wanted.2)) {
                continue;
            }
            let Ok(other) = problem.build(model, self.folder()) else { continue };
            if signature(model, &other) != wanted {
                continue;
            }
            if let Ok(Some(images)) = same(model, built, &other) {
                return Some((at, other, images));
            }
        }
        None
    }
}

/// The number of living routers and of channels.
fn size(network: &Network) -> (usize, usize) {
    let living = network.routers().filter(|&router| !network.is_lost(router)).count();
    (living, network.channel_count())
}

fn signature(model: AtlasModel, built: &BuiltProblem) -> Signature {
    let (routers, channels) = size(built.network());
    let bytes = match built {
        BuiltProblem::Collective { bytes, .. } => *bytes,
        BuiltProblem::Tdm(_) => None,
    };
    (model, routers, channels, bytes)
}

/// An isomorphism from one problem to another; `None` if they differ in more than names.
fn same(
    model: AtlasModel,
    own: &BuiltProblem,
    other: &BuiltProblem,
) -> Result<Option<Images>, AtlasError> {
    let (from, to) = (own.network(), other.network());
    let kept = kept(model, own);
    match (own, other) {
        (BuiltProblem::Tdm(one), BuiltProblem::Tdm(two)) => {
            if one.rules() != two.rules() {
                return Ok(None);
            }
            Images::find((from, &Roles::alike(from)), (to, &Roles::alike(to)), kept)
        }
        (
            BuiltProblem::Collective { phases, bytes, duplex },
            BuiltProblem::Collective { phases: others, bytes: other_bytes, duplex: other_duplex },
        ) => {
            let is_alike = bytes == other_bytes
                && (model != AtlasModel::Time || duplex == other_duplex)
                && phases.len() == others.len()
                && difference(model, phases, others).is_none();
            if !is_alike {
                return Ok(None);
            }
            let (one, two): (Vec<&Problem>, Vec<&Problem>) =
                (phases.iter().collect(), others.iter().collect());
            let images = Images::find((from, &Roles::of(&one)), (to, &Roles::of(&two)), kept)?;
            let fits = |images: &Images| {
                let mut pairs = phases.iter().zip(others);
                pairs.all(|(own, other)| images.messages(own, other).is_some())
            };
            Ok(images.filter(fits))
        }
        _ => Ok(None),
    }
}
