//! Texts in SVG, HTML and XML.

use pavane_model::printable::printable;

/// Escapes a text for an XML element or attribute. Control and format characters, which XML forbids
/// or viewers would interpret, are shown by their code point.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn markup_and_hidden_characters_are_escaped() {
        assert_eq!(escaped("a<b>&\"c\" é"), "a&lt;b&gt;&amp;&quot;c&quot; é");
        assert_eq!(escaped("\u{202e}x\u{1b}\n"), "\\u{202e}x\\u{1b}\\n");
    }
}
