//! A fat tree as in data centres: core switches on top, below them the pods in order, each with its
//! aggregation and edge switches, and the hosts in a row, in two staggered rows or, if there are many, stacked
//! below their edge switch like servers in a rack.

use super::Place;

/// Up to this number of hosts, they are in a row.
const IN_A_ROW: usize = 64;

/// The four hosts of a switch in two rows, so that a straight link to one passes between the others.
const STAGGERED: [Place; 4] = [(-0.9, 1.3), (-0.5, 2.2), (0.5, 2.2), (0.9, 1.3)];

/// The distances between two switches with staggered or stacked hosts, and the additional distance between two pods.
const BESIDE: f64 = 2.8;
const RACK: f64 = 2.2;
const POD: f64 = 0.8;

/// Whether this is the number of routers of a fat tree of switches with this many ports.
pub(super) fn has_routers(ports: usize, routers: usize) -> bool {
    let half = ports / 2;
    ports >= 2
        && ports.is_multiple_of(2)
        && ports <= 1 << 10
        && routers == half * half * (ports + 5)
}

/// Whether the hosts are in a row.
fn is_row(ports: usize) -> bool {
    ports * (ports / 2) * (ports / 2) <= IN_A_ROW
}

/// Whether the hosts are in two rows.
fn is_staggered(ports: usize) -> bool {
    !is_row(ports) && ports / 2 == STAGGERED.len()
}

/// Whether straight links pass through no host.
pub(super) fn is_straight(ports: usize) -> bool {
    is_row(ports) || is_staggered(ports)
}

pub(super) fn places(ports: usize) -> Vec<Place> {
    let half = ports / 2;
    let (hosts, edges) = (ports * half * half, ports * half);
    let is_row = is_row(ports);
    // The hosts of two switches are further apart than those of one.
    let rack = match (is_row, is_staggered(ports)) {
        (true, _) => half as f64 + 0.4,
        (false, true) => BESIDE,
        (false, false) => RACK,
    };
    let centre = |edge: usize| (edge as f64 + 0.5) * rack + (edge / half.max(1)) as f64 * POD;
    let width = edges as f64 * rack + (ports - 1) as f64 * POD;
    // Steep enough that links can be told apart.
    let inside = (half as f64 * rack / 2.2).max(2.2);
    let above = (width / if is_row { 4.5 } else { 6.0 }).max(2.4);
    let host = |at: usize| {
        let (edge, place) = (at / half, at % half);
        if is_row {
            (centre(edge) + place as f64 - (half - 1) as f64 / 2.0, 1.0 + half as f64 / 2.0)
        } else if is_staggered(ports) {
            let (aside, below) = STAGGERED[place];
            (centre(edge) + aside, below)
        } else {
            // Alternately left and right, so that links pass between hosts.
            let aside = if place.is_multiple_of(2) { -0.36 } else { 0.36 };
            (centre(edge) + aside, 1.3 + 0.72 * place as f64)
        }
    };
    let core = |at: usize| {
        let share = (at as f64 + 0.5) / (half * half) as f64;
        (share * width, -inside - above)
    };
    let mut places: Vec<Place> = (0..hosts).map(host).collect();
    places.extend((0..edges).map(|edge| (centre(edge), 0.0)));
    places.extend((0..edges).map(|edge| (centre(edge), -inside)));
    places.extend((0..half * half).map(core));
    places
}
