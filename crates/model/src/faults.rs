//! Faults: permanent, known losses of links, channels and routers. What is left of the network
//! keeps its names.

use crate::ids::{ChannelId, RouterId};
use crate::network::{Channel, Network, NetworkError};
use crate::words::excerpt;

/// How many neighbours an error lists.
const LISTED: usize = 12;

/// Something that is broken for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One link between two routers; where there is none, one channel from the first to the second.
    Link(RouterId, RouterId),
    /// One channel from the first router to the second; the other direction stays.
    Channel(RouterId, RouterId),
    /// A router, with its channels and processors.
    Router(RouterId),
}

/// What keeps a text from being a fault, or a fault from happening in a network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FaultError {
    /// Names no router, or no two of them.
    #[error(
        "{text:?} names no router and no two routers of {network}; write 5 for a router, 0-1 \
         for a link or 0:1 for one direction of it (routers are {routers})"
    )]
    Unknown {
        /// What was typed.
        text: String,
        /// The network.
        network: String,
        /// The first router and the last.
        routers: String,
    },
    /// Can be cut into two routers in several ways.
    #[error("{text:?} may mean several pairs of routers; write their numbers, such as r0-r1")]
    Ambiguous {
        /// What was typed.
        text: String,
    },
    /// Nothing there to break.
    #[error(
        "there is no {what} from router {tail} to router {head}{} to break; {neighbours}",
        if *.is_again { " left" } else { "" }
    )]
    NothingThere {
        /// A link or a channel.
        what: &'static str,
        /// The first router.
        tail: String,
        /// The second.
        head: String,
        /// Whether other faults took what was there.
        is_again: bool,
        /// Where channels of the first router lead.
        neighbours: String,
    },
    /// A router that was lost before.
    #[error("router {router} cannot break again: a fault took it already")]
    LostAlready {
        /// The router.
        router: String,
    },
    /// What is left is no network.
    #[error("with these faults, {0}")]
    NothingLeft(#[from] NetworkError),
}

impl Fault {
    /// The fault that `--fault` means: `5` or a router's name for a router, `0-1` for a link (or a
    /// channel of a directed network), `0:1` or `0>1` for one channel of a link. A text that is the
    /// name of a router as a whole is that router.
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

    /// The fault that `--fault-channel` means: `0-1`, `0:1` and `0>1` are the channel
    /// from 0 to 1.
    pub fn parse_channel(network: &Network, text: &str) -> Result<Self, FaultError> {
        let (_, tail, head) = pair(network, text)?;
        Ok(Self::Channel(tail, head))
    }
}

fn unknown(network: &Network, text: &str) -> FaultError {
    let last = network.router_name(RouterId(network.router_count() as u32 - 1));
    FaultError::Unknown {
        text: excerpt(text).into_owned(),
        network: network.name().to_owned(),
        routers: format!("{} to {last}", network.router_name(RouterId(0))),
    }
}

