//! The dual of the multi-commodity-flow linear program: lane prices with sum 1 that maximise the
//! payment of the messages for their cheapest paths.

use crate::prices::Routes;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// The best prices of the lanes; `None` if the solver fails.
pub fn best_prices(routes: &[Routes], lanes: usize) -> Option<Vec<f64>> {
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let price: Vec<Variable> = (0..lanes).map(|_| program.add_var(0.0, (0.0, 1.0))).collect();
    let all: Vec<(Variable, f64)> = price.iter().map(|&lane| (lane, 1.0)).collect();
    program.add_constraint(&all, ComparisonOp::Le, 1.0);
    for routes in routes {
        add_group(&mut program, &price, routes);
    }
    let solution = program.solve().ok()?.into_solution().ok()?;
    Some(price.iter().map(|&lane| solution.var_value(lane).max(0.0)).collect())
}

/// Adds the payments of one group: the cost of a state is at most the cost of any path from it.
fn add_group(program: &mut Problem, price: &[Variable], routes: &Routes) {
    let mut messages = vec![0.0; routes.state_count()];
    for &(state, count) in routes.starts() {
        messages[state as usize] += count as f64;
    }
    let cost: Vec<Variable> =
        messages.iter().map(|&count| program.add_var(count, (0.0, f64::INFINITY))).collect();
    for (state, &tail) in cost.iter().enumerate().skip(1) {
        for edge in routes.edges(state) {
            let lane = (price[edge.lane as usize], -1.0);
            let terms = match edge.head {
                0 => vec![(tail, 1.0), lane],
                head => vec![(tail, 1.0), (cost[head as usize], -1.0), lane],
            };
            program.add_constraint(&terms, ComparisonOp::Le, 0.0);
        }
    }
}
