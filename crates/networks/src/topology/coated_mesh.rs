//! Coated mesh: `A` rows of `B` routers linked as a mesh, with one processor on each outer side of
//! a border router, so two on a corner. Processors are numbered clockwise: along the top from left
//! to right, down the right side, back along the bottom, up the left side.

use super::error::TopologyError;
use super::grid::{self, Row};
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let sides = parameters.sides()?;
    let &[rows, columns] = sides.as_slice() else {
        return Err(parameters.wrong(format!("2 sides are required, not {}", sides.len())));
    };
    let processors = 2 * (u128::from(rows) + u128::from(columns));
    let mesh = grid::size(parameters, &sides, Row::Path)?;
    let mut builder = parameters.start(Size { processors, ..mesh })?;
    grid::add_links(&mut builder, &sides, Row::Path);
    let [rows, columns] = [rows as u32, columns as u32];
    let at = |row: u32, column: u32| row * columns + column;
    let top = (0..columns).map(|column| at(0, column));
    let right = (0..rows).map(|row| at(row, columns - 1));
    let bottom = (0..columns).rev().map(|column| at(rows - 1, column));
    let left = (0..rows).rev().map(|row| at(row, 0));
    for home in top.chain(right).chain(bottom).chain(left) {
        builder.processor(Some(home));
    }
    Ok(builder.build()?)
}
