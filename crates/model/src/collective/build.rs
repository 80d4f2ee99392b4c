//! Builds a collective from a name and groups that a user typed. One table holds today's names
//! (all-gather, all-to-all, …) and the papers' (OAB, AAS, …).

use super::group::{self, GroupError, Groups};
use super::permutation::{self, Permutation};
use super::{Collective, Kind, message_file};
use crate::bounded_read::FileError;
use crate::ids::ProcessorId;
use crate::network::Network;
use crate::words::{plain, similar};

/// Why a name and groups do not give a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// The name is not known.
    #[error("no collective is called {name:?}; {known}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar names, or today's names if none is similar, in words.
        known: String,
    },
    /// A root for a collective that has none.
    #[error(
        "{collective} has no root; give {}",
        if *.has_receivers { "senders and receivers" } else { "its group as senders" }
    )]
    NoRoot {
        /// The collective.
        collective: String,
        /// Whether the collective may have receivers that are not its senders.
        has_receivers: bool,
    },
    /// A multicast without receivers.
    #[error("{collective} requires receivers; broadcast sends to all processors")]
    NoReceivers {
        /// The collective.
        collective: String,
    },
    /// Groups that the collective does not have, or that contradict each other.
    #[error("{collective}: {problem}; {remedy}")]
    Contradiction {
        /// The collective.
        collective: String,
        /// The contradiction.
        problem: String,
        /// What to do instead.
        remedy: String,
    },
    /// An invalid group.
    #[error("{group} {text:?}: {error}")]
    Group {
        /// `root`, `senders` or `receivers`.
        group: &'static str,
        /// The text typed.
        text: String,
        /// What is wrong with it.
        error: Box<GroupError>,
    },
    /// An invalid permutation, or one that does not fit the processors.
    #[error("{name:?}: {problem}; write {usage}")]
    Permutation {
        /// The text typed.
        name: String,
        /// What is wrong, with the offending value.
        problem: String,
        /// How permutations are written.
        usage: &'static str,
    },
    /// A message file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A message file with an error in it.
    #[error("{file}: {place}: {problem}")]
    Message {
        /// The file.
        file: String,
        /// The line, or the message.
        place: String,
        /// What is wrong, with the offending text.
        problem: String,
    },
}

/// Which groups a collective has, and their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One root; `instead` names the collective for several roots.
    OneRoot { instead: &'static str },
    /// One root, and the receivers must be given.
    Multicast,
    /// One root by default; the user may name several.
    Roots,
    /// One group, which sends and receives.
    OneGroup,
    /// Two groups.
    TwoGroups,
    /// A reduce and a broadcast, both within one group.
    ReduceThenBroadcast,
}

struct NamedCollective {
    name: &'static str,
    kind: Kind,
    form: Form,
    meaning: &'static str,
}

const fn entry(
    name: &'static str,
    kind: Kind,
    form: Form,
    meaning: &'static str,
) -> NamedCollective {
    NamedCollective { name, kind, form, meaning }
}

#[rustfmt::skip]
const TABLE: &[NamedCollective] = &[
    entry("broadcast", Kind::Broadcast, Form::Roots, "one message per sender, for all receivers"),
    entry("multicast", Kind::Broadcast, Form::Multicast, "one-to-many broadcast"),
    entry("scatter", Kind::Scatter, Form::Roots, "a personalised message for each receiver"),
    entry("gather", Kind::Gather, Form::Roots, "a personalised message from each contributor"),
    entry("reduce", Kind::Reduce, Form::Roots, "one sum of all contributions, at the root"),
    entry("all-gather", Kind::Broadcast, Form::OneGroup, "the message of each processor to all others"),
    entry("all-to-all", Kind::Scatter, Form::OneGroup, "a personalised message for each pair"),
    entry("reduce-scatter", Kind::Reduce, Form::OneGroup, "one sum of all contributions for each processor"),
    entry("all-reduce", Kind::Reduce, Form::ReduceThenBroadcast, "reduce-scatter, then all-gather"),
    entry("oab", Kind::Broadcast, Form::OneRoot { instead: "mnb" }, "one-to-all broadcast"),
    entry("aab", Kind::Broadcast, Form::OneGroup, "all-to-all broadcast"),
    entry("mnb", Kind::Broadcast, Form::TwoGroups, "many-to-many broadcast"),
    entry("oas", Kind::Scatter, Form::OneRoot { instead: "mns" }, "one-to-all scatter"),
    entry("aas", Kind::Scatter, Form::OneGroup, "all-to-all scatter"),
    entry("mns", Kind::Scatter, Form::TwoGroups, "many-to-many scatter"),
    entry("aog", Kind::Gather, Form::OneRoot { instead: "gather" }, "all-to-one gather"),
    entry("aor", Kind::Reduce, Form::OneRoot { instead: "reduce" }, "all-to-one reduce"),
    entry("aar", Kind::Reduce, Form::OneGroup, "all-to-all reduce"),
];

