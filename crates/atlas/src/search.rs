//! Finds the entries of an isomorphic network under the same rules.

use crate::entry::{AtlasEntry, AtlasModel};
use crate::error::AtlasError;
use crate::images::{Images, Roles, are_alike};
use crate::index::Atlas;
use crate::judge::JudgedFile;
use crate::mapping;
use crate::problem::BuiltProblem;
use pavane_model::tdm::TdmRules;
use pavane_model::{Duplex, Model, Network, Problem, TdmProblem};
use pavane_networks::symmetry::Kept;
use std::collections::BTreeMap;

/// The beginning of the reason why an entry with other rules does not fit.
const OTHER_RULES: &str = "its rules are";

/// The beginning of the reason why an entry with another root does not fit.
const OTHER_ROOT: &str = "its root is elsewhere";

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub struct AtlasQuery<'a> {
    /// The network.
    pub network: &'a Network,
    /// The problems of a collective on it, one per phase, under the rules for steps; without them every
    /// collective matches.
    pub phases: Option<&'a [Problem]>,
    /// Only entries of this model.
    pub model: Option<AtlasModel>,
    /// Time: only entries with this size.
    pub bytes: Option<u64>,
    /// TDM: only entries with these rules.
    pub tdm: Option<TdmRules>,
}

impl<'a> AtlasQuery<'a> {
    /// Schedules in steps of a phase of a collective.
    pub fn steps(phase: &'a [Problem; 1]) -> Self {
        let network = phase[0].network();
        let model = Some(AtlasModel::Steps);
        Self { network, phases: Some(phase), model, bytes: None, tdm: None }
    }

    /// Throughput plans of a collective. Its phases have the usual rules for steps.
    pub fn throughput(phases: &'a [Problem]) -> Self {
        let network = phases[0].network();
        let model = Some(AtlasModel::Throughput);
        Self { network, phases: Some(phases), model, bytes: None, tdm: None }
    }

    /// TDM schedules of a problem. The atlas has entries for all-to-all.
    pub fn tdm(problem: &'a TdmProblem) -> Self {
        let (network, tdm) = (problem.network(), Some(problem.rules()));
        Self { network, phases: None, model: Some(AtlasModel::Tdm), bytes: None, tdm }
    }
}

/// The entries that fit, and those that almost do.
#[derive(Debug, Default)]
pub struct Found<'a> {
    /// Entries whose schedule can be mapped: by model, optimal ones first.
    pub matches: Vec<AtlasMatch<'a>>,
    /// Entries of an isomorphic network that do not fit, and why.
    pub near: Vec<NearMiss<'a>>,
    /// Entries that are wrong and were left out, in words.
    pub wrong: Vec<String>,
}

/// An entry of an isomorphic network.
#[derive(Debug)]
pub struct AtlasMatch<'a> {
    /// The entry.
    pub entry: &'a AtlasEntry,
    images: Images,
    wanted: Option<Vec<Problem>>,
}

/// An entry of an isomorphic network that does not fit.
#[derive(Debug, Clone)]
pub struct NearMiss<'a> {
    /// The entry.
    pub entry: &'a AtlasEntry,
    /// Why it does not fit.
    pub reason: String,
    /// Whether it is for the same collective, under other rules.
    is_same_collective: bool,
}

impl Atlas {
    /// Finds the entries that fit a query. Wrong entries are left out.
    pub fn search<'a>(&'a self, query: &AtlasQuery<'_>) -> Found<'a> {
        let mut found = Found::default();
        let mut alike: BTreeMap<(String, Vec<String>), bool> = BTreeMap::new();
        for entry in &self.entries {
            if query.model.is_some_and(|model| model != entry.model) {
                continue;
            }
            let problem = &entry.problem;
            let key = (problem.network.clone(), problem.faults.clone());
            let is_alike = match alike.get(&key) {
                Some(is_alike) => Ok(*is_alike),
                None => self.is_isomorphic(entry, query.network),
            };
            let compared = match is_alike {
                Ok(is_alike) => {
                    alike.insert(key, is_alike);
                    if !is_alike {
                        continue;
                    }
                    self.compare(entry, query)
                }
                Err(error) => Err(error),
            };
            match compared {
                Ok(Ok(one)) => found.matches.push(one),
                Ok(Err(reason)) => {
                    let is_same_collective =
                        [OTHER_RULES, OTHER_ROOT].iter().any(|start| reason.starts_with(start));
                    found.near.push(NearMiss { entry, reason, is_same_collective });
                }
                // Other entries may fit.
                Err(AtlasError::Isomorphism(error)) => {
                    let reason = error.to_string();
                    found.near.push(NearMiss { entry, reason, is_same_collective: false });
                }
                Err(error) => found.wrong.push(error.to_string()),
            }
        }
        // The reasons that tell most come first.
        found.near.sort_by_key(|one| !one.is_same_collective);
        found.matches.sort_by_key(|one| (one.entry.model, !one.entry.is_optimal()));
        found
    }

