//! Reads a proof as a stream of words: numbers and the letter `d`.

use super::LratError;
use std::io::BufRead;

pub(super) enum Word {
    Number(i64),
    Delete,
}

pub(super) struct Words<'a> {
    input: &'a mut dyn BufRead,
    /// The current line, from 1.
    pub line: u64,
    /// Bytes read so far.
    pub bytes: u64,
}

impl<'a> Words<'a> {
    pub fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, line: 1, bytes: 0 }
    }

    /// Reads the rest of the input and fails if that is impossible.
    pub fn read_to_end(&mut self) -> Result<(), LratError> {
        loop {
            let length = self.input.fill_buf()?.len();
            if length == 0 {
                return Ok(());
            }
            self.input.consume(length);
        }
    }

    /// The next number, or `None` at the end of the proof.
    pub fn next_if_any(&mut self) -> Result<Option<i64>, LratError> {
        if self.skip_space()? { self.number().map(Some) } else { Ok(None) }
    }

    pub fn number(&mut self) -> Result<i64, LratError> {
        match self.next()? {
            Word::Number(number) => Ok(number),
            Word::Delete => Err(self.wrong("expected a number, found `d`")),
        }
    }

    pub fn next(&mut self) -> Result<Word, LratError> {
        if !self.skip_space()? {
            return Err(LratError::Unfinished { line: self.line });
        }
        // Longer than any number that fits into 64 bits.
        let mut word = [0u8; 24];
        let mut length = 0;
        while let Some(byte) = self.peek()? {
            if byte.is_ascii_whitespace() {
                break;
            }
            if length == word.len() {
                return Err(self.wrong("expected a number, found a longer word"));
            }
            word[length] = byte;
            length += 1;
            self.consume_byte();
        }
        let text = String::from_utf8_lossy(&word[..length]);
        match (&*text, text.parse()) {
            ("d", _) => Ok(Word::Delete),
            (_, Ok(number)) => Ok(Word::Number(number)),
            _ => Err(self.wrong(&format!("expected a number, found {text:?}"))),
        }
    }

    /// Skips white space. Returns whether another word follows.
    fn skip_space(&mut self) -> Result<bool, LratError> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                return Ok(true);
            }
            self.line += u64::from(byte == b'\n');
            self.consume_byte();
        }
        Ok(false)
    }

    fn consume_byte(&mut self) {
        self.bytes += 1;
        self.input.consume(1);
    }

    fn peek(&mut self) -> Result<Option<u8>, LratError> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    fn wrong(&self, problem: &str) -> LratError {
        LratError::Line { line: self.line, problem: problem.to_owned() }
    }
}
