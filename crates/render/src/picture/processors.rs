//! The places of processors: on their router, or on a ring around it if it has several.

use super::scene::text_width;
use crate::layout::Place;
use pavane_model::{Network, ProcessorId, RouterId};

/// A centre and a radius.
pub type Disc = (Place, f64);

/// Maximum number of processors of a router that are drawn individually.
pub const DRAWN: usize = 32;

/// In networks with more processors than this, those that share a router are not drawn individually.
pub const DRAWN_IN_ALL: usize = 600;

/// The smallest radius of processors that are drawn around their router.
const SATELLITE: f64 = 7.5;

/// The smallest font size of labels.
const READABLE: f64 = 8.0;

/// The radius of processors that are drawn around their router, so that their numbers are readable.
pub fn satellite(processors: usize) -> f64 {
    let longest = processors.saturating_sub(1).to_string();
    SATELLITE.max((text_width(&longest, READABLE + 0.1) + 2.0) / 2.0)
}

/// The radius of the ring of `count` processors around a router.
pub fn ring(radius: f64, satellite: f64, count: usize) -> f64 {
    let around = count as f64 * (2.0 * satellite + 1.5) / std::f64::consts::TAU;
    (radius + satellite + 2.0).max(around)
}

/// The places of processors; those of routers with several are on a ring around them, whose radius and
/// that of the processors are `around`.
pub fn satellites(
    network: &Network,
    routers: &[Place],
    radius: f64,
    around: Option<(f64, f64)>,
) -> Vec<Option<Disc>> {
    let mut places = vec![None; network.processor_count()];
    for router in network.routers() {
        let residents = network.residents(router);
        let (x, y) = routers[router.index()];
        if let [only] = residents {
            places[only.index()] = Some(((x, y), radius));
        } else if let Some((ring, satellite)) = around.filter(|_| residents.len() <= DRAWN) {
            let start = free_angle(network, routers, router, residents.len());
            for (at, processor) in residents.iter().enumerate() {
                let angle = start + std::f64::consts::TAU * at as f64 / residents.len() as f64;
                let place = (x + ring * angle.sin(), y - ring * angle.cos());
                places[processor.index()] = Some((place, satellite));
            }
        }
    }
    places
}

/// The rotation of the processors around a router that covers its channels least.
fn free_angle(network: &Network, routers: &[Place], router: RouterId, count: usize) -> f64 {
    let (x, y) = routers[router.index()];
    let there = network.out_channels(router).iter().map(|&c| network.channel(c).head);
    let back = network.in_channels(router).iter().map(|&c| network.channel(c).tail);
    let angle = |next: RouterId| {
        let (a, b) = routers[next.index()];
        (a - x).atan2(y - b)
    };
    let taken: Vec<f64> = there.chain(back).map(angle).collect();
    let turn = std::f64::consts::TAU / count as f64;
    // The smallest angle between any channel and any processor.
    let room = |start: f64| {
        let near = taken.iter().map(|angle| {
            let apart = (angle - start).rem_euclid(turn);
            apart.min(turn - apart)
        });
        near.fold(turn, f64::min)
    };
    let starts = (0..24).map(|at| turn * f64::from(at) / 24.0);
    starts
        .fold((0.0, f64::MIN), |best, start| {
            let room = room(start);
            if room > best.1 + 1e-9 { (start, room) } else { best }
        })
        .0
}

/// Whether a processor is the only one on its router.
pub fn is_alone(network: &Network, processor: ProcessorId) -> bool {
    network.home(processor).is_some_and(|router| network.residents(router).len() == 1)
}
