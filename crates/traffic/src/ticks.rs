//! Time in whole ticks, so that events have one exact order on every machine: a unit of time, in
//! which a link carries a unit of length, has 2^20 ticks.

/// Ticks in one unit of time.
pub const UNIT: u64 = 1 << 20;

/// The same as a floating-point number.
pub const PER_UNIT: f64 = UNIT as f64;

/// The longest message, in units.
pub const LONGEST: f64 = 1e6;

/// The latest arrival, in units.
pub const LATEST: f64 = 1e9;

/// Units as ticks, rounded; something that is more than nothing is at least one tick.
pub fn from_units(units: f64) -> u64 {
    let ticks = (units * PER_UNIT).round() as u64;
    if units > 0.0 { ticks.max(1) } else { 0 }
}

/// Ticks as units.
pub fn to_units(ticks: u64) -> f64 {
    ticks as f64 / PER_UNIT
}