/// The first entry with a name of the papers; those before it have today's names.
const FIRST_OF_PAPERS: &str = "oab";

/// Today's names of collectives: `broadcast, …, reduce-scatter or all-reduce`.
fn todays_names() -> String {
    let names = TABLE.iter().map(|entry| entry.name);
    let names: Vec<&str> = names.take_while(|name| *name != FIRST_OF_PAPERS).collect();
    let (last, others) = names.split_last().map_or(("", &names[..]), |(last, rest)| (*last, rest));
    format!("{} or {last}", others.join(", "))
}

/// All named collectives with their meanings, then the named permutations. Message files are not
/// listed.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.iter().map(|entry| (entry.name, entry.meaning)).chain(permutation::names())
}

/// Today's name of a collective, for titles: `all-to-all` for `aas`, `broadcast` for `oab` and `mnb`. Every
/// other name stays as it is.
pub fn todays_name(name: &str) -> &str {
    let is_todays = |entry: &&NamedCollective| entry.name != FIRST_OF_PAPERS;
    let asked = TABLE.iter().find(|entry| plain(entry.name) == plain(name));
    let today = asked.and_then(|asked| {
        let form = if asked.form == Form::OneGroup { Form::OneGroup } else { Form::Roots };
        let is_of_papers = TABLE.iter().take_while(is_todays).all(|entry| entry.name != asked.name);
        let is_same = |entry: &&NamedCollective| entry.kind == asked.kind && entry.form == form;
        TABLE.iter().take_while(is_todays).find(is_same).filter(|_| is_of_papers)
    });
    today.map_or(name, |entry| entry.name)
}

/// Whether a name denotes a collective between groups rather than a list of messages.
pub fn has_groups(name: &str) -> bool {
    TABLE.iter().any(|entry| plain(entry.name) == plain(name))
}

/// Whether a name denotes a collective or a permutation, and therefore never a file.
pub fn is_name(name: &str) -> bool {
    has_groups(name) || Permutation::parse(name).is_some()
}

/// Whether a collective on a network is the one that its name denotes: `aas` is among all
/// processors, `oab` from one processor to all others; `mns` may have any groups.
pub fn is_called_rightly(collective: &Collective, network: &Network) -> bool {
    let collective = &collective.whole();
    let Collective { kind, name, senders, receivers, .. } = collective;
    let Some(entry) = TABLE.iter().find(|entry| plain(entry.name) == plain(name)) else {
        let named = Permutation::parse(name).map(|named| named.build(name, network));
        return named.is_some_and(|named| named.is_ok_and(|named| named.list == collective.list));
    };
    let sorted = |group: &[ProcessorId]| {
        let mut group = group.to_vec();
        group.sort_unstable();
        group
    };
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let (roots, others) =
        if collective.is_backward() { (receivers, senders) } else { (senders, receivers) };
    let is_form = match entry.form {
        Form::OneRoot { .. } => {
            let is_other = |processor: &ProcessorId| !roots.contains(processor);
            roots.len() == 1
                && sorted(others) == all.into_iter().filter(is_other).collect::<Vec<_>>()
        }
        Form::Multicast => roots.len() == 1,
        Form::Roots | Form::TwoGroups => true,
        Form::OneGroup => sorted(senders) == all && sorted(receivers) == all,
        // A file of an all-reduce has two phases with names of their own.
        Form::ReduceThenBroadcast => false,
    };
    *kind == entry.kind && is_form
}

