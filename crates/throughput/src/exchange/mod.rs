//! The throughput of personalised collectives (all-to-all, scatter, gather, all-to-all-v): the
//! smallest congestion of a multicommodity flow, a plan of weighted paths, and prices that prove the
//! limit: T ≥ Σ size·distance / Σ bandwidth·price, with distances under the prices.
//!
//! One way through: `Setting` checks the input and merges demands between the same routers;
//! `Group` finds a group of automorphisms over which everything can be averaged; `PathProgram` is the
//! linear program over paths up to these automorphisms. A simplex method with path generation
//! (`simplex`) solves it in floating point, and `exact` solves the equations of its last basis
//! exactly. Programs with too many rows are solved approximately by `descent`. Whatever the
//! floating-point part returns, the limit is computed from integer prices and the time from integer
//! weights, so both are exact, and the plan is optimal if they are equal.

mod bound;
mod congestion;
mod descent;
mod distances;
mod exact;
mod group;
mod padic;
mod plan;
mod program;
mod rounding;
mod rounding_flows;
mod setting;
mod shift;
mod simplex;
mod solve;
mod sweep;

use crate::graph::{Graph, Ratio};
use group::Group;
use program::PathProgram;
use setting::Setting;

/// A personalised message: `size` units from one router to another. It needs nothing if both are
/// the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// The router of the sender.
    pub from: u32,
    /// The router of the receiver.
    pub to: u32,
    /// The relative size; 0 means that there is nothing to send.
    pub size: u64,
}

/// What may help or end the computation.
#[derive(Clone, Copy)]
pub struct ExchangeOptions<'a> {
    /// Generators of automorphisms: entry `r` is the image of router `r`. Those that do not preserve
    /// the bandwidths and the demands are ignored.
    pub generators: &'a [Vec<u32>],
    /// Polled during the search; once it returns true, the result is the best plan so far.
    pub stop: &'a dyn Fn() -> bool,
}

/// A part of a demand that takes one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The index of the demand.
    pub demand: usize,
    /// The part in units of 1/scale; positive.
    pub weight: u128,
    /// The channels from the sender to the receiver.
    pub channels: Vec<u32>,
}

/// The limit with its prices, and a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The time that no plan can undercut; 0 if no demand needs a channel.
    pub limit: Ratio,
    /// The price of every channel. They prove exactly `limit`; all are 0 if it is 0.
    pub prices: Vec<u64>,
    /// The time of the plan: the largest load divided by scale and bandwidth.
    pub time: Ratio,
    /// The weights of a demand add up to this number times its size.
    pub scale: u128,
    /// The paths, by demand.
    pub paths: Vec<Path>,
    /// Whether the computation was stopped.
    pub is_stopped: bool,
}

impl Exchange {
    /// Whether the plan attains the limit.
    pub fn is_optimal(&self) -> bool {
        self.time == self.limit
    }
}

/// The largest sum of bandwidths, and the largest sum of sizes.
pub const LARGEST_TOTAL: u128 = 1 << 48;

/// The most commodities, up to automorphisms, that the simplex method solves at once.
const MOST_QUICK_COMMODITIES: usize = 4096;

/// Why there is no limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// No path between two routers.
    #[error("router {to} cannot be reached from router {from}")]
    Unreachable {
        /// The router of a sender.
        from: u32,
        /// The router of its receiver.
        to: u32,
    },
    /// A router number that is too large.
    #[error("there is no router {router} (the network has {routers})")]
    NoSuchRouter {
        /// The number given.
        router: u32,
        /// The number of routers.
        routers: u32,
    },
    /// Bandwidths so large that exact fractions might overflow.
    #[error("the bandwidths together have too many digits for exact arithmetic; round them")]
    BandwidthsTooLarge {
        /// The sum of all bandwidths.
        total: u128,
    },
    /// Sizes so large that exact fractions might overflow.
    #[error(
        "the sizes add up to {total} units; at most {LARGEST_TOTAL} can be computed with: divide all by the same number"
    )]
    SizesTooLarge {
        /// The sum of all sizes.
        total: u128,
    },
}

/// Computes the limit and a plan. The plan attains the limit unless the network is large, the exact
/// weights have too many digits, or `stop` ends the computation.
pub fn limit_and_plan(
    graph: &Graph,
    demands: &[Demand],
    options: &ExchangeOptions<'_>,
) -> Result<Exchange, ExchangeError> {
    // One search for shortest paths serves all demands of a source, so the fewer sources the better.
    if setting::has_fewer_sinks(graph, demands) {
        let turn = |demand: &Demand| Demand { from: demand.to, to: demand.from, ..*demand };
        let turned: Vec<Demand> = demands.iter().map(turn).collect();
        let found = forward(&graph.reversed(), &turned, options);
        let mut exchange = found.map_err(|error| match error {
            ExchangeError::Unreachable { from, to } => {
                ExchangeError::Unreachable { from: to, to: from }
            }
            error => error,
        })?;
        exchange.paths.iter_mut().for_each(|path| path.channels.reverse());
        return Ok(exchange);
    }
    forward(graph, demands, options)
}

fn forward(
    graph: &Graph,
    demands: &[Demand],
    options: &ExchangeOptions<'_>,
) -> Result<Exchange, ExchangeError> {
    let setting = Setting::new(graph, demands)?;
    if setting.commodities.is_empty() {
        let zero = Ratio::new_raw(0, 1);
        let prices = vec![0; graph.links.len()];
        let (paths, is_stopped) = (Vec::new(), false);
        return Ok(Exchange { limit: zero, prices, time: zero, scale: 1, paths, is_stopped });
    }
    let group = Group::new(&setting, options.generators, options.stop);
    let program = PathProgram::new(&setting, &group);
    if !program.is_small() {
        return Ok(plan::assemble(&setting, descent::solve(&setting, options.stop)));
    }
    // The simplex method may be stopped before it has a good plan.
    let is_quick = program.commodities.len() <= MOST_QUICK_COMMODITIES;
    let rough = if is_quick { None } else { Some(descent::solve(&setting, options.stop)) };
    let mut found = solve::solve(&setting, &program, &group, options.stop);
    if let Some(rough) = rough {
        found.bound.improve(Some(rough.bound.clone()));
        if rough.time(&setting) < found.time(&setting) {
            (found.scale, found.routes) = (rough.scale, rough.routes);
        }
    }
    Ok(plan::assemble(&setting, found))
}
