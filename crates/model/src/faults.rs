//! Faults: permanent, known losses of links, channels and routers. The rest of the network keeps
//! its numbers and names.

mod file;

pub use file::{parse as parse_file, read as read_file};

use crate::bounded_read::FileError;
use crate::ids::{ChannelId, RouterId};
use crate::network::{Channel, Network, NetworkError};
use crate::words::excerpt;

/// Number of neighbours that an error lists.
const LISTED: usize = 12;

/// A permanently broken part of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// One link between two routers or, where there is none, one channel from the first to the
    /// second.
    Link(RouterId, RouterId),
    /// One channel from the first router to the second; the opposite channel stays.
    Channel(RouterId, RouterId),
    /// A router, with its channels and processors.
    Router(RouterId),
}

/// Why a text is not a fault, or why a fault does not apply to a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultError {
    /// Names neither a router nor two routers.
    #[error(
        "{text:?} is neither a router nor a pair of routers of {network}; write {tail} for a router, \
         {tail}-{head} for a link or {tail}:{head} for one direction of it (routers are {routers})"
    )]
    Unknown {
        /// The text typed.
        text: String,
        /// The network.
        network: String,
        /// The ends of a channel, for examples.
        tail: String,
        /// The other end.
        head: String,
        /// The first and the last router.
        routers: String,
    },
    /// Splits into two router names in several ways.
    #[error("{text:?} matches several pairs of routers; write their numbers, such as r0-r1")]
    Ambiguous {
        /// The text typed.
        text: String,
    },
    /// There is no such link or channel.
    #[error(
        "there is no {what} from router {tail} to router {head}{} to break; {neighbours}",
        if *.is_again { " left" } else { "" }
    )]
    NothingThere {
        /// A link or a channel.
        what: &'static str,
        /// The first router.
        tail: String,
        /// The second router.
        head: String,
        /// Whether other faults removed it.
        is_again: bool,
        /// The routers that the first router has channels to, in words.
        neighbours: String,
    },
    /// A router that is already lost.
    #[error("router {router} is already lost to a fault")]
    LostAlready {
        /// The router.
        router: String,
    },
    /// The rest is not a valid network.
    #[error("with these faults, {0}")]
    NothingLeft(#[from] NetworkError),
    /// A fault file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line of a fault file that is not a fault.
    #[error("{file}, line {line}: {error}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        error: Box<FaultError>,
    },
}

impl Fault {
    /// Parses a fault: `5` or a router name for a router, `0-1` for a link (or a
    /// channel of a directed network), `0:1` or `0>1` for one channel of a link. The signs of pictures, `0–1`
    /// and `0→1`, mean the same. A text that as a whole is the name of a router denotes that router.
    pub fn parse(network: &Network, text: &str) -> Result<Self, FaultError> {
        if let Some(router) = network.find_router(text) {
            return Ok(Self::Router(router));
        }
        let (separator, tail, head) = pair(network, text)?;
        match separator {
            '-' => Ok(Self::Link(tail, head)),
            _ => Ok(Self::Channel(tail, head)),
        }
    }

    /// Parses the fault of a single channel: `0-1`, `0:1` and `0>1` denote the channel from 0 to 1.
    pub fn parse_channel(network: &Network, text: &str) -> Result<Self, FaultError> {
        let (_, tail, head) = pair(network, text)?;
        Ok(Self::Channel(tail, head))
    }

    /// Parses a fault of a schedule file: as [`Fault::parse`], but with router numbers only, never
    /// router names.
    pub fn parse_numbers(network: &Network, text: &str) -> Result<Self, FaultError> {
        let cuts = text.match_indices(['-', ':']).map(|(at, _)| at);
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| text.parse::<u32>().ok()).flatten()?;
            ((number as usize) < network.router_count()).then_some(RouterId(number))
        };
        if let Some(router) = number(text) {
            return Ok(Self::Router(router));
        }
        let mut pairs = cuts.filter_map(|at| {
            let (tail, head) = (number(&text[..at])?, number(&text[at + 1..])?);
            Some(match &text[at..=at] {
                "-" => Self::Link(tail, head),
                _ => Self::Channel(tail, head),
            })
        });
        pairs.next().ok_or_else(|| unknown(network, text))
    }

    /// The fault with router names, as [`Fault::parse`] accepts it.
    pub fn name(self, network: &Network) -> String {
        let name = |router| network.router_name(router);
        match self {
            Self::Link(tail, head) => format!("{}-{}", name(tail), name(head)),
            Self::Channel(tail, head) => format!("{}:{}", name(tail), name(head)),
            Self::Router(router) => name(router),
        }
    }

    /// The fault with router names, as in pictures: `1,1–1,2` for a link, `1,1 → 1,2` for one channel of it.
    /// [`Fault::parse`] accepts this too.
    pub fn label(self, network: &Network) -> String {
        let name = |router| network.router_name(router);
        match self {
            Self::Link(tail, head) => format!("{}–{}", name(tail), name(head)),
            Self::Channel(tail, head) => format!("{} → {}", name(tail), name(head)),
            Self::Router(router) => name(router),
        }
    }

    /// The fault with router numbers, as in a schedule file.
    pub fn numbers(self) -> String {
        match self {
            Self::Link(tail, head) => format!("{tail}-{head}"),
            Self::Channel(tail, head) => format!("{tail}:{head}"),
            Self::Router(router) => router.to_string(),
        }
    }
}

