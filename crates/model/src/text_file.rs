//! Reads user-named text files: size-limited, UTF-8, with errors that name the file.

use crate::bounded_read::{self, FileError, LARGEST_TEXT};
use crate::words::shortened;
use std::path::Path;

/// The UTF-8 byte order mark, which some programs write before text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a text file of at most [`LARGEST_TEXT`] bytes and removes a byte order mark.
pub fn read(path: &Path) -> Result<String, FileError> {
    decode(bounded_read::read(path, LARGEST_TEXT)?, &path.display().to_string())
}

/// The line, column and message of a JSON error, without the position that serde_json appends. A file that
/// ends too early is called so.
pub fn json_problem(error: &serde_json::Error) -> (usize, usize, String) {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        let is_empty = line <= 1 && column == 0;
        let problem = if is_empty { "it is empty" } else { "it ends too early" };
        return (line, column, problem.to_owned());
    }
    let whole = error.to_string();
    let problem = whole.strip_suffix(&format!(" at line {line} column {column}"));
    (line, column, shortened(problem.unwrap_or(&whole), 300).into_owned())
}

/// A JSON error in one line, with its place.
pub fn json_in_words(error: &serde_json::Error) -> String {
    let (line, column, problem) = json_problem(error);
    format!("{problem} at line {line} column {column}")
}

/// Decodes the bytes of a text file without a byte order mark. Errors refer to `file`.
pub(crate) fn decode(mut bytes: Vec<u8>, file: &str) -> Result<String, FileError> {
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[valid];
        let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        FileError::NotText { file: file.to_owned(), line, offset: mark + valid, byte }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let place = tempfile::tempdir().unwrap();
        let message = |path: &Path| read(path).unwrap_err().to_string();
        assert!(message(&place.path().join("none")).ends_with("there is no such file"));
        assert!(message(place.path()).contains("is a directory"));
        let binary = place.path().join("binary");
        std::fs::write(&binary, b"a\nb\xFFc").unwrap();
        assert!(message(&binary).ends_with("line 2, byte 3 of the file (0xff) is invalid"));
        let marked = place.path().join("marked");
        std::fs::write(&marked, b"\xEF\xBB\xBFring").unwrap();
        assert_eq!(read(&marked).unwrap(), "ring");
        let large = place.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(LARGEST_TEXT + 1).unwrap();
        assert!(message(&large).contains("larger than 256 MiB"));
    }
}
