//! Structured access to the fields of a violation.

use crate::violation::{Rule, TransferName, Violation};
use pavane_model::ChannelId;

impl Violation {
    /// The rule that is broken.
    pub fn rule(&self) -> Rule {
        match self {
            Self::NoSuchMessage { .. }
            | Self::NoSuchProcessor { .. }
            | Self::ToItself { .. }
            | Self::NoSuchChannel { .. }
            | Self::NotAtHome { .. }
            | Self::Gap { .. }
            | Self::RouterTwice { .. } => Rule::Path,
            Self::ChannelUsedTwice { .. } | Self::LinkUsedBothWays { .. } => Rule::V1,
            Self::TooFewPorts { .. } => Rule::V2,
            Self::NotHeld { .. } | Self::NotStraight { .. } | Self::SumNotComplete { .. } => {
                Rule::V3
            }
            Self::TooLong { .. } | Self::ChainVisitsTwice { .. } => Rule::V4,
            Self::NotOneHop { .. } => Rule::V5,
            Self::NotDelivered { .. }
            | Self::ReceivedTwice { .. }
            | Self::BackToOrigin { .. }
            | Self::Useless { .. } => Rule::V6,
            Self::OtherRounds { .. } | Self::NotSynchronous { .. } => Rule::V7,
            Self::More { rule, .. } => *rule,
        }
    }

    /// Number of violations that this value represents: 1, except for [`Violation::More`].
    pub fn count(&self) -> u64 {
        match self {
            Self::More { count, .. } => *count,
            _ => 1,
        }
    }

    /// The step in which it occurs; `None` for a missing delivery and for a mere count.
    pub fn step(&self) -> Option<u32> {
        match self {
            Self::TooFewPorts { step, .. } => Some(*step),
            _ => self.places().last().map(|transfer| transfer.step),
        }
    }

    /// The channel involved; for a link, the first channel named.
    pub fn channel(&self) -> Option<ChannelId> {
        match self {
            Self::NoSuchChannel { channel, .. } => Some(*channel),
            Self::ChannelUsedTwice { channel, .. } | Self::LinkUsedBothWays { channel, .. } => {
                Some(channel.channel)
            }
            Self::Gap { before, .. } => Some(before.channel),
            _ => None,
        }
    }

    /// The transfers involved, as indices within its [step](Self::step).
    pub fn transfers(&self) -> Vec<usize> {
        let step = self.step();
        let is_there = |transfer: &&TransferName| Some(transfer.step) == step;
        self.places().into_iter().filter(is_there).map(|transfer| transfer.index).collect()
    }

    /// The transfers involved. The last one determines the step.
    fn places(&self) -> Vec<&TransferName> {
        match self {
            Self::NoSuchMessage { at, .. }
            | Self::NoSuchProcessor { at, .. }
            | Self::ToItself { at }
            | Self::NoSuchChannel { at, .. }
            | Self::NotAtHome { at, .. }
            | Self::Gap { at, .. }
            | Self::RouterTwice { at, .. }
            | Self::NotHeld { at, .. }
            | Self::NotStraight { at, .. }
            | Self::SumNotComplete { at, .. }
            | Self::TooLong { at, .. }
            | Self::ChainVisitsTwice { at, .. }
            | Self::NotOneHop { at, .. }
            | Self::BackToOrigin { at, .. }
            | Self::Useless { at, .. }
            | Self::NotSynchronous { at, .. } => vec![at],
            Self::ChannelUsedTwice { first, second, .. }
            | Self::LinkUsedBothWays { first, second, .. }
            | Self::ReceivedTwice { first, second, .. } => vec![first, second],
            Self::TooFewPorts { .. }
            | Self::NotDelivered { .. }
            | Self::OtherRounds { .. }
            | Self::More { .. } => Vec::new(),
        }
    }
}