fn unknown(network: &Network, text: &str) -> FaultError {
    let last = RouterId(network.router_count() as u32 - 1);
    let ends = network.channels().first().map_or((RouterId(0), last), |one| (one.tail, one.head));
    let last = network.router_name(last);
    FaultError::Unknown {
        text: excerpt(text).into_owned(),
        network: network.name().to_owned(),
        tail: network.router_name(ends.0),
        head: network.router_name(ends.1),
        routers: format!("{} to {last}", network.router_name(RouterId(0))),
    }
}

/// Splits a text into a separator and the two routers around it. A dash (`–`) is a hyphen and an arrow (`→`)
/// is `>`, as in pictures. Names may contain separators, so every position is tried. If several fit, only pairs with a channel between them count.
fn pair(network: &Network, text: &str) -> Result<(char, RouterId, RouterId), FaultError> {
    let cuts = text.char_indices().filter_map(|(at, letter)| {
        let separator = match letter {
            '-' | '–' => '-',
            ':' | '>' | '→' => ':',
            _ => return None,
        };
        Some((at, at + letter.len_utf8(), separator))
    });
    let mut pairs: Vec<(char, RouterId, RouterId)> = cuts
        .filter_map(|(at, end, separator)| {
            let (tail, head) = (text[..at].trim(), text[end..].trim());
            Some((separator, network.find_router(tail)?, network.find_router(head)?))
        })
        .collect();
    if pairs.len() > 1 {
        pairs.retain(|&(_, tail, head)| network.channels_between(tail, head).next().is_some());
    }
    match pairs[..] {
        [] => Err(unknown(network, text)),
        [pair] => Ok(pair),
        _ => Err(FaultError::Ambiguous { text: excerpt(text).into_owned() }),
    }
}

impl Network {
    /// The network after these faults. They apply in order, routers last; of parallel links, the
    /// first one that still works breaks.
    ///
    /// ```
    /// use pavane_model::{Fault, NetworkBuilder};
    ///
    /// let mut builder = NetworkBuilder::new("ring", 4);
    /// builder.link(0, 1).link(1, 2).link(2, 3).link(3, 0).processor_on_each_router();
    /// let ring = builder.build()?;
    /// let faults = [Fault::parse(&ring, "0-1")?, Fault::parse(&ring, "2")?];
    /// let broken = ring.without(&faults)?;
    /// assert_eq!((broken.channel_count(), broken.living_processors().count()), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without(&self, faults: &[Fault]) -> Result<Self, FaultError> {
        if faults.is_empty() {
            return Ok(self.clone());
        }
        let damage = self.damage(faults)?;
        Ok(self.without_parts(&damage.channels, &damage.routers, damage.words)?)
    }

    /// The number of each channel after these faults; `None` if it is lost.
    pub fn channels_after(&self, faults: &[Fault]) -> Result<Vec<Option<ChannelId>>, FaultError> {
        let mut next = (0..).map(ChannelId);
        let damage = self.damage(faults)?;
        let number = |is_gone| if is_gone { None } else { next.next() };
        Ok(damage.is_gone.into_iter().map(number).collect())
    }

    fn damage(&self, faults: &[Fault]) -> Result<Damage<'_>, FaultError> {
        let mut damage = Damage {
            network: self,
            is_gone: vec![false; self.channel_count()],
            is_lost: self.routers().map(|router| self.is_lost(router)).collect(),
            channels: Vec::new(),
            routers: Vec::new(),
            words: Vec::new(),
        };
        // A router takes its links with it, so links that are named as well must break first.
        let (routers, others): (Vec<Fault>, Vec<Fault>) =
            faults.iter().partition(|fault| matches!(fault, Fault::Router(_)));
        for fault in others.into_iter().chain(routers) {
            match fault {
                Fault::Link(tail, head) => damage.break_link(tail, head)?,
                Fault::Channel(tail, head) => damage.break_channel(tail, head)?,
                Fault::Router(router) => damage.break_router(router)?,
            }
        }
        Ok(damage)
    }
}

