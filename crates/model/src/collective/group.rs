//! Parses the root, senders and receivers of a collective: `all`, processor numbers, ranges of numbers, and
//! names of routers with one processor, such as `(1,2)`.

use super::build::CollectiveError;
use crate::ids::{ProcessorId, RouterId};
use crate::network::Network;
use crate::words::excerpt;

/// The groups of a collective, as typed by the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Groups {
    /// The sender; in a gather or reduce, the receiver.
    pub root: Option<String>,
    /// The senders; in a gather or reduce, the contributors.
    pub senders: Option<String>,
    /// The receivers; in a gather or reduce, the roots.
    pub receivers: Option<String>,
}

/// What is wrong with a group.
pub(super) fn invalid(group: &'static str, text: &str, error: GroupError) -> CollectiveError {
    CollectiveError::Group { group, text: text.to_owned(), error: Box::new(error) }
}

impl Groups {
    /// The groups without the processors that `healthy` has and `broken` has lost. A root is kept
    /// even if it was lost, because no other processor can replace it.
    pub fn left(&self, healthy: &Network, broken: &Network) -> Result<Self, CollectiveError> {
        let left = |group, text: &Option<String>| {
            let Some(text) = text else { return Ok(None) };
            let wrong = |error| invalid(group, text, error);
            let mut named = processors(healthy, text).map_err(wrong)?;
            named.retain(|&processor| broken.home(processor).is_some());
            if named.is_empty() {
                return Err(wrong(GroupError::AllLost));
            }
            let words: Vec<String> = named.iter().map(|p| format!("p{p}")).collect();
            Ok(Some(words.join(",")))
        };
        Ok(Self {
            root: self.root.clone(),
            senders: left("senders", &self.senders)?,
            receivers: left("receivers", &self.receivers)?,
        })
    }
}

/// Why a text does not name processors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// An empty list, or an empty entry between commas.
    #[error("no processor is named{}", usage(*.is_list))]
    Empty {
        /// Whether several processors are allowed.
        is_list: bool,
    },
    /// Neither a processor nor a router.
    #[error("{network} has no processor {text} (valid: {valid}){}", usage(*.is_list))]
    Unknown {
        /// The text typed; in quotes unless it is one word.
        text: String,
        /// The network.
        network: String,
        /// The names of routers, if they have any, and the numbers of processors.
        valid: String,
        /// Whether several processors are allowed.
        is_list: bool,
    },
    /// The processor was lost to a fault.
    #[error("processor {processor} is lost to a fault")]
    Lost {
        /// The processor.
        processor: String,
    },
    /// All processors of the group were lost to faults.
    #[error("all processors of this group are lost to faults")]
    AllLost,
    /// A router name where the router does not host exactly one processor.
    #[error("router {router} hosts {hosts}; name a processor by its number, such as {example}")]
    NotOneProcessor {
        /// The router.
        router: String,
        /// What it hosts, in words.
        hosts: String,
        /// A processor on it, or the first one.
        example: String,
    },
    /// A router that was lost to a fault.
    #[error("router {router} is lost to a fault; name another one")]
    LostRouter {
        /// The router.
        router: String,
    },
    /// A range whose end comes before its start.
    #[error("the range {text} runs backwards; write {last}-{first}")]
    Backwards {
        /// The text typed.
        text: String,
        /// The first processor, as typed.
        first: String,
        /// The last processor, as typed.
        last: String,
    },
    /// A coordinate that no router has.
    #[error("{network} has no router {text} ({routers})")]
    NoRouter {
        /// The network.
        network: String,
        /// The text typed.
        text: String,
        /// The first and the last router.
        routers: String,
    },
    /// A processor that is named more than once.
    #[error("processor {processor} is named twice{}", brackets(*.has_coordinates))]
    Twice {
        /// The processor.
        processor: String,
        /// Whether the names of routers are coordinates.
        has_coordinates: bool,
    },
    /// Several processors where one is required.
    #[error("{text:?} names {count} processors, but only one is allowed")]
    Several {
        /// The text typed.
        text: String,
        /// The number of processors that it names.
        count: usize,
    },
}

impl GroupError {
    /// The error where only one processor is allowed, so that it does not explain lists.
    fn for_one(mut self) -> Self {
        if let Self::Empty { is_list } | Self::Unknown { is_list, .. } = &mut self {
            *is_list = false;
        }
        self
    }
}

/// How several processors are written, for the end of an error.
fn usage(is_list: bool) -> &'static str {
    if is_list { "; write `all`, or numbers and ranges such as 0-7,12" } else { "" }
}

/// How coordinates are written, for the end of an error.
fn brackets(has_coordinates: bool) -> &'static str {
    if has_coordinates { "; write coordinates in brackets, such as (1,2) (2,2)" } else { "" }
}

