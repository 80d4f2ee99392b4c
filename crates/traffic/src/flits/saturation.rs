//! The saturation point: the largest load that a network carries. The load rises step by step until
//! the network is saturated; bisection between the last two steps then narrows the point down.

use super::LoadPoint;
use crate::error::TrafficError;
use serde::{Deserialize, Serialize};

/// Latency over load, up to saturation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadCurve {
    /// The measurements, by rate.
    pub points: Vec<LoadPoint>,
    /// The saturation point; `None` if no rate saturates the network.
    pub saturation: Option<Saturation>,
}

/// Where a network saturates, in flits per processor and cycle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Saturation {
    /// The largest measured load that does not saturate the network; 0 if all do.
    pub stable: f64,
    /// The smallest measured load that does.
    pub saturated: f64,
    /// The largest accepted load of all measurements below saturation; 0 if there are none.
    pub accepted: f64,
}

/// If the lowest rate saturates the network, it is halved at most this many times.
const HALVINGS: u32 = 8;

/// Bisection tries loads that are multiples of one divided by this.
const STEPS: f64 = 1e6;

/// Distance of the two loads at which bisection ends, relative to the larger one.
const PRECISION: f64 = 0.01;

/// Measures at rising rates, and stops at saturation.
pub fn measure_curve(
    rates: &[f64],
    mut measure: impl FnMut(f64) -> Result<LoadPoint, TrafficError>,
) -> Result<LoadCurve, TrafficError> {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let mut points: Vec<LoadPoint> = Vec::new();
    for rate in rates {
        points.push(measure(rate)?);
        if points.last().is_some_and(LoadPoint::is_saturated) {
            break;
        }
    }
    let Some(first) = points.last().copied().filter(LoadPoint::is_saturated) else {
        return Ok(LoadCurve { points, saturation: None });
    };
    let (mut stable, mut saturated) =
        (points.iter().rev().nth(1).map_or(0.0, |p| p.rate), first.rate);
    let mut halvings = 0;
    while saturated - stable > PRECISION * saturated && halvings < HALVINGS {
        let middle = ((stable + saturated) / 2.0 * STEPS).round() / STEPS;
        if middle <= stable || middle >= saturated {
            break;
        }
        let point = match measure(middle) {
            // Hardly any message arrives at so low a rate.
            Err(TrafficError::NothingMeasured { .. }) => break,
            point => point?,
        };
        if point.is_saturated() {
            saturated = point.rate;
        } else {
            stable = point.rate;
        }
        halvings += u32::from(stable == 0.0);
        points.push(point);
    }
    Ok(LoadCurve::of(points))
}

impl LoadCurve {
    /// The curve through these measurements. Its saturation point is as close as they tell.
    pub fn of(mut points: Vec<LoadPoint>) -> Self {
        points.sort_by(|one, other| one.rate.total_cmp(&other.rate));
        let first = points.iter().position(LoadPoint::is_saturated);
        let saturation = first.map(|first| {
            let below = &points[..first];
            Saturation {
                stable: below.last().map_or(0.0, |point| point.rate),
                saturated: points[first].rate,
                accepted: below.iter().map(|point| point.accepted).fold(0.0, f64::max),
            }
        });
        Self { points, saturation }
    }
}