    /// The first entry that fits a query, with its schedule on the network of the query; and the entries that are
    /// wrong and were left out, in words.
    pub fn first(&self, query: &AtlasQuery<'_>) -> (Option<(String, JudgedFile)>, Vec<String>) {
        let Found { matches, mut wrong, .. } = self.search(query);
        for one in &matches {
            match self.mapped(one, query.network) {
                Ok(file) => return (Some((one.entry.id.clone(), file)), wrong),
                Err(error) => wrong.push(error.to_string()),
            }
        }
        (None, wrong)
    }

    /// Whether the network of an entry is isomorphic to the given one apart from processors and timings.
    fn is_isomorphic(&self, entry: &AtlasEntry, network: &Network) -> Result<bool, AtlasError> {
        let wrong = |error: AtlasError| AtlasError::Entry {
            id: entry.id.clone(),
            reason: error.to_string(),
        };
        let (_, own) = entry.problem.network(self.folder()).map_err(wrong)?;
        let living = |network: &Network| network.routers().filter(|&r| !network.is_lost(r)).count();
        let is_candidate =
            own.channel_count() == network.channel_count() && living(&own) == living(network);
        Ok(is_candidate && are_alike(&own, network, Kept::default())?)
    }

    /// Compares an entry of an isomorphic network with a query; the inner error says why it does not
    /// fit.
    fn compare<'a>(
        &self,
        entry: &'a AtlasEntry,
        query: &AtlasQuery<'_>,
    ) -> Result<Result<AtlasMatch<'a>, String>, AtlasError> {
        let wrong = |error: AtlasError| AtlasError::Entry {
            id: entry.id.clone(),
            reason: error.to_string(),
        };
        let built = entry.problem.build(entry.model, self.folder()).map_err(wrong)?;
        let (from, to) = (built.network(), query.network);
        let kept = kept(entry.model, &built);
        let alike = |kept| Images::find((from, &Roles::alike(from)), (to, &Roles::alike(to)), kept);
        let Some(images) = alike(kept)? else {
            return Ok(Err(if alike(Kept::default())?.is_some() {
                "its channels have other bandwidths, latencies or links".to_owned()
            } else {
                "its processors are on other routers".to_owned()
            }));
        };
        if let (BuiltProblem::Tdm(problem), Some(asked)) = (&built, query.tdm)
            && problem.rules() != asked
        {
            let (own, asked) = (tdm_in_words(problem.rules()), tdm_in_words(asked));
            return Ok(Err(format!("{OTHER_RULES} {own}, not {asked}")));
        }
        let Some(wanted) = query.phases else {
            return Ok(Ok(AtlasMatch { entry, images, wanted: None }));
        };
        let (asked, usual) = (wanted[0].model(), Model::default());
        let is_usual = Model { routing: usual.routing, ..asked } == usual;
        if entry.model != AtlasModel::Steps && !is_usual {
            let model = entry.model;
            return Ok(Err(format!("it minimises {model}, to which rules of steps do not apply")));
        }
        match &built {
            BuiltProblem::Tdm(problem) => Ok(if !is_all_to_all(wanted) {
                Err("it is a TDM schedule of an all-to-all".to_owned())
            } else if query.tdm.is_none() && wanted[0].model().routing != problem.rules().routing {
                let (own, asked) = (problem.rules().routing, wanted[0].model().routing);
                Err(format!("its routing is {own}, not {asked}"))
            } else {
                Ok(AtlasMatch { entry, images, wanted: None })
            }),
            BuiltProblem::Collective { phases, bytes, .. } => {
                if let Some(reason) = difference(entry.model, phases, wanted) {
                    return Ok(Err(reason));
                }
                if let (Some(asked), Some(own)) = (query.bytes, *bytes)
                    && asked != own
                {
                    return Ok(Err(format!("it is for {own} bytes")));
                }
                let wanted = under(phases, wanted)?;
                let (own, other): (Vec<&Problem>, Vec<&Problem>) =
                    (phases.iter().collect(), wanted.iter().collect());
                let roles = (Roles::of(&own), Roles::of(&other));
                let alike = images;
                let images = Images::find((from, &roles.0), (to, &roles.1), kept)?;
                let fits = |images: &Images| {
                    let mut pairs = phases.iter().zip(&wanted);
                    pairs.all(|(own, other)| images.messages(own, other).is_some())
                };
                Ok(match images.filter(fits) {
                    Some(images) => Ok(AtlasMatch { entry, images, wanted: Some(wanted) }),
                    None => Err(other_processors(phases, &alike, to)),
                })
            }
        }
    }

    /// The schedule of a match in the labels of the network that was searched for. The entry is judged
    /// first, and the mapped schedule again.
    pub fn mapped(
        &self,
        found: &AtlasMatch<'_>,
        network: &Network,
    ) -> Result<JudgedFile, AtlasError> {
        let judged = self.judge(found.entry)?;
        mapping::map(&judged.file, &found.images, network, found.wanted.as_deref())
    }
}

