//! Kautz digraph of degree `d` and diameter `D`: the words of length `D` over `d + 1` letters
//! without equal neighbours, in lexicographic order. Channels lead from x1…xD to x2…xD y.

use super::error::TopologyError;
use super::hypercube::power;
use super::names;
use super::parameters::{Parameters, Size};
use pavane_model::Network;

pub fn build(parameters: &Parameters<'_>) -> Result<Network, TopologyError> {
    let [degree, diameter] = parameters.numbers()?;
    parameters.at_least("d", degree, 1)?;
    parameters.at_least("D", diameter, 1)?;
    // With d = 1 there are only two words of any length, so the size does not limit D.
    parameters.within("D", diameter, 1, if degree == 1 { 64 } else { u64::MAX })?;
    let routers = power(degree, diameter - 1).saturating_mul(u128::from(degree) + 1);
    let channels = routers.saturating_mul(degree.into());
    let mut builder = parameters.start(Size::direct(routers, channels))?;
    let [degree, length] = [degree as u32, diameter as u32];
    for router in 0..routers as u32 {
        let word = word(router, degree, length);
        for letter in (0..=degree).filter(|letter| Some(letter) != word.last()) {
            let next: Vec<u32> = word[1..].iter().copied().chain([letter]).collect();
            builder.channel(router, number(&next, degree));
        }
    }
    names::by_words(&mut builder, routers as u32, degree + 1, |router| {
        word(router, degree, length)
    });
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// The word of a router. Every letter after the first is one of the `degree` letters that differ
/// from its predecessor, and is encoded by its rank among them.
fn word(router: u32, degree: u32, length: u32) -> Vec<u32> {
    let mut stride = degree.pow(length - 1);
    let mut letters = vec![router / stride];
    for _ in 1..length {
        stride /= degree;
        let rank = router / stride % degree;
        let before = letters[letters.len() - 1];
        letters.push(if rank < before { rank } else { rank + 1 });
    }
    letters
}

/// The router of a word.
fn number(word: &[u32], degree: u32) -> u32 {
    let ranks = word.windows(2).map(|pair| pair[1] - u32::from(pair[1] > pair[0]));
    ranks.fold(word[0], |number, rank| number * degree + rank)
}
