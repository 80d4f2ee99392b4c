//! Words for messages: the nearest known word to one that is not known, the beginning of a text
//! that is too long to be shown, and names from files as a terminal may have them.

use std::borrow::Cow;

/// A text as it is, or its beginning if it is long.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    shortened(text, 60)
}

/// A text as it is, or its first letters if it has more than so many.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// A text without control characters: they are escaped, so that a name in a file cannot move the
/// cursor, clear the screen or forge a line.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_control() {
            true => out.extend(letter.escape_default()),
            false => out.push(letter),
        }
    }
    out
}

/// `1 step`, `4 steps`.
pub fn steps(count: u64) -> String {
    if count == 1 { "1 step".to_owned() } else { format!("{count} steps") }
}

/// The candidate that takes the fewest insertions, deletions and replacements of letters to
/// become `text`; the first of several. Capitals count as small letters.
pub(crate) fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> &'a str {
    // Longer than any known word: more letters cannot change who is nearest.
    let text: Vec<char> = text.chars().take(64).map(|letter| letter.to_ascii_lowercase()).collect();
    candidates.into_iter().min_by_key(|candidate| edits(&text, candidate)).unwrap_or_default()
}

/// Levenshtein's distance, row by row.
fn edits(text: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=text.len()).collect();
    for (done, letter) in candidate.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = done + 1;
        for (at, &other) in text.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[text.len()]
}

#[cfg(test)]
mod tests {
    use super::{excerpt, nearest, printable};

    #[test]
    fn control_characters_are_escaped_and_letters_are_not() {
        for (text, expected) in [
            ("ring:4 é→", "ring:4 é→"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("a\nb\r\t\u{9b}", "a\\nb\\r\\t\\u{9b}"),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_nearest_word_needs_the_fewest_edits() {
        let words = ["ring", "torus", "hypercube", "all-gather"];
        for (text, expected) in
            [("rnig", "ring"), ("Tours", "torus"), ("hipercube", "hypercube"), ("", "ring")]
        {
            assert_eq!(nearest(text, words), expected, "{text}");
        }
        assert_eq!(excerpt(&"é".repeat(1000)), format!("{}…", "é".repeat(60)));
        assert_eq!(nearest(&"x".repeat(1_000_000), words), "ring");
    }
}