/// Why the processors of an entry are not those of a query. A root that would fit is named.
fn other_processors(phases: &[Problem], alike: &Images, to: &Network) -> String {
    let collective = phases[0].collective();
    let (roots, others) = if collective.is_backward() {
        (&collective.receivers, &collective.senders)
    } else {
        (&collective.senders, &collective.receivers)
    };
    let image = match roots[..] {
        [root] if others.len() > 1 => alike.processor(root),
        _ => None,
    };
    match image.and_then(|root| Some((root, to.home(root)?))) {
        None => "other processors take part".to_owned(),
        Some((root, home)) => {
            let is_alone = to.residents(home).len() == 1;
            let name = if is_alone { to.router_name(home) } else { root.to_string() };
            format!("{OTHER_ROOT}: try --root {name}")
        }
    }
}

/// The rules of a TDM schedule, in words.
fn tdm_in_words(rules: TdmRules) -> String {
    let wrap = if rules.wraps { "wrap" } else { "no wrap" };
    let TdmRules { depth, phits, routing, .. } = rules;
    format!("{wrap}, depth {depth}, {phits} phits, {routing} routing")
}

/// The properties of channels that matter for an entry.
pub(crate) fn kept(model: AtlasModel, built: &BuiltProblem) -> Kept {
    let is_half = match built {
        BuiltProblem::Collective { phases, duplex, .. } => match model {
            AtlasModel::Steps => phases[0].model().duplex == Duplex::Half,
            _ => *duplex == Duplex::Half,
        },
        BuiltProblem::Tdm(_) => false,
    };
    Kept {
        links: is_half,
        bandwidths: matches!(model, AtlasModel::Throughput | AtlasModel::Time),
        latencies: model == AtlasModel::Time,
    }
}

fn is_all_to_all(phases: &[Problem]) -> bool {
    let [problem] = phases else { return false };
    let living = problem.network().living_processors().count();
    let messages = problem.messages();
    messages.len() == living * living.saturating_sub(1)
        && messages.ids().all(|message| messages.is_personalised(message))
}

/// Why an entry is for another collective or has other rules.
pub(crate) fn difference(model: AtlasModel, own: &[Problem], wanted: &[Problem]) -> Option<String> {
    let name = |phases: &[Problem]| match phases {
        [one] => one.collective().name.clone(),
        _ => "all-reduce".to_owned(),
    };
    let kinds = |phases: &[Problem]| -> Vec<_> {
        let of = |one: &Problem| (one.collective().whole_kind(), one.collective().chunk_count());
        phases.iter().map(of).collect()
    };
    let counts = |phases: &[Problem]| -> Vec<_> {
        phases.iter().map(|one| (one.messages().len(), one.messages().delivery_count())).collect()
    };
    let chunks = |phases: &[Problem]| phases[0].collective().chunk_count();
    if name(own) == name(wanted) && chunks(own) != chunks(wanted) {
        return Some(format!("its messages have {} chunks, not {}", chunks(own), chunks(wanted)));
    }
    if kinds(own) != kinds(wanted) || counts(own) != counts(wanted) {
        return Some(format!("its collective is {}, not {}", name(own), name(wanted)));
    }
    let (rules, asked) = (own[0].model(), wanted[0].model());
    (model == AtlasModel::Steps && rules != asked)
        .then(|| format!("{OTHER_RULES} {rules}, not {asked}"))
}

/// The wanted problems under the rules of the entry: throughput and time have none of their own.
fn under(own: &[Problem], wanted: &[Problem]) -> Result<Vec<Problem>, AtlasError> {
    let under = |(own, wanted): (&Problem, &Problem)| {
        wanted.under(own.model()).map_err(|error| AtlasError::Problem(error.to_string()))
    };
    own.iter().zip(wanted).map(under).collect()
}