/// The one processor that a text names. The text may be a router name that contains commas, such as
/// `1,2` in a mesh.
pub fn processor(network: &Network, text: &str) -> Result<ProcessorId, GroupError> {
    match item(network, text.trim()) {
        Ok(Item::One(processor)) if network.home(processor).is_some() => Ok(processor),
        Ok(_) | Err(GroupError::Unknown { .. }) => {
            if let Some(error) = no_such_coordinate(network, text) {
                return Err(error);
            }
            let named = processors(network, text).map_err(GroupError::for_one)?;
            match named[..] {
                [processor] => Ok(processor),
                _ => Err(GroupError::Several {
                    text: excerpt(text).into_owned(),
                    count: named.len(),
                }),
            }
        }
        Err(error) => Err(error.for_one()),
    }
}

/// The processors that a list names, in the order given. Entries are separated by commas, or by blanks or
/// semicolons, between which an entry may be a router name with commas: `1,1 2,2`. A list without blanks
/// and semicolons that names processors by number denotes these, even if it is a router name too: see
/// [`second_meaning`].
pub fn processors(network: &Network, text: &str) -> Result<Vec<ProcessorId>, GroupError> {
    let text = &without_blanks_at_commas(text)[..];
    let is_separated = text.contains([';', ' ']);
    match listed(network, text) {
        // No list of numbers, but the name of a router: `1,1`.
        Err(GroupError::Twice { .. } | GroupError::Unknown { .. })
            if !is_separated && router(network, text).is_some() =>
        {
            match item(network, text)? {
                Item::One(processor) => Ok(vec![processor]),
                _ => listed(network, text),
            }
        }
        Err(error @ GroupError::Twice { .. }) if !is_separated => {
            Err(no_such_coordinate(network, text).unwrap_or(error))
        }
        other => other,
    }
}

/// The router that a list of processor numbers is the name of, too: `1,2` denotes the processors 1 and 2,
/// and in a mesh it is also a coordinate.
pub fn second_meaning(network: &Network, text: &str) -> Option<RouterId> {
    let router = router(network, text.trim())?;
    processors(network, text).is_ok_and(|named| named.len() > 1).then_some(router)
}

fn listed(network: &Network, text: &str) -> Result<Vec<ProcessorId>, GroupError> {
    let mut named = Vec::new();
    for text in entries(network, text)? {
        match item(network, text)? {
            Item::One(processor) => named.push(processor),
            Item::Range(first, last) => named.extend((first..=last).map(ProcessorId)),
            Item::All => named.extend(network.living_processors()),
        }
        // More entries than processors: one of them is named twice, so stop before the list grows
        // further.
        if named.len() > network.processor_count() {
            break;
        }
    }
    let mut sorted = named.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let has_coordinates = network.router_name(RouterId(0)).contains(',');
        let processor = network.processor_number(pair[0]);
        return Err(GroupError::Twice { processor, has_coordinates });
    }
    match named.iter().find(|&&processor| network.home(processor).is_none()) {
        Some(&lost) => Err(GroupError::Lost { processor: network.processor_number(lost) }),
        None => Ok(named),
    }
}

/// The entries of a list. Between blanks or semicolons, the name of a router is one entry whatever its
/// commas.
fn entries<'a>(network: &Network, text: &'a str) -> Result<Vec<&'a str>, GroupError> {
    let plain = outside_brackets(text);
    let is_separated = text.contains([';', ' ']);
    // Names in files may contain blanks.
    if !is_separated || plain.iter().all(|entry| item(network, entry).is_ok()) {
        return Ok(plain);
    }
    let mut entries = Vec::new();
    for part in text.split([';', ' ']).filter(|part| !part.is_empty()) {
        if router(network, part).is_some() {
            entries.push(part);
            continue;
        }
        if let Some(error) = no_such_coordinate(network, part) {
            return Err(error);
        }
        entries.extend(outside_brackets(part));
    }
    if entries.is_empty() { Err(GroupError::Empty { is_list: true }) } else { Ok(entries) }
}

/// A text without blanks around its commas and at its ends; other blanks become single ones.
fn without_blanks_at_commas(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(" ,", ",").replace(", ", ",")
}

/// The parts of a text between commas that are not in brackets.
fn outside_brackets(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let is_cut = |character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    };
    text.split(is_cut).map(str::trim).collect()
}

/// The error for a text with the form of a coordinate that no router has, such as `4,4` in a 4×4 mesh.
fn no_such_coordinate(network: &Network, text: &str) -> Option<GroupError> {
    let numbers = |text: &str| {
        let parts: Vec<&str> = text.split(',').collect();
        let is_number = |part: &&str| part.parse::<u32>().is_ok();
        parts.iter().all(is_number).then_some(parts.len()).filter(|&count| count > 1)
    };
    let plain = text.trim().trim_start_matches('(').trim_end_matches(')');
    let last = RouterId(network.router_count() as u32 - 1);
    let ends = [RouterId(0), last].map(|router| network.router_name(router));
    let is_one = numbers(plain).is_some() && numbers(plain) == numbers(&ends[0]);
    (is_one && network.find_router(plain).is_none()).then(|| GroupError::NoRouter {
        network: network.name().to_owned(),
        text: plain.to_owned(),
        routers: ends.join(" to "),
    })
}

