//! The headings that group the options of a command in its help.

/// What is broken in the network.
pub const FAULTS: &str = "Faults";
/// Which processors take part, and how large a problem may be.
pub const PROBLEM: &str = "Problem";
/// The communication model.
pub const RULES: &str = "Rules";
/// Engines, random seed and limits of a search.
pub const SEARCH: &str = "Search";
/// Files and formats of the results.
pub const OUTPUT: &str = "Output";
/// The constants of the cost model.
pub const COST_MODEL: &str = "Cost model";
/// Sizes, bandwidths and latencies.
pub const TIME_MODEL: &str = "Time model";
/// Entries of the atlas.
pub const ATLAS: &str = "Atlas";
/// How an input file is read.
pub const INPUT: &str = "Input";
/// What a file is checked against.
pub const VERIFICATION: &str = "Verification";
/// Which sets of faults are examined.
pub const SURVEY: &str = "Survey";
/// The messages to simulate.
pub const MISSION: &str = "Mission";
/// The points of a sweep.
pub const SWEEP: &str = "Sweep";
/// The routing table to check.
pub const ROUTING: &str = "Routing";
/// The web server of the studio.
pub const SERVER: &str = "Server";
