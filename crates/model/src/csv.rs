//! Text cells of comma-separated values. Number cells need no escaping.

use std::borrow::Cow;

/// Characters that spreadsheets take for the start of a formula.
const FORMULA_STARTS: &[char] =
    &['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Formats a text as a cell. A text that a spreadsheet would take for a formula gets a leading
/// apostrophe, and so does a text that starts with one, so that removing one apostrophe restores
/// the text. Text with separators, quotes or line ends is quoted.
///
/// ```
/// use pavane_model::csv;
///
/// assert_eq!(csv::cell("ring:4"), "ring:4");
/// assert_eq!(csv::cell("=HYPERLINK(\"a\")"), "\"'=HYPERLINK(\"\"a\"\")\"");
/// ```
pub fn cell(text: &str) -> String {
    let text: Cow<'_, str> = if text.starts_with(FORMULA_STARTS) || text.starts_with('\'') {
        format!("'{text}").into()
    } else {
        text.into()
    };
    if text.contains([',', ';', '"', '\t', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::cell;
    use proptest::prelude::*;

    /// The text that a spreadsheet shows for a cell.
    fn shown(cell: &str) -> String {
        let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.map_or(cell.to_owned(), |inner| inner.replace("\"\"", "\""))
    }

    #[test]
    fn no_text_begins_a_formula() {
        for (given, expected) in [
            ("", ""),
            ("0-1", "0-1"),
            ("a b", "a b"),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@sum", "'@sum"),
            ("\tx", "\"'\tx\""),
            ("\r=x", "\"'\r=x\""),
            ("＝1", "'＝1"),
            ("'quoted", "''quoted"),
            ("0,1", "\"0,1\""),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
            ("a;=b", "\"a;=b\""),
        ] {
            assert_eq!(cell(given), expected, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn a_cell_is_read_back_as_its_text(given in "[-=+@',;\"\t\r\na1＝]{0,6}") {
            let shown = shown(&cell(&given));
            prop_assert!(!shown.starts_with(super::FORMULA_STARTS), "{shown:?}");
            prop_assert_eq!(shown.strip_prefix('\'').unwrap_or(&shown), given);
        }
    }
}
