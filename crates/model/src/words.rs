//! Helpers for messages: suggestions for unknown words, excerpts of long texts, and counts.

pub use crate::printable::printable;
use std::borrow::Cow;
use std::fmt::Display;

/// A text, or its beginning if it is long.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    shortened(text, 60)
}

/// A text, or its first `most` characters if it is longer.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// `1 router`, `4 routers`, for any integer type.
pub fn counted(count: impl Display + PartialEq + From<u8>, thing: &str) -> String {
    let is_one = count == 1.into();
    format!("{count} {thing}{}", if is_one { "" } else { "s" })
}

/// `1 step`, `4 steps`.
pub fn steps(count: impl Display + PartialEq + From<u8>) -> String {
    counted(count, "step")
}

/// Names as a list. Blanks separate names with commas in them, such as coordinates (`0,0 0,1`), and semicolons
/// names with blanks, such as channels (`0 → 1; 2 → 3`).
pub fn listed(names: &[String]) -> String {
    let contain = |character: char| names.iter().any(|name| name.contains(character));
    names.join(match (contain(' '), contain(',')) {
        (true, _) => "; ",
        (false, true) => " ",
        (false, false) => ", ",
    })
}

/// Number of suggestions in an error.
const OFFERED: usize = 3;

/// The known words nearest to an unknown one, nearest first, joined for an error. A candidate is a
/// pair of a word and the text to show, so that an alias leads to the canonical name.
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    ranked(text, candidates).1
}

/// Like [`nearest`], but `None` if more than a third of the letters would have to change.
pub(crate) fn similar<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let (distance, words) = ranked(text, candidates);
    (3 * distance <= plain(text).len()).then_some(words)
}

/// The edit distance of the nearest candidates, and the candidates joined for an error.
fn ranked<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> (usize, String) {
    // No known word is this long, so more characters cannot change the result.
    let text: String = plain(text).chars().take(64).collect();
    let candidates = candidates.into_iter();
    let mut near: Vec<(usize, &str)> =
        candidates.map(|(word, shown)| (distance(&text, &plain(word)), shown)).collect();
    near.sort_by_key(|&(distance, _)| distance);
    let best = near.first().map_or(0, |&(distance, _)| distance);
    let mut offered: Vec<&str> = Vec::new();
    for (_, shown) in near.into_iter().filter(|&(distance, _)| distance == best) {
        if offered.len() < OFFERED && !offered.contains(&shown) {
            offered.push(shown);
        }
    }
    let verb = if offered.len() == 1 { "is" } else { "are" };
    (best, format!("the nearest {verb} {}", offered.join(", ")))
}

/// Normalises a name: `All-Gather`, `allgather` and `ALL_GATHER` are the same.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Zero if one word contains the other, otherwise the edit distance.
fn distance(text: &str, candidate: &str) -> usize {
    let shorter = text.len().min(candidate.len());
    // Words of two letters are contained in too many others.
    if shorter > 2 && (candidate.contains(text) || text.contains(candidate)) {
        return 0;
    }
    strsim::levenshtein(text, candidate)
}

#[cfg(test)]
mod tests {
    use super::{counted, excerpt, nearest, steps};

    #[test]
    fn counts_other_than_one_are_plural() {
        assert_eq!(counted(0u32, "router"), "0 routers");
        assert_eq!(counted(1usize, "router"), "1 router");
        assert_eq!(steps(12u64), "12 steps");
    }

    #[test]
    fn the_nearest_words_share_a_part_or_need_the_fewest_edits() {
        let words = ["ring", "torus", "hypercube", "all-gather", "dgx-1v", "dgx-a100", "dgx-h100"];
        let words = || words.into_iter().map(|word| (word, word)).chain([("dgx1v", "dgx-1v")]);
        for (text, expected) in [
            ("rnig", "is ring"),
            ("Tours", "is torus"),
            ("2d-torus", "is torus"),
            ("hipercube", "is hypercube"),
            ("ALLGATHR", "is all-gather"),
            ("dgx", "are dgx-1v, dgx-a100, dgx-h100"),
            ("", "is ring"),
        ] {
            assert_eq!(nearest(text, words()), format!("the nearest {expected}"), "{text}");
        }
        assert_eq!(excerpt(&"é".repeat(1000)), format!("{}…", "é".repeat(60)));
        assert!(nearest(&"x".repeat(1_000_000), words()).starts_with("the nearest "));
    }
}
