//! The messages between the master and the ranks that run islands for it.

use super::islands::Quality;
use super::rules::Leg;
use crate::search::Frame;
use pavane_cluster::{Channel, Pack, Unpack};

/// Starts islands on a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The channel for commands and reports.
    pub channel: Channel,
    pub frame: Frame,
    /// Iterations at one temperature.
    pub iterations: u64,
    /// The random seed of each island.
    pub seeds: Vec<u64>,
}

impl Start {
    pub fn pack(&self) -> Vec<u8> {
        let Self { channel, frame, iterations, seeds } = self;
        let pack = Pack::new().number(*channel).number(frame.steps.into());
        let pack = pack.number(frame.detour.into()).number(*iterations);
        pack.list(seeds.iter().copied()).done()
    }

    /// `None` if the message is incomplete.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut message = Unpack::new(bytes);
        let channel = message.number()?;
        let frame = Frame { steps: message.number()? as u32, detour: message.number()? as u32 };
        Some(Self { channel, frame, iterations: message.number()?, seeds: message.list()? })
    }
}

/// A command of the master to the islands of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// Anneal for a leg, then report.
    Anneal(Leg),
    /// Cross every island with its partner.
    Cross { partners: Vec<Partner>, sent: Vec<Vec<u64>> },
    /// Send the current solution of an island.
    Send(usize),
    /// End the islands.
    Stop,
}

/// The solution that an island crosses with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partner {
    /// That of an island of the same rank.
    Near(usize),
    /// One of those sent with the command.
    Far(usize),
}

impl Command {
    pub fn pack(&self) -> Vec<u8> {
        match self {
            Self::Anneal(Leg { moves, temperature, is_exchange }) => {
                let pack = Pack::new().number(0).number(*moves).number(*temperature);
                pack.number((*is_exchange).into()).done()
            }
            Self::Cross { partners, sent } => {
                let partner = |partner: &Partner| match *partner {
                    Partner::Near(island) => 2 * island as u64,
                    Partner::Far(at) => 2 * at as u64 + 1,
                };
                let pack = Pack::new().number(1).list(partners.iter().map(partner));
                pack_all(pack, sent).done()
            }
            Self::Send(island) => Pack::new().number(2).number(*island as u64).done(),
            Self::Stop => Pack::new().number(3).done(),
        }
    }

    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut message = Unpack::new(bytes);
        Some(match message.number()? {
            0 => Self::Anneal(Leg {
                moves: message.number()?,
                temperature: message.number()?,
                is_exchange: message.number()? != 0,
            }),
            1 => {
                let partner = |number: u64| match number % 2 {
                    0 => Partner::Near(number as usize / 2),
                    _ => Partner::Far(number as usize / 2),
                };
                let partners = message.list()?.into_iter().map(partner).collect();
                Self::Cross { partners, sent: unpack_all(&mut message)? }
            }
            2 => Self::Send(message.number()? as usize),
            _ => Self::Stop,
        })
    }
}

/// The state of the islands of a rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Evaluations since the last report.
    pub made: u64,
    pub qualities: Vec<Quality>,
    /// The packed solutions of the islands, before an exchange.
    pub offered: Vec<Vec<u64>>,
}

impl Report {
    pub fn pack(&self) -> Vec<u8> {
        let numbers: Vec<u64> = self
            .qualities
            .iter()
            .flat_map(|quality| [quality.conflicts.into(), quality.fitness.into()])
            .collect();
        let pack = Pack::new().number(self.made).list(numbers.into_iter());
        pack_all(pack, &self.offered).done()
    }

    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut message = Unpack::new(bytes);
        let made = message.number()?;
        let quality = |pair: &[u64]| Quality { conflicts: pair[0] as u32, fitness: pair[1] as u32 };
        let qualities = message.list()?.chunks_exact(2).map(quality).collect();
        Some(Self { made, qualities, offered: unpack_all(&mut message)? })
    }
}

fn pack_all(pack: Pack, lists: &[Vec<u64>]) -> Pack {
    let pack = pack.number(lists.len() as u64);
    lists.iter().fold(pack, |pack, list| pack.list(list.iter().copied()))
}

fn unpack_all(message: &mut Unpack<'_>) -> Option<Vec<Vec<u64>>> {
    let count = message.number()?;
    (0..count).map(|_| message.list()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_packing() {
        let frame = Frame { steps: 7, detour: 2 };
        let start = Start { channel: 1 << 41, frame, iterations: 300, seeds: vec![5, 1 << 63] };
        assert_eq!(Start::unpack(&start.pack()), Some(start));
        assert_eq!(Start::unpack(&[]), None);
        let cross = Command::Cross {
            partners: vec![Partner::Near(3), Partner::Far(0)],
            sent: vec![vec![1, 500], vec![]],
        };
        let leg = Leg { moves: 1 << 40, temperature: 3, is_exchange: true };
        for command in [Command::Anneal(leg), cross, Command::Send(4), Command::Stop] {
            assert_eq!(Command::unpack(&command.pack()), Some(command));
        }
        let qualities = vec![Quality { conflicts: 4, fitness: 407 }];
        let report = Report { made: 9, qualities, offered: vec![vec![200]] };
        assert_eq!(Report::unpack(&report.pack()), Some(report));
    }
}
