//! Router names that need no quoting in a shell: coordinates such as `1,2` and words such as `01`.

use pavane_model::NetworkBuilder;

/// Larger networks have no router names: they would take memory and are not typed by hand.
const MOST_NAMES: u32 = 1 << 16;

/// Names the routers of a grid by their coordinates, last coordinate fastest.
pub fn by_coordinates(builder: &mut NetworkBuilder, sides: &[u32]) {
    let routers: u32 = sides.iter().product();
    if sides.len() > 1 && routers <= MOST_NAMES {
        let name = |router| {
            let coordinates = digits(router, sides);
            let words: Vec<String> = coordinates.iter().map(u32::to_string).collect();
            words.join(",")
        };
        builder.router_names((0..routers).map(name).collect());
    }
}

/// Names the routers by words. The letters are 0, 1, 2 and so on, separated by dots if the alphabet
/// has more than ten.
pub fn by_words(
    builder: &mut NetworkBuilder,
    routers: u32,
    alphabet: u32,
    word: impl Fn(u32) -> Vec<u32>,
) {
    if routers <= MOST_NAMES {
        let separator = if alphabet > 10 { "." } else { "" };
        let name = |router| {
            let letters: Vec<String> = word(router).iter().map(u32::to_string).collect();
            letters.join(separator)
        };
        builder.router_names((0..routers).map(name).collect());
    }
}

/// The digits of a number in mixed radix, lowest digit last.
pub fn digits(mut number: u32, bases: &[u32]) -> Vec<u32> {
    let mut digits: Vec<u32> = bases
        .iter()
        .rev()
        .map(|base| {
            let digit = number % base;
            number /= base;
            digit
        })
        .collect();
    digits.reverse();
    digits
}
