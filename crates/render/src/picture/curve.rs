//! Cubic Bézier curves, as in SVG.

use super::scene::Segment;
use crate::layout::Place;

/// A curve: two ends and two control points between them.
pub type Curve = [Place; 4];

/// A curve between two points whose middle is displaced by `bend`, to the same side regardless of
/// direction. It leaves backwards, by up to a sixth of its length and this multiple of its bend.
pub fn curve(from: Place, to: Place, bend: f64, back: f64) -> Curve {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    // Upwards for horizontal lines, to the left for vertical ones.
    let side = if uy.abs() > 0.9 { -uy.signum() } else { ux.signum() };
    let (nx, ny) = (uy * side, -ux * side);
    let rise = bend * 4.0 / 3.0;
    // A bend leaves its router backwards, so that it clears the next one.
    let back = if bend == 0.0 { -length / 3.0 } else { (bend.abs() * back).min(length / 6.0) };
    [
        from,
        (from.0 + nx * rise - ux * back, from.1 + ny * rise - uy * back),
        (to.0 + nx * rise + ux * back, to.1 + ny * rise + uy * back),
        to,
    ]
}

/// The same curve, displaced by this distance to the right of its direction.
pub fn beside(curve: &Curve, by: f64) -> Curve {
    let (dx, dy) = (curve[3].0 - curve[0].0, curve[3].1 - curve[0].1);
    let length = dx.hypot(dy).max(1e-9);
    let (nx, ny) = (-dy / length * by, dx / length * by);
    curve.map(|(x, y)| (x + nx, y + ny))
}

/// The same curve, displaced by these distances to the right of its direction at its ends and in its middle.
pub fn bulged(curve: &Curve, ends: f64, middle: f64) -> Curve {
    let [from, _, _, to] = beside(curve, ends);
    // The middle of a cubic curve is an eighth of its ends and three eighths of its control points.
    let [_, first, second, _] = beside(curve, (4.0 * middle - ends) / 3.0);
    [from, first, second, to]
}

/// The reversed curve.
pub fn turned([a, b, c, d]: Curve) -> Curve {
    [d, c, b, a]
}

/// The point of a curve at parameter `t`.
pub fn point(curve: &Curve, t: f64) -> Place {
    let s = 1.0 - t;
    let [from, first, second, to] = *curve;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    let mean = |a: f64, b: f64, c: f64, d: f64| {
        a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3]
    };
    (mean(from.0, first.0, second.0, to.0), mean(from.1, first.1, second.1, to.1))
}

/// The part of a curve between two parameters, by de Casteljau's algorithm.
pub fn part(curve: &Curve, from: f64, to: f64) -> Curve {
    let tail = split(curve, from).1;
    split(&tail, ((to - from) / (1.0 - from).max(1e-9)).clamp(0.0, 1.0)).0
}

fn split(&[a, b, c, d]: &Curve, t: f64) -> (Curve, Curve) {
    let mix = |p: Place, q: Place| (p.0 + (q.0 - p.0) * t, p.1 + (q.1 - p.1) * t);
    let (ab, bc, cd) = (mix(a, b), mix(b, c), mix(c, d));
    let (abc, bcd) = (mix(ab, bc), mix(bc, cd));
    let middle = mix(abc, bcd);
    ([a, ab, abc, middle], [middle, bcd, cd, d])
}

/// A curve as path segments.
pub fn segments(curve: &Curve) -> [Segment; 2] {
    let [(x0, y0), (x1, y1), (x2, y2), (x3, y3)] = *curve;
    [Segment::Move(x0, y0), Segment::Curve(x1, y1, x2, y2, x3, y3)]
}