/// The faults applied so far.
struct Damage<'a> {
    network: &'a Network,
    is_gone: Vec<bool>,
    is_lost: Vec<bool>,
    channels: Vec<ChannelId>,
    routers: Vec<RouterId>,
    words: Vec<String>,
}

impl Damage<'_> {
    fn is_whole(&self, channel: ChannelId) -> bool {
        !self.is_gone[channel.index()]
    }

    /// The working channels from one router to another.
    fn left(&self, tail: RouterId, head: RouterId) -> impl Iterator<Item = ChannelId> {
        self.network.channels_between(tail, head).filter(|&channel| self.is_whole(channel))
    }

    fn first(&self, tail: RouterId, head: RouterId) -> Option<ChannelId> {
        self.left(tail, head).next()
    }

    /// The first link between two routers with both channels working.
    fn link(&self, tail: RouterId, head: RouterId) -> Option<(ChannelId, ChannelId)> {
        let opposite = |channel| Some((channel, self.network.opposite(channel)?));
        self.left(tail, head).filter_map(opposite).find(|&(_, opposite)| self.is_whole(opposite))
    }

    fn lose(&mut self, channel: ChannelId) {
        self.is_gone[channel.index()] = true;
        self.channels.push(channel);
    }

    /// Removes one direction of a link, or a channel that belongs to no link.
    fn lose_direction(&mut self, channel: ChannelId) {
        self.lose(channel);
        let Channel { tail, head, .. } = self.network.channel(channel);
        let separator = if self.network.opposite(channel).is_some() { ':' } else { '-' };
        self.words.push(format!("{tail}{separator}{head}"));
    }

    fn break_link(&mut self, tail: RouterId, head: RouterId) -> Result<(), FaultError> {
        if let Some((there, back)) = self.link(tail, head) {
            self.lose(there);
            self.lose(back);
            self.words.push(format!("{tail}-{head}"));
            Ok(())
        } else if let Some(channel) = self.first(tail, head) {
            self.lose_direction(channel);
            Ok(())
        } else {
            Err(self.nothing_there("link", tail, head))
        }
    }

    fn break_channel(&mut self, tail: RouterId, head: RouterId) -> Result<(), FaultError> {
        let whole = self.link(tail, head).map(|(there, _)| there);
        match whole.or_else(|| self.first(tail, head)) {
            Some(channel) => {
                self.lose_direction(channel);
                Ok(())
            }
            None => Err(self.nothing_there("channel", tail, head)),
        }
    }

    fn break_router(&mut self, router: RouterId) -> Result<(), FaultError> {
        if self.is_lost[router.index()] {
            return Err(FaultError::LostAlready { router: self.network.router_name(router) });
        }
        self.is_lost[router.index()] = true;
        self.routers.push(router);
        for at in [self.network.out_channels(router), self.network.in_channels(router)] {
            for channel in at {
                self.is_gone[channel.index()] = true;
            }
        }
        self.words.push(router.to_string());
        Ok(())
    }

    fn nothing_there(&self, what: &'static str, tail: RouterId, head: RouterId) -> FaultError {
        let network = self.network;
        let leaving = network.out_channels(tail).iter().filter(|&&channel| self.is_whole(channel));
        let mut heads: Vec<RouterId> =
            leaving.map(|&channel| network.channel(channel).head).collect();
        heads.sort_unstable();
        heads.dedup();
        let named: Vec<String> =
            heads.iter().take(LISTED).map(|&router| network.router_name(router)).collect();
        let more = if heads.len() > LISTED { ", …" } else { "" };
        let tail_name = network.router_name(tail);
        let neighbours = match heads[..] {
            [] => format!("no channel leaves router {tail_name}"),
            _ => format!("channels from router {tail_name} lead to {}{more}", named.join(", ")),
        };
        FaultError::NothingThere {
            what,
            tail: tail_name,
            head: network.router_name(head),
            is_again: network.channels_between(tail, head).next().is_some(),
            neighbours,
        }
    }
}

#[cfg(test)]
mod tests;
