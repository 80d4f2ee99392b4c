//! The messages between the master and the ranks that run islands for it.

use super::islands::Quality;
use super::rules::Leg;
use crate::search::Frame;
use pavane_cluster::Tag;
use serde::{Deserialize, Serialize};

/// Starts islands on a rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Start {
    /// The tag of commands and reports.
    pub tag: Tag,
    pub frame: Frame,
    /// Iterations at one temperature.
    pub iterations: u64,
    /// The random seed of each island.
    pub seeds: Vec<u64>,
}

/// A command of the master to the islands of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Partner {
    /// That of an island of the same rank.
    Near(usize),
    /// One of those sent with the command.
    Far(usize),
}

/// The state of the islands of a rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RankReport {
    /// Evaluations since the last report.
    pub made: u64,
    pub qualities: Vec<Quality>,
    /// The packed solutions of the islands, before an exchange.
    pub offered: Vec<Vec<u64>>,
}