/// Whether a name denotes an all-reduce, the only collective of two phases.
pub fn is_all_reduce(name: &str) -> bool {
    let is_named = |entry: &&NamedCollective| plain(entry.name) == plain(name);
    TABLE.iter().find(is_named).is_some_and(|entry| entry.form == Form::ReduceThenBroadcast)
}

/// Whether the collective has a root.
pub fn has_root(name: &str) -> bool {
    let entry = TABLE.iter().find(|entry| plain(entry.name) == plain(name));
    let is_rooted = |form| matches!(form, Form::OneRoot { .. } | Form::Multicast | Form::Roots);
    entry.is_some_and(|entry| is_rooted(entry.form))
}

/// Whether a collective has a root that the groups do not name, so that it defaults to the first
/// processor.
pub fn has_any_root(name: &str, groups: &Groups) -> bool {
    let entry = TABLE.iter().find(|entry| plain(entry.name) == plain(name));
    let near = entry.map(|entry| match entry.kind {
        Kind::Gather | Kind::Reduce => &groups.receivers,
        _ => &groups.senders,
    });
    has_root(name) && groups.root.is_none() && near.is_some_and(Option::is_none)
}

/// Builds a collective between the given groups and returns its phases: two for an all-reduce,
/// otherwise one. A name that denotes neither a collective nor a permutation is taken as a message
/// file if it contains a path separator, ends in an extension of message files, or names an
/// existing file.
///
/// ```
/// use pavane_model::collective::{self, Groups};
/// use pavane_model::NetworkBuilder;
///
/// let mut builder = NetworkBuilder::new("path", 9);
/// (1..9).for_each(|router| _ = builder.link(router - 1, router));
/// builder.processor_on_each_router();
/// let path = builder.build()?;
/// let some = |text: &str| Some(text.to_owned());
/// let groups = Groups { senders: some("0-2"), receivers: some("6-8"), ..Groups::default() };
/// assert_eq!(collective::build("mns", &path, &groups)?[0].size().messages, 9);
/// assert_eq!(collective::build("all-reduce", &path, &Groups::default())?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(
    name: &str,
    network: &Network,
    groups: &Groups,
) -> Result<Vec<Collective>, CollectiveError> {
    let asked = plain(name);
    if let Some(entry) = TABLE.iter().find(|entry| plain(entry.name) == asked) {
        return Asked { entry, network, groups }.phases();
    }
    let permutation = Permutation::parse(name);
    if permutation.is_none() && !message_file::is_one(name) {
        let known = names().map(|(name, _)| (name.split(':').next().unwrap_or(name), name));
        let known = similar(name, known).unwrap_or_else(|| format!("use {}", todays_names()));
        return Err(CollectiveError::Unknown { name: name.to_owned(), known });
    }
    if groups != &Groups::default() {
        return Err(CollectiveError::Contradiction {
            collective: name.to_owned(),
            problem: "it defines its senders and receivers itself".to_owned(),
            remedy: "leave out root, senders and receivers".to_owned(),
        });
    }
    let collective = match permutation {
        Some(permutation) => permutation.build(name, network)?,
        None => message_file::read(name, network)?,
    };
    Ok(vec![collective])
}

/// An entry of the table with the groups that the user typed.
struct Asked<'a> {
    entry: &'a NamedCollective,
    network: &'a Network,
    groups: &'a Groups,
}