enum Item {
    One(ProcessorId),
    Range(u32, u32),
    All,
}

/// Parses one entry. The name of a router takes precedence over the number of a processor, as pictures
/// and texts have names where there are any.
fn item(network: &Network, text: &str) -> Result<Item, GroupError> {
    if text.is_empty() {
        return Err(GroupError::Empty { is_list: true });
    }
    if text.eq_ignore_ascii_case("all") {
        return Ok(Item::All);
    }
    if let Some(router) = named(network, text) {
        return resident(network, router).map(Item::One);
    }
    if let Some(number) = number(network, text) {
        return Ok(Item::One(ProcessorId(number)));
    }
    if let Some((from, to)) = text.split_once('-')
        && let Some((first, last)) = range(network, from, to)?
    {
        if first > last {
            let (first, last) = (from.to_owned(), to.to_owned());
            return Err(GroupError::Backwards { text: text.to_owned(), first, last });
        }
        return Ok(Item::Range(first, last));
    }
    match router(network, text) {
        Some(router) => resident(network, router).map(Item::One),
        None => {
            let coordinate = no_such_coordinate(network, text).filter(|_| text.starts_with('('));
            Err(coordinate.unwrap_or_else(|| GroupError::Unknown {
                text: shown(text),
                network: network.name().to_owned(),
                valid: valid(network),
                is_list: true,
            }))
        }
    }
}

/// The ends of a range: two numbers of processors, or two names of routers that are numbers.
fn range(network: &Network, from: &str, to: &str) -> Result<Option<(u32, u32)>, GroupError> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let (Some(first), Some(last)) = (named(network, from), named(network, to))
        && is_number(from)
        && is_number(to)
    {
        return Ok(Some((resident(network, first)?.0, resident(network, last)?.0)));
    }
    Ok(number(network, from).zip(number(network, to)))
}

/// The processors that a network has, for an error.
fn valid(network: &Network) -> String {
    let end = network.processor_count() - 1;
    let is_plain = |at: usize| network.processor_number(ProcessorId(at as u32)) == at.to_string();
    let sign = if is_plain(0) && is_plain(end) { "" } else { "p" };
    let numbers = format!("{sign}0 to {sign}{end}");
    if !network.has_router_names() {
        return numbers;
    }
    let last = RouterId(network.router_count() as u32 - 1);
    let [first, last] = [RouterId(0), last].map(|router| network.router_name(router));
    format!("{numbers}, or the name of a router, {} to {}", excerpt(&first), excerpt(&last))
}

/// The start of a text, in quotes unless it is one word.
fn shown(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.' | '_')) {
        excerpt(text).into_owned()
    } else {
        format!("{:?}", excerpt(text))
    }
}

/// Parses `10` or `p10`, without leading zeros. `None` if the network has no such processor.
fn number(network: &Network, text: &str) -> Option<u32> {
    let digits = text.strip_prefix('p').unwrap_or(text);
    let number: u32 = digits.parse().ok()?;
    let is_canonical = number.to_string() == digits;
    (is_canonical && (number as usize) < network.processor_count()).then_some(number)
}

/// The router with this name. If a router hosts several processors, numbers denote processors only.
fn named(network: &Network, text: &str) -> Option<RouterId> {
    if network.is_processor_number(text) {
        return None;
    }
    let router = network.find_router(text).filter(|_| network.has_router_names())?;
    (network.router_name(router) == text).then_some(router)
}

/// Finds a router by its name or as `r10`. Other plain numbers denote processors.
fn router(network: &Network, text: &str) -> Option<RouterId> {
    let router = network.find_router(text)?;
    let is_name = network.router_name(router) == text;
    (is_name || text.starts_with(['r', '('])).then_some(router)
}

fn resident(network: &Network, router: RouterId) -> Result<ProcessorId, GroupError> {
    let hosts = match network.residents(router) {
        [processor] => return Ok(*processor),
        [] if network.is_lost(router) => {
            return Err(GroupError::LostRouter { router: network.router_name(router) });
        }
        [] => "no processor: it is a switch".to_owned(),
        [first, .., last] => format!("several processors ({first} to {last})"),
    };
    let first = network.residents(router).first().copied();
    let first = first.or_else(|| network.living_processors().next()).unwrap_or(ProcessorId(0));
    let (router, example) = (network.router_name(router), format!("p{first}"));
    Err(GroupError::NotOneProcessor { router, hosts, example })
}
