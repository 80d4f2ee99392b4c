//! Slim Fly: the graphs of McKay, Miller and Širáň with 2·q² routers, (3q − δ)/2 links per router
//! and diameter two, for prime powers q = 4w + δ with δ = −1, 0 or 1. Besta and Hoefler, SC 2014;
//! the generator sets X and X' for each δ after Hafner, Discrete Applied Mathematics 137(3), 2004.
//! Every router has one processor; the published p is written `@p`.

use super::error::TopologyError;
use super::finite_field::FiniteField;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [q] = parameters.numbers()?;
    parameters.at_least("q", q, 3)?;
    let order = u128::from(q);
    let routers = order.saturating_mul(order).saturating_mul(2);
    // The number of links within a column: (q − δ) / 2.
    let within = match q % 4 {
        3 => order.div_ceil(2),
        _ => order / 2,
    };
    let channels = routers.saturating_mul(order.saturating_add(within));
    let size = Size::direct(routers, channels);
    let mut builder = parameters.start(size)?;
    let Some(field) = FiniteField::new(q as u32) else {
        let works = "q must be a power of a prime, such as 3, 4, 5, 7, 8, 9, 11, 13, 16, 17";
        return Err(parameters.wrong(format!("q is {q}, but {works}")));
    };
    let q = q as u32;
    let at = |half: u32, column: u32, row: u32| (half * q + column) * q + row;
    for half in 0..2 {
        let generators = generators(&field, half);
        for column in 0..q {
            for row in 0..q {
                let heads = generators.iter().map(|&generator| field.add(row, generator));
                for head in heads.filter(|&head| row < head) {
                    builder.link(at(half, column, row), at(half, column, head));
                }
            }
        }
    }
    for x in 0..q {
        for m in 0..q {
            for c in 0..q {
                builder.link(at(0, x, field.add(field.multiply(m, x), c)), at(1, m, c));
            }
        }
    }
    debug_assert_eq!(builder.channel_count() as u128, channels);
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// X for half 0 and X' for half 1: the even and odd powers of a primitive element. For δ = −1 only
/// the first (q + 1)/4 of them, with their negatives.
fn generators(field: &FiniteField, half: u32) -> Vec<u32> {
    let q = field.order();
    match q % 4 {
        3 => {
            let powers = (0..(q + 1) / 4).map(|i| field.power(2 * i + half));
            powers.flat_map(|power| [power, field.negative(power)]).collect()
        }
        _ => (0..q / 2).map(|i| field.power(2 * i + half)).collect(),
    }
}
