//! Network families in their customary layout, recognised by the network's name. A layout is used
//! only if the number of routers matches.

use super::{LayoutKind, Place, circle, fat_tree, polar};
use pavane_model::Network;

/// The places of the routers of a known family.
pub(super) fn places(network: &Network) -> Option<Vec<Place>> {
    let (family, numbers) = super::family_and_numbers(network);
    let routers = network.router_count();
    let places = match (family, &numbers[..]) {
        (
            "ring" | "octagon" | "complete" | "circulant" | "midimew" | "amp" | "mi300x"
            | "heawood",
            _,
        ) => circle(routers),
        ("path", _) => path(routers),
        ("star", _) if routers > 1 => star(routers),
        ("tree", &[children, depth]) if children > 1 && depth < 20 => {
            tree(routers, children, depth)
        }
        ("hypercube" | "folded-hypercube", &[dimensions]) if dimensions < 20 => {
            (0..1 << dimensions).map(|at| corner(at, 1.0)).collect()
        }
        ("ccc", &[dimensions]) if (1..20).contains(&dimensions) => cube_of_rings(dimensions),
        ("butterfly", &[dimensions]) if dimensions < 20 => ranks(routers, 1 << dimensions),
        ("omega", &[dimensions]) if (1..20).contains(&dimensions) => {
            stages(routers, 1 << dimensions)
        }
        ("dragonfly", &[_, in_group, _]) if in_group > 0 => groups(routers, in_group),
        ("fat-tree", &[ports]) if fat_tree::has_routers(ports, routers) => fat_tree::places(ports),
        ("slim-fly", &[order]) if order > 1 && routers == 2 * order * order => halves(order),
        ("petersen", _) => petersen(),
        // Two cliques of four, each router linked to the one opposite.
        ("dgx-1v", _) => ordered_circle(&[0, 1, 3, 2, 6, 7, 5, 4]),
        _ => return None,
    };
    (places.len() == routers).then_some(places)
}

/// How links run in the layout of a known family.
pub(super) fn kind(network: &Network) -> LayoutKind {
    match super::family_and_numbers(network) {
        ("fat-tree", numbers) if numbers.iter().all(|&ports| fat_tree::is_straight(ports)) => {
            LayoutKind::Levels
        }
        ("dragonfly", _) => LayoutKind::Circle,
        _ => LayoutKind::Other,
    }
}

/// A row, or several rows in alternating direction if it is long.
fn path(routers: usize) -> Vec<Place> {
    let row = if routers <= 16 { 16 } else { (routers as f64).sqrt().ceil() as usize };
    let place = |at: usize| {
        let (line, column) = (at / row, at % row);
        let column = if line.is_multiple_of(2) { column } else { row - 1 - column };
        (column as f64, line as f64)
    };
    (0..routers).map(place).collect()
}

fn star(routers: usize) -> Vec<Place> {
    let mut places = vec![(0.0, 0.0)];
    places.extend(circle(routers - 1).into_iter().map(|(x, y)| (x * 1.25, y * 1.25)));
    places
}

/// Levels from the top, or rings around the root if the last level is long.
fn tree(routers: usize, children: usize, depth: usize) -> Vec<Place> {
    let leaves = children.saturating_pow(depth as u32) as f64;
    let ring = (leaves / std::f64::consts::TAU / depth as f64).max(1.2);
    let mut places = Vec::with_capacity(routers);
    let (mut level, mut in_level) = (0, 1);
    while places.len() < routers && level <= depth {
        for at in 0..in_level {
            let turn = (at as f64 + 0.5) / in_level as f64;
            places.push(if leaves <= 16.0 {
                (turn * leaves, level as f64 * 1.5)
            } else {
                polar(level as f64 * ring, turn)
            });
        }
        level += 1;
        in_level *= children;
    }
    places
}