impl Asked<'_> {
    fn phases(&self) -> Result<Vec<Collective>, CollectiveError> {
        let NamedCollective { name, kind, form, .. } = *self.entry;
        let (senders, receivers) = match form {
            Form::OneRoot { .. } | Form::Multicast | Form::Roots => self.rooted()?,
            Form::OneGroup => self.one_group()?,
            Form::TwoGroups => self.two_groups()?,
            Form::ReduceThenBroadcast => {
                let group = self.only_group()?;
                let phase =
                    |kind, name| Collective::between(kind, name, group.clone(), group.clone());
                return Ok(vec![
                    phase(Kind::Reduce, "reduce-scatter"),
                    phase(Kind::Broadcast, "all-gather"),
                ]);
            }
        };
        Ok(vec![Collective::between(kind, name, senders, receivers)])
    }

    /// One side is the root (or roots); the other defaults to all other processors.
    fn rooted(&self) -> Result<(Vec<ProcessorId>, Vec<ProcessorId>), CollectiveError> {
        let is_backward = matches!(self.entry.kind, Kind::Gather | Kind::Reduce);
        let sides = [("senders", &self.groups.senders), ("receivers", &self.groups.receivers)];
        let [near, far] = if is_backward { [sides[1], sides[0]] } else { sides };
        let roots = match (&self.groups.root, near.1) {
            (Some(_), Some(_)) => {
                let problem = format!("root and {} name the same side", near.0);
                return self.contradiction(problem, "give one of them");
            }
            (Some(text), None) => {
                let wrong = |error| group::invalid("root", text, error);
                vec![group::processor(self.network, text).map_err(wrong)?]
            }
            (None, Some(_)) => self.group(near.0, near.1)?,
            (None, None) => self.network.living_processors().take(1).collect(),
        };
        if let Form::OneRoot { .. } | Form::Multicast = self.entry.form
            && roots.len() > 1
        {
            let instead = match self.entry.form {
                Form::OneRoot { instead } => instead,
                _ => "mnb",
            };
            let problem =
                format!("it has one root, but {} names {} processors", near.0, roots.len());
            return self.contradiction(problem, &format!("use {instead} for several"));
        }
        if self.entry.form == Form::Multicast && far.1.is_none() {
            return Err(CollectiveError::NoReceivers { collective: self.entry.name.to_owned() });
        }
        let mut others = self.group(far.0, far.1)?;
        if far.1.is_none() && roots.len() == 1 {
            others.retain(|&processor| processor != roots[0]);
        }
        Ok(if is_backward { (others, roots) } else { (roots, others) })
    }

    /// If only the senders are given, the collective is among them: they are the receivers too.
    fn one_group(&self) -> Result<(Vec<ProcessorId>, Vec<ProcessorId>), CollectiveError> {
        let (senders, mut receivers) = self.two_groups()?;
        if self.groups.receivers.is_none() {
            receivers.clone_from(&senders);
        }
        Ok((senders, receivers))
    }

    fn two_groups(&self) -> Result<(Vec<ProcessorId>, Vec<ProcessorId>), CollectiveError> {
        self.refuse_root(true)?;
        let senders = self.group("senders", &self.groups.senders)?;
        Ok((senders, self.group("receivers", &self.groups.receivers)?))
    }

    fn only_group(&self) -> Result<Vec<ProcessorId>, CollectiveError> {
        self.refuse_root(false)?;
        if self.groups.receivers.is_some() {
            let problem = "it has one group, so receivers cannot be given".to_owned();
            return self.contradiction(problem, "give the group as senders");
        }
        self.group("senders", &self.groups.senders)
    }

    fn refuse_root(&self, has_receivers: bool) -> Result<(), CollectiveError> {
        let collective = || self.entry.name.to_owned();
        match self.groups.root {
            None => Ok(()),
            Some(_) => Err(CollectiveError::NoRoot { collective: collective(), has_receivers }),
        }
    }

    /// The processors of a group; by default all that are not lost.
    fn group(
        &self,
        group: &'static str,
        text: &Option<String>,
    ) -> Result<Vec<ProcessorId>, CollectiveError> {
        match text {
            None => Ok(self.network.living_processors().collect()),
            Some(text) => group::processors(self.network, text)
                .map_err(|error| group::invalid(group, text, error)),
        }
    }

    fn contradiction<T>(&self, problem: String, remedy: &str) -> Result<T, CollectiveError> {
        let collective = self.entry.name.to_owned();
        Err(CollectiveError::Contradiction { collective, problem, remedy: remedy.to_owned() })
    }
}
