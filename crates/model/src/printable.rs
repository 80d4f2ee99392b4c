//! Escapes names from files before they are shown on a terminal, page or document. Control
//! characters move the cursor and forge lines; format characters reverse the order of letters or
//! are invisible. Files meant for programs keep names unescaped.

use serde_json::Value;
use std::borrow::Cow;

/// Characters of the Unicode category Cf (format), and the line and paragraph separators. U+061C,
/// U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 change the text direction.
const FORMATS: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0001}', '\u{e007f}'),
];

/// Whether a character is a control or format character, which has an effect instead of a glyph.
pub fn is_hidden(letter: char) -> bool {
    let is_format = || FORMATS.iter().any(|&(first, last)| (first..=last).contains(&letter));
    letter.is_control() || (!letter.is_ascii() && is_format())
}

/// Escapes control and format characters, including line ends.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// As [`printable`], but keeps line ends.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| letter != '\n' && is_hidden(letter))
}

fn escaped(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_bad(letter) { out.extend(letter.escape_default()) } else { out.push(letter) }
    }
    Cow::Owned(out)
}

/// Writes control and format characters in JSON as JSON escapes. The values stay the same, and the
/// text is safe to show on a terminal. Only strings can contain such characters.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    let is_bad = |letter: char| letter != '\n' && is_hidden(letter);
    // Quicker than a look at every letter, and large outputs contain nothing else.
    let is_plain = |byte: u8| byte == b'\n' || matches!(byte, b' '..=b'~');
    if text.bytes().all(is_plain) || !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_bad(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                out += &format!("\\u{unit:04x}");
            }
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

/// Escapes every string in a value, for display on a page.
pub fn make_printable(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(escaped) = printable(text) {
                *text = escaped;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_printable),
        Value::Object(entries) => entries.values_mut().for_each(make_printable),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn control_and_format_characters_are_escaped_and_letters_are_not() {
        for (text, expected) in [
            ("ring:4 é→ 日本 שלום e\u{301}", "ring:4 é→ 日本 שלום e\u{301}"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("a\nb\r\t\u{9b}", "a\\nb\\r\\t\\u{9b}"),
            ("\u{202e}gnir\u{202c}", "\\u{202e}gnir\\u{202c}"),
            (
                "\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}",
                "\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}",
            ),
            (
                "a\u{200b}\u{ad}\u{feff}\u{2028}\u{e0041}",
                "a\\u{200b}\\u{ad}\\u{feff}\\u{2028}\\u{e0041}",
            ),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
            assert_eq!(printable(expected), expected, "nothing is escaped twice");
        }
        assert_eq!(printable_lines("a\nb\u{202e}\r"), "a\nb\\u{202e}\\r");
    }

    #[test]
    fn json_keeps_its_values() {
        let value = json!({"a\u{202e}": ["b\u{9b}\u{e0041}", 1, "\u{7f}é\n"]});
        let raw = serde_json::to_string_pretty(&value).unwrap();
        let text = printable_json(&raw);
        assert!(!text.chars().any(|letter| letter != '\n' && is_hidden(letter)), "{text}");
        assert!(text.contains("\\u202e") && text.contains("\\udb40\\udc41"), "{text}");
        assert_eq!(crate::strict_json::from_str::<Value>(&text).unwrap(), value);
        let mut shown = value.clone();
        make_printable(&mut shown);
        assert_eq!(shown["a\u{202e}"][0], json!("b\\u{9b}\\u{e0041}"));
    }
}