/// A corner of a hypercube: cubes in perspective, placed side by side and below each other in turn.
fn corner(number: usize, size: f64) -> Place {
    const CUBE: [Place; 3] = [(1.5, 0.0), (0.0, 1.5), (0.66, -0.56)];
    let mut place = (0.0, 0.0);
    for bit in (0..20).filter(|bit| number >> bit & 1 == 1) {
        let (x, y) = match bit {
            0..3 => CUBE[bit],
            _ => {
                let far = 3.1 * 2.06f64.powi((bit as i32 - 3) / 2);
                if bit % 2 == 1 { (far, 0.0) } else { (0.0, far) }
            }
        };
        place = (place.0 + x * size, place.1 + y * size);
    }
    place
}

fn cube_of_rings(dimensions: usize) -> Vec<Place> {
    let radius = 0.62f64.max(dimensions as f64 / std::f64::consts::TAU);
    let place = |at: usize| {
        let (x, y) = corner(at / dimensions, 2.6 * radius);
        let (dx, dy) = polar(radius, (at % dimensions) as f64 / dimensions as f64 + 0.08);
        (x + dx, y + dy)
    };
    (0..dimensions << dimensions).map(place).collect()
}

/// Rows of `columns` routers, the first at the bottom.
fn ranks(routers: usize, columns: usize) -> Vec<Place> {
    let gap = 1.0 + columns as f64 / 10.0;
    (0..routers).map(|at| ((at % columns) as f64, -((at / columns) as f64) * gap)).collect()
}

/// Processors on the left, then stages of half as many switches.
fn stages(routers: usize, lines: usize) -> Vec<Place> {
    let gap = 1.4 + lines as f64 / 12.0;
    let place = |at: usize| match at.checked_sub(lines) {
        None => (0.0, at as f64),
        Some(switch) => {
            let (stage, line) = (switch / (lines / 2), switch % (lines / 2));
            ((stage + 1) as f64 * gap, 2.0 * line as f64 + 0.5)
        }
    };
    (0..routers).map(place).collect()
}

/// Small rings on a large one.
fn groups(routers: usize, in_group: usize) -> Vec<Place> {
    let inner = (in_group as f64 / std::f64::consts::TAU).max(0.75);
    let count = routers.div_ceil(in_group);
    let outer = (count as f64 * (2.0 * inner + 1.1) / std::f64::consts::TAU).max(2.2);
    let place = |at: usize| {
        let turn = (at / in_group) as f64 / count as f64;
        let (x, y) = polar(outer, turn);
        let (dx, dy) = polar(inner, turn + (at % in_group) as f64 / in_group as f64);
        (x + dx, y + dy)
    };
    (0..routers).map(place).collect()
}

/// A Slim Fly: two rows of rings, one for each half; a ring of each half is linked to every ring of the other.
fn halves(order: usize) -> Vec<Place> {
    let radius = (order as f64 / std::f64::consts::TAU).max(1.0);
    let pitch = 2.0 * radius + 1.8;
    let below = 2.0 * radius + (order as f64 * pitch / 4.0).max(3.0);
    let place = |at: usize| {
        let (half, column, row) = (at / (order * order), at / order % order, at % order);
        // The first router of a ring faces the other half.
        let turn = row as f64 / order as f64 + if half == 0 { 0.5 } else { 0.0 };
        let (x, y) = polar(radius, turn);
        (x + column as f64 * pitch, y + half as f64 * below)
    };
    (0..2 * order * order).map(place).collect()
}

fn petersen() -> Vec<Place> {
    let ring = |radius: f64| (0..5).map(move |at| polar(radius, f64::from(at) / 5.0));
    ring(1.9).chain(ring(0.95)).collect()
}

fn ordered_circle(order: &[usize]) -> Vec<Place> {
    let mut places = vec![(0.0, 0.0); order.len()];
    for (&router, place) in order.iter().zip(circle(order.len())) {
        places[router] = place;
    }
    places
}