/// A separator and the two routers around it. Names may contain separators too, so every place is
/// tried; a pair with a channel between them wins over pairs without.
fn pair(network: &Network, text: &str) -> Result<(char, RouterId, RouterId), FaultError> {
    let cuts = text.char_indices().filter(|(_, letter)| matches!(letter, '-' | ':' | '>'));
    let mut pairs: Vec<(char, RouterId, RouterId)> = cuts
        .filter_map(|(at, separator)| {
            let (tail, head) = (text[..at].trim(), text[at + 1..].trim());
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
    /// What is left of the network after these faults, which happen one after the other: of
    /// parallel links, the first that is left breaks.
    pub fn without(&self, faults: &[Fault]) -> Result<Self, FaultError> {
        let mut damage = Damage {
            network: self,
            is_gone: vec![false; self.channel_count()],
            is_lost: self.routers().map(|router| self.is_lost(router)).collect(),
            channels: Vec::new(),
            routers: Vec::new(),
            words: Vec::new(),
        };
        for &fault in faults {
            match fault {
                Fault::Link(tail, head) => damage.break_link(tail, head)?,
                Fault::Channel(tail, head) => damage.break_channel(tail, head)?,
                Fault::Router(router) => damage.break_router(router)?,
            }
        }
        Ok(self.without_parts(&damage.channels, &damage.routers, damage.words)?)
    }
}

/// What is broken so far.
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

    /// The channels from one router to another that still work.
    fn left(&self, tail: RouterId, head: RouterId) -> impl Iterator<Item = ChannelId> {
        self.network.channels_between(tail, head).filter(|&channel| self.is_whole(channel))
    }

    fn first(&self, tail: RouterId, head: RouterId) -> Option<ChannelId> {
        self.left(tail, head).next()
    }

    /// The first link between two routers whose two channels still work.
    fn link(&self, tail: RouterId, head: RouterId) -> Option<(ChannelId, ChannelId)> {
        let opposite = |channel| Some((channel, self.network.opposite(channel)?));
        self.left(tail, head).filter_map(opposite).find(|&(_, opposite)| self.is_whole(opposite))
    }

    fn lose(&mut self, channel: ChannelId) {
        self.is_gone[channel.index()] = true;
        self.channels.push(channel);
    }

    /// One direction of a link, or a channel that belongs to none.
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
            _ => format!("from router {tail_name} channels lead to {}{more}", named.join(", ")),
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
mod tests {
    use super::*;
    use crate::network::NetworkBuilder;

    fn network(links: &[(u32, u32)], channels: &[(u32, u32)], names: &[&str]) -> Network {
        let ends = links.iter().chain(channels).flat_map(|&(a, b)| [a, b]);
        let mut builder = NetworkBuilder::new("net", ends.max().unwrap() + 1);
        for &(a, b) in links {
            builder.link(a, b);
        }
        for &(a, b) in channels {
            builder.channel(a, b);
        }
        builder.processor_on_each_router();
        builder.router_names(names.iter().map(|&name| name.to_owned()).collect());
        builder.build().unwrap()
    }

    /// Breaks what the texts say, `>` before a text standing for `--fault-channel`.
    fn broken(network: &Network, texts: &str) -> Result<Network, FaultError> {
        let parse = |text: &str| match text.strip_prefix('>') {
            Some(text) => Fault::parse_channel(network, text),
            None => Fault::parse(network, text),
        };
        network.without(&texts.split_whitespace().map(parse).collect::<Result<Vec<_>, _>>()?)
    }

    fn ends(network: &Network) -> Vec<(u32, u32)> {
        network.channels().iter().map(|channel| (channel.tail.0, channel.head.0)).collect()
    }

    #[test]
    fn faults_take_what_they_name() {
        let double = network(&[(0, 1), (0, 1), (1, 2)], &[], &[]);
        let directed = network(&[], &[(0, 1), (1, 2), (2, 0), (0, 2)], &[]);
        let both = vec![(0, 1), (1, 0)];
        // Faults, channels that are left, words.
        for (net, texts, left, words) in [
            (&double, "0-1", [both.clone(), vec![(1, 2), (2, 1)]].concat(), "0-1"),
            (&double, "0-1 1-0", vec![(1, 2), (2, 1)], "0-1 1-0"),
            (&double, "2", [both.clone(), both.clone()].concat(), "2"),
            (&double, ">1-0 2", [vec![(0, 1)], both.clone()].concat(), "1:0 2"),
            (&double, "1>0 >1-0 2", vec![(0, 1), (0, 1)], "1:0 1:0 2"),
            (&double, "1>0 0-1 2", vec![(0, 1)], "1:0 0-1 2"),
            (&double, "1:2 2:1", [both.clone(), both.clone()].concat(), "1:2 2:1"),
            (&double, ">1-2 >2:1", [both.clone(), both.clone()].concat(), "1:2 2:1"),
            (&double, "1:2 2-1", [both.clone(), both.clone()].concat(), "1:2 2:1"),
            (&double, "r0 1-2", vec![], "0 1-2"),
            (&directed, "0-2", vec![(0, 1), (1, 2), (2, 0)], "0-2"),
            (&directed, ">2-0", vec![(0, 1), (1, 2), (0, 2)], "2-0"),
        ] {
            let network = broken(net, texts).unwrap();
            assert_eq!(ends(&network), left, "{texts}");
            assert_eq!(network.faults().join(" "), words);
        }
        let half = broken(&double, ">1-0").unwrap();
        assert_eq!(half.opposite(ChannelId(0)), None);
        assert_eq!(half.opposite(ChannelId(1)), Some(ChannelId(2)));
        let without_router = broken(&double, "2").unwrap();
        assert_eq!(without_router.home(crate::ProcessorId(2)), None);
        assert!(without_router.is_lost(RouterId(2)));
    }

    #[test]
    fn names_win_over_numbers_and_may_contain_dashes_and_commas() {
        let named = network(&[(0, 1), (1, 2), (2, 3)], &[], &["1", "a-b", "1,2", "a"]);
        for (text, expected) in [
            ("1", Fault::Router(RouterId(0))),
            ("r1", Fault::Router(RouterId(1))),
            ("a-b", Fault::Router(RouterId(1))),
            ("a-1,2", Fault::Link(RouterId(3), RouterId(2))),
            ("1,2-a-b", Fault::Link(RouterId(2), RouterId(1))),
            ("a-b-1", Fault::Link(RouterId(1), RouterId(0))),
            ("r3-r2", Fault::Link(RouterId(3), RouterId(2))),
            ("a-b:1", Fault::Channel(RouterId(1), RouterId(0))),
            ("a>1,2", Fault::Channel(RouterId(3), RouterId(2))),
        ] {
            assert_eq!(Fault::parse(&named, text).unwrap(), expected, "{text}");
        }
        let twofold = network(&[(0, 1), (2, 3)], &[], &["a", "b-c", "a-b", "c"]);
        assert!(matches!(Fault::parse(&twofold, "a-b-c"), Err(FaultError::Ambiguous { .. })));
        let colons = network(&[(0, 1), (2, 3)], &[], &["a", "b:c", "a-b", "c"]);
        assert!(matches!(Fault::parse(&colons, "a-b:c"), Err(FaultError::Ambiguous { .. })));
        let once = network(&[(0, 1), (2, 1), (1, 3)], &[], &["a", "b-c", "a-b", "c"]);
        assert_eq!(
            Fault::parse(&once, "a-b-c").unwrap(),
            Fault::Link(RouterId(0), RouterId(1)),
            "only one of the two pairs has a link"
        );
    }

    #[test]
    fn a_fault_of_nothing_says_what_there_is() {
        let ring = network(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[], &[]);
        let directed = network(&[], &[(0, 1), (1, 2), (2, 0)], &[]);
        for (net, texts, expected) in [
            (
                &ring,
                "0-2",
                "no link from router 0 to router 2 to break; from router 0 channels lead to 1, 3",
            ),
            (&ring, ">0-2", "no channel from router 0 to router 2 to break"),
            (
                &ring,
                "0-1 0-1",
                "no link from router 0 to router 1 left to break; from router 0 channels lead to 3",
            ),
            (&ring, "1 0-1", "no link from router 0 to router 1 left"),
            (&ring, "0 0-1", "no channel leaves router 0"),
            (&ring, "0-0", "no link from router 0 to router 0"),
            (&ring, "2 2", "router 2 cannot break again"),
            (&ring, "4", "\"4\" names no router"),
            (&ring, "0-4", "\"0-4\" names no router and no two routers of net"),
            (&ring, "-", "(routers are 0 to 3)"),
            (&ring, ">2", "\"2\" names no router"),
            (&ring, "99999999999999999999", "names no router"),
            (&ring, "0 1 2 3", "net has no processors"),
            (
                &directed,
                "1-0",
                "no link from router 1 to router 0 to break; from router 1 channels lead to 2",
            ),
        ] {
            let error = broken(net, texts).unwrap_err().to_string();
            assert!(error.contains(expected), "{texts:?} gave {error:?}");
        }
        let twice = broken(&ring, "2").unwrap();
        assert!(broken(&twice, "2").unwrap_err().to_string().contains("cannot break again"));
    }
}
