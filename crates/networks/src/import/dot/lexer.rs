//! The tokens of Graphviz DOT: identifiers, quoted strings, numerals, HTML strings and signs.
//! Comments are skipped.

use std::borrow::Cow;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// An identifier, a numeral or a string. Only an unquoted one can be a keyword.
    Id { text: Cow<'a, str>, is_bare: bool },
    /// One of `{ } [ ] = ; , : +`.
    Sign(char),
    /// `->`, or `--` for an undirected edge.
    Edge { is_directed: bool },
    /// The end of the text.
    End,
}

/// The byte offset of an error, and its message.
pub(super) type Wrong = (usize, String);

#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next token and its byte offset.
    pub fn next(&mut self) -> Result<(usize, Token<'a>), Wrong> {
        self.skip_blanks()?;
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok((start, Token::End)) };
        let token = match first {
            '{' | '}' | '[' | ']' | '=' | ';' | ',' | ':' | '+' => {
                self.at += 1;
                Token::Sign(first)
            }
            '-' if rest.starts_with("->") || rest.starts_with("--") => {
                self.at += 2;
                Token::Edge { is_directed: rest.starts_with("->") }
            }
            '"' => Token::Id { text: self.quoted()?, is_bare: false },
            '<' => Token::Id { text: Cow::Borrowed(self.html()?), is_bare: false },
            '-' | '.' | '0'..='9' => {
                Token::Id { text: Cow::Borrowed(self.numeral()?), is_bare: false }
            }
            first if is_letter(first) => {
                let end = rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit());
                let text = &rest[..end.unwrap_or(rest.len())];
                self.at += text.len();
                Token::Id { text: Cow::Borrowed(text), is_bare: true }
            }
            other => return Err((start, format!("unexpected {other:?}"))),
        };
        Ok((start, token))
    }

    /// Skips blanks and comments: `//`, `/* */`, and lines that begin with `#`.
    fn skip_blanks(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            let begins_line = self.at == 0 || self.text[..self.at].ends_with('\n');
            if rest.starts_with("//") || (rest.starts_with('#') && begins_line) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return Err((self.at, "this comment is not closed".to_owned())),
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Reads a quoted string. Only `\"` is an escape, and a backslash at the end of a line joins
    /// lines.
    fn quoted(&mut self) -> Result<Cow<'a, str>, Wrong> {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let bytes = inside.as_bytes();
        let mut end = 0;
        let mut has_escape = false;
        loop {
            match bytes.get(end) {
                None => return Err((start, "this string has no closing quote".to_owned())),
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escape |= matches!(bytes.get(end + 1), Some(b'"' | b'\n'));
                    end += 2;
                }
                Some(_) => end += 1,
            }
        }
        self.at = start + 1 + end + 1;
        let raw = &inside[..end];
        if !has_escape {
            return Ok(Cow::Borrowed(raw));
        }
        let mut text = String::with_capacity(raw.len());
        let mut letters = raw.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some('"') => text.push('"'),
                    Some('\n') | None => {}
                    Some(other) => text.extend(['\\', other]),
                },
                letter => text.push(letter),
            }
        }
        Ok(Cow::Owned(text))
    }

    /// Reads `<…>` with balanced brackets.
    fn html(&mut self) -> Result<&'a str, Wrong> {
        let (start, rest) = (self.at, self.rest());
        let mut open = 0u32;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'<' => open += 1,
                b'>' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.at += at + 1;
                return Ok(&rest[1..at]);
            }
        }
        Err((start, "this `<` is not closed".to_owned()))
    }

    /// Reads a numeral such as `-1`, `.5` or `2.75`.
    fn numeral(&mut self) -> Result<&'a str, Wrong> {
        let (start, rest) = (self.at, self.rest());
        let part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
        let end = rest.char_indices().find(|&(at, c)| !part(c) || (at > 0 && c == '-'));
        let text = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        let dots = text.matches('.').count();
        let is_number = dots <= 1 && text.contains(|c: char| c.is_ascii_digit());
        let follows = rest[text.len()..].chars().next();
        if !is_number || follows.is_some_and(is_letter) {
            let end = rest.find(|c: char| !is_letter(c) && !part(c)).unwrap_or(rest.len());
            let word = pavane_model::words::excerpt(&rest[..end]).into_owned();
            return Err((
                start,
                format!("{word:?} is neither a number nor a name; put it in quotes"),
            ));
        }
        self.at += text.len();
        Ok(text)
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}
