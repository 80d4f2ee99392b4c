//! A slow checker of plans of paths that shares nothing with the code that makes them.

use pavane_throughput::exchange::{Demand, Exchange};
use pavane_throughput::{Graph, Ratio};

/// Panics if the plan is not valid, does not take the time it states, or if the prices do not prove
/// the limit.
pub fn check_paths(graph: &Graph, demands: &[Demand], exchange: &Exchange) {
    let links = &graph.links;
    let mut weights = vec![0; demands.len()];
    let mut loads = vec![0u128; links.len()];
    for path in &exchange.paths {
        assert!(path.weight > 0 && u64::try_from(path.weight).is_ok());
        weights[path.demand] += path.weight;
        let Demand { from, to, .. } = demands[path.demand];
        let mut visited = vec![from];
        for &channel in &path.channels {
            let link = links[channel as usize];
            assert_eq!(visited.last(), Some(&link.tail), "a gap");
            assert!(!visited.contains(&link.head), "a loop");
            visited.push(link.head);
            loads[channel as usize] += path.weight;
        }
        assert_eq!(visited.last(), Some(&to));
    }
    for (demand, weight) in demands.iter().zip(weights) {
        let is_needed = demand.from != demand.to;
        let expected = if is_needed { exchange.scale * u128::from(demand.size) } else { 0 };
        assert_eq!(weight, expected);
    }
    assert!(u64::try_from(exchange.scale).is_ok());
    let shares = loads.iter().zip(links);
    let shares =
        shares.map(|(&load, link)| Ratio::new(load, exchange.scale * u128::from(link.bandwidth)));
    assert_eq!(shares.max().unwrap_or(Ratio::new(0, 1)), exchange.time);
    assert_eq!(value(graph, demands, &exchange.prices), exchange.limit);
    assert!(exchange.limit <= exchange.time);
}

/// The bound of prices, with distances by Bellman and Ford; 0 if all prices are 0.
fn value(graph: &Graph, demands: &[Demand], prices: &[u64]) -> Ratio {
    let priced = graph.links.iter().zip(prices);
    let capacity: u128 =
        priced.map(|(link, &price)| u128::from(link.bandwidth) * u128::from(price)).sum();
    if capacity == 0 {
        return Ratio::new(0, 1);
    }
    let mut paid = 0u128;
    let mut known: Vec<Option<Vec<u128>>> = vec![None; graph.routers as usize];
    for demand in demands {
        let distances = known[demand.from as usize]
            .get_or_insert_with(|| distances(graph, prices, demand.from));
        paid += u128::from(demand.size) * distances[demand.to as usize].min(u128::from(u64::MAX));
    }
    Ratio::new(paid, capacity)
}

fn distances(graph: &Graph, prices: &[u64], from: u32) -> Vec<u128> {
    let mut distances = vec![u128::MAX / 2; graph.routers as usize];
    distances[from as usize] = 0;
    loop {
        let mut is_changed = false;
        for (link, &price) in graph.links.iter().zip(prices) {
            let next = distances[link.tail as usize] + u128::from(price);
            if next < distances[link.head as usize] {
                distances[link.head as usize] = next;
                is_changed = true;
            }
        }
        if !is_changed {
            return distances;
        }
    }
}
