//! The arrowhead at the end of a channel.

use super::curve::{Curve, part, point};
use super::scene::Segment;

/// Length of an arrowhead.
const LENGTH: f64 = 6.5;

/// Half its width.
const WIDTH: f64 = 3.2;

/// A channel shortened so that its line ends under the arrowhead, and the arrowhead.
pub fn with_tip(curve: &Curve) -> (Curve, [Segment; 4]) {
    with_sized_tip(curve, 1.0)
}

/// The same with an arrowhead of another size.
pub fn with_sized_tip(curve: &Curve, size: f64) -> (Curve, [Segment; 4]) {
    let (length_of_tip, width) = (LENGTH * size, WIDTH * size);
    let end = curve[3];
    let far = |t: f64| {
        let (x, y) = point(curve, t);
        (x - end.0).hypot(y - end.1)
    };
    let back =
        (0..50).map(|at| 1.0 - f64::from(at) / 50.0).find(|&t| far(t) >= length_of_tip * 0.9);
    let back = back.unwrap_or(0.3);
    let base = point(curve, back);
    let (dx, dy) = (end.0 - base.0, end.1 - base.1);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    let foot = (end.0 - ux * length_of_tip, end.1 - uy * length_of_tip);
    let tip = [
        Segment::Move(end.0, end.1),
        Segment::Line(foot.0 - uy * width, foot.1 + ux * width),
        Segment::Line(foot.0 + uy * width, foot.1 - ux * width),
        Segment::Close,
    ];
    (part(curve, 0.0, back), tip)
}
