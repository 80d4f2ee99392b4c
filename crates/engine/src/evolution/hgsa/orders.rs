//! What the master writes to the islands on other ranks, and what they report.

use super::colony::{Leg, Standing};
use crate::evolution::Frame;
use pavane_cluster::{Channel, Pack, Unpack};

/// Islands are to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Founding {
    /// Where orders and reports go.
    pub channel: Channel,
    pub frame: Frame,
    /// Iterations at one temperature.
    pub iterations: u64,
    /// Where the chance of each island starts.
    pub seeds: Vec<u64>,
}

impl Founding {
    pub fn pack(&self) -> Vec<u8> {
        let Self { channel, frame, iterations, seeds } = self;
        let pack = Pack::new().number(*channel).number(frame.steps.into());
        let pack = pack.number(frame.detour.into()).number(*iterations);
        pack.list(seeds.iter().copied()).done()
    }

    /// `None` for an empty letter: there will be no more.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut letter = Unpack::new(bytes);
        let channel = letter.number()?;
        let frame = Frame { steps: letter.number()? as u32, detour: letter.number()? as u32 };
        Some(Self { channel, frame, iterations: letter.number()?, seeds: letter.list()? })
    }
}

/// What islands are to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    /// Walk, and report.
    Walk(Leg),
    /// Cross: for every island one of its own rank, or one of those sent along.
    Meet { partners: Vec<Partner>, sent: Vec<Vec<u64>> },
    /// Send what an island has.
    Give(usize),
    /// There is nothing more to do.
    Part,
}

/// With whom an island crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partner {
    /// An island of the same rank.
    Near(usize),
    /// An individual sent along.
    Far(usize),
}

impl Order {
    pub fn pack(&self) -> Vec<u8> {
        match self {
            Self::Walk(Leg { moves, temperature, is_meeting }) => {
                let pack = Pack::new().number(0).number(*moves).number(*temperature);
                pack.number((*is_meeting).into()).done()
            }
            Self::Meet { partners, sent } => {
                let partner = |partner: &Partner| match *partner {
                    Partner::Near(island) => 2 * island as u64,
                    Partner::Far(at) => 2 * at as u64 + 1,
                };
                let pack = Pack::new().number(1).list(partners.iter().map(partner));
                pack_all(pack, sent).done()
            }
            Self::Give(island) => Pack::new().number(2).number(*island as u64).done(),
            Self::Part => Pack::new().number(3).done(),
        }
    }

    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut letter = Unpack::new(bytes);
        Some(match letter.number()? {
            0 => Self::Walk(Leg {
                moves: letter.number()?,
                temperature: letter.number()?,
                is_meeting: letter.number()? != 0,
            }),
            1 => {
                let partner = |number: u64| match number % 2 {
                    0 => Partner::Near(number as usize / 2),
                    _ => Partner::Far(number as usize / 2),
                };
                let partners = letter.list()?.into_iter().map(partner).collect();
                Self::Meet { partners, sent: unpack_all(&mut letter)? }
            }
            2 => Self::Give(letter.number()? as usize),
            _ => Self::Part,
        })
    }
}

/// What the islands of a rank have done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Evaluations since the last report.
    pub made: u64,
    pub standings: Vec<Standing>,
    /// What the islands have, where they meet.
    pub shown: Vec<Vec<u64>>,
}

impl Report {
    pub fn pack(&self) -> Vec<u8> {
        let numbers: Vec<u64> = self
            .standings
            .iter()
            .flat_map(|standing| [standing.conflicts.into(), standing.fitness.into()])
            .collect();
        let pack = Pack::new().number(self.made).list(numbers.into_iter());
        pack_all(pack, &self.shown).done()
    }

    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut letter = Unpack::new(bytes);
        let made = letter.number()?;
        let standing =
            |pair: &[u64]| Standing { conflicts: pair[0] as u32, fitness: pair[1] as u32 };
        let standings = letter.list()?.chunks_exact(2).map(standing).collect();
        Some(Self { made, standings, shown: unpack_all(&mut letter)? })
    }
}

fn pack_all(pack: Pack, lists: &[Vec<u64>]) -> Pack {
    let pack = pack.number(lists.len() as u64);
    lists.iter().fold(pack, |pack, list| pack.list(list.iter().copied()))
}

fn unpack_all(letter: &mut Unpack<'_>) -> Option<Vec<Vec<u64>>> {
    let count = letter.number()?;
    (0..count).map(|_| letter.list()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_say_what_was_meant() {
        let frame = Frame { steps: 7, detour: 2 };
        let founding =
            Founding { channel: 1 << 41, frame, iterations: 300, seeds: vec![5, 1 << 63] };
        assert_eq!(Founding::unpack(&founding.pack()), Some(founding));
        assert_eq!(Founding::unpack(&[]), None);
        let meeting = Order::Meet {
            partners: vec![Partner::Near(3), Partner::Far(0)],
            sent: vec![vec![1, 500], vec![]],
        };
        let leg = Leg { moves: 1 << 40, temperature: 3, is_meeting: true };
        for order in [Order::Walk(leg), meeting, Order::Give(4), Order::Part] {
            assert_eq!(Order::unpack(&order.pack()), Some(order));
        }
        let standings = vec![Standing { conflicts: 4, fitness: 407 }];
        let report = Report { made: 9, standings, shown: vec![vec![200]] };
        assert_eq!(Report::unpack(&report.pack()), Some(report));
    }
}
