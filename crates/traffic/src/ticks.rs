//! Time in whole ticks, so that events have the same exact order on every machine. A link carries
//! one unit of length per unit of time, which is 2^20 ticks.

/// Ticks per unit of time.
pub const UNIT: u64 = 1 << 20;

/// Ticks per unit of time, as a floating-point number.
pub const PER_UNIT: f64 = UNIT as f64;

/// Maximum length of a message, in units.
pub const LONGEST: f64 = 1e6;

/// Latest arrival, in units.
pub const LATEST: f64 = 1e9;

/// Converts units to ticks, rounded; positive values become at least one tick.
pub fn from_units(units: f64) -> u64 {
    let ticks = (units * PER_UNIT).round() as u64;
    if units > 0.0 { ticks.max(1) } else { 0 }
}

/// Converts ticks to units.
pub fn to_units(ticks: u64) -> f64 {
    ticks as f64 / PER_UNIT
}
